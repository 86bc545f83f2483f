package conversion

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// chapter is what this process knows of a chapter, beside its lists. Engine.mu protects it, but not turn, which never changes.
type chapter struct {
	// turn has an element while a session owns the chapter: from its first look to its end, no other one requests or joins a conversion.
	turn chan struct{}
	// told is what the owner has last reported, for those that wait for the turn. news is closed at a new report, and then replaced.
	told Outcome
	news chan struct{}

	// followed is the conversion that was last requested, joined, taken up or handed over in this process, with what looks have shown; nil
	// if there is none.
	followed *pursuit
	looks    []observation // of the session that looked at it last
	left     *int64        // how much text it has left unconverted; nil if no session has seen it end well

	// asked is the conversion that the owner is asking the service for; nil once the answer is there.
	asked *pursuit

	// handed is what resources that this process has destroyed remembered of the chapter, for those that replace them.
	handed Memory
}

// at locks the engine, and returns what is known of a chapter.
func (e *Engine) at(key chapterKey) (known *chapter, unlock func()) {
	e.mu.Lock()
	if e.chapters[key] == nil {
		e.chapters[key] = &chapter{turn: make(chan struct{}, 1), news: make(chan struct{})}
	}
	return e.chapters[key], e.mu.Unlock
}

// takeTurn makes the session the owner of its chapter, and what is known of the chapter its own. It waits until the owner before it has
// ended, and meanwhile reports what that one sees. If the context ends first, the session is no owner, and keeps the conversion that the
// owner follows.
func (s *session) takeTurn(ctx context.Context) error {
	c, unlock := s.engine.at(s.demand.key())
	unlock()
	waited, err := s.waitForTurn(ctx, c)
	if err != nil {
		s.awaitLastWord(c)
		s.keepLastKnown()
		return err
	}
	if waited {
		s.outcome = Outcome{WaitedFor: s.pending != nil} // What the other one saw was only for the screen.
	}
	follows := s.follow()
	timesOut := follows && s.pending.Phase == PhaseTimedOut && len(s.seen) > 0
	if waited && timesOut { // The time of the owner before was over, and not that of this one, which goes on with what that has seen.
		s.pending = s.seen[len(s.seen)-1].pending
	}
	if waited && follows {
		s.reportProgress() // how the conversion has ended for the owner before, perhaps
	}
	return nil
}

func (s *session) waitForTurn(ctx context.Context, c *chapter) (waited bool, err error) {
	for {
		select {
		case c.turn <- struct{}{}:
			return waited, nil
		default:
			waited = true
			s.leaveRoom() // The owner may wait for a place.
		}
		news := s.reportOwner()
		select {
		case c.turn <- struct{}{}:
			return waited, nil
		case <-news:
		case <-ctx.Done():
			return waited, ctx.Err()
		}
	}
}

// reportOwner reports what the owner of the chapter has seen, for a session that waits for its turn. News are there when the channel is
// closed.
func (s *session) reportOwner() (news <-chan struct{}) {
	c, unlock := s.engine.at(s.demand.key())
	told, news := c.told, c.news
	unlock()
	isNew := told.Chapter.ChapterID != "" || told.Problem != nil
	if isNew {
		s.outcome.Chapter, s.outcome.Problem, s.outcome.ListedAt = told.Chapter, told.Problem, told.ListedAt
		s.outcome.WaitedFor = told.Pending != nil || s.pending != nil
		s.reportProgress()
	}
	return news
}

// awaitLastWord waits for the owner of the chapter when this session's time is over. That one usually ends for the same reason, such as
// Ctrl-C, and then knows whether its request was sent.
func (s *session) awaitLastWord(c *chapter) {
	select {
	case c.turn <- struct{}{}:
		<-c.turn
	case <-time.After(50 * time.Millisecond):
	}
}

// giveTurn lets the next session own the chapter.
func (s *session) giveTurn() {
	c, unlock := s.engine.at(s.demand.key())
	defer unlock()
	c.told = Outcome{}
	<-c.turn
}

// tell is for the sessions that wait for their turn: they report what the owner has.
func (s *session) tell(told Outcome) {
	c, unlock := s.engine.at(s.demand.key())
	defer unlock()
	c.told = told
	close(c.news)
	c.news = make(chan struct{})
}

// follow makes the conversion that this process has last known of the session's own, with what looks have shown, if it was requested later
// than the one that the session has, or if another session has looked at the same one. So the blocks for a chapter have one conversion,
// and one end. A later one that another session has joined may be our own, and is not taken.
func (s *session) follow() bool {
	c, unlock := s.engine.at(s.demand.key())
	defer unlock()
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
	c, unlock := s.engine.at(s.demand.key())
	defer unlock()
	c.asked = &pursuit{Ticket: ticket, since: now}
}

func (s *session) endAsking() {
	c, unlock := s.engine.at(s.demand.key())
	defer unlock()
	c.asked = nil
}

// keepLastKnown is for a session whose time is over before its turn: it keeps the conversion that the owner follows, or is asking for. A
// slow service may have received that request, and the next apply would pay again without a ticket.
func (s *session) keepLastKnown() {
	s.follow()
	c, unlock := s.engine.at(s.demand.key())
	defer unlock()
	if c.asked != nil {
		s.pending, s.outcome.WaitedFor = s.demand.following(*c.asked), true
	}
}

// lastKnown is the ticket of a demand whose session has not begun, and does not begin: other resources may have the chapter converted.
func (e *Engine) lastKnown(demand Demand) *Ticket {
	s := e.newSession(demand, converts, e.clock.now())
	s.keepLastKnown()
	return s.pending.saved()
}

// concerns reports whether a conversion that another session has left may be this one's, too.
func (s *session) concerns(latest *pursuit) bool {
	hasEnded := latest.since.IsZero() && latest.dateMovedSinceBusy(s.demand.Date) // by what an earlier apply has seen
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
	c, unlock := s.engine.at(s.demand.key())
	defer unlock()
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
		if key.projectID == projectID && c.handed != (Memory{}) {
			ids = append(ids, key.chapterID)
		}
	}
	slices.Sort(ids)
	return ids
}
