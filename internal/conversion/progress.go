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
	// Started: a conversion was requested in this run.
	Started bool
	// Unconfirmed: the answer to the request was lost, and nothing has shown since that it was received.
	Unconfirmed bool
	// Joined: a conversion that was under way is waited for.
	Joined bool
	Waited time.Duration
	// Problem is why the latest look failed, or why a conversion cannot be requested yet; nil when neither is so.
	Problem error
}

// see takes in a look at the chapter. The error is the look's.
func (r *run) see(found *look) error {
	chapter, err := found.chapter(r.key)
	if err == nil {
		r.outcome.Chapter = chapter
		r.number = found.index[r.ChapterID] + 1
		r.seenAt = found.answeredAt
	}
	r.outcome.Problem = err
	r.tell()
	return err
}

func (r *run) tell() {
	progress := Progress{
		Chapter: r.outcome.Chapter,
		Number:  r.number,
		Started: r.outcome.Started,
		Joined:  r.outcome.Joined,
		Waited:  time.Since(r.began),
		Problem: r.outcome.Problem,
	}
	if progress.Problem == nil {
		progress.Problem = r.outcome.Postponed
	}
	if ticket := r.outcome.Ticket; ticket != nil {
		progress.Unconfirmed = !ticket.Joined() && !ticket.Confirmed
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, follower := range r.followers {
		follower(progress)
	}
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
			p.Joined, p.Started = true, false
			progress(p)
		}
	})
}
