package provider

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// A conversion that may not run is not said to go on, and of one that may have to be requested again nobody says that the next
// apply requests none: of a chapter and of a book alike.
func TestWhatIsSaidOfAPendingConversionIsNoMoreThanIsKnown(t *testing.T) {
	t.Parallel()
	now, state := int64(1_790_000_000), audioprojects.Text("paused")
	words, rest := audioprojects.Text("no voice"), audioprojects.Text("default")
	busy := audioprojects.Text("converting")
	chapter := func(state *audioprojects.Text) audioprojects.Chapter {
		return audioprojects.Chapter{ChapterID: "one", State: state}
	}
	for name, test := range map[string]struct {
		outcome conversion.Outcome
		says    string
		certain bool
	}{
		"seen busy": {conversion.Outcome{Chapter: chapter(&busy), Memory: conversion.Memory{Pending: &conversion.Ticket{RequestedAtUnix: &now, Confirmed: true, SeenConverting: true}}},
			"The conversion goes on at the service.", true},
		"accepted, and nothing shows it": {conversion.Outcome{Chapter: chapter(&rest), Memory: conversion.Memory{Pending: &conversion.Ticket{RequestedAtUnix: &now, Confirmed: true, TimedOut: true}}},
			"The service has accepted the request, and does not show the conversion yet.", false},
		"answer lost": {conversion.Outcome{Chapter: chapter(&rest), Memory: conversion.Memory{Pending: &conversion.Ticket{RequestedAtUnix: &now}}},
			"It is not known yet whether the service received the request.", false},
		"at rest for an hour": {conversion.Outcome{Chapter: chapter(&state), Memory: conversion.Memory{Pending: &conversion.Ticket{
			RequestedAtUnix: &now, Confirmed: true, SeenConverting: true, BusyState: &state, Baseline: conversion.Baseline{State: &state},
		}}}, "The chapter's state has not changed for an hour", false},
		"at rest again": {conversion.Outcome{Chapter: chapter(&rest), Memory: conversion.Memory{Pending: &conversion.Ticket{RequestedAtUnix: &now, Confirmed: true, SeenConverting: true}}},
			"It is not clear yet whether the conversion has ended.", false},
		"seen busy, and not seen since": {conversion.Outcome{
			Chapter: chapter(&busy), Memory: conversion.Memory{Pending: &conversion.Ticket{RequestedAtUnix: &now, Confirmed: true, SeenConverting: true}}, Problem: context.DeadlineExceeded,
		}, "It is not clear yet whether the conversion has ended.", false},
		"with an error that was seen once": {conversion.Outcome{
			Chapter: audioprojects.Chapter{ChapterID: "one", State: &rest, LastConversionError: &words},
			Memory:  conversion.Memory{Pending: &conversion.Ticket{RequestedAtUnix: &now, Confirmed: true, SeenConverting: true}},
		}, "The conversion seems to have failed, and no second look has confirmed it. The service says: no voice", false},
	} {
		for _, end := range []error{context.DeadlineExceeded, context.Canceled} {
			result := conversionResult{thing: `"one"`, outcome: test.outcome, err: end, timeout: time.Hour}.withEnd()
			ofChapter, ofBook := diag.Diagnostics{}, diag.Diagnostics{}
			result.report(&ofChapter, afterUpdate)
			bookResult{thing: `project "book"`, chapters: []conversionResult{result}}.report(&ofBook, afterBook)
			for _, d := range slices.Concat(ofChapter, ofBook) {
				text := strings.Join(strings.Fields(d.Detail()), " ")
				if !strings.Contains(text, test.says) {
					t.Errorf("%s: %s\n%s", name, d.Summary(), d.Detail())
				}
				if !test.certain && (strings.Contains(text, "goes on") || strings.Contains(text, "requests none")) {
					t.Errorf("%s: says more than is known: %s\n%s", name, d.Summary(), d.Detail())
				}
			}
		}
	}
}

// The plan says no more than the apply before it, either.
func TestAPlanDoesNotCallAConversionRunningThatNothingShows(t *testing.T) {
	t.Parallel()
	now := int64(1_790_000_000)
	_, says := predict(conversion.Demand{}, conversion.Prediction{
		Decision: conversion.Decision{Step: conversion.Wait, Reason: conversion.NotShown}, Pending: &conversion.Ticket{RequestedAtUnix: &now, Confirmed: true},
	})
	if strings.Contains(says, "still running") || !strings.Contains(says, "does not show the conversion yet") {
		t.Errorf("got %q", says)
	}
}
