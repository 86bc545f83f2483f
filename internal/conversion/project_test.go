package conversion_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// wholeBook is the desired state that all chapters be converted that have text left.
func wholeBook(wanted ...conversion.Desired) conversion.Project {
	return conversion.Project{ProjectID: project, Desired: wanted, All: true, Template: conversion.Desired{Wish: conversion.WantsText, New: true}, Progress: func(...conversion.ChapterStatus) {}}
}

// again is the desired state of the next apply: what the one before has kept is in it.
func again(book conversion.Project, outcome conversion.ProjectOutcome) conversion.Project {
	book.Desired = nil
	for _, c := range outcome.Chapters {
		if c.Memory != (conversion.Memory{}) {
			desired := book.Template
			desired.ChapterID = c.Desired.ChapterID
			remembering(c.Memory)(&desired)
			book.Desired = append(book.Desired, desired)
		}
	}
	return book
}

// wantPaid checks how many conversions were requested and accepted, of the whole service.
func (b *bubble) wantPaid(want int) {
	b.Helper()
	paid := 0
	for _, entry := range b.service.Journal() {
		if entry.Accepted {
			paid++
		}
	}
	if paid != want {
		b.Errorf("conversions paid for: got %d, want %d", paid, want)
	}
}

// failures are the errors of the chapters, by chapter.
func failures(outcome conversion.ProjectOutcome) map[string]error {
	failed := map[string]error{}
	for _, c := range outcome.Chapters {
		if c.Err != nil {
			failed[c.Desired.ChapterID] = c.Err
		}
	}
	return failed
}

// mostAtATime is how many conversions the service ran at a time, if each takes the same time.
func (b *bubble) mostAtATime(takes time.Duration) int {
	var begun []time.Time
	most := 0
	for _, entry := range b.service.Journal() {
		if entry.Accepted {
			begun = append(begun, entry.At)
			first := slices.IndexFunc(begun, func(at time.Time) bool { return entry.At.Sub(at) < takes })
			most = max(most, len(begun)-first)
		}
	}
	return most
}

func TestConvertProject_settled(t *testing.T) {
	t.Parallel()
	chapters := many(5000, time.Hour)
	for i := range chapters {
		chapters[i].Converted = true
	}
	inBubble(t, func(b *bubble) {
		outcome := b.engine.ConvertProject(b.Context(), wholeBook())
		if len(outcome.Chapters) != 5000 || outcome.Stopped != nil || len(failures(outcome)) > 0 {
			b.Errorf("got %d chapters, %d failures, stopped by %v", len(outcome.Chapters), len(failures(outcome)), outcome.Stopped)
		}
		for i, c := range outcome.Chapters {
			if c.Desired.ChapterID != fmt.Sprint("chapter-", i) || c.Decision.Reason != conversion.NothingLeft || c.Begun {
				b.Fatalf("chapter %d: got %+v, want it adopted", i, c)
			}
		}
		got := len(b.service.Journal())
		if got != 1 {
			b.Errorf("requests: got %d, want one list", got)
		}
		predicted, err := b.engine.PredictProject(b.Context(), wholeBook())
		if err != nil || len(predicted.Chapters) != 5000 || len(b.service.Journal()) != 1 {
			b.Errorf("predicted %d chapters with %d requests, error %v", len(predicted.Chapters), len(b.service.Journal())-1, err)
		}
	}, chapters...)
}

// TestConvertProject_newChapterBesideNewTriggers: these are about the chapters that the resource has had.
func TestConvertProject_newChapterBesideNewTriggers(t *testing.T) {
	t.Parallel()
	chapters := many(2, time.Minute)
	for i := range chapters {
		chapters[i].Converted = true
	}
	inBubble(t, func(b *bubble) {
		book := wholeBook()
		book.Template.New, book.Template.Triggers, book.Template.Memory.ForTriggers = false, "new", true
		book.Had = func(id string) bool { return id == "chapter-0" }
		outcome := b.engine.ConvertProject(b.Context(), book)
		if len(failures(outcome)) > 0 {
			b.Errorf("got failures %v", failures(outcome))
		}
		b.wantPaid(1)
	}, chapters...)
}

