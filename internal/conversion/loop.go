package conversion

import (
	"context"
	"slices"
	"time"
)

// serve serves a session to its end, or to that of its context. The chapter's loop runs while somebody is served.
func (c *chapter) serve(s *session) {
	c.mu.Lock()
	c.arrived = append(c.arrived, s)
	if c.isServed {
		s.desired.place.leave() // The chapter has one, or waits for one.
		close(c.newcomer)
		c.newcomer = make(chan struct{})
	} else {
		c.isServed, c.newcomer = true, make(chan struct{})
		c.reader, c.place = s.reader, s.desired.place
		go c.reconcile()
	}
	c.mu.Unlock()
	select {
	case <-s.done:
	case <-s.ctx.Done():
		c.leave(s)
	}
}

// reconcile is the loop. It decides for all sessions, and ends those that are at their end. If one of the others needs a conversion, it
// requests or joins one, which all of them follow. Otherwise it looks.
func (c *chapter) reconcile() {
	for {
		c.mu.Lock()
		c.admit()
		next := c.decide()
		if len(c.sessions) == 0 {
			c.isServed = false
			c.place.leave()
			c.mu.Unlock()
			return
		}
		ctx, cancel := context.WithCancel(context.WithoutCancel(c.sessions[0].ctx))
		c.lastHasLeft = cancel
		newcomer := c.newcomer
		c.mu.Unlock()
		switch {
		case next == nil:
			c.look(ctx, newcomer)
		case next.decided.Step == Join:
			c.join(next)
		case next.decided.Step == Request:
			c.request(next)
		}
		cancel()
	}
}

func (c *chapter) admit() {
	for _, s := range c.arrived {
		c.sessions = append(c.sessions, s)
		c.reader.expect(s.desired.Date)
		c.occupyRoom(s)
	}
	c.arrived = nil
}

// decide decides for every session, and ends those that are at their end. It returns the first that needs a conversion.
func (c *chapter) decide() (next *session) {
	for _, s := range slices.Clone(c.sessions) {
		s.decide()
		followsAnother := s.takeOver()
		if followsAnother {
			s.decide()
			s.reportProgress()
			c.occupyRoom(s)
		}
		switch {
		case s.err != nil:
			s.ended = true
		case s.decided.Step.isEnd():
			s.ended, s.err = true, s.end()
		case s.decided.Step == Join, s.decided.Step == Request:
			s.ended = s.mode == awaits
			needs := !s.ended && s.ctx.Err() == nil
			if needs && next == nil {
				next = s
			}
		}
		if s.ended {
			c.remove(s)
			close(s.done)
		}
	}
	return next
}

func (c *chapter) remove(s *session) {
	isIt := func(another *session) bool { return another == s }
	c.sessions, c.arrived = slices.DeleteFunc(c.sessions, isIt), slices.DeleteFunc(c.arrived, isIt)
}

// lastWord is how long a session whose time is over waits for the answer to a request of another one. With Ctrl-C that request ends, too,
// and then it is known whether it was sent.
const lastWord = 50 * time.Millisecond

// leave ends a session whose context has ended.
func (c *chapter) leave(s *session) {
	c.awaitAnswer(s)
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.ended {
		return
	}
	s.keepLastKnown()
	c.remove(s)
	s.ended, s.err = true, s.ctx.Err()
	isLast := len(c.sessions)+len(c.arrived) == 0
	s.noteTimeout(isLast)
	if isLast && c.lastHasLeft != nil {
		c.lastHasLeft()
	}
}

// awaitAnswer waits for the answer to the request of a session, which ends with its context; and shortly for that of another one.
func (c *chapter) awaitAnswer(s *session) {
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
		case <-time.After(lastWord):
		}
	}
}

// look waits until one of the sessions needs a look, or one is due for all, and lets them note it. A newcomer ends the wait.
func (c *chapter) look(ctx context.Context, newcomer <-chan struct{}) {
	c.mu.Lock()
	soonest, after := c.nextLook()
	deadline := c.deadline()
	c.mu.Unlock()
	if !deadline.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline)
		defer cancel()
	}
	if soonest.mayBeDue {
		latest, err := c.lists.next(ctx, after, soonest.at, newcomer)
		isPause := err == nil && !latest.requestedAt.After(after) // which the service asks for, and which is longer than all wait
		switch {
		case isPause:
			c.tell(latest.err)
		case err == nil:
			c.take(ctx, latest)
		}
		return
	}
	latest, err := c.lists.at(ctx, soonest.at, soonest.notBefore, newcomer)
	isOldError := err == nil && latest.err != nil && !latest.answeredAt.After(soonest.began)
	if soonest.isFirst && isOldError { // A session does not begin with an error from before it.
		latest, err = c.lists.listing(ctx, c.lists.clock.now())
	}
	if err == nil {
		c.take(ctx, latest)
	}
}

// nextLook is the first look that a session needs. If that is not now, it may be one that is due for all and earlier.
func (c *chapter) nextLook() (soonest nextLook, after time.Time) {
	someMayBeDue := false
	for i, s := range c.sessions {
		wanted := s.nextLook()
		if wanted.isFirst {
			return wanted, after
		}
		isSooner := !wanted.at.IsZero() && (soonest.at.IsZero() || wanted.at.Before(soonest.at))
		if i == 0 || isSooner {
			soonest = wanted
		}
		if wanted.mayBeDue {
			c.lists.noteStart(s.began)
			someMayBeDue = true
		}
		after = slices.MaxFunc([]time.Time{after, s.after}, time.Time.Compare)
	}
	isNow := !soonest.at.After(time.Now().Add(sharingDelay))
	soonest.mayBeDue = soonest.mayBeDue || someMayBeDue && !isNow
	return soonest, after
}

// deadline is the latest of all sessions; zero if one has none.
func (c *chapter) deadline() (latest time.Time) {
	for _, s := range c.sessions {
		deadline, isSet := s.ctx.Deadline()
		if !isSet {
			return time.Time{}
		}
		latest = slices.MaxFunc([]time.Time{latest, deadline}, time.Time.Compare)
	}
	return latest
}

// take lets the sessions note what lists show that they have not used.
func (c *chapter) take(ctx context.Context, latest *listing) {
	c.mu.Lock()
	oldest := latest.requestedAt
	for _, s := range c.sessions {
		s.oldest = c.oldestList(s, requestAge)
		oldest = slices.MinFunc([]time.Time{oldest, s.oldest}, time.Time.Compare)
	}
	c.mu.Unlock()
	for _, found := range c.lists.between(oldest, latest) {
		seen, believed, err := c.reader.read(ctx, found)
		if ctx.Err() != nil {
			return
		}
		c.mu.Lock()
		for _, s := range c.sessions {
			isYoung := found == latest || !found.requestedAt.Before(s.oldest)
			if isYoung && found.requestedAt.After(s.after) {
				s.reader = c.reader
				s.note(found, seen, believed, err)
				s.share()
			}
		}
		c.mu.Unlock()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.sessions {
		if s.after.Equal(latest.requestedAt) {
			s.answer()
		}
	}
}

// tell lets all sessions go by an answer that they have gone by before, and that asks for a pause.
func (c *chapter) tell(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.sessions {
		s.outcome.Problem = err
		s.answer()
	}
}
