package conversion_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestResume_usesANewerList(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		// The only list so far is older than the request.
		outcome, err := b.convertInterrupted(time.Second / 2)
		if !errors.Is(err, context.Canceled) || outcome.Memory.Pending == nil {
			b.Fatalf("got pending %+v, error %v; want an interruption with something pending", outcome.Memory.Pending, err)
		}
		b.wantRequests(1, 1)
		predicted := b.engine.Predict(b.Context(), desired(resuming(outcome.Memory.Pending)))[0]
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
		joined := conversion.ResumeToken{Phase: conversion.PhaseFailed, Origin: conversion.Joined, Failure: &failure, Baseline: conversion.Baseline{State: &busy}}
		before := joined
		b.engine.Predict(b.Context(), desired(withTriggers("new"), func(d *conversion.Desired) { d.Memory.Pending = &joined }))
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
		outcome, err := b.convert(resuming(interrupted.Memory.Pending), withTriggers("new"), isRetriggered)
		if !errors.Is(err, audioprojects.Rejected) || outcome.Memory.Pending != nil {
			b.Errorf("got error %v and pending %+v, want the refusal, and nothing", err, outcome.Memory.Pending)
		}
	}, unconverted(oneMinute()))
}

// TestResume_creationWithOtherTriggers: it must follow what it has taken over. If it is interrupted before that, the
// next apply knows.
func TestResume_creationWithOtherTriggers(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		first, _ := b.convertInterrupted(time.Second, withTriggers("old"))
		b.restart()
		taken, _ := b.convertInterrupted(time.Second, resuming(first.Memory.Pending), withTriggers("new"))
		if taken.Memory.Pending == nil || !taken.Memory.ForTriggers {
			b.Fatalf("got %+v, want the pending conversion, and that the triggers want another", taken.Memory)
		}
		b.restart()
		b.wantSuccess(b.convert(isRetriggered, remembering(taken.Memory), withTriggers("new")))
		b.wantRequests(2, 2)
	}, unconverted(oneMinute(), oneMinute()))
}

// TestResume_failureThatNobodyMinds: the triggers for which it was requested are removed, so that nothing is wanted any more.
func TestResume_failureThatNobodyMinds(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		before, _ := b.convertInterrupted(time.Second, withTriggers("old"), isRetriggered)
		b.restart()
		outcome, err := b.convert(isRetriggered, remembering(conversion.Memory{Pending: before.Memory.Pending}))
		if !errors.As(err, new(*conversion.FailedError)) || outcome.Memory != (conversion.Memory{}) || outcome.Verdict.Action != conversion.DoesNothing {
			b.Errorf("got %v, memory %+v and verdict %+v, want the failure, and that nothing follows", err, outcome.Memory, outcome.Verdict)
		}
		b.wantRequests(1, 1)
	}, mockserver.Chapter{Text: text, Converted: true, Conversions: []mockserver.Conversion{{Takes: time.Minute, Fails: "no voice"}}})
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
			if err == nil || outcome.Memory.Pending == nil {
				b.Fatalf("got %+v and error %v, want it pending", outcome, err)
			}
			b.restart()
			b.wantSuccess(b.convert(resuming(outcome.Memory.Pending)))
			b.wantRequests(1, 1)
		}, unconverted(mockserver.Conversion{Lag: 55 * time.Second, Takes: time.Minute}, oneMinute()))
	}
}
