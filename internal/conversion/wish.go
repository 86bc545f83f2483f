package conversion

import (
	"errors"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// Wish is one block's demand that a chapter be converted. It is not a request: a request is sent to the service and costs
// credits, and many wishes need none, for example if another block has had the chapter converted.
type Wish struct {
	ProjectID, ChapterID string
	// Pending is the conversion that an earlier apply has left without a known end; nil if there is none.
	Pending *Pending
	// Triggers is a fingerprint of the triggers that the conversion is for; empty when there are none.
	Triggers string
	// UpToDate: the wish is fulfilled without a conversion if the chapter has no more than Leftover unconverted.
	UpToDate bool
	// DateSuffices: a chapter whose text the service does not count is up to date if it has ever been converted, as its date
	// shows. Without a date, nobody knows whether anything is left.
	DateSuffices bool
	// Leftover is how much text our own last conversion left unconverted. The service does not convert it.
	Leftover int64
	// LeftOnce is how much our last conversion left, as in [Decision].
	LeftOnce *int64
	// ConvertedAfter: a chapter whose last conversion has an older date (in seconds since 1970) is converted again, although
	// nothing is left. A chapter without a date is not. Nil: the date does not matter.
	ConvertedAfter *int64
	// Behind is that of our last conversion, as in [Outcome]; nil if there is none.
	Behind *Behind
	// Known: an earlier apply or refresh has seen the chapter for the same object.
	Known bool
	// Confirm: an edit of a known chapter is confirmed by a second look in any case. Otherwise that is left out if the chapter has
	// a newer date than Date, which a replica that lags does not show.
	Confirm bool
	// Date is the newest date of a conversion that was seen before. A list with an older date comes from a replica that
	// lags. Nil if no date was seen.
	Date *audioprojects.Integer
	// Progress is called after every look at the chapter, and when a conversion has been requested or joined. It must not
	// block. May be nil.
	Progress func(Progress)

	startedAt time.Time // when the engine was asked to fulfil it
	ended     *ended    // the chapter's last conversion that ended in this process; nil if there is none
	earlier   *Pending  // what was pending for it before that ended; nil if nothing was
}

func (w Wish) key() chapterKey { return chapterKey{w.ProjectID, w.ChapterID} }

// retriggered tells whether the wish is only that of an object whose triggers have changed, without anything pending.
func (w Wish) retriggered() bool {
	return w.Known && !w.UpToDate && w.Pending == nil && w.earlier == nil
}

// Outcome is the result of a wish, also of one that ended with an error.
type Outcome struct {
	// Chapter is the chapter as last seen; without an id if it was not seen at all.
	Chapter audioprojects.Chapter
	// Percent is how much of the conversion is done, from 0 to 100; nil if the service does not say.
	Percent *int
	// Pending is the conversion that the next apply continues with; nil if the wish is fulfilled or nothing was begun.
	Pending *Pending
	// Reason is why a wish is fulfilled: [Plain], [NothingLeft], [EndedBefore], [NoSign] or [Remainder].
	Reason Reason
	// Requested: a conversion was requested in this run.
	Requested bool
	// Joined: a conversion that was under way was waited for.
	Joined bool
	// Leftover and LeftOnce are those of the next [Wish].
	Leftover int64
	LeftOnce *int64
	// SupersededBy is why the service was asked for another conversion after an earlier one: that one had failed, for example.
	// [Plain] if it was not. Superseded is the service's message about the failed one; it may be empty.
	Superseded   string
	SupersededBy Reason
	// Behind tells that the chapter's conversion has an older date than [Wish.ConvertedAfter] demands, although it was requested
	// for that: the service's clock is behind, or the demanded time is in the future. Put it into the next wish, or the chapter
	// is converted, and paid for, again. Nil otherwise.
	Behind *Behind
	// Waited is how long the run took.
	Waited time.Duration
	// Problem is why the latest look failed; nil if it succeeded.
	Problem error
	// Postponed is why the service could not be asked for the conversion yet: it answered 429, for example. Nil if it
	// could, or if that was not tried.
	Postponed error
}

// Behind is a conversion whose date is before the time after which it was requested.
type Behind struct {
	ConvertedAfter int64 `json:"converted_after"` // the demand for which it was requested
	Date           int64 `json:"date"`            // of the chapter after it; no earlier date counts as ours
}

// behind is what the next wish must know of a conversion that has fulfilled this one, and that of an earlier wish if it stays.
func (w Wish) behind(chapter audioprojects.Chapter) *Behind {
	date, after := chapter.LastConversionDateUnix, w.ConvertedAfter
	switch {
	case after == nil, date != nil && int64(*date) >= *after:
		return nil
	case !w.outdated(chapter):
		return w.Behind
	default:
		return &Behind{*after, int64(*date)}
	}
}

// ended is a conversion that ended in this process. Later wishes for the same chapter take over its result, so that
// several blocks for one chapter cost one conversion.
type ended struct {
	step Step
	// early: an earlier process requested it, or somebody else, so it may not be what this apply demands.
	early   bool
	ran     bool  // it was seen busy in this process
	left    int64 // unconverted text after the conversion; if it failed, before it
	outcome Outcome
	err     error
}

// moreOpenIn tells whether the chapter has more unconverted text now than the conversion left.
func (e *ended) moreOpenIn(chapter audioprojects.Chapter) bool { return openIn(chapter, e.left) }

// fallsShort tells whether the conversion is not what the wish demands, although it has ended well.
func (e *ended) fallsShort(wish Wish, chapter audioprojects.Chapter) bool {
	switch p := wish.earlier; {
	case e.step != Done || !e.early:
		return false
	case p == nil:
		return wish.outdated(chapter) || wish.retriggered() && !e.ran
	default:
		return wish.newTriggers(p) || wish.outdated(chapter) && value(p.ConvertedAfter) != *wish.ConvertedAfter
	}
}

// followed returns the request of another conversion after this one. If this one failed, the request's block tells that, too:
// it may be the only block whose result the user reads.
func (e *ended) followed() Decision {
	decided := Decision{Step: Request}
	if failure, failed := errors.AsType[*FailedError](e.err); failed {
		decided.Reason, decided.Words = failure.Reason, audioprojects.Text(failure.Words)
	}
	return decided
}
