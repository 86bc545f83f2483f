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
	plans    mode = iota // a plan, a refresh, or the beginning of a project's apply: it looks, once more where one look is not enough
	awaits               // the wait before a replacement: it waits for what is pending, and keeps that pending
	converts             // an apply or an action
)

// session serves one desired state: it notes what looks show of the chapter, does what [decide] says, and ends. All sessions of a chapter
// but those that predict are served by the chapter's loop, which also protects them: see [chapter].
type session struct {
	evidence
	mode    mode
	engine  *Engine
	chapter *chapter
	lists   *poller
	reader  chapterReader
	ctx     context.Context // of who waits for its end
	done    chan struct{}   // closed at its end, if that is not the context's

	outcome Outcome    // its Pending is set when it is told
	pending *operation // the conversion that this session follows; nil if there is none
	decided Decision   // the latest
	waits   bool       // for a look, before anything else is decided
	ended   bool
	err     error     // why it has ended; nil if as decided
	after   time.Time // lists that were requested after this are new to the session; zero before the first
	oldest  time.Time // lists that were requested before this are too old for it

	answeredAt     time.Time // answer time of the list that shows the chapter as last seen
	failed         failedLooks
	notFoundAt     time.Time // when the service did not find the chapter whose conversion was requested; zero if it did
	postponedSince time.Time // when the service first answered that it has not begun what is to be requested; zero if it has not
}

func (e *Engine) newSession(ctx context.Context, desired Desired, mode mode) *session {
	s := &session{
		evidence: evidence{desired: desired, mayRequest: mode != plans, began: e.clock.now()},
		mode:     mode,
		engine:   e,
		chapter:  e.chapter(desired.key()),
		lists:    e.listsOf(desired.ProjectID),
		reader:   newChapterReader(desired, e.recordsOf(desired.ProjectID)),
		ctx:      ctx,
		done:     make(chan struct{}),
	}
	s.pending, s.requestedForAnother, s.outcome.WaitedFor = resumed(desired.Pending), desired.handed, desired.Pending != nil
	return s
}

// serve runs a session to its end, or to that of the context.
func (e *Engine) serve(ctx context.Context, desired Desired, mode mode) (Outcome, error) {
	s := e.newSession(ctx, desired, mode)
	e.register(desired)
	s.chapter.serve(s)
	if s.sawLongAgo() {
		s.lookOnceMore()
	}
	return s.result()
}

// result is what to tell of a session that has ended.
func (s *session) result() (outcome Outcome, err error) {
	defer func() { s.reader.explain(&outcome, err) }()
	s.outcome.Waited, s.outcome.Pending, s.outcome.Decision = time.Since(s.began), s.pending.saved(), s.decided
	if time.Since(s.answeredAt) <= longAgo {
		s.outcome.ListedAt = time.Time{}
	}
	if s.err == nil {
		s.outcome.KnownRemainder, s.outcome.SuspectedRemainder = s.decided.KnownRemainder, s.decided.SuspectedRemainder
		s.outcome.ConvertedFor = s.desired.convertedFor(s.outcome.Chapter)
		return s.outcome, nil
	}
	pending := s.pending.saved()
	if s.wasEdited() {
		pending = pending.AsJoined() // It is not about that text.
	}
	s.outcome.Memory = s.desired.Memory // What was known before is as true as then.
	switch {
	case s.decided.Reason != Refused:
		s.outcome.Pending = pending
	case s.outcome.After.endedWell():
		s.outcome.Pending = nil
	}
	return s.outcome, s.err
}

// wasEdited reports whether the text was edited after the request for another desired state that the session follows.
func (s *session) wasEdited() bool {
	p, chapter := s.pending, s.outcome.Chapter
	if p == nil || !s.requestedForAnother || chapter.ChapterID == "" {
		return false
	}
	return p.TextLengthChanged(chapter) || s.remainder != nil && hasUnconverted(chapter, *s.remainder)
}

