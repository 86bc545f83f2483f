package audiofile

import (
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// Claims are the files that the blocks of one configuration write, as far as one process knows of them. They keep one
// block from taking away another's file, or a stranger's.
type Claims struct {
	mu        sync.Mutex
	spellings map[string][]string // places that differ in case alone, by their lower case
	claims    map[string]Claim    // by place, as all below
	abandoned map[string]bool
	owned     map[string]Copy
	written   map[string]bool
}

// Claim is what a block wants with a file.
type Claim struct {
	// Source is what is to be in the file.
	Source string
	// New tells that the block has no object yet.
	New bool
	// Overwrite tells that the block may replace a file that it has not written.
	Overwrite bool
}

// Copy is what an object has left in a file.
type Copy struct {
	Filename string
	Content  Content
	// Left is the time of the file's last change that altered nothing of the content.
	Left time.Time
}

// NewClaims returns claims on no file.
func NewClaims() *Claims {
	return &Claims{
		spellings: map[string][]string{}, claims: map[string]Claim{}, abandoned: map[string]bool{},
		owned: map[string]Copy{}, written: map[string]bool{},
	}
}

// Claim notes that a block writes a file. If another one does, it returns what that wants.
func (c *Claims) Claim(filename string, claim Claim) (rival Claim, claimed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.place(filename)
	if rival, claimed = c.claims[at]; !claimed {
		c.claims[at] = claim
	}
	return rival, claimed
}

// Abandon notes that an object is to be destroyed, and its file with it. If a block writes the same file, it returns what
// that wants.
func (c *Claims) Abandon(left Copy) (heir Claim, claimed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.place(left.Filename)
	if heir, claimed = c.claims[at]; !claimed {
		c.abandoned[at] = true
	}
	return heir, claimed
}

// Abandoned tells whether an object that is to be destroyed takes the file with it, or has done so.
func (c *Claims) Abandoned(filename string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.abandoned[c.place(filename)]
}

// Own notes what an object has left in its file: whoever comes after the object may replace that.
func (c *Claims) Own(left Copy) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.owned[c.place(left.Filename)] = left
}

// Left returns what Own has noted of a file that still holds it.
func (c *Claims) Left(filename string) (left Copy, intact bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	left, known := c.owned[c.place(filename)]
	if !known {
		return Copy{}, false
	}
	found, _, err := left.Content.Inspect(filename, left.Left)
	return left, err == nil && found == Intact
}

// Disown takes back what Own has noted.
func (c *Claims) Disown(filename string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.owned, c.place(filename))
}

// Occupied tells whether there is a file that no object has written which is known to have left it to the block. One that
// holds what such an object wrote is not a stranger's.
func (c *Claims) Occupied(filename string, ours ...Copy) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.occupied(filename, ours...)
}

func (c *Claims) occupied(filename string, ours ...Copy) bool {
	info, err := os.Lstat(filename)
	if err != nil || !info.Mode().IsRegular() {
		return false // What cannot be looked at, or is no file, fails in a way of its own.
	}
	at := c.place(filename)
	if left, known := c.owned[at]; known {
		ours = append(ours, left)
	}
	return !slices.ContainsFunc(ours, func(left Copy) bool {
		if c.place(left.Filename) != at {
			return false
		}
		found, _, err := left.Content.Inspect(filename, left.Left)
		return err == nil && found == Intact
	})
}

// Same tells whether two names lead to the same file.
func (c *Claims) Same(one, other string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.place(one) == c.place(other)
}

// Remove removes a file that still has the content it was left with. It
// returns what had become of the content: an Altered file stays. A file that a block claims, or has written,
// stays as well, and the content counts as Missing.
func (c *Claims) Remove(left Copy) (State, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.place(left.Filename)
	if _, claimed := c.claims[at]; claimed || c.written[at] {
		return Missing, nil
	}
	found, _, err := left.Content.Inspect(left.Filename, left.Left)
	if err == nil && found == Intact {
		err = os.Remove(left.Filename)
		c.abandoned[at] = err == nil
	}
	return found, err
}

// place is where a file is, in the spelling that has been met first.
func (c *Claims) place(filename string) string {
	at := place(filename)
	lower := strings.ToLower(at)
	for _, known := range c.spellings[lower] {
		if known == at || sameButCase(known, at, os.Lstat) {
			return known
		}
	}
	c.spellings[lower] = append(c.spellings[lower], at)
	return at
}
