package audiofile

import (
	"errors"
	"syscall"
)

// replaceable reports whether the system lets this user replace a regular file that is in a folder where the user may create files.
// Linux tells before it finds that the file is no folder, which is why nothing is removed. It says no in a sticky folder, if
// neither the file nor the folder is the user's, and of a file that is immutable or may only grow.
func replaceable(disk Disk, filename string) bool {
	return !errors.Is(disk.Rmdir(filename), syscall.EPERM)
}
