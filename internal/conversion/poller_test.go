package conversion_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// many is the chapters of a project; each conversion takes the same time.
func many(count int, takes time.Duration) []mockserver.Chapter {
	chapters := make([]mockserver.Chapter, count)
	for i := range chapters {
		chapters[i] = mockserver.Chapter{ID: fmt.Sprint("chapter-", i), Text: text, Conversions: []mockserver.Conversion{{Takes: takes}}}
	}
	return chapters
}

// look looks at a chapter as a refresh does.
func (b *bubble) look(ctx context.Context, chapterID string) error {
	return b.engine.Predict(ctx, conversion.Desired{ProjectID: project, ChapterID: chapterID, Wish: conversion.WantsConversion, New: true})[0].Err
}

// lists is how many lists of chapters have been requested.
func (b *bubble) lists() int { return b.service.Count(mockserver.ListChapters) }

func TestPoller_refreshOfAThousandChapters(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		refresh := func() {
			var all sync.WaitGroup
			for i := range 300 {
				all.Go(func() {
					if err := b.look(b.Context(), fmt.Sprint("chapter-", i)); err != nil {
						b.Error(err)
					}
				})
			}
			all.Wait()
		}
		refresh()
		time.Sleep(9 * time.Second)
		refresh()
		got := b.lists()
		if got != 1 {
			b.Errorf("list requests within 10 s: got %d, want 1", got)
		}
		time.Sleep(2 * time.Second)
		refresh()
		got = b.lists()
		if got != 2 {
			b.Errorf("list requests after 11 s: got %d, want 2", got)
		}
	}, many(1000, 0)...)
}

func TestPoller_fiftyWaiters(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		var all sync.WaitGroup
		for i := range 50 {
			all.Go(func() {
				time.Sleep(time.Duration(i) * 10 * time.Millisecond)
				_, err := b.engine.Convert(b.Context(), conversion.Desired{ProjectID: project, ChapterID: fmt.Sprint("chapter-", i), Wish: conversion.WantsConversion, New: true})
				if err != nil {
					b.Error(err)
				}
			})
		}
		all.Wait()
		got := b.lists()
		if got > 65 {
			b.Errorf("looks at fifty conversions of ten minutes: got %d, want at most 65", got)
		}
		got = b.service.Count(mockserver.ConvertChapter)
		if got != 50 {
			b.Errorf("convert requests: got %d, want 50", got)
		}
	}, many(50, 10*time.Minute)...)
}

func TestPoller_noticesTheEnd(t *testing.T) {
	t.Parallel()
	for _, length := range []time.Duration{time.Second, 10 * time.Second, time.Minute, 10 * time.Minute, time.Hour} {
		t.Run(length.String(), func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				began := time.Now()
				_, err := b.convertWithin(2 * time.Hour)
				if err != nil {
					b.Fatal(err)
				}
				late := time.Since(began) - length
				allowed := max(1500*time.Millisecond, length*16/100)
				if late > allowed {
					b.Errorf("noticed %s after the end, want at most %s", late, allowed)
				}
			}, unconverted(mockserver.Conversion{Takes: length}))
		})
	}
}

func TestPoller_cancelledWaiter(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		// Both waiters share one request, which is under way when one of them is cancelled.
		b.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Hang: 5 * time.Second})
		ctx, cancel := context.WithCancel(b.Context())
		time.AfterFunc(2*time.Second, cancel)
		left := make(chan error)
		go func() {
			err := b.look(ctx, chapter)
			left <- err
		}()
		err := b.look(b.Context(), chapter)
		if err != nil {
			b.Errorf("the other waiter got error %v", err)
		}
		err = <-left
		if !errors.Is(err, context.Canceled) {
			b.Errorf("the cancelled waiter got error %v, want %v", err, context.Canceled)
		}
		got := b.lists()
		if got != 1 {
			b.Errorf("list requests: got %d, want 1", got)
		}
	}, unconverted())
}

func TestPoller_leavesNoGoroutine(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		ctx, cancel := context.WithCancel(b.Context())
		var all sync.WaitGroup
		for i := range 300 {
			all.Go(func() {
				_, err := b.engine.Convert(ctx, conversion.Desired{ProjectID: project, ChapterID: fmt.Sprint("chapter-", i), Wish: conversion.WantsConversion, New: true})
				if !errors.Is(err, context.Canceled) {
					b.Errorf("got error %v, want %v", err, context.Canceled)
				}
			})
		}
		time.Sleep(time.Minute)
		cancel()
		all.Wait()
		// The bubble itself fails the test if a goroutine stays behind in it.
	}, many(300, time.Hour)...)
}

func TestPoller_sharesWhatIsNotSentYet(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.AddProject(mockserver.Project{ID: "elsewhere", Chapters: many(1, 0)})
		b.service.Inject(mockserver.RateLimited(40 * time.Second))
		var all sync.WaitGroup
		all.Go(func() {
			_, err := b.engine.Chapters(b.Context(), "elsewhere")
			if err != nil {
				b.Error(err)
			}
		})
		for range 30 {
			time.Sleep(time.Second)
			all.Go(func() {
				if err := b.look(b.Context(), chapter); err != nil {
					b.Error(err)
				}
			})
		}
		all.Wait()
		got := b.lists()
		if got != 3 {
			b.Errorf("list requests: got %d, want one, beside the one that was refused and its repetition", got)
		}
	}, unconverted(oneMinute()))
}

func TestPoller_ageOfAList(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Inject(mockserver.Fault{Hang: time.Hour})
		for range 2 {
			if err := b.look(b.Context(), chapter); err != nil {
				b.Error(err)
			}
			time.Sleep(9 * time.Second)
		}
		got := b.lists()
		if got != 2 {
			b.Errorf("list requests: got %d, want the one that was given up, and its repetition", got)
		}
	}, unconverted(oneMinute()))
}
