package conversion_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestConvert_showsARefusal(t *testing.T) {
	t.Parallel()
	for status, within := range map[int]time.Duration{400: 2 * time.Second, 409: 2 * time.Second, 422: 2 * time.Second} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				b.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Status: status, Body: `{"detail":"the chapter is locked"}`})
				outcome, err := b.convert()
				var refused *audioprojects.Error
				if !errors.As(err, &refused) || refused.Message != "the chapter is locked" {
					b.Errorf("got error %v, want the service's words", err)
				}
				if outcome.Memory.Pending != nil {
					b.Errorf("got pending %+v, want none: nothing was begun", *outcome.Memory.Pending)
				}
				if b.took > within {
					b.Errorf("got the refusal after %s, want it within %s", b.took, within)
				}
				b.wantRequests(1, 0)
			}, unconverted(oneMinute()))
		})
	}
}

// TestConvert_pauseOfTheService, also before it has requested anything.
func TestConvert_pauseOfTheService(t *testing.T) {
	t.Parallel()
	forms := map[string]mockserver.Fault{
		"seconds": mockserver.RateLimited(10 * time.Minute),
		"a date":  mockserver.RateLimitedUntil(time.Date(2000, 1, 1, 0, 10, 0, 0, time.UTC)),
	}
	for name, limited := range forms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				b.service.Inject(limited)
				b.wantSuccess(b.convert())
				b.wantRequests(1, 1)
				journal := b.service.Journal()
				pause := journal[1].At.Sub(journal[0].At)
				if pause < 10*time.Minute {
					b.Errorf("asked again after %s, want ten minutes", pause)
				}
			}, unconverted(oneMinute()))
		})
		t.Run(name+", with less time", func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				b.service.Inject(limited)
				outcome, err := b.convertWithin(5 * time.Minute)
				if !errors.Is(err, audioprojects.RateLimited) || outcome.Memory.Pending != nil || b.took != 0 {
					b.Errorf("got %+v and error %v, want the limit at once", outcome, err)
				}
				b.wantRequests(0, 0)
			}, unconverted(oneMinute()))
		})
	}
}

func TestConvert_permanentError(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 403, 404} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				b.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Skip: 3, Times: -1, Status: status})
				outcome, err := b.convert()
				var refused *audioprojects.Error
				if !errors.As(err, &refused) || refused.Status != status {
					b.Errorf("got error %v, want status %d", err, status)
				}
				if outcome.Memory.Pending == nil || b.took > time.Minute {
					b.Errorf("got outcome %+v, want it pending, at once", outcome)
				}
				b.wantRequests(1, 1)
			}, unconverted(mockserver.Conversion{Takes: 10 * time.Minute}))
		})
	}
}

// TestConvert_refusedAsBusyWithAPause: a proxy has sent the request twice, and passes on the
// second answer. Only 429 pauses the looks.
func TestConvert_refusedAsBusyWithAPause(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Inject(mockserver.Fault{
			Operation: mockserver.ConvertChapter, Process: true, Status: 409, Header: http.Header{"Retry-After": {"100000"}}, Body: `{"detail":"already converting"}`,
		})
		b.wantSuccess(b.convert())
		b.wantRequests(1, 1)
	}, unconverted(oneMinute()))
}

// TestConvert_refusedAndConverted: a gateway that sends a request twice answers with the refusal of the second. What was converted then may
// have begun before the triggers have changed, so that one request of our own follows. Whatever becomes of that, no other one does.
func TestConvert_refusedAndConverted(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 404, 407, 409, 425, 429} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				b.service.Inject(mockserver.Fault{
					Operation: mockserver.ConvertChapter, Times: -1, Process: true, Status: status, Body: `{"detail":"the chapter is locked"}`,
				})
				outcome, err := b.convert(isRetriggered, withTriggers("new"))
				if outcome.Memory.Pending != nil || !outcome.Memory.ForTriggers {
					b.Errorf("got %+v, want nothing pending: both have ended, and the triggers want one still", outcome.Memory)
				}
				refused, isRefusal := errors.AsType[*conversion.RefusedTwiceError](err)
				if !isRefusal || refused.Refusal.Message != "the chapter is locked" {
					b.Errorf("got error %v, want that it was refused twice, and the service's words", err)
				}
				b.wantRequests(2, 2)
			}, mockserver.Chapter{ID: "one", Converted: true, Conversions: []mockserver.Conversion{oneMinute()}})
		})
	}
}

// TestConvert_beganAfterARefusal: a conversion has begun and ended before the request may be sent again. It counts, as one that is joined does.
func TestConvert_beganAfterARefusal(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]mockserver.Fault{
		"with a pause": mockserver.RateLimited(7 * time.Second),
		"not found":    {Status: http.StatusNotFound, Body: `{"detail":"no such voice"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				refusal.Operation, refusal.Process = mockserver.ConvertChapter, true
				b.service.Inject(refusal)
				b.wantSuccess(b.convert())
				b.wantRequests(1, 1)
			}, unconverted(mockserver.Conversion{Takes: 4 * time.Second}))
		})
	}
}

// TestConvertProject_refusedAndConverted: what the service does to one chapter stops no other, also after 429.
func TestConvertProject_refusedAndConverted(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.parallel = 1
		b.restart()
		refusal := mockserver.RateLimited(0)
		refusal.Operation, refusal.Process, refusal.Times, refusal.ChapterID = mockserver.ConvertChapter, true, -1, "chapter-0"
		b.service.Inject(refusal)
		book := wholeBook()
		book.Template.New, book.Template.Triggers, book.Template.Memory.ForTriggers = false, "new", true
		outcome := b.engine.ConvertProject(b.Context(), book)
		failed := failures(outcome)
		if outcome.Stopped != nil || len(failed) != 1 || !errors.As(failed["chapter-0"], new(*conversion.RefusedTwiceError)) {
			b.Errorf("stopped by %v, failures %v; want only the first chapter's", outcome.Stopped, failed)
		}
	}, many(3, 10*time.Second)...)
}
