package conversion_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestAConversionHandedOverStaysPendingIfTheServiceIsDown(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		outcome, _ := b.convertWithin(30 * time.Second)
		b.restart()
		b.engine.HandOver(project, map[string]conversion.Memory{chapter: {Pending: outcome.Pending}})
		b.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Times: 5, Status: 503})
		outcome, err := b.convert()
		if err == nil || outcome.Pending == nil {
			b.Fatalf("got %+v and error %v, want it pending again", outcome, err)
		}
		b.wantSuccess(b.convert(resuming(outcome.Pending)))
		b.wantRequests(1, 1)
	}, unconverted(oneMinute()))
}

func TestALookAfterOurRequestUsesANewerList(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		// The only list so far is older than the request.
		outcome, err := b.convertInterrupted(time.Second / 2)
		if !errors.Is(err, context.Canceled) || outcome.Pending == nil {
			b.Fatalf("got pending %+v, error %v; want an interruption with something pending", outcome.Pending, err)
		}
		b.wantRequests(1, 1)
		predicted := b.engine.Predict(b.Context(), demand(resuming(outcome.Pending)))
		if predicted.Err != nil || predicted.Decision.Reason != conversion.Converting {
			b.Errorf("got %+v, want what the chapter shows after the request", predicted)
		}
	}, unconverted(oneMinute()))
}
