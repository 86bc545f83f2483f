package conversion

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// Verdict is what the next apply does about a chapter, and what that may cost. Plan, refresh, limit, estimate and report read it.
type Verdict struct {
	Action Action
	// Reason is why it requests a conversion: [UnconvertedText], [NewTriggers], [WantedAnew]; [Error] if an earlier one
	// failed; [MoreUnconverted] if it waits for one first; or [StillUnconfirmed] if it looks for an earlier one first, and
	// requests one if there is no sign of that. [NoReason] if it requests none, or only if another one fails.
	Reason Reason
	// Characters are the most that a conversion which is requested, or may be, can cost; nil if the service does not count them.
	Characters *int64
	// ForText is what it can cost if text is all that is wanted, and Whole how many characters the chapter has; nil as above.
	ForText, Whole *int64
}

// Action is what an apply does about a chapter. The private state of a resource has it as a word.
type Action string

// The actions, and why there can be none.
const (
	DoesNothing Action = ""
	Requests    Action = "requests" // It requests a conversion, after the end of another one if that does not count for the triggers.
	Waits       Action = "waits"    // It waits for a conversion, and may request another after that: it may fail before the apply.
	CannotFind  Action = "missing"  // The project does not have the chapter.
	CannotSee   Action = "unseen"   // The chapters could not be listed.
)

// mayRequest reports whether an apply requests a conversion without waiting for the end of one first, as far as is
// known.
func (a Action) mayRequest() bool { return a == Requests || a == CannotSee }

// verdict is the verdict on a chapter: by what was decided, what is kept of it for the next apply, and what the looks have shown of a pending
// conversion. An error is why the chapter cannot be seen, or why an apply has ended.
func (d Desired) verdict(decided Decision, kept Memory, observed *ResumeToken, chapter audioprojects.Chapter) (v Verdict) {
	needsOwn := d.wantsOwn(observed) || decided.Step == Join && d.Memory.ForTriggers
	follows := decided.Step == Request || decided.Step == Wait && decided.Next == Request || needsOwn && !decided.Step.isEnd()
	switch {
	case kept.Pending == nil && decided.Step == Done:
		return v
	case kept.Pending.Failed() && (decided.Step == Request || decided.Step == Failed):
		v.Action, v.Reason = Requests, Error
	case kept.Pending.isUnconfirmed() && observed.isUnconfirmed() && decided.Next != Done:
		v.Action, v.Reason = Requests, StillUnconfirmed
	case follows, kept.Pending == nil && decided.Step != Join:
		v.Action, v.Reason = Requests, d.why(chapter)
		if decided.Step == Request {
			v.Reason = cmp.Or(decided.Reason, v.Reason)
		}
	case d.Wish == WantsText && observed != nil && observed.hasMoreUnconverted(chapter):
		v.Action, v.Reason = Requests, MoreUnconverted
	default:
		v.Action = Waits
	}
	forTriggers := d.Memory.ForTriggers || needsOwn
	d.Memory = kept
	d.Memory.ForTriggers = forTriggers
	if v.Action != Waits && v.Reason != StillUnconfirmed {
		observed = nil // It costs nothing again.
	}
	v.Characters = d.charactersBeside(observed, chapter)
	d.Wish, d.Memory.ForTriggers = WantsText, false
	v.ForText = d.charactersBeside(observed, chapter)
	d.Memory.ForTriggers = true
	v.Whole = d.characters(chapter)
	return v
}

// ChapterStatus is what is wanted of a chapter, what was seen and decided, and what has become of it.
type ChapterStatus struct {
	Desired Desired
	// Outcome is that of looking, if nothing has begun; its Memory is what to keep of it.
	Outcome
	// Err is as that of [Engine.Convert]. If nothing has begun, it is why, or why the chapter cannot be seen.
	Err error
	// Begun: the chapter had a slot. Ended: the engine is done with it, also because of a timeout or Ctrl-C; if it has not begun, it needs
	// no slot, or does not exist.
	Begun, Ended bool
	// AfterOther: another session of this process has ended for the chapter.
	AfterOther bool
}

// HasUnconvertedText reports whether text is unconverted, beside what the service is known to leave.
func (c ChapterStatus) HasUnconvertedText() bool {
	return !c.Desired.isConverted(c.Chapter, operationOf(c.Desired.Memory.Pending), c.Desired.Memory.Remainder)
}

