package conversion

import (
	"context"
	"errors"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/pace"
)

// session brings one desired state about: it watches the chapter, does what [decide] says, and ends.
type session struct {
	*watcher
	waiting context.Context // ctx without [Desired.Timeout]
	cancel  context.CancelFunc

	permit *pace.Permit // to request its conversion, or that of the one that runs; nil if it has none
	begun  time.Time    // when its conversion was requested or joined; zero if an earlier process did

	endedWell bool // the conversion before the one that is pending has

	notFoundAt     time.Time // when the service did not find the chapter whose conversion was requested; zero if it did
	postponedSince time.Time // since when its request could not be sent, or its chapter was not found; zero if the last one was neither
	wasRefused     bool      // its last request was, because the service is busy

	unasked     *operation           // the conversion that would have begun with its last request, which is asked later; nil if there is none
	refusedRuns int                  // conversions that it has taken up after a refused request, or looks for
	refusal     *audioprojects.Error // the latest of these refusals
}

func (e *Engine) newSession(ctx context.Context, desired Desired) *session {
	s := &session{watcher: e.newWatcher(ctx, desired, converts), waiting: ctx, cancel: func() {}}
	s.outcome.WaitedFor = s.pending != nil
	return s
}

// close gives back what the session holds.
func (s *session) close() {
	s.cancel()
	s.permit.Return()
	s.permit.Leave()
}

// run runs the session to its end, or to that of its context.
func (s *session) run() (Outcome, error) {
	if s.pending != nil && !s.pending.Failed() {
		s.limitTime()
	}
	for {
		var err error
		s.takeUp()
		s.decide()
		step := s.decided.Step
		if step != Request {
			s.permit.Return() // It needs none any more.
		}
		begins := step == Join || step == Request
		switch {
		case step.isEnd():
			return s.end()
		case begins && !s.missingSince.IsZero():
			err = s.look() // The latest list lacks the chapter.
		case step == Join:
			s.join()
		case step == Request:
			err = s.request()
		default:
			mayRun := s.pending != nil && !s.pending.Failed() && len(s.seen) > 0
			if s.permit == nil && mayRun { // What has ended long ago takes no place.
				s.permit = s.engine.pace().Join()
			}
			err = s.look()
		}
		if err != nil {
			return s.stop(err)
		}
	}
}

// stop ends the session before it has decided on an end: it is interrupted or out of time, or cannot ask the service.
func (s *session) stop(err error) (Outcome, error) {
	isOutOfTime := errors.Is(s.ctx.Err(), context.DeadlineExceeded) && errors.Is(err, context.DeadlineExceeded)
	s.outcome.TimedOut = isOutOfTime && s.waiting.Err() == nil
	if !isOutOfTime {
		return s.cutShort(err)
	}
	s.permit.Return()
	if s.looksLast() {
		s.outcome.TimedOut = false
		return s.end()
	}
	details := s.project.details.newest()
	if s.pending == nil && s.outcome.Postponed == nil && s.outcome.Problem == nil && details != nil {
		s.outcome.Postponed = details.err // A request waits for the project's own record.
	}
	if interrupted := untimed(s.waiting).Err(); interrupted != nil {
		s.outcome.TimedOut, err = false, interrupted
	}
	return s.cutShort(err)
}

// join makes a conversion that somebody else requested the one that the session waits for.
func (s *session) join() {
	baseline := baselineOf(s.seen[len(s.seen)-1].chapter)
	baseline.State = nil
	s.joinAs(&operation{ResumeToken: ResumeToken{
		Phase: PhaseRunning, Origin: Joined, Baseline: baseline, ForCreation: s.isForCreation(),
	}})
}

// takeUp joins the conversion that the latest list shows after a request that the service has refused and may be asked again. It may be ours:
// a gateway may have sent the request twice, or refuse after it has passed it on.
func (s *session) takeUp() {
	if s.unasked == nil || len(s.seen) == 0 {
		return
	}
	latest := s.seen[len(s.seen)-1]
	isNewer := latest.askedAt.After(s.engine.chapter(s.desired).lastAnswer())
	if isNewer && (s.unasked.busy(latest.chapter) || s.unasked.hasSign(latest.chapter)) {
		s.joinAs(s.unasked)
	}
}

func (s *session) joinAs(started *operation) {
	now := s.seen[len(s.seen)-1]
	s.outcome.WaitedFor = true
	s.desired.refusals.leaveOut(s.desired.ChapterID)
	s.watch(started)
	s.pending = s.pending.observed(now.chapter)
	s.observe(observation{askedAt: now.askedAt, chapter: now.chapter, pending: s.pending})
	s.permit.Return()
	s.permit.Leave()
	s.permit = s.engine.pace().Join()
	s.reportProgress()
}

