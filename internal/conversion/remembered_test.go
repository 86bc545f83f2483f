package conversion_test

import (
	"errors"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

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
