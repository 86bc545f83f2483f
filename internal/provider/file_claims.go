package provider

import (
	"path/filepath"
	"sync"
)

// fileClaims are the files that the blocks of a configuration write, so that none takes
// another's away.
type fileClaims struct {
	mu      sync.Mutex
	sources map[string]string // by path: what is to be in the file
	written map[string]bool   // by path
}

func newFileClaims() *fileClaims {
	return &fileClaims{sources: map[string]string{}, written: map[string]bool{}}
}

// claim notes what a file is to hold. It returns what another block wants it to hold, if any
// does; Terraform plans one block more than once.
func (c *fileClaims) claim(filename, source string) (rival string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	path := absolute(filename)
	if other, claimed := c.sources[path]; claimed && other != source {
		return other
	}
	c.sources[path] = source
	return ""
}

// write puts a file in its place.
func (c *fileClaims) write(filename string, replace func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := replace(); err != nil {
		return err
	}
	c.written[absolute(filename)] = true
	return nil
}

// remove removes a file that an object of the past has written, unless a block of the
// configuration has written it since.
func (c *fileClaims) remove(filename string, remove func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.written[absolute(filename)] {
		remove()
	}
}

// absolute is the path of a file however it is spelled, so that two names of one file are equal.
func absolute(filename string) string {
	path, err := filepath.Abs(filename)
	if err != nil {
		return filename // Without a working directory, two names tell what they tell.
	}
	return path
}
