package conversion

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// Phase is how far a conversion is, as far as its answer and the looks at the chapter show.
type Phase string

// The phases.
const (
	// PhaseRequested: the answer to our request is not clear, and nothing shows that the service has received it.
	PhaseRequested Phase = "requested"
	// PhaseRefused: the service has refused our request, perhaps because the chapter is converting already: for somebody else, or for us.
	PhaseRefused Phase = "refused"
	// PhaseWatched: the service answered our request with an error of its own, and for a whole window the chapter has shown no conversion.
	// Or an apply had less time than a window to watch for one, after the request had shown no sign in another. The next apply does not
	// watch.
	PhaseWatched Phase = "watched"
	// PhaseAccepted: the service accepted the request (2xx), or there is a sign that it did.
	PhaseAccepted Phase = "accepted"
	// PhaseTimedOut: the service accepted the request, but a whole timeout has passed without a sign.
	PhaseTimedOut Phase = "timed out"
	// PhaseRunning: the chapter was busy in a list after the request. So is a conversion that was joined.
	PhaseRunning Phase = "running"
	// PhaseFailed: the chapter has shown an error of this conversion, and nothing shows that it has gone on after that.
	PhaseFailed Phase = "failed"
)

// ResumeToken is what must be kept of a conversion that was requested or joined, until it is known to have succeeded. The
// state has it as JSON, so that a later process can wait for the same conversion. Times are in seconds since 1970.
type ResumeToken struct {
	Phase Phase `json:"phase"`
	// RequestedAtUnix is when we requested the conversion; nil if somebody else requested it, and we joined.
	RequestedAtUnix *int64 `json:"requested_at_unix,omitempty"`
	// Baseline is the chapter before the request. A difference from it can be a sign that the service received the request.
	Baseline Baseline `json:"baseline,omitzero"`
	// Failure is the service's last_conversion_error of this conversion; nil if it has not failed, as far as is known.
	Failure *audioprojects.Text `json:"failure,omitempty"`
	// BusyState is the state in which the chapter was last seen busy, and BusyDate the date of the last conversion that it had
	// then, or beside its error. A newer date is that of this conversion's end.
	BusyState *audioprojects.Text    `json:"busy_state,omitempty"`
	BusyDate  *audioprojects.Integer `json:"busy_date,omitempty"`
	// SinceUnix is when this conversion was requested or joined.
	SinceUnix int64 `json:"since_unix,omitempty"`
	// Triggers is a hash of the triggers that the conversion is for; empty if there are none.
	Triggers string `json:"triggers,omitempty"`
	// ConvertedAfter is that of the desired state for which the conversion was requested, as in [Desired].
	ConvertedAfter *int64 `json:"converted_after,omitempty"`
	// OfOne: a progress between 0 and 1 was seen, and none above 1, so that 1 is its end, and not 100.
	OfOne bool `json:"of_one,omitempty"`
	// HungUp: the provider did not wait for the answer to our request for longer than `request_timeout`. The service may have cancelled the
	// conversion for that reason.
	HungUp bool `json:"hung_up,omitempty"`
	// PreviousRemainder is how much text the conversion before this one left, as in [Decision.SuspectedRemainder]. If this one leaves
	// the same, the service does not convert that text.
	PreviousRemainder *int64 `json:"previous_remainder,omitempty"`
}

// MarshalJSON writes what is kept. A refusal is not: a later process sees that nothing was confirmed. Whether the chapter was seen busy, it
// sees by the phase.
func (p ResumeToken) MarshalJSON() ([]byte, error) {
	type plain ResumeToken // without this method
	kept := plain(p)
	switch {
	case p.Failure != nil:
		kept.Phase = PhaseFailed
	case p.wasBusy():
		kept.Phase = PhaseRunning
	case p.Phase == PhaseRefused:
		kept.Phase = PhaseRequested
	}
	return json.Marshal(kept)
}

// operation is a conversion that this process follows: its resume token, with what only this process knows. It never changes, so that many
// may hold it: what a look shows makes a new one.
type operation struct {
	ResumeToken
	// seenByThisProcess: this process requested or joined it, or has seen it in a state that is named busy.
	seenByThisProcess bool
	// answer is how our request was refused, or why its answer is not clear.
	answer error
	// since is SinceUnix with nanoseconds; zero if another process set that.
	since time.Time
}

// resumed is a conversion of which this process has seen nothing yet; nil if there is none.
func resumed(ticket *ResumeToken) *operation {
	if ticket == nil {
		return nil
	}
	return &operation{ResumeToken: *ticket}
}

// saved is what to keep of it; nil if there is none.
func (p *operation) saved() *ResumeToken {
	if p == nil {
		return nil
	}
	return &p.ResumeToken
}

