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
	// outage is how long a service may be down before a conversion that is not requested yet
	// is given up. One that is requested is waited for as long as its sender likes.
	outage = time.Minute
	// longestRefusal is how long a service may answer 429 to the request for one conversion.
	// It may mean by it that there are no credits left.
	longestRefusal = 10 * time.Minute
)

// bears tells whether a look that failed with this error is made again. While a conversion is waited for it is,
// unless looking again is of no use. Before anything is requested it is made again for a service that asks to be left
// alone (429), if that ends in time. One that is down is asked again for a minute, but only if it has
// answered this process before: otherwise its address is more likely to be wrong.
func (r *run) bears(ctx context.Context, err error) bool {
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

// mayRequestLater tells whether a request that the service has not begun is worth another one.
// Meanwhile somebody else may have converted the chapter, so it is looked at again first.
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

// distrusts tells whether nobody trusts the certificate that was shown: the next connection would be shown the same.
func distrusts(err error) bool {
	var distrust *tls.CertificateVerificationError
	return errors.As(err, &distrust)
}

// endsInTime tells whether the silence that the service asks for ends before the deadline.
func endsInTime(ctx context.Context, limited error) bool {
	var refused *audioprojects.Error
	deadline, set := ctx.Deadline()
	return !set || !errors.As(limited, &refused) || time.Now().Add(refused.RetryAfter).Before(deadline)
}

// mayMeanBusy tells whether services refuse like this what is converting already. The
// document gives no status for it (section 7).
func mayMeanBusy(refusal error) bool {
	var refused *audioprojects.Error
	return errors.As(refusal, &refused) &&
		(refused.Status == http.StatusConflict || refused.Status == http.StatusBadRequest)
}

// Permanent tells whether looking again is of no use: the service knows no such project or chapter, or refuses the key.
func Permanent(err error) bool {
	return errors.Is(err, audioprojects.NotFound) ||
		errors.Is(err, audioprojects.Unauthorized) ||
		errors.Is(err, audioprojects.Forbidden)
}
