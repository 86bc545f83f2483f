//go:build unix

package audiofile

import (
	"errors"
	"os"
	"syscall"
)

// claimPart locks the file for as long as it is open, so that nobody takes it for abandoned.
// The lock ends with the process, even if it is killed. False if the file has been swept.
func claimPart(part *os.File) bool {
	if errors.Is(lock(part), syscall.EWOULDBLOCK) {
		return false
	}
	ours, err := part.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(part.Name())
	return err == nil && os.SameFile(ours, named)
}

// removeAbandonedPart removes the file unless somebody is writing it.
func removeAbandonedPart(name string) {
	part, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return
	}
	defer part.Close()
	if lock(part) == nil {
		os.Remove(name)
	}
}

func lock(file *os.File) error {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// replaceByPart renames the file while it is open: it is locked until it is closed.
func replaceByPart(part *os.File, target string) error {
	return os.Rename(part.Name(), target)
}
