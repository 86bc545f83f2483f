package audiofile

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

const separator = string(filepath.Separator)

// place is the path of a file however it is spelled: absolute, and with the links in its folders resolved. Folders that
// are missing yet, or may not be entered, stay as they are spelled.
func place(filename string) string {
	folder, name := filepath.Split(absolute(filename))
	for {
		if resolved, err := filepath.EvalSymlinks(folder); err == nil {
			return filepath.Join(resolved, name)
		}
		above, last := filepath.Split(strings.TrimRight(folder, separator))
		if above == "" || above == folder {
			return filepath.Join(folder, name)
		}
		folder, name = above, filepath.Join(last, name)
	}
}

// absolute does not clean the path: behind a link, `..` is the folder above the one that the link leads to.
func absolute(filename string) string {
	if filepath.IsAbs(filename) {
		return filename
	}
	if runtime.GOOS == "windows" {
		if path, err := filepath.Abs(filename); err == nil {
			return path
		}
	}
	folder, err := os.Getwd()
	if err != nil {
		return filename // Without a working directory only the names can be compared.
	}
	return folder + separator + filename
}

// folderOf ends with a separator.
func folderOf(filename string) string {
	folder, _ := filepath.Split(filename)
	if folder == "" {
		return "." + separator
	}
	return folder
}

// sameButCase reports whether two places that differ in case alone are one. That is the file system's choice, and in some
// the folder's.
func sameButCase(one, other string, lstat func(string) (fs.FileInfo, error)) bool {
	names, others := strings.Split(one, separator), strings.Split(other, separator)
	if len(names) != len(others) {
		return false
	}
	folder := ""
	for i, name := range names {
		if name != others[i] && !sameInFolder(folder, name, others[i], lstat) {
			return false
		}
		folder += name + separator
	}
	return true
}

func sameInFolder(folder, name, other string, lstat func(string) (fs.FileInfo, error)) bool {
	info, err := lstat(folder + name)
	otherInfo, otherErr := lstat(folder + other)
	switch {
	case err == nil && otherErr == nil:
		return os.SameFile(info, otherInfo)
	case err == nil || otherErr == nil:
		return false
	default:
		return ignoresCase(folder, lstat)
	}
}

// ignoresCase asks for something that is there by another case: for what is in the folder, or else for the folder itself.
func ignoresCase(folder string, lstat func(string) (fs.FileInfo, error)) bool {
	const enough = 64
	var names []string
	if opened, err := os.Open(folder); err == nil {
		names, _ = opened.Readdirnames(enough)
		opened.Close()
	}
	for _, name := range names {
		if otherCase(name) != name {
			return sameInFolder(folder, name, otherCase(name), lstat)
		}
	}
	above, name := filepath.Split(strings.TrimRight(folder, separator))
	switch {
	case name == "":
		return runtime.GOOS == "windows" || runtime.GOOS == "darwin"
	case otherCase(name) == name:
		return ignoresCase(above, lstat)
	}
	if _, err := lstat(above + name); err != nil {
		return ignoresCase(above, lstat)
	}
	return sameInFolder(above, name, otherCase(name), lstat)
}

func otherCase(name string) string {
	if upper := strings.ToUpper(name); upper != name {
		return upper
	}
	return strings.ToLower(name)
}
