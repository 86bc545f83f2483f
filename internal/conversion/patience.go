package conversion

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// worthWaiting tells whether a service that answers with this error is asked again before
// anything is begun. One that asks to be left alone (429) is, as long as it takes. One that is
// down is for a minute, but only if it has answered this process before: otherwise its address
// is more likely to be wrong.
func (r *run) worthWaiting(err error, since time.Time) bool {
	var failed *audioprojects.Error
	if !errors.As(err, &failed) {
		return false
	}
	limited := failed.Kind == audioprojects.RateLimited
	down := failed.Status == 0 || failed.Status == http.StatusRequestTimeout || failed.Status >= 500
	return limited || down && r.engine.reached.Load() && time.Since(since) < outage
}

// mayStartLater tells whether a request that the service has not begun is worth another one.
// Meanwhile somebody else may have converted the chapter, so it is looked at again first.
func (r *run) mayStartLater(ctx context.Context, unsent error) bool {
	limited := errors.Is(unsent, audioprojects.RateLimited)
	switch {
	case ctx.Err() != nil:
		return false
	case errors.Is(unsent, audioprojects.Overdue):
		return true
	case !limited && !errors.Is(unsent, audioprojects.NotSent):
		return false
	case r.firstRefusedAt.IsZero():
		r.firstRefusedAt = time.Now()
	}
	if limited {
		return time.Since(r.firstRefusedAt) < longestRefusal && endsInTime(ctx, unsent)
	}
	return time.Since(r.firstRefusedAt) < outage
}

// endsInTime tells whether the silence that the service asks for ends before the deadline.
func endsInTime(ctx context.Context, limited error) bool {
	var refused *audioprojects.Error
	deadline, set := ctx.Deadline()
	return !set || !errors.As(limited, &refused) || time.Now().Add(refused.RetryAfter).Before(deadline)
}
