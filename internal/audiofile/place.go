package audiofile

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

const separator = string(filepath.Separator)

// place is the path of a file however it is spelled: absolute, and with the links in its folders resolved. Folders that
// are missing yet, or may not be entered, stay as they are spelled. Windows and macOS ignore the case of letters, unless
// somebody has set up a folder otherwise.
func place(filename string) string {
	// A path is not cleaned: behind a link, `..` is the folder above the one that the link leads to.
	working, err := os.Getwd()
	if err == nil && !filepath.IsAbs(filename) {
		filename = working + separator + filename
	}
	folder, name := filepath.Split(filename)
	for {
		resolved, err := filepath.EvalSymlinks(folder)
		if err == nil {
			folder = resolved
			break
		}
		above, last := filepath.Split(strings.TrimRight(folder, separator))
		if above == "" || above == folder {
			break
		}
		folder, name = above, filepath.Join(last, name)
	}
	at := filepath.Join(folder, name)
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		at = strings.ToLower(at)
	}
	return at
}

// folderOf ends with a separator.
func folderOf(filename string) string {
	folder, _ := filepath.Split(filename)
	if folder == "" {
		return "." + separator
	}
	return folder
}
