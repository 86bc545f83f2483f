package conversion_test

import (
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestOnlyProgressShowsTheConversion: the state stays default, and nothing is counted. The progress that has moved
// shows that the conversion runs, also while it rests: a percent of three hours takes longer than a window.
func TestOnlyProgressShowsTheConversion(t *testing.T) {
	t.Parallel()
	for name, habits := range map[string]mockserver.Habits{
		"of one":         {Progress: mockserver.OfOne},
		"whole":          {Progress: mockserver.Whole},
		"without a date": {Progress: mockserver.Fractional, NoDates: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				habits.QuietState, habits.NoStatistics = true, true
				b.service.SetHabits(habits)
				outcome, err := b.convertWithin(3 * time.Hour)
				b.wantSuccess(outcome, err)
				if outcome.Decision.Reason != "" || outcome.Waited < time.Hour {
					b.Errorf("got %q after %s, want success after an hour", outcome.Decision.Reason, outcome.Waited)
				}
				b.wantRequests(1, 1)
			}, unconverted(mockserver.Conversion{Takes: time.Hour}))
		})
	}
}

// TestAProgressThatRestsForEver does not keep a chapter from being converted again: two applies with a long timeout
// have waited for it.
func TestAProgressThatRestsForEver(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.SetHabits(mockserver.Habits{Progress: mockserver.OfOne, QuietState: true, NoStatistics: true})
		b.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Skip: 3, Times: -1,
			Body: `{"chapters":[{"chapter_id":"one","state":"default","conversion_progress":0.25}]}`})
		outcome, err := b.convertWithin(2 * time.Hour)
		if err == nil || outcome.Pending == nil || outcome.Waited < 2*time.Hour {
			b.Fatalf("got %+v, %v; want it out of time", outcome, err)
		}
		b.wantRequests(1, 1)
		b.restart()
		outcome, err = b.convertWithin(2*time.Hour, resuming(outcome.Pending))
		if outcome.Waited > time.Hour {
			b.Errorf("got %+v, %v; want no second wait of two hours", outcome, err)
		}
	}, unconverted(mockserver.Conversion{Takes: 10 * time.Hour}))
}
