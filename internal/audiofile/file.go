// Package audiofile writes audio to files. A file is whole, or as it was, or not there, whatever is killed while the
// audio arrives. The package knows nothing of Terraform, and nothing of the service.
package audiofile

import (
	"crypto/md5"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// blockSize is how much audio is held in memory.
	blockSize = 256 << 10
	// syncSize is how much of it the disk is given at a time.
	syncSize = 16 << 20
)

// File is audio on its way to its target. The audio is written to a file beside the target,
// the part, which takes the target's place when all of the audio is there.
type File struct {
	claims *Claims
	target string
	part   *os.File
}

// Create makes ready to write a file, and creates the folders that are missing. The caller
// must call Discard in the end. An error names the target: it is a folder, a link or a device,
// or the file system does not let it be written.
func (c *Claims) Create(target string) (*File, error) {
	if err := checkTarget(target); err != nil {
		return nil, err
	}
	folder := filepath.Dir(target)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	sweep(target)
	for range 3 {
		name := filepath.Join(folder, partPrefix(target)+rand.Text())
		part, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		if err != nil {
			return nil, namingTarget(err, target)
		}
		if claimPart(part) {
			return &File{claims: c, target: target, part: part}, nil
		}
		// Somebody who writes the same target has swept it away.
		part.Close()
	}
	return nil, fmt.Errorf("others are writing %s at this moment", target)
}

// checkTarget refuses what a rename would replace, or fail at, in a way that nobody expects.
func checkTarget(target string) error {
	info, err := os.Lstat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("the file would replace %s, which is a folder", target)
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("the file would replace %s, which is a symbolic link: name the file that it leads to", target)
	case !info.Mode().IsRegular():
		return fmt.Errorf("the file would replace %s, which is not a regular file", target)
	default:
		return nil
	}
}

// partPrefix begins the names of the files in which the target's audio arrives. It is of the
// same length for every target, whose own name may be as long as the file system allows.
func partPrefix(target string) string {
	name := sha256.Sum256([]byte(filepath.Base(target)))
	return ".audioprojects-" + hex.EncodeToString(name[:8]) + "-"
}

// sweep removes what was left behind where somebody who wrote the target was killed.
func sweep(target string) {
	folder := filepath.Dir(target)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return // Who cannot list a folder may still be able to write to it.
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), partPrefix(target)) {
			removeAbandonedPart(filepath.Join(folder, entry.Name()))
		}
	}
}

// Receive writes all of the audio, and returns what has been written. It may be called again,
// and begins anew then: an attempt before may have broken off. The error is that of the audio,
// as it is, or one of the file system that names the target.
func (f *File) Receive(audio io.Reader) (Content, error) {
	if _, err := f.part.Seek(0, io.SeekStart); err != nil {
		return Content{}, namingTarget(err, f.target)
	}
	if err := f.part.Truncate(0); err != nil {
		return Content{}, namingTarget(err, f.target)
	}
	content, err := copyTo(f.part, audio)
	return content, namingTarget(err, f.target)
}

// copyTo writes the audio to a file, and computes its checksums on the way.
func copyTo(file *os.File, audio io.Reader) (Content, error) {
	disk, sha, md := newSyncingFile(file), sha256.New(), md5.New()
	size, err := io.CopyBuffer(io.MultiWriter(disk, sha, md), audio, make([]byte, blockSize))
	return Content{Size: size, SHA256: sha.Sum(nil), MD5: md.Sum(nil)}, errors.Join(err, disk.finish())
}

// syncingFile is a file that is brought to the disk while it grows, so that its end has not to
// wait for all of it.
type syncingFile struct {
	*os.File
	unsynced int
	synced   chan error // of the last sync, when it has ended
}

func newSyncingFile(file *os.File) *syncingFile {
	syncing := &syncingFile{File: file, synced: make(chan error, 1)}
	syncing.synced <- nil
	return syncing
}

func (f *syncingFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	f.unsynced += n
	if err != nil || f.unsynced < syncSize {
		return n, err
	}
	select {
	case err := <-f.synced:
		if err != nil {
			f.synced <- err
			return n, err
		}
		f.unsynced = 0
		go func() { f.synced <- f.Sync() }()
	default: // It is not done with what came before.
	}
	return n, nil
}

// finish waits for a sync under way. A problem is told once: not by the next sync.
func (f *syncingFile) finish() error { return <-f.synced }

// Replace brings the audio to the disk and puts it in the place of the target. It returns the
// time of the file's last change. The error names the target, which is then as it was.
func (f *File) Replace() (modified time.Time, err error) {
	if err := f.part.Sync(); err != nil {
		return time.Time{}, namingTarget(err, f.target)
	}
	info, err := f.part.Stat()
	if err != nil {
		return time.Time{}, namingTarget(err, f.target)
	}
	err = f.claims.replace(f.target, func() error { return replaceByPart(f.part, f.target) })
	return info.ModTime(), namingTarget(err, f.target)
}

// Discard removes what has not taken the target's place.
func (f *File) Discard() {
	f.part.Close()
	os.Remove(f.part.Name())
}

// namingTarget makes an error name the file that a person has named.
func namingTarget(err error, target string) error {
	var ofPath *fs.PathError
	var ofRename *os.LinkError
	switch {
	case errors.As(err, &ofRename):
		return &fs.PathError{Op: "replace", Path: target, Err: ofRename.Err}
	case errors.As(err, &ofPath):
		return &fs.PathError{Op: ofPath.Op, Path: target, Err: ofPath.Err}
	default:
		return err
	}
}
