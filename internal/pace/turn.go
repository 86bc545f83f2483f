package pace

import (
	"context"
	"slices"
	"sync"
)

// Turn lets one request after the other prepare to be sent. One that was refused takes its turn before all others. It is safe for
// concurrent use; the zero Turn is free.
type Turn struct {
	mu      sync.Mutex
	taken   bool
	waiting []chan struct{} // of those that wait; the first is the next
}

// Take waits for the turn, at the head of the line if first. The caller must call Pass. The error is the context's.
func (t *Turn) Take(ctx context.Context, first bool) error {
	t.mu.Lock()
	if !t.taken {
		t.taken = true
		t.mu.Unlock()
		return nil
	}
	given, at := make(chan struct{}), len(t.waiting)
	if first {
		at = 0
	}
	t.waiting = slices.Insert(t.waiting, at, given)
	t.mu.Unlock()
	select {
	case <-given:
		return nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	at = slices.Index(t.waiting, given)
	if at < 0 { // It was given at the same moment.
		t.pass()
		return ctx.Err()
	}
	t.waiting = slices.Delete(t.waiting, at, at+1)
	return ctx.Err()
}

// Pass gives the turn to the next in the line.
func (t *Turn) Pass() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pass()
}

func (t *Turn) pass() {
	if len(t.waiting) == 0 {
		t.taken = false
		return
	}
	close(t.waiting[0])
	t.waiting = t.waiting[1:]
}

// IsTaken reports whether a request prepares to be sent.
func (t *Turn) IsTaken() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.taken
}
