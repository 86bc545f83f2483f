//go:build linux

package provider_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// nobody tells a process that it may not enter or change everything.
const nobody = "AUDIOPROJECTS_TEST_NOBODY"

// The old file is in a folder that must not be changed. Root may change it, so that the test runs as somebody else.
func TestAudioFileThatCannotBeRemoved(t *testing.T) {
	if os.Geteuid() == 0 && os.Getenv(nobody) == "" {
		t.Parallel()
		folder := t.TempDir()
		err := errors.Join(os.Chown(folder, 65534, 65534), os.Chmod(filepath.Dir(folder), 0o755))
		if err != nil {
			t.Fatal(err)
		}
		alone := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^TestAudioFileThatCannotBeRemoved$")
		alone.Dir = folder
		alone.Env = []string{nobody + "=true", "TMPDIR=" + folder}
		alone.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		output, err := alone.CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s", err, output)
		}
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
