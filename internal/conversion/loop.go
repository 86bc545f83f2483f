package conversion

import (
	"context"
	"slices"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// serve serves the session, together with the others of its chapter, until it has ended or its context has.
func (c *chapter) serve(ctx context.Context, s *session) {
	s.ctx, s.done = ctx, make(chan struct{})
	c.mu.Lock()
	c.arriving = append(c.arriving, s)
	if c.isServed {
		s.leaveRoom() // The conversion of the others has a place, or waits for one.
		c.wake()
	} else {
		c.isServed, c.woken, c.place = true, make(chan struct{}), s.place
		c.reader = s.reader
		go c.run()
	}
	c.mu.Unlock()
	select {
	case <-s.done:
	case <-ctx.Done():
		c.leave(s)
	}
}

// wake lets the loop decide again before the next look.
func (c *chapter) wake() {
	close(c.woken)
	c.woken = make(chan struct{})
}

// run is the loop: it decides for every session, requests or joins a conversion for the first that needs one, or looks.
func (c *chapter) run() {
	for {
		c.mu.Lock()
		c.admit()
		next := c.decide()
		if len(c.sessions) == 0 {
			c.isServed = false
			c.place.leave()
			c.place = nil
			c.mu.Unlock()
			return
		}
		ctx, cancel := context.WithCancel(context.WithoutCancel(c.sessions[0].ctx))
		c.nobodyLeft = cancel
		woken := c.woken
		c.mu.Unlock()
		looks := next == nil || c.act(next)
		if looks {
			c.look(ctx, woken)
		}
		cancel()
	}
}

// admit admits the sessions that have arrived. They follow what the others do, or the others what they have pending.
func (c *chapter) admit() {
	for _, s := range c.arriving {
		if s.mode == converts {
			s.follow()
		}
		s.occupyRoom()
		c.reader.expect(s.demand.Date)
		s.reader = c.reader
	}
	c.sessions, c.arriving = slices.Concat(c.sessions, c.arriving), nil
}

// decide decides for every session, and ends those that it can end. It returns the first for which a conversion is to be requested or joined.
func (c *chapter) decide() (next *session) {
	for _, s := range slices.Clone(c.sessions) {
		s.decide()
		if s.ended {
			c.sessions = slices.DeleteFunc(c.sessions, func(other *session) bool { return other == s })
			close(s.done)
		}
	}
	for _, s := range c.sessions {
		acts := s.decided.Step == Join || s.decided.Step == Request
		if acts && s.ctx.Err() == nil && next == nil {
			next = s
		}
	}
	for _, s := range c.sessions {
		if next != nil && s != next && s.pending != nil && s.decided.Step == Wait {
			return nil // A chapter has one conversion at a time.
		}
	}
	return next
}

// leave ends a session whose context has ended. What the loop asks the service for at this moment is kept, unless the answer says at once
// that the service has not received it: with Ctrl-C, the request ends, too.
func (c *chapter) leave(s *session) {
	c.mu.Lock()
	asking := c.asking
	c.mu.Unlock()
	switch {
	case asking == nil:
	case asking.session == s:
		<-asking.done
	default:
		select {
		case <-asking.done:
		case <-time.After(50 * time.Millisecond):
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.ended {
		return
	}
	isOther := func(other *session) bool { return other != s }
	isArriving := slices.Contains(c.arriving, s)
	c.sessions, c.arriving = slices.DeleteFunc(c.sessions, func(o *session) bool { return !isOther(o) }), slices.DeleteFunc(c.arriving, func(o *session) bool { return !isOther(o) })
	if isArriving {
		s.follow()
	}
	if c.asking != nil && c.asking.pending != nil {
		s.pending, s.outcome.WaitedFor = s.demand.following(*c.asking.pending), true
	}
	s.ended, s.err = true, s.ctx.Err()
	s.noteTimeout(len(c.sessions)+len(c.arriving) == 0)
	if len(c.sessions)+len(c.arriving) == 0 && c.nobodyLeft != nil {
		c.nobodyLeft()
	}
}

// act requests or joins a conversion for a session. It reports whether to look before the next decision.
func (c *chapter) act(s *session) (looks bool) {
	c.mu.Lock()
	if s.decided.Step == Join {
		defer c.mu.Unlock()
		s.join()
		c.tellOthers(s)
		return false
	}
	c.asking = &asking{session: s, done: make(chan struct{})}
	done := c.asking.done
	c.mu.Unlock()
	looks, err := s.request()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asking = nil
	close(done)
	if err != nil {
		s.err = err
	}
	c.tellOthers(s)
	return looks
}

// tellOthers lets the other sessions follow the conversion that one has requested or joined.
func (c *chapter) tellOthers(than *session) {
	for _, s := range c.sessions {
		if s != than && s.mode == converts && s.follow() {
			s.reportProgress()
		}
	}
}

// look waits for the next look of all sessions, and lets each note it.
func (c *chapter) look(ctx context.Context, woken <-chan struct{}) {
	c.mu.Lock()
	now := c.lists.clock.now()
	var first, fresh *session
	after, until, onlyConfirm := time.Time{}, time.Time{}, true
	for _, s := range c.sessions {
		s.from = s.oldest(requestAge)
		another := s.another()
		confirms := s.pending == nil && !another.IsZero()
		onlyConfirm = onlyConfirm && confirms
		if !another.IsZero() && (until.IsZero() || another.Before(until)) {
			until = another
		}
		if s.after.After(after) {
			after = s.after
		}
		switch {
		case s.after.IsZero():
			first = s
		case s.decided.Step == Look && len(s.seen) > 0 && s.after.Before(s.began):
			fresh = s
		case !confirms:
			c.lists.noteStart(s.began)
		}
	}
	deadline := c.deadline()
	c.mu.Unlock()
	if !deadline.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline)
		defer cancel()
	}
	var latest *listing
	var err error
	switch {
	case first != nil:
		latest, err = c.lists.listing(ctx, first.from)
		if err == nil && latest.err != nil && !latest.answeredAt.After(first.began) {
			// This list failed before the session began. A session does not begin with an old error.
			latest, err = c.lists.listing(ctx, now)
		}
	case fresh != nil:
		latest, err = c.lists.at(ctx, fresh.began.Add(sharingDelay), fresh.began)
	case onlyConfirm:
		latest, err = c.lists.atUnless(ctx, until, until, woken)
	default:
		latest, err = c.lists.next(ctx, after, until, woken)
	}
	if err == nil && latest != nil {
		c.take(ctx, latest)
	}
}

// deadline is the latest of those of all sessions; zero if one has none.
func (c *chapter) deadline() (latest time.Time) {
	for _, s := range c.sessions {
		deadline, set := s.ctx.Deadline()
		if !set {
			return time.Time{}
		}
		if deadline.After(latest) {
			latest = deadline
		}
	}
	return latest
}

// take lets the sessions note what lists show that they have not used.
func (c *chapter) take(ctx context.Context, latest *listing) {
	c.mu.Lock()
	oldest := latest.requestedAt
	for _, s := range c.sessions {
		if s.from.Before(oldest) {
			oldest = s.from
		}
	}
	c.mu.Unlock()
	for _, found := range append(slices.DeleteFunc(c.lists.since(oldest), func(l *listing) bool { return !l.requestedAt.Before(latest.requestedAt) }), latest) {
		seen, believed, err := c.reader.read(ctx, found)
		if ctx.Err() != nil {
			return
		}
		c.mu.Lock()
		for _, s := range c.sessions {
			isPause := found == latest && audioprojects.RetryAfter(found.err) > 0
			isNew := isPause || found.requestedAt.After(s.after) && (found == latest || !found.requestedAt.Before(s.from))
			if isNew {
				s.note(found, seen, believed, err)
			}
		}
		c.mu.Unlock()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.sessions {
		s.answer()
	}
}
