//go:build unix

package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A place that cannot be written is an error of the plan.
func TestProjectSnapshotAudio_requestsNothingWithoutTarget(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		prepare func(c *audioCore) error
		says    string
	}{
		"a folder": {func(c *audioCore) error { return os.Mkdir(c.file, 0o700) }, "which is not a regular file but "},
		"a pipe":   {func(c *audioCore) error { return syscall.Mkfifo(c.file, 0o600) }, "which is not a regular file but "},
		"a file in place of a folder": {
			func(c *audioCore) error {
				c.Arguments["filename"] = filepath.Join(c.file, "book.wav")
				return os.WriteFile(c.file, nil, 0o600)
			},
			"book.wav/book.wav would be in ",
		},
		"a link that leads nowhere in place of a folder": {
			func(c *audioCore) error {
				c.Arguments["filename"] = c.folder + "/link/deep/book.wav"
				return os.Symlink("nowhere", c.folder+"/link")
			},
			"/link, which is not a folder but ",
		},
		"a folder of the system": { // not even root may write there
			func(c *audioCore) error { c.Arguments["filename"] = "/proc/deep/book.wav"; return nil },
			"The file system rejects /proc/deep/book.wav",
		},
		"a way through a missing folder": {
			func(c *audioCore) error { c.Arguments["filename"] = c.folder + "/dist/../book.wav"; return nil },
			"/dist/, which does not exist, and out of it: leave both out.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newAudioCore(t, map[string]any{})
			if err := test.prepare(c); err != nil {
				t.Fatal(err)
			}
			plan := c.Plan()
			plan.Want(c, "create", nil, []string{`Unable to write audio of snapshot "new" of project "book"`})
			if !plan.Says(test.says) {
				t.Errorf("got %s, want it to say %q", plan, test.says)
			}
			c.wantRequests(0)
			left, _ := filepath.Glob(filepath.Join(c.folder, ".*"))
			_, dist := os.Stat(filepath.Join(c.folder, "dist"))
			if len(left) > 0 || !os.IsNotExist(dist) {
				t.Errorf("left behind: %q, dist %v", left, dist)
			}
		})
	}
}

// There is no file below what has become one: it is missing, and nobody needs to remove it.
func TestProjectSnapshotAudio_takesFileForMissingWhereFolderBecameFile(t *testing.T) {
	t.Parallel()
	for _, whenMissing := range []string{"download", "keep"} {
		c := newAudioCore(t, map[string]any{"when_missing": whenMissing})
		folder := filepath.Join(c.folder, "folder")
		filename := filepath.Join(folder, "deep", "book.wav")
		c.Arguments["filename"] = filename
		c.Apply().Want(c, "create", nil, nil)
		old := c.Object
		c.Must(os.RemoveAll(folder))
		c.Must(os.WriteFile(folder, []byte("mine"), 0o600))

		plan := c.Plan()
		if whenMissing == "keep" {
			plan.Want(c, "no-op", nil, nil)
		} else {
			plan.Want(c, "create", nil, []string{"The file " + filename + " would be in " + folder + ", which is not a folder but a file, "})
			if c.Object != nil || !plan.Says("If you are destroying: run `terraform destroy -refresh=false`.") {
				t.Errorf("the object is still in the state: %t; got %s", c.Object != nil, plan)
			}
		}
		c.Object = old
		shown, gone := c.Destroy()
		shown.Want(c, "destroy", nil, nil)
		if !gone {
			t.Error("the object is still there")
		}
		c.file = folder
		c.wantFolder([]byte("mine"))
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