func TestConvertProject_sharesSlots(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.AddProject(mockserver.Project{ID: "other", Chapters: many(100, 10*time.Second)})
		var all sync.WaitGroup
		for _, id := range []string{project, "other"} {
			all.Go(func() {
				book := wholeBook()
				book.ProjectID = id
				outcome := b.engine.ConvertProject(b.Context(), book)
				if len(failures(outcome)) > 0 {
					b.Errorf("got failures %v", failures(outcome))
				}
			})
		}
		all.Wait()
		b.wantPaid(200)
		got := b.mostAtATime(10 * time.Second)
		if got != 50 {
			b.Errorf("conversions at a time: got %d, want 50", got)
		}
	}, many(100, 10*time.Second)...)
}

// What a resource converts again at this moment is not adopted, although no list shows it yet.
func TestConvertProject_besideAChapterResource(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		go func() {
			_, _ = b.engine.Convert(b.Context(), conversion.Desired{ProjectID: project, ChapterID: chapter, Wish: conversion.WantsConversion, New: true})
		}() // the book tells
		time.Sleep(2 * time.Second)
		began := time.Now()
		outcome := b.engine.ConvertProject(b.Context(), wholeBook())
		failed := failures(outcome)
		if len(failed) > 0 || time.Since(began) < time.Minute {
			b.Errorf("returned after %s, failures %v", time.Since(began), failed)
		}
		b.wantPaid(1)
	}, mockserver.Chapter{Text: text, Converted: true, Conversions: []mockserver.Conversion{{Lag: 10 * time.Second, Takes: time.Minute}}})
}

func TestConvertProject_chapterThatIsStuck(t *testing.T) {
	t.Parallel()
	chapters := many(60, 10*time.Second)
	chapters[0].Conversions[0].Takes = time.Hour
	inBubble(t, func(b *bubble) {
		book := wholeBook()
		book.ChapterTimeout = 10 * time.Minute
		began := time.Now()
		outcome := b.engine.ConvertProject(b.Context(), book)
		took := time.Since(began)
		if took > 10*time.Minute+time.Second {
			b.Errorf("took %s, want ten minutes", took)
		}
		failed := failures(outcome)
		if len(failed) != 1 || !errors.Is(failed["chapter-0"], context.DeadlineExceeded) || outcome.Stopped != nil {
			b.Errorf("got failures %v, stopped by %v", failed, outcome.Stopped)
		}
		next := again(book, outcome).Desired
		if len(next) != 1 || next[0].Memory.Pending == nil {
			b.Errorf("kept for the next apply: %+v, want one conversion", next)
		}
		b.restart()
		book = again(book, outcome)
		book.ChapterTimeout = 0
		outcome = b.engine.ConvertProject(b.Context(), book)
		if len(failures(outcome)) > 0 {
			b.Errorf("got failures %v", failures(outcome))
		}
		b.wantPaid(60)
	}, chapters...)
}

func TestConvertProject_stops(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault mockserver.Fault
		begun int
		stops bool
	}{
		"the key is not valid":      {mockserver.Fault{Status: http.StatusUnauthorized, Times: -1}, 7, true},
		"no access":                 {mockserver.Fault{Status: http.StatusForbidden, Times: -1}, 7, true},
		"payment required, once":    {mockserver.Fault{Status: http.StatusPaymentRequired}, 20, false},
		"payment required":          {mockserver.Fault{Status: http.StatusPaymentRequired, Times: -1}, 7, true},
		"a quota, by its name":      {mockserver.Fault{Status: http.StatusUnprocessableEntity, Body: `{"detail":{"status":"quota_exceeded"}}`}, 6, true},
		"the chapter is refused":    {mockserver.Fault{Status: http.StatusUnprocessableEntity}, 20, false},
		"the chapter is not there":  {mockserver.Fault{Status: http.StatusNotFound}, 20, false},
		"no answer for one of them": {mockserver.Fault{Status: http.StatusInternalServerError}, 20, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				b.parallel = 5
				b.restart()
				test.fault.Operation = mockserver.ConvertChapter
				b.service.Inject(test.fault)
				outcome := b.engine.ConvertProject(b.Context(), wholeBook())
				begun := 0
				for _, c := range outcome.Chapters {
					if c.Begun {
						begun++
					} else if !errors.Is(c.Err, outcome.Stopped) {
						b.Errorf("%s: got error %v, want %v", c.Desired.ChapterID, c.Err, outcome.Stopped)
					}
				}
				if begun > test.begun || begun < 2 || (outcome.Stopped != nil) != test.stops {
					b.Errorf("begun: got %d, want %d; stopped by %v", begun, test.begun, outcome.Stopped)
				}
			}, many(20, 10*time.Second)...)
		})
	}
}
