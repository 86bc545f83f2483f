package conversion_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestAConversionHandedOverStaysPendingIfTheServiceIsDown(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		outcome, _ := b.convertWithin(30 * time.Second)
		b.restart()
		b.engine.HandOver(project, map[string]conversion.Memory{chapter: {Pending: outcome.Pending}})
		b.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Times: 5, Status: 503})
		outcome, err := b.convert()
		if err == nil || outcome.Pending == nil {
			b.Fatalf("got %+v and error %v, want it pending again", outcome, err)
		}
		b.wantSuccess(b.convert(resuming(outcome.Pending)))
		b.wantRequests(1, 1)
	}, unconverted(oneMinute()))
}

func TestALookAfterOurRequestUsesANewerList(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		// The only list so far is older than the request.
		outcome, err := b.convertInterrupted(time.Second / 2)
		if !errors.Is(err, context.Canceled) || outcome.Pending == nil {
			b.Fatalf("got pending %+v, error %v; want an interruption with something pending", outcome.Pending, err)
		}
		b.wantRequests(1, 1)
		predicted := b.engine.Predict(b.Context(), demand(resuming(outcome.Pending)))
		if predicted.Err != nil || predicted.Decision.Reason != conversion.Converting {
			b.Errorf("got %+v, want what the chapter shows after the request", predicted)
		}
	}, unconverted(oneMinute()))
}

// TestATicketNeverChanges: the provider and other sessions hold the same one.
func TestATicketNeverChanges(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Convert(project, chapter)
		busy, failure := audioprojects.Text("converting"), audioprojects.Text("voice not found")
		joined := conversion.Ticket{SinceUnix: time.Now().Unix(), Confirmed: true, Failure: &failure, Baseline: conversion.Baseline{State: &busy}}
		before := joined
		b.engine.Predict(b.Context(), demand(withTriggers("new"), func(d *conversion.Demand) { d.Pending = &joined }))
		if joined != before {
			b.Errorf("got %+v, want it as before: %+v", joined, before)
		}
	}, unconverted(oneMinute()))
}

// TestWhatIsResumedIsSharedBeforeItIsSeen: a list from a replica that lags shows the resumed block nothing, and a new block open text.
func TestWhatIsResumedIsSharedBeforeItIsSeen(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.SetHabits(mockserver.Habits{StaleLists: 20 * time.Second})
		outcome, _ := b.convertInterrupted(time.Second)
		b.restart()
		var blocks sync.WaitGroup
		blocks.Go(func() {
			newer := audioprojects.Integer(time.Now().Unix())
			b.wantSuccess(b.convert(resuming(outcome.Pending), func(d *conversion.Demand) { d.Date = &newer }))
		})
		time.Sleep(time.Millisecond)
		b.wantSuccess(b.convert())
		blocks.Wait()
		b.wantRequests(1, 1)
	}, unconverted(oneMinute()))
}

// TestBlocksThatResumeTheSameWaitOnce: text is left over, and that is believed after the window.
func TestBlocksThatResumeTheSameWaitOnce(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.SetHabits(mockserver.Habits{LeavesLast: true})
		interrupted, _ := b.convertInterrupted(time.Second)
		b.restart()
		for _, most := range []time.Duration{2 * time.Minute, time.Second} {
			if outcome, err := b.convert(resuming(interrupted.Pending)); err != nil || outcome.Waited > most {
				b.Errorf("got error %v after %s, want the end within %s", err, outcome.Waited, most)
			}
		}
		b.wantRequests(1, 1)
	}, unconverted(oneMinute()))
}
