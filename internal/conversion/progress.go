package conversion

import (
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

// reportProgress reports how far the session is.
func (s *session) reportProgress() {
	s.outcome.Waited = time.Since(s.began)
	told := s.outcome
	if told.Problem == nil {
		told.Problem = told.Postponed
	}
	if s.demand.Progress != nil {
		s.demand.Progress(told)
	}
}
