package conversion

import (
	"context"
	"errors"
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
	waiter := r.engine.feed(r.ProjectID).addWaiter()
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

// watch looks at the chapter until the ticket's conversion has ended, or until the
// evidence window has passed without any sign of it (noEvidence).
func (r *run) watch(ctx context.Context, windowEnds time.Time) (verdict, error) {
	waiter := r.engine.feed(r.ProjectID).addWaiter()
	defer waiter.leave()

	ticket := r.outcome.Ticket
	after := r.engine.lastPost(r.key)
	for {
		found, err := waiter.next(ctx, after)
		if err != nil {
			return noEvidence, err
		}
		after = found.requestedAt
		if err := r.see(found); Final(err) {
			return noEvidence, err
		} else if err != nil {
			continue
		}
		chapter := r.outcome.Chapter
		windowOver := !found.requestedAt.Before(windowEnds)
		switch seen := ticket.observe(chapter); {
		case seen == succeeded || seen == failed:
			return seen, nil
		case seen == converting:
			// A list that lags behind may yet show the chapter as it was before.
			windowEnds = time.Now().Add(evidenceWindow)
		case seen == vanished && windowOver:
			return ticket.conclude(chapter), nil
		case windowOver:
			return noEvidence, nil
		}
	}
}

// windowEnds is when an untouched chapter begins to mean that nothing happens to it. A
// clock that is set back, since the ticket was written or from now on, must not make this an hour.
func windowEnds(ticket Ticket) time.Time {
	left := evidenceWindow
	if !ticket.Joined() {
		left = min(left, time.Until(time.Unix(*ticket.RequestedAtUnix+1, 0).Add(evidenceWindow)))
	}
	return time.Now().Add(left)
}

// Final tells whether looking again is of no use: the service knows no such project or chapter, or refuses the key.
func Final(err error) bool {
	return errors.Is(err, audioprojects.NotFound) ||
		errors.Is(err, audioprojects.Unauthorized) ||
		errors.Is(err, audioprojects.Forbidden)
}
