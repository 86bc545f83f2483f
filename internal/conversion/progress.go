package conversion

import (
	"context"
	"math"
	"time"
)

// percent is a chapter's progress from 0 to 100, rounded down. The document does not say whether conversion_progress is a number of 100 or
// a fraction of 1 (section 2.3). So a number below 1 is taken for a fraction, and 1 may be the first percent or the end: nil, as for
// progress that is not known.
func percent(progress *float64) *int {
	if progress == nil || *progress == 1 {
		return nil
	}
	scaled := *progress
	if scaled < 1 {
		scaled *= 100
	}
	const rounding = 1e-9 // 0.29 * 100 is a little less than 29
	rounded := int(math.Floor(min(max(scaled, 0), 100) + rounding))
	return &rounded
}

// reportProgress reports how far the run is, to its demand and to those that wait for the same run.
func (s *session) reportProgress() {
	s.outcome.Waited = time.Since(s.began)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reported = s.outcome
	told := s.outcome
	if told.Problem == nil {
		told.Problem = told.Postponed
	}
	for _, listener := range s.listeners {
		listener(told)
	}
}

// outcomeSoFar is the outcome of another demand that stops waiting before this run ends: the same conversion is pending for it.
func (s *session) outcomeSoFar(demand Demand, began time.Time) Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	outcome := s.reported.joined()
	outcome.Waited = time.Since(began)
	if outcome.Pending == nil {
		outcome.Pending = demand.Pending
		return outcome
	}
	outcome.Pending = demand.taking(*outcome.Pending, began)
	return outcome
}

// addListener reports the progress to another demand that waits for this run.
func (s *session) addListener(ctx context.Context, progress func(Outcome)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners = append(s.listeners, func(o Outcome) {
		if ctx.Err() == nil && progress != nil {
			progress(o.joined())
		}
	})
}

// joined is what the run of one demand means for another that waits for it.
func (o Outcome) joined() Outcome {
	o.Joined, o.Requested = true, false
	return o
}
