package conversion_test

import (
	"cmp"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// refused500 is how large services refuse a request.
func refused500(process bool) mockserver.Fault {
	return mockserver.Fault{
		Operation: mockserver.ConvertChapter, Process: process, Status: 500,
		Body: `{"detail":{"status":"no_voice","message":"Chapter 3 has no voice."},"request_id":"7f3a"}`,
	}
}

// TestConvert_refusedWith500 proves nothing, so the chapter is watched, and the request is never sent again in the same apply. The next apply
// watches once more, and asks again.
func TestConvert_refusedWith500(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) { b.testRefusal() }, unconverted(oneMinute()))
}

func (b *bubble) testRefusal() {
	b.service.Inject(refused500(false))
	outcome, err := b.convert()
	var unconfirmed *conversion.UnconfirmedError
	if !errors.As(err, &unconfirmed) || !strings.Contains(err.Error(), "answered the request with an error, and showed no conversion") ||
		!strings.Contains(err.Error(), "no_voice: Chapter 3 has no voice.") {
		b.Fatalf("got error %v, want the service's own", err)
	}
	if b.took < 30*time.Second || b.took > 35*time.Second || outcome.Memory.Pending == nil {
		b.Errorf("got %+v, want it pending after a window", outcome)
	}
	b.wantRequests(1, 0)

	b.restart()
	predicted := b.engine.Predict(b.Context(), desired(resuming(outcome.Memory.Pending)))[0]
	if predicted.Decision.Step != conversion.Wait || predicted.Decision.Reason != conversion.Watching {
		b.Errorf("got the prediction %+v, want that the apply watches", predicted.Decision)
	}
	b.restart()
	b.wantSuccess(b.convert(resuming(outcome.Memory.Pending)))
	b.wantRequests(2, 1)
}

// TestConvert_refusedWith500AndBegun: the service has begun all the same, and shows it at once, or only after the window.
func TestConvert_refusedWith500AndBegun(t *testing.T) {
	t.Parallel()
	for _, lag := range []time.Duration{0, 20 * time.Second, 50 * time.Second} {
		inBubble(t, func(b *bubble) {
			b.service.Inject(refused500(true))
			outcome, err := b.convert()
			if lag < 30*time.Second {
				b.wantSuccess(outcome, err)
			} else {
				time.Sleep(time.Hour)
				b.restart()
				b.wantSuccess(b.convert(resuming(outcome.Memory.Pending)))
			}
			b.wantRequests(1, 1)
		}, unconverted(mockserver.Conversion{Lag: lag, Takes: time.Minute}))
	}
}

// TestConvert_refusedWith500AndInterrupted: what was not watched for a window is watched for one by the next apply.
func TestConvert_refusedWith500AndInterrupted(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Inject(refused500(true))
		outcome, _ := b.convertInterrupted(5 * time.Second)
		b.restart()
		b.wantSuccess(b.convert(resuming(outcome.Memory.Pending)))
		b.wantRequests(1, 1)
	}, unconverted(mockserver.Conversion{Lag: 28 * time.Second, Takes: time.Minute}))
}

// TestConvert_quota, whatever its status, and so is a key that is not valid any more. It stops the rest of a book, and a chapter's
// name does not.
func TestConvert_quota(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault mockserver.Fault
		stops bool
	}{
		"401":                     {mockserver.Fault{Status: 401, Body: `{"detail":{"status":"quota_exceeded","message":"No."}}`}, true},
		"a revoked key":           {mockserver.Fault{Status: 401, Body: `{"detail":{"status":"invalid_api_key"}}`}, true},
		"a key, perhaps":          {mockserver.Fault{Status: 401, Body: `{"code":"unauthorized"}`}, false},
		"429":                     {mockserver.Fault{Status: 429, Body: `{"error":{"code":"insufficient_quota"}}`}, true},
		"500":                     {mockserver.Fault{Status: 500, Body: `{"error":{"code":"insufficient_credits"}}`}, true},
		"a chapter's name":        {mockserver.Fault{Status: 422, Body: `{"detail":{"message":"Chapter \"Opening Credits\" has no voice assigned"}}`}, false},
		"too many jobs, with 400": {mockserver.Fault{Status: 400, Body: `{"detail":"Too many jobs"}`}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chapters := many(8, time.Minute)
			inBubble(t, func(b *bubble) {
				b.parallel = 1
				b.restart()
				fault := test.fault
				fault.Operation, fault.ChapterID = mockserver.ConvertChapter, "chapter-0"
				b.service.Inject(fault)
				var took time.Duration // of the first chapter
				book, began := wholeBook(), time.Now()
				book.Progress = func(chapters ...conversion.ChapterStatus) {
					for _, c := range chapters {
						if c.Desired.ChapterID == "chapter-0" && c.Ended {
							took = time.Since(began)
						}
					}
				}
				outcome := b.engine.ConvertProject(b.Context(), book)
				err := outcome.Chapters[0].Err
				var refused *audioprojects.Error
				if !errors.As(err, &refused) || refused.Status != cmp.Or(test.fault.Status, 200) || (refused.ExceedsCredits() || refused.RefusesKey()) != test.stops {
					b.Errorf("got %v, want the refusal", err)
				}
				sent := b.service.Count(mockserver.ConvertChapter)
				if test.stops && sent != 1 || !test.stops && sent != 8 {
					b.Errorf("sent %d requests, want 1 or 8", sent)
				}
				if took > 35*time.Second {
					b.Errorf("told after %s, want it at once", took)
				}
			}, chapters...)
		})
	}
}

// TestConvert_keyWithoutTheScope is refused with 401 by large services. Two chapters and the last one tell that no other may be converted.
func TestConvert_keyWithoutTheScope(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.parallel = 1
		b.restart()
		b.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Times: -1, Status: 401, Body: `{"detail":{"status":"missing_permissions"}}`})
		outcome := b.engine.ConvertProject(b.Context(), wholeBook())
		if !errors.Is(outcome.Stopped, audioprojects.Forbidden) || b.service.Count(mockserver.ConvertChapter) != 3 {
			b.Errorf("got %v after %d requests, want the scope after 3", outcome.Stopped, b.service.Count(mockserver.ConvertChapter))
		}
	}, many(8, time.Minute)...)
}
