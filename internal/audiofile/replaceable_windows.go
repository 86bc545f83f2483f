package audiofile

// replaceable reports whether the system lets this user replace a regular file that is in a folder where the user may create files.
// Windows has no sticky folders.
func replaceable(Disk, string) bool { return true }
