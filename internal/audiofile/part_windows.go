package audiofile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// claimPart need not do anything: Windows removes no file that is open.
func claimPart(*os.File) bool { return true }

// mayChange does not know what the lists of access allow.
func mayChange(string) error { return nil }

// removeAbandonedPart removes the file unless somebody is writing it.
func removeAbandonedPart(name string) {
	info, err := os.Lstat(name)
	if err == nil && info.Mode().IsRegular() {
		os.Remove(name)
	}
}

// openRegular opens a file that is there.
func openRegular(name string) (*os.File, error) { return os.Open(name) }

// giveAccess does nothing: on Windows the folder says who may read.
func giveAccess(*os.File, fs.FileMode, fs.FileInfo) error { return nil }

// sharingViolation is what Windows says of a file that somebody else has open.
const sharingViolation = syscall.Errno(32)

// replaceByPart closes the file before it is renamed: Windows renames no file that is open. A scanner opens what is new for
// a moment, so that the renaming is tried for two seconds.
func replaceByPart(part *os.File, target string) error {
	err := part.Close()
	if err != nil {
		return err
	}
	for end := time.Now().Add(2 * time.Second); ; {
		err := os.Rename(part.Name(), target)
		locked := errors.Is(err, syscall.ERROR_ACCESS_DENIED) || errors.Is(err, sharingViolation)
		if !locked || time.Now().After(end) {
			return err
		}
		<-time.After(50 * time.Millisecond)
	}
}
