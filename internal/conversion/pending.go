package conversion

import (
	"reflect"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// Pending is what must be kept of a conversion that was requested or joined, until it is known to have succeeded. The
// state has it as JSON, so that a later process can wait for the same conversion. Times are in seconds since 1970.
type Pending struct {
	// RequestedAtUnix is when we requested the conversion; nil if somebody else requested it, and we joined.
	RequestedAtUnix *int64 `json:"requested_at_unix,omitempty"`
	// Baseline is the chapter before the request. A difference from it can be a sign that the service received the request.
	Baseline Baseline `json:"baseline,omitzero"`
	// SeenConverting: the chapter was busy in a list after the request.
	SeenConverting bool `json:"seen_converting"`
	// Confirmed: the service accepted the request (2xx), or there is a sign that it did.
	Confirmed bool `json:"confirmed"`
	// Failure is the service's last_conversion_error, if it is known to be of this conversion.
	Failure *audioprojects.Text `json:"failure,omitempty"`
	// BusyAtUnix is when the chapter was last seen busy, and BusyState its state then. BusyDate is the date of the last
	// conversion that it had then. A newer date is that of this conversion's end.
	BusyAtUnix int64                  `json:"busy_at_unix,omitempty"`
	BusyState  *audioprojects.Text    `json:"busy_state,omitempty"`
	BusyDate   *audioprojects.Integer `json:"busy_date,omitempty"`
	// SinceUnix is when this conversion was requested or joined.
	SinceUnix int64 `json:"since_unix,omitempty"`
	// Triggers is a hash of the triggers that the conversion is for; empty if there are none.
	Triggers string `json:"triggers,omitempty"`
	// ConvertedAfter is that of the wish for which the conversion was requested, as in [Wish].
	ConvertedAfter *int64 `json:"converted_after,omitempty"`
	// WaitedWhole: the service accepted the request, but a whole timeout has passed without a sign.
	WaitedWhole bool `json:"waited_whole,omitempty"`
	// Edited: the first look after the request shows text that the baseline does not have. Somebody may have written it
	// before the request.
	Edited bool `json:"edited,omitempty"`
	// LeftBefore is how much text the conversion before this one left, as in [Decision.LeftOnce]. If this one leaves
	// the same, the service does not convert that text.
	LeftBefore *int64 `json:"left_before,omitempty"`
	// PossibleFailure is an error of this conversion that a look showed at rest, and that no second look has confirmed yet;
	// nil if there was none, or if the chapter has been busy since. Somebody may dismiss the error before the next apply.
	PossibleFailure *audioprojects.Text `json:"possible_failure,omitempty"`

	// resumedAt is when this process began to wait for a conversion of an earlier one; zero for a conversion of this process.
	resumedAt time.Time
	// since and busyAt are SinceUnix and BusyAtUnix with nanoseconds; zero if another process set those.
	since, busyAt time.Time
	// editable: the baseline's list is older than the wish, and there has been no look since the request. So an edit
	// between the two may be missing in the baseline.
	editable bool
	// refusal is the service's 4xx answer to our request; nil if there was none. If the chapter shows a conversion after
	// it, that one is somebody else's.
	refusal error
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
	return Baseline{
		Date:       chapter.LastConversionDateUnix,
		Error:      chapter.LastConversionError,
		Statistics: chapter.Statistics,
		State:      chapter.State,
		Progress:   chapter.ConversionProgress,
	}
}

// alike tells whether two records of a chapter agree in all that a conversion may change.
func alike(a, b audioprojects.Chapter) bool { return reflect.DeepEqual(baselineOf(a), baselineOf(b)) }

// Joined tells whether somebody else asked for the conversion.
func (p *Pending) Joined() bool { return p.RequestedAtUnix == nil }

// same tells whether both stand for the same conversion, and we requested it.
func (p *Pending) same(other *Pending) bool {
	return other != nil && !p.Joined() && !other.Joined() && *p.RequestedAtUnix == *other.RequestedAtUnix
}

// ran tells whether the chapter was busy since this process requested, joined or resumed the conversion.
func (p *Pending) ran() bool { return p.busyAt.After(p.resumedAt) }

// observe notes what the chapter, in a list after the request, shows of the conversion.
func (p *Pending) observe(seen observation) {
	chapter := seen.chapter
	if p.editable && p.grew(chapter) {
		p.Edited = true
	}
	p.editable = false
	if p.signIn(chapter) {
		p.Confirmed = true
	}
	named := Busy(chapter)
	if !named && !p.undocumented(chapter) {
		if p.Failed(chapter) {
			p.PossibleFailure = chapter.LastConversionError
		}
		return
	}
	p.PossibleFailure = nil
	changed := value(chapter.State) != value(p.BusyState)
	if named || changed && value(p.BusyState) != "converting" {
		// A date that moves together with the state is that of the start, unless the chapter was converting before.
		p.BusyDate = chapter.LastConversionDateUnix
	}
	if named || changed {
		p.busyAt, p.BusyAtUnix = seen.requestedAt, seen.requestedAt.Unix()
	}
	p.SeenConverting, p.BusyState = true, chapter.State
	if value(chapter.LastConversionError) == "" {
		// The old error is gone, so the next error is of this conversion even if it has the same text.
		p.Baseline.Error = nil
	}
}

// signIn tells whether the chapter shows that the service received the request. Counts that only differ show
// nothing: an edit changes them, too.
func (p *Pending) signIn(chapter audioprojects.Chapter) bool {
	// Version 0.1.0 saved no SinceUnix, and neither state nor progress in the baseline.
	known := p.SinceUnix != 0
	return Busy(chapter) ||
		known && value(chapter.State) != value(p.Baseline.State) ||
		known && value(chapter.ConversionProgress) != value(p.Baseline.Progress) ||
		!sameText(chapter.LastConversionError, p.Baseline.Error) ||
		p.dated(chapter) || p.worked(chapter, 0)
}

// Busy tells whether a chapter is being converted. The document lists only one state of a chapter, default
// (section 3.2). So these are the states in which a project is busy (section 3.1).
func Busy(chapter audioprojects.Chapter) bool {
	switch value(chapter.State) {
	case "converting", "in_queue", "creating":
		return true
	}
	return false
}

// undocumented tells whether the chapter's state is one that the document does not list, and not the one that the chapter
// had before the request. Such a state may mean that the conversion runs.
func (p *Pending) undocumented(chapter audioprojects.Chapter) bool {
	word := value(chapter.State)
	return word != "" && word != "default" && !Busy(chapter) && word != value(p.Baseline.State)
}

// Rests tells whether the chapter has a state that the document does not list, and that counts as at rest because it
// stayed unchanged for a whole timeout.
func (p *Pending) Rests(chapter audioprojects.Chapter) bool {
	return !Busy(chapter) && p.BusyState != nil && value(chapter.State) == value(p.BusyState) && value(chapter.State) == value(p.Baseline.State)
}

// Failed tells whether the chapter has an error of this conversion: one with another text than before. Texts are compared
// in Unicode's composed form (NFC), because Terraform keeps them in that form.
func (p *Pending) Failed(chapter audioprojects.Chapter) bool {
	return value(chapter.LastConversionError) != "" && !sameText(chapter.LastConversionError, p.Baseline.Error)
}

func sameText(a, b *audioprojects.Text) bool {
	return norm.NFC.String(string(value(a))) == norm.NFC.String(string(value(b)))
}

// dated tells whether the date of the last conversion is newer than in the baseline.
func (p *Pending) dated(chapter audioprojects.Chapter) bool {
	return later(chapter.LastConversionDateUnix, p.Baseline.Date)
}

// datedSinceBusy tells whether that date has moved after the chapter was seen busy, and so is the date of the end.
// Some services already move it at the request or at the start.
func (p *Pending) datedSinceBusy(chapter audioprojects.Chapter) bool {
	return p.SeenConverting && p.dated(chapter) && later(chapter.LastConversionDateUnix, p.BusyDate)
}

func later(date, than *audioprojects.Integer) bool {
	return date != nil && (than == nil || *date > *than)
}

// worked tells whether text has been converted since the baseline: more text is counted as converted, or less as
// unconverted. Less unconverted text proves nothing if the whole text is shorter and some is still open: somebody may have
// deleted unconverted text.
func (p *Pending) worked(chapter audioprojects.Chapter, leftover int64) bool {
	before, now := p.Baseline.Statistics, chapter.Statistics
	if before == nil || now == nil {
		return false
	}
	open := openIn(chapter, leftover)
	unit := func(convertedBefore, leftBefore, converted, left *audioprojects.Integer) bool {
		grew := convertedBefore != nil && converted != nil && *converted > *convertedBefore
		fewer := leftBefore != nil && left != nil && *left < *leftBefore
		shrank := fewer && convertedBefore != nil && converted != nil && *converted+*left < *convertedBefore+*leftBefore
		return grew || fewer && (!shrank || !open)
	}
	return unit(before.CharactersConverted, before.CharactersUnconverted, now.CharactersConverted, now.CharactersUnconverted) ||
		unit(before.ParagraphsConverted, before.ParagraphsUnconverted, now.ParagraphsConverted, now.ParagraphsUnconverted)
}

// grew tells whether the chapter has more open text than the baseline, and nothing was converted.
func (p *Pending) grew(chapter audioprojects.Chapter) bool {
	before, counted := Unconverted(audioprojects.Chapter{Statistics: p.Baseline.Statistics})
	return counted && openIn(chapter, before) && !p.worked(chapter, 0)
}

// leaves is how much text the conversion has left unconverted. It is 0 if the text has another length than at the
// request: then the unconverted text is new.
func (p *Pending) leaves(chapter audioprojects.Chapter) int64 {
	if before := p.Baseline.Statistics; before != nil && length(before) != length(chapter.Statistics) {
		return 0
	}
	left, _ := Unconverted(chapter)
	return left
}

// length is the length of the whole text, in the unit of [Unconverted].
func length(s *audioprojects.ChapterStatistics) audioprojects.Integer {
	switch {
	case s == nil:
		return 0
	case s.CharactersUnconverted != nil:
		return value(s.CharactersConverted) + *s.CharactersUnconverted
	default:
		return value(s.ParagraphsConverted) + value(s.ParagraphsUnconverted)
	}
}

// Unconverted is how much text is unconverted: the number of characters, or of paragraphs if the service does not count
// characters. If it counts neither, the number is not known.
func Unconverted(chapter audioprojects.Chapter) (count int64, known bool) {
	s := chapter.Statistics
	switch {
	case s != nil && s.CharactersUnconverted != nil:
		return int64(*s.CharactersUnconverted), true
	case s != nil && s.ParagraphsUnconverted != nil:
		return int64(*s.ParagraphsUnconverted), true
	default:
		return 0, false
	}
}

// openIn tells whether the chapter has open text: more unconverted text than the service is known to leave.
func openIn(chapter audioprojects.Chapter, leftover int64) bool {
	count, _ := Unconverted(chapter)
	return count > leftover
}

// wasOpen tells whether text was open before the conversion, or may have been because of an edit.
func (p *Pending) wasOpen(leftover int64) bool {
	return p.Edited || openIn(audioprojects.Chapter{Statistics: p.Baseline.Statistics}, leftover)
}

func value[T any](pointer *T) T {
	if pointer == nil {
		var zero T
		return zero
	}
	return *pointer
}
