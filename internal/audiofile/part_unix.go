//go:build unix

package audiofile

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// removeAbandonedPart removes the file unless somebody is writing it.
func removeAbandonedPart(name string) {
	part, err := openRegular(name)
	if err != nil {
		return
	}
	defer part.Close()
	if lock(part) == nil {
		os.Remove(name)
	}
}

// openRegular opens a file that is there. It follows no link, and waits for nobody, as the opening of a pipe would.
func openRegular(name string) (*os.File, error) {
	file, err := os.OpenFile(name, syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		file.Close()
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	return file, nil
}

// lock fails while somebody else has the lock. It ends with the process, even if that is killed.
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
		if was, known := before.Sys().(*syscall.Stat_t); known && part.Chown(int(was.Uid), int(was.Gid)) != nil {
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
