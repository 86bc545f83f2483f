package conversion_test

import (
	"errors"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestWhatAnEarlierApplyLeftOnceIsLeftOverTheSecondTime(t *testing.T) {
	t.Parallel()
	for name, suspected := range map[string]bool{"for the first time": false, "once more": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				b.service.SetHabits(mockserver.Habits{LeavesLast: true})
				first, err := b.convert()
				if err != nil {
					b.Fatal(err)
				}
				left, _ := conversion.Unconverted(first.Chapter)
				b.restart()
				second, err := b.convert(func(w *conversion.Demand) {
					if suspected {
						w.SuspectedRemainder = &left
					}
				})
				want := conversion.NoReason
				if suspected {
					want = conversion.Remainder
				}
				if err != nil || second.Reason != want {
					b.Errorf("got reason %d, error %v; want reason %d", second.Reason, err, want)
				}
			}, unconverted(oneMinute()))
		})
	}
}

func TestAFailureIsTakenOverEvenIfTheTextIsShorterNow(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		time.AfterFunc(10*time.Second, func() { b.service.EditChapter(project, chapter, "The lamp was lit.") })
		for range 2 {
			_, err := b.convert()
			var failed *conversion.FailedError
			if !errors.As(err, &failed) {
				b.Fatalf("got error %v, want that of the conversion", err)
			}
		}
		b.wantRequests(1, 1)
	}, unconverted(mockserver.Conversion{Takes: time.Minute, Fails: "no voice"}))
}
