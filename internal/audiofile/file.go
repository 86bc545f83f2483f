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
	files  *Files
	part   OpenFile // nil if there is none
	begun  bool     // whether the part may have audio of an attempt before
	folder string   // the nearest one that was there before
}

// Check is why [Files.Create] would fail, as far as that shows while folders may be missing. It leaves nothing behind. It is
// [ErrForeignFile] for a file that may not be replaced, that of a context that has ended, and otherwise names the target.
func (f *Files) Check(ctx context.Context, t Target) error {
	folder, err := f.checkReplaceable(ctx, t)
	if err != nil {
		return err
	}
	// What a folder permits depends on users, lists of access, mounts and quotas. Only trying it out tells.
	probe, err := f.createPart(folder)
	if err != nil {
		return fileError(err, t.Filename)
	}
	return f.discard(probe, t.Filename)
}

// createPart creates a file that only its owner may open, under a name that nobody can guess.
func (f *Files) createPart(folder string) (OpenFile, error) {
	return f.disk().CreateTemp(folder, ".audioprojects-*")
}

// discard removes a part, of which nobody needs the content. The error names it, because it stays.
func (f *Files) discard(part OpenFile, target string) error {
	_ = part.Close() // It is closed all the same.
	err := f.disk().Remove(part.Name())
	if err == nil || isMissing(err) {
		return nil
	}
	return fmt.Errorf("The file system refuses to remove %s, which the provider has created beside %s: %w", part.Name(), target, cmp.Or(systemError(err), err))
}

// checkReplaceable refuses a target that leads nowhere, or in whose place is something that the audio may not replace. It
// returns the nearest folder that is there.
func (f *Files) checkReplaceable(ctx context.Context, t Target) (folder string, err error) {
	folder, err = f.existingFolder(t.Filename)
	if err == nil {
		err = f.checkNames(folder, t.Filename)
	}
	if err != nil {
		return "", err
	}
	info, err := f.lstat(t.Filename)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return folder, nil
	case err != nil:
		return "", fileError(err, t.Filename)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("The file would replace %s, which is not a regular file but a folder, a device or a link "+
			"(for a link, name the file that it leads to)", t.Filename)
	case !t.Overwrite:
		if err := f.checkWritten(ctx, t); err != nil {
			return "", err
		}
	}
	if !replaceable(f.disk(), t.Filename) {
		return "", fmt.Errorf("The file system does not let this user replace %s: somebody else has the file in a folder with the sticky bit, "+
			"or the file is immutable", t.Filename)
	}
	return folder, nil
}

// checkWritten refuses a file that the caller has not written.
func (f *Files) checkWritten(ctx context.Context, t Target) error {
	if t.Written == (Content{}) {
		return ErrForeignFile
	}
	is, err := f.Has(ctx, t.Filename, t.Written)
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
		err := f.Discard()
		if err == nil {
			f.part, err = f.files.createPart(folderOf(f.Filename))
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
	PermissionRefused error     // as [Files.SetPermission] has it
	SyncRefused       error     // why the audio or its name may not be on the disk yet
}

// Replace brings the audio to the disk and puts it in the place of the target. The error is that of [Files.Check], and the
// target is then as it was. Until then, only the owner may open the part, or whoever a disk lets that refuses permissions.
func (f *File) Replace(ctx context.Context) (replaced Replaced, err error) {
	unsynced := f.part.Sync()
	if isUnable(unsynced) {
		replaced.SyncRefused = fmt.Errorf("The file system refuses to sync %s to its disk: %w", f.Filename, systemError(unsynced))
		unsynced = nil
	}
	replaced.PermissionRefused, err = setPermission(f.Filename, f.Permission, f.part.Chmod, f.part.Stat)
	err = errors.Join(unsynced, err, f.part.Close()) // Windows renames no file that is open.
	if err != nil {
		return Replaced{}, fileError(err, f.Filename)
	}
	f.files.mu.Lock()
	defer f.files.mu.Unlock()
	_, err = f.files.checkReplaceable(ctx, f.Target) // Somebody may have written the target while the audio arrived.
	if err != nil {
		return Replaced{}, err
	}
	f.setLaterTime()
	err = f.files.disk().Rename(f.part.Name(), f.Filename)
	if err != nil {
		return Replaced{}, fileError(err, f.Filename)
	}
	f.part = nil
	f.files.written = append(f.files.written, f.Filename)
	if replaced.SyncRefused == nil {
		replaced.SyncRefused = f.files.syncFolders(f.Filename, f.folder)
	}
	info, err := f.files.lstat(f.Filename)
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
	old, err := f.files.lstat(f.Filename)
	if err != nil {
		return
	}
	part, err := f.files.lstat(f.part.Name())
	if err != nil {
		return
	}
	later := part.ModTime().Sub(old.ModTime().Truncate(tick))
	if -ahead < later && later < tick { // Beyond that, a clock was wrong, and the times differ anyway.
		_ = f.files.disk().Chtimes(f.part.Name(), time.Time{}, old.ModTime().Add(tick))
	}
}

// isUnable reports whether a file system does not do what it is asked for, rather than fail at it, as a full or broken disk
// does.
func isUnable(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EINVAL)
}

