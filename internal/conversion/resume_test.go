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

func TestHandedOverConversion_serviceThatIsDown(t *testing.T) {
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

func TestResume_usesANewerList(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		// The only list so far is older than the request.
		outcome, err := b.convertInterrupted(time.Second / 2)
		if !errors.Is(err, context.Canceled) || outcome.Pending == nil {
			b.Fatalf("got pending %+v, error %v; want an interruption with something pending", outcome.Pending, err)
		}
		b.wantRequests(1, 1)
		predicted := b.engine.Predict(b.Context(), desired(resuming(outcome.Pending)))[0]
		if predicted.Err != nil || predicted.Decision.Reason != conversion.Converting {
			b.Errorf("got %+v, want what the chapter shows after the request", predicted)
		}
	}, unconverted(oneMinute()))
}

// TestResumeToken_neverChanges: the provider and other sessions hold the same one.
func TestResumeToken_neverChanges(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Convert(project, chapter)
		busy, failure := audioprojects.Text("converting"), audioprojects.Text("voice not found")
		joined := conversion.ResumeToken{Phase: conversion.PhaseFailed, Failure: &failure, Baseline: conversion.Baseline{State: &busy}}
		before := joined
		b.engine.Predict(b.Context(), desired(withTriggers("new"), func(d *conversion.Desired) { d.Pending = &joined }))
		if joined != before {
			b.Errorf("got %+v, want it as before: %+v", joined, before)
		}
	}, unconverted(oneMinute()))
}

// TestResume_refusalAfterAGoodEnd: the next apply requests for the new triggers, and has nothing to wait for.
func TestResume_refusalAfterAGoodEnd(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		interrupted, _ := b.convertInterrupted(time.Second, withTriggers("old"))
		b.restart()
		b.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Status: 402})
		outcome, err := b.convert(resuming(interrupted.Pending), withTriggers("new"))
		if !errors.Is(err, audioprojects.Rejected) || outcome.Pending != nil {
			b.Errorf("got error %v and pending %+v, want the refusal, and nothing", err, outcome.Pending)
		}
	}, unconverted(oneMinute()))
}

// TestHandedOverConversion_newerOfTwo, whichever resource is destroyed first.
func TestHandedOverConversion_newerOfTwo(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		newer, _ := b.convertInterrupted(time.Second)
		failure := audioprojects.Text("voice not found")
		older := conversion.ResumeToken{RequestedAtUnix: new(int64(1)), Phase: conversion.PhaseFailed, Failure: &failure}
		b.restart()
		for _, pending := range []*conversion.ResumeToken{&older, newer.Pending} {
			b.engine.HandOver(project, map[string]conversion.Memory{chapter: {Pending: pending}})
		}
		b.wantSuccess(b.convert())
		b.wantRequests(1, 1)
	}, unconverted(mockserver.Conversion{Lag: 5 * time.Minute, Takes: time.Minute}))
}

// TestResume_newerOfTwo by all. The answer to the request for the older one was lost.
func TestResume_newerOfTwo(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Status: 502})
		lost, _ := b.convert(upToDate)
		b.restart()
		newer, _ := b.convertInterrupted(time.Second, upToDate)
		b.restart()
		var resources sync.WaitGroup
		for _, apply := range []func(){
			func() { b.wantSuccess(b.convert(upToDate, remembering(newer.Memory))) },
			func() { _, _ = b.engine.Await(b.Context(), desired(upToDate, remembering(lost.Memory))) },
			func() { b.wantSuccess(b.convert(upToDate, remembering(lost.Memory))) },
			func() { b.wantSuccess(b.convert(upToDate)) },
		} {
			resources.Go(apply)
			time.Sleep(time.Nanosecond)
		}
		resources.Wait()
		b.wantRequests(2, 1)
	}, unconverted(mockserver.Conversion{Lag: 5 * time.Minute, Takes: time.Minute}))
}

// TestResume_watchesStill what shows itself late: a lost answer, and a timeout that was shorter than the window, say nothing yet.
func TestResume_watchesStill(t *testing.T) {
	t.Parallel()
	for _, isLost := range []bool{true, false} {
		inBubble(t, func(b *bubble) {
			timeout := 10 * time.Second
			if isLost {
				b.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Process: true, Reset: true})
				timeout = time.Hour // It ends after the window.
			}
			outcome, err := b.convertWithin(timeout)
			if err == nil || outcome.Pending == nil {
				b.Fatalf("got %+v and error %v, want it pending", outcome, err)
			}
			b.restart()
			b.wantSuccess(b.convert(resuming(outcome.Pending)))
			b.wantRequests(1, 1)
		}, unconverted(mockserver.Conversion{Lag: 55 * time.Second, Takes: time.Minute}, oneMinute()))
	}
}
