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
	// outage is how long a service may be down before a wish fails for which nothing is requested yet. A requested
	// conversion is waited for until the wish's own timeout.
	outage = time.Minute
	// longestRefusal is how long a service may answer 429 to the request for one conversion before the wish fails. The
	// service may mean by it that there are no credits left.
	longestRefusal = 10 * time.Minute
)

// looksAgainAfter tells whether the run looks again after a look that failed with this error. It never does after a
// permanent error. While it waits for a conversion, it does after every other error. Before anything is requested, it does in two
// cases: the service answered 429, and its pause ends before our deadline; or the service has been down for less than a
// minute. The second holds only if the service has answered this process before: otherwise its address is probably wrong.
func (r *run) looksAgainAfter(ctx context.Context, err error) bool {
	if Permanent(err) {
		return false
	}
	if r.pending != nil && (len(r.seen) > 0 || r.pending.resumedAt.IsZero()) {
		return true
	}
	var failed *audioprojects.Error
	if !errors.As(err, &failed) {
		return false
	}
	if failed.Kind == audioprojects.RateLimited {
		return endsInTime(ctx, err)
	}
	if distrusts(err) {
		return false
	}
	down := failed.Status == 0 || failed.Status == http.StatusRequestTimeout || failed.Status >= 500
	return down && r.engine.reached.Load() && time.Since(r.failingSince) < outage
}

// mayRequestLater tells whether to request again later, after an error that means that the service has not begun. The
// caller looks at the chapter again first, because somebody else may have had it converted meanwhile.
func (r *run) mayRequestLater(ctx context.Context, unsent error) bool {
	limited := errors.Is(unsent, audioprojects.RateLimited)
	switch {
	case ctx.Err() != nil:
		return false
	case errors.Is(unsent, audioprojects.Overdue):
		return true
	case !limited && !errors.Is(unsent, audioprojects.NotSent), distrusts(unsent):
		return false
	case r.firstRefusedAt.IsZero():
		r.firstRefusedAt = time.Now()
	}
	if limited {
		return time.Since(r.firstRefusedAt) < longestRefusal && endsInTime(ctx, unsent)
	}
	return time.Since(r.firstRefusedAt) < outage
}

// distrusts tells whether the certificate is not trusted. Another connection would show the same certificate.
func distrusts(err error) bool {
	var distrust *tls.CertificateVerificationError
	return errors.As(err, &distrust)
}

// endsInTime tells whether the pause that the service asks for ends before the deadline.
func endsInTime(ctx context.Context, limited error) bool {
	var refused *audioprojects.Error
	deadline, set := ctx.Deadline()
	return !set || !errors.As(limited, &refused) || time.Now().Add(refused.RetryAfter).Before(deadline)
}

// mayMeanBusy tells whether a service may have refused the request because the chapter is converting already. The
// document gives no status for that (section 7); services use 409 and 400.
func mayMeanBusy(refusal error) bool {
	var refused *audioprojects.Error
	return errors.As(refusal, &refused) &&
		(refused.Status == http.StatusConflict || refused.Status == http.StatusBadRequest)
}

// Permanent tells whether it is of no use to look again: the service knows no such project or chapter, or refuses the key.
func Permanent(err error) bool {
	return errors.Is(err, audioprojects.NotFound) ||
		errors.Is(err, audioprojects.Unauthorized) ||
		errors.Is(err, audioprojects.Forbidden)
}