// isForCreation reports whether the next conversion is that of a creation, or follows one.
func (s *session) isForCreation() bool {
	return s.desired.Wish == WantsConversion || s.pending != nil && s.pending.ForCreation
}

// watch makes a conversion the one that is watched, and forgets what was seen before it.
func (s *session) watch(started *operation) {
	s.endedWell = s.pending != nil && !s.decided.Reason.isFailure() && s.decided.Reason != StillUnconfirmed
	if s.decided.Reason.isFailure() {
		s.outcome.AfterFailure, s.outcome.FailedWords = true, string(s.decided.Words)
	}
	s.outcome.Postponed, s.postponedSince, s.wasRefused, s.notFoundAt = nil, time.Time{}, false, time.Time{}
	s.unasked = nil
	if started.Joined() && started.answer != nil {
		s.refusedRuns++
		s.refusal, _ = errors.AsType[*audioprojects.Error](started.answer)
	}
	started.startedHere = true
	s.pending, s.seen = started, nil
	s.begun = time.Now()
	s.project.lists.beginWait(s.begun)
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

// end ends the session as decided. The error is nil if the desired state is reached.
func (s *session) end() (Outcome, error) {
	decided, p := s.decided, s.pending
	s.outcome.Decision, s.outcome.Memory = decided, s.openMemory()
	s.outcome.NoNewerDate = s.endsWithoutNewerDate()
	s.outcome.WaitedFor = s.outcome.WaitedFor && decided.Reason != NothingLeft
	isConverted := decided.Step == Done && decided.Reason == NoReason && decided.Remainder == (Remainder{})
	if isConverted && p != nil && !p.Joined() && !s.begun.IsZero() {
		s.project.lists.endWait(time.Since(s.begun))
	}
	switch {
	case decided.Step == Done:
		s.outcome.Memory = Memory{Remainder: decided.Remainder}
		return s.outcome, nil
	case decided.Reason == Refused:
		if s.endedWell {
			s.outcome.Memory.Pending = nil
		}
		return s.outcome, p.answer
	case decided.Step == Failed:
		s.outcome.Memory.Pending = p.asFailed(decided.Words, s.outcome.Chapter, time.Now())
		return s.outcome, &FailedError{Reason: decided.Reason, Words: string(decided.Words), Joined: p.Joined()}
	default: // It is unknown.
		token := p.ResumeToken
		token.Phase = PhaseUnconfirmed
		s.outcome.Memory.Pending = &token
		return s.outcome, &UnconfirmedError{Lost: p.answer, Answer: s.outcome.Answer, OldError: decided.Words, LacksDate: decided.Reason == NoSign}
	}
}

// openMemory is what to keep while the desired state is not reached: what was known before is as true as then. A
// creation that must follow a conversion for other triggers is one for changed triggers in the next apply.
func (s *session) openMemory() Memory {
	kept := s.desired.Memory
	kept.ForTriggers = kept.ForTriggers || s.desired.wantsOwn(s.pending.token())
	return kept
}

// hasEnded reports whether a request follows the good end of a conversion, which was not for a creation: that wants one
// still.
func (s *session) hasEnded() bool {
	if s.decided.Step != Request || s.pending == nil || s.pending.ForCreation {
		return false
	}
	return !s.decided.Reason.isFailure() && s.decided.Reason != StillUnconfirmed
}

// cutShort ends a session with an error: what is pending stays so.
func (s *session) cutShort(err error) (Outcome, error) {
	s.outcome.Decision, s.outcome.Memory = s.decided, s.openMemory()
	if s.pending == nil {
		return s.outcome, err
	}
	token := s.pending.ResumeToken
	requestedAt := time.Unix(token.RequestedAtUnix, 0)
	if errors.Is(err, context.DeadlineExceeded) && s.decided.Reason == NotShown && time.Since(requestedAt) > Window {
		token.Phase = PhaseUnconfirmed // No other wait is as long.
	}
	s.outcome.Memory.Pending = &token
	if IsBeyondPlan(err) && s.hasEnded() {
		s.desired.Memory = Memory{ForTriggers: s.desired.wantsOwn(&token)}
		s.outcome.Memory = s.desired.Memory
	}
	if s.pending.refused() || errors.As(err, new(*RefusedTwiceError)) { // It was no conversion of ours, and what was pending before is.
		s.outcome.Memory.Pending = s.desired.Memory.Pending
	}
	return s.outcome, err
}
