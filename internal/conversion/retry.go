package conversion

import (
	"context"
	"errors"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

const (
	// outage is how long looks may fail before a demand fails that has requested nothing. What is requested is waited for until the timeout.
	outage = time.Minute
	// longestPostponement is how long a service may answer 429 to the request for one conversion before the demand fails. The
	// service may mean by it that there are no credits left.
	longestPostponement = 10 * time.Minute
)

// looksAgainAfter tells whether the session looks again after a look that failed with this error. It never does in a plan, after an
// error that another look would show again, or if the pause that the service asks for is longer than the wait. Else it does while it
// waits for a conversion, after 429, and for a minute if the service has answered this process before: otherwise its address is
// probably wrong.
func (s *session) looksAgainAfter(ctx context.Context, err error) bool {
	isIncomplete := errors.As(err, new(*audioprojects.IncompleteError))
	showsNoChapter := isIncomplete || errors.Is(err, errUnnamed) || IsUnreadable(err)
	stays := audioprojects.Permanent(err) || showsNoChapter
	if s.mode == foresees || stays || !endsInTime(ctx, err) {
		return false
	}
	waits := s.outcome.Pending != nil && (len(s.seen) > 0 || s.outcome.Pending.live)
	return waits || errors.Is(err, audioprojects.RateLimited) || s.engine.reached.Load() && time.Since(s.failingSince) < outage
}

// mayRequestLater tells whether to request again later, after an error that means that the service has not begun. The
// caller looks at the chapter again first, because somebody else may have had it converted meanwhile.
func (s *session) mayRequestLater(ctx context.Context, unsent error) bool {
	if errors.Is(unsent, audioprojects.Overdue) {
		return true
	}
	if !errors.Is(unsent, audioprojects.RateLimited) && !errors.Is(unsent, audioprojects.NotSent) || audioprojects.Distrusted(unsent) {
		return false
	}
	if s.postponedSince.IsZero() {
		s.postponedSince = time.Now()
	}
	return time.Since(s.postponedSince) < longestPostponement && endsInTime(ctx, unsent)
}

// patiently returns a list without an error, requested at notBefore or later, as a session does that has nothing pending.
func (e *Engine) patiently(ctx context.Context, p *poller, mode mode, notBefore time.Time) (*listing, error) {
	asking := session{engine: e, mode: mode, failingSince: time.Now()}
	for {
		found, err := p.listing(ctx, notBefore)
		if err != nil || found.err == nil {
			return found, err
		}
		if !asking.looksAgainAfter(ctx, found.err) {
			return nil, found.err
		}
		_ = sleepUntil(ctx, time.Now().Add(max(shortestInterval, audioprojects.RetryAfter(found.err)))) // If the context ends, so does listing.
		notBefore = e.clock.now()
	}
}

// endsInTime tells whether the pause that the service asks for ends before the deadline.
func endsInTime(ctx context.Context, limited error) bool {
	deadline, set := ctx.Deadline()
	return !set || time.Now().Add(audioprojects.RetryAfter(limited)).Before(deadline)
}
