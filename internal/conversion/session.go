package conversion

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/pace"
)

// mode is what a session may do.
type mode int

const (
	plans    mode = iota // a plan, a refresh, or the beginning of a project's apply: it looks, once more where one look is not enough
	awaits               // the wait before a replacement: it waits for what is pending, and keeps that pending
	converts             // an apply or an action
)

// session serves one desired state: it notes what lists show of the chapter, does what [decide] says, and ends. It belongs to one
// goroutine.
type session struct {
	evidence
	mode    mode
	engine  *Engine
	project *project
	// ctx ends with whoever waits, and also with [Desired.Timeout] once a conversion is under way. waiting is without that.
	ctx, waiting context.Context
	cancel       context.CancelFunc // of the timeout

	pending    *operation // the conversion that this session follows; nil if there is none
	decided    Decision   // the latest
	outcome    Outcome
	place      *pace.Place // of its conversion, among those that run at a time; nil if it has none
	isPrepared bool        // the place is for a request that is not sent yet
	turn       *pace.Turn  // to request it; nil if the session has not had one
	begun      time.Time   // when its conversion was requested or joined; zero if an earlier process did
	after      time.Time   // lists that were requested after this are new to the session; zero before the first

	err            error     // why a prediction has ended
	absentSince    time.Time // when the first list was requested that lacks the chapter, as all later ones do; zero if the latest has it
	failed         failedLooks
	notFoundAt     time.Time // when the service did not find the chapter whose conversion was requested; zero if it did
	postponedSince time.Time // when the service first answered that it has not begun what is to be requested; zero if it has not
}

func (e *Engine) newSession(ctx context.Context, desired Desired, mode mode) *session {
	s := &session{
		evidence: evidence{desired: desired, applies: mode != plans, began: e.clock.now()},
		mode:     mode,
		engine:   e,
		project:  e.project(desired.ProjectID),
		ctx:      ctx,
		waiting:  ctx,
		cancel:   func() {},
	}
	s.pending, s.outcome.WaitedFor = resumed(desired), desired.Pending != nil
	return s
}

// close gives back what the session holds.
func (s *session) close() {
	s.cancel()
	s.turn.Pass()
	s.place.Leave()
}

// run runs the session to its end, or to that of its context.
func (s *session) run() (Outcome, error) {
	if s.pending != nil && !s.pending.Failed() {
		s.place = s.engine.running.Join()
		s.limitTime()
	}
	for {
		var err error
		s.decide()
		step := s.decided.Step
		if step != Request {
			s.giveUp()
		}
		begins := step == Join || step == Request
		switch {
		case step.isEnd(), begins && s.mode == awaits:
			return s.end()
		case begins && !s.absentSince.IsZero():
			err = s.look() // The latest list lacks the chapter.
		case step == Join:
			s.join()
		case step == Request:
			err = s.request()
		default:
			err = s.look()
		}
		if err != nil {
			return s.cutShort(err)
		}
	}
}

func (s *session) decide() {
	s.decided = decide(s.evidence)
	p := s.pending
	hasRun := s.decided.Reason == NoReason || s.decided.Reason == ErrorStays
	s.outcome.IsUndated = s.decided.Step == Done && hasRun && p != nil && !p.dateMoved(s.outcome.Chapter)
	s.trace()
}

// look takes the next list that the session needs: one at once at first, one from after the session began, one at a time that can decide,
// or the next that is due for all who wait.
func (s *session) look() error {
	lists, until := s.project.lists, s.decided.Until
	if !s.absentSince.IsZero() {
		until = s.absentSince.Add(SecondLook)
	}
	needsNewer := s.decided.Step == Look && len(s.seen) > 0 && s.absentSince.IsZero()
	needsOneMore := (s.pending == nil || s.mode == plans) && !until.IsZero()
	switch {
	case s.after.IsZero():
		oldest := s.oldestList()
		earlier := lists.since(oldest)
		if earlier != nil && earlier.err == nil {
			err := s.take(earlier)
			if err != nil {
				return err
			}
		}
		return s.takeFrom(time.Time{}, oldest)
	case s.outcome.Problem == nil && needsNewer:
		return s.takeFrom(s.began.Add(sharingDelay), s.began)
	case s.outcome.Problem == nil && needsOneMore:
		return s.takeFrom(until, until)
	}
	lists.noteStart(s.began)
	return s.takeNext(until)
}

