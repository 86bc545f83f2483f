//go:build unix

package provider_test

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
)

// limited tells a process that TestProjectSnapshotAudio_fullDisk may take room away from it.
const limited = "AUDIOPROJECTS_TEST_LIMITED"

// A limit on the size of files, which is a process's own, fails a write as a full disk does.
func TestProjectSnapshotAudio_fullDisk(t *testing.T) {
	if os.Getenv(limited) == "" {
		t.Parallel()
		alone := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProjectSnapshotAudio_fullDisk$")
		alone.Env = []string{limited + "=true", "TMPDIR=" + t.TempDir()}
		output, err := alone.CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s", err, output)
		}
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 50000, Max: 50000})
	if err != nil {
		t.Fatal(err)
	}
	c := newAudioCore(t, map[string]any{"overwrite": true})
	c.leave([]byte("old"))
	shown := c.Apply()
	shown.Want(c, "create", nil, []string{`Unable to write audio of snapshot "new" of project "book"`})
	if !shown.Says("The file system rejects " + c.file + ": file too large.") {
		t.Errorf("got %q", shown.Errors)
	}
	c.wantRequests(1)
	c.wantFolder([]byte("old"))
}
