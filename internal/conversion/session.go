package conversion

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// mode is what a session may do.
type mode int

const (
	predicts mode = iota // a plan, a refresh, or the beginning of a project's apply: it looks, once more where one look is not enough
	awaits               // the wait before a replacement: it waits for what is pending, and keeps that pending
	converts             // an apply or an action
)

// session serves one demand: it looks at the chapter, does what [decide] says, and looks again, to the end, or as far as its mode allows.
type session struct {
	evidence
	mode   mode
	engine *Engine
	lists  *poller
	reader *chapterReader

	outcome Outcome  // its Pending is set when it is told
	pending *pursuit // the conversion that this session follows; nil if there is none
	decided Decision // the latest
	owns    bool     // it has the chapter's turn
	place   *place   // nil if it has no conversion under way, and requests none
	ended   bool
	err     error     // why it has ended; nil if as decided
	after   time.Time // lists that were requested after this are new to the session; zero before the first

	answeredAt     time.Time // answer time of the list that shows the chapter as last seen
	failed         failedLooks
	notFoundAt     time.Time // when the service did not find the chapter whose conversion was requested; zero if it did
	postponedSince time.Time // when the service first answered that it has not begun what is to be requested; zero if it has not
}

func (e *Engine) newSession(demand Demand, mode mode, began time.Time) *session {
	s := &session{
		evidence: evidence{demand: demand, acts: mode != predicts, began: began},
		mode:     mode, engine: e, lists: e.listsOf(demand.ProjectID), reader: e.chapterReader(demand),
	}
	s.place = demand.place
	s.pending, s.early, s.outcome.WaitedFor = resumed(demand.Pending), demand.handed, demand.Pending != nil
	if mode != predicts {
		e.register(demand)
	}
	return s
}

// run runs until the demand has ended, or the context.
func (s *session) run(ctx context.Context) (Outcome, error) {
	defer s.leaveRoom()
	if s.mode == converts {
		s.err = s.takeTurn(ctx)
		s.owns, s.ended = s.err == nil, s.err != nil
		if s.owns {
			defer s.giveTurn()
			s.occupyRoom()
		}
	}
	for !s.ended {
		s.step(ctx)
	}
	if s.sawLongAgo(ctx) {
		s.lookOnceMore(ctx)
	}
	s.outcome.Waited, s.outcome.Pending = time.Since(s.began), s.pending.saved()
	if time.Since(s.answeredAt) <= longAgo {
		s.outcome.ListedAt = time.Time{}
	}
	if s.err == nil {
		s.outcome.Reason, s.outcome.KnownRemainder, s.outcome.SuspectedRemainder = s.decided.Reason, s.decided.KnownRemainder, s.decided.SuspectedRemainder
		s.outcome.ConvertedFor = s.demand.convertedFor(s.outcome.Chapter)
		return s.outcome, nil
	}
	pending := s.pending.saved()
	if s.wasEdited() {
		pending = pending.AsJoined() // It is not about that text.
	}
	s.outcome.Memory = s.demand.Memory // What was known before is as true as then.
	switch {
	case s.decided.Reason != Refused:
		s.outcome.Pending = pending
	case s.outcome.After.endedWell():
		s.outcome.Pending = nil
	}
	return s.outcome, s.err
}

// wasEdited reports whether the text was edited after the request for another demand that the session follows.
func (s *session) wasEdited() bool {
	p, chapter := s.pending, s.outcome.Chapter
	if p == nil || !s.early || chapter.ChapterID == "" {
		return false
	}
	return p.TextLengthChanged(chapter) || s.left != nil && openIn(chapter, *s.left)
}

// step decides what to do, and does it.
func (s *session) step(ctx context.Context) {
	s.decided = decide(s.evidence)
	s.outcome.Undated = s.undated()
	s.trace(ctx)
	step := s.decided.Step
	isToLook := step == Look || step == Wait
	mayLook := s.mode != predicts || s.after.IsZero() || !s.another().IsZero()
	switch {
	case isToLook && mayLook:
		s.err = s.look(ctx)
	case s.mode == predicts, s.mode == awaits && (step == Join || step == Request):
		s.ended = true
	case step == Join:
		s.join()
	case step == Request && !s.demand.projectAtRest:
		s.err = s.awaitProject(ctx)
	case step == Request:
		s.err = s.request(ctx)
	default:
		s.ended, s.err = true, s.end()
	}
	if s.err != nil {
		s.noteTimeout(ctx)
	}
	s.ended = s.ended || s.err != nil
}

// undated reports whether a conversion has ended well and the chapter shows no newer date. One without a sign may have had nothing to do.
func (s *session) undated() bool {
	p, endsWell := s.pending, s.decided.Step == Done && s.decided.Reason == NoReason
	return endsWell && p != nil && !p.dateMoved(s.outcome.Chapter)
}

