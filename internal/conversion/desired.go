package conversion

import (
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
	// UpToDate: the desired state is reached without a conversion if the chapter has no unconverted text beside Remainder.
	UpToDate bool
	// DateSuffices: a chapter that the service does not count is up to date if it was ever converted, as its date shows.
	DateSuffices bool
	// ConvertedAfter: a chapter whose last conversion has an older date (in seconds since 1970) is converted again, although
	// nothing is left. One that has text and no date, or a date that is ahead of this machine's clock, is an error. Nil: the date does
	// not matter.
	ConvertedAfter *int64
	// NewTime: the resource in the state has another ConvertedAfter, or none. So nothing was converted for the sake of this one.
	NewTime bool
	// AnyTime: ConvertedAfter is known only in the apply. So a plan counts all text of the chapter.
	AnyTime bool
	// Known: an earlier apply or refresh has seen the chapter for the same resource.
	Known bool
	// Recorded: the resource in the state says that the chapter is converted. So nothing is wanted but the end of what is pending, and, with
	// UpToDate, unconverted text. It is for a single chapter.
	Recorded bool
	// Replaced: the resource in the state will be replaced, and the new one continues with what is pending, even if that has ended well.
	Replaced bool
	// Invoked: an action wants it. So text that an earlier conversion of this process has left is requested once more.
	Invoked bool
	// Timeout is how long the conversion may take, from when the service accepted the request, or it was joined; 0: as long as the
	// context lasts.
	Timeout time.Duration
	// Progress is called after every look at the chapter, and when a conversion has been requested or joined. It must not block. May be nil.
	Progress func(Outcome)

	// convertedFrom is when the latest conversion of the chapter was requested that this process has seen end well, in seconds since 1970;
	// 0 if there is none.
	convertedFrom int64
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
	// DoubtfulDate is the date of the last conversion that may be that of a failure, of a chapter that was to be converted again for that
	// reason; 0 if there is none. The next desired state may know that reason no more.
	DoubtfulDate audioprojects.Integer `json:"doubtful_date,omitempty"`
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

// newTriggers reports whether the pending conversion was for other triggers than the wanted ones. A new resource that follows the text has
// recorded none.
func (d Desired) newTriggers(p *ResumeToken) bool {
	onlyRecords := d.UpToDate && !d.Known
	return p != nil && d.Triggers != "" && p.Triggers != "" && d.Triggers != p.Triggers && !onlyRecords
}

// isConverted reports whether a chapter at rest has no text left to convert, beside the remainder, and is new enough. p is what is pending.
func (d Desired) isConverted(chapter audioprojects.Chapter, p *operation) bool {
	_, isCounted := chapter.Statistics.Unconverted()
	isDoubtful := d.isDateDoubtful(chapter, p)
	wasConverted := chapter.LastConversionDateUnix != nil && !isDoubtful
	nothingLeft := isCounted && !hasUnconverted(chapter.Statistics, d.Remainder) || !isCounted && d.DateSuffices && wasConverted
	isTimely := d.ConvertedAfter == nil || !d.isOutdated(chapter) && !isDoubtful
	return nothingLeft && isTimely
}

// isDateDoubtful reports whether the date of the last conversion may be that of a failure: an error stands there, and this resource has not
// seen that conversion end well, or has seen it fail; or that was so before. Services date failures, too.
func (d Desired) isDateDoubtful(chapter audioprojects.Chapter, p *operation) bool {
	if d.DoubtfulDate != 0 && !later(chapter.LastConversionDateUnix, &d.DoubtfulDate) {
		return true
	}
	hasFailed := p != nil && p.Failure != nil && (!p.Failed() || !later(chapter.LastConversionDateUnix, p.BusyDate))
	return problemOf(chapter).Comparable() != "" && (!d.Known || d.NewTime || hasFailed)
}

// IsTooEarly reports whether we requested a conversion before the time after which the chapter is to be converted. It may end after that
// time, and has begun with what was to be converted before. Another resource may have had the chapter converted since.
func (d Desired) IsTooEarly(p *ResumeToken) bool {
	return p != nil && !p.Joined() && d.ConvertedAfter != nil && max(*p.RequestedAtUnix, d.convertedFrom) < *d.ConvertedAfter
}

// isOutdated reports whether the last conversion is older than wanted.
func (d Desired) isOutdated(chapter audioprojects.Chapter) bool {
	date, after := chapter.LastConversionDateUnix, d.ConvertedAfter
	return date != nil && after != nil && int64(*date) < *after
}

// clockTolerance is how far the service's clock may be ahead of this machine's.
const clockTolerance = 5 * time.Minute

// isAhead reports whether the date of the last conversion is in the future: the service's clock is ahead, or it counts milliseconds.
func isAhead(chapter audioprojects.Chapter, now time.Time) bool {
	date := chapter.LastConversionDateUnix
	return date != nil && int64(*date) > now.Add(clockTolerance).Unix()
}

// cannotUseDate reports whether nothing can show that the chapter was converted after the wanted time: it is converted and has no date, its
// date is in the future, or the wanted time is.
func (d Desired) cannotUseDate(chapter audioprojects.Chapter, now time.Time) bool {
	isConverted := chapter.Statistics.Length() > unconverted(chapter) && !hasUnconverted(chapter.Statistics, d.Remainder)
	hasNoDate := chapter.LastConversionDateUnix == nil && isConverted
	return d.ConvertedAfter != nil && (hasNoDate || isAhead(chapter, now) || *d.ConvertedAfter > now.Unix())
}

// isNewEnough reports whether the chapter shows that it was converted after the wanted time.
func (d Desired) isNewEnough(chapter audioprojects.Chapter, now time.Time) bool {
	return chapter.LastConversionDateUnix != nil && !d.isOutdated(chapter) && !isAhead(chapter, now)
}

// characters is how many characters a conversion for the desired state may cost at most: the unconverted ones if the desired state is about
// those, otherwise all of the chapter. Nil if the service does not count them.
func (d Desired) characters(chapter audioprojects.Chapter) *int64 {
	counts := value(chapter.Statistics)
	if counts.CharactersConverted == nil || counts.CharactersUnconverted == nil {
		return nil
	}
	most := max(int64(*counts.CharactersUnconverted), 0)
	isAboutText := d.UpToDate && hasUnconverted(chapter.Statistics, d.Remainder) && !d.isOutdated(chapter)
	if !isAboutText {
		most = Sum(most, max(int64(*counts.CharactersConverted), 0))
	}
	return &most
}

// mostCharacters is how many characters it may cost at most while a conversion is pending that may fail: then text may be unconverted that
// was unconverted before it, and that the service counts as converted now.
func (d Desired) mostCharacters(chapter audioprojects.Chapter, pending *ResumeToken) *int64 {
	most := d.characters(chapter)
	if pending == nil || most == nil {
		return most
	}
	before := d.characters(audioprojects.Chapter{Statistics: pending.Baseline.Statistics, LastConversionDateUnix: pending.Baseline.Date})
	isAboutText := d.UpToDate && (d.Triggers == "" || pending.Triggers == "") && d.ConvertedAfter == nil
	switch {
	case before == nil:
		return most
	case isAboutText && pending.wasUnconverted(d.Remainder) && !hasUnconverted(chapter.Statistics, d.Remainder):
		return before
	default:
		return new(max(*before, *most))
	}
}

// MustKeep reports whether the next apply must know what is kept of a chapter. A failure in the service's own words needs nothing, because
// the next apply converts what has text left; but not if the conversion was about no text, of new triggers or a converted_after.
func (d Desired) MustKeep(kept Memory) bool {
	if kept.Pending == nil {
		return false
	}
	isAboutText := d.ConvertedAfter == nil && (!d.UpToDate || kept.Pending.wasUnconverted(Remainder{}))
	return !kept.Pending.Failed() || !isAboutText
}

// Sum adds two numbers of characters that are not negative. A service may count anything, so the sum stops at the largest number.
func Sum(a, b int64) int64 { return a + min(b, math.MaxInt64-a) }
