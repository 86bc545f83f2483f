package conversion_test

import (
	"errors"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestTextThatIsEditedRightAfterTheRequestIsNotLeftOver(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		if _, err := b.engine.Chapters(b.Context(), project); err != nil {
			b.Fatal(err)
		}
		time.AfterFunc(time.Second/2, func() { b.service.EditChapter(project, chapter, longer) })
		outcome, err := b.convert()
		if left, _ := conversion.Unconverted(outcome.Chapter); err != nil || left == 0 || outcome.Leftover != 0 {
			b.Errorf("got %d open and %d left over, error %v; want the text that was written during the conversion counted as open", left, outcome.Leftover, err)
		}
	}, unconverted(oneMinute()))
}

func TestTextThatIsNewerThanTheListOfTheRequestIsConverted(t *testing.T) {
	t.Parallel()
	for name, listed := range map[string]bool{
		"edited between a list and the turn": true,
		"edited after the turn began":        false,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				// The conversion does not include the text that was written last, and so converts nothing.
				b.service.SetHabits(mockserver.Habits{LeavesLast: true, NoDates: true})
				if listed {
					if _, err := b.engine.Chapters(b.Context(), project); err != nil {
						b.Fatal(err)
					}
					b.service.EditChapter(project, chapter, longer)
					<-time.After(time.Second / 2)
				} else {
					time.AfterFunc(time.Second/2, func() { b.service.EditChapter(project, chapter, longer) })
				}
				_, err := b.convert()
				var failed *conversion.FailedError
				if got := errors.As(err, &failed); got != listed || err != nil && !got {
					b.Errorf("got error %v, want one of a conversion that has converted nothing: %t", err, listed)
				}
				b.wantRequests(1, 1)
			}, mockserver.Chapter{Text: text, Converted: true, Conversions: []mockserver.Conversion{oneMinute()}})
		})
	}
}
