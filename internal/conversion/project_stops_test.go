package conversion_test

import (
	"context"
	"errors"
	"fmt"
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

// TestConvertProject_whoseRefusalItIs: eight chapters. What may be one chapter's own stops no other. After two alike in a row, the last
// chapter's tells whether it is everybody's. A quota is everybody's at once, and so is a key that a code calls invalid.
func TestConvertProject_whoseRefusalItIs(t *testing.T) {
	t.Parallel()
	const silent = `{"detail":"No."}`
	const ownCode = `{"detail":{"status":"payment_required","message":"The voice of this chapter needs another plan."}}`
	of := func(status int, body string, chapters ...string) (faults []mockserver.Fault) {
		for _, chapter := range chapters {
			faults = append(faults, refusing(chapter, status, body))
		}
		return faults
	}
	from := func(number, status int, body string) []mockserver.Fault {
		fault := refusing("", status, body)
		fault.Skip = number
		return []mockserver.Fault{fault}
	}
	words := func(faults []mockserver.Fault) []mockserver.Fault { // an id in the words of each
		for i := range faults {
			faults[i].Body = fmt.Sprintf(`{"detail":{"status":"no_credits_for_it","message":"Chapter %d needs credits."}}`, i)
		}
		return faults
	}
	for name, test := range map[string]struct {
		faults   []mockserver.Fault
		parallel int // how many run at a time
		sent     int // requests for conversions; 8: it stops nothing
		failed   int // chapters that the service refused
	}{
		"402 with a code, in the middle":              {of(402, ownCode, "chapter-3"), 1, 8, 1},
		"402 with a code, two in the middle":          {of(402, ownCode, "chapter-3", "chapter-4"), 1, 8, 2},
		"402 with a code, three in the middle":        {of(402, ownCode, "chapter-3", "chapter-4", "chapter-5"), 1, 8, 3},
		"402 with a code, the first":                  {of(402, ownCode, "chapter-0"), 1, 8, 1},
		"402 with a code, and 403 for the next":       {slices.Concat(of(402, ownCode, "chapter-0"), of(403, silent, "chapter-1")), 1, 8, 2},
		"402 with a code, two and the last otherwise": {slices.Concat(of(402, ownCode, "chapter-0", "chapter-1"), of(402, silent, "chapter-7")), 1, 8, 3},
		"402 with a code, all but the last":           {of(402, ownCode, "chapter-0", "chapter-1", "chapter-2", "chapter-3", "chapter-4", "chapter-5", "chapter-6"), 1, 6, 5},
		"402 with a code, the last two":               {of(402, ownCode, "chapter-6", "chapter-7"), 1, 8, 2},
		"402 with a code, all":                        {from(0, 402, ownCode), 1, 3, 3},
		"402 with a code, all, fifty at a time":       {from(0, 402, ownCode), 50, 3, 3},
		"402 from then on, three at a time":           {from(3, 402, ownCode), 3, 7, 4},
		"402 with an id in its words":                 {words(of(402, "", "chapter-0", "chapter-1", "chapter-7")), 1, 3, 3},
		"402 without a code, in the middle":           {of(402, silent, "chapter-3"), 1, 8, 1},
		"402 without a code, from then on":            {from(3, 402, silent), 1, 6, 3},
		"a quota called 402":                          {of(402, `{"detail":{"status":"quota_exceeded"}}`, "chapter-3"), 1, 4, 1},
		"a quota called 401, fifty at a time":         {from(0, 401, `{"detail":{"status":"quota_exceeded"}}`), 50, 1, 1},
		"403, two in the middle":                      {of(403, silent, "chapter-3", "chapter-4"), 1, 8, 2},
		"403, all":                                    {from(0, 403, silent), 1, 3, 3},
		"401, one in the middle":                      {of(401, silent, "chapter-3"), 1, 8, 1},
		"401, two with an acceptance between them":    {of(401, silent, "chapter-3", "chapter-5"), 1, 8, 2},
		"401 from then on":                            {from(3, 401, silent), 1, 6, 3},
		"a key that the service calls revoked":        {from(3, 401, `{"detail":{"status":"api_key_revoked"}}`), 1, 4, 1},
		"a voice that is not found, for all":          {from(0, 404, `{"detail":{"status":"voice_not_found"}}`), 1, 16, 8},
		"a voice that is not found, and 403 for it":   {slices.Concat(of(404, silent, "chapter-0"), of(403, silent, "chapter-1", "chapter-2")), 1, 9, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				b.parallel = test.parallel
				b.restart()
				for _, fault := range test.faults {
					b.service.Inject(fault)
				}
				outcome := b.engine.ConvertProject(b.Context(), wholeBook())
				refused, stopped := 0, 0
				for _, c := range outcome.Chapters {
					switch {
					case errors.As(c.Err, new(*conversion.StoppedError)):
						stopped++
					case c.Err != nil:
						refused++
					}
				}
				sent, stops := b.service.Count(mockserver.ConvertChapter), test.sent < 8
				isMore := sent > test.sent || refused > test.failed
				isOther := test.parallel == 1 && (sent != test.sent || refused != test.failed) // Who is in flight is chance.
				if isMore || isOther || (stopped > 0) != stops {
					b.Errorf("got %d requests, %d refusals, %d stopped; want %d and %d", sent, refused, stopped, test.sent, test.failed)
				}
			}, many(8, 10*time.Second)...)
		})
	}
}

