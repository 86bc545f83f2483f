package conversion_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestOtherResource_quotesTheAnswer to the request of the first one: nobody requests the chapter again while its end is
// not known.
func TestOtherResource_quotesTheAnswer(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Inject(refused500(false))
		var resources sync.WaitGroup
		for i := range 2 {
			resources.Go(func() {
				time.Sleep(time.Duration(i) * time.Second)
				_, err := b.engine.Convert(context.Background(), desired(upToDate))
				if err == nil || !strings.Contains(err.Error(), "500") || i == 1 != errors.As(err, new(*conversion.OpenEndError)) {
					b.Errorf("resource %d: got error %v, want the answer, and for the second one that the end is open", i, err)
				}
			})
		}
		resources.Wait()
		b.wantRequests(1, 0)
	}, unconverted(oneMinute()))
}

// TestOtherResource_listThatLags: the second one has the chapter converted by an old list alone, so that it looks again.
func TestOtherResource_listThatLags(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.SetHabits(mockserver.Habits{StaleLists: 3 * time.Second, Replicas: 2})
		var resources sync.WaitGroup
		for i := range 2 {
			resources.Go(func() {
				time.Sleep(time.Duration(i) * time.Second / 10)
				b.wantSuccess(b.convert(upToDate))
			})
		}
		resources.Wait()
		b.wantRequests(1, 1)
	}, unconverted(mockserver.Conversion{Takes: time.Second}))
}

// TestPostponedRequest_listThatFails is asked for again at the usual pace, and after the pause that it asks for.
func TestPostponedRequest_listThatFails(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.limit(2 * time.Second)
		limited := mockserver.RateLimited(2 * time.Minute)
		limited.Operation, limited.Skip = mockserver.ListChapters, 1
		b.service.Inject(limited)
		told := 0
		b.wantSuccess(b.convert(upToDate, func(w *conversion.Desired) { w.Progress = func(conversion.Outcome) { told++ } }))
		if told > 100 {
			b.Errorf("looked %d times", told)
		}
		b.wantRequests(2, 1)
	}, unconverted(oneMinute()))
}

// TestOtherResource_openEnd: while a conversion that one resource has requested has no known end, another one requests
// none, also after the first one's time. Once it is seen to end, the second one goes by its own wish.
func TestOtherResource_openEnd(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		second        mockserver.Conversion
		option        option
		sent          int
		isOpen, fails bool
	}{
		"not shown":                {mockserver.Conversion{Lag: time.Hour, Takes: time.Minute}, upToDate, 1, true, true},
		"it runs, and text wanted": {oneMinute(), upToDate, 1, false, false},
		"it runs, and a creation":  {oneMinute(), isNew, 1, false, false},
		"it runs, and triggers":    {oneMinute(), isRetriggered, 2, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				_, err := b.convertWithin(40 * time.Second)
				if !errors.Is(err, context.DeadlineExceeded) {
					b.Fatalf("the first one: got %v, want a timeout", err)
				}
				outcome, err := b.convert(test.option)
				if test.isOpen != errors.As(err, new(*conversion.OpenEndError)) || test.fails != (err != nil) {
					b.Errorf("the second one: got %+v, %v", outcome.Decision, err)
				}
				b.wantRequests(test.sent, test.sent)
			}, unconverted(test.second, oneMinute()))
		})
	}
}

func isNew(d *conversion.Desired) { d.New = true }
