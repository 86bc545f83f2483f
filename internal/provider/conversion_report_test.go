package provider

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// TestConversionReport writes every report about a conversion that a user can see to testdata/conversion_report.txt.
func TestConversionReport(t *testing.T) {
	t.Parallel()
	number := func(n audioprojects.Integer) *audioprojects.Integer { return &n }
	text := func(words audioprojects.Text) *audioprojects.Text { return &words }
	seconds, percent := int64(1_790_000_000), 40
	busy := audioprojects.Chapter{ChapterID: "one", Name: text("The Lamp"), State: text("converting")}
	silent := audioprojects.Chapter{ChapterID: "one", State: text("default")}
	open := audioprojects.Chapter{ChapterID: "one", Statistics: &audioprojects.ChapterStatistics{CharactersUnconverted: number(12)}}
	ours := func(change func(*conversion.Ticket)) *conversion.Ticket {
		pending := &conversion.Ticket{RequestedAtUnix: &seconds, Confirmed: true, SeenConverting: true}
		change(pending)
		return pending
	}
	running := ours(func(*conversion.Ticket) {})
	joined := ours(func(p *conversion.Ticket) { p.RequestedAtUnix = nil })
	notShown := ours(func(p *conversion.Ticket) { p.SeenConverting = false })
	lost := ours(func(p *conversion.Ticket) { p.SeenConverting, p.Confirmed = false, false })
	resting := ours(func(p *conversion.Ticket) { p.BusyState, p.Baseline.State = text("paused"), text("paused") })
	paused := audioprojects.Chapter{ChapterID: "one", State: text("paused")}
	left := int64(12)
	ended := func(o conversion.Outcome) conversion.Outcome {
		o.Chapter, o.Requested = open, true
		return o
	}
	service := func(kind audioprojects.Kind, method string, status int) error {
		return &audioprojects.Error{Kind: kind, Method: method, Path: "/v1/projects/book/chapters", Status: status, Words: "the service's words"}
	}

	tests := []struct {
		name string
		kind resultKind
		conversionResult
	}{
		{"converted", converted, conversionResult{outcome: conversion.Outcome{Chapter: silent, Requested: true}}},
		{"converted after one that failed", converted, conversionResult{outcome: conversion.Outcome{Chapter: silent, Requested: true, FailedWords: "no voice", After: conversion.Error}}},
		{"converted after one that converted nothing, beside an old error", converted, conversionResult{outcome: conversion.Outcome{Chapter: silent, Requested: true, FailedWords: "no voice", After: conversion.OldError}}},
		{"converted after one that converted nothing", converted, conversionResult{outcome: conversion.Outcome{Chapter: silent, Requested: true, After: conversion.Nothing}}},
		{"adopted with text left", converted, conversionResult{outcome: conversion.Outcome{Chapter: open}}},
		{"no sign", noSign, conversionResult{outcome: ended(conversion.Outcome{Reason: conversion.NoSign})}},
		{"a remainder", remainder, conversionResult{outcome: ended(conversion.Outcome{Reason: conversion.Remainder, Memory: conversion.Memory{KnownRemainder: 12}})}},
		{"text left in doubt", leftInDoubt, conversionResult{outcome: ended(conversion.Outcome{Memory: conversion.Memory{KnownRemainder: 12, SuspectedRemainder: &left}})}},
		{"text left by an edit", leftByEdit, conversionResult{outcome: ended(conversion.Outcome{Memory: conversion.Memory{KnownRemainder: 3}})}},
		{"text left over", leftOver, conversionResult{outcome: ended(conversion.Outcome{Memory: conversion.Memory{KnownRemainder: 12}})}},

		{"failed", failed, conversionResult{err: &conversion.FailedError{Reason: conversion.Error, Words: "no voice"}}},
		{"failed, somebody else's", failed, conversionResult{err: &conversion.FailedError{Reason: conversion.Error, Words: "no voice", Joined: true}}},
		{"converted nothing", failed, conversionResult{err: &conversion.FailedError{Reason: conversion.Nothing}}},
		{"converted nothing, somebody else's", failed, conversionResult{err: &conversion.FailedError{Reason: conversion.Nothing, Joined: true}}},
		{"converted nothing, beside an old error", failed, conversionResult{err: &conversion.FailedError{Reason: conversion.OldError, Words: "no voice"}}},
		{"unconfirmed", unconfirmed, conversionResult{err: &conversion.UnconfirmedError{Lost: errors.New("EOF")}, outcome: conversion.Outcome{Chapter: silent, Memory: conversion.Memory{Pending: lost}}}},
		{"refused", refused, conversionResult{err: service(audioprojects.Rejected, http.MethodPost, 400), outcome: conversion.Outcome{Chapter: silent}}},
		{"too many characters", bounded, conversionResult{err: &conversion.BoundError{ProjectID: "book", ChapterID: "one", Characters: 1200, Together: 41000, Most: 40000}, outcome: conversion.Outcome{Chapter: silent}}},
		{"characters that nobody counts", bounded, conversionResult{err: &conversion.BoundError{ProjectID: "book", ChapterID: "one", Uncounted: 1, Most: 40000}, outcome: conversion.Outcome{Chapter: silent}}},
		{"unreachable at first", unreachable, conversionResult{err: service(audioprojects.Unauthorized, http.MethodGet, 401)}},
		{"unreachable in the middle", unreachable, conversionResult{err: service(audioprojects.Unauthorized, http.MethodGet, 401), outcome: conversion.Outcome{Chapter: busy, Percent: &percent, Memory: conversion.Memory{Pending: running}}}},
		{"gone in the middle", unreachable, conversionResult{err: service(audioprojects.NotFound, http.MethodGet, 404), outcome: conversion.Outcome{Chapter: busy, Percent: &percent, Memory: conversion.Memory{Pending: running}}}},

		{"interrupted at first", interruptedEarly, conversionResult{err: context.Canceled, interrupted: true}},
		{"interrupted before the chapter was seen", interruptedEarly, conversionResult{err: context.Canceled, interrupted: true, outcome: conversion.Outcome{Memory: conversion.Memory{Pending: running}}}},
		{"interrupted", interrupted, conversionResult{err: context.Canceled, interrupted: true, outcome: conversion.Outcome{Chapter: busy, Percent: &percent, Memory: conversion.Memory{Pending: running}}}},
		{"interrupted, joined", interrupted, conversionResult{err: context.Canceled, interrupted: true, outcome: conversion.Outcome{Chapter: busy, Percent: &percent, Memory: conversion.Memory{Pending: joined}}}},
		{"interrupted, not known to be requested", interrupted, conversionResult{err: context.Canceled, interrupted: true, outcome: conversion.Outcome{Chapter: silent, Memory: conversion.Memory{Pending: lost}}}},
		{"gone, after an error that was seen once", unreachable, conversionResult{
			err: &conversion.MissingChapterError{ProjectID: "book", ChapterID: "one"},
		}},
		{"out of time at first", outOfTimeEarly, conversionResult{err: context.DeadlineExceeded, outOfTime: true, outcome: conversion.Outcome{Problem: service(audioprojects.Ambiguous, http.MethodGet, 503)}}},
		{"out of time, postponed", outOfTimeEarly, conversionResult{err: context.DeadlineExceeded, outOfTime: true, outcome: conversion.Outcome{Chapter: silent, Postponed: service(audioprojects.RateLimited, http.MethodPost, 429)}}},
		{"out of time before the chapter was seen", outOfTimeEarly, conversionResult{err: context.DeadlineExceeded, outOfTime: true, outcome: conversion.Outcome{Memory: conversion.Memory{Pending: running}}}},
		{"out of time", outOfTime, conversionResult{err: context.DeadlineExceeded, outOfTime: true, outcome: conversion.Outcome{Chapter: busy, Percent: &percent, Memory: conversion.Memory{Pending: running}}}},
		{"out of time, joined", outOfTime, conversionResult{err: context.DeadlineExceeded, outOfTime: true, outcome: conversion.Outcome{Chapter: busy, Percent: &percent, Memory: conversion.Memory{Pending: joined}}}},
		{"out of time, not shown", outOfTime, conversionResult{err: context.DeadlineExceeded, outOfTime: true, outcome: conversion.Outcome{Chapter: silent, Memory: conversion.Memory{Pending: notShown}}}},
		{"out of time, in a state that nobody knows", outOfTime, conversionResult{err: context.DeadlineExceeded, outOfTime: true, outcome: conversion.Outcome{Chapter: paused, Memory: conversion.Memory{Pending: resting}}}},
	}
	blocks := []struct {
		name  string
		after sequel
	}{{"a creation", afterCreate}, {"an update", afterUpdate}, {"an action", afterInvoke}}

	var shown strings.Builder
	met := map[resultKind]bool{}
	for _, test := range tests {
		result := test.conversionResult
		result.thing, result.timeout, result.outcome.Waited = chapterThing("book", audioprojects.Chapter{ChapterID: "one", Name: result.outcome.Chapter.Name}), time.Hour, 61*time.Minute
		met[test.kind] = true
		if got := result.kind(); got != test.kind {
			t.Errorf("%s: got kind %d, want %d", test.name, got, test.kind)
		}
		fmt.Fprintf(&shown, "======== %s\n", test.name)
		var before string
		for _, block := range blocks {
			var diags diag.Diagnostics
			result.report(&diags, block.after)
			var said strings.Builder
			for _, d := range diags {
				fmt.Fprintf(&said, "%s: %s\n%s\n", d.Severity(), d.Summary(), d.Detail())
			}
			if said.String() == before {
				fmt.Fprintf(&shown, "-- %s: the same\n", block.name)
				continue
			}
			before = said.String()
			fmt.Fprintf(&shown, "-- %s\n%s", block.name, said.String())
		}
	}
	for kind := range outOfTime + 1 {
		if !met[kind] {
			t.Errorf("kind %d is not shown", kind)
		}
	}

	golden := filepath.Join("testdata", "conversion_report.txt")
	// The flag is defined in the tests of package provider_test, which are in the same program.
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(golden, []byte(shown.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if shown.String() != string(want) {
		t.Errorf("the reports differ from those in %s; run this test with -update, and read the difference:\n%s", golden, shown.String())
	}
}
