package conversion

import (
	"slices"
	"time"
)

const (
	// shortestInterval and longestInterval bound the time between two looks at a project.
	shortestInterval = time.Second
	longestInterval  = 16 * time.Second
	// intervalShare sets the time between two looks: a seventh of how long a conversion has run. So an end is noticed within
	// 15 % of the conversion's length.
	intervalShare = 7
	// jitter is the share by which that time varies, so that several processes do not ask at the same moments.
	jitter = 0.05
	// expectedInterval is the shortest time to a look at which ends are expected.
	expectedInterval = 250 * time.Millisecond
	// worthALook is the sum of the times that ended conversions are expected to have waited to be noticed, of which a look
	// earlier than the rule of the seventh is worth its request. Fifty conversions of equal length get it after 0.12 s.
	worthALook = 6 * time.Second
	// mostLengths is how many of the latest lengths of a project's conversions are remembered.
	mostLengths = 32
)

// duration is what the looks have shown of the length of a conversion: it had not ended after so long, and had within so long.
type duration struct{ over, within time.Duration }

// expected is the length that is expected of a conversion like this one that has run for the given time: the middle of what is
// possible. If the look before the end was long before, the end is expected to have been noticed as early as usual.
func (l duration) expected(age time.Duration) time.Duration {
	return (max(age, l.over, l.within-max(l.within/(intervalShare+1), shortestInterval)) + l.within) / 2
}

// noteLength remembers the length of a conversion. The next of this project are expected to be no shorter than the latest.
func (p *poller) noteLength(l duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.lengths) == mostLengths {
		p.lengths = slices.Delete(p.lengths, 0, 1)
	}
	p.lengths = append(p.lengths, l)
	p.planned = time.Time{}
}

// nextLook is when the next list is to be requested, if nobody wants one earlier. It needs p.mu and a listing.
func (p *poller) nextLook() time.Time {
	if p.planned.IsZero() {
		p.planned = p.plan()
	}
	return p.planned
}

func (p *poller) plan() time.Time {
	answered := p.latest.answeredAt
	shortest := p.shortest()
	planned := answered.Add(p.varied(longestInterval))
	for w := range p.waiters {
		if latest := w.mustLookBy(answered, shortest); latest.Before(planned) {
			planned = latest
		}
	}
	if expected := p.endsExpected(answered); !expected.IsZero() && expected.Before(planned) {
		return expected
	}
	return planned
}

// shortest is the least length that a new conversion of this project is expected to have. It is 0 while none has ended.
func (p *poller) shortest() time.Duration {
	if len(p.lengths) == 0 {
		return 0
	}
	return slices.MinFunc(p.lengths, func(a, b duration) int { return int(a.over - b.over) }).over
}

// mustLookBy is the latest time for a look after the one that was answered at the given time: if the conversion has
// ended directly after that look, or as early as is expected, its end is then noticed within a share of its length.
func (w *waiter) mustLookBy(answered time.Time, shortest time.Duration) time.Time {
	if answered.Before(w.since) {
		answered = w.since
	}
	age := answered.Sub(w.since)
	earliest := age
	if w.fromStart {
		earliest = max(age, shortest)
	}
	tolerance := w.poller.varied(max(earliest/intervalShare, shortestInterval))
	return answered.Add(min(earliest-age+tolerance, w.poller.varied(longestInterval)))
}

func (p *poller) varied(interval time.Duration) time.Duration {
	return time.Duration(float64(interval) * p.jitterFactor)
}

// endsExpected is when so many conversions are expected to have ended that a look is worth its request; zero if that is
// not known. Each waiter's conversion may have each of the known lengths that it has not exceeded.
func (p *poller) endsExpected(answered time.Time) time.Time {
	type end struct {
		at    time.Time
		share float64 // the probability that the waiter's conversion ends then
	}
	var ends []end
	for w := range p.waiters {
		if !w.fromStart {
			continue
		}
		age, before := answered.Sub(w.since), len(ends)
		for _, l := range p.lengths {
			if l.within > age {
				ends = append(ends, end{at: w.since.Add(l.expected(age))})
			}
		}
		for i := before; i < len(ends); i++ {
			ends[i].share = 1 / float64(len(ends)-before)
		}
	}
	slices.SortFunc(ends, func(a, b end) int { return a.at.Compare(b.at) })
	var ended, waited float64 // how many conversions have ended, and for how many seconds in all
	for i, e := range ends {
		ended += e.share
		missing := (worthALook.Seconds() - waited) / ended
		if i+1 < len(ends) {
			if until := ends[i+1].at.Sub(e.at).Seconds(); until < missing {
				waited += until * ended
				continue
			}
		}
		worth := e.at.Add(time.Duration(missing * float64(time.Second)))
		if soonest := answered.Add(expectedInterval); worth.Before(soonest) {
			return soonest
		}
		return worth
	}
	return time.Time{}
}