// longAgo is how old a look must be before it says nothing of what goes on. Looks are never so far apart while they succeed.
const longAgo = 2 * longestInterval

// lastLook is how long the look after the end of the time may take: a service that is down does not make an apply take longer.
const lastLook = 5 * time.Second

// sawLongAgo reports whether the session is out of time and has not seen its pending conversion for long: the process was stopped, the
// machine slept, or the service did not answer.
func (s *session) sawLongAgo(ctx context.Context) bool {
	outOfTime := s.err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded)
	return outOfTime && s.pending != nil && time.Since(s.answeredAt) > longAgo
}

// lookOnceMore looks at the chapter after the end of the time. If the conversion has ended, so has the session.
func (s *session) lookOnceMore(ctx context.Context) {
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastLook)
	defer cancel()
	latest, err := s.lists.listing(late, s.engine.clock.now())
	if err != nil || s.take(late, latest) != nil {
		return
	}
	decided := decide(s.evidence)
	if decided.Step.isEnd() {
		s.decided = decided
		s.err = s.end()
	}
}

// another is when one look more can decide, or make believable, what the latest has shown; zero if none can.
func (s *session) another() (at time.Time) {
	confirms := s.decided.Until
	if s.mode == predicts && (s.decided.Reason != Confirming || confirms.Sub(s.began) >= 2*secondLook) {
		confirms = time.Time{}
	}
	repeats := time.Time{}
	if s.mode == predicts && s.failed.alike > 0 {
		repeats = s.after.Add(shortestInterval)
	}
	for _, moment := range []time.Time{confirms, repeats, s.reader.again(s.after)} {
		if moment.After(s.after) && (at.IsZero() || moment.Before(at)) {
			at = moment
		}
	}
	return at
}

// sharingDelay is how long a look that needs a new list waits first, so that demands share it: Terraform begins ten at once.
const sharingDelay = 20 * time.Millisecond

// look takes the first look at once, and a newer one if what was seen is older than the session. Otherwise it looks when the next
// look is due for all, or when one look more can decide, or make believable, what the latest has shown.
func (s *session) look(ctx context.Context) error {
	another := s.another()
	var latest *listing
	var err error
	switch {
	case s.after.IsZero():
		latest, err = s.lists.listing(ctx, s.oldest())
		mayRepeat := err == nil && s.mode != predicts
		if mayRepeat && latest.err != nil && !latest.answeredAt.After(s.began) {
			// This list failed before the session began. A session does not begin with an old error.
			latest, err = s.lists.listing(ctx, s.engine.clock.now())
		}
	case s.mode == predicts, s.pending == nil && !another.IsZero():
		latest, err = s.lists.at(ctx, another, another)
	case s.decided.Step == Look && len(s.seen) > 0 && s.after.Before(s.began):
		latest, err = s.lists.at(ctx, s.began.Add(sharingDelay), s.began)
	default:
		s.lists.noteStart(s.began)
		latest, err = s.lists.next(ctx, s.after, another)
	}
	if err != nil {
		return err
	}
	return s.take(ctx, latest)
}

// oldest is the earliest request time of the lists that this session may use: young ones, from after the chapter's latest conversion here.
func (s *session) oldest() time.Time {
	age := requestAge
	if s.mode == predicts {
		age = refreshAge
	}
	c, unlock := s.engine.at(s.demand.key())
	defer unlock()
	return slices.MaxFunc([]time.Time{s.engine.clock.now().Add(-age), value(c.followed).since, s.after.Add(1)}, time.Time.Compare)
}

// take records what the lists show that this session has not used, and reports it. The error is that of the latest, if it ends the session.
func (s *session) take(ctx context.Context, latest *listing) error {
	for _, found := range s.lists.since(s.oldest()) {
		if found.requestedAt.Before(latest.requestedAt) {
			s.failed.note(s.note(ctx, found), found.requestedAt)
		}
	}
	err := s.note(ctx, latest)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.outcome.Problem = err
	s.failed.note(err, latest.requestedAt)
	s.reportProgress()
	if err == nil || s.looksAgainAfter(ctx, err) {
		return nil
	}
	return err
}

// note records what a list shows.
func (s *session) note(ctx context.Context, found *listing) error {
	s.after = found.requestedAt
	seen, believed, err := s.reader.read(ctx, found)
	older := len(s.seen) > 0 && seen.requestedAt.Before(s.seen[len(s.seen)-1].requestedAt) // than the project's record, which was seen before it
	if !believed || ctx.Err() != nil || older {
		return err
	}
	s.outcome.Chapter, s.answeredAt, s.outcome.ListedAt = seen.chapter, found.answeredAt, found.answeredAt
	if s.pending != nil {
		next := *s.pending.observed(seen.chapter)
		if next.Joined() && (audioprojects.Chapter{State: next.Baseline.State}).Busy() && seen.chapter.Busy() {
			// A running conversion of somebody else counts for the triggers of this demand, too; not one that was handed over.
			next.Triggers = s.demand.Triggers
		}
		s.pending = &next
	}
	seen.pending = s.pending
	s.seen = append(s.seen, seen)
	s.share()
	return nil
}

