// Package pace is the one place in which a request waits because the service is busy. Every request of a process passes
// it, and nothing is sent without it. The service's document gives no limits (section 8), so all is open until the
// service refuses something: 429, or 503 with Retry-After, whatever they mean.
package pace

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// How these were measured is in the README.
const (
	// recent is of how many answers the refusals are counted. Of twice as many, a spell of refusals is noticed and forgotten late. Of half as
	// many, a few refusals by chance slow everything down.
	recent = 10
	// tolerated is how many refusals change nothing: of the recent ones, or in a row. Half as many: where each tenth request is refused by
	// chance, conversions take longer. Twice as many: a gateway refuses more.
	tolerated = 3
	// firstRate is in requests a second. Twice as many: a slow gateway refuses more at first. Half as many: a fast one is found later.
	firstRate = 5.0
	// slowestRate is in requests a second. Twice as many: a gateway that accepts fewer is closed again and again. Half as many: a service that
	// refuses by chance takes longer.
	slowestRate = 0.5
	// fastestRate is in requests a second. Twice as many: a limit that comes later refuses more until the rate is halved
	// to it. Half as many: a book of short chapters takes longer.
	fastestRate = 50.0
	// growth is by what an acceptance multiplies the rate. Twice of it: a gateway refuses more. Half of it: the rate stays low after a spell.
	growth = 1.1
	// longestClosed is the longest time between two requests while all are refused. Twice as long: the end of a spell is
	// noticed later. Half as long: a service that is down gets twice as many requests.
	longestClosed = 16 * time.Second
)

const (
	// prompt is how soon a service answers, unless it does so at the end of a conversion. What has no answer for longer holds nothing up.
	prompt = time.Second
	// longestPause is the longest Retry-After that a wait without an end waits for, and the longest time that anything but a conversion waits
	// while all is refused. Who waits for the end of a conversion tries whether there is another place as often.
	longestPause = time.Minute
	// longestStuck is how long conversions wait while all of them are refused, and none runs.
	longestStuck = 10 * time.Minute
)

// Kind is what a request is for.
type Kind int

// The kinds.
const (
	Conversion Kind = iota // the request for a conversion
	Other                  // a list, a file, and all else
)

// Pace lets requests be sent. Those for conversions go as fast as the share of refusals lets them:
//   - open: no more are without an answer than were accepted before, and one;
//   - a rate, from the first time that more than three of the last ten answers are refusals: five a second, half of it
//     each time again, and a tenth more with each acceptance;
//   - closed, after three refusals in a row: one at a time, 1, 2, 4, … 16 s after the latest, until one is accepted.
//
// All others pass freely. If one of them is refused, everything is closed, until anything is accepted; and from then on
// they keep to the rate, too, because the service counts all. A Pace is safe for concurrent use.
type Pace struct {
	mu      sync.Mutex
	changed chan struct{} // closed at each change, and then replaced
	gates   [2]gate       // by [Kind]: one for conversions, and one that everything passes
	line    []*Permit     // conversions that wait; those that were refused before come first
	refused int           // how many of the line were
	others  int           // others that wait

	unanswered []*Permit // for conversions
	accepted   int       // conversions, since the beginning
	running    int       // conversions that were accepted or joined, and have no known end
	number     int       // how many ran when the service refused one more by their number; 0: none is known
	numberedAt time.Time // when that was, or one more was tried since; zero: one more may be tried
	ends       int       // of conversions, since the service said the number
	places     int       // that their ends have left, and nobody has taken
	placedAt   time.Time // when the latest of these came

	rate    float64   // of conversions a second; 0 while all is open
	ofAll   bool      // it is that of all requests, because others were refused, too
	calm    int       // how many acceptances must come before it grows beyond the ceiling
	ceiling float64   // of the rate, after a refusal that named a pause
	sent    time.Time // when the latest request was sent that keeps to the rate
	since   time.Time // when it last changed: answers to what was sent before do not count
	latest  []bool    // the recent answers: whether they were refusals
	inARow  int       // refusals
	refusal error     // the latest
}

