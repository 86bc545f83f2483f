package conversion

import (
	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// Ticket is what must be remembered of a conversion that was asked for, so that it is
// waited for and not asked for again: by this process, or by another one an hour later.
type Ticket struct {
	// RequestedAtUnix is when the service was asked, in seconds; nil when somebody else
	// had asked, and this conversion was joined.
	RequestedAtUnix *int64 `json:"requested_at_unix"`
	// Baseline is the chapter before. A change against it is evidence.
	Baseline Baseline `json:"baseline"`
	// SeenConverting: the chapter has been seen at work since.
	SeenConverting bool `json:"seen_converting"`
	// Confirmed: the service accepted the request (2xx), or there is evidence that it did.
	Confirmed bool `json:"confirmed"`
	// Failure is the service's last_conversion_error once it is known to be this conversion's.
	Failure *audioprojects.Text `json:"failure,omitempty"`
}

// Baseline is what a conversion may change about a chapter.
type Baseline struct {
	Date       *audioprojects.Integer           `json:"date"`
	Error      *audioprojects.Text              `json:"error"`
	Statistics *audioprojects.ChapterStatistics `json:"statistics"`
}

func baselineOf(chapter audioprojects.Chapter) Baseline {
	return Baseline{
		Date:       chapter.LastConversionDateUnix,
		Error:      chapter.LastConversionError,
		Statistics: chapter.Statistics,
	}
}

// verdict is what a look at the chapter says of a ticket's conversion.
type verdict int

const (
	noEvidence verdict = iota // nothing shows that there is a conversion
	accepted                  // something has changed, but nothing that only the end changes
	converting                // at work
	vanished                  // was at work, is not any more, and has left no trace yet
	succeeded
	failed
)

// Busy tells whether a chapter is being converted. The document names no states of a
// chapter but default (section 3.2); these are the busy ones of a project (3.1).
func Busy(chapter audioprojects.Chapter) bool {
	switch value(chapter.State) {
	case "converting", "in_queue", "creating":
		return true
	}
	return false
}

// observe notes what a look at the chapter shows of the ticket's conversion.
func (t *Ticket) observe(chapter audioprojects.Chapter) verdict {
	seen := t.weigh(chapter)
	if seen != noEvidence {
		t.Confirmed = true
	}
	switch seen {
	case converting:
		t.SeenConverting = true
		if value(chapter.LastConversionError) == "" {
			// The old error is gone, so the next one is this conversion's even if it reads the same.
			t.Baseline.Error = nil
		}
	case failed:
		t.Failure = chapter.LastConversionError
	}
	return seen
}

func (t *Ticket) weigh(chapter audioprojects.Chapter) verdict {
	if Busy(chapter) {
		return converting
	}
	before, now := t.Baseline, baselineOf(chapter)
	errorBefore, errorNow := value(before.Error), value(now.Error)
	moved := now.Date != nil && (before.Date == nil || *now.Date > *before.Date)
	advanced := advanced(before.Statistics, now.Statistics)

	switch {
	case errorNow != "" && errorNow != errorBefore:
		return failed
	case moved || advanced:
		// A stale error may stand beside this success; a second failure with the same
		// words, at a service that dates failures, leaves the text as unconverted as it was.
		if errorNow != "" && !advanced && stillUnconverted(before.Statistics, now.Statistics) {
			return failed
		}
		return succeeded
	case t.SeenConverting:
		return vanished
	case errorBefore != "" && errorNow == "":
		return accepted
	default:
		return noEvidence
	}
}

// conclude decides on a conversion that stays vanished: it changed neither date nor
// statistics, and its error, if any, reads as it did before.
func (t *Ticket) conclude(chapter audioprojects.Chapter) verdict {
	undated := chapter.LastConversionDateUnix == nil
	if value(chapter.LastConversionError) == "" || undated && nothingLeft(chapter) {
		return succeeded
	}
	t.Failure = chapter.LastConversionError
	return failed
}

// Settle judges a ticket by the chapter as it is now, without waiting. It returns what
// remains of the ticket: nil when the conversion has ended well.
func Settle(ticket Ticket, chapter audioprojects.Chapter) *Ticket {
	if ticket.observe(chapter) != succeeded {
		return &ticket
	}
	if ticket.Joined() && textLeft(chapter) {
		// It began before an edit: the wish for the text as it is now remains.
		return &ticket
	}
	return nil
}

// Leftover is how much text the ticket's conversion has left unconverted; 0 if the text
// has another length than at the request, because what is unconverted then is new.
func (t Ticket) Leftover(chapter audioprojects.Chapter) int64 {
	if before := t.Baseline.Statistics; before != nil && length(before) != length(chapter.Statistics) {
		return 0
	}
	left, _ := Unconverted(chapter)
	return left
}

func length(s *audioprojects.ChapterStatistics) audioprojects.Integer {
	if s == nil {
		return 0
	}
	return value(s.CharactersConverted) + value(s.CharactersUnconverted)
}

// Joined tells whether somebody else asked for the ticket's conversion.
func (t Ticket) Joined() bool { return t.RequestedAtUnix == nil }

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

func nothingLeft(chapter audioprojects.Chapter) bool {
	count, known := Unconverted(chapter)
	return known && count == 0
}

func textLeft(chapter audioprojects.Chapter) bool {
	count, _ := Unconverted(chapter)
	return count > 0
}

// advanced tells whether text has been converted. Only a conversion makes the converted
// part grow; an edit, which changes the figures as well, makes it shrink. A service that
// does not count what is converted shows it by what is not.
func advanced(before, now *audioprojects.ChapterStatistics) bool {
	if before == nil || now == nil {
		return false
	}
	if before.CharactersConverted == nil || now.CharactersConverted == nil {
		return before.CharactersUnconverted != nil && now.CharactersUnconverted != nil &&
			*now.CharactersUnconverted < *before.CharactersUnconverted
	}
	return *now.CharactersConverted > *before.CharactersConverted ||
		value(now.ParagraphsConverted) > value(before.ParagraphsConverted)
}

func stillUnconverted(before, now *audioprojects.ChapterStatistics) bool {
	return before != nil && now != nil &&
		value(before.CharactersUnconverted) > 0 && value(now.CharactersUnconverted) > 0
}

func value[T any](pointer *T) T {
	if pointer == nil {
		var zero T
		return zero
	}
	return *pointer
}
