package conversion_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

func TestALookAfterOurRequestUsesANewerList(t *testing.T) {
	t.Parallel()
	for name, busy := range map[string]func(*bubble, conversion.Demand) (bool, error){
		"a prediction": func(b *bubble, demand conversion.Demand) (bool, error) {
			predicted, err := b.engine.Predict(b.Context(), demand)
			return predicted.Decision.Reason == conversion.Converting, err
		},
		"a chapter": func(b *bubble, demand conversion.Demand) (bool, error) {
			seen, err := b.engine.Chapter(b.Context(), demand.ProjectID, demand.ChapterID)
			return conversion.Busy(seen), err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				// The only list so far is older than the request.
				outcome, err := b.convertInterrupted(time.Second / 2)
				if !errors.Is(err, context.Canceled) || outcome.Pending == nil {
					b.Fatalf("got pending %+v, error %v; want an interruption with something pending", outcome.Pending, err)
				}
				b.wantRequests(1, 1)
				if shown, err := busy(b, demand(resuming(outcome.Pending))); err != nil || !shown {
					b.Errorf("got converting %t, error %v; want what the chapter shows after the request", shown, err)
				}
			}, unconverted(oneMinute()))
		})
	}
}
