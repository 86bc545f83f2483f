package conversion

import (
	"context"
	"math"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

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
