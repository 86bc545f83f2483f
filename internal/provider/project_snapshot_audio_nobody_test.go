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

// nobodysID is the user and the group of such a process.
const nobodysID = 65534

// mustBecomeNobody reports whether this process may change everything. Then the test runs again, in a process of its own.
func mustBecomeNobody() bool { return os.Geteuid() == 0 && os.Getenv(nobody) == "" }

// runAsNobody runs a test in a folder that belongs to its process, which another user has.
func runAsNobody(t *testing.T, folder string) {
	t.Helper()
	alone := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^"+t.Name()+"$")
	alone.Dir = folder
	alone.Env = []string{nobody + "=true", "TMPDIR=" + folder}
	alone.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobodysID, Gid: nobodysID}}
	output, err := alone.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}

// nobodysFolder is a folder that nobody can enter and change.
func nobodysFolder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	err := errors.Join(os.Chown(folder, nobodysID, nobodysID), os.Chmod(filepath.Dir(folder), 0o755))
	if err != nil {
		t.Fatal(err)
	}
	return folder
}
