// Package audiofile writes audio to files. A file is whole, or as it was, or not there, whatever is killed while the
// audio arrives. The package knows nothing of Terraform, and nothing of the service.
package audiofile

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// blockSize is how much audio is held in memory.
const blockSize = 256 << 10

// ErrForeignFile is a target that has a file of somebody else.
var ErrForeignFile = errors.New("another program or person has written the file")

// Target is the file that the audio is for.
type Target struct {
	Filename string
	// Written is what the caller has written there; the zero value if it has written nothing. Whatever has another
	// content is somebody else's.
	Written Content
	// Overwrite lets the audio replace what is somebody else's.
	Overwrite  bool
	Permission fs.FileMode
}

// Content is what is known of the bytes in a file.
type Content struct {
	Size   int64  // in bytes
	SHA256 string // in hexadecimal digits
}

// File is audio on its way to its target. It is written to a file beside the target, the part, which takes the target's
// place when all of the audio is there.
type File struct {
	Target
	files *Files
	part  *os.File
	begun bool // whether the part may have audio of an attempt before
}

// Check is why [Files.Create] would fail, as far as that shows while folders may be missing. It leaves nothing behind. It is
// [ErrForeignFile] for a file that may not be replaced, that of a context that has ended, and otherwise names the target.
func (t Target) Check(ctx context.Context) error {
	if err := t.checkReplaceable(ctx); err != nil {
		return err
	}
	// What a folder permits depends on users, lists of access, mounts and quotas. Only trying it out tells.
	folder, err := existingFolder(t.Filename)
	if err != nil {
		return err
	}
	probe, err := createPart(folder)
	if err != nil {
		return fileError(err, t.Filename)
	}
	return fileError(discard(probe), t.Filename)
}

// createPart creates a file that only its owner may open, under a name that nobody can guess.
func createPart(folder string) (*os.File, error) { return os.CreateTemp(folder, ".audioprojects-*") }

func discard(part *os.File) error { return errors.Join(part.Close(), os.Remove(part.Name())) }

// checkReplaceable refuses a target that leads nowhere, or in whose place is something that the audio may not replace.
func (t Target) checkReplaceable(ctx context.Context) error {
	_, err := existingFolder(t.Filename)
	if err != nil {
		return err
	}
	info, err := lstat(t.Filename)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fileError(err, t.Filename)
	case !info.Mode().IsRegular():
		return fmt.Errorf("The file would replace %s, which is not a regular file but a folder, a device or a link "+
			"(for a link, name the file that it leads to)", t.Filename)
	case !t.Overwrite:
		if err := t.checkWritten(ctx); err != nil {
			return err
		}
	}
	if !replaceable(t.Filename) {
		return fmt.Errorf("The file system does not let this user replace %s: somebody else has the file in a folder with the sticky bit, "+
			"or the file is immutable", t.Filename)
	}
	return nil
}

// checkWritten refuses a file that the caller has not written.
func (t Target) checkWritten(ctx context.Context) error {
	if t.Written == (Content{}) {
		return ErrForeignFile
	}
	is, err := t.Written.IsIn(ctx, t.Filename)
	switch {
	case errors.Is(err, fs.ErrNotExist): // It has been removed since.
		return nil
	case err == nil && !is:
		return ErrForeignFile
	}
	return err
}

// Receive writes all of the audio, and returns what has been written. It may be called again, and begins anew then: an
// attempt before may have broken off. The error is that of the audio, as it is, or one of the file system that names the target.
func (f *File) Receive(audio io.Reader) (Content, error) {
	if f.begun { // Not every disk can go back in a file, or cut it short.
		err := discard(f.part)
		if err == nil {
			f.part, err = createPart(folderOf(f.Filename))
		}
		if err != nil {
			return Content{}, fileError(err, f.Filename)
		}
	}
	f.begun = true
	sum := sha256.New()
	size, err := io.CopyBuffer(io.MultiWriter(f.part, sum), audio, make([]byte, blockSize))
	return Content{Size: size, SHA256: hex.EncodeToString(sum.Sum(nil))}, fileError(err, f.Filename)
}

// Replaced is what is to be known of a file that has taken its target's place. Mounted shares and buckets may refuse what is not worth the
// audio.
type Replaced struct {
	Modified          time.Time // when the file was written, as the file system has it; the zero value if it does not tell
	PermissionRefused error     // as [SetPermission] has it
	SyncRefused       error     // why the audio may not be on the disk yet
}

// Replace brings the audio to the disk and puts it in the place of the target. The error is that of [Target.Check], and the
// target is then as it was. Until then, only the owner may open the part, or whoever a disk lets that refuses permissions.
func (f *File) Replace(ctx context.Context) (replaced Replaced, err error) {
	err = f.part.Sync()
	if refusesSync(err) {
		replaced.SyncRefused = fmt.Errorf("The file system refuses to sync %s to its disk: %w", f.Filename, systemError(err))
		err = nil
	}
	replaced.PermissionRefused = setPermission(f.Filename, f.Permission, f.part.Chmod, f.part.Stat)
	err = errors.Join(err, f.part.Close()) // Windows renames no file that is open.
	if err != nil {
		return Replaced{}, fileError(err, f.Filename)
	}
	f.files.mu.Lock()
	defer f.files.mu.Unlock()
	err = f.checkReplaceable(ctx) // Somebody may have written the target while the audio arrived.
	if err != nil {
		return Replaced{}, err
	}
	f.setLaterTime()
	err = os.Rename(f.part.Name(), f.Filename)
	if err != nil {
		return Replaced{}, fileError(err, f.Filename)
	}
	f.files.written = append(f.files.written, f.Filename)
	info, err := lstat(f.Filename)
	if err == nil {
		replaced.Modified = info.ModTime().UTC()
	}
	return replaced, nil
}

