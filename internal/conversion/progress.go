package conversion

import (
	"context"
	"math"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// Progress is what is known during a wait, after one look.
type Progress struct {
	// Chapter is the chapter as last seen; without an id if it has not been seen yet.
	Chapter audioprojects.Chapter
	// Percent is how much of the conversion is done, from 0 to 100; nil if the service does not say.
	Percent *int
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

// progressScale tells whether conversion_progress is a number of 100 or a fraction of 1: the document does not say
// (section 2.3). Progress above 1 is of 100. As long as none was seen, a number between 0 and 1 shows that it is a fraction.
type progressScale struct {
	largest   float64
	fractions bool
}

func (s *progressScale) observe(chapters []audioprojects.Chapter) {
	for _, chapter := range chapters {
		progress := value(chapter.ConversionProgress)
		s.largest = max(s.largest, progress)
		s.fractions = s.fractions || progress > 0 && progress < 1
	}
}

// percent returns the progress from 0 to 100, rounded down; nil for nil.
func (s *progressScale) percent(progress *float64) *int {
	if progress == nil {
		return nil
	}
	scaled := *progress
	if s.fractions && s.largest <= 1 {
		scaled *= 100
	}
	const rounding = 1e-9 // 0.29 * 100 is a little less than 29
	percent := int(math.Floor(min(max(scaled, 0), 100) + rounding))
	return &percent
}

func (r *run) reportProgress() {
	progress := Progress{
		Chapter:   r.outcome.Chapter,
		Percent:   r.outcome.Percent,
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
	outcome := Outcome{Chapter: r.reported.Chapter, Percent: r.reported.Percent, Joined: true, Problem: r.reported.Problem, Postponed: r.reported.Postponed, Waited: time.Since(wish.startedAt)}
	if outcome.Pending = wish.Pending; r.reported.Pending != nil {
		pending := *r.reported.Pending
		if !pending.same(wish.Pending) && pending.since.Before(wish.startedAt) {
			// It was requested before that wish began. Text may have been edited in between, so it counts as somebody else's.
			pending.RequestedAtUnix = nil
		}
		r.engine.mu.Lock()
		r.engine.demand(wish, &pending)
		r.engine.mu.Unlock()
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
