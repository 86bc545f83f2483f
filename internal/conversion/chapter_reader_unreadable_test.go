package conversion_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// A service may show one chapter in a way that its document does not allow. That is a problem of this chapter alone.

// wantUnreadable checks that an error is that of a chapter which cannot be read, with what the field holds.
func wantUnreadable(t testing.TB, err error, field string) {
	t.Helper()
	unreadable, is := errors.AsType[*conversion.UnreadableError](err)
	if !is || conversion.IsMissing(err) || !strings.HasPrefix(err.Error(), "the chapter's field "+field+" contains a JSON ") || unreadable.Chapter.ChapterID == "" {
		t.Errorf("got error %v, want that of the field %s", err, field)
	}
}

func TestNothingIsRequestedForAChapterThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for field, value := range map[string]string{
		"state": `{"word":"default"}`, "statistics": `"7"`, "last_conversion_date_unix": `"today"`,
	} {
		for name, with := range map[string]option{"new": func(*conversion.Desired) {}, "up to date": upToDate} {
			t.Run(field+" "+name, func(t *testing.T) {
				t.Parallel()
				inBubble(t, func(b *bubble) {
					b.service.SetField(project, chapter, field, value)
					predicted := b.engine.Predict(b.Context(), desired(with))[0]
					wantUnreadable(b, predicted.Err, field)
					if predicted.Decision.Step != conversion.Look || predicted.Requests() {
						b.Errorf("predicted %+v", predicted.Decision)
					}
					b.restart()
					outcome, err := b.convert(with)
					wantUnreadable(b, err, field)
					looks := b.lists()
					if outcome.Waited.Round(time.Second) != 5*time.Second || looks != 4 || outcome.Pending != nil {
						b.Errorf("after %s and %d looks: pending %v, want an end after two looks each", outcome.Waited, looks, outcome.Pending)
					}
					if outcome.Chapter.ChapterID != chapter || outcome.Chapter.Problem == "" {
						b.Errorf("got %+v, want the chapter as it is shown", outcome.Chapter)
					}
					b.wantRequests(0, 0)
					b.service.SetField(project, chapter, field, "")
					b.wantSuccess(b.convert(with))
					b.wantRequests(1, 1)
				}, unconverted(oneMinute()))
			})
		}
	}
}

// A second look may show the chapter as it should be.
func TestOneOddLookDecidesNothing(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.SetField(project, chapter, "state", "1")
		time.AfterFunc(time.Second, func() { b.service.SetField(project, chapter, "state", "") })
		b.wantSuccess(b.convert(upToDate))
		b.wantRequests(1, 1)
	}, unconverted(oneMinute()))
}

// What is under way is not lost, and not waited for until the timeout.
func TestAChapterThatCannotBeReadWhileItConverts(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		time.AfterFunc(time.Minute, func() { b.service.SetField(project, chapter, "statistics", `"half"`) })
		outcome, err := b.convert()
		wantUnreadable(b, err, "statistics")
		p := outcome.Pending
		if outcome.Waited > 2*time.Minute || p == nil || !p.Confirmed() || p.Phase != conversion.PhaseRunning {
			b.Errorf("after %s: pending %+v", outcome.Waited, p)
		}
		b.restart()
		outcome, err = b.convert(resuming(outcome.Pending))
		wantUnreadable(b, err, "statistics")
		awaited, err := b.engine.Await(b.Context(), desired(resuming(outcome.Pending)))
		wantUnreadable(b, err, "statistics")
		if outcome.Pending == nil || awaited.Pending == nil {
			b.Errorf("pending %v and %v, want the conversion", outcome.Pending, awaited.Pending)
		}
		b.service.SetField(project, chapter, "statistics", "")
		b.restart()
		b.wantSuccess(b.convert(resuming(outcome.Pending)))
		b.wantRequests(1, 1)
	}, unconverted(mockserver.Conversion{Takes: 10 * time.Minute}))
}

// The record does not make good what the list shows: the list is what every later look goes by.
func TestAChapterThatOnlyTheRecordShowsAsItShouldBe(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Times: -1, Body: `{"chapters":[{"chapter_id":"one","state":1}]}`})
		_, err := b.convert()
		wantUnreadable(b, err, "state")
		b.wantRequests(0, 0)
		got := b.service.Count(mockserver.GetProject)
		if got != 0 {
			b.Errorf("got %d records, want none", got)
		}
	}, unconverted())
}

// The record has the chapter that the list lacks, and it cannot be read there.
func TestAChapterThatOnlyTheRecordShowsAndNobodyCanRead(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.SetField(project, chapter, "state", "1")
		b.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Times: -1, Body: `{"chapters":[]}`})
		_, err := b.convert()
		wantUnreadable(b, err, "state")
		b.wantRequests(0, 0)
	}, unconverted())
}

