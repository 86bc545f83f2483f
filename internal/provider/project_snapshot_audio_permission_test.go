//go:build linux

package provider_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"unsafe"
)

// noChmod tells a process which error it gets from each change of a permission.
const noChmod = "AUDIOPROJECTS_TEST_NO_CHMOD"

// Shares and buckets that are mounted refuse each change of a permission, with one of several errors. The file is there all the same.
func TestProjectSnapshotAudio_warnsOfRefusedPermission(t *testing.T) {
	refusal, err := strconv.Atoi(os.Getenv(noChmod))
	if err != nil {
		for _, refusal := range []syscall.Errno{syscall.EPERM, syscall.ENOTSUP, syscall.EINVAL, syscall.ENOSYS} {
			t.Run(refusal.Error(), func(t *testing.T) {
				t.Parallel()
				alone := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^TestProjectSnapshotAudio_warnsOfRefusedPermission$")
				alone.Env = []string{fmt.Sprintf("%s=%d", noChmod, refusal), "TMPDIR=" + t.TempDir()}
				output, err := withoutChmod(alone, refusal)
				if err != nil {
					t.Errorf("%v\n%s", err, output)
				}
			})
		}
		return
	}
	c := newAudioCore(t, map[string]any{})
	wantMode := func(want fs.FileMode) {
		t.Helper()
		info, err := os.Stat(c.file)
		c.Must(err)
		if info.Mode() != want {
			t.Errorf("got mode %v, want %v", info.Mode(), want)
		}
	}
	warning := func(permission string) []string {
		return []string{fmt.Sprintf("File permission not set\nThe file system refuses the permission %s for %s, which has 0600: %v. The file is whole and "+
			"stays there. Set `file_permission` to what it has, and there is no warning.", permission, c.file, syscall.Errno(refusal))}
	}
	c.Apply().Want(c, "create", warning("0644"), nil)
	c.wantFolder(sound(t, "new", false))
	wantMode(0o600)
	c.Apply().Want(c, "no-op", nil, nil)
	c.wantRequests(1)

	c.Arguments["file_permission"] = "0640"
	c.Apply().Want(c, "update", warning("0640"), nil)
	if c.text("file_permission") != "0640" {
		t.Errorf("the state has %s", c.text("file_permission"))
	}
	c.Apply().Want(c, "no-op", nil, nil)
	c.Arguments["project_snapshot_id"] = "old"
	c.Apply().Want(c, "update", warning("0640"), nil)
	c.wantFolder(sound(t, "old", false))
	c.wantRequests(2)

	// What the file has anyway needs no change, and no warning.
	c.Arguments["file_permission"] = "0600"
	c.Apply().Want(c, "update", nil, nil)
	c.Arguments["project_snapshot_id"] = "new"
	c.Apply().Want(c, "update", nil, nil)
	wantMode(0o600)
}

// withoutChmod runs a command to which the kernel refuses each change of a permission. A filter of system calls passes from a thread to
// the processes that it starts.
func withoutChmod(command *exec.Cmd, refusal syscall.Errno) (output []byte, err error) {
	const setNoNewPrivileges, setSeccomp, seccompFilter, fail, allow = 38, 22, 2, 0x00050000, 0x7fff0000
	ifNumber := func(number, yes, no int) syscall.SockFilter {
		return syscall.SockFilter{Code: syscall.BPF_JMP | syscall.BPF_JEQ | syscall.BPF_K, K: uint32(number), Jt: uint8(yes), Jf: uint8(no)}
	}
	filter := []syscall.SockFilter{
		{Code: syscall.BPF_LD | syscall.BPF_W | syscall.BPF_ABS}, // the number of the system call
		ifNumber(syscall.SYS_FCHMOD, 1, 0),
		ifNumber(syscall.SYS_FCHMODAT, 0, 1),
		{Code: syscall.BPF_RET | syscall.BPF_K, K: fail | uint32(refusal)},
		{Code: syscall.BPF_RET | syscall.BPF_K, K: allow},
	}
	program := syscall.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlock it: the thread ends with this function
		_, _, failed := syscall.RawSyscall6(syscall.SYS_PRCTL, setNoNewPrivileges, 1, 0, 0, 0, 0)
		if failed == 0 {
			_, _, failed = syscall.RawSyscall(syscall.SYS_PRCTL, setSeccomp, seccompFilter, uintptr(unsafe.Pointer(&program)))
		}
		if failed != 0 {
			err = failed
			return
		}
		output, err = command.CombinedOutput()
	}()
	<-done
	return output, err
}
