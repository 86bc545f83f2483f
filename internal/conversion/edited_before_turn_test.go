package conversion_test

import (
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

func TestTextThatIsEditedRightAfterTheRequestIsNotLeftOver(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		if _, err := b.engine.Chapters(b.Context(), project); err != nil {
			b.Fatal(err)
		}
		time.AfterFunc(time.Second/2, func() { b.service.EditChapter(project, chapter, longer) })
		outcome, err := b.convert()
		if left, _ := conversion.Unconverted(outcome.Chapter); err != nil || left == 0 || outcome.KnownRemainder != 0 {
			b.Errorf("got %d open and %d left over, error %v; want the text that was written during the conversion counted as open", left, outcome.KnownRemainder, err)
		}
	}, unconverted(oneMinute()))
}
