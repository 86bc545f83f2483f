package provider

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// content is what is known of the audio in a file.
type content struct {
	mediaType   string // as the service gave it
	size        int64  // in bytes
	sha256, md5 []byte
}

// fileState is what has become of a file.
type fileState int

const (
	intact fileState = iota
	missing
	altered
)

// inspect tells whether a file still has the content, and when it was changed last. A file
// of the size and time that it was left with is not read: it may be big.
func (c content) inspect(target string, left time.Time) (found fileState, modified time.Time, err error) {
	info, err := os.Lstat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return missing, left, nil
	case err != nil:
		return missing, left, err
	case !info.Mode().IsRegular(), info.Size() != c.size:
		return altered, left, nil
	case info.ModTime().Equal(left):
		return intact, left, nil
	}
	file, err := os.Open(target)
	if err != nil {
		return altered, left, err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return altered, left, err
	}
	if !bytes.Equal(sum.Sum(nil), c.sha256) {
		return altered, left, nil
	}
	return intact, info.ModTime(), nil
}
