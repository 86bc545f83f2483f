package conversion

import (
	"context"
	"errors"
	"slices"
	"time"
)

// ChapterStatus is what is wanted of a chapter, what was seen and decided, and what has become of it.
type ChapterStatus struct {
	// Desired is what is wanted, with what was handed over for it if it is one of a [Project].
	Desired Desired
	// Outcome is that of looking, if nothing has begun; its Memory is what to keep of it.
	Outcome
	// Err is as that of [Engine.Convert]. If nothing has begun, it is why, or why the chapter cannot be seen.
	Err error
	// Begun: the chapter had a slot. Ended: the engine is done with it, also because of a timeout or Ctrl-C; if it has not begun, it needs
	// no slot, or does not exist.
	Begun, Ended bool
	// Characters are those that its conversion may cost, by the first list; 0 if it needs none, or if the service does not count them.
	Characters int64
}

// Requests reports whether an apply requests a conversion for what was predicted, as far as that can be known: at once, when looks have
// confirmed it, or after the end of a conversion that is for other triggers.
func (c ChapterStatus) Requests() bool {
	decided := c.Decision
	return decided.Step == Request || decided.Step == Wait && (decided.Next == Request || c.Desired.newTriggers(c.Pending))
}

// Predict tells what Convert would do for each desired state now. The decision is [Look] if the chapter could not be seen; Err says why
// then. It uses a list that is at most 10 s old, and newer than this process's last request to convert the chapter; a list that failed is
// kept as long. If one look is not enough to decide, it takes a second one 5 s later.
func (e *Engine) Predict(ctx context.Context, wanted ...Desired) []ChapterStatus {
	predicted, sessions := make([]ChapterStatus, len(wanted)), make([]*session, len(wanted))
	for i, desired := range wanted {
		sessions[i] = e.newSession(ctx, desired, plans)
	}
	for open := slices.Clone(sessions); len(open) > 0; { // In turn: goroutines for thousands would take as long as all else.
		open = slices.DeleteFunc(open, func(s *session) bool { return !s.predict() })
	}
	for i, s := range sessions {
		predicted[i] = s.predicted()
	}
	return predicted
}

// predict decides, and looks if it must, and may: once, and again where one look more can decide. It reports whether that is so.
func (s *session) predict() (isOpen bool) {
	s.decide()
	canConfirm := !s.absentSince.IsZero() || s.decided.Reason == Confirming || s.outcome.Problem != nil
	mayLook := s.after.IsZero() || canConfirm && time.Since(s.began) < 2*SecondLook
	if s.decided.Step != Look && s.decided.Step != Wait || !mayLook {
		return false
	}
	s.err = s.look()
	return s.err == nil
}

// predicted is the status of a chapter for which predict has decided.
func (s *session) predicted() ChapterStatus {
	outcome, err := s.outcome, s.err
	switch {
	case err != nil:
		outcome.Decision, outcome.Memory = Decision{Step: Look}, s.desired.Memory
	case s.decided.Step.isEnd():
		outcome, err = s.end()
	default:
		outcome.Decision, outcome.Memory = s.decided, Memory{s.pending.saved(), s.desired.Remainder}
	}
	_, hasFailed := errors.AsType[*FailedError](err)
	if hasFailed { // That is a decision here, after which the apply requests another conversion.
		err = nil
	}
	return ChapterStatus{Desired: s.desired, Outcome: outcome, Err: err}
}
