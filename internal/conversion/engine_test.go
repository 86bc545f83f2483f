package conversion_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
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

func TestWhoFollowsIsInterruptedWithinASecond(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		led := make(chan error, 1)
		go func() {
			_, err := b.convert()
			led <- err
		}()
		synctest.Wait()
		began := time.Now()
		outcome, err := b.convertInterrupted(10 * time.Second)
		if took := time.Since(began) - 10*time.Second; took > time.Second {
			b.Errorf("returned %s after the interruption, want a second at most", took)
		}
		if !errors.Is(err, context.Canceled) || outcome.Pending == nil {
			b.Errorf("got pending %+v, error %v; want what the leader waits for, and an interruption", outcome.Pending, err)
		}
		if err := <-led; err != nil {
			b.Errorf("who leads: %v", err)
		}
	}, unconverted(oneMinute()))
}
