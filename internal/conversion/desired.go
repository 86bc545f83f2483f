package conversion

import (
	"fmt"
	"math"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// Desired is what a resource or an action wants of a chapter: that it be converted. It is not a request: a request is sent to the service
// and costs credits, and many need none, for example if another resource has had the chapter converted.
type Desired struct {
	ProjectID, ChapterID string
	Memory               // what an earlier desired state has left
	// Triggers is a fingerprint of the triggers that the conversion is for; empty when there are none.
	Triggers string
	// UpToDate: the desired state is reached without a conversion if the chapter has no more than KnownRemainder unconverted.
	UpToDate bool
	// DateSuffices: a chapter that the service does not count is up to date if it was ever converted, as its date or ConvertedFor shows.
	DateSuffices bool
	// ConvertedAfter: a chapter whose last conversion has an older date (in seconds since 1970) is converted again, although
	// nothing is left. A chapter without a date is not. Nil: the date does not matter.
	ConvertedAfter *int64
	// Known: an earlier apply or refresh has seen the chapter for the same resource.
	Known bool
	// Date is the newest date of a conversion that was seen before: a list with an older one is from a replica that lags. Nil: none was seen.
	Date *audioprojects.Integer
	// Progress is called after every look at the chapter, and when a conversion has been requested or joined. It must not block. May be nil.
	Progress func(Outcome)

	handed        bool // what is pending was handed over by a resource that is replaced
	projectAtRest bool // nothing is known to be under way in the whole project
	place         *place
	ownTime       *ownTime // of a chapter of a project; nil if it has none
}

type chapterKey struct{ projectID, chapterID string }

func (d Desired) key() chapterKey { return chapterKey{d.ProjectID, d.ChapterID} }

// Outcome is the result of a desired state, also of one that ended with an error.
type Outcome struct {
	// Chapter is the chapter as last seen; without an id if it was not seen at all. If it has a Problem, that is the error, and nothing was
	// decided by it.
	Chapter audioprojects.Chapter
	Memory  // for the next desired state
	// Decision is the latest. For a desired state that is reached, its reason is [NoReason], [NothingLeft], [NoSign],
	// [ErrorStays] or [Remainder].
	Decision Decision
	// Requested: a conversion was requested in this run.
	Requested bool
	// WaitedFor: a conversion that was under way was waited for, also one of our own.
	WaitedFor bool
	// After is why the service was asked for another conversion after an earlier one: that one had failed, for example.
	// [NoReason] if it was not. FailedWords is the service's message about the failed one; it may be empty.
	After       Reason
	FailedWords string
	// Undated: a conversion was waited for and has not failed, as far as is known, and the chapter shows no newer date than before it.
	Undated bool
	// Waited is how long the run took.
	Waited time.Duration
	// Problem is why the latest look failed; nil if it succeeded.
	Problem error
	// ListedAt is when the latest list came that has shown the chapter; zero before the first, and at the end if that is not long ago.
	ListedAt time.Time
	// Postponed is why the service could not be asked for the conversion yet: it answered 429, say. Nil if it could, or was not asked.
	Postponed error
}

// convertedFor is what the next desired state must know of a conversion that has reached this one, where the date does not show it: that may
// lag, and be before the wanted time when it is shown.
func (d Desired) convertedFor(chapter audioprojects.Chapter) *int64 {
	date, after := chapter.LastConversionDateUnix, d.ConvertedAfter
	isShown := date != nil && (after == nil || int64(*date) >= *after)
	if isShown {
		return nil
	}
	return new(value(d.ConvertedAfter))
}

// Memory is what the next desired state for a chapter must have of an earlier one. Settled chapters have none. After an error, all of it must
// be kept, or the same conversion may be paid for twice.
type Memory struct {
	// Pending is the conversion that has no known end; nil if there is none.
	Pending *ResumeToken `json:"pending,omitempty"`
	// KnownRemainder is how much text our own last conversion left unconverted. The service does not convert it.
	KnownRemainder int64 `json:"known_remainder,omitempty"`
	// SuspectedRemainder is how much it left, as in [Decision].
	SuspectedRemainder *int64 `json:"suspected_remainder,omitempty"`
	// ConvertedFor is the [Desired.ConvertedAfter] for which the chapter was converted, or 0 if there was none, where its date does not show
	// that: the service's clock is behind, the wanted time is in the future, or there is no date. Nil otherwise.
	ConvertedFor *int64 `json:"converted_for,omitempty"`
}

// newTriggers reports whether the pending conversion was for other triggers.
func (d Desired) newTriggers(p *ResumeToken) bool {
	return d.Triggers != "" && p.Triggers != "" && d.Triggers != p.Triggers
}

// aboutText reports whether a pending conversion is only for unconverted text, and not for a time or for triggers.
func (d Desired) aboutText(p *ResumeToken) bool {
	return d.UpToDate && (d.Triggers == "" || p.Triggers == "") && d.ConvertedAfter == nil
}

// endedBy reports whether the desired state is only for the end of a conversion of our own that was before another one. A chapter has one
// at a time, so that one has ended, and text that was written since then is wanted by nobody.
func (d Desired) endedBy(another ResumeToken) bool {
	own := d.Pending
	onlyResumes := d.Known && !d.UpToDate && d.ConvertedAfter == nil && own != nil && !own.Joined() && !d.newTriggers(own)
	return onlyResumes && another.SinceUnix > own.SinceUnix
}

// upToDate reports whether a chapter at rest brings the desired state about without a conversion.
func (d Desired) upToDate(chapter audioprojects.Chapter) bool {
	left, counted := chapter.Statistics.Unconverted()
	maybeFailed := !d.Known && compared(chapter.LastConversionError) != "" // and that moved the date
	converted := chapter.LastConversionDateUnix != nil && !maybeFailed || d.ConvertedFor != nil && *d.ConvertedFor >= value(d.ConvertedAfter)
	nothingLeft := counted && left <= d.KnownRemainder || !counted && d.DateSuffices && converted
	return d.UpToDate && nothingLeft && !d.outdated(chapter)
}

// outdated reports whether the last conversion is older than wanted, and none that we requested for the same time or a later one.
func (d Desired) outdated(chapter audioprojects.Chapter) bool {
	date, after := chapter.LastConversionDateUnix, d.ConvertedAfter
	return date != nil && after != nil && int64(*date) < *after && (d.ConvertedFor == nil || *d.ConvertedFor < *after)
}

// otherTriggers stands for triggers that are not known, and others than those of the desired state.
const otherTriggers = "other"

// owns reports whether the desired state has a resume token of this conversion.
func (d Desired) owns(p *operation) bool {
	return d.Pending != nil && d.Pending.SinceUnix == p.SinceUnix
}

// isOlder reports whether a conversion was requested for another desired state, and before the session of this one began, so that it may
// not be about all that is wanted.
func (d Desired) isOlder(p *operation, began time.Time) bool {
	if d.owns(p) {
		return d.handed
	}
	lookedAt := p.since.Add(-requestAge) // A request is based on a look before it.
	return lookedAt.Before(began) && !d.endedBy(p.ResumeToken)
}

// asTakenOver is a conversion that another session has left, as this desired state follows it.
func (d Desired) asTakenOver(p operation) *operation {
	requestedHere := !p.since.IsZero() && !p.Joined()
	switch {
	case d.owns(&p):
		p.RequestedAtUnix, p.Triggers, p.ConvertedAfter = d.Pending.RequestedAtUnix, d.Pending.Triggers, d.Pending.ConvertedAfter
		return &p
	case requestedHere:
		// One conversion is enough for all resources of an apply, even if they want it for different reasons.
		p.Triggers, p.ConvertedAfter = d.Triggers, d.ConvertedAfter
		return &p
	case d.Known && !d.UpToDate && !p.seenByThisProcess: // it may have ended before the triggers of this resource changed
		p.Triggers = otherTriggers
	default:
		p.Triggers = d.Triggers
	}
	p.ConvertedAfter = nil
	return &p
}

// Characters is how many characters a conversion for the desired state may cost at most: the unconverted ones if the desired state is about
// those, otherwise all of the chapter. Nil if the service does not count them.
func (d Desired) Characters(chapter audioprojects.Chapter) *int64 {
	s := value(chapter.Statistics)
	if s.CharactersConverted == nil {
		return nil
	}
	most := max(int64(value(s.CharactersUnconverted)), 0)
	if !d.UpToDate || !hasUnconverted(chapter, d.KnownRemainder) || d.outdated(chapter) {
		most = Sum(most, max(int64(*s.CharactersConverted), 0))
	}
	return &most
}

// MostCharacters is how many characters it may cost at most while a conversion is pending that may fail: then text may be unconverted that
// was unconverted before it, and that the service counts as converted now.
func (d Desired) MostCharacters(chapter audioprojects.Chapter, pending *ResumeToken) *int64 {
	most := d.Characters(chapter)
	if pending == nil || most == nil {
		return most
	}
	before := d.Characters(audioprojects.Chapter{Statistics: pending.Baseline.Statistics, LastConversionDateUnix: pending.Baseline.Date})
	onlyText := d.aboutText(pending) && pending.WasUnconverted(d.KnownRemainder)
	switch {
	case before == nil:
		return most
	case onlyText && !hasUnconverted(chapter, d.KnownRemainder):
		return before
	default:
		return new(max(*before, *most))
	}
}

// Sum adds two numbers of characters that are not negative. A service may count anything, so the sum stops at the largest number.
func Sum(a, b int64) int64 { return a + min(b, math.MaxInt64-a) }

// FailedError means that a conversion ended with an error, or ended without converting anything.
type FailedError struct {
	// Reason is [Error], [OldError] or [Nothing].
	Reason Reason
	// Words are the chapter's last_conversion_error (section 2.3) as it came, or a state that says that it failed; empty if it has neither.
	Words string
	// Joined: somebody else requested the conversion.
	Joined bool
}

func (e *FailedError) Error() string {
	if e.Reason == Nothing {
		return "the conversion ended without converting anything, and without an error message"
	}
	return "the conversion failed: " + audioprojects.Text(e.Words).Line()
}

// UnconfirmedError means that the answer to the request for a conversion was lost, or is an error of the service
// itself, and that the chapter has shown no conversion since. Nobody knows whether the service has begun.
type UnconfirmedError struct{ Lost error }

func (e *UnconfirmedError) Error() string {
	if audioprojects.AnsweredWithError(e.Lost) {
		return fmt.Sprintf("the service answered the request with an error, and showed no conversion within %s: %v", window, e.Lost)
	}
	return fmt.Sprintf("the service gave no clear answer to the request, and showed no sign of a conversion within %s: %v", window, e.Lost)
}

func (e *UnconfirmedError) Unwrap() error { return e.Lost }

// MissingChapterError means that the project has no such chapter, by all witnesses.
type MissingChapterError struct{ ProjectID, ChapterID string }

func (e *MissingChapterError) Error() string {
	return fmt.Sprintf("project %q has no chapter %q", e.ProjectID, e.ChapterID)
}

// Is makes a missing chapter an error of the kind [audioprojects.NotFound], like an unknown project.
func (e *MissingChapterError) Is(target error) bool { return target == audioprojects.NotFound }

// UnreadableError means that the service shows the chapter with fields of another type than its document gives them. So nobody can tell
// whether it is busy, or what it has left to convert.
type UnreadableError struct{ Chapter audioprojects.Chapter }

func (e *UnreadableError) Error() string { return "the chapter cannot be read" }

// UnclearError means that two lists and the project's own record show different things of a chapter, so that none is believed yet.
type UnclearError struct {
	ProjectID, ChapterID string
	// Twice is which of them has the chapter twice, with different contents; empty if none has.
	Twice string
}

func (e *UnclearError) Error() string {
	if e.Twice != "" {
		return fmt.Sprintf("the %s of project %q contains chapter %q twice, with different contents", e.Twice, e.ProjectID, e.ChapterID)
	}
	return fmt.Sprintf("the list and the record of project %q disagree about chapter %q", e.ProjectID, e.ChapterID)
}
