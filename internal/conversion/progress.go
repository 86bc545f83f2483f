package conversion

import (
	"context"
	"math"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// observe remembers the greatest progress that a chapter has shown. The caller holds p.mu.
func (p *poller) observe(chapters []audioprojects.Chapter) {
	for _, chapter := range chapters {
		p.largest = max(p.largest, value(chapter.ConversionProgress))
	}
}

// percent is a chapter's progress from 0 to 100, rounded down. The document does not say whether conversion_progress is a number of 100 or
// a fraction of 1 (section 2.3). As long as no chapter of the project has shown more than 1, it is taken for a fraction, and 1 may be the
// first percent or the end: nil, as for progress that is not known.
func (p *poller) percent(progress *float64) *int {
	p.mu.Lock()
	defer p.mu.Unlock()
	fraction := p.largest <= 1
	if progress == nil || fraction && *progress == 1 {
		return nil
	}
	scaled := *progress
	if fraction {
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
	outcome, pending := s.reported.joined(), s.reported.Pending
	outcome.Waited = time.Since(began)
	if outcome.Memory = demand.Memory; pending != nil {
		outcome.Pending = demand.taking(*pending, began)
	}
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
