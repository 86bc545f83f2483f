package provider

import (
	"crypto/md5"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

const (
	// blockSize is how much audio is held in memory for each of those who take it: the file
	// and two checksums.
	blockSize = 256 << 10
	// syncSize is how much of it the disk is given at a time.
	syncSize = 16 << 20
)

// audioFile is audio on its way into a file. It is written beside its target and takes the
// target's place when it is whole: whatever is killed, the target is whole, old or new, or
// not there.
type audioFile struct {
	target string
	part   *os.File
	content
}

// createAudioFile makes ready to write the target, its folder included. The caller must discard the file in the end.
func createAudioFile(target string) (*audioFile, error) {
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
			return &audioFile{target: target, part: part}, nil
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

// receive writes the audio, from the beginning: an attempt before may have broken off.
func (f *audioFile) receive(audio audioprojects.Audio) error {
	if _, err := f.part.Seek(0, io.SeekStart); err != nil {
		return namingTarget(err, f.target)
	}
	if err := f.part.Truncate(0); err != nil {
		return namingTarget(err, f.target)
	}
	// MD5 alone is slower than a fast network: the checksums are at work while the disk is.
	disk, sha, md := newSyncingFile(f.part), hashInBackground(sha256.New()), hashInBackground(md5.New())
	size, err := io.CopyBuffer(io.MultiWriter(sha, md, disk), audio, make([]byte, blockSize))
	f.content = content{string(audio.ContentType), size, sha.sum(), md.sum()}
	return namingTarget(errors.Join(err, disk.finish()), f.target)
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

// backgroundHash is a checksum computed in a goroutine of its own.
type backgroundHash struct {
	*io.PipeWriter
	result chan []byte
}

func hashInBackground(hash hash.Hash) backgroundHash {
	reader, writer := io.Pipe()
	background := backgroundHash{writer, make(chan []byte, 1)}
	go func() {
		// Neither a pipe that is closed in order nor a hash ever fails.
		_, _ = io.CopyBuffer(hash, reader, make([]byte, blockSize))
		background.result <- hash.Sum(nil)
	}()
	return background
}

// sum ends the hash.
func (h backgroundHash) sum() []byte {
	h.Close()
	return <-h.result
}

// settle makes sure that the audio is on the disk, and returns the time of its last change.
func (f *audioFile) settle() (modified time.Time, err error) {
	if err := f.part.Sync(); err != nil {
		return time.Time{}, namingTarget(err, f.target)
	}
	info, err := f.part.Stat()
	if err != nil {
		return time.Time{}, namingTarget(err, f.target)
	}
	return info.ModTime(), nil
}

// replace puts the file in the place of its target.
func (f *audioFile) replace() error {
	return namingTarget(replaceByPart(f.part, f.target), f.target)
}

// discard removes what has not taken the target's place.
func (f *audioFile) discard() {
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
