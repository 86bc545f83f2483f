//go:build unix && !linux

package audiofile

import (
	"io/fs"
	"os"
	"syscall"
)

// replaceable reports whether the system lets this user replace a regular file that is in a folder where the user may create files. It
// does not in a sticky folder, if neither the file nor the folder is the user's.
func replaceable(disk Disk, filename string) bool {
	file, err := disk.Lstat(filename)
	if err != nil {
		return true
	}
	folder, err := disk.Stat(folderOf(filename))
	return err != nil || mayReplace(os.Geteuid(), folder.Mode(), owner(folder), owner(file))
}

func mayReplace(user int, folder fs.FileMode, ofFolder, ofFile int) bool {
	const root = 0
	return folder&fs.ModeSticky == 0 || user == root || user == ofFolder || user == ofFile
}

func owner(info fs.FileInfo) int { return int(info.Sys().(*syscall.Stat_t).Uid) }
