package conversion_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// handOver restarts the process, in which a resource with this memory is then removed.
func (b *bubble) handOver(left conversion.Memory) {
	b.restart()
	b.engine.HandOver(project, map[string]conversion.Memory{chapter: left})
	b.service.ResetJournal()
}

// TestHandedOverConversion_requestsNothing that is in the state and follows the text: no plan has named a request for it.
func TestHandedOverConversion_requestsNothing(t *testing.T) {
	t.Parallel()
	follows := func(w *conversion.Desired) { w.UpToDate, w.Known = true, true }
	short := mockserver.Conversion{Takes: 5 * time.Second}
	fails := mockserver.Conversion{Takes: 5 * time.Second, Fails: "no voice"}
	for name, test := range map[string]struct {
		second mockserver.Conversion
		after  time.Duration // of its request, the apply is interrupted
		loses  bool          // the answer
	}{
		"lost":  {short, time.Minute, true},
		"ends":  {short, 3 * time.Second, false},
		"fails": {fails, 3 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				b.wantSuccess(b.convert())
				b.restart()
				if test.loses {
					b.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Reset: true})
				}
				left, _ := b.convertInterrupted(test.after, func(w *conversion.Desired) { w.Known = true }, withTriggers("new"))
				if left.Pending == nil {
					b.Fatal("nothing is pending")
				}
				b.handOver(left.Memory)
				b.wantSuccess(b.convert(follows, withTriggers("its own")))
				b.wantRequests(0, b.service.Conversions(project, chapter))
			}, unconverted(short, test.second))
		})
	}
}

// TestHandedOverConversion_thenOwnTriggers: a resource that does not follow the text requests its own conversion, as its plan
// has said, however the other one ends.
func TestHandedOverConversion_thenOwnTriggers(t *testing.T) {
	t.Parallel()
	for _, fails := range []string{"", "no voice"} {
		inBubble(t, func(b *bubble) {
			left, _ := b.convertInterrupted(3 * time.Second)
			b.handOver(left.Memory)
			outcome, err := b.convert(func(w *conversion.Desired) { w.Known = true }, withTriggers("new"))
			b.wantSuccess(outcome, err)
			b.wantRequests(1, 2)
		}, unconverted(mockserver.Conversion{Takes: 10 * time.Second, Fails: fails}, oneMinute()))
	}
}

// TestOtherResource_quotesTheAnswer to the request of the first one, which it follows.
func TestOtherResource_quotesTheAnswer(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Inject(refused500(false))
		var resources sync.WaitGroup
		for i := range 2 {
			resources.Go(func() {
				time.Sleep(time.Duration(i) * time.Second)
				_, err := b.engine.Convert(context.Background(), desired(upToDate))
				if err == nil || !strings.Contains(err.Error(), "500") {
					b.Errorf("resource %d: got error %v, want the answer", i, err)
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

// TestOtherResource_acceptedRequestWithoutASign: its error has no answer to quote.
func TestOtherResource_acceptedRequestWithoutASign(t *testing.T) {
	t.Parallel()
	said := (&conversion.UnconfirmedError{}).Error()
	want := "The service accepted a request for a conversion, and showed no sign of it within 30s"
	if said != want {
		t.Errorf("got %q, want %q", said, want)
	}
}

// TestRemainder_ofAnotherResource: what the service has left in this apply is not requested once more for another resource. An action is
// somebody's wish to try again.
func TestRemainder_ofAnotherResource(t *testing.T) {
	t.Parallel()
	follows := func(w *conversion.Desired) { w.UpToDate = true }
	inBubble(t, func(b *bubble) {
		b.service.SetHabits(mockserver.Habits{LeavesLast: true})
		for _, with := range [][]option{{}, {follows}, {follows, func(w *conversion.Desired) { w.Known = true }}} {
			outcome, err := b.convert(with...)
			if err != nil || outcome.Remainder.Unconverted == 0 {
				b.Errorf("got %+v and the error %v, want a remainder", outcome.Remainder, err)
			}
		}
		b.wantRequests(1, 1)
		_, err := b.convert(follows, func(w *conversion.Desired) { w.Invoked = true })
		b.wantRequests(2, 2)
		if err == nil {
			b.Error("a conversion of nothing but skipped text ended well")
		}
	}, mockserver.Chapter{Text: "First paragraph.\n\nLast paragraph."})
}
