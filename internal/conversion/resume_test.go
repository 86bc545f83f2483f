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

// TestAnUndocumentedState may mean a running conversion. After an hour without a change, it counts as at rest.
func TestAnUndocumentedState(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		outcome, _ := b.convertInterrupted(2 * time.Second)
		cancelled := mockserver.Fault{
			Operation: mockserver.ListChapters, Times: -1,
			Body: `{"chapters":[{"chapter_id":"one","state":"cancelled","statistics":{"characters_converted":0,"characters_unconverted":9}}]}`,
		}
		b.service.Inject(cancelled)
		b.restart()
		outcome, err := b.convertWithin(61*time.Minute, resuming(outcome.Pending))
		if !errors.Is(err, context.DeadlineExceeded) || *outcome.Pending.Baseline.State != *outcome.Chapter.State {
			b.Fatalf("got %+v and error %v, want a state of rest, after an hour", outcome, err)
		}
		time.Sleep(time.Minute)
		b.restart()
		predicted := b.engine.Predict(b.Context(), demand(resuming(outcome.Pending)))
		if predicted.Err != nil || predicted.Decision.Step != conversion.Wait || predicted.Decision.Reason != conversion.Watching {
			b.Errorf("got %+v, want a window, after which it is requested again", predicted)
		}
		b.wantRequests(1, 1)
	}, unconverted(mockserver.Conversion{Lag: 3 * time.Hour}))
}