func TestAnOddChapterStopsNoOtherOfItsBook(t *testing.T) {
	t.Parallel()
	for _, unchanged := range []bool{false, true} {
		inBubble(t, func(b *bubble) {
			b.service.SetField(project, "chapter-1", "state", "[]")
			book := wholeBook()
			if unchanged {
				book.Unchanged = func(ids []string) bool { return len(ids) == 3 }
			}
			predicted, err := b.engine.PredictProject(b.Context(), book)
			if err != nil || len(predicted.Chapters) != 3 {
				b.Fatalf("predicted %+v, %v", predicted, err)
			}
			wantUnreadable(b, predicted.Chapters[1].Err, "state")
			outcome := b.engine.ConvertProject(b.Context(), book)
			failed := failures(outcome)
			wantUnreadable(b, failed["chapter-1"], "state")
			if len(outcome.Chapters) != 3 || len(failed) != 1 || outcome.Stopped != nil || *outcome.Chapters[1].Chapter.Name != "chapter-1" {
				b.Errorf("got %+v, stopped by %v", outcome.Chapters, outcome.Stopped)
			}
			b.wantPaid(2)
			b.service.SetField(project, "chapter-1", "state", "")
			failed = failures(b.engine.ConvertProject(b.Context(), again(book, outcome)))
			if len(failed) > 0 {
				b.Errorf("got failures %v", failed)
			}
			b.wantPaid(3)
			got := b.service.Conversions(project, "chapter-1")
			if got != 1 {
				b.Errorf("conversions of the third: got %d, want 1", got)
			}
		}, many(3, time.Minute)...)
	}
}

// Nothing about money depends on these fields.
func TestOddFieldsThatDecideNothing(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		for field, value := range map[string]string{"name": "7", "conversion_progress": `"half"`, "can_be_downloaded": `"yes"`} {
			b.service.SetField(project, chapter, field, value)
		}
		outcome, err := b.convert()
		b.wantSuccess(outcome, err)
		if outcome.Chapter.Name != nil || outcome.Chapter.Odd == "" {
			b.Errorf("got %+v", outcome.Chapter)
		}
		b.wantRequests(1, 1)
	}, unconverted(oneMinute()))
}

// An error of another type than text is an error all the same.
func TestAnErrorThatIsNoText(t *testing.T) {
	t.Parallel()
	for value, words := range map[string]string{`{"code":7,"message":"Voice not found."}`: "Voice not found.", `[{"code":7}]`: `[{"code":7}]`} {
		inBubble(t, func(b *bubble) {
			time.AfterFunc(30*time.Second, func() { b.service.SetField(project, chapter, "last_conversion_error", value) })
			_, err := b.convert()
			failed, is := errors.AsType[*conversion.FailedError](err)
			if !is || failed.Words != words || failed.Reason != conversion.Error {
				b.Errorf("got error %v, want the words %q", err, words)
			}
			b.wantRequests(1, 1)
		}, unconverted(mockserver.Conversion{Takes: time.Minute, Fails: "replaced"}))
	}
}

// Some services show an error of which nothing is set where there is none. It says nothing, so that a conversion which they begin late has
// not failed.
func TestAnErrorThatSaysNothing(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.SetField(project, chapter, "last_conversion_error", `{"code":0,"message":"","details":null}`)
		b.wantSuccess(b.convert())
		b.wantRequests(1, 1)
	}, unconverted(mockserver.Conversion{Lag: 2 * time.Minute, Takes: time.Minute}))
}

// A list may have a chapter twice, with different contents. The error says that, and not that the record differs.
func TestAChapterThatIsListedTwice(t *testing.T) {
	t.Parallel()
	const (
		twice = `"chapters":[{"chapter_id":"one","name":"first"},{"chapter_id":"one","name":"second"}]`
		none  = `"chapters":[]`
		ends  = ` contains chapter "one" twice, with different contents`
	)
	for name, test := range map[string]struct {
		list, record, want string
		status             int
	}{
		"in both":                     {twice, twice, `the list of chapters of project "book"` + ends, 200},
		"in the list, not the record": {twice, none, `the list of chapters of project "book"` + ends, 200},
		"in the list, no record":      {twice, none, `the list of chapters of project "book"` + ends, 403},
		"in the record, not the list": {none, twice, `the record of project "book"` + ends, 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				b.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Times: -1, Body: "{" + test.list + "}"})
				b.service.Inject(mockserver.Fault{Operation: mockserver.GetProject, Times: -1, Status: test.status, Body: `{"project_id":"book",` + test.record + "}"})
				predicted := b.engine.Predict(b.Context(), desired())[0]
				outcome, err := b.convertWithin(time.Minute)
				if predicted.Err == nil || predicted.Err.Error() != test.want || err == nil || outcome.Problem == nil || outcome.Problem.Error() != test.want {
					b.Errorf("got %v, and %v with %v; want %s", predicted.Err, err, outcome.Problem, test.want)
				}
				b.wantRequests(0, 0)
			}, unconverted())
		})
	}
	inBubble(t, func(b *bubble) {
		b.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Body: "{" + twice + "}"})
		outcome, err := b.convert()
		b.wantSuccess(outcome, err)
		if outcome.Problem != nil {
			b.Errorf("got the problem %v", outcome.Problem)
		}
	}, unconverted())
}
