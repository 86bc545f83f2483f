package conversion_test

import (
	"sync"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// Resources that are interrupted while one of them asks for the conversion have it pending, all of them. Otherwise the next apply pays again.
func TestInterruptedWhileAnotherBlockAsks(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Process: true, Hang: time.Minute})
		var blocks sync.WaitGroup
		for range 3 {
			blocks.Go(func() {
				outcome, _ := b.convertInterrupted(2 * time.Second)
				if outcome.Pending == nil || outcome.Waited > 3*time.Second {
					b.Errorf("got %+v, want something pending at once", outcome)
				}
			})
		}
		blocks.Wait()
		b.wantRequests(1, 1)
	}, unconverted(oneMinute()))
}

// A new resource takes what another has pending since an earlier apply, whatever its own triggers are: nothing has replaced anything.
func TestANewBlockTakesWhatAnotherBlockHasPending(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		first, _ := b.convertInterrupted(5*time.Second, withTriggers("of the first"))
		b.restart()
		b.wantSuccess(b.convert(resuming(first.Pending), withTriggers("of the first")))
		b.wantSuccess(b.convert(withTriggers("of the second")))
		b.wantRequests(1, 1)
	}, unconverted(oneMinute(), oneMinute()))
}

// The service accepts a request and does nothing. Resources that come one after the other do not wait for that for a whole timeout each.
func TestOneTimeoutWithoutASignIsEnough(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Status: 200, Body: "{}"})
		outcome, err := b.convert()
		if err == nil {
			b.Fatalf("got %+v, want the end of the time", outcome)
		}
		outcome, err = b.convert()
		b.wantSuccess(outcome, err)
		if outcome.Waited > 5*time.Minute {
			b.Errorf("the second block waited for %s", outcome.Waited)
		}
	}, unconverted(oneMinute()))
}

// A conversion runs in a state that the document does not list, for longer than several timeouts. Only after an hour does such a state say
// nothing any more, so that each apply goes on waiting, and none requests another.
func TestTimeoutsInAnUnnamedStateOfLessThanAnHour(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		const rendering = `{"chapters":[{"chapter_id":"one","name":"One","state":"rendering","statistics":{"characters_unconverted":38,"characters_converted":0}}]}`
		b.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Skip: 1, Times: -1, Body: rendering})
		outcome, err := b.convertWithin(5 * time.Minute)
		for range 3 {
			if err == nil || outcome.Pending == nil {
				b.Fatalf("got %+v, want the end of the time", outcome)
			}
			b.restart()
			outcome, err = b.convertWithin(5*time.Minute, resuming(outcome.Pending))
		}
		b.wantRequests(1, 1)
	}, unconverted(mockserver.Conversion{Takes: 30 * time.Minute}))
}
