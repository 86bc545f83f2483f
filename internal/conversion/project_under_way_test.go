package conversion_test

import (
	"errors"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func (b *bubble) wantThreeConverted(outcome conversion.ProjectOutcome) {
	b.Helper()
	failed := failures(outcome)
	if outcome.Stopped != nil || len(failed) > 0 || len(outcome.Chapters) != 3 {
		b.Errorf("got %d chapters, failures %v, stopped by %v; want three converted", len(outcome.Chapters), failed, outcome.Stopped)
	}
}

func (b *bubble) wantProjectBusy(err error, state audioprojects.Text) {
	b.Helper()
	busy, is := errors.AsType[*conversion.ProjectBusyError](err)
	if !is || busy.State != state {
		b.Errorf("got %v, want the state %s of the project", err, state)
	}
	b.wantRequests(0, 0)
}

// TestProjectUnderWay_convertedForSomebodyElse: its chapters rest in a queue, and nothing may be requested for them meanwhile.
func TestProjectUnderWay_convertedForSomebodyElse(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.ConvertProject(project, 10*time.Minute)
		state := b.engine.ProjectUnderWay(b.Context(), project)
		if state == nil || *state != "in_queue" {
			b.Errorf("got the state %v, want that of the project", state)
		}
		b.wantProjectBusy(b.engine.ConvertProject(b.Context(), wholeBook()).Stopped, "in_queue")
		outcome, err := b.engine.Convert(b.Context(), conversion.Desired{ProjectID: project, ChapterID: "chapter-0", Wish: conversion.WantsText})
		b.wantProjectBusy(err, "in_queue")
		if outcome.Memory.Pending != nil {
			b.Errorf("got %+v pending, want nothing", outcome.Memory.Pending)
		}
		time.Sleep(15 * time.Minute)
		b.wantThreeConverted(b.engine.ConvertProject(b.Context(), wholeBook()))
		b.wantRequests(0, 0)
	}, many(3, time.Minute)...)
}

// TestProjectUnderWay_created has no chapters yet. It is not a book of none.
func TestProjectUnderWay_created(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.SetProjectState(project, "creating")
		b.wantProjectBusy(b.engine.ConvertProject(b.Context(), wholeBook()).Stopped, "creating")
	})
}

// TestProjectUnderWay_saysNothing: a record that is refused, and a chapter that is busy itself.
func TestProjectUnderWay_saysNothing(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*bubble){
		"refused": func(b *bubble) {
			b.service.SetProjectState(project, "in_queue")
			b.service.Inject(mockserver.Fault{Operation: mockserver.GetProject, Status: 403, Times: -1})
		},
		"one chapter": func(b *bubble) { b.service.Convert(project, "chapter-0") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				prepare(b)
				began := time.Now()
				b.wantThreeConverted(b.engine.ConvertProject(b.Context(), wholeBook()))
				took := time.Since(began)
				if took > 90*time.Second {
					b.Errorf("took %s, want the chapters side by side", took)
				}
			}, many(3, time.Minute)...)
		})
	}
}

// TestProjectUnderWay_ownConversion, also while its chapter does not show it yet: another resource does not fail for it.
func TestProjectUnderWay_ownConversion(t *testing.T) {
	t.Parallel()
	chapters := many(2, time.Minute)
	chapters[0].Conversions[0].Lag = 25 * time.Second
	inBubble(t, func(b *bubble) {
		first := make(chan error)
		go func() {
			_, err := b.engine.Convert(b.Context(), conversion.Desired{ProjectID: project, ChapterID: "chapter-0", Wish: conversion.WantsConversion, New: true})
			first <- err
		}()
		time.Sleep(2 * time.Second)
		b.service.SetProjectState(project, "converting")
		_, err := b.engine.Convert(b.Context(), conversion.Desired{ProjectID: project, ChapterID: "chapter-1", Wish: conversion.WantsConversion, New: true})
		if err != nil {
			b.Error(err)
		}
		err = <-first
		if err != nil {
			b.Error(err)
		}
		b.wantPaid(2)
	}, chapters...)
}

// TestProjectUnderWay_incompleteRecord: a record that does not list all chapters still has the state of the project.
func TestProjectUnderWay_incompleteRecord(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Inject(mockserver.Fault{
			Operation: mockserver.GetProject, Times: -1, Body: `{"project_id":"book","state":"in_queue","chapters":[{"chapter_id":"chapter-0"}],"chapter_count":3}`,
		})
		state := b.engine.ProjectUnderWay(b.Context(), project)
		if state == nil || *state != "in_queue" {
			b.Errorf("got the state %v, want that of the project", state)
		}
		b.wantProjectBusy(b.engine.ConvertProject(b.Context(), wholeBook()).Stopped, "in_queue")
	}, many(3, time.Minute)...)
}
