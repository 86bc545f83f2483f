package forecast

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// progressScale says what conversion_progress means, because the document does not (section 2.3): a number of 100, or a fraction of 1. As
// long as no chapter has shown more than 1, it is taken for a fraction, and 1 may be the first percent or the end.
type progressScale struct{ of100 atomic.Bool }

// percent is a chapter's progress from 0 to 100, rounded down. It may not be known.
func (s *progressScale) percent(chapter audioprojects.Chapter) (percent int, known bool) {
	if chapter.ConversionProgress == nil {
		return 0, false
	}
	progress := *chapter.ConversionProgress
	if progress > 1 {
		s.of100.Store(true)
	}
	if !s.of100.Load() {
		if progress == 1 {
			return 0, false
		}
		progress *= 100
	}
	const rounding = 1e-9 // 0.29 * 100 is a little less than 29
	return int(math.Floor(min(max(progress, 0), 100) + rounding)), true
}

// progressText is a chapter's progress in a message; empty if it is not known.
func (s *progressScale) progressText(chapter audioprojects.Chapter) string {
	percent, known := s.percent(chapter)
	if !known {
		return ""
	}
	return fmt.Sprintf(", %d %%", percent)
}
