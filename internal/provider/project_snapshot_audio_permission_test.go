//go:build linux

package provider_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// refusals tells a process which error it gets from some system calls.
const refusals = "AUDIOPROJECTS_TEST_REFUSALS"

// refusal is the error that this process gets, if the kernel refuses anything to it. If not, each of the errors is tried, in a process of
// its own that runs only this test.
func refusal(t *testing.T, errnos []syscall.Errno, calls ...int) (syscall.Errno, bool) {
	t.Helper()
	number, err := strconv.Atoi(os.Getenv(refusals))
	if err == nil {
		return syscall.Errno(number), true
	}
	for _, errno := range errnos {
		t.Run(errno.Error(), func(t *testing.T) {
			t.Parallel()
			test, _, _ := strings.Cut(t.Name(), "/")
			alone := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^"+test+"$")
			alone.Env = []string{fmt.Sprintf("%s=%d", refusals, errno), "TMPDIR=" + t.TempDir()}
			output, err := refusing(alone, errno, calls...)
			if err != nil {
				t.Errorf("%v\n%s", err, output)
			}
		})
	}
	return 0, false
}

// Shares and buckets that are mounted refuse each change of a permission, with one of several errors. The file is there all the same.
func TestProjectSnapshotAudio_warnsOfRefusedPermission(t *testing.T) {
	errnos := []syscall.Errno{syscall.EPERM, syscall.ENOTSUP, syscall.EINVAL, syscall.ENOSYS}
	errno, isRefused := refusal(t, errnos, syscall.SYS_FCHMOD, syscall.SYS_FCHMODAT)
	if !isRefused {
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
			"stays there. Set `file_permission` to what it has, and there is no warning.", permission, c.file, errno)}
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

// Shares and file systems of users may refuse to bring a file to the disk. A disk that fails, or is full, is another thing.
func TestProjectSnapshotAudio_warnsOfRefusedSync(t *testing.T) {
	errno, isRefused := refusal(t, []syscall.Errno{
		syscall.EINVAL, syscall.EPERM, syscall.EACCES, syscall.ENOTSUP, syscall.ENOSYS, syscall.EIO, syscall.ENOSPC, syscall.EDQUOT,
	}, syscall.SYS_FSYNC, syscall.SYS_FDATASYNC)
	if !isRefused {
		return
	}
	c := newAudioCore(t, map[string]any{"overwrite": true})
	c.leave([]byte("old"))
	if errno == syscall.EIO || errno == syscall.ENOSPC || errno == syscall.EDQUOT {
		c.Apply().Want(c, "create", nil, []string{
			"Unable to write audio of snapshot \"new\" of project \"book\"\nThe file system rejects " + c.file + ": " + errno.Error(),
		})
		c.wantFolder([]byte("old"))
		return
	}
	c.Apply().Want(c, "create", []string{fmt.Sprintf("Audio file not synced\nThe file system refuses to sync %s to its disk: %v. "+
		"The file is whole and stays there, but a machine that fails in the next minutes may lose it.", c.file, errno)}, nil)
	c.wantFolder(sound(t, "new", false))
	c.Apply().Want(c, "no-op", nil, nil)
	c.wantRequests(1)
}

// A file system for objects may only let a file be written from its beginning to its end. Audio that breaks off begins a new file.
func TestProjectSnapshotAudio_writesInOneGo(t *testing.T) {
	if _, isRefused := refusal(t, []syscall.Errno{syscall.ENOTSUP}, syscall.SYS_LSEEK, syscall.SYS_FTRUNCATE); !isRefused {
		return
	}
	withAudio(t, map[string]any{}, func(c *audioCore) {
		c.service.Inject(mockserver.Fault{Operation: mockserver.StreamSnapshot, Truncate: 3000})
		c.Apply().Want(c, "create", nil, nil)
		c.wantFolder(sound(c.T, "new", false))
		c.wantRequests(2)
	})
}

// refusing runs a command to which the kernel refuses some system calls. A filter of system calls passes from a thread to the
// processes that it starts.
func refusing(command *exec.Cmd, refusal syscall.Errno, calls ...int) (output []byte, err error) {
	const setNoNewPrivileges, setSeccomp, seccompFilter, fail, allow = 38, 22, 2, 0x00050000, 0x7fff0000
	filter := []syscall.SockFilter{{Code: syscall.BPF_LD | syscall.BPF_W | syscall.BPF_ABS}} // the number of the system call
	for _, call := range calls {
		filter = append(filter,
			syscall.SockFilter{Code: syscall.BPF_JMP | syscall.BPF_JEQ | syscall.BPF_K, K: uint32(call), Jf: 1}, // no other one is refused
			syscall.SockFilter{Code: syscall.BPF_RET | syscall.BPF_K, K: fail | uint32(refusal)})
	}
	filter = append(filter, syscall.SockFilter{Code: syscall.BPF_RET | syscall.BPF_K, K: allow})
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
