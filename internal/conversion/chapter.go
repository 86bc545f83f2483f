package conversion

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// chapter is what this process knows of a chapter, beside its lists, and the loop that serves all sessions for it.
type chapter struct {
	lists  *poller
	reader *chapterReader // of the loop

	mu         sync.Mutex // protects what follows
	sessions   []*session
	arriving   []*session
	isServed   bool
	woken      chan struct{}
	nobodyLeft context.CancelFunc
	asking     *asking
	place      *place // nil if no conversion is under way, and none is requested

	// followed is the conversion that was last requested, joined, taken up or handed over in this process, with what looks have shown; nil
	// if there is none.
	followed *pursuit
	looks    []observation // of the session that looked at it last
	left     *int64        // how much text it has left unconverted; nil if no session has seen it end well

	// handed is what resources that this process has destroyed remembered of the chapter, for those that replace them.
	handed Memory
}

// asking is what the loop does for a session without holding the chapter.
type asking struct {
	session *session
	done    chan struct{}
	pending *pursuit // what the service is asked for; nil if it is not yet, or has answered
}

// chapter returns what is known of a chapter.
func (e *Engine) chapter(key chapterKey) *chapter {
	e.mu.Lock()
	c := e.chapters[key]
	e.mu.Unlock()
	if c != nil {
		return c
	}
	c = &chapter{lists: e.listsOf(key.projectID), reader: e.chapterReader(Demand{ProjectID: key.projectID, ChapterID: key.chapterID})}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.chapters[key] == nil {
		e.chapters[key] = c
	}
	return e.chapters[key]
}

// at locks what is known of a chapter, and returns it.
func (e *Engine) at(key chapterKey) (known *chapter, unlock func()) {
	c := e.chapter(key)
	c.mu.Lock()
	return c, c.mu.Unlock
}

// follow makes the conversion that this process has last known of the session's own, with what looks have shown, if it was requested later
// than the one that the session has, or if another session has looked at the same one. So the blocks for a chapter have one conversion,
// and one end. A later one that another session has joined may be our own, and is not taken.
func (s *session) follow() bool {
	c := s.known
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

// beginAsking lets those whose time is over keep what the owner is asking for, until the answer is there.
func (s *session) beginAsking(shown audioprojects.Chapter) {
	now := s.engine.clock.now()
	ticket := Ticket{Phase: PhaseRequested, Baseline: baselineOf(shown), SinceUnix: now.Unix(), RequestedAtUnix: new(now.Unix())}
	s.known.mu.Lock()
	defer s.known.mu.Unlock()
	s.known.asking.pending = &pursuit{Ticket: ticket, since: now}
}

// lastKnown is the ticket of a demand whose session has not begun, and does not begin: other resources may have the chapter converted.
func (e *Engine) lastKnown(demand Demand) *Ticket {
	s := e.newSession(demand, converts, e.clock.now())
	c := s.known
	c.mu.Lock()
	defer c.mu.Unlock()
	s.follow()
	if c.asking != nil && c.asking.pending != nil {
		s.pending = s.demand.following(*c.asking.pending)
	}
	return s.pending.saved()
}

// concerns reports whether a conversion that another session has left may be this one's, too.
func (s *session) concerns(latest *pursuit) bool {
	hasEnded := latest.since.IsZero() && latest.finished(s.demand.Date) // by what an earlier apply has seen
	switch {
	case latest.Failed() && !latest.live: // A failure of an earlier apply is only its own block's.
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

// register lets other sessions follow what a demand has pending, also before a look has shown it or its turn has come: a list that hides
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
	c := s.known
	mine := s.pending
	isLatest := c.followed == nil || !c.followed.isAfter(mine)
	if s.mode != predicts && mine != nil && isLatest {
		c.followed, c.looks, c.left = mine, s.seen, s.left
	}
}

// latestOf is the later of two conversions that resources remember; nil stands for none. Of the same one, the time that it was requested
// for, and a timeout, may be known to one resource only.
func latestOf(first, second *Ticket) *Ticket {
	switch {
	case first == nil, second != nil && second.SinceUnix > first.SinceUnix:
		return second
	case second == nil, second.SinceUnix < first.SinceUnix:
		return first
	}
	both := *first
	both.ConvertedAfter = cmp.Or(first.ConvertedAfter, second.ConvertedAfter)
	if first.Phase == PhaseAccepted && second.Phase == PhaseTimedOut {
		both.Phase = PhaseTimedOut
	}
	return &both
}

// withHandedOver returns the demand of a new resource with what destroyed ones have handed over for its chapter.
func (e *Engine) withHandedOver(demand Demand) Demand {
	c, unlock := e.at(demand.key())
	defer unlock()
	isNew := !demand.Known && demand.Memory == (Memory{})
	if isNew {
		demand.Memory, demand.handed = c.handed, c.handed.Pending != nil
	}
	if demand.handed && demand.UpToDate { // Its plan has counted no other triggers.
		pending := *demand.Pending
		pending.Triggers, demand.Pending = demand.Triggers, &pending
	}
	return demand
}

// HandOver keeps what a resource remembers of its chapters, by chapter, for those that are created later in this process. A failure is
// not kept: no plan of a new resource counts on what another one remembers, and each of them sees what failed as unconverted text.
func (e *Engine) HandOver(projectID string, kept map[string]Memory) {
	for chapterID, k := range kept {
		if k.Pending.Failed() {
			k.Pending = nil
		}
		c, unlock := e.at(chapterKey{projectID, chapterID})
		before := c.handed // by another resource
		c.handed = Memory{
			Pending:            latestOf(before.Pending, k.Pending),
			KnownRemainder:     cmp.Or(k.KnownRemainder, before.KnownRemainder),
			SuspectedRemainder: cmp.Or(k.SuspectedRemainder, before.SuspectedRemainder),
			ConvertedFor:       cmp.Or(k.ConvertedFor, before.ConvertedFor),
		}
		c.note(resumed(c.handed.Pending))
		unlock()
	}
}

// HandedOver are the ids of the chapters of a project for which something was handed over in this process.
func (e *Engine) HandedOver(projectID string) (ids []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for key, c := range e.chapters {
		c.mu.Lock()
		if key.projectID == projectID && c.handed != (Memory{}) {
			ids = append(ids, key.chapterID)
		}
		c.mu.Unlock()
	}
	slices.Sort(ids)
	return ids
}