// Predict tells what Convert would do for each desired state now: the verdict says that. The decision is [Look] if the chapter could not be
// seen; Err says why then. It uses a list that is at most 10 s old, and newer than this process's last request to convert the chapter; a
// list that failed is kept as long. If one look is not enough to decide, it takes a second one 5 s later.
func (e *Engine) Predict(ctx context.Context, wanted ...Desired) []ChapterStatus {
	watchers := make([]*watcher, len(wanted))
	for i, desired := range wanted {
		watchers[i] = e.newWatcher(ctx, desired, plans)
	}
	for open := slices.Clone(watchers); len(open) > 0; { // In turn: goroutines for thousands would take as long as all else.
		open = slices.DeleteFunc(open, func(w *watcher) bool { return !w.looksForPlan() })
	}
	predicted := make([]ChapterStatus, len(wanted))
	for i, w := range watchers {
		predicted[i] = w.predicted()
	}
	return predicted
}

// looksForPlan decides, and looks if a plan needs that, and may: once, and again where one look more can decide. It reports whether it has.
func (w *watcher) looksForPlan() bool {
	w.decide()
	isOpen := w.decided.Step == Look || w.decided.Step == Wait
	canConfirm := !w.missingSince.IsZero() || w.decided.Reason == Confirming || w.outcome.Problem != nil
	mayLook := w.askedAt.IsZero() || canConfirm && time.Since(w.began) < 2*SecondLook
	if !isOpen || !mayLook {
		return false
	}
	w.err = w.look()
	return w.err == nil
}

// predicted is the status of a chapter after a plan's looks.
func (w *watcher) predicted() ChapterStatus {
	next := w.afterFailure()
	if next.Step == Done { // A refresh tells of no failure after which nothing is wanted.
		w.decided = next
	}
	outcome, err := w.outcome, w.err
	outcome.Decision, outcome.Memory, outcome.NoNewerDate = w.decided, w.desired.Memory, w.endsWithoutNewerDate()
	switch {
	case IsMissing(err):
		outcome.Decision, outcome.Verdict.Action = Decision{Step: Look}, CannotFind
	case err != nil:
		outcome.Decision, outcome.Verdict.Action = Decision{Step: Look}, CannotSee
	default:
		outcome.Memory = w.memory()
		outcome.Verdict = w.desired.verdict(w.decided, outcome.Memory, w.pending.token(), outcome.Chapter)
	}
	return ChapterStatus{Desired: w.desired, Outcome: outcome, Err: err, AfterOther: w.afterOther}
}

// afterFailure is what the next apply begins with, if the conversion has failed. [Done]: nothing is wanted any more.
func (w *watcher) afterFailure() Decision {
	if w.decided.Step != Failed || w.pending == nil || w.pending.refused() {
		return Decision{}
	}
	failed := operationOf(w.pending.asFailed(w.decided.Words, w.outcome.Chapter, time.Now()))
	return w.conclude(observation{askedAt: w.askedAt, chapter: w.outcome.Chapter, pending: failed}).Decision
}

// memory is what a refresh keeps for the next apply.
func (w *watcher) memory() Memory {
	kept, decided := w.desired.Memory, w.decided
	switch {
	case kept.Pending != nil && decided.Step == Failed: // The service may not show the failure at the next look.
		kept.Pending = w.pending.asFailed(decided.Words, w.outcome.Chapter, time.Now())
	case kept.Pending != nil && decided.Step == Done:
		kept = Memory{Remainder: decided.Remainder}
	case kept.Pending != nil && decided.Step == Wait: // What lists have shown of it, later ones may not show any more.
		kept.Pending = w.pending.token()
	case kept.Pending == nil && !kept.Remainder.isIn(w.outcome.Chapter.Statistics):
		kept.Remainder = Remainder{} // The text was edited, or somebody has converted it. What is unconverted later is new.
	}
	return kept
}

// endsWithoutNewerDate reports whether a conversion has ended, and the chapter shows no newer date than before it.
func (w *watcher) endsWithoutNewerDate() bool {
	hasRun := w.decided.Step == Done && (w.decided.Reason == NoReason || w.decided.Reason == ErrorStays)
	return hasRun && w.pending != nil && !w.pending.dateMoved(w.outcome.Chapter)
}
