package conversion_test

import (
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestSession_asksNoOftenerThanEachSecond: a list from before the session shows that the conversion has ended well, and the newer ones lack
// the chapter. Until two of them confirm each other, 5 s pass.
func TestSession_asksNoOftenerThanEachSecond(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		before, _ := b.convertInterrupted(20 * time.Second)
		time.Sleep(time.Hour)
		b.restart()
		b.reach()
		b.service.ResetJournal()
		b.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Body: `{"chapters":[]}`, Times: 100})
		outcome, err := b.convert(resuming(before.Pending))
		wantMissing(b, err)
		if outcome.Pending == nil {
			b.Error("got nothing pending, want the conversion")
		}
		lists, most := b.service.Count(mockserver.ListChapters), 1+int(b.took/time.Second)
		if lists > most {
			b.Errorf("got %d lists within %s, want %d at most", lists, b.took, most)
		}
	}, unconverted(oneMinute()))
}
