package conversion_test

import (
	"cmp"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const (
	project = "book"
	chapter = "one"
	text    = "The lamp was lit.\n\nNobody had lit it."
	longer  = text + "\n\nThe keeper was away."
)

// bubble is an engine and the service it works against, in fake time.
type bubble struct {
	*testing.T
	service *mockserver.Server
	network *mockserver.Network
	engine  *conversion.Engine
	mu      sync.Mutex
	took    time.Duration // by the latest convert
	// parallel is how many conversions of books run at a time; 0: as many as by default.
	parallel int
}

// inBubble runs a test against a service with one project of the given chapters; a
// chapter without an id is the chapter of the test.
func inBubble(t *testing.T, test func(*bubble), chapters ...mockserver.Chapter) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		service := mockserver.New()
		for i := range chapters {
			if chapters[i].ID == "" {
				chapters[i].ID = chapter
			}
		}
		service.AddProject(mockserver.Project{ID: project, Chapters: chapters})
		b := &bubble{T: t, service: service, network: service.Network()}
		defer b.network.Close()
		b.restart()
		test(b)
	})
}

// restart makes the engine that of a new process.
func (b *bubble) restart() {
	b.Helper()
	b.restartWith(b.network.DialContext)
}

// restartWith makes the engine that of a new process, which connects with dial.
func (b *bubble) restartWith(dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	b.Helper()
	address, err := audioprojects.ParseBaseURL("http://localhost", false)
	if err != nil {
		b.Fatal(err)
	}
	client := audioprojects.New(audioprojects.Config{
		BaseURL:        address,
		APIKey:         mockserver.Secret,
		RequestTimeout: 30 * time.Second,
		MaxRetries:     4,
		Transport:      &http.Transport{DialContext: dial},
	})
	free := func(string, audioprojects.Chapter, *int64) (func(context.Context, error), error) {
		return func(context.Context, error) {}, nil
	}
	b.engine = conversion.NewEngine(conversion.Options{Client: client, Reserve: free, ParallelConversions: cmp.Or(b.parallel, 50)})
}

// reach makes the engine one that the service has answered, with a list of the chapters.
func (b *bubble) reach() {
	b.Helper()
	_, err := b.engine.Chapters(b.Context(), project)
	if err != nil {
		b.Fatal(err)
	}
}

// convert converts the chapter, with a timeout of one hour.
func (b *bubble) convert(with ...option) (conversion.Outcome, error) {
	return b.convertWithin(time.Hour, with...)
}

func (b *bubble) convertWithin(timeout time.Duration, with ...option) (conversion.Outcome, error) {
	ctx, cancel := context.WithTimeout(b.Context(), timeout)
	defer cancel()
	began := time.Now()
	defer b.noteTime(began)
	return b.engine.Convert(ctx, desired(with...))
}

// convertInterrupted converts the chapter and is interrupted after the given time.
func (b *bubble) convertInterrupted(after time.Duration, with ...option) (conversion.Outcome, error) {
	ctx, cancel := context.WithTimeout(b.Context(), time.Hour)
	time.AfterFunc(after, cancel)
	began := time.Now()
	defer b.noteTime(began)
	return b.engine.Convert(ctx, desired(with...))
}

func (b *bubble) noteTime(began time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.took = time.Since(began)
}

type option func(*conversion.Desired)

func desired(with ...option) conversion.Desired {
	desired := conversion.Desired{ProjectID: project, ChapterID: chapter, Wish: conversion.WantsConversion, New: true}
	for _, option := range with {
		option(&desired)
	}
	return desired
}

func resuming(pending *conversion.ResumeToken) option {
	return remembering(conversion.Memory{Pending: pending})
}

// remembering is as a state has it: as JSON.
func remembering(memory conversion.Memory) option {
	text, err := json.Marshal(memory)
	var saved conversion.Memory
	err = cmp.Or(err, json.Unmarshal(text, &saved))
	if err != nil {
		panic(err)
	}
	return func(d *conversion.Desired) { d.Memory = saved }
}

func withTriggers(triggers string) option {
	return func(d *conversion.Desired) { d.Triggers = triggers }
}

func upToDate(d *conversion.Desired) { d.Wish = conversion.WantsText }

// isRetriggered: the resource is in the state, does not follow its text, and its triggers have changed.
func isRetriggered(d *conversion.Desired) {
	d.New, d.Wish, d.Memory.ForTriggers = false, conversion.WantsNothing, true
}

// wantSuccess checks that the chapter is converted and that nothing is pending.
func (b *bubble) wantSuccess(outcome conversion.Outcome, err error) {
	b.Helper()
	if err != nil {
		b.Fatalf("got error: %v", err)
	}
	left, known := outcome.Chapter.Statistics.Unconverted()
	if known && left > 0 {
		b.Errorf("characters left unconverted: got %d, want 0", left)
	}
	if outcome.Memory.Pending != nil {
		b.Errorf("got pending %+v, want none", *outcome.Memory.Pending)
	}
}

// wantRequests checks the convert requests sent, and how many of them the service accepted.
func (b *bubble) wantRequests(sent, paid int) {
	b.Helper()
	got := b.service.Count(mockserver.ConvertChapter)
	if got != sent {
		b.Errorf("convert requests sent: got %d, want %d", got, sent)
	}
	got = b.service.Conversions(project, chapter)
	if got != paid {
		b.Errorf("conversions accepted: got %d, want %d", got, paid)
	}
}

// unconverted is a chapter that has not been converted yet. Its conversions behave as given, in this order.
func unconverted(conversions ...mockserver.Conversion) mockserver.Chapter {
	return mockserver.Chapter{Text: text, Conversions: conversions}
}

func oneMinute() mockserver.Conversion { return mockserver.Conversion{Takes: time.Minute} }