// Discard removes what has not taken the target's place. The error names what stays beside it.
func (f *File) Discard() error {
	part := f.part
	if part == nil {
		return nil
	}
	f.part = nil
	return f.files.discard(part, f.Filename)
}

// Has reports whether a file has the content. What is no regular file has none. The error is [fs.ErrNotExist] if nothing is
// there, and that of the context if it ends: a long file takes minutes to read.
func (f *Files) Has(ctx context.Context, filename string, c Content) (bool, error) {
	info, err := f.lstat(filename)
	if err != nil {
		return false, fileError(err, filename)
	}
	if !info.Mode().IsRegular() || info.Size() != c.Size { // A pipe would be waited for.
		return false, nil
	}
	file, err := f.disk().Open(filename)
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

// SetPermission gives a file another permission, if it is there. Refused is why a file system without permissions keeps the
// one that the file has. The error is that of one that may set it another time.
func (f *Files) SetPermission(filename string, permission fs.FileMode) (refused, err error) {
	return setPermission(filename, permission,
		func(permission fs.FileMode) error { return f.disk().Chmod(filename, permission) },
		func() (fs.FileInfo, error) { return f.disk().Stat(filename) })
}

func setPermission(
	filename string, permission fs.FileMode, chmod func(fs.FileMode) error, stat func() (fs.FileInfo, error),
) (refused, err error) {
	err = chmod(permission)
	if err == nil || isMissing(err) {
		return nil, nil
	}
	info, failed := stat()
	switch {
	case isMissing(failed), failed == nil && info.Mode().Perm() == permission:
		return nil, nil
	case !isUnable(err):
		return nil, fileError(err, filename)
	case failed != nil:
		return fileError(failed, filename), nil
	}
	return fmt.Errorf("The file system refuses the permission %04o for %s, which has %04o: %w",
		permission, filename, info.Mode().Perm(), cmp.Or(systemError(err), err)), nil
}

// fileError makes a sentence of an error of the file system, which names the file that a person has named. Another error stays.
func fileError(err error, target string) error {
	ofSystem := systemError(err)
	if ofSystem == nil {
		return err
	}
	return fmt.Errorf("The file system rejects %s: %w", target, ofSystem)
}

// Missing reports whether there is no file. What cannot be looked at may be there.
func (f *Files) Missing(filename string) bool {
	_, err := f.lstat(filename)
	return errors.Is(err, fs.ErrNotExist)
}

// lstat is that of the disk. Where there is no file, its error is [fs.ErrNotExist], whatever the system says.
func (f *Files) lstat(filename string) (fs.FileInfo, error) {
	info, err := f.disk().Lstat(filename)
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
