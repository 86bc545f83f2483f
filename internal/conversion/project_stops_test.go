package conversion_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// refusing is a fault of the request for the conversion of one chapter; of all if the id is empty.
func refusing(chapterID string, status int, body string) mockserver.Fault {
	return mockserver.Fault{Operation: mockserver.ConvertChapter, ChapterID: chapterID, Times: -1, Status: status, Body: body}
}

// TestConvertProject_whoseRefusalItIs: eight chapters, one after the other. What may be one chapter's own stops no other, unless it is
// the second alike before the service has accepted anything. A quota is everybody's, and so is a key that is refused again and again.
func TestConvertProject_whoseRefusalItIs(t *testing.T) {
	t.Parallel()
	const silent = `{"detail":"No."}`
	const ownCode = `{"detail":{"status":"payment_required","message":"The voice of this chapter needs another plan."}}`
	afterThree := func(fault mockserver.Fault) mockserver.Fault {
		fault.Skip = 3
		return fault
	}
	for name, test := range map[string]struct {
		faults []mockserver.Fault
		sent   int // requests for conversions; 8: it stops nothing
		failed int // chapters that the service refused
	}{
		"402 with a code, in the middle":            {[]mockserver.Fault{refusing("chapter-3", 402, ownCode)}, 8, 1},
		"402 with a code, two in the middle":        {[]mockserver.Fault{refusing("chapter-3", 402, ownCode), refusing("chapter-4", 402, ownCode)}, 8, 2},
		"402 with a code, the first":                {[]mockserver.Fault{refusing("chapter-0", 402, ownCode)}, 8, 1},
		"402 with a code, and 403 for the next":     {[]mockserver.Fault{refusing("chapter-0", 402, ownCode), refusing("chapter-1", 403, silent)}, 8, 2},
		"402 with a code, all":                      {[]mockserver.Fault{refusing("", 402, ownCode)}, 2, 2},
		"402 without a code, in the middle":         {[]mockserver.Fault{refusing("chapter-3", 402, silent)}, 4, 1},
		"402 that says only that it is an error":    {[]mockserver.Fault{refusing("chapter-3", 402, `{"status":"error","message":"No."}`)}, 4, 1},
		"a quota called 402":                        {[]mockserver.Fault{refusing("chapter-3", 402, `{"detail":{"status":"quota_exceeded"}}`)}, 4, 1},
		"403, two in the middle":                    {[]mockserver.Fault{refusing("chapter-3", 403, silent), refusing("chapter-4", 403, silent)}, 8, 2},
		"403, all":                                  {[]mockserver.Fault{refusing("", 403, silent)}, 2, 2},
		"401, one in the middle":                    {[]mockserver.Fault{refusing("chapter-3", 401, silent)}, 8, 1},
		"401, two with an acceptance between them":  {[]mockserver.Fault{refusing("chapter-3", 401, silent), refusing("chapter-5", 401, silent)}, 8, 2},
		"401 from then on":                          {[]mockserver.Fault{afterThree(refusing("", 401, silent))}, 5, 2},
		"a key that the service calls revoked":      {[]mockserver.Fault{afterThree(refusing("", 401, `{"detail":{"status":"api_key_revoked"}}`))}, 4, 1},
		"a voice that is not found, for all":        {[]mockserver.Fault{refusing("", 404, `{"detail":{"status":"voice_not_found"}}`)}, 16, 8},
		"a voice that is not found, and 403 for it": {[]mockserver.Fault{refusing("chapter-0", 404, silent), refusing("chapter-1", 403, silent), refusing("chapter-2", 403, silent)}, 9, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				b.parallel = 1
				b.restart()
				for _, fault := range test.faults {
					b.service.Inject(fault)
				}
				outcome := b.engine.ConvertProject(b.Context(), wholeBook())
				refused := 0
				for _, c := range outcome.Chapters {
					if c.Begun && c.Err != nil {
						refused++
					}
				}
				sent, stops := b.service.Count(mockserver.ConvertChapter), test.sent < 8
				if sent != test.sent || refused != test.failed || (outcome.Stopped != nil) != stops {
					b.Errorf("got %d requests, %d refusals, stopped by %v; want %d and %d", sent, refused, outcome.Stopped, test.sent, test.failed)
				}
			}, many(8, 10*time.Second)...)
		})
	}
}

// TestConvertProject_keyRevokedInTheMiddle: an expired key is refused for everything. It is not tried for each chapter, and neither is
// the list, which is refused for all of them.
func TestConvertProject_keyRevokedInTheMiddle(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 403, 404} {
		inBubble(t, func(b *bubble) {
			b.parallel = 10
			b.restart()
			before := 0
			time.AfterFunc(35*time.Second, func() {
				before = len(b.service.Journal())
				b.service.Inject(mockserver.Fault{Times: -1, Status: status, Body: `{"detail":"No."}`})
			})
			outcome := b.engine.ConvertProject(b.Context(), wholeBook())
			after := len(b.service.Journal()) - before
			if outcome.Stopped == nil || after > 25 {
				b.Errorf("%d: stopped by %v, after %d more requests", status, outcome.Stopped, after)
			}
			b.wantPaid(40)
		}, many(500, 10*time.Second)...)
	}
}

// TestConvertProject_chapterTimeBeforeTheEndOfAPause: the service pauses the lists for longer than one chapter may still take, and not
// for longer than the project may. That chapter is given up, and the rest is converted after the pause.
func TestConvertProject_chapterTimeBeforeTheEndOfAPause(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.parallel = 1
		b.restart()
		limited := mockserver.RateLimited(8 * time.Minute)
		limited.Operation = mockserver.ListChapters
		time.AfterFunc(10*time.Second, func() { b.service.Inject(limited) })
		book := wholeBook()
		book.ChapterTimeout = 5 * time.Minute
		ctx, cancel := context.WithTimeout(b.Context(), 24*time.Hour)
		defer cancel()
		outcome := b.engine.ConvertProject(ctx, book)
		failed := failures(outcome)
		if outcome.Stopped != nil || !slices.Equal(slices.Collect(maps.Keys(failed)), []string{"chapter-0"}) {
			b.Errorf("stopped by %v, failures %v; want only the first chapter's", outcome.Stopped, failed)
		}
		b.wantPaid(5)
	}, many(5, time.Minute)...)
}

// TestConvertProject_serviceThatIsBusyForLong: what the service refuses to every chapter for longer than the engine waits, or than the
// project may take, stops the rest.
func TestConvertProject_serviceThatIsBusyForLong(t *testing.T) {
	t.Parallel()
	for name, limited := range map[string]mockserver.Fault{"always": mockserver.RateLimited(time.Minute), "a long pause": mockserver.RateLimited(23 * time.Hour)} {
		inBubble(t, func(b *bubble) {
			b.parallel = 1
			b.restart()
			limited.Operation, limited.Times = mockserver.ConvertChapter, -1
			b.service.Inject(limited)
			outcome := b.engine.ConvertProject(b.Context(), wholeBook())
			begun := slices.DeleteFunc(slices.Clone(outcome.Chapters), func(c conversion.ChapterStatus) bool { return !c.Begun })
			if !errors.Is(outcome.Stopped, audioprojects.RateLimited) || len(begun) != 1 {
				b.Errorf("%s: stopped by %v, %d begun; want the limit after one", name, outcome.Stopped, len(begun))
			}
		}, many(5, time.Minute)...)
	}
}
