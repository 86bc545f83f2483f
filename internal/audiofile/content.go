package audiofile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"
)

// Content is what is known of the bytes in a file. The checksums are hexadecimal digits.
type Content struct {
	Size   int64  `json:"size,omitempty"` // in bytes
	SHA256 string `json:"sha256,omitempty"`
	MD5    string `json:"-"`
}

// Copy is what a resource has left in a file.
type Copy struct {
	Filename string `json:"filename,omitempty"`
	Content
	// Modified is the time of the file's last change that altered nothing of the content.
	Modified time.Time `json:"modified"`
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

// Inspect reports whether a file still has the content, and when the file was changed last. It does not read a file that has
// the size, and the time, that it was left with: files may be large. Only Size and SHA256 of the content count. The error is
// that of the file system, when it does not let the file be examined.
func (c Copy) Inspect() (found State, modified time.Time, err error) {
	info, err := os.Lstat(c.Filename)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Missing, c.Modified, nil
	case err != nil:
		return Missing, c.Modified, fileError(err, c.Filename)
	case !info.Mode().IsRegular(), info.Size() != c.Size:
		return Altered, c.Modified, nil
	case info.ModTime().Equal(c.Modified):
		return Intact, c.Modified, nil
	}
	file, err := openRegular(c.Filename)
	if err != nil {
		return Altered, c.Modified, fileError(err, c.Filename)
	}
	defer file.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	if err != nil {
		return Altered, c.Modified, fileError(err, c.Filename)
	}
	if hex.EncodeToString(sum.Sum(nil)) != c.SHA256 {
		return Altered, c.Modified, nil
	}
	return Intact, info.ModTime(), nil
}

// intact reports whether the file still holds the copy.
func (c Copy) intact() bool {
	found, _, err := c.Inspect()
	return err == nil && found == Intact
}
