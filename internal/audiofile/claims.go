package audiofile

import (
	"io/fs"
	"os"
	"slices"
	"sync"
)

// Claims are the files that the resources of one configuration write, as far as one process knows of them. They keep one
// resource from taking away another's file, or a stranger's.
type Claims struct {
	mu    sync.Mutex
	files map[string]*entry // by place
}

// entry is what is known of a file.
type entry struct {
	claim     *Claim
	left      *Copy // what one resource has left to another that writes the file: in it, or in a file of another name
	abandoned bool
	written   fs.FileInfo // what a resource has written; nil if none has
}

// Claim is what a resource wants with a file.
type Claim struct {
	Source    string // of what is to be in the file
	New       bool   // nothing in the state has written it
	Overwrite bool   // the resource may replace a file that it has not written
}

// NewClaims returns claims on no file.
func NewClaims() *Claims { return &Claims{files: map[string]*entry{}} }

// of is what is known of a file, until it is unlocked.
func (c *Claims) of(filename string) (file *entry, unlock func()) {
	at := place(filename)
	c.mu.Lock()
	if c.files[at] == nil {
		c.files[at] = &entry{}
	}
	return c.files[at], c.mu.Unlock
}

// Claim notes that a resource writes a file. If another one does, it returns what that wants.
func (c *Claims) Claim(filename string, claim Claim) (rival Claim, claimed bool) {
	file, unlock := c.of(filename)
	defer unlock()
	if file.claim != nil {
		return *file.claim, true
	}
	file.claim = &claim
	return Claim{}, false
}

// Abandon notes that a resource is to leave its file, which is removed then. If a resource writes the same file, it returns what
// that wants.
func (c *Claims) Abandon(left Copy) (heir Claim, claimed bool) {
	file, unlock := c.of(left.Filename)
	defer unlock()
	if file.claim != nil {
		return *file.claim, true
	}
	file.abandoned = true
	return Claim{}, false
}

// Abandoned reports whether a resource that is to leave the file takes it away, or has done so.
func (c *Claims) Abandoned(filename string) bool {
	file, unlock := c.of(filename)
	defer unlock()
	return file.abandoned
}

// Own notes what a resource has left in its file: whoever comes after the resource may replace that.
func (c *Claims) Own(left Copy) { c.Bequeath(left.Filename, left) }

// Bequeath notes what one resource has left to another that writes a file, which may be another file.
func (c *Claims) Bequeath(filename string, left Copy) {
	file, unlock := c.of(filename)
	defer unlock()
	file.left = &left
}

// Left returns what has been left to the resource that writes a file, and whether it is still there.
func (c *Claims) Left(filename string) (left Copy, intact bool) {
	file, unlock := c.of(filename)
	defer unlock()
	if file.left == nil {
		return Copy{}, false
	}
	return *file.left, file.left.intact()
}

// Written reports whether a resource has written the file.
func (c *Claims) Written(filename string) bool {
	file, unlock := c.of(filename)
	defer unlock()
	return file.written != nil
}

// Disown takes back what Own has noted.
func (c *Claims) Disown(filename string) {
	file, unlock := c.of(filename)
	defer unlock()
	file.left = nil
}

// Occupied reports whether there is a file that was not written by a resource known to have left it to this one. A file that
// holds what such a resource wrote is not a stranger's.
func (c *Claims) Occupied(filename string, ours ...Copy) bool {
	info, err := os.Lstat(filename)
	if err != nil || !info.Mode().IsRegular() {
		return false // What cannot be looked at, or is no file, fails in a way of its own.
	}
	file, unlock := c.of(filename)
	defer unlock()
	if file.left != nil {
		ours = append(ours, *file.left)
	}
	return !slices.ContainsFunc(ours, func(left Copy) bool {
		return place(left.Filename) == place(filename) && left.intact()
	})
}

// Same reports whether two names lead to the same file.
func Same(one, other string) bool { return place(one) == place(other) }

// Remove removes a file that still has the content it was left with. It
// returns what had become of the content: an Altered file stays. A file that a resource claims, or has written,
// stays as well, and the content counts as Missing.
func (c *Claims) Remove(left Copy) (State, error) {
	file, unlock := c.of(left.Filename)
	defer unlock()
	if file.claim != nil || file.written != nil || c.wrote(left.Filename) {
		return Missing, nil
	}
	found, _, err := left.Inspect()
	if err == nil && found == Intact {
		err = fileError(os.Remove(left.Filename), left.Filename)
		file.abandoned = err == nil
	}
	return found, err
}

// wrote reports whether a resource has written what is in the file, under whatever name: two names may lead to one file in
// ways that no path tells. The claims must be locked.
func (c *Claims) wrote(filename string) bool {
	info, err := os.Lstat(filename)
	if err != nil {
		return false
	}
	for _, file := range c.files {
		if file.written != nil && os.SameFile(file.written, info) {
			return true
		}
	}
	return false
}
