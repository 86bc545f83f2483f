package pace

import (
	"slices"
	"time"
)

// Permit is the right to send one request, and then, of a conversion, what becomes of it. It belongs to one goroutine.
// One whose request is not sent must be returned. No permit at all does nothing.
type Permit struct {
	pace                  *Pace
	kind                  Kind
	at                    time.Time // when it was given, or found ready since
	slot                  time.Time // when the request is to be sent, so that no two are at once; zero if that was not asked
	hasPlace              bool      // it was given for the end of another conversion
	isOneMore             bool      // it was given beyond the service's number
	hasWaited             bool
	isAnswered, isRunning bool
}

// Join returns a permit for a conversion that runs without a request of this process.
func (p *Pace) Join() *Permit {
	q := &Permit{pace: p, isAnswered: true}
	q.Run()
	return q
}

// Return gives back the permit of a request that was not sent. The next one goes at once, but not before the end of a Retry-After.
func (q *Permit) Return() {
	q.answer(func(p *Pace, now time.Time) {
		switch {
		case q.hasPlace:
			p.leavePlace(now)
		case q.isOneMore:
			p.numberedAt = time.Time{}
		}
		if !q.isStale() {
			p.gates[Conversion].next = now
		}
	})
}

// Ready returns how long the request must still wait, now that all it needs is there, such as a list that was requested
// at the given time; 0 if it may be sent. Permits that have waited for one list are used one after the other, each with
// a list that is new then. A gateway that lets no two requests through at once accepts a list, and would refuse a
// conversion beside it, again and again. And if the permit is from before the rate began, or the gate was closed, it is
// used, as [Permit.IsUsed] says: the conversion must wait for another.
func (q *Permit) Ready(list time.Time) time.Duration {
	p := q.pace
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if q.isStale() {
		if q.isOneMore {
			p.numberedAt = time.Time{}
		}
		q.drop()
		return 0
	}
	if p.rate > 0 && !q.hasPlace {
		if q.slot.IsZero() {
			q.slot = latestOf(now, p.sent.Add(p.interval()))
			p.sent = q.slot
		}
		at := q.slot
		if p.ofAll || p.gates[Conversion].pause > 0 {
			at = latestOf(at, list.Add(p.interval()))
		}
		if at.After(now) {
			q.hasWaited = true
			return at.Sub(now)
		}
	}
	q.at = now
	return 0
}

// isStale reports whether the rate began, or the gate was closed, since the permit was given.
func (q *Permit) isStale() bool { return q.at.Before(q.pace.gates[Conversion].since) }

// Accepted notes that the service has accepted the request, or may have, because its answer is lost. A conversion runs from then on.
func (q *Permit) Accepted() {
	q.answer(func(p *Pace, now time.Time) {
		if q.kind == Conversion {
			p.accepted++
			p.gates[Conversion].unstick()
			p.running, q.isRunning = p.running+1, true
			if q.isOneMore { // And there may be room for more.
				p.number, p.numberedAt = p.number+1, time.Time{}
			}
		}
		p.accept(q, now)
	})
}

// Rejected notes that the service refuses the conversion for a reason that has nothing to do with the pace, such as a wrong id.
func (q *Permit) Rejected() { q.answer(func(p *Pace, now time.Time) { p.accept(q, now) }) }

func (p *Pace) accept(q *Permit, now time.Time) {
	p.gates[Other].pause, p.gates[Other].next = 0, time.Time{}
	p.gates[Other].unstick()
	conversions := &p.gates[Conversion]
	switch {
	case q.kind == Other && (!p.ofAll || conversions.pause > 0):
		return
	case q.kind == Conversion && conversions.pause > 0:
		conversions.pause, p.inARow = 0, 0
		p.restart(now)
		return
	case q.at.Before(p.since):
		return
	case q.kind == Other:
		p.speedUp(q, now)
		return
	}
	p.inARow = 0
	if p.count(false) < tolerated && p.rate > 0 {
		p.speedUp(q, now)
	}
}

// speedUp goes by a request that the rate has held up: one that came by itself later than that does not show that more would be accepted.
func (p *Pace) speedUp(q *Permit, now time.Time) {
	if !q.hasWaited {
		return
	}
	p.rate = min(p.rate*growth, fastestRate)
	if p.calm > 0 {
		p.calm--
		p.rate = min(p.rate, p.ceiling)
	}
	conversions := &p.gates[Conversion]
	conversions.next = slices.MinFunc([]time.Time{conversions.next, now.Add(p.interval())}, time.Time.Compare)
}

func (p *Pace) slowDown(now time.Time) {
	if p.rate == 0 {
		p.rate, p.gates[Conversion].since = 2*firstRate, now
	}
	p.rate = max(slowestRate, p.rate/2)
	p.restart(now)
}

