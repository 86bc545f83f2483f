package audiofile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// Disk is each step that this package takes in the file system. It takes none elsewhere, so that a test that refuses one
// step after the other has refused them all. The methods are the functions of package os with the same names.
type Disk interface {
	Lstat(name string) (fs.FileInfo, error)
	Stat(name string) (fs.FileInfo, error)
	Open(name string) (OpenFile, error)
	CreateTemp(folder, pattern string) (OpenFile, error)
	MkdirAll(folder string, permission fs.FileMode) error
	Chmod(name string, permission fs.FileMode) error
	Chtimes(name string, accessed, modified time.Time) error
	Rename(from, to string) error
	Remove(name string) error
	ReadDir(folder string) ([]fs.DirEntry, error)
	// Rmdir removes an empty folder, and nothing else.
	Rmdir(name string) error
}

// OpenFile is a file or a folder that a [Disk] has opened. An *os.File is one.
type OpenFile interface {
	io.ReadWriteCloser
	Name() string
	Stat() (fs.FileInfo, error)
	Chmod(permission fs.FileMode) error
	Sync() error
}

// System is the disk of the system.
type System struct{}

// Lstat implements [Disk].
func (System) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(name) }

// Stat implements [Disk].
func (System) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

// Open implements [Disk].
func (System) Open(name string) (OpenFile, error) { return opened(os.Open(name)) }

// CreateTemp implements [Disk].
func (System) CreateTemp(folder, pattern string) (OpenFile, error) {
	return opened(os.CreateTemp(folder, pattern))
}

// MkdirAll implements [Disk].
func (System) MkdirAll(folder string, permission fs.FileMode) error {
	return os.MkdirAll(folder, permission)
}

// Chmod implements [Disk].
func (System) Chmod(name string, permission fs.FileMode) error { return os.Chmod(name, permission) }

// Chtimes implements [Disk].
func (System) Chtimes(name string, accessed, modified time.Time) error {
	return os.Chtimes(name, accessed, modified)
}

// Rename implements [Disk].
func (System) Rename(from, to string) error { return os.Rename(from, to) }

// Remove implements [Disk].
func (System) Remove(name string) error { return os.Remove(name) }

// ReadDir implements [Disk].
func (System) ReadDir(folder string) ([]fs.DirEntry, error) { return os.ReadDir(folder) }

// Rmdir implements [Disk].
func (System) Rmdir(name string) error { return syscall.Rmdir(name) }

// opened keeps a nil file from becoming an interface that is not nil.
func opened(file *os.File, err error) (OpenFile, error) {
	if err != nil {
		return nil, err
	}
	return file, nil
}

// systemError is what the system says in an error about a path; nil for another error.
func systemError(err error) error {
	ofRename, isOfRename := errors.AsType[*os.LinkError](err)
	ofPath, isOfPath := errors.AsType[*fs.PathError](err)
	switch {
	case isOfRename:
		return ofRename.Err
	case isOfPath:
		return ofPath.Err
	default:
		return nil
	}
}
