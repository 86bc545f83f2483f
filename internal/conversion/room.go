package conversion

import (
	"context"
	"sync"
	"time"
)

const (
	// promptly is how soon a service answers a request, unless it does so only at the end of the conversion.
	promptly = time.Second
	// endsBeforeTry is after how many ends one conversion more than the known number is tried.
	endsBeforeTry = 4
)

// room is how many conversions the service runs for this process at a time, as far as its refusals have shown. A refusal (429) beside
// conversions of ours that run says that these are enough: the next request waits for the end of one. One more is tried after some ends,
// because others use the service, too.
//
// No more requests are without an answer than were accepted before, and one, while the service answers promptly. So a long queue learns the
// number from few refusals.
type room struct {
	mu         sync.Mutex
	changed    chan struct{} // closed at each change, and then replaced
	running    int           // conversions that the service has accepted, or that were joined, and that have no known end
	unanswered int           // requests, sent or about to be
	sent       int           // of these
	quietSince time.Time     // when the first of them was sent, or the latest answer came
	accepted   int           // requests, since the beginning, or since one had to be postponed
	most       int           // 0: no number is known
	refusal    error         // the one that has shown it
	ends       int           // since the latest refusal
	tryEnds    int           // how many there must be before one more is tried
}

func newRoom() *room { return &room{changed: make(chan struct{}), tryEnds: endsBeforeTry} }

// enter waits until a request may be sent, and counts it. While it waits, it calls waits with the refusal that shows why, which is nil in
// the beginning. The error is the context's.
func (r *room) enter(ctx context.Context, waits func(refusal error)) (waited bool, err error) {
	for ctx.Err() == nil {
		r.mu.Lock()
		changed, refusal, hasPlace := r.changed, r.refusal, r.hasPlace()
		if hasPlace {
			r.unanswered++
		}
		r.mu.Unlock()
		if hasPlace {
			return waited, nil
		}
		if !waited {
			waits(refusal)
		}
		waited = true
		select {
		case <-changed:
		case <-time.After(promptly):
		case <-ctx.Done():
		}
	}
	return waited, ctx.Err()
}

// hasPlace reports whether another request may be sent now.
func (r *room) hasPlace() bool {
	isSlow := r.sent > 0 && time.Since(r.quietSince) >= promptly
	underWay := r.running + r.unanswered
	isKnown := r.most > 0
	tries := r.ends >= r.tryEnds && underWay == r.most
	return (r.unanswered <= r.accepted || isSlow) && (!isKnown || underWay < r.most || underWay == 0 || tries)
}

// sends notes that a request is sent now.
func (r *room) sends() {
	r.change(func() {
		r.sent++
		if r.sent == 1 {
			r.quietSince = time.Now()
		}
	})
}

// gaveUp notes that a request that had a place is not sent.
func (r *room) gaveUp() { r.change(func() { r.unanswered-- }) }

// answered notes what has become of a request that was sent: the service has accepted it, or may have (runs), or not.
func (r *room) answered(runs bool) {
	r.change(func() {
		r.unanswered, r.sent, r.quietSince = r.unanswered-1, r.sent-1, time.Now()
		if !runs {
			return
		}
		r.running, r.accepted = r.running+1, r.accepted+1
		if r.most > 0 && r.running > r.most {
			r.most, r.tryEnds = r.running, endsBeforeTry
		}
	})
}

// refused notes that a request was refused because of the conversions that run. It reports whether that can be: some of ours do.
func (r *room) refused(refusal error) (isFull bool) {
	r.change(func() {
		isFull = r.running > 0
		if !isFull {
			return
		}
		if r.most > 0 && r.running >= r.most { // The one more that was tried.
			r.tryEnds *= 2
		}
		r.most, r.ends, r.refusal = r.running, 0, refusal
	})
	return isFull
}

// slows notes that a request was postponed: those that wait for the same moment are then sent one after the other.
func (r *room) slows() { r.change(func() { r.accepted = 0 }) }

// joins notes a conversion that runs without a request of this process.
func (r *room) joins() { r.change(func() { r.running++ }) }

// leaves notes the end of a conversion, or of the wait for it.
func (r *room) leaves() { r.change(func() { r.running, r.ends = r.running-1, r.ends+1 }) }

func (r *room) change(do func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	do()
	close(r.changed)
	r.changed = make(chan struct{})
}
