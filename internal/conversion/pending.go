package conversion

import (
	"reflect"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// Pending is what must be remembered of a conversion that was requested or joined, until it has
// been seen to succeed: this process waits for it, and so does another one an hour later. Times
// are in seconds since 1970.
type Pending struct {
	// RequestedAtUnix is when the service was asked; nil when somebody else had asked, and this conversion was joined.
	RequestedAtUnix *int64 `json:"requested_at_unix"`
	// Baseline is the chapter before. A change against it is a sign.
	Baseline Baseline `json:"baseline"`
	// SeenConverting: the chapter has been seen busy since.
	SeenConverting bool `json:"seen_converting"`
	// Confirmed: the service accepted the request (2xx), or there is a sign that it did.
	Confirmed bool `json:"confirmed"`
	// Failure is the service's last_conversion_error once it is known to be this conversion's.
	Failure *audioprojects.Text `json:"failure,omitempty"`
	// BusyAtUnix is when the chapter was last seen busy, with BusyState, and BusyDate is the date
	// that it had then, or when work began: a date that moves after it is the end's.
	BusyAtUnix int64                  `json:"busy_at_unix,omitempty"`
	BusyState  *audioprojects.Text    `json:"busy_state,omitempty"`
	BusyDate   *audioprojects.Integer `json:"busy_date,omitempty"`
	// SinceUnix is when this conversion was requested or joined.
	SinceUnix int64 `json:"since_unix,omitempty"`
	// Triggers is a fingerprint of the triggers that it was for; empty when there were none.
	Triggers string `json:"triggers,omitempty"`
	// WaitedWhole: a whole timeout has passed without a sign, although the service accepted the request.
	WaitedWhole bool `json:"waited_whole,omitempty"`
	// Edited: the first look shows text that the baseline does not have, which may have been there at the request.
	Edited bool `json:"edited,omitempty"`
	// LeftBefore is what the conversion before this one left unconverted, if the service dated that one and
	// converted nothing; nil otherwise. The same figure once more is text that the service does not convert.
	LeftBefore *int64 `json:"left_before,omitempty"`

	// resumedAt is when this process took it up; zero if it began here.
	resumedAt time.Time
	// since and busyAt are SinceUnix and BusyAtUnix to the nanosecond; zero if they are another process's.
	since, busyAt time.Time
	// editable: the baseline is of a list from before the block's turn, and nothing was seen since.
	editable bool
	// suspect is an error of its own that was seen at rest, and not busy since; nil if none was.
	suspect *audioprojects.Text
	// refusal is the 4xx that the request was answered with; nil if it was not. Such a conversion is somebody else's.
	refusal error
}

// Baseline is what a conversion may change about a chapter.
type Baseline struct {
	Date       *audioprojects.Integer           `json:"date"`
	Error      *audioprojects.Text              `json:"error"`
	Statistics *audioprojects.ChapterStatistics `json:"statistics"`
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

// alike tells whether a conversion has changed nothing between two records of a chapter.
func alike(a, b audioprojects.Chapter) bool { return reflect.DeepEqual(baselineOf(a), baselineOf(b)) }

// Joined tells whether somebody else asked for the conversion.
func (p *Pending) Joined() bool { return p.RequestedAtUnix == nil }

// same tells whether another is pending for the same conversion of our own.
func (p *Pending) same(other *Pending) bool {
	return other != nil && !p.Joined() && !other.Joined() && *p.RequestedAtUnix == *other.RequestedAtUnix
}

// observe notes what a chapter that was listed since shows of the conversion.
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
	if !named && !p.unnamed(chapter) {
		if p.Failed(chapter) {
			p.suspect = chapter.LastConversionError
		}
		return
	}
	p.suspect = nil
	changed := value(chapter.State) != value(p.BusyState)
	if named || changed && value(p.BusyState) != "converting" {
		// A date that comes with another state is the start's, unless the chapter was converting before.
		p.BusyDate = chapter.LastConversionDateUnix
	}
	if named || changed {
		p.busyAt, p.BusyAtUnix = seen.requestedAt, seen.requestedAt.Unix()
	}
	p.SeenConverting, p.BusyState = true, chapter.State
	if value(chapter.LastConversionError) == "" {
		// The old error is gone, so the next one is this conversion's even if it reads the same.
		p.Baseline.Error = nil
	}
}

// signIn tells whether the chapter shows that a request was received. Counts that are only
// different show nothing: an edit changes them as well.
func (p *Pending) signIn(chapter audioprojects.Chapter) bool {
	// Version 0.1.0 kept neither state nor progress, nor since when.
	known := p.SinceUnix != 0
	return Busy(chapter) ||
		known && value(chapter.State) != value(p.Baseline.State) ||
		known && value(chapter.ConversionProgress) != value(p.Baseline.Progress) ||
		!sameText(chapter.LastConversionError, p.Baseline.Error) ||
		p.dated(chapter) || p.worked(chapter, 0)
}

// Busy tells whether a chapter is being converted. The document names no states of a
// chapter but default (section 3.2); these are the busy ones of a project (3.1).
func Busy(chapter audioprojects.Chapter) bool {
	switch value(chapter.State) {
	case "converting", "in_queue", "creating":
		return true
	}
	return false
}

// unnamed tells whether the chapter's state is a word that the document does not give, and that
// the chapter did not rest in before. Once a conversion is known to have been requested, it may stand for work.
func (p *Pending) unnamed(chapter audioprojects.Chapter) bool {
	word := value(chapter.State)
	return word != "" && word != "default" && !Busy(chapter) && word != value(p.Baseline.State)
}

// Rests tells whether the chapter's state is not one that the document gives, and counts as one of rest because it has
// not changed for so long.
func (p *Pending) Rests(chapter audioprojects.Chapter) bool {
	return !Busy(chapter) && p.BusyState != nil && value(chapter.State) == value(p.BusyState) && value(chapter.State) == value(p.Baseline.State)
}

// Failed tells whether the chapter's error is this conversion's: it reads otherwise than before.
// Terraform composes the characters of a text that it keeps, so that is no difference.
func (p *Pending) Failed(chapter audioprojects.Chapter) bool {
	return value(chapter.LastConversionError) != "" && !sameText(chapter.LastConversionError, p.Baseline.Error)
}

func sameText(a, b *audioprojects.Text) bool {
	return norm.NFC.String(string(value(a))) == norm.NFC.String(string(value(b)))
}

// dated tells whether the date of the last conversion has moved.
func (p *Pending) dated(chapter audioprojects.Chapter) bool {
	return later(chapter.LastConversionDateUnix, p.Baseline.Date)
}

// datedSinceBusy tells whether it has moved since the chapter was seen busy. A service that dates
// the request, or the start, moves it before.
func (p *Pending) datedSinceBusy(chapter audioprojects.Chapter) bool {
	return p.SeenConverting && p.dated(chapter) && later(chapter.LastConversionDateUnix, p.BusyDate)
}

func later(date, than *audioprojects.Integer) bool {
	return date != nil && (than == nil || *date > *than)
}

// worked tells whether text has been converted: more is counted as converted, or less as not. If the
// whole text has shrunk and some of it is open, somebody may only have deleted what was not converted.
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

// grew tells whether the chapter has more open text than before, although nothing was converted.
func (p *Pending) grew(chapter audioprojects.Chapter) bool {
	before, counted := Unconverted(audioprojects.Chapter{Statistics: p.Baseline.Statistics})
	return counted && openIn(chapter, before) && !p.worked(chapter, 0)
}

// leaves is how much text the conversion has left unconverted; 0 if the text has another length
// than at the request, because what is unconverted then is new.
func (p *Pending) leaves(chapter audioprojects.Chapter) int64 {
	if before := p.Baseline.Statistics; before != nil && length(before) != length(chapter.Statistics) {
		return 0
	}
	left, _ := Unconverted(chapter)
	return left
}

// length is how much text is counted, in the unit of [Unconverted].
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

// Unconverted is how much text the service says has not been converted: characters, or
// paragraphs if it does not count characters. It is not known if it counts neither.
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

// openIn tells whether text of the chapter is counted as unconverted, beyond what is known to be left over.
func openIn(chapter audioprojects.Chapter, leftover int64) bool {
	count, _ := Unconverted(chapter)
	return count > leftover
}

// wasOpen tells whether text was open before the conversion, or may have been.
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