// join makes a conversion that somebody else requested the pending one.
func (s *session) join() {
	now := s.seen[len(s.seen)-1]
	s.outcome.WaitedFor = true
	defer s.occupyRoom()
	s.makePending(&pursuit{Ticket: Ticket{Phase: PhaseAccepted, Baseline: baselineOf(now.chapter)}}, s.engine.clock.now())
	now.pending = s.pending.observed(now.chapter)
	s.pending, s.seen = now.pending, []observation{now}
	s.share()
	s.reportProgress()
}

// makePending makes a conversion the pending one, and forgets what was seen before it.
func (s *session) makePending(pending *pursuit, since time.Time) {
	s.outcome.FailedWords, s.outcome.After = string(s.decided.Words), s.decided.Reason
	s.outcome.Postponed, s.postponedSince, s.notFoundAt = nil, time.Time{}, time.Time{}
	pending.since, pending.SinceUnix, pending.Triggers, pending.live = since, since.Unix(), cmp.Or(pending.Triggers, s.demand.Triggers), true
	s.pending, s.seen, s.early, s.left = pending, nil, false, nil
	s.lists.noteStart(time.Now())
}

// awaitProject waits while something is under way in the whole project, and looks again after that.
func (s *session) awaitProject(ctx context.Context) error {
	waited, err := s.engine.awaitProject(ctx, Project{ProjectID: s.demand.ProjectID})
	s.demand.projectAtRest = true
	if !waited || err != nil {
		return err
	}
	s.decided = Decision{Step: Wait}
	return s.look(ctx)
}

// request asks the service for a conversion, which costs credits. So from then on the conversion stays pending until its
// end is known, however the session ends. If the request was not received, the earlier pending conversion stays pending.
func (s *session) request(ctx context.Context) error {
	waited, err := s.enterRoom(ctx)
	if waited || err != nil {
		return err
	}
	later, err := s.ask(ctx)
	if !later {
		return err
	}
	s.decided = Decision{Step: Wait}
	if !s.notFoundAt.IsZero() {
		s.decided.Until = s.notFoundAt.Add(secondLook)
	}
	return s.look(ctx)
}

// enterRoom takes a place for the conversion. If it has waited for one, it has looked again.
func (s *session) enterRoom(ctx context.Context) (waited bool, err error) {
	if s.place != nil {
		return false, nil
	}
	s.place, waited, err = s.engine.room.take(ctx, s.outcome.Postponed != nil, func(refusal error) {
		s.outcome.Postponed = refusal
		s.reportProgress()
	})
	if err != nil || !waited {
		return waited, err
	}
	s.postponedSince = time.Time{}
	latest, err := s.lists.listing(ctx, s.engine.clock.now().Add(-requestAge))
	if err != nil || !latest.requestedAt.After(s.after) {
		return true, err
	}
	return true, s.take(ctx, latest)
}

// occupyRoom is for a session that follows a conversion which may run already.
func (s *session) occupyRoom() {
	if s.pending != nil && !s.pending.Failed() {
		s.leaveRoom()
		s.place = s.engine.room.occupy()
	}
}

func (s *session) leaveRoom() {
	s.place.leave()
	s.place = nil
}