// Baseline has the attributes of a chapter that a conversion may change.
type Baseline struct {
	Date       *audioprojects.Integer           `json:"date,omitempty"`
	Error      *audioprojects.Text              `json:"error,omitempty"`
	Statistics *audioprojects.ChapterStatistics `json:"statistics,omitempty"`
	State      *audioprojects.Text              `json:"state,omitempty"`
	Progress   *float64                         `json:"progress,omitempty"`
}

func baselineOf(chapter audioprojects.Chapter) Baseline {
	return Baseline{chapter.LastConversionDateUnix, chapter.LastConversionError, chapter.Statistics, chapter.State, chapter.ConversionProgress}
}

// Joined reports whether somebody else asked for the conversion.
func (p *ResumeToken) Joined() bool { return p.RequestedAtUnix == nil }

// Confirmed reports whether the service is known to have received a request for it.
func (p *ResumeToken) Confirmed() bool {
	return p.Phase != PhaseRequested && p.Phase != PhaseRefused && p.Phase != PhaseWatched
}

// Failed reports whether the conversion has failed, as far as is known; not if there is none.
func (p *ResumeToken) Failed() bool { return p != nil && p.Phase == PhaseFailed }

// failedBefore reports whether the conversion has failed in an earlier apply, which has told of it.
func (p *operation) failedBefore() bool { return p.Failed() && !p.seenByThisProcess }

// AsFailed is the same conversion when it has failed with these words.
func (p *ResumeToken) AsFailed(words audioprojects.Text) *ResumeToken {
	failed := *p
	failed.Phase, failed.Failure = PhaseFailed, &words
	return &failed
}

// AsJoined is the same conversion as one that somebody else asked for: if text is unconverted at its end, another follows.
func (p *ResumeToken) AsJoined() *ResumeToken {
	joined := *p
	joined.RequestedAtUnix = nil
	return &joined
}

// refused reports whether the service refused our request for it.
func (p *operation) refused() bool { return errors.Is(p.answer, audioprojects.Rejected) }

// isAfter reports whether the conversion was requested or joined later than another one; nil stands for none.
func (p *operation) isAfter(other *operation) bool {
	return other == nil || p.since.After(other.since) || p.SinceUnix > other.SinceUnix
}

// observed is the conversion with what the chapter, in a list after the request, shows of it. One that failed before this session stays as
// it is.
func (p *operation) observed(chapter audioprojects.Chapter) *operation {
	if p.Phase == PhaseFailed && !p.seenByThisProcess {
		return p
	}
	next, isNamed := *p, chapter.Busy()
	runs := isNamed || p.undocumented(chapter)
	next.Phase = p.phaseIn(chapter)
	next.seenByThisProcess = p.seenByThisProcess || isNamed
	progress := value(chapter.ConversionProgress)
	isFraction := progress > 0 && progress < 1 && value(p.Baseline.Progress) <= 1
	next.OfOne = (p.OfOne || isFraction) && progress <= 1
	switch {
	case next.Phase != PhaseFailed:
		next.Failure = nil
	case p.failsIn(chapter):
		next.Failure, next.BusyDate = chapter.LastConversionError, chapter.LastConversionDateUnix
	}
	if compared(chapter.LastConversionError) == "" {
		// The old error is gone, so the next error is of this conversion even if it has the same text.
		next.Baseline.Error = nil
	}
	startedAgain := compared(chapter.State) != compared(p.BusyState) && compared(p.BusyState) != "converting"
	if isNamed || runs && startedAgain {
		// A date that moves together with the state is that of the start, unless the chapter was converting before.
		next.BusyDate = chapter.LastConversionDateUnix
	}
	if runs {
		next.BusyState = chapter.State
	}
	return &next
}

// phaseIn is the phase of a conversion when a look has shown the chapter so.
func (p *operation) phaseIn(chapter audioprojects.Chapter) Phase {
	runs, fails := chapter.Busy() || p.undocumented(chapter), p.failsIn(chapter)
	goesOn := runs || later(chapter.LastConversionDateUnix, p.BusyDate) // It was tried again, or a replica showed the error of before.
	switch {
	case fails, p.Phase == PhaseFailed && !goesOn:
		return PhaseFailed
	case runs, p.Phase == PhaseFailed && p.BusyState != nil:
		return PhaseRunning
	case p.Phase == PhaseFailed:
		return PhaseAccepted
	case !p.Confirmed() && !p.Joined() && p.signIn(chapter): // A sign beside a refused request is of something else.
		return PhaseAccepted
	default:
		return p.Phase
	}
}

// failsIn reports whether this process sees the conversion fail. An error beside a state that is named busy is not believed.
func (p *operation) failsIn(chapter audioprojects.Chapter) bool {
	return p.seenByThisProcess && p.failed(chapter) && !chapter.Busy()
}

// signIn reports whether the chapter shows that the service received the request. Counts that only differ show
// nothing: an edit changes them, too.
func (p *ResumeToken) signIn(chapter audioprojects.Chapter) bool {
	return compared(chapter.State) != compared(p.Baseline.State) ||
		p.moved(chapter.ConversionProgress) ||
		compared(chapter.LastConversionError) != compared(p.Baseline.Error) || p.dateMoved(chapter) || p.convertedText(chapter, 0)
}

