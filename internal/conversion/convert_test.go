package conversion_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// A chapter has one session at a time. Who waits for another one loses nothing by that.

// TestTimeout_besideOtherResources: the service shows the conversion after the time of the first resource, and not of the
// second.
func TestTimeout_besideOtherResources(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		var resources sync.WaitGroup
		for _, timeout := range []time.Duration{time.Minute, time.Hour} {
			resources.Go(func() {
				began := time.Now()
				outcome, err := b.convertWithin(timeout)
				took := time.Since(began)
				if timeout == time.Minute {
					if !errors.Is(err, context.DeadlineExceeded) || outcome.Memory.Pending == nil || took < timeout || took > timeout+time.Second {
						b.Errorf("got %+v and error %v, want the end of its time", outcome, err)
					}
					return
				}
				b.wantSuccess(outcome, err)
			})
			time.Sleep(time.Nanosecond)
		}
		resources.Wait()
		b.wantRequests(1, 1)
	}, unconverted(mockserver.Conversion{Lag: 20 * time.Second, Takes: 3 * time.Minute}, oneMinute()))
}

// TestOtherResource_seesAnEdit: text that is written while the first resource waits is wanted by one that begins later.
func TestOtherResource_seesAnEdit(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		var resources sync.WaitGroup
		resources.Go(func() {
			_, err := b.convert()
			if err != nil {
				b.Error(err)
			}
		})
		time.Sleep(20 * time.Second)
		b.service.EditChapter(project, chapter, longer)
		resources.Go(func() { b.wantSuccess(b.convert(upToDate)) })
		resources.Wait()
		b.wantRequests(2, 2)
	}, unconverted(oneMinute(), oneMinute()))
}

// TestConvert_numbersThatMeanNotKnown: a service that counts nothing, and has no date of a conversion, shows numbers for both.
func TestConvert_numbersThatMeanNotKnown(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		const date = "last_conversion_date_unix"
		b.service.SetField(project, chapter, "statistics",
			`{"characters_unconverted":-1,"characters_converted":-1,"paragraphs_unconverted":-1,"paragraphs_converted":-1}`)
		b.service.SetField(project, chapter, date, "0")
		time.AfterFunc(30*time.Second, func() { b.service.SetField(project, chapter, date, "") })
		b.wantSuccess(b.convert(upToDate))
		b.wantRequests(1, 1)
	}, unconverted(oneMinute()))
}

// TestConversion_outlivesItsResource: a resource is interrupted, and a book goes on with its conversion.
func TestConversion_outlivesItsResource(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		var resources sync.WaitGroup
		resources.Go(func() { _, _ = b.convertInterrupted(20 * time.Second) })
		time.Sleep(time.Second)
		outcome := b.engine.ConvertProject(b.Context(), wholeBook())
		failed := failures(outcome)
		if len(failed) > 0 {
			b.Errorf("got failures %v", failed)
		}
		resources.Wait()
		b.wantRequests(1, 1)
	}, unconverted(oneMinute()))
}
