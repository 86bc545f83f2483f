package audiofile

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// Content is what is known of the bytes in a file.
type Content struct {
	Size   int64 // in bytes
	SHA256 []byte
	MD5    []byte
}

// State is what has become of a file's content.
type State int

const (
	// Intact content is in the file.
	Intact State = iota
	// Missing content has no file any more.
	Missing
	// Altered content has given way to another, or its file to something that is no regular file.
	Altered
)

// Inspect tells whether a file still has the content, and when the file was changed last. It does not read a file that has
// the size, and the time, that it was left with: files may be large. Only Size and SHA256 of the content count. The error is
// that of the file system, when it does not let the file be examined.
func (c Content) Inspect(filename string, left time.Time) (found State, modified time.Time, err error) {
	info, err := os.Lstat(filename)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Missing, left, nil
	case err != nil:
		return Missing, left, told(err, filename)
	case !info.Mode().IsRegular(), info.Size() != c.Size:
		return Altered, left, nil
	case info.ModTime().Equal(left):
		return Intact, left, nil
	}
	file, err := openRegular(filename)
	if err != nil {
		return Altered, left, told(err, filename)
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return Altered, left, told(err, filename)
	}
	if !bytes.Equal(sum.Sum(nil), c.SHA256) {
		return Altered, left, nil
	}
	return Intact, info.ModTime(), nil
}