// gate is closed while it has a pause.
type gate struct {
	pause       time.Duration // from a refusal to the next request
	since       time.Time     // when the pause began, or the rate
	next        time.Time     // when the next request passes, by the pause or the rate
	pausedUntil time.Time     // by Retry-After
	stuckSince  time.Time     // the first refusal of what it is for, since anything of that was accepted, or a conversion ran
	stuckFor    time.Duration // from then to the latest refusal, if that is too long to wait
}

// New returns a pace that is open.
func New() *Pace { return &Pace{changed: make(chan struct{})} }

// PauseError means that it is of no use to wait. The pause which the service asks for is longer than what is left of a
// wait, or than a minute if that has no end. Or nothing was accepted for long: no conversion in ten minutes, or nothing
// at all in one.
type PauseError struct{ Left, Stuck time.Duration }

func (e *PauseError) Error() string {
	if e.Stuck > 0 {
		return fmt.Sprintf("the service has accepted no such request for %s", e.Stuck.Round(time.Second))
	}
	return fmt.Sprintf("the service accepts no requests for another %s", e.Left.Round(time.Second))
}

// Fits reports whether a pause ends before the deadline of a context, or is no longer than a minute if that has none.
func Fits(ctx context.Context, pause time.Duration) bool {
	deadline, isLimited := ctx.Deadline()
	if !isLimited {
		return pause <= longestPause
	}
	return pause <= 0 || time.Now().Add(pause).Before(deadline)
}

