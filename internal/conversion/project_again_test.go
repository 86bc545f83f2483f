package conversion_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestConvertProject_progress(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		book := wholeBook()
		told := map[string][]conversion.ChapterStatus{}
		book.Progress = func(chapters ...conversion.ChapterStatus) {
			if len(told) == 0 && len(chapters) != 100 {
				b.Errorf("got %d chapters first, want all", len(chapters))
			}
			for _, chapter := range chapters {
				told[chapter.Desired.ChapterID] = append(told[chapter.Desired.ChapterID], chapter)
			}
		}
		outcome := b.engine.ConvertProject(b.Context(), book)
		if len(failures(outcome)) > 0 {
			b.Errorf("got failures %v", failures(outcome))
		}
		for id, reports := range told {
			first, second, last := reports[0], reports[1], reports[len(reports)-1]
			if first.Begun || first.Verdict.Characters == nil || !second.Begun || second.Ended || !last.Ended || last.Chapter.Busy() {
				b.Errorf("%s: got %+v", id, reports)
			}
		}
		// What has ended well in this process takes no turn again.
		before := b.lists()
		b.engine.ConvertProject(b.Context(), wholeBook())
		got := b.lists() - before
		if got != 1 {
			b.Errorf("once more: got %d lists, want 1", got)
		}
	}, many(100, 5*time.Minute)...)
}

func TestConvertProject_keepsWhatItCouldNotUse(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		accepted := conversion.ResumeToken{Origin: conversion.Requested, RequestedAtUnix: time.Now().Unix(), Phase: conversion.PhaseAccepted}
		ctx, cancel := context.WithCancel(b.Context())
		time.AfterFunc(time.Second, cancel)
		b.service.Inject(mockserver.Fault{Hang: time.Minute})
		outcome := b.engine.ConvertProject(ctx, wholeBook(
			conversion.Desired{ChapterID: "chapter-0", Memory: conversion.Memory{Pending: &accepted}}, conversion.Desired{ChapterID: "chapter-1", Memory: conversion.Memory{Pending: &accepted}}, conversion.Desired{ChapterID: "chapter-2", Memory: conversion.Memory{Remainder: conversion.Remainder{Unconverted: 9}}},
		))
		var left []int64
		pending := 0
		for _, c := range outcome.Chapters {
			left = append(left, c.Memory.Remainder.Unconverted)
			if c.Memory.Pending != nil && c.Memory.Pending.Phase != conversion.PhaseUnconfirmed {
				pending++
			}
		}
		want := []int64{0, 0, 9}
		if !slices.Equal(left, want) || pending != 2 || !errors.Is(outcome.Stopped, context.Canceled) {
			b.Errorf("got the remainders %v, want %v; %d pending, want 2; stopped by %v", left, want, pending, outcome.Stopped)
		}

		ctx, cancel = context.WithTimeout(b.Context(), 10*time.Second)
		defer cancel()
		outcome = b.engine.ConvertProject(ctx, wholeBook(conversion.Desired{ChapterID: "chapter-2", Wish: conversion.WantsText, Memory: conversion.Memory{Remainder: conversion.Remainder{Unconverted: 9}}}))
		kept := outcome.Chapters[2].Memory
		if kept.Remainder.Unconverted != 9 || kept.Pending == nil {
			b.Errorf("after an interruption: kept %+v, want the conversion and the remainder", kept)
		}
	}, many(3, time.Minute)...)
}
