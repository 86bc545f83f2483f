package forecast

import (
	"cmp"
	"errors"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// Result is what has become of a scope.
type Result struct {
	Scope
	chapters []chapterResult
	stopped  error                   // why chapters have not begun; nil if all have
	refused  bool                    // the project lacks chapters that are named, so nothing was requested
	unlisted bool                    // the chapters could not be listed
	gone     []string                // the chapters that the plan has named, and that two lists lack
	appeared []audioprojects.Chapter // the chapters that need a conversion, that the apply has not found at its beginning, and that the latest list has
	timeout  time.Duration
	contract map[string]*int64 // what the plan allows beside its portion, as [conversion.Project].Allowed
}

// noteGone notes a chapter that has been deleted since the refresh.
func (r *Result) noteGone(chapterID string) {
	for _, planned := range r.Memory.Planned {
		if planned.ChapterID == chapterID {
			r.gone = append(r.gone, planned.Name)
		}
	}
}

// chapterResult is what has become of a chapter.
type chapterResult struct {
	conversion.ChapterStatus
	name     string // in messages
	progress string // of the conversion, in messages
}

// seen reports whether the chapter was read at least once. If not, nothing was decided or requested.
func (e chapterResult) seen() bool { return e.Chapter.ChapterID != "" }

// waitsFor reports whether a conversion was requested or joined, and is not known to have ended.
func (e chapterResult) waitsFor() bool { return e.seen() && e.Memory.Pending != nil }

// mayRun reports whether a conversion was requested or joined, as far as is known, and nothing shows that it has ended.
func (e chapterResult) mayRun() bool {
	isOver := e.Verdict.Reason == conversion.Error || e.Verdict.Reason == conversion.StillUnconfirmed || e.Verdict.Action == conversion.CannotFind
	return e.waitsFor() && !isOver
}

// Chapters are those that were seen.
func (r Result) Chapters() (chapters []audioprojects.Chapter) {
	for _, end := range r.chapters {
		if end.seen() && !conversion.IsMissing(end.Err) {
			chapters = append(chapters, end.Chapter)
		}
	}
	return chapters
}

// Failures are the service's words about the conversions that have failed, by chapter id. before are those in the state,
// which stay for a chapter that was left.
func (r Result) Failures(before map[string]string) map[string]string {
	failed := map[string]string{}
	for _, end := range r.chapters {
		words, hasFailedBefore := before[end.Desired.ChapterID]
		if hasFailedBefore && conversion.IsBeyondPlan(end.Err) {
			failed[end.Desired.ChapterID] = words
		}
		failure, isFailure := errors.AsType[*conversion.FailedError](end.Err)
		if isFailure {
			failed[end.Desired.ChapterID] = cmp.Or(say.OneLine(failure.Words), say.Sentence(failure))
		}
	}
	return failed
}

// Savable reports whether the state would say more than before. Of a single chapter that was not looked at, it would say less.
func (r Result) Savable() bool {
	if r.SingleChapter {
		end := r.chapters[0]
		isOver := end.seen() && end.Verdict.Action == conversion.DoesNothing // Nothing more is wanted.
		return end.Err == nil || end.waitsFor() || conversion.IsBeyondPlan(end.Err) || isOver
	}
	return !r.unlisted
}

// CharactersRequested is how many characters the conversions that the apply has requested may cost together, at most; nil if the service
// does not count one of the chapters. isRequested is false if it has requested none.
func (r Result) CharactersRequested() (most *int64, isRequested bool) {
	var costs []PlannedChapter
	for _, end := range r.chapters {
		for _, characters := range end.Requested {
			costs = append(costs, PlannedChapter{Characters: characters})
		}
	}
	total, counted := totalOf(costs)
	if !counted {
		return nil, true
	}
	return &total, len(costs) > 0
}
