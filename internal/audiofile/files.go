package audiofile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Files are the files of one apply. It remembers which ones it has written: a resource that is created first, or another one with the same
// file, must not lose its audio when the old resource is destroyed, and a disk may not let it set the time that tells the two apart.
// The zero value is ready for use.
type Files struct {
	// Disk has the files; nil means that of the system.
	Disk Disk

	// mu lets one file at a time take its place or be removed, so that the second of two with one target finds the first.
	mu      sync.Mutex
	written []string // the names, as the targets had them
}

func (f *Files) disk() Disk {
	if f.Disk == nil {
		return System{}
	}
	return f.Disk
}

// Create makes ready to write a file, and creates the folders that are missing. The caller must call Discard in the end.
// The errors are those of [Files.Check].
func (f *Files) Create(ctx context.Context, t Target) (*File, error) {
	folder, err := f.checkReplaceable(ctx, t)
	if err != nil {
		return nil, err
	}
	if err := f.disk().MkdirAll(folderOf(t.Filename), 0o777); err != nil {
		return nil, fileError(err, t.Filename)
	}
	part, err := f.createPart(folderOf(t.Filename))
	if err != nil {
		return nil, fileError(err, t.Filename)
	}
	return &File{Target: t, files: f, part: part, folder: folder}, nil
}

// Left is why a file stays that was to be removed.
type Left int

const (
	// NotLeft means that it does not: it is gone, or this apply has written another one in its place.
	NotLeft Left = iota
	// Altered means that it has another content.
	Altered
	// WrittenAgain means that it has the same content, and somebody has written it since.
	WrittenAgain
)

// Remove removes a file that has the given content and was written at the given time, as [Replaced] has it. If the time is zero,
// only the content counts. A file that this apply has written stays, under whatever spelling of its name.
func (f *Files) Remove(ctx context.Context, filename string, written Content, modified time.Time) (Left, error) {
	is, err := f.Has(ctx, filename, written)
	if errors.Is(err, fs.ErrNotExist) {
		return NotLeft, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, name := range f.written {
		isSame, failed := f.SameName(name, filename)
		if isSame || failed != nil {
			return NotLeft, failed
		}
	}
	switch {
	case err != nil:
		return NotLeft, err
	case !is:
		return Altered, nil
	}
	info, err := f.lstat(filename)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return NotLeft, nil
	case err != nil:
		return NotLeft, fileError(err, filename)
	case !modified.IsZero() && !wasModified(info, modified):
		return WrittenAgain, nil
	}
	err = f.disk().Remove(filename)
	if isMissing(err) { // Another one has removed it since.
		return NotLeft, nil
	}
	return NotLeft, fileError(err, filename)
}

// wasModified reports whether a file was written at a time. Some disks keep only its seconds, and tell the rest only until the file
// is no longer in memory.
func wasModified(info fs.FileInfo, at time.Time) bool {
	return info.ModTime().Equal(at) || info.ModTime().Equal(at.Truncate(time.Second))
}

// SameName reports whether two paths are spellings of one name, so that nothing is left under the one when the other is removed. Links of
// folders, `..`, and disks that ignore case or know several forms of a letter make such spellings. Two hard links of one file are two names.
// The error is why nobody can tell.
func (f *Files) SameName(one, other string) (bool, error) {
	if one == other {
		return true, nil
	}
	isSame, err := sameFile(f.lstat, one, other)
	if isSame && err == nil {
		isSame, err = sameFile(f.disk().Stat, folderOf(one), folderOf(other))
	}
	if !isSame || err != nil {
		return false, fileError(err, other)
	}
	_, oneBase := filepath.Split(one)
	_, otherBase := filepath.Split(other)
	if oneBase == otherBase {
		return true, nil
	}
	// The folder lists both of two hard links, and a name in one of its spellings.
	entries, err := f.disk().ReadDir(folderOf(one))
	listed := func(base string) bool {
		return slices.ContainsFunc(entries, func(entry fs.DirEntry) bool { return entry.Name() == base })
	}
	return !listed(oneBase) || !listed(otherBase), fileError(err, other)
}

// sameFile reports whether two paths lead to one file or folder. Find is Stat, which follows a link, or lstat.
func sameFile(find func(string) (fs.FileInfo, error), one, other string) (bool, error) {
	first, err := find(one)
	if err == nil {
		var second fs.FileInfo
		second, err = find(other)
		if err == nil {
			return os.SameFile(first, second), nil
		}
	}
	if isMissing(err) {
		err = nil
	}
	return false, err
}
