package conversion

import (
	"context"
	"errors"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// asking is what the loop does for one session while others may arrive and leave.
type asking struct {
	session   *session
	done      chan struct{} // closed at its end
	operation *operation    // what the service is asked for; nil before, and after the answer
}

// join makes a conversion that somebody else requested the one that the session waits for.
func (c *chapter) join(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.ended { // Its context has ended since the decision.
		return
	}
	now := s.seen[len(s.seen)-1]
	s.outcome.WaitedFor = true
	s.makePending(&operation{ResumeToken: ResumeToken{Phase: PhaseAccepted, Baseline: baselineOf(now.chapter)}}, s.engine.clock.now())
	now.pending = s.pending.observed(now.chapter)
	s.pending, s.seen = now.pending, []observation{now}
	c.occupyRoom(s)
	s.share()
	s.reportProgress()
}

// request requests a conversion for a session, with its context.
func (c *chapter) request(s *session) {
	a := &asking{session: s, done: make(chan struct{})}
	c.mu.Lock()
	hasLeft := s.ended // Its context has ended since the decision.
	if !hasLeft {
		c.asking = a
	}
	c.mu.Unlock()
	if hasLeft {
		return
	}
	err := s.request()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asking, s.err = nil, err
	close(a.done)
}

// request asks the service for a conversion, which costs credits. So from then on the conversion stays pending until its
// end is known, however the session ends. If the request was not received, the earlier pending conversion stays pending.
func (s *session) request() error {
	if !s.desired.projectAtRest {
		err := s.engine.refuseBusyProject(s.ctx, s.desired.key())
		if err != nil {
			return err
		}
		s.desired.projectAtRest = true
	}
	waited, err := s.enterRoom(s.ctx)
	if waited || err != nil {
		return err
	}
	later, err := s.ask(s.ctx)
	switch {
	case later && s.notFoundAt.IsZero():
		s.waitForLook(time.Time{})
	case later:
		s.waitForLook(s.notFoundAt.Add(secondLook))
	}
	return err
}

// waitForLook lets nothing be decided before another look, which may be one at the given time, if that is not zero.
func (s *session) waitForLook(at time.Time) {
	s.decided, s.waits = Decision{Step: Wait, Until: at}, true
}

// enterRoom takes a place for the conversion. If it has waited for one, it has looked again.
func (s *session) enterRoom(ctx context.Context) (waited bool, err error) {
	c := s.chapter
	if c.place != nil {
		return false, nil
	}
	c.place, waited, err = s.engine.room.take(ctx, s.outcome.Postponed != nil, func(refusal error) {
		s.desired.ownTime.pause()
		s.outcome.Postponed = refusal
		s.reportProgress()
	})
	if waited {
		s.desired.ownTime.run()
	}
	if err != nil || !waited {
		return waited, err
	}
	s.postponedSince = time.Time{}
	latest, err := s.lists.listing(ctx, s.engine.clock.now().Add(-requestAge))
	if err != nil {
		return true, err
	}
	c.take(ctx, latest)
	return true, nil
}

// ask sends the request. later: the service has not begun, and is asked again after another look.
func (s *session) ask(ctx context.Context) (later bool, err error) {
	c, last := s.chapter, s.seen[len(s.seen)-1]
	answered, err := s.engine.options.Reserve(s.desired, last.chapter)
	if err != nil {
		return false, err
	}
	c.noteAsking(last.chapter)
	c.place.sent()
	_, err = s.engine.options.Client.ConvertChapter(ctx, s.desired.ProjectID, last.chapter.ChapterID)
	answered(ctx, err)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asking.operation = nil
	kept, isFull := c.place.answered(err)
	c.place = kept
	waiting := ctx // for a place, which its own time does not count
	if s.desired.ownTime != nil {
		waiting = s.desired.ownTime.Context
	}
	if isFull && endsInTime(waiting, err) { // Once more, when it has a place.
		return false, nil
	}
	if s.mayRequestLater(ctx, err) {
		s.outcome.Postponed = err
		s.reportProgress()
		return true, nil
	}
	pending := &operation{ResumeToken: ResumeToken{Baseline: baselineOf(last.chapter)}, answer: err}
	pending.PreviousRemainder = s.previousRemainder()
	switch {
	case errors.Is(err, audioprojects.Rejected):
		// The chapter may be converting already: for somebody else, or for us, by an earlier request or because a proxy sent it twice.
		s.outcome.WaitedFor, pending.Phase, pending.Triggers = true, PhaseRefused, value(s.pending).Triggers
	case err == nil, errors.Is(err, audioprojects.Ambiguous):
		pending.RequestedAtUnix = &pending.SinceUnix // which makePending sets
		pending.Phase, pending.ConvertedAfter = PhaseAccepted, s.desired.ConvertedAfter
		if err != nil {
			pending.Phase = PhaseRequested
		}
		s.outcome.Requested, s.outcome.WaitedFor = true, false
	default:
		return false, err
	}
	s.after = s.engine.clock.now()
	s.makePending(pending, s.after)
	s.share()
	s.reportProgress()
	return false, nil
}

// noteAsking lets those whose time is over keep what the service is asked for, until the answer is there.
func (c *chapter) noteAsking(shown audioprojects.Chapter) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.lists.clock.now()
	token := ResumeToken{Phase: PhaseRequested, Baseline: baselineOf(shown), SinceUnix: now.Unix(), RequestedAtUnix: new(now.Unix())}
	c.asking.operation = &operation{ResumeToken: token, since: now}
}

// previousRemainder is how much text the conversion before the one that is requested now has left, if a second conversion that leaves the
// same amount shows that the service does not convert it. What is known to be left is noted at once.
func (s *session) previousRemainder() *int64 {
	before, chapter := s.pending, s.seen[len(s.seen)-1].chapter
	endedWell := s.decided.Reason.endedWell()
	switch {
	case before == nil, s.decided.Reason == NoSignBefore: // No other conversion has been between the two.
		return s.desired.SuspectedRemainder
	case endedWell && s.endedUnseen():
		left, _ := chapter.Statistics.Unconverted()
		return &left
	case endedWell && s.decided.Reason != UnconvertedText && before.convertedText(chapter, s.desired.KnownRemainder):
		s.desired.KnownRemainder = before.remainder(chapter)
	}
	return nil
}

// makePending makes a conversion the pending one, and forgets what was seen before it.
func (s *session) makePending(pending *operation, since time.Time) {
	s.outcome.FailedWords, s.outcome.After = string(s.decided.Words), s.decided.Reason
	s.outcome.Postponed, s.postponedSince, s.notFoundAt = nil, time.Time{}, time.Time{}
	pending.since, pending.SinceUnix, pending.seenByThisProcess = since, since.Unix(), true
	if pending.Triggers == "" {
		pending.Triggers = s.desired.Triggers
	}
	s.pending, s.seen, s.requestedForAnother, s.remainder = pending, nil, false, nil
	s.lists.noteStart(time.Now())
}

// occupyRoom takes a place, without waiting, for a conversion that may run already.
func (c *chapter) occupyRoom(s *session) {
	if s.pending != nil && !s.pending.Failed() {
		c.place = s.engine.room.occupy(c.place)
	}
}
