package conversion_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestConcurrency_ofTheService: the number is learnt from a few refusals, and a chapter's own time begins when there is room for it.
func TestConcurrency_ofTheService(t *testing.T) {
	t.Parallel()
	convertAll := func(b *bubble, book conversion.Project) (failed error) {
		for _, chapter := range b.engine.ConvertProject(b.Context(), book).Chapters {
			failed = errors.Join(failed, chapter.Err)
		}
		return failed
	}
	for name, test := range map[string]struct {
		atATime  int
		converts func(*bubble) error
		most     time.Duration // that it takes
		refusals int           // at most
	}{
		"a book": {2, func(b *bubble) error { return convertAll(b, wholeBook()) }, 35 * time.Second, 6},
		"a timeout for each chapter": {2, func(b *bubble) error {
			book := wholeBook()
			book.ChapterTimeout = 4 * time.Second
			return convertAll(b, book)
		}, 35 * time.Second, 6},
		"a resource for each chapter": {2, func(b *bubble) error {
			var all sync.WaitGroup
			failed := make([]error, 20)
			for i := range failed {
				all.Go(func() {
					wanted := conversion.Desired{ProjectID: project, ChapterID: fmt.Sprintf("chapter-%d", i), Wish: conversion.WantsConversion, New: true}
					_, failed[i] = b.engine.Convert(b.Context(), wanted)
				})
			}
			all.Wait()
			return errors.Join(failed...)
		}, 35 * time.Second, 6},
		"somebody else's count, too": {2, func(b *bubble) error {
			b.service.AddProject(mockserver.Project{ID: "other", Chapters: many(1, 20*time.Second)})
			b.service.Convert("other", "chapter-0")
			return convertAll(b, wholeBook())
		}, 50 * time.Second, 6},
		"what an interrupted apply has requested": {2, func(b *bubble) error {
			interrupted, cancel := context.WithTimeout(b.Context(), time.Second)
			defer cancel()
			book := again(wholeBook(), b.engine.ConvertProject(interrupted, wholeBook()))
			b.restart()
			return convertAll(b, book)
		}, 35 * time.Second, 8},
		"long conversions, and a refusal that has no code": {1, func(b *bubble) error {
			b.service.SetHabits(mockserver.Habits{AtATime: 1, AtATimeCode: "none"})
			b.service.AddProject(mockserver.Project{ID: "long", Chapters: many(20, time.Minute)})
			book := wholeBook()
			book.ProjectID = "long"
			return convertAll(b, book)
		}, 26 * time.Minute, 200},
		"an answer at the end of the conversion": {0, func(b *bubble) error {
			b.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Times: -1, Hang: 3 * time.Second, Process: true})
			return convertAll(b, wholeBook())
		}, 12 * time.Second, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				b.service.SetHabits(mockserver.Habits{AtATime: test.atATime})
				began := time.Now()
				err := test.converts(b)
				took, refused := time.Since(began), 0
				for _, entry := range b.service.Journal() {
					if entry.Status == http.StatusTooManyRequests {
						refused++
					}
				}
				accepted := b.service.Count(mockserver.ConvertChapter) - refused
				if err != nil || took > test.most || refused > test.refusals || accepted != 20 {
					b.Errorf("got %v after %s with %d refusals and %d conversions", err, took, refused, accepted)
				}
			}, many(20, 3*time.Second)...)
		})
	}
}

// TestConcurrency_endedLongAgo: what an interrupted apply has requested, and has ended long before the next one, takes no place in that. So its
// end leaves none: the service, which runs two at a time by now, would refuse them all at once.
func TestConcurrency_endedLongAgo(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		interrupted, cancel := context.WithTimeout(b.Context(), time.Second)
		defer cancel()
		wanted := wholeBook()
		wanted.Template = conversion.Desired{Wish: conversion.WantsConversion, New: true, Triggers: "old"}
		book := again(wanted, b.engine.ConvertProject(interrupted, wanted))
		for i := range book.Desired {
			book.Desired[i].Triggers = "new"
			isRetriggered(&book.Desired[i])
		}
		time.Sleep(time.Hour)
		b.restart()
		b.service.SetHabits(mockserver.Habits{AtATime: 2})
		b.service.AddProject(mockserver.Project{ID: "other", Chapters: many(5, 20*time.Second)})
		other, before := wholeBook(), len(b.service.Journal())
		other.ProjectID = "other"
		var all sync.WaitGroup
		all.Go(func() { b.engine.ConvertProject(b.Context(), other) })
		time.Sleep(5 * time.Second)
		b.engine.ConvertProject(b.Context(), book)
		all.Wait()
		inSecond := map[int64]int{}
		refused := 0
		for _, entry := range b.service.Journal()[before:] {
			if entry.Status == http.StatusTooManyRequests {
				inSecond[entry.At.Unix()]++
				refused++
			}
		}
		most := slices.Max(slices.Collect(maps.Values(inSecond)))
		if most > 4 || refused > 12 {
			b.Errorf("%d were refused, %d of them in one second", refused, most)
		}
	}, many(50, 3*time.Second)...)
}
