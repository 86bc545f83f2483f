// Package audiofile writes audio to files. A file is whole, or as it was, or not there, whatever is killed while the
// audio arrives. The package knows nothing of Terraform, and nothing of the service.
package audiofile

import (
	"cmp"
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

// blockSize is how much audio is held in memory.
const blockSize = 256 << 10

// Terms are how a file may be written.
type Terms struct {
	// Overwrite lets the audio take the place of a file that nobody known to the claims has left there.
	Overwrite bool
	// Permission is the file's before the umask; nil: that of the file that is replaced, or 0666 before the umask.
	Permission *fs.FileMode
	// MaxSize is the most bytes that the audio may have.
	MaxSize int64
}

// File is audio on its way to its target. The audio is written to a file beside the target,
// the part, which takes the target's place when all of the audio is there.
type File struct {
	claims *Claims
	target string
	terms  Terms
	part   *os.File
	before fs.FileInfo // the target as it was found; nil if there was none
	mode   fs.FileMode // what the target will have
}

var (
	// ErrOccupied is a target that somebody else has written.
	ErrOccupied = errors.New("another program or person has written the file")
	// ErrTooLarge is audio of more than MaxSize.
	ErrTooLarge = errors.New("the audio is too large")
)

// Create makes ready to write a file, and creates the folders that are missing. The caller must call Discard in the end. An
// error names the target: it is a folder, a link or a device, or the file system does not let it be written. It is
// [ErrOccupied] if the terms do not allow to replace the file that is there.
func (c *Claims) Create(target string, terms Terms) (*File, error) {
	before, err := findTarget(target)
	if err != nil {
		return nil, err
	}
	if !terms.Overwrite && c.Occupied(target) {
		return nil, ErrOccupied
	}
	err = os.MkdirAll(folderOf(target), 0o777)
	if err != nil {
		return nil, fileError(err, target)
	}
	sweep(target)
	permission := fs.FileMode(0o666)
	if terms.Permission != nil {
		permission = *terms.Permission
	}
	mode, err := underUmask(target, permission)
	if err != nil {
		return nil, err
	}
	if before != nil && terms.Permission == nil {
		mode = before.Mode().Perm()
	}
	// Nobody but its owner may ever open it.
	part, err := createPart(target, permission&0o600)
	if err != nil {
		return nil, err
	}
	return &File{claims: c, target: target, terms: terms, part: part, before: before, mode: mode}, nil
}

// createPart creates an empty file beside the target. Nobody can guess its name. Another process that sweeps the folder may remove it
// before it is claimed, and then another one is created.
func createPart(target string, permission fs.FileMode) (*os.File, error) {
	for range 100 {
		part, err := os.OpenFile(folderOf(target)+partPrefix(target)+rand.Text(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, permission)
		if err != nil || claimPart(part) {
			return part, fileError(err, target)
		}
		part.Close()
	}
	return nil, fmt.Errorf("another process is writing %s at the moment", target)
}

// underUmask is what the umask leaves of a permission. Nothing but a new file tells that, and this one stays empty.
func underUmask(target string, permission fs.FileMode) (fs.FileMode, error) {
	probe, err := createPart(target, permission)
	if err != nil {
		return 0, err
	}
	info, err := probe.Stat()
	probe.Close()
	os.Remove(probe.Name())
	if err != nil {
		return 0, fileError(err, target)
	}
	return info.Mode().Perm(), nil
}

// findTarget refuses what a rename would replace, or fail at, in a way that nobody expects. Without a target it returns nothing.
func findTarget(target string) (fs.FileInfo, error) {
	info, err := os.Lstat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fileError(err, target)
	default:
		return info, irregular(target, info)
	}
}

// Unwritable is why [Claims.Create] would fail, as far as that shows without writing anything: what is in the target's place is no file that
// audio may replace, a file is in the place of a folder, or the folder may not be changed.
func Unwritable(target string) error {
	_, err := findTarget(target)
	if err != nil {
		return err
	}
	folder := folderOf(target)
	for {
		_, err = os.Stat(folder)
		above, _ := filepath.Split(strings.TrimRight(folder, separator))
		isMissing := errors.Is(err, fs.ErrNotExist)
		if !isMissing || above == folder {
			break
		}
		folder = cmp.Or(above, "."+separator)
	}
	if err == nil {
		err = mayChange(folder)
	}
	return fileError(err, target)
}

func irregular(target string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return fmt.Errorf("the file would replace %s, which is not a regular file but a folder, a device or a link (for a link, name the file that it leads to)", target)
}

// partPrefix begins the names of the files in which the target's audio arrives. It is of the
// same length for every target, whose own name may be as long as the file system allows.
func partPrefix(target string) string {
	name := sha256.Sum256([]byte(filepath.Base(target)))
	return ".audioprojects-" + hex.EncodeToString(name[:8]) + "-"
}

// sweep removes what was left behind where somebody who wrote the target was killed. The parts of other targets are not
// looked at: one between its creation and its lock would be taken for abandoned.
func sweep(target string) {
	folder := folderOf(target)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return // Who cannot list a folder may still be able to write to it.
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), partPrefix(target)) {
			removeAbandonedPart(folder + entry.Name())
		}
	}
}