// Wait waits until a request may be sent. A conversion stands in line for that, at the head if it was refused before.
// It calls onWait before it waits, and after another refusal, with the one that is the reason; nil while others only
// have no answer yet. The error is a [*PauseError], as soon as that is known, or the context's.
func (p *Pace) Wait(ctx context.Context, kind Kind, again bool, onWait func(refusal error)) (*Permit, error) {
	q, told := p.enter(kind, again), error(nil)
	for ; ctx.Err() == nil; q.hasWaited = true {
		t := p.try(q)
		switch {
		case t.isTaken:
			return q, nil
		case !Fits(ctx, t.pause):
			p.change(func() { p.exit(q) })
			return nil, &PauseError{Left: t.pause}
		case t.stuck > 0:
			p.change(func() { p.exit(q) })
			return nil, &PauseError{Stuck: t.stuck}
		}
		if !q.hasWaited || !errors.Is(t.refusal, told) {
			told = t.refusal
			onWait(told)
		}
		timer := time.NewTimer(t.wait)
		select {
		case <-t.changed:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
	p.change(func() { p.exit(q) })
	return nil, context.Cause(ctx)
}

func (p *Pace) enter(kind Kind, again bool) *Permit {
	q := &Permit{pace: p, kind: kind}
	p.mu.Lock()
	defer p.mu.Unlock()
	if kind == Other {
		p.others++
		return q
	}
	at := len(p.line)
	if again {
		at = p.refused
		p.refused++
	}
	p.line = slices.Insert(p.line, at, q)
	return q
}

func (p *Pace) exit(q *Permit) {
	if q.kind == Other {
		p.others--
		return
	}
	at := slices.Index(p.line, q)
	p.line = slices.Delete(p.line, at, at+1)
	if at < p.refused {
		p.refused--
	}
}

// turn is what a request that waits finds.
type turn struct {
	isTaken     bool
	wait, pause time.Duration // until its turn, if nothing changes before, and until the end of a Retry-After
	stuck       time.Duration // for how long nothing like it was accepted, if that is too long
	refusal     error
	changed     <-chan struct{}
}

// try takes the permit if the request may be sent now.
func (p *Pace) try(q *Permit) (t turn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	t = turn{wait: forever, pause: p.pausedUntil(q.kind).Sub(now), refusal: p.refusal, changed: p.changed}
	if q.kind == Other || p.line[0] == q {
		t.wait = p.mayAt(q.kind, now).Sub(now)
	}
	if t.wait > 0 {
		if t.pause <= 0 { // A Retry-After has its own limit.
			t.stuck = p.gates[q.kind].stuckFor
		}
		return t
	}
	t.isTaken, q.at = true, now
	p.exit(q)
	everything, conversions := &p.gates[Other], &p.gates[Conversion]
	if q.kind == Other { // A conversion leaves the turn in which everything is closed to the list that it needs.
		everything.next, p.sent = now.Add(everything.pause), now
		return t
	}
	q.hasPlace, q.isOneMore = p.hasPlace(now), p.isFull()
	if q.isOneMore {
		p.numberedAt = now
	}
	switch {
	case q.hasPlace:
		p.places--
	case conversions.pause > 0:
		conversions.next = now.Add(conversions.pause)
	case p.rate > 0:
		conversions.next = latestOf(now, conversions.next).Add(p.interval())
	}
	p.unanswered = append(p.unanswered, q)
	p.tell()
	return t
}

// forever is the wait for a turn that others have before.
const forever = 1000 * time.Hour

// mayAt is when a request may be sent, if nothing changes before.
func (p *Pace) mayAt(kind Kind, now time.Time) time.Time {
	at := latestOf(p.pausedUntil(kind), p.gates[Other].next)
	switch {
	case kind == Other && p.ofAll && p.gates[Conversion].pause == 0:
		return latestOf(at, p.sent.Add(p.interval()))
	case kind == Other:
		return at
	case p.hasPlace(now):
		return at
	}
	if p.isFull() { // The number may be another by now.
		at = latestOf(at, p.numberedAt.Add(longestPause))
	}
	if p.rate > 0 {
		return latestOf(at, p.gates[Conversion].next)
	}
	young := slices.DeleteFunc(slices.Clone(p.unanswered), func(q *Permit) bool { return now.Sub(q.at) >= prompt })
	if len(young) > p.accepted {
		return latestOf(at, young[0].at.Add(prompt))
	}
	return at
}

// isNumbered reports whether the next conversion waits for the end of one that runs, or may: it has no answer yet.
func (p *Pace) isNumbered() bool { return p.number > 0 && p.running+len(p.unanswered) > 0 }

// isFull reports whether as many run, or may, as the service has said.
func (p *Pace) isFull() bool { return p.isNumbered() && p.running+len(p.unanswered) >= p.number }

// hasPlace reports whether one of ours has ended, and no other has taken its place. That is a permit, whatever the rate.
func (p *Pace) hasPlace(now time.Time) bool {
	return p.freePlaces(now) > 0 && p.running+len(p.unanswered) < p.number
}

// freePlaces is how many places nobody has taken. After a while, others of the account may have.
func (p *Pace) freePlaces(now time.Time) int {
	if now.Sub(p.placedAt) > longestClosed {
		return 0
	}
	return p.places
}

// leavePlace notes that nobody needs a place any more. All together are no more than the number has room for.
func (p *Pace) leavePlace(now time.Time) {
	p.places, p.placedAt = max(0, min(p.freePlaces(now)+1, p.number-p.running)), now
}

// interval is the time between two conversions; 0 while all is open.
func (p *Pace) interval() time.Duration {
	if p.rate == 0 {
		return 0
	}
	return time.Duration(float64(time.Second) / p.rate)
}

// Interval is the time between two requests for conversions; 0 while all is open.
func (p *Pace) Interval() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.interval()
}

// pausedUntil is the end of a Retry-After: that of a conversion holds conversions, and any other holds everything.
func (p *Pace) pausedUntil(kind Kind) time.Time {
	return latestOf(p.gates[kind].pausedUntil, p.gates[Other].pausedUntil)
}

func latestOf(a, b time.Time) time.Time { return slices.MaxFunc([]time.Time{a, b}, time.Time.Compare) }

// change changes something, and tells all that wait.
func (p *Pace) change(do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	do()
	p.tell()
}

func (p *Pace) tell() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// AwaitsEnd reports whether the next conversion waits for the end of one that runs.
func (p *Pace) AwaitsEnd() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.isFull()
}

// IsStuck reports whether the service has refused all conversions for ten minutes, while none of ours ran.
func (p *Pace) IsStuck() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.gates[Conversion].stuckFor > 0
}

// Held is when the next request is sent, if one waits for that because of a refusal, and the refusal; nil if none does.
func (p *Pace) Held() (until time.Time, refusal error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, kind := time.Now(), Conversion
	if p.others > 0 {
		kind = Other
	}
	until = p.mayAt(kind, now)
	waits := len(p.line)+p.others > 0 && until.After(now)
	if awaitsEnd := kind == Conversion && p.isFull(); !waits || awaitsEnd || p.refusal == nil {
		return time.Time{}, nil
	}
	return until, p.refusal
}
