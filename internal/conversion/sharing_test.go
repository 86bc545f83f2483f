package conversion_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// What needs a second look waits for it once, and not for each ten of a thousand resources.
func TestPlan_sharesASecondLook(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		began := time.Now()
		for i := range 50 {
			wantMissing(b, b.engine.Predict(b.Context(), conversion.Desired{ProjectID: project, ChapterID: fmt.Sprint("gone-", i), Wish: conversion.WantsConversion, New: true})[0].Err)
		}
		took := time.Since(began)
		if took > 6*time.Second {
			b.Errorf("50 resources took %s, want that of one second look", took)
		}
	}, mockserver.Chapter{})
}

func TestSession_sharesAFreshList(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		later time.Duration
		lists int // with the one that is older than both sessions
	}{
		"at once":    {15 * time.Millisecond, 2},
		"soon after": {25 * time.Millisecond, 3},
		"much later": {time.Second, 3},
		"no pause":   {0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				b.reach()
				<-time.After(time.Second / 4)
				var turns sync.WaitGroup
				for i, id := range []string{chapter, "two"} {
					turns.Go(func() {
						<-time.After(time.Duration(i) * test.later)
						began := time.Now()
						outcome, err := b.convert(upToDate, func(w *conversion.Desired) { w.ChapterID = id })
						if err != nil || outcome.Decision.Reason != conversion.NothingLeft {
							b.Errorf("got reason %q, error %v; want an adoption", outcome.Decision.Reason, err)
						}
						took := time.Since(began)
						if took > 21*time.Millisecond {
							b.Errorf("the adoption took %s, want some 20 ms", took)
						}
					})
				}
				turns.Wait()
				got := b.lists()
				if got != test.lists {
					b.Errorf("got %d lists, want %d", got, test.lists)
				}
			}, mockserver.Chapter{Text: text, Converted: true}, mockserver.Chapter{ID: "two", Text: text, Converted: true})
		})
	}
}

// TestSession_asksNoOftenerThanEachSecond: a list from before the session shows that the conversion has ended well, and the newer ones lack
// the chapter. Until two of them confirm each other, 5 s pass.
func TestSession_asksNoOftenerThanEachSecond(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		before, _ := b.convertInterrupted(20 * time.Second)
		time.Sleep(time.Hour)
		b.restart()
		b.reach()
		b.service.ResetJournal()
		b.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Body: `{"chapters":[]}`, Times: 100})
		outcome, err := b.convert(resuming(before.Memory.Pending))
		wantMissing(b, err)
		if outcome.Memory.Pending == nil {
			b.Error("got nothing pending, want the conversion")
		}
		lists, most := b.service.Count(mockserver.ListChapters), 1+int(b.took/time.Second)
		if lists > most {
			b.Errorf("got %d lists within %s, want %d at most", lists, b.took, most)
		}
	}, unconverted(oneMinute()))
}
