package audiofile

import (
	"io/fs"
	"os"
)

// claimPart need not do anything: Windows removes no file that is open.
func claimPart(*os.File) bool { return true }

// removeAbandonedPart removes the file unless somebody is writing it.
func removeAbandonedPart(name string) {
	if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() {
		os.Remove(name)
	}
}

// openRegular opens a file that is there.
func openRegular(name string, flag int) (*os.File, error) { return os.OpenFile(name, flag, 0) }

// closeToOthers does nothing: on Windows the folder says who may read.
func closeToOthers(*os.File) {}

// giveAccess does nothing, for the same reason.
func giveAccess(*os.File, fs.FileMode, fs.FileInfo) error { return nil }

// replaceByPart closes the file before it is renamed: Windows renames no file that is open.
func replaceByPart(part *os.File, target string) error {
	if err := part.Close(); err != nil {
		return err
	}
	return os.Rename(part.Name(), target)
}
