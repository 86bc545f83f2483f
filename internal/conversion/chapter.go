package conversion

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// chapter is what this process knows of a chapter, and the loop that serves all who want something of it: see [chapter.reconcile].
type chapter struct {
	lists  *poller
	reader chapterReader // that of the loop

	mu          sync.Mutex         // protects what follows, and the sessions; the loop does not hold it while it waits, or asks the service
	sessions    []*session         // that are served, in the order in which they came
	arrived     []*session         // that the loop has not begun to serve
	isServed    bool               // the loop runs
	newcomer    chan struct{}      // closed when a session has arrived, and then replaced
	lastHasLeft context.CancelFunc // ends the wait for the next look
	asking      *asking            // nil while the loop asks the service for nothing
	place       *place             // of the conversion that is under way, or is requested; nil if there is none

	// operation is the conversion that was last requested, joined, taken up or handed over in this process, with what looks have shown; nil
	// if there is none.
	operation *operation
	looks     []observation // of the session that looked at it last
	remainder *int64        // how much text it has left unconverted; nil if no session has seen it end well

	// handed is what resources that this process has destroyed remembered of the chapter, for those that replace them.
	handed Memory
}

// at locks what is known of a chapter, and returns it.
func (e *Engine) at(key chapterKey) (known *chapter, unlock func()) {
	c := e.chapter(key)
	c.mu.Lock()
	return c, c.mu.Unlock
}

func (e *Engine) chapter(key chapterKey) *chapter {
	lists := e.listsOf(key.projectID)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.chapters[key] == nil {
		e.chapters[key] = &chapter{lists: lists}
	}
	return e.chapters[key]
}

// oldestList is the earliest request time of the lists that a session may use: young ones, from after the chapter's latest conversion here.
func (c *chapter) oldestList(s *session, age time.Duration) time.Time {
	return slices.MaxFunc([]time.Time{c.lists.clock.now().Add(-age), value(c.operation).since, s.after.Add(1)}, time.Time.Compare)
}

// takeOver makes the conversion that this process has last known of the session's own, with what looks have shown, if it was requested later
// than the one that the session has, or if another session has looked at the same one. So the resources for a chapter have one conversion,
// and one end. A later one that another session has joined may be our own, and is not taken.
func (s *session) takeOver() bool {
	c := s.chapter
	mine, latest := s.pending, c.operation
	if latest == nil || !s.mayTakeOver(latest) {
		return false
	}
	isLater := latest.isAfter(mine) && (mine == nil || !latest.Joined() || latest.refused())
	wasSeen := mine != nil && latest.SinceUnix == mine.SinceUnix && len(s.seen) == 0 && len(c.looks) > 0
	if !isLater && !wasSeen {
		return false
	}
	s.requestedForAnother = s.desired.isOlder(latest, s.began)
	s.pending, s.remainder, s.seen = s.desired.asTakenOver(*latest), c.remainder, slices.Clone(c.looks)
	for i := range s.seen {
		s.seen[i].pending = s.desired.asTakenOver(*s.seen[i].pending)
		s.outcome.Chapter, s.answeredAt = s.seen[i].chapter, s.seen[i].requestedAt
	}
	s.outcome.WaitedFor, s.outcome.Postponed, s.postponedSince = true, nil, time.Time{}
	if !s.after.IsZero() && latest.since.After(s.after) {
		s.after = latest.since // A list from before the request shows nothing of it.
	}
	return true
}

// keepLastKnown is for a session whose time is over: it keeps the conversion that the chapter has, and also one that the service is asked
// for. A slow service may have received that request, and the next apply would pay again without a resume token.
func (s *session) keepLastKnown() {
	s.takeOver()
	asking := s.chapter.asking
	isAsked := asking != nil && asking.operation != nil
	if isAsked && s.mode != awaits {
		s.pending, s.outcome.WaitedFor = s.desired.asTakenOver(*asking.operation), true
	}
}

// lastKnown is the resume token of a desired state whose session has not begun, and does not begin: other resources may have the chapter
// converted.
func (e *Engine) lastKnown(desired Desired) *ResumeToken {
	s := e.newSession(context.Background(), desired, converts)
	s.chapter.mu.Lock()
	defer s.chapter.mu.Unlock()
	s.keepLastKnown()
	return s.pending.saved()
}

// mayTakeOver reports whether a conversion that another session has left may be this one's, too.
func (s *session) mayTakeOver(latest *operation) bool {
	hasEnded := latest.since.IsZero() && latest.dateMovedSinceBusy(s.desired.Date) // by what an earlier apply has seen
	switch {
	case s.mode == awaits: // It requests nothing, and its own is to be handed over.
		return false
	case latest.Failed() && !latest.seenByThisProcess: // A failure of an earlier apply is only its own resource's.
		return false
	case s.pending == nil && s.desired.Known && hasEnded: // What is unconverted after its end is wanted.
		return false
	case latest.refused(): // Who asks for nothing is not refused anything, and who comes later asks again.
		askedBeside := !latest.since.Before(s.began)
		return s.decided.Step == Request && (askedBeside || audioprojects.MayMeanBusy(latest.answer))
	default:
		return true
	}
}

// register lets other sessions follow what a desired state has pending, also before a look has shown it or it is served: a list that hides
// it may be used by another one.
func (e *Engine) register(desired Desired) {
	p := resumed(desired.Pending)
	if p == nil || p.Failed() {
		return
	}
	c, unlock := e.at(desired.key())
	defer unlock()
	c.note(p)
}

// note records a conversion of which no session has seen anything yet, unless a later one is known; nil stands for none.
func (c *chapter) note(p *operation) {
	if p != nil && p.isAfter(c.operation) {
		c.operation, c.looks, c.remainder = p, nil, nil
	}
}

// share keeps what the session follows, and has seen, for those that come later.
func (s *session) share() {
	c := s.chapter
	mine := s.pending
	isLatest := c.operation == nil || !c.operation.isAfter(mine)
	if mine != nil && isLatest {
		c.operation, c.looks, c.remainder = mine, s.seen, s.remainder
	}
}