// takeNext takes the next list that is due for all who wait, or at the given time.
func (s *session) takeNext(until time.Time) error {
	found, err := s.project.lists.next(s.ctx, s.after, until)
	if err != nil {
		return err
	}
	return s.take(found)
}

// oldestList is the earliest request time of the first list that the session may use.
func (s *session) oldestList() time.Time {
	age := requestAge
	if s.mode == plans {
		age = refreshAge
	}
	return s.engine.chapter(s.desired.key()).oldestList(s.engine.clock.now(), age)
}

// takeFrom waits until the given time, and takes a list that was requested at notBefore or later, and that is new to the session. Between
// two lists of one session the shortest interval passes, whatever it needs them for.
func (s *session) takeFrom(at, notBefore time.Time) error {
	if s.after.After(s.began) {
		at = slices.MaxFunc([]time.Time{at, s.after.Add(shortestInterval)}, time.Time.Compare)
	}
	err := sleepUntil(s.ctx, at)
	if err != nil {
		return err
	}
	if !notBefore.After(s.after) {
		notBefore = s.after.Add(1)
	}
	found, err := s.project.lists.at(s.ctx, notBefore)
	if err != nil {
		return err
	}
	return s.take(found)
}

// take notes what a list shows, and reports it. The error is that of the list if no other list is waited for, or a [*MissingChapterError].
func (s *session) take(found *answer[chapterList]) error {
	s.after = found.requestedAt
	s.outcome.Problem = found.err
	s.failed.note(found.err, found.requestedAt)
	if found.err != nil {
		s.reportProgress()
		if s.looksAgainAfter(found.err) {
			return nil
		}
		return found.err
	}
	shown, isListed := found.shows.find(s.desired.ChapterID)
	switch {
	case isListed:
		s.absentSince = time.Time{}
		s.note(found, shown)
	case s.absentSince.IsZero():
		s.absentSince = found.requestedAt
	case found.requestedAt.Sub(s.absentSince) >= SecondLook:
		return &MissingChapterError{s.desired.ProjectID, s.desired.ChapterID}
	}
	s.reportProgress()
	return nil
}

// note records what a list shows of the chapter.
func (s *session) note(found *answer[chapterList], shown audioprojects.Chapter) {
	s.outcome.Chapter, s.outcome.ListedAt = shown, found.answeredAt
	if s.pending != nil {
		s.pending = s.pending.observed(shown)
	}
	if s.pending != nil && s.pending.mayRun(shown) {
		s.project.follow()
	}
	s.seen = append(s.seen, observation{found.requestedAt, shown, s.pending})
}

// reportProgress reports how far the session is.
func (s *session) reportProgress() {
	told := s.outcome
	told.Decision, told.Pending, told.Problem = s.decided, s.pending.saved(), cmp.Or(told.Problem, told.Postponed)
	if s.desired.Progress != nil {
		s.desired.Progress(told)
	}
}

// join makes a conversion that somebody else requested the one that the session waits for.
func (s *session) join() {
	now := s.seen[len(s.seen)-1]
	baseline := baselineOf(now.chapter)
	baseline.State = nil
	s.outcome.WaitedFor = true
	s.makePending(&operation{ResumeToken: ResumeToken{Phase: PhaseRunning, Baseline: baseline, Triggers: s.desired.Triggers}})
	now.pending = s.pending.observed(now.chapter)
	s.pending, s.seen = now.pending, []observation{now}
	if s.place == nil {
		s.place = s.engine.running.Join()
	}
	s.reportProgress()
}

// makePending makes a conversion the pending one, and forgets what was seen before it.
func (s *session) makePending(pending *operation) {
	s.outcome.After, s.outcome.FailedWords = s.decided.Reason, string(s.decided.Words)
	s.outcome.Postponed, s.postponedSince, s.notFoundAt = nil, time.Time{}, time.Time{}
	pending.ours = true
	s.pending, s.seen = pending, nil
	s.begun = time.Now()
	s.project.lists.noteStart(s.begun)
	s.project.follow()
	s.limitTime()
}