// Receive writes all of the audio, and returns what has been written. It may be called again,
// and begins anew then: an attempt before may have broken off. The error is that of the audio,
// as it is, or one of the file system that names the target.
func (f *File) Receive(audio io.Reader) (Content, error) {
	_, err := f.part.Seek(0, io.SeekStart)
	err = errors.Join(err, f.part.Truncate(0))
	if err != nil {
		return Content{}, fileError(err, f.target)
	}
	sha, md := sha256.New(), md5.New()
	// The first byte that is too much ends it.
	bounded := io.LimitReader(audio, f.terms.MaxSize+1)
	size, err := io.CopyBuffer(io.MultiWriter(f.part, sha, md), bounded, make([]byte, blockSize))
	if err == nil && size > f.terms.MaxSize {
		err = ErrTooLarge
	}
	return Content{Size: size, SHA256: hex.EncodeToString(sha.Sum(nil)), MD5: hex.EncodeToString(md.Sum(nil))}, fileError(err, f.target)
}

// Replace brings the audio to the disk and puts it in the place of the target. It returns the
// time of the file's last change. The error is [ErrOccupied], or names the target, which is then as it was.
func (f *File) Replace() (modified time.Time, err error) {
	err = errors.Join(giveAccess(f.part, f.mode, f.before), f.part.Sync())
	info, unknown := f.part.Stat()
	err = errors.Join(err, unknown)
	if err != nil {
		return time.Time{}, fileError(err, f.target)
	}
	// Somebody may have written the target while the audio arrived.
	if !f.terms.Overwrite && f.claims.Occupied(f.target) {
		return time.Time{}, ErrOccupied
	}
	file, unlock := f.claims.of(f.target)
	defer unlock()
	err = replaceByPart(f.part, f.target)
	if err != nil {
		return time.Time{}, fileError(err, f.target)
	}
	file.written = info
	return info.ModTime(), nil
}

// Discard removes what has not taken the target's place.
func (f *File) Discard() {
	f.part.Close()
	os.Remove(f.part.Name())
}

// Permit gives a file that is there a permission before the umask.
func Permit(filename string, permission fs.FileMode) error {
	file, err := openRegular(filename)
	if err != nil {
		return fileError(err, filename)
	}
	defer file.Close()
	mode, err := underUmask(filename, permission)
	if err != nil {
		return err
	}
	return fileError(giveAccess(file, mode, nil), filename)
}

// fileError makes a sentence of an error of the file system, which names the file that a person has named. Another error stays.
func fileError(err error, target string) error {
	var ofPath *fs.PathError
	var ofRename *os.LinkError
	switch {
	case errors.As(err, &ofRename):
		err = ofRename.Err
	case errors.As(err, &ofPath):
		err = ofPath.Err
	default:
		return err
	}
	return fmt.Errorf("the file system rejects %s: %w", target, err)
}
