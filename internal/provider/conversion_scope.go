package provider

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// scope is what a resource wants converted: chapters of one project. A single chapter is a scope, too.
type scope struct {
	conversion.Project
	thing string    // in messages
	at    path.Path // the attribute that says which chapters are meant
	// singleChapter: it is about one chapter. The engine is asked for it directly, because in a book it would wait for its turn. While nobody
	// knows which chapter that is, the scope is all of the project's.
	singleChapter bool
	// template is the demand for each chapter, without what is remembered of it.
	template conversion.Desired
	// unknownArguments says what is known only in the apply, so that an estimate is for more than that may cost; empty if all is known.
	// anyTime: that is when the chapters must have been converted.
	unknownArguments string
	anyTime          bool
	// tolerant: chapters that the service cannot convert are a warning, and no error.
	tolerant bool
	// onlyResumes: the resource demands nothing but the end of what is pending, and nothing is.
	onlyResumes bool
	// noted: what the chapters need was found by an earlier refresh, and not by one in this process.
	noted bool
	// adoptable: a chapter that has nothing left is converted all the same, and an argument could prevent that.
	adoptable bool
	// uncounted: max_characters counts the chapters in another plan.
	uncounted bool
	// leftOut are the chapters that the resource in the state leaves out: they were there when it was saved.
	leftOut map[string]bool
	// count is how many chapters the resource in the state has.
	count int
}

// chapterThing names a chapter in messages about it alone.
func chapterThing(projectID string, chapter audioprojects.Chapter) string {
	return "chapter " + say.Identified(chapter) + " of " + projectThing(projectID)
}

func projectThing(projectID string) string { return "project " + strconv.Quote(projectID) }

// names reports whether the resource names the chapter, and is not about all of a project.
func (s scope) names(chapterID string) bool {
	return s.Others == nil && slices.ContainsFunc(s.Desired, func(desired conversion.Desired) bool { return desired.ChapterID == chapterID })
}

// predict tells what convert would do now. The error is why the chapters cannot be seen. That one is missing, or cannot be read, is in its
// own prediction.
func (d *providerData) predict(ctx context.Context, s scope) (conversion.ProjectPrediction, error) {
	if !s.singleChapter || s.Others != nil {
		return d.engine.PredictProject(ctx, s.Project)
	}
	predicted := conversion.ProjectPrediction{Chapters: d.engine.Predict(ctx, s.Desired[0])}
	err := predicted.Chapters[0].Err
	if conversion.IsMissing(err) || conversion.IsUnreadable(err) {
		err = nil
	}
	return predicted, err
}

// result is what has become of a scope.
type result struct {
	scope
	ends     []ending
	stopped  error // why chapters have not begun; nil if all have
	unlisted bool  // the chapters could not be listed
	timeout  time.Duration
}

// ending is what has become of a chapter.
type ending struct {
	conversion.ChapterStatus
	name     string // in messages
	progress string // of the conversion, in messages
}

// convert converts the chapters. It sends lines about the progress, unless send is nil.
func (d *providerData) convert(ctx context.Context, s scope, timeout time.Duration, send func(string)) (r result) {
	d.limit.applying.Store(true)
	if s.singleChapter {
		return d.callEngine(ctx, s, timeout, send, d.engine.Convert)
	}
	waiting, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	progress := newProgressReporter(ctx, s, &d.scale, send)
	defer func() { progress.finish(r) }()
	s.Progress = progress.observeProject
	outcome := d.engine.ConvertProject(waiting, s.Project)
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
		r.ends = append(r.ends, ending{chapter, name, d.scale.progressText(chapter.Chapter)})
	}
	r.unlisted = r.stopped != nil && !slices.ContainsFunc(r.ends, ending.seen)
	return r
}

// callEngine calls a method of the engine for a single chapter.
func (d *providerData) callEngine(
	ctx context.Context, s scope, timeout time.Duration, send func(string),
	call func(context.Context, conversion.Desired) (conversion.Outcome, error),
) (r result) {
	waiting, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	progress := newProgressReporter(ctx, s, &d.scale, send)
	defer func() { progress.finish(r) }()
	desired := s.Desired[0]
	desired.Progress = progress.observe
	end := ending{ChapterStatus: conversion.ChapterStatus{Desired: desired, Begun: true}}
	end.Outcome, end.Err = call(waiting, desired)
	end.Err = endOfWait(end.Err, waiting.Err())
	name := end.Chapter.Name
	if name != nil {
		s.thing = chapterThing(s.ProjectID, audioprojects.Chapter{ChapterID: desired.ChapterID, Name: name})
	}
	end.name, end.progress = s.thing, d.scale.progressText(end.Chapter)
	return result{scope: s, ends: []ending{end}, timeout: timeout}
}

// seen reports whether the chapter was read at least once. If not, nothing was decided or requested.
func (e ending) seen() bool { return e.Chapter.ChapterID != "" }

// waitsFor reports whether a conversion was requested or joined, and is not known to have ended.
func (e ending) waitsFor() bool { return e.seen() && e.Pending != nil }

// mayRun reports whether a conversion was requested or joined, and nothing shows that it has ended.
func (e ending) mayRun() bool {
	hasEnded := errors.As(e.Err, new(*conversion.FailedError)) || conversion.IsMissing(e.Err)
	return e.waitsFor() && !hasEnded
}

// endOfWait returns ended if a request failed only because its context ended, and otherwise the error as it is.
func endOfWait(err, ended error) error {
	saysMore := errors.As(err, new(*conversion.UnconfirmedError))
	if !saysMore && ended != nil && errors.Is(err, ended) {
		return ended
	}
	return err
}

// interrupted and outOfTime tell how a wait was cut short.
func interrupted(err error) bool { return cutShort(err, context.Canceled) }
func outOfTime(err error) bool   { return cutShort(err, context.DeadlineExceeded) }

// cutShort reports whether a wait ended for the given reason. The timeout of a single request gives the same error, and ends no wait.
func cutShort(err, why error) bool {
	_, ofRequest := errors.AsType[*audioprojects.Error](err)
	return errors.Is(err, why) && !ofRequest
}

// chapters are those that were seen.
func (r result) chapters() (chapters []audioprojects.Chapter) {
	for _, end := range r.ends {
		if end.seen() && !conversion.IsMissing(end.Err) {
			chapters = append(chapters, end.Chapter)
		}
	}
	return chapters
}

// failures are the service's words about the conversions that have failed, by chapter id.
func (r result) failures() map[string]string {
	failed := map[string]string{}
	for _, end := range r.ends {
		failure, isFailure := errors.AsType[*conversion.FailedError](end.Err)
		if isFailure {
			failed[end.Desired.ChapterID] = cmp.Or(say.ShownText(failure.Words), say.Sentence(failure))
		}
	}
	return failed
}

// savable reports whether the state would say more than before. Of a single chapter that was not looked at, it would say less.
func (r result) savable() bool {
	if r.singleChapter {
		return r.ends[0].Err == nil || r.ends[0].waitsFor()
	}
	return !r.unlisted
}
