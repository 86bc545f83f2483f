package provider

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// conversions are what one provider block does about conversions: it foresees them, estimates and limits what they cost, and makes them.
type conversions struct {
	engine *conversion.Engine // nil while the provider block has unknown values
	limit  *characterLimit
	scale  progressScale
	// saidOnce is what this process has said.
	saidOnce sync.Map
	// unknownChapters counts the resources of a plan whose chapters are not known yet.
	unknownChapters atomic.Int64
}

// newConversions has no engine yet. most is the limit, which counts before there is one; nil if there is none.
func newConversions(most *int64) *conversions {
	return &conversions{limit: newCharacterLimit(most)}
}

// start makes the engine. Its requests count in the limit.
func (c *conversions) start(options conversion.Options) *conversion.Engine {
	options.Reserve = c.limit.reserve
	c.engine = conversion.NewEngine(options)
	return c.engine
}

// ready reports whether the service can be asked. Nothing has conversions if the framework calls its Configure before that of the provider,
// for a validation.
func (c *conversions) ready() bool { return c != nil && c.engine != nil }

// once reports whether this process says something for the first time.
func (c *conversions) once(what string) bool {
	_, before := c.saidOnce.LoadOrStore(what, true)
	return !before
}

// convert converts the chapters. It sends lines about the progress, unless send is nil.
func (c *conversions) convert(ctx context.Context, s scope, timeout time.Duration, send func(string)) (r result) {
	c.limit.applying.Store(true)
	if s.singleChapter {
		return c.callEngine(ctx, s, timeout, send, c.engine.Convert)
	}
	waiting, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	progress := newProgressReporter(ctx, s, &c.scale, send)
	defer func() { progress.finish(r) }()
	s.Progress = progress.observeProject
	outcome := c.engine.ConvertProject(waiting, s.Project)
	r = result{scope: s, timeout: timeout, stopped: outcome.Stopped}
	for _, chapter := range outcome.Chapters {
		if conversion.IsMissing(chapter.Err) && !chapter.Begun && !s.names(chapter.Desired.ChapterID) {
			continue // It has been deleted since the refresh.
		}
		ended := waiting.Err()
		if chapter.TimedOut {
			ended = context.DeadlineExceeded
		}
		chapter.Err = endOfWait(chapter.Err, ended)
		name := say.Identified(audioprojects.Chapter{ChapterID: chapter.Desired.ChapterID, Name: chapter.Chapter.Name})
		r.ends = append(r.ends, ending{chapter, name, c.scale.progressText(chapter.Chapter)})
	}
	r.unlisted = r.stopped != nil && !slices.ContainsFunc(r.ends, ending.seen)
	return r
}

// callEngine calls a method of the engine for a single chapter.
func (c *conversions) callEngine(
	ctx context.Context, s scope, timeout time.Duration, send func(string),
	call func(context.Context, conversion.Desired) (conversion.Outcome, error),
) (r result) {
	waiting, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	progress := newProgressReporter(ctx, s, &c.scale, send)
	defer func() { progress.finish(r) }()
	desired := s.Desired[0]
	desired.Progress = progress.observe
	end := ending{ChapterStatus: conversion.ChapterStatus{Desired: desired, Begun: true}}
	end.Outcome, end.Err = call(waiting, desired)
	end.Err = endOfWait(end.Err, waiting.Err())
	name := end.Chapter.Name
	if name != nil {
		s.thing = say.Chapter(s.ProjectID, audioprojects.Chapter{ChapterID: desired.ChapterID, Name: name})
	}
	end.name, end.progress = s.thing, c.scale.progressText(end.Chapter)
	return result{scope: s, ends: []ending{end}, timeout: timeout}
}

// endOfWait returns ended if a request failed only because its context ended, and otherwise the error as it is.
func endOfWait(err, ended error) error {
	saysMore := errors.As(err, new(*conversion.UnconfirmedError))
	if !saysMore && ended != nil && errors.Is(err, ended) {
		return ended
	}
	return err
}

// await waits for what is pending of a chapter whose resource is replaced, and requests nothing.
// The error is why its end is not known.
func (c *conversions) await(ctx context.Context, s scope, timeout time.Duration) (r result, err error) {
	c.limit.applying.Store(true)
	r = c.callEngine(ctx, s, timeout, nil, c.engine.Await)
	return r, r.ends[0].Err
}

// handOver gives what is pending of a resource that is removed, or replaced, to the next one for the same chapters in this process.
func (c *conversions) handOver(projectID string, kept map[string]conversion.Memory) {
	c.limit.applying.Store(true)
	c.engine.HandOver(projectID, kept)
}

func (c *conversions) hasHandedOver(projectID string) bool {
	return len(c.engine.HandedOver(projectID)) > 0
}

// allows reports whether what an earlier refresh has noted of a project stays within the limit, with all that is counted before.
func (c *conversions) allows(projectID string, planned []plannedChapter) bool {
	return c.limit.allows(projectID, planned)
}
