package conversion

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// TestAnAbandonedListIsNobodysAnswer: it was cancelled when the last one that waited for it gave up, and who comes then asks again.
func TestAnAbandonedListIsNobodysAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		ask := func(ctx context.Context, sending func()) (audioprojects.Project, error) {
			asked++
			sending()
			time.Sleep(time.Minute) // also after it is cancelled
			return audioprojects.Project{}, ctx.Err()
		}
		p := &poller{clock: &clock{}, updated: make(chan struct{}), ask: ask}
		impatient, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		began := p.clock.now()
		_, err := p.listing(impatient, began)
		if err == nil {
			t.Error("got no error, want that its time is over")
		}
		found, err := p.listing(t.Context(), began)
		if err != nil || found.err != nil || asked != 2 {
			t.Errorf("got error %v and %+v after %d requests, want a list of its own", err, found, asked)
		}
	})
}
