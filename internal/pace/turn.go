package pace

import (
	"context"
	"slices"
	"sync"
)

// Turns let one request after the other prepare to be sent, where the rate is limited. One that was refused comes before all others. They
// are safe for concurrent use; the zero Turns are free.
type Turns struct {
	mu      sync.Mutex
	taken   bool
	waiting []chan struct{} // of those that wait; the first is the next
}

// Turn is that of one request. It is safe for concurrent use. No turn at all is one that has passed.
type Turn struct {
	turns  *Turns
	passed bool // guarded by of.mu
}

// Take waits for a turn, at the head of the line if first. The error is the context's.
func (t *Turns) Take(ctx context.Context, first bool) (*Turn, error) {
	t.mu.Lock()
	if !t.taken {
		defer t.mu.Unlock()
		t.taken = true
		return &Turn{turns: t}, nil
	}
	given, at := make(chan struct{}), len(t.waiting)
	if first {
		at = 0
	}
	t.waiting = slices.Insert(t.waiting, at, given)
	t.mu.Unlock()
	select {
	case <-given:
		return &Turn{turns: t}, nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	at = slices.Index(t.waiting, given)
	if at < 0 { // It was given at the same moment.
		t.next()
		return nil, ctx.Err()
	}
	t.waiting = slices.Delete(t.waiting, at, at+1)
	return nil, ctx.Err()
}

// AreTaken reports whether a request prepares to be sent.
func (t *Turns) AreTaken() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.taken
}

// next gives the turn to the next in the line.
func (t *Turns) next() {
	if len(t.waiting) == 0 {
		t.taken = false
		return
	}
	close(t.waiting[0])
	t.waiting = t.waiting[1:]
}

// Pass lets the next request take its turn. A turn that has passed stays so.
func (t *Turn) Pass() {
	if t == nil {
		return
	}
	t.turns.mu.Lock()
	defer t.turns.mu.Unlock()
	if !t.passed {
		t.passed = true
		t.turns.next()
	}
}

// IsHeld reports whether the turn has not passed.
func (t *Turn) IsHeld() bool {
	if t == nil {
		return false
	}
	t.turns.mu.Lock()
	defer t.turns.mu.Unlock()
	return !t.passed
}
