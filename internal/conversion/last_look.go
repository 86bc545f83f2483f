package conversion

import (
	"context"
	"time"
)

// lastLook is how long the first look after a timeout may take: after a machine has slept, its network comes later.
const lastLook = time.Minute

type untimedKey struct{}

// WithTimeout limits the time of desired states. Only their last looks are taken after it, until the given context ends.
func WithTimeout(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	timed, cancel := context.WithTimeout(ctx, timeout)
	return context.WithValue(timed, untimedKey{}, ctx), cancel
}

// untimed is the context of [WithTimeout] without its timeout, or one that nothing ends.
func untimed(ctx context.Context) context.Context {
	whole, isTimed := ctx.Value(untimedKey{}).(context.Context)
	if isTimed {
		return whole
	}
	return context.WithoutCancel(ctx)
}

// looksLast looks once more when the time of a session is over: looks are up to 16 s apart, and the conversion may have
// ended since the latest one. If the chapter rests, it takes the looks that the rules need to tell how the conversion
// has ended. It reports whether the session has ended by that. Nothing is requested or joined any more.
func (s *session) looksLast() (ended bool) {
	whole, timeout := untimed(s.waiting), s.engine.clock.now()
	s.freshSince = timeout
	ctx, cancel := context.WithTimeout(whole, lastLook)
	defer cancel()
	s.ctx = ctx
	err := s.takeFrom(time.Now().Add(sharingDelay), timeout)
	for err == nil && s.outcome.Problem != nil {
		err = s.takeNext(time.Time{})
	}
	ctx, cancel = context.WithTimeout(whole, Window+SecondLook)
	defer cancel()
	s.ctx = ctx
	for err == nil {
		s.decide()
		over, _ := ctx.Deadline()
		isWatched := s.decided.Step == Wait && !s.decided.Until.IsZero() && s.decided.Until.Before(over)
		if !isWatched {
			return s.decided.Step.isEnd()
		}
		err = s.look()
	}
	return false
}
