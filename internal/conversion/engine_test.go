package conversion_test

import (
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestAnOlderListDoesNotEndTheWait: one of several servers may lag behind the others.
func TestAnOlderListDoesNotEndTheWait(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.SetHabits(mockserver.Habits{NoStatistics: true, OmitsUnset: true})
		for _, skip := range []int{5, 12, 20} {
			b.service.Inject(mockserver.Fault{
				Operation: mockserver.ListChapters, Skip: skip,
				Body: `{"chapters":[{"chapter_id":"one","state":"default"}]}`,
			})
		}
		began := time.Now()
		b.wantSuccess(b.convert())
		if took := time.Since(began); took < 10*time.Minute {
			b.Errorf("returned after %s, before the end", took)
		}
	}, unconverted(mockserver.Conversion{Takes: 10 * time.Minute}))
}
