package conversion

import (
	"math"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// Wish is what is wanted of a chapter, beside the end of what is pending.
type Wish int

// The wishes. Each asks for more than the one before it.
const (
	WantsNothing    Wish = iota // nothing more: it is as it was recorded
	WantsText                   // no unconverted text beside the remainder
	WantsConversion             // a conversion, whatever is unconverted: for this creation, or this invocation
)

// Desired is what a resource or an action wants of a chapter: that it be converted. It is not a request: a request is sent to the service
// and costs credits, and many need none, for example if somebody else has had the chapter converted.
type Desired struct {
	ProjectID, ChapterID string
	Wish                 Wish
	// New: no apply or refresh has seen the chapter for the same resource. An action is new each time.
	New bool
	// Triggers is a fingerprint of the triggers that the conversion is for; empty when there are none.
	Triggers string
	// Memory is what an earlier desired state has left.
	Memory Memory
	// Most is the most characters that a request may cost, because a plan has said so. What costs more is left as it is:
	// see [BeyondPlanError]. Nil: any number, also one that is not known.
	Most *int64
	// Timeout is how long the conversion may take, from when the service accepted the request, or it was joined; 0: as long as the
	// context lasts.
	Timeout time.Duration
	// Progress is called after every look at the chapter, and when a conversion has been requested or joined. It must not block. May be nil.
	Progress func(Outcome)

	// refusals may hold its request back, if it is one of a [Project].
	refusals *refusals
}

// Memory is what the next desired state for a chapter must have of an earlier one. Settled chapters have none. After an error, all of it
// must be kept, or the same conversion may be paid for twice.
type Memory struct {
	// Pending is the conversion that has no known end; nil if there is none.
	Pending *ResumeToken `json:"pending,omitempty"`
	// Remainder is what our own last conversion left unconverted, as in [Decision].
	Remainder Remainder `json:"remainder,omitzero"`
	// ForTriggers: the triggers have changed, and no conversion of our own for them has ended yet. So one is wanted
	// beside the wish.
	ForTriggers bool `json:"for_triggers,omitempty"`
}

// Remainder is text that the service has left unconverted, and does not convert. It is known only by counts: other unconverted text, or more
// converted text, is new.
type Remainder struct {
	// Unconverted is how much text that is, and Converted how much was converted beside it, in characters, or in paragraphs where the service
	// does not count those (section 2.3).
	Unconverted int64 `json:"unconverted"`
	Converted   int64 `json:"converted"`
}

func remainderOf(counts *audioprojects.ChapterStatistics) Remainder {
	left, _ := counts.Unconverted()
	if left == 0 {
		return Remainder{}
	}
	return Remainder{Unconverted: left, Converted: counts.Length() - left}
}

// isIn reports whether unconverted text is what the service is known to leave.
func (r Remainder) isIn(counts *audioprojects.ChapterStatistics) bool {
	left, _ := counts.Unconverted()
	return left > 0 && left == r.Unconverted && counts.Length()-left <= r.Converted
}

// wantsOwn reports whether a conversion of our own must follow the pending one, because that does not count: changed
// triggers want one, or a creation, and it was for others; or it was joined, and may have begun before the triggers
// changed. One from before there were triggers counts for all.
func (d Desired) wantsOwn(p *ResumeToken) bool {
	if p == nil {
		return false
	}
	isForOthers := p.Triggers != "" && d.Triggers != "" && p.Triggers != d.Triggers
	return d.Memory.ForTriggers && (isForOthers || p.Joined()) || d.Wish == WantsConversion && isForOthers
}

// isConverted reports whether a chapter at rest has no text left to convert, beside the remainder. p is what is
// pending. One that is not counted is converted if it has a date, unless that may be the date of a failure.
func (d Desired) isConverted(chapter audioprojects.Chapter, p *operation, remainder Remainder) bool {
	_, isCounted := chapter.Statistics.Unconverted()
	if isCounted {
		return !hasUnconverted(chapter.Statistics, remainder)
	}
	hasFailed := p != nil && p.Failure != nil && !newer(chapter.LastConversionDateUnix, p.BusyDate)
	isDoubtful := hasFailed || d.New && problemOf(chapter).Comparable() != ""
	return chapter.LastConversionDateUnix != nil && !isDoubtful
}

// why is the reason for which a conversion of a chapter is requested, where no earlier one is a reason.
func (d Desired) why(chapter audioprojects.Chapter) Reason {
	_, isCounted := chapter.Statistics.Unconverted()
	switch {
	case d.Memory.ForTriggers:
		return NewTriggers
	case isCounted && unconverted(chapter) == 0:
		return WantedAnew
	default:
		return UnconvertedText
	}
}

// characters is how many characters a conversion for the desired state may cost at most: the unconverted ones if text
// is wanted, otherwise all of the chapter. Nil if the service does not count them.
func (d Desired) characters(chapter audioprojects.Chapter) *int64 {
	counts := value(chapter.Statistics)
	if counts.CharactersConverted == nil || counts.CharactersUnconverted == nil {
		return nil
	}
	most := max(int64(*counts.CharactersUnconverted), 0)
	if d.Wish != WantsText || d.Memory.ForTriggers {
		most = Sum(most, max(int64(*counts.CharactersConverted), 0))
	}
	return &most
}

// charactersBeside is how many characters it may cost at most while a conversion is pending that may fail: then text
// may be unconverted that was unconverted before it, and that the service counts as converted now. If nothing is wanted
// then, it costs nothing.
func (d Desired) charactersBeside(pending *ResumeToken, chapter audioprojects.Chapter) *int64 {
	most := d.characters(chapter)
	if pending == nil || most == nil {
		return most
	}
	if d.Wish == WantsNothing && !d.Memory.ForTriggers && !pending.ForCreation {
		return new(int64)
	}
	before := d.characters(audioprojects.Chapter{Statistics: pending.Baseline.Statistics})
	return new(max(value(before), *most))
}

// keepsTo is an error if a request for the desired state would cost more than its plan has said.
func (d Desired) keepsTo(characters *int64) error {
	isWithin := d.Most == nil || characters != nil && *characters <= *d.Most
	if isWithin {
		return nil
	}
	return &BeyondPlanError{characters}
}

// Sum adds two numbers of characters that are not negative. A service may count anything, so the sum stops at the largest number.
func Sum(a, b int64) int64 { return a + min(b, math.MaxInt64-a) }
