package forecast

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

var update = flag.Bool("update", false, "rewrite testdata/report.txt")

// TestResult_report writes what people read of the ends of conversions, and of pending ones in a plan, to
// testdata/report.txt. A conversion that may not run must not be said to go on there, and of one that may have to be
// requested again nobody may say that the next apply requests none.
func TestResult_report(t *testing.T) {
	t.Parallel()
	number := func(n audioprojects.Integer) *audioprojects.Integer { return &n }
	text := func(words audioprojects.Text) *audioprojects.Text { return &words }
	lenient := func(words audioprojects.Text) audioprojects.Lenient[audioprojects.Text] {
		return audioprojects.Lenient[audioprojects.Text]{Value: &words}
	}
	seconds := int64(1_790_000_000)
	busy := audioprojects.Chapter{ChapterID: "one", Name: lenient("The Lamp"), State: text("converting")}
	silent := audioprojects.Chapter{ChapterID: "one", State: text("default")}
	ownWord := audioprojects.Chapter{ChapterID: "one", State: text("completed")}
	wrong := audioprojects.Chapter{ChapterID: "one", State: text("default"), LastConversionError: lenient("no voice")}
	open := audioprojects.Chapter{ChapterID: "one", Statistics: &audioprojects.ChapterStatistics{CharactersUnconverted: number(12)}}
	memory := func(change func(*conversion.ResumeToken)) conversion.Memory {
		pending := &conversion.ResumeToken{Origin: conversion.Requested, Answer: conversion.Accepted, RequestedAtUnix: seconds, Phase: conversion.PhaseRunning}
		change(pending)
		return conversion.Memory{Pending: pending}
	}
	running := memory(func(*conversion.ResumeToken) {})
	joined := memory(func(p *conversion.ResumeToken) { p.Origin = conversion.Joined })
	notShown := memory(func(p *conversion.ResumeToken) { p.Phase = conversion.PhaseAccepted })
	failed := memory(func(p *conversion.ResumeToken) { p.Phase, p.Failure = conversion.PhaseFailed, text("no voice") })
	lost := memory(func(p *conversion.ResumeToken) { p.Phase, p.Answer = conversion.PhaseUnconfirmed, conversion.Lost })
	rejected := memory(func(p *conversion.ResumeToken) {
		p.Origin, p.Answer, p.Phase = conversion.Joined, "", conversion.PhaseUnconfirmed
	})
	service := func(kind audioprojects.Kind, method, of string, status int) error {
		return &audioprojects.Error{Kind: kind, Method: method, Host: "service", Path: "/v1/projects/book/chapters" + of, Status: status, Message: "the service's words"}
	}
	saidBy := func(code string, status int) error {
		kind := audioprojects.Rejected
		if status >= 500 {
			kind = audioprojects.Ambiguous
		}
		said := service(kind, http.MethodPost, "/one/convert", status)
		refused := new(audioprojects.Error)
		errors.As(said, &refused)
		refused.Codes, refused.Explained, refused.RequestID = []string{code}, true, "7f3a"
		return refused
	}
	afterRefusal := func(refusal error) error {
		stopped := new(conversion.StoppedError)
		errors.As(refusal, &stopped.Cause)
		return stopped
	}
	list := func(kind audioprojects.Kind, status int) error { return service(kind, http.MethodGet, "", status) }
	requested := []*int64{nil}
	ended := func(memory conversion.Memory, reason conversion.Reason) conversion.Outcome {
		return conversion.Outcome{Chapter: open, Requested: requested, Memory: memory, Decision: conversion.Decision{Step: conversion.Done, Reason: reason}}
	}
	waits := func(chapter audioprojects.Chapter, memory conversion.Memory) conversion.Outcome {
		return conversion.Outcome{Chapter: chapter, Memory: memory}
	}
	exceeded := func(uncounted bool) error {
		return &limitError{Limit: Limit{Most: 40000, Setting: "`max_characters`", Settings: "`max_characters`"}, uncounted: uncounted}
	}
	late, stopped := context.DeadlineExceeded, context.Canceled
	stale := ended(conversion.Memory{}, conversion.ErrorStays)
	stale.Chapter.LastConversionError, stale.Decision.Words = lenient("no voice"), "no voice"
	unseen := waits(busy, running)
	unseen.Problem = list(audioprojects.Ambiguous, 503)
	dismissed := ended(conversion.Memory{}, conversion.NoReason)
	dismissed.Decision.Words = "no voice"
	accepted := waits(silent, lost)
	accepted.Answer, accepted.Decision.Rules = `{"status":"ok"}`, "40/310"
	noted := ended(conversion.Memory{}, conversion.NoSign)
	noted.Answer = `{"success":false,"message":"voice not available"}`
	slow := waits(silent, notShown)
	slow.Answer = noted.Answer
	ends := []struct {
		name    string
		outcome conversion.Outcome
		err     error
	}{
		{"converted", conversion.Outcome{Chapter: silent, Requested: requested}, nil},
		{"adopted with text left", conversion.Outcome{Chapter: open}, nil},
		{"converted after one that failed", conversion.Outcome{Chapter: silent, Requested: requested, FailedWords: "no voice", AfterFailure: true}, nil},
		{"converted by somebody else after one that failed", conversion.Outcome{Chapter: silent, WaitedFor: true, FailedWords: "no voice", AfterFailure: true}, nil},
		{"no sign", ended(conversion.Memory{}, conversion.NoSign), nil},
		{"text left by an edit", ended(conversion.Memory{Remainder: conversion.Remainder{Unconverted: 3}}, conversion.NoReason), nil},
		{"text left over", ended(conversion.Memory{Remainder: conversion.Remainder{Unconverted: 12}}, conversion.NoReason), nil},
		{"text left after a message that is gone", dismissed, nil},

		{"no sign, and an answer that says no", noted, nil},

		{"failed", conversion.Outcome{}, &conversion.FailedError{Reason: conversion.Error, Words: "no voice"}},
		{"failed, somebody else's", conversion.Outcome{}, &conversion.FailedError{Reason: conversion.Error, Words: "no voice", Joined: true}},
		{"converted nothing", conversion.Outcome{}, &conversion.FailedError{Reason: conversion.Nothing}},
		{"converted nothing, beside an old error", conversion.Outcome{}, &conversion.FailedError{Reason: conversion.Nothing, Words: "no voice"}},
		{"answered with an error", waits(silent, lost), &conversion.UnconfirmedError{Lost: saidBy("no_voice", 500)}},
		{"only the old error shows", waits(wrong, lost), &conversion.UnconfirmedError{OldError: "no voice", Answer: `{"status":"ok"}`}},
		{"no newer date shows", accepted, &conversion.UnconfirmedError{Answer: `{"status":"ok"}`, LacksDate: true}},
		{"another one's end is open, and its answer lost", conversion.Outcome{Chapter: silent}, &conversion.OpenEndError{First: &conversion.UnconfirmedError{Lost: saidBy("no_voice", 500)}}},
		{"another one's end is open", conversion.Outcome{Chapter: silent}, &conversion.OpenEndError{First: late}},
		{"accepted, and no date shows it", accepted, &conversion.UnconfirmedError{Answer: `{"status":"ok"}`}},
		{"unconfirmed", waits(silent, lost), &conversion.UnconfirmedError{Lost: service(audioprojects.Ambiguous, http.MethodPost, "/one/convert", 503)}},
		{"failed, and nothing is wanted any more", conversion.Outcome{Chapter: wrong}, &conversion.FailedError{Reason: conversion.Error, Words: "no voice"}},
		{"refused for too many jobs", conversion.Outcome{Chapter: silent}, saidBy("too_many_jobs", 400)},
		{"refused for the quota", conversion.Outcome{Chapter: silent}, saidBy("quota_exceeded", 429)},
		{"refused", conversion.Outcome{Chapter: silent}, service(audioprojects.Rejected, http.MethodPost, "/one/convert", 400)},
		{"refused for a voice that the plan lacks", conversion.Outcome{Chapter: silent}, saidBy("payment_required", 402)},
		{"refused for a voice that is not found", conversion.Outcome{Chapter: silent}, saidBy("voice_not_found", 404)},
		{"not begun, for the quota", conversion.Outcome{Chapter: silent}, afterRefusal(saidBy("quota_exceeded", 402))},
		{"not begun, for the quota, either", conversion.Outcome{Chapter: silent}, afterRefusal(saidBy("quota_exceeded", 402))},
		{"not begun, and pending", waits(silent, running), afterRefusal(saidBy("quota_exceeded", 402))},
		{"not begun, for the key", conversion.Outcome{Chapter: silent}, afterRefusal(list(audioprojects.Unauthorized, 401))},
		{"too many characters", conversion.Outcome{Chapter: silent}, exceeded(false)},
		{"characters that nobody counts", conversion.Outcome{Chapter: silent}, exceeded(true)},
		{"no such chapter", conversion.Outcome{}, &conversion.MissingChapterError{ProjectID: "book", ChapterID: "one"}},
		{"unreachable at first", conversion.Outcome{}, list(audioprojects.Unauthorized, 401)},
		{"unreachable in the middle", waits(busy, running), list(audioprojects.Unauthorized, 401)},
		{"gone in the middle", waits(busy, running), list(audioprojects.NotFound, 404)},

		{"out of time at first", conversion.Outcome{Problem: list(audioprojects.Ambiguous, 503)}, late},
		{"out of time, refused until then", conversion.Outcome{Chapter: silent, Postponed: service(audioprojects.RateLimited, http.MethodPost, "/one/convert", 429)}, late},
		{"out of time before the chapter was seen", conversion.Outcome{Memory: running}, late},
		{"out of time", waits(busy, running), late},
		{"out of time, joined", waits(busy, joined), late},
		{"out of time, not shown", waits(silent, notShown), late},
		{"out of time, at rest again", waits(silent, running), late},
		{"out of time, accepted and never shown", accepted, late},
		{"failed, without words", conversion.Outcome{}, &conversion.FailedError{Reason: conversion.Error}},
		{"out of time, in a word of its own", waits(ownWord, running), late},
		{"out of time, not seen since", unseen, late},
		{"out of time, with an error that was seen once", waits(wrong, running), late},
		{"out of time, and an answer that says no", slow, late},
		{"out of time, not known to be requested", waits(silent, lost), late},
		{"out of time, and failed for another block", waits(wrong, failed), late},

		{"interrupted at first", conversion.Outcome{}, stopped},
		{"interrupted before the chapter was seen", conversion.Outcome{Memory: running}, stopped},
		{"interrupted", waits(busy, running), stopped},
		{"interrupted, joined", waits(busy, joined), stopped},
		{"interrupted, not known to be requested", waits(silent, lost), stopped},
		{"interrupted after a refusal", waits(silent, rejected), stopped},
		{"an old error stays", stale, nil},
		{"no such chapter any more", waits(busy, running), &conversion.MissingChapterError{ProjectID: "book", ChapterID: "one"}},
	}
	var shown strings.Builder
	show := func(name string, result Result, after Wording) {
		var diags diag.Diagnostics
		result.Report(&diags, after)
		fmt.Fprintf(&shown, "======== %s\n", name)
		for _, d := range diags {
			fmt.Fprintf(&shown, "%s: %s\n%s\n", d.Severity(), d.Summary(), d.Detail())
		}
	}
	book := Result{Scope: Scope{Label: `project "book"`, Follows: true, Project: conversion.Project{ChapterTimeout: time.Hour}}, timeout: time.Hour}
	action := book
	for i, test := range ends {
		end := chapterResult{ChapterStatus: conversion.ChapterStatus{Desired: conversion.Desired{ProjectID: "book", ChapterID: "one"}, Outcome: test.outcome, Err: test.err}, progress: ", 40 %"}
		isFailure := errors.As(test.err, new(*conversion.FailedError))
		if isFailure && test.name != "failed, and nothing is wanted any more" {
			end.Verdict = conversion.Verdict{Action: conversion.Requests, Reason: conversion.Error}
		}
		of := Scope{SingleChapter: true, Label: say.Chapter("book", audioprojects.Chapter{ChapterID: "one", Name: test.outcome.Chapter.Name})}
		end.name = of.Label
		typical := slices.Contains([]string{"converted", "text left over", "text left by an edit", "text left after a message that is gone", "failed", "unconfirmed", "only the old error shows", "answered with an error", "out of time", "out of time, and an answer that says no", "interrupted at first", "interrupted"}, test.name)
		if typical {
			show("a chapter: "+test.name, Result{Scope: of, chapters: []chapterResult{end}, timeout: time.Hour}, AfterApply)
		}
		end.name, end.TimedOut = strconv.Quote(test.name), i%2 == 0
		book.chapters = append(book.chapters, end)
		if typical {
			action.chapters = append(action.chapters, end)
		}
	}
	show("a book with all of these", book, AfterApply)
	show("an action with some of these", action, AfterInvoke)
	action.Follows, action.chapters = false, action.chapters[4:5]
	show("an action with all", action, AfterInvoke)
	book.chapters = nil
	for i, words := range []string{"Chapter 1 needs credits", "Chapter 2 needs credits", "Chapter 9 needs credits", ""} {
		err := saidBy("no_credits_for_it", 402)
		refused, _ := errors.AsType[*audioprojects.Error](err)
		refused.Message = words
		if words == "" { // It was not requested, because of the one before.
			refused.Message = "Chapter 9 needs credits"
			err = afterRefusal(err)
		}
		name := strconv.Quote(fmt.Sprint(i))
		book.chapters = append(book.chapters, chapterResult{ChapterStatus: conversion.ChapterStatus{Outcome: conversion.Outcome{Chapter: silent}, Err: err}, name: name})
	}
	show("a book whose refusals have ids in their words", book, AfterApply)
	show("a book that was not listed in time", Result{Scope: book.Scope, timeout: time.Hour, unlisted: true, stopped: late}, AfterApply)

	var refused diag.Diagnostics
	many := slices.Repeat([]string{"gone"}, say.MostNamed+1)
	book.Memory = ResourceMemory{Missing: many}
	book.Refuse(&refused)
	fmt.Fprintf(&shown, "======== a book with chapters that are refused\n%s\n", refused[0].Detail())

	wantOwnSentencesWhole(t, shown.String())
	if strings.Contains(shown.String(), "40/310") {
		t.Error("a report names rules of the engine, which nobody who reads it has")
	}
	golden := filepath.Join("testdata", "report.txt")
	if *update {
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

// wantOwnSentencesWhole checks that lines are broken only in the service's text, which a sentence of the provider announces, and in failed
// requests.
func wantOwnSentencesWhole(t *testing.T, shown string) {
	t.Helper()
	before := ""
	for line := range strings.Lines(shown) {
		goesOn := strings.HasPrefix(line, say.QuotePrefix) && !strings.HasPrefix(before, say.QuotePrefix)
		isRequest := strings.HasPrefix(before, "GET /") || strings.HasPrefix(before, "POST /")
		if goesOn && !isRequest && !strings.HasSuffix(before, ":\n") {
			t.Errorf("a sentence of the provider is broken: %q, %q", before, line)
		}
		before = line
	}
}
