package audiofile

import (
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Claims are the files that the blocks of one configuration write. They keep one block from taking away another's file.
type Claims struct {
	mu      sync.Mutex
	sources map[string]string // by path: what is to be in the file
	written map[string]bool   // by path
}

// NewClaims returns claims on no file.
func NewClaims() *Claims {
	return &Claims{sources: map[string]string{}, written: map[string]bool{}}
}

// Claim notes what a file is to hold. It returns what another block wants the file to hold,
// and an empty text if none does. A block may claim its file more than once.
func (c *Claims) Claim(filename, source string) (rival string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	path := absolute(filename)
	if other, claimed := c.sources[path]; claimed && other != source {
		return other
	}
	c.sources[path] = source
	return ""
}

// replace puts a file in its place, and remembers that a block has written it.
func (c *Claims) replace(filename string, replace func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := replace(); err != nil {
		return err
	}
	c.written[absolute(filename)] = true
	return nil
}

// Remove removes a file that still has the content it was left with at the given time. It
// returns what had become of the content: an Altered file stays. A file that has been written
// through these claims stays as well, and the content counts as Missing.
func (c *Claims) Remove(filename string, content Content, left time.Time) (State, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.written[absolute(filename)] {
		return Missing, nil
	}
	found, _, err := content.Inspect(filename, left)
	if err == nil && found == Intact {
		err = os.Remove(filename)
	}
	return found, err
}

// SameName tells whether two names lead to the same file, as far as the names alone tell.
func SameName(one, other string) bool { return absolute(one) == absolute(other) }

// absolute is the path of a file however it is spelled.
func absolute(filename string) string {
	path, err := filepath.Abs(filename)
	if err != nil {
		return filename // Without a working directory only the names can be compared.
	}
	return path
}
