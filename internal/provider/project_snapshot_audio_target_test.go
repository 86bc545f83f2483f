package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// A place that cannot be written is an error of the plan.
func TestProjectSnapshotAudio_requestsNothingWithoutTarget(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{})
	c.Must(os.Mkdir(c.file, 0o700))
	c.Plan().Want(c, "create", nil, []string{`Unable to write audio of snapshot "new" of project "book"` + "\nThe file would replace " + c.file + ", which is not a regular file but "})
	c.wantRequests(0)
	left, _ := filepath.Glob(filepath.Join(c.folder, ".*"))
	if len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// A path is shown as it stands in the configuration, also at the beginning of a sentence.
func TestProjectSnapshotAudio_showsPathAsItIs(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{})
	for _, folder := range []string{"out", "étude", "the"} {
		c.Arguments["filename"] = folder + "/../a.mp3"
		c.Plan().Want(c, "create", nil, []string{"\nThe path " + folder + "/../a.mp3 leads into the folder " + folder + "/, which does not exist, and out of it: "})
	}
}

func TestProjectSnapshotAudio_longestName(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{})
	c.file = filepath.Join(c.folder, fmt.Sprintf("%0255d", 7))
	c.Arguments["filename"] = c.file
	c.Apply().Want(c, "create", nil, nil)
	c.wantFolder(sound(t, "new", false))
}

// TestProjectSnapshotAudio_refusesHomeFolder: a folder with the name ~ would be created.
func TestProjectSnapshotAudio_refusesHomeFolder(t *testing.T) {
	t.Parallel()
	c := newAudioCore(t, map[string]any{})
	c.Arguments["filename"] = "~/book.wav"
	c.Plan().Want(c, "create", nil, []string{"use `pathexpand(\"~/…\")`"})
}