// setLaterTime gives the part a later time than the file has that it replaces. Nothing else tells the two apart if they
// have the same content, and some disks keep only each second of a time, or every other one. A disk that refuses it
// keeps what it has.
func (f *File) setLaterTime() {
	const tick, ahead = 2 * time.Second, time.Minute
	old, err := lstat(f.Filename)
	if err != nil {
		return
	}
	part, err := lstat(f.part.Name())
	if err != nil {
		return
	}
	later := part.ModTime().Sub(old.ModTime().Truncate(tick))
	if -ahead < later && later < tick { // Beyond that, a clock was wrong, and the times differ anyway.
		_ = os.Chtimes(f.part.Name(), time.Time{}, old.ModTime().Add(tick))
	}
}

// refusesSync reports whether a file system does not do what it is asked for, rather than fail at it, as a full or broken disk does.
func refusesSync(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EINVAL)
}

// Discard removes what has not taken the target's place.
func (f *File) Discard() { _ = discard(f.part) }

// IsIn reports whether a file has the content. What is no regular file has none. The error is [fs.ErrNotExist] if nothing is
// there, and that of the context if it ends: a long file takes minutes to read.
func (c Content) IsIn(ctx context.Context, filename string) (bool, error) {
	info, err := lstat(filename)
	if err != nil {
		return false, fileError(err, filename)
	}
	if !info.Mode().IsRegular() || info.Size() != c.Size { // A pipe would be waited for.
		return false, nil
	}
	file, err := os.Open(filename)
	if isMissing(err) { // It has been removed since.
		err = missing("open", filename)
	}
	if err != nil {
		return false, fileError(err, filename)
	}
	defer file.Close()
	sum := sha256.New()
	_, err = io.CopyBuffer(sum, untilEnd{ctx, file}, make([]byte, blockSize))
	return err == nil && hex.EncodeToString(sum.Sum(nil)) == c.SHA256, fileError(err, filename)
}

// untilEnd reads until the context ends.
type untilEnd struct {
	ctx  context.Context
	from io.Reader
}

func (u untilEnd) Read(p []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, context.Cause(u.ctx)
	}
	return u.from.Read(p)
}

// SetPermission gives a file another permission, if it is there. Refused is why the file keeps the one that it has.
func SetPermission(filename string, permission fs.FileMode) (refused error) {
	return setPermission(filename, permission,
		func(permission fs.FileMode) error { return os.Chmod(filename, permission) },
		func() (fs.FileInfo, error) { return os.Stat(filename) })
}

func setPermission(filename string, permission fs.FileMode, chmod func(fs.FileMode) error, stat func() (fs.FileInfo, error)) (refused error) {
	err := chmod(permission)
	if err == nil || isMissing(err) {
		return nil
	}
	info, failed := stat()
	switch {
	case isMissing(failed):
		return nil
	case failed != nil:
		return fileError(failed, filename)
	case info.Mode().Perm() == permission:
		return nil
	}
	return fmt.Errorf("The file system refuses the permission %04o for %s, which has %04o: %w", permission, filename, info.Mode().Perm(), cmp.Or(systemError(err), err))
}

// fileError makes a sentence of an error of the file system, which names the file that a person has named. Another error stays.
func fileError(err error, target string) error {
	ofSystem := systemError(err)
	if ofSystem == nil {
		return err
	}
	return fmt.Errorf("The file system rejects %s: %w", target, ofSystem)
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

// Missing reports whether there is no file. What cannot be looked at may be there.
func Missing(filename string) bool {
	_, err := lstat(filename)
	return errors.Is(err, fs.ErrNotExist)
}

// lstat is os.Lstat. Where there is no file, its error is [fs.ErrNotExist], whatever the system says.
func lstat(filename string) (fs.FileInfo, error) {
	info, err := os.Lstat(filename)
	if isMissing(err) {
		return nil, missing("lstat", filename)
	}
	return info, err
}

func missing(operation, filename string) error {
	return &fs.PathError{Op: operation, Path: filename, Err: fs.ErrNotExist}
}

// isMissing reports whether an error says that there is no such file. There is none either where a folder on the way has become a file, or
// a link that leads to itself.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}

// existingFolder is the nearest folder of a file that is there. The error is why the folders below it cannot be created. Another
// download may create one at any time. So each is looked at once, and only what is no folder by its own name is looked at again.
func existingFolder(filename string) (string, error) {
	if err := checkFolders(filename); err != nil {
		return "", err
	}
	folder := folderOf(filename)
	for {
		name := strings.TrimRight(filepath.ToSlash(folder), "/")
		info, err := lstat(cmp.Or(name, folder)) // of a root, nothing is left
		if err == nil && !info.IsDir() {         // It may be a link, of which Windows has several kinds.
			info, err = os.Stat(folder)
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
func checkFolders(filename string) error {
	elements := strings.SplitAfter(filepath.ToSlash(folderOf(filename)), "/")
	for i, element := range elements {
		if element != "../" || i == 0 {
			continue
		}
		before := strings.Join(elements[:i], "")
		_, err := os.Stat(before)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("The path %s leads into the folder %s, which does not exist, and out of it: leave both out", filename, before)
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
