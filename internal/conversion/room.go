package conversion

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

const (
	// promptly is how soon a service answers a request, unless it does so only at the end of the conversion.
	promptly = time.Second
	// firstTryEnds and firstTryAfter are after how many ends, and how long, one conversion more than the known number is tried first.
	firstTryEnds, firstTryAfter = 4, 15 * time.Second
	// guessTryAfter is the same after a refusal that does not say why, and so may be because of a rate.
	guessTryAfter = 2 * time.Second
)

// room is how many conversions the service runs for this process at a time, as far as its refusals have shown. A refusal of a conversion
// while some of ours run says that these are enough: the next request waits for the end of one. One more is tried now and then, because
// others use the service, too. A quota that allows more later holds back all requests until then. Other refusals that ask for a pause are
// because of a rate, and for the client's pace.
//
// No more requests are without an answer than were accepted before, and one, while the service answers promptly. So a long queue learns the
// number from few refusals.
type room struct {
	mu       sync.Mutex
	places   map[*place]bool
	queue    []chan *place // of those that wait; the first is the next
	timer    *time.Timer   // when the queue may go on without an end
	accepted int           // requests
	most     int           // 0: no number is known
	refusal  error         // the latest that has shown it, or the pause
	until    time.Time     // the end of a pause that a quota has asked for

	// One more is tried after so many ends, or so long after the latest try. Both double when it is refused.
	ends, tryEnds int
	triedAt       time.Time
	tryAfter      time.Duration
}

// place is the right to have one conversion under way: to request it, or to follow it.
type place struct {
	room  *room
	since time.Time // when it was taken, or its request was sent
	runs  bool      // the service has accepted the request, or may have received it
	more  bool      // than the known number
}

// take takes a place. If there is none, it calls waits with the refusal that says so, which is nil at the beginning, and waits, before all
// others if it was refused before.
func (r *room) take(ctx context.Context, refused bool, waits func(refusal error)) (p *place, waited bool, err error) {
	r.mu.Lock()
	if len(r.queue) == 0 && r.hasPlace() {
		defer r.mu.Unlock()
		return r.newPlace(), false, nil
	}
	given, at := make(chan *place, 1), len(r.queue)
	if refused {
		at = 0
	}
	r.queue = slices.Insert(r.queue, at, given)
	refusal := r.refusal
	r.serve()
	r.mu.Unlock()
	waits(refusal)
	select {
	case p = <-given:
		if ctx.Err() == nil {
			return p, true, nil
		}
		given <- p
	case <-ctx.Done():
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queue = slices.DeleteFunc(r.queue, func(waiting chan *place) bool { return waiting == given })
	select {
	case p = <-given: // at the same moment
		delete(r.places, p)
	default:
	}
	r.serve()
	return nil, true, ctx.Err()
}

// occupy makes a place that of a conversion which runs already; nil stands for a new one.
func (r *room) occupy(p *place) *place {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.serve()
	if p == nil {
		p = r.newPlace()
	}
	p.runs = true
	return p
}

func (r *room) newPlace() *place {
	p := &place{room: r, since: time.Now(), more: r.most > 0 && len(r.places) >= r.most}
	r.places[p] = true
	if p.more {
		r.ends, r.triedAt = 0, p.since
	}
	return p
}

// hasPlace reports whether another conversion may be requested now.
func (r *room) hasPlace() bool {
	unanswered, isTrying, isSlow := 0, false, false
	for p := range r.places {
		if !p.runs {
			unanswered++
			isTrying = isTrying || p.more
			isSlow = isSlow || time.Since(p.since) >= promptly
		}
	}
	if time.Now().Before(r.until) {
		return false
	}
	mayTry := !isTrying && (r.ends >= r.tryEnds || time.Since(r.triedAt) >= r.tryAfter)
	return (unanswered <= r.accepted || isSlow) && (r.most == 0 || len(r.places) < r.most || mayTry)
}

// serve gives places to those that wait. While some still do, it runs again when there may be a place without an end.
func (r *room) serve() {
	for len(r.queue) > 0 && r.hasPlace() {
		r.queue[0] <- r.newPlace()
		r.queue = r.queue[1:]
	}
	if r.timer != nil {
		r.timer.Stop()
	}
	if len(r.queue) == 0 {
		return
	}
	next := max(time.Until(r.triedAt.Add(r.tryAfter)), promptly)
	next = max(next, time.Until(r.until))
	for p := range r.places {
		answers := time.Until(p.since.Add(promptly))
		if !p.runs && answers > 0 {
			next = min(next, answers)
		}
	}
	r.timer = time.AfterFunc(next, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.serve()
	})
}

// sent notes that the request is sent now.
func (p *place) sent() {
	p.room.mu.Lock()
	defer p.room.mu.Unlock()
	p.since = time.Now()
}

// answered notes the answer to the request. If that says that no more conversions run at a time, or until the end of a pause, isFull is
// true. The place is kept if the conversion runs, or may run, or was not requested yet.
func (p *place) answered(err error) (kept *place, isFull bool) {
	r := p.room
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.serve()
	switch {
	case err == nil, errors.Is(err, audioprojects.Ambiguous):
		r.accept(p)
		return p, false
	}
	delete(r.places, p)
	running := r.running()
	isOfRate := audioprojects.RetryAfter(err) > 0 && !audioprojects.LimitsConversions(err)
	if running == 0 || isOfRate || !errors.Is(err, audioprojects.RateLimited) {
		return nil, false
	}
	first := firstTryAfter
	if !audioprojects.LimitsConversions(err) {
		first = guessTryAfter
	}
	if p.more {
		r.tryEnds, r.tryAfter = 2*r.tryEnds, 2*r.tryAfter
	} else {
		r.tryEnds, r.tryAfter = max(r.tryEnds, firstTryEnds), max(r.tryAfter, first)
	}
	r.most, r.refusal, r.ends, r.triedAt = running, err, 0, time.Now()
	return nil, true
}

// running is how many conversions the service has accepted that are not known to have ended.
func (r *room) running() (count int) {
	for p := range r.places {
		if p.runs {
			count++
		}
	}
	return count
}

// accept notes that the service runs one more. If that is more than the known number, the next is tried at once.
func (r *room) accept(p *place) {
	p.runs = true
	r.accepted++
	if r.most > 0 {
		r.most = max(r.most, r.running())
	}
	if p.more {
		r.tryEnds, r.tryAfter, r.ends = firstTryEnds, firstTryAfter, firstTryEnds
	}
}

// leave gives the place back.
func (p *place) leave() {
	if p == nil {
		return
	}
	r := p.room
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.runs && r.places[p] {
		r.ends++
	}
	delete(r.places, p)
	r.serve()
}
