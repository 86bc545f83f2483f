package pace

import (
	"context"
	"sync"
	"time"
)

const (
	// promptAnswer is how soon a service answers a request, unless it does so only at the end of the conversion.
	promptAnswer = time.Second
	// minEndsBeforeTry and maxEndsBeforeTry are after how many ends one conversion more than the known number is tried: first, and at the most. The number
	// doubles with each try that is refused.
	minEndsBeforeTry, maxEndsBeforeTry = 4, 32
	// shortestWait and longestWait bound the wait after a refusal while none of ours runs, so that no end can be waited for. It doubles.
	shortestWait, longestWait = time.Second, 16 * time.Second
)

// Concurrency limits how many conversions a process has under way at a time. It is open until the service refuses one because of the number
// of those that run. Then as many as ran are enough: the next waits for an end, and one more is tried after some ends, because others use
// the service, too. It is safe for concurrent use.
//
// No more requests are without an answer than were accepted before, and one, while the service answers promptly. So a long queue learns the
// number from few refusals.
type Concurrency struct {
	mu         sync.Mutex
	changed    chan struct{} // closed at each change, and then replaced
	running    int           // conversions that the service has accepted, or that were joined, and that have no known end
	unanswered int           // places of requests that have no answer yet, sent or about to be sent
	sent       int           // of these
	quietSince time.Time     // when the first of them was sent, or the latest answer came
	givenAt    time.Time     // when the latest place was given
	accepted   int           // requests, since the beginning

	known            int           // the known number; 0: none is known
	refusal          error         // the latest that has shown it
	endsSinceRefusal int           // since the latest refusal
	endsBeforeTry    int           // how many there must be before one more is tried
	notBefore        time.Time     // when the next may be sent while none of ours runs
	wait             time.Duration // the latest of those waits
}

// NewConcurrency returns a limit that is open.
func NewConcurrency() *Concurrency {
	return &Concurrency{changed: make(chan struct{}), endsBeforeTry: minEndsBeforeTry}
}

// placeState is how far the holder of a [Place] is.
type placeState int

const (
	placeReserved placeState = iota // to a request that is not sent yet
	placeSent                       // the request is sent
	placeRunning                    // the conversion may run
	placeReleased                   // it is given back
)

// Place is the right to have one conversion under way. It belongs to one goroutine.
type Place struct {
	limit *Concurrency
	state placeState
}

// Enter waits until a conversion may be requested, and returns a place for it. If it must wait, it calls onWait with the refusal that is
// the reason; nil if it waits for the answers to other requests. It calls it once more if there is a refusal only later. The error is the
// context's.
func (c *Concurrency) Enter(ctx context.Context, onWait func(refusal error)) (*Place, error) {
	var told error
	for waited := false; ctx.Err() == nil; waited = true {
		c.mu.Lock()
		changed, refusal, isFree, until := c.changed, c.refusal, c.isFree(), max(promptAnswer, time.Until(c.notBefore))
		if isFree {
			c.unanswered, c.givenAt = c.unanswered+1, time.Now()
		}
		c.mu.Unlock()
		if isFree {
			return &Place{limit: c}, nil
		}
		hasReason := told == nil && refusal != nil
		if !waited || hasReason {
			told = refusal
			onWait(refusal)
		}
		timer := time.NewTimer(until)
		select {
		case <-changed:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
	return nil, ctx.Err()
}

// Join returns a place for a conversion that runs without a request of this process.
func (c *Concurrency) Join() *Place {
	c.change(func() { c.running++ })
	return &Place{limit: c, state: placeRunning}
}

// Running is how many conversions of this process are under way, as far as is known.
func (c *Concurrency) Running() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running
}

// IsLimited reports whether the service has refused one conversion more than runs, so that the next waits for an end.
func (c *Concurrency) IsLimited() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known > 0
}

// isFree reports whether another request may be sent now.
func (c *Concurrency) isFree() bool {
	underWay := c.running + c.unanswered
	isSlow := c.sent > 0 && time.Since(c.quietSince) >= promptAnswer
	isIdle := c.unanswered > c.sent && time.Since(c.givenAt) >= promptAnswer // Who has a place waits for a list.
	isLearning := c.unanswered > c.accepted && !isSlow && !isIdle
	isPaused := c.running == 0 && time.Now().Before(c.notBefore)
	switch {
	case isLearning, isPaused:
		return false
	case underWay == 0:
		return true
	case c.known == 0 || underWay < c.known:
		return true
	default:
		return c.endsSinceRefusal >= c.endsBeforeTry && underWay == c.known
	}
}

// Sent notes that the request is sent now.
func (p *Place) Sent() {
	c := p.limit
	c.change(func() {
		p.state = placeSent
		c.sent++
		if c.sent == 1 {
			c.quietSince = time.Now()
		}
	})
}

// Accepted notes that the service has accepted the request, or may have. The place stays taken until it is left.
func (p *Place) Accepted() {
	c := p.limit
	c.change(func() {
		p.answered()
		p.state = placeRunning
		c.running, c.accepted, c.wait = c.running+1, c.accepted+1, 0
		if c.known > 0 && c.running > c.known {
			c.known, c.endsBeforeTry = c.running, minEndsBeforeTry
		}
	})
}

// Refused notes that the service has refused the request because of the number of conversions, and gives the place back.
func (p *Place) Refused(refusal error) {
	c := p.limit
	c.change(func() {
		p.answered()
		c.refusal, c.endsSinceRefusal = refusal, 0
		if c.running == 0 { // Others use all of what the service runs.
			c.wait = min(max(2*c.wait, shortestWait), longestWait)
			c.notBefore = time.Now().Add(c.wait)
			return
		}
		if c.known > 0 && c.running >= c.known { // The one more that was tried.
			c.endsBeforeTry = min(2*c.endsBeforeTry, maxEndsBeforeTry)
		}
		c.known = c.running
	})
}

// answered notes that a request that was sent has its answer.
func (p *Place) answered() {
	c := p.limit
	c.unanswered, c.sent, c.quietSince, p.state = c.unanswered-1, c.sent-1, time.Now(), placeReleased
}

// Leave gives the place back: the conversion has ended, or is not waited for any more; the request was not sent, or refused for another
// reason. A place that is given back, and no place at all, stay so.
func (p *Place) Leave() {
	if p == nil || p.state == placeReleased {
		return
	}
	c := p.limit
	c.change(func() {
		switch p.state {
		case placeReserved:
			c.unanswered--
		case placeSent:
			p.answered()
		case placeRunning:
			c.running, c.endsSinceRefusal = c.running-1, c.endsSinceRefusal+1
		}
		p.state = placeReleased
	})
}

func (c *Concurrency) change(do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	do()
	close(c.changed)
	c.changed = make(chan struct{})
}
