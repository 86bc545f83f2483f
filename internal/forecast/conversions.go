// Package forecast says what an apply does about chapters, what that costs, and what has become of it. It knows what a resource wants and
// remembers ([Scope], [ResourceMemory]), and nothing of schemas.
package forecast

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/progress"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// Conversions are what one provider block does about conversions: it foresees them, estimates and limits what they cost, and makes them.
type Conversions struct {
	engine   *conversion.Engine // nil while the provider block has unknown values
	limit    *characterLimit
	handOver handOver
	// saidOnce is what this process has said.
	saidOnce sync.Map
}

// NewConversions has no engine yet. The limit counts before there is one; nil if there is none.
func NewConversions(limit *Limit) *Conversions {
	return &Conversions{limit: newCharacterLimit(limit), handOver: handOver{left: map[handedOver][]conversion.Memory{}}}
}

// Start makes the engine. Its requests count in the limit.
func (c *Conversions) Start(options conversion.Options) *conversion.Engine {
	options.Reserve = c.limit.reserve
	c.engine = conversion.NewEngine(options)
	return c.engine
}

// Ready reports whether the service can be asked. Nothing has conversions if the framework calls its Configure before that of the provider,
// for a validation.
func (c *Conversions) Ready() bool { return c != nil && c.engine != nil }

// BeginApply notes that this process is an apply: it has been asked to change something. Terraform tells a provider no earlier.
func (c *Conversions) BeginApply() { c.limit.applying.Store(true) }

// Applying reports whether this process is known to be an apply. It plans each resource once more.
func (c *Conversions) Applying() bool { return c.limit.applying.Load() }

// Once reports whether this process says something for the first time.
func (c *Conversions) Once(what string) bool {
	_, before := c.saidOnce.LoadOrStore(what, true)
	return !before
}

// predict tells what convert would do now. The error is why the chapters cannot be seen. That one is missing, or cannot be read, is in its
// own prediction.
func (c *Conversions) predict(ctx context.Context, s Scope) (conversion.ProjectPrediction, error) {
	if !s.SingleChapter {
		return c.engine.PredictProject(ctx, s.Project)
	}
	predicted := conversion.ProjectPrediction{Chapters: c.engine.Predict(ctx, s.Desired[0])}
	if chapter := predicted.Chapters[0]; chapter.Verdict.Action == conversion.CannotSee {
		return predicted, chapter.Err
	}
	return predicted, nil
}

// Convert converts the chapters. It sends lines about the progress, unless send is nil.
func (c *Conversions) Convert(ctx context.Context, s Scope, timeout time.Duration, send func(string)) (r Result) {
	c.BeginApply()
	if s.SingleChapter {
		return c.convertChapter(ctx, s, timeout, send)
	}
	waiting, cancel := conversion.WithTimeout(ctx, timeout)
	defer cancel()
	reporter := progress.NewReporter(ctx, progress.Subject{Label: s.Label}, send, c.engine.Held)
	defer reporter.Finish(nil)
	if s.IsAction && c.disproves(waiting, &s) {
		return Result{Scope: s, refused: true}
	}
	s.Progress = reporter.Project
	var contract map[string]*int64
	s.Allowed = func(chapters []conversion.ChapterStatus) map[string]*int64 {
		contract = s.allowed(chapters)
		return s.inPortion(contract, chapters)
	}
	outcome := c.engine.ConvertProject(waiting, s.Project)
	r = Result{Scope: s, contract: contract, timeout: timeout, stopped: outcome.Stopped}
	for _, chapter := range outcome.Chapters {
		if conversion.IsMissing(chapter.Err) && !chapter.Begun && !s.names(chapter.Desired.ChapterID) {
			r.noteGone(chapter.Desired.ChapterID)
			continue
		}
		ended := waiting.Err()
		if chapter.TimedOut {
			ended = context.DeadlineExceeded
		}
		chapter.Err = endOfWait(chapter.Err, ended)
		name := say.Identified(audioprojects.Chapter{ChapterID: chapter.Desired.ChapterID, Name: chapter.Chapter.Name})
		r.chapters = append(r.chapters, chapterResult{chapter, name, progress.Percent(chapter.Chapter)})
	}
	r.appeared = outcome.Appeared
	r.unlisted = r.stopped != nil && !slices.ContainsFunc(r.chapters, chapterResult.seen)
	return r
}

// disproves reports whether the project lacks chapters that an action names or leaves out, and notes them. What is known only in the apply, no
// plan has refused. If nothing can be seen, the conversion says so.
func (c *Conversions) disproves(ctx context.Context, s *Scope) bool {
	if s.All && len(s.Except) == 0 {
		return false
	}
	predicted, err := c.predict(ctx, *s)
	if err != nil {
		return false
	}
	_, _ = s.updateMemory(predicted) // The error is about one chapter, which the conversion reads anew.
	return s.Refuses()
}

// convertChapter converts a single chapter.
func (c *Conversions) convertChapter(ctx context.Context, s Scope, timeout time.Duration, send func(string)) Result {
	waiting, cancel := conversion.WithTimeout(ctx, timeout)
	defer cancel()
	desired := s.Desired[0]
	desired.Most = s.allowed([]conversion.ChapterStatus{{Desired: desired}})[desired.ChapterID]
	reporter := progress.NewReporter(ctx, progress.Subject{Label: s.Label, ChapterID: desired.ChapterID}, send, c.engine.Held)
	desired.Progress = reporter.Chapter
	end := chapterResult{ChapterStatus: conversion.ChapterStatus{Desired: desired, Begun: true}}
	end.Outcome, end.Err = c.engine.Convert(waiting, desired)
	end.Err = endOfWait(end.Err, waiting.Err())
	converted := &end.Outcome
	if end.Err != nil {
		converted = nil
	}
	reporter.Finish(converted)
	name := end.Chapter.Name
	if name.Value != nil {
		s.Label = say.Chapter(s.ProjectID, audioprojects.Chapter{ChapterID: desired.ChapterID, Name: name})
	}
	end.name, end.progress = s.Label, progress.Percent(end.Chapter)
	return Result{Scope: s, chapters: []chapterResult{end}, timeout: timeout}
}

// endOfWait returns ended if a request failed only because its context ended, and otherwise the error as it is.
func endOfWait(err, ended error) error {
	saysMore := errors.As(err, new(*conversion.UnconfirmedError)) || errors.As(err, new(*conversion.OpenEndError))
	if !saysMore && ended != nil && errors.Is(err, ended) {
		return ended
	}
	return err
}