// decide decides what to do next.
func (s *session) decide() {
	if s.waits {
		return
	}
	s.decided = decide(s.evidence)
	s.outcome.Undated = s.undated()
	s.trace(s.ctx)
}

// trace tells [Options].Trace what the session has decided, and by what.
func (s *session) trace(ctx context.Context) {
	tell, e := s.engine.options.Trace, s.evidence
	if tell == nil || len(e.seen) == 0 {
		return
	}
	now := e.seen[len(e.seen)-1]
	concluded := e.conclude(now)
	agreed, waited := now.requestedAt.Sub(e.seen[e.sameFrom(concluded)].requestedAt), now.requestedAt.Sub(e.began)
	shown := facts{busy: now.chapter.Busy(), unconverted: hasUnconverted(now.chapter, e.desired.KnownRemainder)}
	if now.pending != nil {
		shown = e.factsOf(now)
	}
	tell(ctx, Trace{
		ProjectID: e.desired.ProjectID, ChapterID: e.desired.ChapterID, MayRequest: s.mode == converts, Facts: shown.String(),
		Concluded: concluded.Decision, SameFor: max(min(agreed, waited), 0), Decided: s.decided,
	})
}

// undated reports whether a conversion has ended, as far as is known without a failure, and the chapter shows no newer date. One without a
// sign may have had nothing to do.
func (s *session) undated() bool {
	p, hasRun := s.pending, s.decided.Reason == NoReason || s.decided.Reason == ErrorStays
	return s.decided.Step == Done && hasRun && p != nil && !p.dateMoved(s.outcome.Chapter)
}

// another is when one look more can decide, or make believable, what the latest has shown; zero if none can.
func (s *session) another() (at time.Time) {
	confirms := s.decided.Until
	if s.mode == plans && (s.decided.Reason != Confirming || confirms.Sub(s.began) >= 2*secondLook) {
		confirms = time.Time{}
	}
	repeats := time.Time{}
	if s.mode == plans && s.failed.alike > 0 {
		repeats = s.after.Add(shortestInterval)
	}
	for _, moment := range []time.Time{confirms, repeats, s.reader.again(s.after)} {
		if moment.After(s.after) && (at.IsZero() || moment.Before(at)) {
			at = moment
		}
	}
	return at
}

// nextLook says when a session needs a look, and how young the list must be.
type nextLook struct {
	at, notBefore time.Time // zero: no time
	isFirst       bool      // of a session that began at this time
	began         time.Time
	mayBeDue      bool // the next look that is due for all is early enough, if it is not later than at
}

// nextLook is a look at once at first, and one at a list that is newer than the session where that needs it. Otherwise it is the next that is
// due for all, or one more that can decide, or make believable, what the latest has shown.
func (s *session) nextLook() nextLook {
	another := s.another()
	needsNewer := s.decided.Step == Look && len(s.seen) > 0 && s.after.Before(s.began)
	switch {
	case s.after.IsZero():
		return nextLook{isFirst: true, notBefore: s.chapter.oldestList(s, requestAge), began: s.began}
	case s.pending == nil && !another.IsZero():
		return nextLook{at: another, notBefore: another}
	case needsNewer:
		return nextLook{at: s.began.Add(sharingDelay), notBefore: s.began}
	default:
		return nextLook{at: another, mayBeDue: true}
	}
}

// sharingDelay is how long a look that needs a new list waits first, so that sessions share it: Terraform begins ten at once.
const sharingDelay = 20 * time.Millisecond

// answer reports what the latest look has shown, and ends the session if its error does.
func (s *session) answer() {
	s.reportProgress()
	err := s.outcome.Problem
	if err != nil && !s.looksAgainAfter(s.ctx, err) {
		s.err = err
	}
}

