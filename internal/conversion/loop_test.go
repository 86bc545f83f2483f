package conversion_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// A chapter has one loop. Who is served beside others loses nothing by that.

// TestWhoIsServedBesideOthersHasATimeoutOfItsOwn: the service shows the conversion after the time of the first resource, and not of the
// second.
func TestWhoIsServedBesideOthersHasATimeoutOfItsOwn(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		var blocks sync.WaitGroup
		for _, timeout := range []time.Duration{time.Minute, time.Hour} {
			blocks.Go(func() {
				began := time.Now()
				outcome, err := b.convertWithin(timeout)
				took := time.Since(began)
				if timeout == time.Minute {
					if !errors.Is(err, context.DeadlineExceeded) || outcome.Pending == nil || took != timeout {
						b.Errorf("got %+v and error %v, want the end of its time", outcome, err)
					}
					return
				}
				b.wantSuccess(outcome, err)
			})
			time.Sleep(time.Nanosecond)
		}
		blocks.Wait()
		b.wantRequests(1, 1)
	}, unconverted(mockserver.Conversion{Lag: 20 * time.Second, Takes: 3 * time.Minute}, oneMinute()))
}

// TestAnEditIsTheDemandOfWhoComesLater: text that is written while the first resource waits is wanted by one that begins later.
func TestAnEditIsTheDemandOfWhoComesLater(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		var blocks sync.WaitGroup
		blocks.Go(func() {
			_, err := b.convert()
			if err != nil {
				b.Error(err)
			}
		})
		time.Sleep(20 * time.Second)
		b.service.EditChapter(project, chapter, longer)
		blocks.Go(func() { b.wantSuccess(b.convert(upToDate)) })
		blocks.Wait()
		b.wantRequests(2, 2)
	}, unconverted(oneMinute(), oneMinute()))
}

// TestAConversionOutlivesWhoRequestedIt: a resource is interrupted, and a book goes on with its conversion.
func TestAConversionOutlivesWhoRequestedIt(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		var blocks sync.WaitGroup
		blocks.Go(func() { _, _ = b.convertInterrupted(20 * time.Second) })
		time.Sleep(time.Second)
		outcome := b.engine.ConvertProject(b.Context(), wholeBook())
		failed := failures(outcome)
		if len(failed) > 0 {
			b.Errorf("got failures %v", failed)
		}
		blocks.Wait()
		b.wantRequests(1, 1)
	}, unconverted(oneMinute()))
}

// TestAWaitBeforeAReplacementKeepsItsOwn, also if its time is over and another resource has requested a later conversion: that one is not
// for the triggers of the resource that is replaced.
func TestAWaitBeforeAReplacementKeepsItsOwn(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		before, _ := b.convertInterrupted(20*time.Second, withTriggers("old"))
		b.restart()
		time.Sleep(time.Hour)
		var resources sync.WaitGroup
		resources.Go(func() { b.wantSuccess(b.convert(withTriggers("new"))) })
		time.Sleep(5 * time.Second)
		ctx, cancel := context.WithTimeout(b.Context(), 10*time.Millisecond)
		defer cancel()
		outcome, err := b.engine.Await(ctx, desired(remembering(before.Memory), withTriggers("old")))
		if !errors.Is(err, context.DeadlineExceeded) || *outcome.Pending.RequestedAtUnix != *before.Pending.RequestedAtUnix {
			b.Errorf("got %+v and error %v, want %+v", outcome.Pending, err, before.Pending)
		}
		resources.Wait()
	}, unconverted(oneMinute(), oneMinute()))
}
