package conversion

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// firstLook sees the chapter as it is before anything is done.
func (r *run) firstLook(ctx context.Context) error {
	found, err := r.engine.lookUp(ctx, r.key, baselineAge)
	if err == nil && found.err != nil && !found.answeredAt.After(r.began) {
		// It failed for somebody else, and is nothing to begin with.
		found, err = r.engine.feed(r.ProjectID).look(ctx, time.Now().Add(1))
	}
	if err != nil {
		return err
	}
	if err := r.see(found); !r.worthWaiting(err, r.began) {
		return err
	}
	return r.nextLook(ctx)
}

// nextLook sees the chapter in a list that is requested from now on.
func (r *run) nextLook(ctx context.Context) error {
	waiter := r.engine.feed(r.ProjectID).join()
	defer waiter.leave()
	for began := time.Now(); ; {
		found, err := waiter.next(ctx, time.Now())
		if err != nil {
			return err
		}
		if err := r.see(found); !r.worthWaiting(err, began) {
			return err
		}
	}
}

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
	case r.unsentAt.IsZero():
		r.unsentAt = time.Now()
	}
	if limited {
		return time.Since(r.unsentAt) < longestRefusal && endsInTime(ctx, unsent)
	}
	return time.Since(r.unsentAt) < outage
}

// endsInTime tells whether the silence that the service asks for ends before the deadline.
func endsInTime(ctx context.Context, limited error) bool {
	var refused *audioprojects.Error
	deadline, set := ctx.Deadline()
	return !set || !errors.As(limited, &refused) || time.Now().Add(refused.RetryAfter).Before(deadline)
}
