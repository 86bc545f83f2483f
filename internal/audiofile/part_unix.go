//go:build unix

package audiofile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// claimPart locks the file for as long as it is open, so that nobody takes it for abandoned.
// The lock ends with the process, even if it is killed. False if the file has been swept.
func claimPart(part *os.File) bool {
	return !errors.Is(lock(part), syscall.EWOULDBLOCK) && isNamed(part)
}

// isNamed reports whether the file's name still leads to it.
func isNamed(file *os.File) bool {
	opened, err := file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(file.Name())
	return err == nil && os.SameFile(opened, named)
}

// removeAbandonedPart removes the file unless somebody is writing it.
func removeAbandonedPart(name string) {
	part, err := openRegular(name)
	if err != nil {
		return
	}
	defer part.Close()
	if lock(part) == nil && isNamed(part) {
		os.Remove(name)
	}
}

// openRegular opens a file that is there. It follows no link, and waits for nobody, as the opening of a pipe would.
func openRegular(name string) (*os.File, error) {
	file, err := os.OpenFile(name, syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		file.Close()
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	return file, nil
}

// mayChange reports why this process may not create files in a folder.
func mayChange(folder string) error {
	const writes, enters = 2, 1
	err := syscall.Access(folder, writes|enters)
	if err != nil {
		return &fs.PathError{Op: "access", Path: folder, Err: err}
	}
	return nil
}

func lock(file *os.File) error {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// giveAccess gives the file its mode, and the owner of the one that it replaces as far as the system permits.
func giveAccess(part *os.File, mode fs.FileMode, before fs.FileInfo) error {
	info, err := part.Stat()
	if err != nil {
		return err
	}
	if before != nil {
		was, known := before.Sys().(*syscall.Stat_t)
		if known && part.Chown(int(was.Uid), int(was.Gid)) != nil {
			_ = part.Chown(-1, int(was.Gid))
		}
	}
	if info.Mode().Perm() == mode {
		return nil
	}
	return part.Chmod(mode)
}

// replaceByPart renames the file while it is open: it is locked until it is closed.
func replaceByPart(part *os.File, target string) error { return os.Rename(part.Name(), target) }
