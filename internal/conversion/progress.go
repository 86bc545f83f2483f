package conversion

import (
	"context"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// Progress is what is known during a wait, after one look.
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
	// Problem is why the latest look failed, or why a conversion cannot be requested yet; nil if there is no problem.
	Problem error
}

func (r *run) reportProgress() {
	progress := Progress{
		Chapter:   r.outcome.Chapter,
		Number:    r.reader.place,
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
	r.saveReported()
	for _, listener := range r.listeners {
		listener(progress)
	}
}

// saveReported copies the outcome for wishes that stop waiting before the run ends. The caller holds r.mu.
func (r *run) saveReported() {
	r.reported = r.outcome
	if r.outcome.Pending != nil {
		pending := *r.outcome.Pending
		r.reported.Pending = &pending
	}
}

// outcomeSoFar is the outcome of another wish that stops waiting before this run ends: the same conversion is pending for it.
func (r *run) outcomeSoFar(wish Wish) Outcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	outcome := Outcome{Chapter: r.reported.Chapter, Joined: true, Problem: r.reported.Problem, Postponed: r.reported.Postponed, Waited: time.Since(wish.startedAt)}
	if outcome.Pending = wish.Pending; r.reported.Pending != nil {
		pending := *r.reported.Pending
		if !pending.same(wish.Pending) && pending.since.Before(wish.startedAt) {
			// It was requested before that wish began. Text may have been edited in between, so it counts as somebody else's.
			pending.RequestedAtUnix = nil
		}
		pending.Triggers = wish.Triggers
		outcome.Pending = &pending
	}
	return outcome
}

// addListener reports the progress to another wish that waits for this run.
func (r *run) addListener(ctx context.Context, progress func(Progress)) {
	if progress == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.listeners = append(r.listeners, func(p Progress) {
		if ctx.Err() == nil {
			p.Joined, p.Requested = true, false
			progress(p)
		}
	})
}
