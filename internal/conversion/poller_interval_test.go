package conversion_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// After long conversions, looks are rare. The end of a much shorter one is noticed at the next of them, and that of the
// next short one as early as usual.
func TestAShortConversionAfterLongOnes(t *testing.T) {
	t.Parallel()
	lengths := []time.Duration{10 * time.Minute, 10 * time.Minute, 5 * time.Second, 5 * time.Second}
	most := []time.Duration{17 * time.Second, 17 * time.Second, 12 * time.Second, 1500 * time.Millisecond}
	var chapters []mockserver.Chapter
	for i, takes := range lengths {
		chapters = append(chapters, mockserver.Chapter{ID: fmt.Sprint(i), Text: text, Conversions: []mockserver.Conversion{{Takes: takes}}})
	}
	inBubble(t, func(b *bubble) {
		for i, takes := range lengths {
			began := time.Now()
			_, err := b.engine.Convert(b.Context(), conversion.Desired{ProjectID: project, ChapterID: fmt.Sprint(i)})
			if err != nil {
				b.Fatal(err)
			}
			late := time.Since(began) - takes
			if late > most[i] {
				b.Errorf("conversion %d of %s: noticed %s after the end, want %s at most", i, takes, late, most[i])
			}
		}
	}, chapters...)
}