// limitTime begins the time of the conversion.
func (s *session) limitTime() {
	if s.desired.Timeout > 0 {
		s.cancel()
		s.ctx, s.cancel = context.WithTimeout(s.waiting, s.desired.Timeout)
	}
}

// unlimitTime ends that time, because the conversion has ended.
func (s *session) unlimitTime() {
	s.cancel()
	s.ctx, s.cancel = s.waiting, func() {}
}

// end ends the session as decided. The error is nil if the desired state is reached, or the wait before a replacement is over.
func (s *session) end() (Outcome, error) {
	decided, p := s.decided, s.pending
	s.outcome.Decision, s.outcome.Memory = decided, s.desired.Memory
	s.outcome.WaitedFor = s.outcome.WaitedFor && decided.Reason != NothingLeft
	isConverted := decided.Step == Done && decided.Reason == NoReason && decided.Remainder == 0
	if isConverted && p != nil && !p.Joined() && !s.begun.IsZero() {
		s.project.lists.noteEnd(time.Since(s.begun))
	}
	switch {
	case decided.Step == Done && s.mode == awaits:
		s.outcome.Pending = p.saved() // It is for the resource that is created next.
		return s.outcome, nil
	case decided.Step == Done:
		s.outcome.Memory = Memory{Remainder: decided.Remainder}
		return s.outcome, nil
	case decided.Reason == Undated:
		s.outcome.Pending = nil // It has ended, or there was none.
		return s.outcome, s.undatedError()
	case decided.Reason == Refused:
		if s.outcome.After.endedWell() {
			s.outcome.Pending = nil
		}
		return s.outcome, p.answer
	case decided.Step == Failed:
		s.outcome.Pending = p.asFailed(decided.Words, s.outcome.Chapter, time.Now())
		return s.outcome, &FailedError{Reason: decided.Reason, Words: string(decided.Words), Joined: p.Joined()}
	case decided.Step == Unknown:
		token := p.ResumeToken
		token.Phase = PhaseNoSign
		s.outcome.Pending = &token
		return s.outcome, &UnconfirmedError{Lost: p.answer, Answer: s.outcome.Answer, OldError: decided.Words}
	case decided.Reason == NoSignBefore: // awaits, and has watched for the resource that is created next
		s.outcome.Pending = nil
		return s.outcome, nil
	default: // awaits
		s.outcome.Pending = p.saved()
		return s.outcome, nil
	}
}

func (s *session) undatedError() error {
	return &UndatedError{s.outcome.Chapter.LastConversionDateUnix, value(s.desired.ConvertedAfter), time.Now(), s.outcome.HasRequested()}
}

// cutShort ends a session that is interrupted, out of time, or cannot ask the service: what is pending stays so.
func (s *session) cutShort(err error) (Outcome, error) {
	s.outcome.Decision, s.outcome.Memory = s.decided, s.desired.Memory // What was known before is as true as then.
	isOutOfTime := errors.Is(s.ctx.Err(), context.DeadlineExceeded) && errors.Is(err, context.DeadlineExceeded)
	s.outcome.TimedOut = isOutOfTime && s.waiting.Err() == nil
	if s.pending == nil {
		return s.outcome, err
	}
	token := s.pending.ResumeToken
	requestedAt := unixTime(token.RequestedAtUnix)
	if isOutOfTime && s.decided.Reason == NotShown && time.Since(requestedAt) > Window {
		token.Phase = PhaseNoSign // No other wait is as long.
	}
	s.outcome.Pending = &token
	if s.pending.refused() { // It was no conversion of ours, and what was pending before is.
		s.outcome.Pending = s.desired.Pending
	}
	return s.outcome, err
}

// follow notes that this process follows a conversion in the project, and isFollowed reports whether it does, or did within the window.
func (p *project) follow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.followed = time.Now()
}

func (p *project) isFollowed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.followed.IsZero() && time.Since(p.followed) < Window
}
