package conversion

import (
	"context"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// Progress is a moment of a wait.
type Progress struct {
	// Chapter is the chapter as last seen; without an id if it has not been seen yet.
	Chapter audioprojects.Chapter
	// Number is the chapter's place in the project's list, from 1; 0 if it has not been seen yet.
	Number int
	// Requested: a conversion was requested in this run.
	Requested bool
	// Unconfirmed: the answer to the request was lost, and nothing has shown since that it was received.
	Unconfirmed bool
	// Joined: a conversion that was under way is waited for.
	Joined bool
	Waited time.Duration
	// Problem is why the latest look failed, or why a conversion cannot be requested yet; nil when neither is so.
	Problem error
}

func (r *run) tell() {
	progress := Progress{
		Chapter:   r.outcome.Chapter,
		Number:    r.witness.place,
		Requested: r.outcome.Requested,
		Joined:    r.outcome.Joined,
		Waited:    time.Since(r.began),
		Problem:   r.outcome.Problem,
	}
	if progress.Problem == nil {
		progress.Problem = r.outcome.Postponed
	}
	if r.pending != nil {
		progress.Unconfirmed = !r.pending.Joined() && !r.pending.Confirmed
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keepTold()
	for _, follower := range r.followers {
		follower(progress)
	}
}

// keepTold notes the outcome as it is, for those who do not wait for the end. Needs r.mu.
func (r *run) keepTold() {
	r.told = r.outcome
	if r.outcome.Pending != nil {
		pending := *r.outcome.Pending
		r.told.Pending = &pending
	}
}

// soFar is what another wish takes away that does not wait for the end of this run: the same is pending for it.
func (r *run) soFar(wish Wish) Outcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	outcome := Outcome{Chapter: r.told.Chapter, Joined: true, Problem: r.told.Problem, Postponed: r.told.Postponed, Waited: time.Since(wish.madeAt)}
	if outcome.Pending = wish.Pending; r.told.Pending != nil {
		pending := *r.told.Pending
		if !pending.same(wish.Pending) && pending.since.Before(wish.madeAt) {
			// It was requested before that wish's turn, so that text may have been edited in between.
			pending.RequestedAtUnix = nil
		}
		pending.Triggers = wish.Triggers
		outcome.Pending = &pending
	}
	return outcome
}

// follow lets another request, which has joined this one, know of the progress.
func (r *run) follow(ctx context.Context, progress func(Progress)) {
	if progress == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.followers = append(r.followers, func(p Progress) {
		if ctx.Err() == nil {
			p.Joined, p.Requested = true, false
			progress(p)
		}
	})
}