// TestConvertProject_lastChapterIsConvertedAlready: somebody else converts the last chapter for an hour, so that its request cannot tell
// whether a refusal is everybody's. The one before it does.
func TestConvertProject_lastChapterIsConvertedAlready(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.parallel = 3
		b.restart()
		b.service.Inject(refusing("", 402, `{"detail":"No."}`))
		time.AfterFunc(time.Second/2, func() { b.service.Convert(project, "chapter-7") })
		b.engine.ConvertProject(b.Context(), wholeBook())
		if b.service.Count(mockserver.ConvertChapter) > 4 {
			b.Errorf("got %d requests, want two, that of the last chapters, and one beside it", b.service.Count(mockserver.ConvertChapter))
		}
	}, many(8, time.Hour)...)
}

// TestConvertProject_doubtWhileRequestsWait: a book, and 402 for each conversion after some requests. The service limits the number of
// conversions, or the rate. Who waits for the answer of the chapter that decides must not hold the place or the turn that this one needs.
func TestConvertProject_doubtWhileRequestsWait(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]func(*mockserver.Server){
		"the number": func(s *mockserver.Server) { s.SetHabits(mockserver.Habits{AtATime: 1}) },
		"the rate":   func(s *mockserver.Server) { s.Allow(mockserver.Allowance{PerSecond: 0.5, Burst: 2}) },
	} {
		for _, chapters := range []int{8, 20} {
			for _, before := range []int{0, 2, 3} {
				inBubble(t, func(b *bubble) {
					limit(b.service)
					fault := refusing("", 402, `{"detail":"No."}`)
					fault.Skip = before
					b.service.Inject(fault)
					ctx, cancel := conversion.WithTimeout(b.Context(), 24*time.Hour)
					defer cancel()
					began := time.Now()
					b.engine.ConvertProject(ctx, wholeBook())
					if took := time.Since(began); took > 10*time.Minute {
						t.Errorf("%s, %d chapters, 402 after %d requests: took %s, after %d requests", name, chapters, before, took, b.service.Count(mockserver.ConvertChapter))
					}
				}, many(chapters, 10*time.Second)...)
			}
		}
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
		}, many(100, 10*time.Second)...)
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

// TestConvertProject_longPauseOfARequest: it ends the waits of those that are not requested yet, at once. What runs is
// waited for: the lists pass.
func TestConvertProject_longPauseOfARequest(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		limited := mockserver.RateLimited(time.Hour)
		limited.Operation, limited.Skip = mockserver.ConvertChapter, 6
		b.service.Inject(limited)
		ctx, cancel := context.WithTimeout(b.Context(), 30*time.Minute)
		defer cancel()
		began := time.Now()
		outcome := b.engine.ConvertProject(ctx, wholeBook())
		took, converted := time.Since(began), 0
		for _, c := range outcome.Chapters {
			switch {
			case c.Err == nil:
				converted++
			case !errors.Is(c.Err, audioprojects.RateLimited) || c.Memory.Pending != nil:
				b.Errorf("%s: got %v", c.Desired.ChapterID, c.Err)
			}
		}
		if converted < 6 || converted > 7 || took > 6*time.Minute {
			b.Errorf("converted %d in %s, want what was requested before the refusal", converted, took)
		}
	}, many(8, 5*time.Minute)...)
}
