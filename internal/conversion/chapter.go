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

	// followed is the conversion that was last requested, joined, taken up or handed over in this process, with what looks have shown; nil
	// if there is none.
	followed *pursuit
	looks    []observation // of the session that looked at it last
	left     *int64        // how much text it has left unconverted; nil if no session has seen it end well

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
	return slices.MaxFunc([]time.Time{c.lists.clock.now().Add(-age), value(c.followed).since, s.after.Add(1)}, time.Time.Compare)
}

// follow makes the conversion that this process has last known of the session's own, with what looks have shown, if it was requested later
// than the one that the session has, or if another session has looked at the same one. So the resources for a chapter have one conversion,
// and one end. A later one that another session has joined may be our own, and is not taken.
func (s *session) follow() bool {
	c := s.chapter
	mine, latest := s.pending, c.followed
	if latest == nil || !s.concerns(latest) {
		return false
	}
	isLater := latest.isAfter(mine) && (mine == nil || !latest.Joined() || latest.refused())
	wasSeen := mine != nil && latest.SinceUnix == mine.SinceUnix && len(s.seen) == 0 && len(c.looks) > 0
	if !isLater && !wasSeen {
		return false
	}
	s.early = s.demand.isOlder(latest, s.began)
	s.pending, s.left, s.seen = s.demand.following(*latest), c.left, slices.Clone(c.looks)
	for i := range s.seen {
		s.seen[i].pending = s.demand.following(*s.seen[i].pending)
		s.outcome.Chapter, s.answeredAt = s.seen[i].chapter, s.seen[i].requestedAt
	}
	s.outcome.WaitedFor, s.outcome.Postponed, s.postponedSince = true, nil, time.Time{}
	if !s.after.IsZero() && latest.since.After(s.after) {
		s.after = latest.since // A list from before the request shows nothing of it.
	}
	return true
}

// keepLastKnown is for a session whose time is over: it keeps the conversion that the chapter has, and also one that the service is asked
// for. A slow service may have received that request, and the next apply would pay again without a ticket.
func (s *session) keepLastKnown() {
	s.follow()
	asking := s.chapter.asking
	if asking != nil && asking.operation != nil {
		s.pending, s.outcome.WaitedFor = s.demand.following(*asking.operation), true
	}
}

// lastKnown is the ticket of a demand whose session has not begun, and does not begin: other resources may have the chapter converted.
func (e *Engine) lastKnown(demand Demand) *Ticket {
	s := e.newSession(context.Background(), demand, converts)
	s.chapter.mu.Lock()
	defer s.chapter.mu.Unlock()
	s.keepLastKnown()
	return s.pending.saved()
}

// concerns reports whether a conversion that another session has left may be this one's, too.
func (s *session) concerns(latest *pursuit) bool {
	hasEnded := latest.since.IsZero() && latest.dateMovedSinceBusy(s.demand.Date) // by what an earlier apply has seen
	switch {
	case latest.Failed() && !latest.live: // A failure of an earlier apply is only its own resource's.
		return false
	case s.pending == nil && s.demand.Known && hasEnded: // What is open after its end is demanded.
		return false
	case latest.refused(): // Who asks for nothing is not refused anything, and who comes later asks again.
		askedBeside := !latest.since.Before(s.began)
		return s.decided.Step == Request && (askedBeside || audioprojects.MayMeanBusy(latest.answer))
	default:
		return true
	}
}

// register lets other sessions follow what a demand has pending, also before a look has shown it or it is served: a list that hides
// it may be used by another one.
func (e *Engine) register(demand Demand) {
	p := resumed(demand.Pending)
	if p == nil || p.Failed() {
		return
	}
	c, unlock := e.at(demand.key())
	defer unlock()
	c.note(p)
}

// note records a conversion of which no session has seen anything yet, unless a later one is known; nil stands for none.
func (c *chapter) note(p *pursuit) {
	if p != nil && p.isAfter(c.followed) {
		c.followed, c.looks, c.left = p, nil, nil
	}
}

// share keeps what the session follows, and has seen, for those that come later.
func (s *session) share() {
	c := s.chapter
	mine := s.pending
	isLatest := c.followed == nil || !c.followed.isAfter(mine)
	if mine != nil && isLatest {
		c.followed, c.looks, c.left = mine, s.seen, s.left
	}
}
