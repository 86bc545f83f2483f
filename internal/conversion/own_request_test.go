package conversion_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestALookAfterOnesOwnRequestIsNotOlderThanIt(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		// The one list is from before the request.
		outcome, err := b.convertInterrupted(time.Second / 2)
		if !errors.Is(err, context.Canceled) || outcome.Pending == nil {
			t.Fatalf("got pending %+v, error %v; want an interruption with something pending", outcome.Pending, err)
		}
		b.wantRequests(1, 1)
		lists := b.service.Count(mockserver.ListChapters)
		predicted, err := b.engine.Predict(b.Context(), wish(resuming(outcome.Pending)))
		if err != nil || predicted.Decision.Reason != conversion.Converting {
			t.Errorf("got %+v, error %v; want what the chapter shows since the request", predicted.Decision, err)
		}
		seen, err := b.engine.Chapter(b.Context(), project, chapter)
		if err != nil || !conversion.Busy(seen) {
			t.Errorf("got %+v, error %v; want it converting", seen, err)
		}
		if asked := b.service.Count(mockserver.ListChapters) - lists; asked != 1 {
			t.Errorf("lists asked for: got %d, want 1", asked)
		}
	}, takes(aMinute()))
}
