package audioprojects

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// longestWait is the longest pause that a request without a deadline waits for. If it is longer, the request fails, and the
	// caller sees why.
	longestWait = time.Minute
	// firstPause is the pause after a 429 that names none, and longestPause the longest of those that follow it. The document
	// gives no limits (section 8).
	firstPause, longestPause = time.Second, 30 * time.Second
)

// pause is the time after a 429 in which a client sends nothing: as long as Retry-After says, else twice as long as before.
type pause struct {
	turn   chan struct{} // taken by the request that is sent next, until it is not refused
	mu     sync.Mutex
	until  time.Time
	begun  time.Time
	latest time.Duration // of a pause whose length the service did not say, since the latest request that it accepted
}

// begin begins a pause, or makes it longer, after a 429 to a request that was sent at the given time. Several requests that were
// under way together are one reason for a longer one.
func (p *pause) begin(sent time.Time, asked time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if asked == 0 {
		if !sent.After(p.begun) {
			return
		}
		p.latest = min(longestPause, max(firstPause, 2*p.latest))
		asked = p.latest
	}
	p.begun = now
	if now.Add(asked).After(p.until) {
		p.until = now.Add(asked)
	}
}

// accepted: the service has accepted a request, so that the next pause is a short one.
func (p *pause) accepted() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.latest = 0
}

// left is how long the pause still is; 0 or less if there is none.
func (p *pause) left() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Until(p.until)
}

// wait returns when a request may be sent. It fails at once if the pause is too long for the request. Requests that have waited are sent
// one after the other, and one that is refused goes first after the next pause: if all were sent at once, most would be refused again,
// and soon have no attempt left.
func (p *pause) wait(ctx context.Context) error {
	sending := sendingOf(ctx)
	for ctx.Err() == nil {
		left := p.left()
		switch {
		case !fits(ctx, left):
			return pauseError(left)
		case left <= 0:
			return nil
		case !sending.hasTurn:
			select {
			case p.turn <- struct{}{}:
				sending.hasTurn = true
			case <-ctx.Done():
			}
		default:
			select {
			case <-time.After(left):
			case <-ctx.Done():
			}
		}
	}
	return context.Cause(ctx)
}

// pass gives the turn of a request, if it has it, to the next one.
func (p *pause) pass(ctx context.Context) {
	sending := sendingOf(ctx)
	if sending.hasTurn {
		sending.hasTurn = false
		<-p.turn
	}
}

// fits reports whether a pause ends before the deadline of a request. If not, the request fails now: an error that names the
// pause helps more than one that names the deadline.
func fits(ctx context.Context, pause time.Duration) bool {
	deadline, isLimited := ctx.Deadline()
	if !isLimited {
		return pause <= longestWait
	}
	return pause <= 0 || time.Now().Add(pause).Before(deadline)
}

func pauseError(left time.Duration) error {
	return &Error{Kind: RateLimited, RetryAfter: left, Err: fmt.Errorf("the service accepts no requests for another %s", left.Round(time.Second))}
}