// moved reports whether progress is another one than before the request, where there may have been none.
func (p *ResumeToken) moved(progress *float64) bool {
	before := p.Baseline.Progress
	return (progress == nil) != (before == nil) || value(progress) != value(before)
}

// Progresses reports whether the progress shows that the conversion runs: it has moved, and is under its end. Progress
// that falls to 0 may be that of a chapter at rest. Once the state has said that the conversion runs, the state alone
// tells: some services leave the progress of one that was cancelled.
func (p *ResumeToken) Progresses(chapter audioprojects.Chapter) bool {
	progress, told := chapter.ConversionProgress, audioprojects.Chapter{State: p.BusyState}.Busy()
	if progress == nil || told || chapter.SaysFailed() {
		return false
	}
	fellToZero := *progress == 0 && p.Baseline.Progress != nil
	return p.moved(progress) && !fellToZero && *progress < p.endOfProgress()
}

func (p *ResumeToken) endOfProgress() float64 {
	if p.OfOne {
		return 1
	}
	return 100
}

// undocumented reports whether the chapter's state is one that the document does not list, and not the one that the chapter
// had before the request. Such a state may mean that the conversion runs.
func (p *ResumeToken) undocumented(chapter audioprojects.Chapter) bool {
	word := compared(chapter.State)
	isRest := word == "" || word == "default" || chapter.SaysFailed()
	return !isRest && !chapter.Busy() && word != compared(p.Baseline.State)
}

// failed reports whether the chapter has an error of this conversion: one with another text than before.
func (p *ResumeToken) failed(chapter audioprojects.Chapter) bool {
	said := compared(chapter.LastConversionError)
	return said != "" && said != compared(p.Baseline.Error)
}

// compared is a text of the service as texts are compared; empty if there is none.
func compared(text *audioprojects.Text) string { return value(text).Comparable() }

// dateMoved reports whether the date of the last conversion is newer than in the baseline.
func (p *ResumeToken) dateMoved(chapter audioprojects.Chapter) bool {
	return later(chapter.LastConversionDateUnix, p.Baseline.Date)
}

// wasBusy reports whether the chapter was seen busy since the request.
func (p *ResumeToken) wasBusy() bool { return p.Phase == PhaseRunning || p.BusyState != nil }

// dateMovedSinceBusy reports whether a date of the last conversion is that of this one's end, or of a later conversion.
func (p *ResumeToken) dateMovedSinceBusy(date *audioprojects.Integer) bool {
	return p.wasBusy() && later(date, p.BusyDate)
}

func later(date, than *audioprojects.Integer) bool {
	return date != nil && (than == nil || *date > *than)
}

// convertedText reports whether text has been converted since the baseline: more is counted as converted, or what was unconverted is not
// any more. Less unconverted text proves nothing while some is: somebody may have deleted unconverted text.
func (p *ResumeToken) convertedText(chapter audioprojects.Chapter, remainder int64) bool {
	before, now := p.Baseline.Statistics, chapter.Statistics
	return before != nil && now != nil && (moreConverted(*before, *now) || p.WasUnconverted(remainder) && !hasUnconverted(chapter, remainder))
}

// moreConverted reports whether more text is converted now than was before.
func moreConverted(before, now audioprojects.ChapterStatistics) bool {
	return value(now.CharactersConverted) > value(before.CharactersConverted) || value(now.ParagraphsConverted) > value(before.ParagraphsConverted)
}

// TextLengthChanged reports whether the text has another length than at the request.
func (p *ResumeToken) TextLengthChanged(chapter audioprojects.Chapter) bool {
	before := p.Baseline.Statistics
	return before != nil && before.Length() != chapter.Statistics.Length()
}

// remainder is how much text the conversion has left. After an edit, and where less was unconverted before, that text is new: 0.
func (p *ResumeToken) remainder(chapter audioprojects.Chapter) int64 {
	before, counted := p.Baseline.Statistics.Unconverted()
	left, _ := chapter.Statistics.Unconverted()
	if p.TextLengthChanged(chapter) || counted && before < left {
		return 0
	}
	return left
}

// hasUnconverted reports whether the chapter has unconverted text: more unconverted text than the service is known to leave.
func hasUnconverted(chapter audioprojects.Chapter, remainder int64) bool {
	count, _ := chapter.Statistics.Unconverted()
	return count > remainder
}

// WasUnconverted reports whether text was unconverted before the conversion: more than the remainder was unconverted.
func (p *ResumeToken) WasUnconverted(remainder int64) bool {
	return hasUnconverted(audioprojects.Chapter{Statistics: p.Baseline.Statistics}, remainder)
}

func value[T any](pointer *T) T {
	if pointer == nil {
		var zero T
		return zero
	}
	return *pointer
}