// note records what a list shows.
func (s *session) note(found *listing, seen observation, believed bool, err error) {
	s.after, s.outcome.Problem, s.waits = found.requestedAt, err, false
	s.failed.note(err, found.requestedAt)
	older := len(s.seen) > 0 && seen.requestedAt.Before(s.seen[len(s.seen)-1].requestedAt) // than the project's record, which was seen before it
	if !believed || older {
		return
	}
	s.outcome.Chapter, s.answeredAt, s.outcome.ListedAt = seen.chapter, found.answeredAt, found.answeredAt
	if s.pending != nil {
		next := *s.pending.observed(seen.chapter)
		if next.Joined() && (audioprojects.Chapter{State: next.Baseline.State}).Busy() && seen.chapter.Busy() {
			// A running conversion of somebody else counts for the triggers of this desired state, too; not one that was handed over.
			next.Triggers = s.desired.Triggers
		}
		s.pending = &next
	}
	seen.pending = s.pending
	s.seen = append(s.seen, seen)
}

// reportProgress reports how far the session is.
func (s *session) reportProgress() {
	told := s.outcome
	told.Decision, told.Pending, told.Problem = s.decided, s.pending.saved(), cmp.Or(told.Problem, told.Postponed)
	if s.desired.Progress != nil {
		s.desired.Progress(told)
	}
}

// end ends the session as decided. The error is nil if the desired state is reached.
func (s *session) end() error {
	decided, p := s.decided, s.pending
	if decided.Reason == Error {
		failed := *p
		failed.ResumeToken = *p.AsFailed(decided.Words)
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
		s.remainder = new(p.remainder(s.outcome.Chapter))
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

// failure is the error of an end; nil if the desired state is reached.
func (s *session) failure(pending *operation) error {
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
func (s *session) noteTimeout(isLast bool) {
	outOfTime := s.decided.Step == Wait && errors.Is(s.ctx.Err(), context.DeadlineExceeded)
	if s.pending == nil || !outOfTime || len(s.seen) == 0 {
		return
	}
	p, now := *s.pending, s.seen[len(s.seen)-1]
	sinceRequest := time.Since(time.Unix(p.SinceUnix, 0))
	switch {
	case !p.seenByThisProcess && s.conclude(now).Reason == NoSignBefore && sinceRequest >= 2*window: // as long as with a long timeout
		p.Phase = PhaseWatched
	case s.decided.Reason == NotShown && sinceRequest > window:
		p.Phase, p.seenByThisProcess = PhaseTimedOut, false // The next resource is not to wait as long again, either.
	case (p.undocumented(now.chapter) || p.Progresses(now.chapter)) && sinceRequest >= longestUndocumented:
		p.Baseline.State, p.Baseline.Progress = now.chapter.State, now.chapter.ConversionProgress
	}
	s.pending = &p
	if isLast {
		s.share()
	}
}

// longAgo is how old a look must be before it says nothing of what goes on. Looks are never so far apart while they succeed.
const longAgo = 2 * longestInterval

// lastLook is how long the look after the end of the time may take: a service that is down does not make an apply take longer.
const lastLook = 5 * time.Second

// sawLongAgo reports whether the session is out of time and has not seen its pending conversion for long: the process was stopped, the
// machine slept, or the service did not answer.
func (s *session) sawLongAgo() bool {
	outOfTime := s.err != nil && errors.Is(s.ctx.Err(), context.DeadlineExceeded)
	return outOfTime && s.pending != nil && time.Since(s.answeredAt) > longAgo
}

// lookOnceMore looks at the chapter after the end of the time. If the conversion has ended, so has the session.
func (s *session) lookOnceMore() {
	late, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), lastLook)
	defer cancel()
	latest, err := s.lists.listing(late, s.engine.clock.now())
	if err != nil || latest.err != nil {
		return
	}
	s.chapter.mu.Lock()
	defer s.chapter.mu.Unlock()
	shown, doubted, err := s.reader.in(latest)
	if err != nil || doubted != "" {
		return
	}
	s.note(latest, observation{requestedAt: latest.requestedAt, chapter: shown}, true, nil)
	decided := decide(s.evidence)
	if decided.Step.isEnd() {
		s.decided = decided
		s.err = s.end()
	}
}
