package conversion

import (
	"sync"
	"time"
)

// clock gives every moment only once. So the order of any two events, such as a request and a list, is known, also
// where the system's clock is coarse.
type clock struct {
	mu   sync.Mutex
	last time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if !now.After(c.last) {
		now = c.last.Add(1)
	}
	c.last = now
	return now
}
