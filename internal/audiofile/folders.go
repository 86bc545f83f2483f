package audiofile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
)

// existingFolder is the nearest folder of a file that is there. The error is why the folders below it cannot be created. Another
// download may create one at any time. So each is looked at once, and only what is no folder by its own name is looked at again.
func (f *Files) existingFolder(filename string) (string, error) {
	if err := f.checkFolders(filename); err != nil {
		return "", err
	}
	folder := folderOf(filename)
	for {
		name := nameOf(folder)
		info, err := f.lstat(cmp.Or(name, folder)) // of a root, nothing is left
		if err == nil && !info.IsDir() {           // It may be a link, of which Windows has several kinds.
			info, err = f.disk().Stat(folder)
			if isMissing(err) {
				return "", noFolderError(filename, name)
			}
		}
		switch {
		case err == nil && info.IsDir():
			return folder, nil
		case err == nil:
			return "", noFolderError(filename, name)
		case !errors.Is(err, fs.ErrNotExist):
			return "", fileError(err, filename)
		}
		above := folderOf(name)
		if above == folder { // a drive or a working folder that is gone
			return folder, nil
		}
		folder = above
	}
}

func noFolderError(filename, name string) error {
	return fmt.Errorf("The file %s would be in %s, which is not a folder but a file, a device or a link that leads to no folder",
		filename, name)
}

// checkFolders refuses `..` after a folder that is missing: to the system such a path leads nowhere, until the missing
// folder is created for the audio. Then it may lead to a file that is there.
func (f *Files) checkFolders(filename string) error {
	elements := strings.SplitAfter(filepath.ToSlash(folderOf(filename)), "/")
	for i, element := range elements {
		if element != "../" || i == 0 {
			continue
		}
		before := strings.Join(elements[:i], "")
		_, err := f.disk().Stat(before)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("The path %s leads into the folder %s, which does not exist, and out of it: leave both out", filename, before)
		}
	}
	return nil
}

// checkNames refuses a name that no folder can have, because it is too long, say. The system does not look at it as long as a folder above
// it is missing.
func (f *Files) checkNames(folder, filename string) error {
	missing := strings.TrimPrefix(filepath.ToSlash(filename), filepath.ToSlash(folder))
	for name := range strings.SplitSeq(missing, "/") {
		_, err := f.lstat(folder + name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fileError(err, filename)
		}
	}
	return nil
}

// folderOf ends with a separator. It is not cleaned as by filepath.Dir: behind a link, `..` is the folder above the one
// that the link leads to.
func folderOf(filename string) string {
	folder, _ := filepath.Split(filename)
	return cmp.Or(folder, "."+string(filepath.Separator))
}

// nameOf is a folder without the separator at its end; empty for a root.
func nameOf(folder string) string { return strings.TrimRight(filepath.ToSlash(folder), "/") }

// syncFolders brings the name of a file to the disk, and those of the folders that have been created for it, below the one
// that was there before. Refused is why they may not be there yet. Windows syncs no folders.
func (f *Files) syncFolders(filename, before string) (refused error) {
	if runtime.GOOS == "windows" {
		return nil
	}
	for folder := folderOf(filename); ; folder = folderOf(nameOf(folder)) {
		err := f.syncFolder(folder)
		if err != nil {
			return fmt.Errorf("The file system refuses to sync the folder of %s to its disk: %w", filename, cmp.Or(systemError(err), err))
		}
		if folder == before || folder == folderOf(nameOf(folder)) {
			return nil
		}
	}
}

func (f *Files) syncFolder(folder string) error {
	opened, err := f.disk().Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(opened.Sync(), opened.Close())
}
