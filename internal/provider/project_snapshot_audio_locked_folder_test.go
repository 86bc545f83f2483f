//go:build linux

package provider_test

import (
	"os"
	"path/filepath"
	"testing"
)

// The old file is in a folder that must not be changed. Root may change it, so that the test runs as somebody else.
func TestProjectSnapshotAudio_fileThatCannotBeRemoved(t *testing.T) {
	if mustBecomeNobody() {
		t.Parallel()
		runAsNobody(t, nobodysFolder(t))
		return
	}
	c := newAudioCore(t, map[string]any{})
	folder := filepath.Join(c.folder, "locked")
	c.file = filepath.Join(folder, "book.wav")
	c.Arguments["filename"] = c.file
	c.Apply().Want(c, "create", nil, nil)
	c.Must(os.Chmod(folder, 0o500))
	t.Cleanup(func() { _ = os.Chmod(folder, 0o700) })
	shown, gone := c.Destroy()
	shown.Want(c, "destroy", nil, []string{"Unable to remove audio file\nThe file system rejects " + c.file + ": permission denied."})
	if gone {
		t.Error("the object is gone, and its file is not")
	}

	// Other audio in it is an error of the plan, before anything is paid for that the audio waits for.
	c.Arguments["project_snapshot_id"] = "old"
	c.Plan().Want(c, "", nil, []string{"The file system rejects " + c.file + ": permission denied."})
	c.Object, c.Arguments["filename"] = nil, filepath.Join(folder, "missing", "book.wav")
	c.Plan().Want(c, "create", nil, []string{"The file system rejects " + filepath.Join(folder, "missing", "book.wav") + ": permission denied."})
	c.wantFolder(sound(t, "new", false))
}