// ask sends the request, unless another session has a newer conversion. later: the service has not begun, and is asked again after
// another look.
func (s *session) ask(ctx context.Context) (later bool, err error) {
	last := s.seen[len(s.seen)-1]
	if s.follow() {
		s.occupyRoom()
		return false, nil
	}
	answered, err := s.engine.options.Reserve(s.demand, last.chapter)
	if err != nil {
		return false, err
	}
	s.beginAsking(last.chapter)
	defer s.endAsking() // when the others can follow it
	s.place.sent()
	err = s.engine.options.Client.ConvertChapter(ctx, s.demand.ProjectID, last.chapter.ChapterID, s.answeredAt.Add(requestAge))
	answered(ctx, err)
	kept, isFull := s.place.answered(err)
	s.place = kept
	if isFull && endsInTime(ctx, err) { // Once more, when it has a place.
		return false, nil
	}
	if s.mayRequestLater(ctx, err) {
		if !errors.Is(err, audioprojects.Overdue) {
			s.outcome.Postponed = err
			s.reportProgress()
		}
		return true, nil
	}
	before, pending := s.pending, &pursuit{Ticket: Ticket{Baseline: baselineOf(last.chapter), HungUp: audioprojects.HungUp(err)}, answer: err}
	endedWell := s.decided.Reason.endedWell()
	switch {
	case before == nil, s.decided.Reason == NoSignBefore: // No other conversion has been between the two.
		pending.PreviousRemainder = s.demand.SuspectedRemainder
	case endedWell && s.endedUnseen():
		left, _ := last.chapter.Statistics.Unconverted()
		pending.PreviousRemainder = &left
	case endedWell && s.decided.Reason != OpenText && before.convertedText(last.chapter, s.demand.KnownRemainder):
		s.demand.KnownRemainder = before.remainder(last.chapter)
	}
	switch {
	case errors.Is(err, audioprojects.Rejected):
		// The chapter may be converting already: for somebody else, or for us, by an earlier request or because a proxy sent it twice.
		s.outcome.WaitedFor, pending.Phase, pending.Triggers = true, PhaseRefused, value(before).Triggers
	case err == nil, errors.Is(err, audioprojects.Ambiguous):
		pending.RequestedAtUnix = &pending.SinceUnix // which makePending sets
		pending.Phase, pending.ConvertedAfter = PhaseAccepted, s.demand.ConvertedAfter
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

// reportProgress reports how far the session is.
func (s *session) reportProgress() {
	told := s.outcome
	told.Pending, told.Problem = s.pending.saved(), cmp.Or(told.Problem, told.Postponed)
	if s.demand.Progress != nil {
		s.demand.Progress(told)
	}
	if s.owns {
		s.tell(told)
	}
}

// end ends the session as decided. The error is nil if the demand is fulfilled.
func (s *session) end() error {
	decided, p := s.decided, s.pending
	if decided.Reason == Error {
		failed := *p
		failed.Ticket = *p.AsFailed(decided.Words)
		s.pending = &failed
	}
	if decided.Step == Unknown && audioprojects.AnsweredWithError(p.answer) {
		watched := *p
		watched.Phase = PhaseWatched
		s.pending = &watched
	}
	if s.mode == awaits {
		return s.failure(p)
	}
	first := s.sameFrom(conclusion{Decision: decided})
	if s.outcome.Requested {
		ran := time.Duration(0)
		if first > 0 {
			ran = s.seen[first-1].requestedAt.Sub(p.since)
		}
		s.lists.noteLength(ran)
	}
	if decided.Step == Done && p != nil {
		s.left = new(p.remainder(s.outcome.Chapter))
	}
	// Others follow the conversion with no more looks than these, because a project has thousands of chapters; the one before the end tells
	// that the conversion has not ended before this apply.
	s.seen = slices.Clone(s.seen[max(first-1, 0):])
	s.share() // before this session forgets it
	s.outcome.WaitedFor = s.outcome.WaitedFor && decided.Reason != NothingLeft
	if decided.Step == Done {
		s.pending = nil
	}
	return s.failure(p)
}

// failure is the error of an end; nil if the demand is fulfilled.
func (s *session) failure(pending *pursuit) error {
	switch {
	case s.decided.Reason == Refused:
		return pending.answer
	case s.decided.Step == Failed:
		return &FailedError{Reason: s.decided.Reason, Words: string(s.decided.Words), Joined: pending.Joined()}
	case s.decided.Step == Unknown:
		return &UnconfirmedError{Lost: pending.answer}
	default:
		return nil
	}
}

// longestUndocumented is how long a state that the document does not list, or a progress that rests, may mean a
// running conversion although nothing changes. Without such a limit, a chapter with a state such as "cancelled" could
// never be converted again.
const longestUndocumented = time.Hour

// noteTimeout records that a whole timeout has shown no sign, or nothing but a state that the document does not list
// or a progress that rests: no other wait is as long. A timeout that is shorter than the window ends each watch for a sign. So the next
// apply does not watch again.
func (s *session) noteTimeout(ctx context.Context) {
	outOfTime := s.decided.Step == Wait && errors.Is(ctx.Err(), context.DeadlineExceeded)
	if s.pending == nil || !outOfTime || len(s.seen) == 0 {
		return
	}
	p, now := *s.pending, s.seen[len(s.seen)-1]
	sinceRequest := time.Since(time.Unix(p.SinceUnix, 0))
	switch {
	case !p.live && s.conclude(now).Reason == NoSignBefore && sinceRequest >= 2*window: // as long as with a long timeout
		p.Phase = PhaseWatched
	case s.decided.Reason == NotShown && sinceRequest > window:
		p.Phase, p.live = PhaseTimedOut, false // The next block is not to wait as long again, either.
	case (p.undocumented(now.chapter) || p.Progresses(now.chapter)) && sinceRequest >= longestUndocumented:
		p.Baseline.State, p.Baseline.Progress = now.chapter.State, now.chapter.ConversionProgress
	}
	s.pending = &p
	s.share()
}
