package conversion

import (
	"cmp"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// Phase is how far a conversion is, as far as its answer and the looks at the chapter show.
type Phase string

// The phases.
const (
	// PhaseUnconfirmed: nothing shows that the service has received our request. Its answer was lost or an error, or it accepted the request
	// and a whole timeout has shown nothing. The next apply looks for a window, and then requests.
	PhaseUnconfirmed Phase = "unconfirmed"
	// PhaseAccepted: the service accepted the request (2xx), or there is a sign that it did.
	PhaseAccepted Phase = "accepted"
	// PhaseRunning: the chapter was busy in a list after the request. So is a conversion that was joined.
	PhaseRunning Phase = "running"
	// PhaseFailed: an apply or a refresh has seen that it failed. The next apply begins as if nothing were pending.
	PhaseFailed Phase = "failed"
)

// Origin is how a conversion became the pending one.
type Origin string

// The origins. A request that was refused is joined: what the chapter shows after it is somebody else's.
const (
	Requested Origin = "requested"
	Joined    Origin = "joined"
)

// Answer is what became of our request.
type Answer string

// The answers.
const (
	Accepted Answer = "accepted" // 2xx
	Lost     Answer = "lost"     // there was none, or one that leaves open whether the service has received it
)

// ResumeToken is what must be kept of a conversion that was requested or joined, until it is known to have succeeded. The
// state has it as JSON, so that a later process can wait for the same conversion. Times are in seconds since 1970.
type ResumeToken struct {
	Phase  Phase  `json:"phase"`
	Origin Origin `json:"origin"`
	// Answer is empty if it was joined.
	Answer Answer `json:"answer,omitempty"`
	// RequestedAtUnix is when we requested the conversion; 0 if it was joined.
	RequestedAtUnix int64 `json:"requested_at_unix,omitempty"`
	// Baseline is the chapter before the request. A difference from it can be a sign that the service received the request.
	Baseline Baseline `json:"baseline,omitzero"`
	// BusyDate is the date of the last conversion that the chapter had when it was last seen busy. A newer one is that of this
	// conversion's end.
	BusyDate *audioprojects.Integer `json:"busy_date,omitempty"`
	// Failure is what the service has said of a failure of this conversion since the request: its last_conversion_error, or a state. It
	// stays if that is dismissed. Nil if it has not failed, as far as is known.
	Failure *audioprojects.Text `json:"failure,omitempty"`
	// Retried: after Failure, a list has shown the chapter busy without it.
	Retried bool `json:"retried,omitempty"`
	// ForCreation: a creation wants a conversion, whatever is unconverted, and this is it. If it comes to nothing, one
	// is still wanted.
	ForCreation bool `json:"for_creation,omitempty"`
	// Triggers is a hash of the triggers that the conversion is for; empty if there are none, or if it was joined.
	Triggers string `json:"triggers,omitempty"`
}

// Baseline has the fields of a chapter that a conversion may change (section 2.3).
type Baseline struct {
	Date       *audioprojects.Integer           `json:"date,omitempty"`
	Error      *audioprojects.Text              `json:"error,omitempty"`
	Statistics *audioprojects.ChapterStatistics `json:"statistics,omitempty"`
	// State is the word in which the chapter rested; nil for a conversion that was joined.
	State *audioprojects.Text `json:"state,omitempty"`
}

func baselineOf(chapter audioprojects.Chapter) Baseline {
	return Baseline{chapter.LastConversionDateUnix, chapter.LastConversionError.Value, chapter.Statistics, chapter.State}
}

// Joined reports whether somebody else requested the conversion.
func (p *ResumeToken) Joined() bool { return p.Origin == Joined }

// Failed reports whether the conversion has failed, as far as is known; not if there is none.
func (p *ResumeToken) Failed() bool { return p != nil && p.Phase == PhaseFailed }

// isUnconfirmed reports whether nothing shows that the service has received the request; not if there is none.
func (p *ResumeToken) isUnconfirmed() bool { return p != nil && p.Phase == PhaseUnconfirmed }

// asFailed is the same conversion when it has failed with these words, and a chapter shows that at the given time. A date after that is
// another conversion's. An earlier one may be its own, because services date failures, too, and a list may show the date later.
func (p *ResumeToken) asFailed(words audioprojects.Text, chapter audioprojects.Chapter, at time.Time) *ResumeToken {
	failed := *p
	failed.Phase, failed.Failure, failed.BusyDate = PhaseFailed, &words, new(audioprojects.Integer(at.Unix()))
	if newer(chapter.LastConversionDateUnix, failed.BusyDate) {
		failed.BusyDate = chapter.LastConversionDateUnix
	}
	return &failed
}

// busy reports whether the chapter may be converting. It rests if it has no state, default, a word that says that it failed, or the word
// in which it rested before (section 3.2 names only default).
func (p *ResumeToken) busy(chapter audioprojects.Chapter) bool {
	word := compared(chapter.State)
	rests := word == "" || word == "default" || word == compared(p.Baseline.State)
	return !rests && !chapter.SaysFailed()
}

// hasSign reports whether a chapter at rest shows that the service has received the request. Counts that only differ show nothing: an edit
// changes them, too, and one that removes the unconverted text.
func (p *ResumeToken) hasSign(chapter audioprojects.Chapter) bool {
	hasConverted := p.convertedText(chapter, Remainder{}) && !p.textRemoved(chapter)
	return p.saysFailed(chapter) || p.newError(chapter) || p.dateMoved(chapter) || hasConverted
}

// newError reports whether the chapter has an error of this conversion: one with another text than before.
func (p *ResumeToken) newError(chapter audioprojects.Chapter) bool {
	said := compared(chapter.LastConversionError.Value)
	return said != "" && said != compared(p.Baseline.Error)
}

// saysFailed reports whether the state of the chapter says that this conversion has failed: it is not that of before.
func (p *ResumeToken) saysFailed(chapter audioprojects.Chapter) bool {
	return chapter.SaysFailed() && (p.Phase == PhaseRunning || compared(chapter.State) != compared(p.Baseline.State))
}

// dateMoved reports whether the date of the last conversion is newer than in the baseline.
func (p *ResumeToken) dateMoved(chapter audioprojects.Chapter) bool {
	return newer(chapter.LastConversionDateUnix, p.Baseline.Date)
}

// datedSinceBusy reports whether the date of the last conversion is newer than when the chapter was last seen busy.
func (p *ResumeToken) datedSinceBusy(chapter audioprojects.Chapter) bool {
	date := chapter.LastConversionDateUnix
	return p.Phase == PhaseRunning && newer(date, p.Baseline.Date) && newer(date, p.BusyDate)
}

// wasUnconverted reports whether text was unconverted before the conversion, beside what the service is known to leave.
func (p *ResumeToken) wasUnconverted(remainder Remainder) bool {
	return hasUnconverted(p.Baseline.Statistics, remainder)
}

// neverConverted reports whether nothing shows that the chapter was ever converted before: it was not counted, and had no date.
func (p *ResumeToken) neverConverted() bool {
	_, isCounted := p.Baseline.Statistics.Unconverted()
	return !isCounted && p.Baseline.Date == nil
}

// convertedText reports whether text has been converted since the baseline: more is counted as converted, or what was unconverted is not
// any more. Less unconverted text proves nothing while some is: somebody may have deleted unconverted text.
func (p *ResumeToken) convertedText(chapter audioprojects.Chapter, remainder Remainder) bool {
	before, now := p.Baseline.Statistics, chapter.Statistics
	if before == nil || now == nil {
		return false
	}
	return moreConverted(*before, *now) || p.wasUnconverted(remainder) && !hasUnconverted(now, remainder)
}

// hasMoreUnconverted reports whether more text is unconverted than at the request: text that had been converted then.
func (p *ResumeToken) hasMoreUnconverted(chapter audioprojects.Chapter) bool {
	before, isCounted := p.Baseline.Statistics.Unconverted()
	return isCounted && unconverted(chapter) > before
}

// textLengthChanged reports whether the text has another length than at the request.
func (p *ResumeToken) textLengthChanged(chapter audioprojects.Chapter) bool {
	before := p.Baseline.Statistics
	return before != nil && before.Length() != chapter.Statistics.Length()
}

// textRemoved reports whether the text is shorter than at the request, and no more of it is converted, as far as that is counted.
func (p *ResumeToken) textRemoved(chapter audioprojects.Chapter) bool {
	before, now := p.Baseline.Statistics, chapter.Statistics
	if before == nil || now == nil || now.CharactersConverted == nil && now.ParagraphsConverted == nil {
		return false
	}
	return now.Length() < before.Length() && !moreConverted(*before, *now)
}

// newer reports whether there is a date, and it is newer than the other one, if that is there.
func newer(date, than *audioprojects.Integer) bool {
	return date != nil && (than == nil || *date > *than)
}

// moreConverted reports whether more text is converted now than was before.
func moreConverted(before, now audioprojects.ChapterStatistics) bool {
	moreCharacters := value(now.CharactersConverted) > value(before.CharactersConverted)
	return moreCharacters || value(now.ParagraphsConverted) > value(before.ParagraphsConverted)
}

// hasUnconverted reports whether text is unconverted that the service is not known to leave.
func hasUnconverted(counts *audioprojects.ChapterStatistics, remainder Remainder) bool {
	count, _ := counts.Unconverted()
	return count > 0 && !remainder.isIn(counts)
}

// problemOf is the error message of a chapter, or a state that says that it failed; empty if it has neither.
func problemOf(chapter audioprojects.Chapter) audioprojects.Text {
	words := value(chapter.LastConversionError.Value)
	if chapter.SaysFailed() {
		words = cmp.Or(words, *chapter.State)
	}
	return words
}

// unconverted is how much text of a chapter is unconverted; 0 if that is not counted.
func unconverted(chapter audioprojects.Chapter) int64 {
	count, _ := chapter.Statistics.Unconverted()
	return count
}

// compared is a text of the service as texts are compared; empty if there is none.
func compared(text *audioprojects.Text) string { return value(text).Comparable() }

func value[T any](pointer *T) T {
	if pointer == nil {
		var zero T
		return zero
	}
	return *pointer
}
