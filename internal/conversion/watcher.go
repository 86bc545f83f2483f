package conversion

import (
	"cmp"
	"context"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// mode is what a watcher looks for.
type mode int

const (
	plans    mode = iota // a plan, a refresh, or the beginning of a project's apply: it looks, once more where one look is not enough
	converts             // an apply or an action
)

// watcher looks at one chapter. It notes what lists show, and knows when to look again. With decide, it is a plan. It belongs to one
// goroutine.
type watcher struct {
	evidence
	lookout
	pending *operation // the conversion that is watched; nil if there is none
	decided Decision   // the latest
	outcome Outcome    // until now

	err          error     // why a plan's look has failed
	missingSince time.Time // when the first list was requested that lacks the chapter, as all later ones do; zero if the latest has it
}

// newWatcher watches a chapter for a desired state, and continues with what is pending of it.
func (e *Engine) newWatcher(ctx context.Context, desired Desired, mode mode) *watcher {
	return &watcher{
		evidence: evidence{
			rules: e.rules, desired: desired, applies: mode != plans, afterOther: !e.chapter(desired).endedAt().IsZero(), began: e.clock.now(),
		},
		lookout: e.newLookout(ctx, desired.ProjectID, mode),
		pending: operationOf(desired.Memory.Pending),
	}
}

// decide decides by what was seen, and tells that.
func (w *watcher) decide() {
	decided, concluded, same := decide(w.evidence)
	w.decided = decided
	w.trace(concluded, same)
}

// look takes the next list that is needed: one at once at first, one from after the watcher began, one at a time that can decide, or the next
// that is due for all who wait.
func (w *watcher) look() error {
	until := w.decided.Until
	if !w.missingSince.IsZero() {
		until = w.missingSince.Add(SecondLook)
	}
	needsNewer := w.decided.Step == Look && len(w.seen) > 0 && w.missingSince.IsZero()
	isWatched := w.pending != nil && !w.pending.Failed() && w.mode != plans // with all others who wait
	needsOneMore := !isWatched && !until.IsZero()
	switch {
	case w.askedAt.IsZero():
		return w.lookFirst()
	case w.outcome.Problem == nil && needsNewer:
		return w.takeFrom(w.began.Add(sharingDelay), w.began)
	case w.outcome.Problem == nil && needsOneMore:
		return w.takeFrom(until, until)
	}
	w.project.lists.beginWait(w.began)
	return w.takeNext(until)
}

// lookFirst takes the latest list, if it is new enough, and from a plan the one before it, too.
func (w *watcher) lookFirst() error {
	age := requestAge
	if w.mode == plans {
		age = refreshAge
	}
	oldest := latestOf(w.engine.clock.now().Add(-age), w.engine.chapter(w.desired).endedAt())
	earlier := w.project.lists.earlierSince(oldest)
	if earlier != nil && earlier.err == nil {
		if err := w.take(earlier); err != nil {
			return err
		}
	}
	return w.takeFrom(time.Time{}, oldest)
}

// takeNext takes the next list that is due for all who wait, or at the given time.
func (w *watcher) takeNext(until time.Time) error {
	found, err := w.project.lists.next(w.ctx, w.askedAt, until)
	if err != nil {
		return err
	}
	return w.take(found)
}

// takeFrom waits until the given time, and takes a list that was requested at notBefore or later, and that is new to the watcher. Between
// two lists of one watcher the shortest interval passes, whatever it needs them for.
func (w *watcher) takeFrom(at, notBefore time.Time) error {
	if w.askedAt.After(w.began) {
		at = latestOf(at, w.askedAt.Add(shortestInterval))
	}
	if err := sleepUntil(w.ctx, at); err != nil {
		return err
	}
	if !notBefore.After(w.askedAt) {
		notBefore = w.askedAt.Add(1)
	}
	found, err := w.project.lists.get(w.ctx, notBefore)
	if err != nil {
		return err
	}
	return w.take(found)
}

// take notes what a list shows, and reports it. The error is that of the list if no other list is waited for, or a [*MissingChapterError].
func (w *watcher) take(found *response[chapterList]) error {
	waits := w.pending != nil && (len(w.seen) > 0 || w.pending.startedHere)
	found = w.checked(found)
	err := w.goesOnAfter(found, waits)
	w.outcome.Problem = found.err
	if found.err != nil {
		w.reportProgress()
		return err
	}
	shown, isListed := found.value.find(w.desired.ChapterID)
	switch {
	case isListed:
		w.missingSince = time.Time{}
		w.note(found, shown)
	case w.missingSince.IsZero():
		w.missingSince = w.asOf(found)
	case w.asOf(found).Sub(w.missingSince) >= SecondLook:
		return &MissingChapterError{w.desired.ProjectID, w.desired.ChapterID}
	}
	w.reportProgress()
	return nil
}

// note notes what a list shows of the chapter.
func (w *watcher) note(found *response[chapterList], shown audioprojects.Chapter) {
	w.outcome.Chapter, w.outcome.ListedAt = shown, found.answeredAt.Add(-found.age)
	if w.pending != nil {
		w.pending = w.pending.observed(shown)
	}
	if w.pending != nil && w.pending.mayRun(shown) {
		w.project.follow()
	}
	w.observe(observation{askedAt: w.asOf(found), chapter: shown, pending: w.pending})
}

// reportProgress tells how far the chapter is.
func (w *watcher) reportProgress() {
	if w.desired.Progress == nil {
		return
	}
	told := w.outcome
	told.Decision, told.Memory.Pending, told.Problem = w.decided, w.pending.token(), cmp.Or(told.Problem, told.Postponed)
	w.desired.Progress(told)
}