// calmDown is for a refusal that names a pause. Who does so has a limit, and to try it again and again would cost a pause each time.
func (p *Pace) calmDown() {
	p.ceiling = max(slowestRate, p.rate/growth)
	p.rate, p.calm = p.ceiling, tolerated*recent
}

// Refused notes that the service has refused the request because it is busy, with this error, and for how long it asks
// for no requests; 0 if it does not say. By number: it says that so many conversions run.
func (q *Permit) Refused(refusal error, pause time.Duration, byNumber bool) {
	q.answer(func(p *Pace, now time.Time) {
		p.refusal, p.gates[q.kind].pausedUntil = refusal, latestOf(p.gates[q.kind].pausedUntil, now.Add(pause))
		if q.kind == Other {
			p.gates[Other].stick(now, longestPause)
		} else if p.running == 0 {
			p.gates[Conversion].stick(now, longestStuck)
		}
		if byNumber {
			p.number = p.running + len(p.unanswered) + p.freePlaces(now) // Those without an answer may run, too.
			p.numberedAt, p.ends = now, 0
		}
		everything, conversions := &p.gates[Other], &p.gates[Conversion]
		if q.kind == Other || everything.pause > 0 {
			everything.close(q, now)
		}
		p.ofAll = p.ofAll || q.kind == Other
		switch {
		case q.at.Before(p.since):
			return
		case q.kind == Conversion && conversions.pause > 0:
			conversions.close(q, now)
			return
		case q.kind == Other && conversions.pause > 0:
			return
		case q.kind == Other && (p.rate == 0 || pause == 0):
			p.slowDown(now)
			return
		case p.rate > 0 && pause > 0:
			p.calmDown()
		}
		if q.kind == Other {
			return
		}
		p.inARow++
		isInARow := p.inARow >= tolerated
		if p.count(true) > tolerated || isInARow {
			p.slowDown(now)
		}
		if isInARow {
			p.inARow = 0
			conversions.close(q, now)
		}
	})
}

// close closes a gate. If it is closed, the pause doubles, unless the request was sent before the latest pause began.
func (g *gate) close(q *Permit, now time.Time) {
	switch {
	case g.pause == 0:
		g.pause = prompt
	case q.at.Before(g.since):
		return
	default:
		g.pause = min(2*g.pause, longestClosed)
	}
	g.since, g.next = now, now.Add(g.pause)
}

// stick notes a refusal of what a gate is for, and that is stuck after so long.
func (g *gate) stick(now time.Time, longest time.Duration) {
	if g.stuckSince.IsZero() {
		g.stuckSince = now
	}
	if stuck := now.Sub(g.stuckSince); stuck >= longest {
		g.stuckFor = stuck
	}
}

func (g *gate) unstick() { g.stuckSince, g.stuckFor = time.Time{}, 0 }

// restart begins to count anew, because the rate has changed.
func (p *Pace) restart(now time.Time) {
	p.latest, p.since, p.gates[Conversion].next = nil, now, now.Add(p.interval())
}

// count counts an answer, and returns how many of the recent ones are refusals.
func (p *Pace) count(refused bool) (refusals int) {
	p.latest = append(p.latest, refused)
	p.latest = p.latest[max(0, len(p.latest)-recent):]
	for _, each := range p.latest {
		if each {
			refusals++
		}
	}
	return refusals
}

// answer notes the end of a request, once.
func (q *Permit) answer(note func(*Pace, time.Time)) {
	if q == nil || q.isAnswered {
		return
	}
	q.pace.change(func() {
		q.drop()
		note(q.pace, time.Now())
	})
}

func (q *Permit) drop() {
	q.isAnswered = true
	q.pace.unanswered = slices.DeleteFunc(q.pace.unanswered, func(other *Permit) bool { return other == q })
}

// IsUsed reports whether the request has ended.
func (q *Permit) IsUsed() bool { return q == nil || q.isAnswered }

// Run notes that the conversion may run, although its request was refused or is somebody else's.
func (q *Permit) Run() {
	if q == nil || q.isRunning {
		return
	}
	q.isRunning = true
	p := q.pace
	p.change(func() {
		p.running++
		if p.isNumbered() { // It ran already when the service said the number.
			p.number = max(p.number, p.running)
		}
		p.gates[Conversion].unstick()
	})
}

// Leave notes that the conversion has ended, or is not waited for any more. After ten ends without a refusal, one more
// than the known number is tried, and after each that is accepted another one.
func (q *Permit) Leave() {
	if q == nil || !q.isRunning {
		return
	}
	q.isRunning = false
	p := q.pace
	p.change(func() {
		p.running, p.ends = p.running-1, p.ends+1
		p.leavePlace(time.Now())
		if p.ends >= recent {
			p.ends, p.numberedAt = 0, time.Time{}
		}
	})
}
