package conversion

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

const (
	// outage is how long a service may be down before a demand fails for which nothing is requested yet. A requested
	// conversion is waited for until the demand's own timeout.
	outage = time.Minute
	// longestRefusal is how long a service may answer 429 to the request for one conversion before the demand fails. The
	// service may mean by it that there are no credits left.
	longestRefusal = 10 * time.Minute
)

// looksAgainAfter tells whether the session looks again after a look that failed with this error. It never does after a
// permanent error. While it waits for a conversion, it does after every other error. Before anything is requested, it does in two
// cases: the service answered 429, and its pause ends before our deadline; or the service has been down for less than a
// minute. The second holds only if the service has answered this process before: otherwise its address is probably wrong.
func (s *session) looksAgainAfter(ctx context.Context, err error) bool {
	if s.mode < awaits || audioprojects.Permanent(err) || !endsInTime(ctx, err) {
		return false
	}
	if s.outcome.Pending != nil && (len(s.seen) > 0 || s.outcome.Pending.live) {
		return true
	}
	var failed *audioprojects.Error
	if !errors.As(err, &failed) || distrusts(err) {
		return false
	}
	if failed.Kind == audioprojects.RateLimited {
		return true
	}
	down := failed.Status == 0 || failed.Status == http.StatusRequestTimeout || failed.Status >= 500
	return down && s.engine.reached.Load() && time.Since(s.failingSince) < outage
}

// mayRequestLater tells whether to request again later, after an error that means that the service has not begun. The
// caller looks at the chapter again first, because somebody else may have had it converted meanwhile.
func (s *session) mayRequestLater(ctx context.Context, unsent error) bool {
	limited := errors.Is(unsent, audioprojects.RateLimited)
	switch {
	case ctx.Err() != nil:
		return false
	case errors.Is(unsent, audioprojects.Overdue):
		return true
	case !limited && !errors.Is(unsent, audioprojects.NotSent), distrusts(unsent):
		return false
	case s.firstRefusedAt.IsZero():
		s.firstRefusedAt = time.Now()
	}
	if limited {
		return time.Since(s.firstRefusedAt) < longestRefusal && endsInTime(ctx, unsent)
	}
	return time.Since(s.firstRefusedAt) < outage
}

// distrusts tells whether the certificate is not trusted. Another connection would show the same certificate.
func distrusts(err error) bool {
	return errors.As(err, new(*tls.CertificateVerificationError))
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
		if err := sleepUntil(ctx, time.Now().Add(max(shortestInterval, retryAfter(found.err)))); err != nil {
			return nil, err
		}
		notBefore = e.clock.now()
	}
}

// refusesRecord tells whether the service refuses the project's record, which a key that is scoped by operation may not read, although
// it answers lists. Services do so with a 4xx, or with 500; what says that they are down or busy refuses nothing.
func refusesRecord(err error) bool {
	var refused *audioprojects.Error
	if !errors.As(err, &refused) {
		return false
	}
	switch refused.Kind {
	case audioprojects.Unauthorized, audioprojects.Forbidden, audioprojects.NotFound, audioprojects.Rejected:
		return true
	default:
		return refused.Status == http.StatusInternalServerError
	}
}

// retryAfter is the pause that the service asks for.
func retryAfter(err error) time.Duration {
	var refused *audioprojects.Error
	if errors.As(err, &refused) {
		return refused.RetryAfter
	}
	return 0
}

// endsInTime tells whether the pause that the service asks for ends before the deadline.
func endsInTime(ctx context.Context, limited error) bool {
	deadline, set := ctx.Deadline()
	return !set || time.Now().Add(retryAfter(limited)).Before(deadline)
}

// mayMeanBusy tells whether a service may have refused the request because the chapter is converting already. The
// document gives no status for that (section 7); services use 409 and 400.
func mayMeanBusy(refusal error) bool {
	var refused *audioprojects.Error
	return errors.As(refusal, &refused) &&
		(refused.Status == http.StatusConflict || refused.Status == http.StatusBadRequest)
}
