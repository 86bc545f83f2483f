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
	// Known: an earlier apply or refresh has seen the chapter for the same resource.
	Known bool
	// Timeout is how long the conversion may take, from when the service accepted the request, or it was joined; 0: as long as the
	// context lasts.
	Timeout time.Duration
	// Progress is called after every look at the chapter, and when a conversion has been requested or joined. It must not block. May be nil.
	Progress func(Outcome)

	known // what this process knows beside the resource
}

// Memory is what the next desired state for a chapter must have of an earlier one. Settled chapters have none. After an error, all of it
// must be kept, or the same conversion may be paid for twice.
type Memory struct {
	// Pending is the conversion that has no known end; nil if there is none.
	Pending *ResumeToken `json:"pending,omitempty"`
	// Remainder is how much text our own last conversion left unconverted, as in [Decision].
	Remainder int64 `json:"remainder,omitempty"`
}

// known is what a process knows of a chapter beside what the resource remembers.
type known struct {
	anothers     bool  // what is pending is not of this resource's memory
	ours         bool  // this process requested or joined it
	answer       error // to its request
	afterAnother bool  // another session for the chapter has ended
}

type chapterKey struct{ projectID, chapterID string }

func (d Desired) key() chapterKey { return chapterKey{d.ProjectID, d.ChapterID} }

// newTriggers reports whether the pending conversion was for other triggers than the wanted ones. A new resource that follows the text has
// recorded none.
func (d Desired) newTriggers(p *ResumeToken) bool {
	onlyRecords := d.UpToDate && !d.Known
	return d.Triggers != "" && p.Triggers != "" && d.Triggers != p.Triggers && !onlyRecords
}

// isReached reports whether a chapter at rest is as desired without a conversion.
func (d Desired) isReached(chapter audioprojects.Chapter) bool {
	_, isCounted := chapter.Statistics.Unconverted()
	mayHaveFailed := !d.Known && compared(chapter.LastConversionError.Value) != "" // and that moved the date
	wasConverted := chapter.LastConversionDateUnix != nil && !mayHaveFailed
	nothingLeft := isCounted && !hasUnconverted(chapter.Statistics, d.Remainder) || !isCounted && d.DateSuffices && wasConverted
	return d.UpToDate && nothingLeft && !d.isOutdated(chapter)
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

// cannotTellAge reports whether nothing can show that the chapter was converted after the wanted time: it is converted and has no date, its
// date is in the future, or the wanted time is.
func (d Desired) cannotTellAge(chapter audioprojects.Chapter, now time.Time) bool {
	isConverted := chapter.Statistics.Length() > unconverted(chapter) && !hasUnconverted(chapter.Statistics, d.Remainder)
	isUndated := chapter.LastConversionDateUnix == nil && isConverted && d.UpToDate
	return d.ConvertedAfter != nil && (isUndated || isAhead(chapter, now) || *d.ConvertedAfter > now.Unix())
}

// isNewEnough reports whether the chapter shows that it was converted after the wanted time.
func (d Desired) isNewEnough(chapter audioprojects.Chapter, now time.Time) bool {
	return chapter.LastConversionDateUnix != nil && !d.isOutdated(chapter) && !isAhead(chapter, now)
}

// Characters is how many characters a conversion for the desired state may cost at most: the unconverted ones if the desired state is about
// those, otherwise all of the chapter. Nil if the service does not count them.
func (d Desired) Characters(chapter audioprojects.Chapter) *int64 {
	counts := value(chapter.Statistics)
	if counts.CharactersConverted == nil {
		return nil
	}
	most := max(int64(value(counts.CharactersUnconverted)), 0)
	isAboutText := d.UpToDate && hasUnconverted(chapter.Statistics, d.Remainder) && !d.isOutdated(chapter)
	if !isAboutText {
		most = Sum(most, max(int64(*counts.CharactersConverted), 0))
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
	isAboutText := d.UpToDate && (d.Triggers == "" || pending.Triggers == "") && d.ConvertedAfter == nil
	switch {
	case before == nil:
		return most
	case isAboutText && pending.WasUnconverted(d.Remainder) && !hasUnconverted(chapter.Statistics, d.Remainder):
		return before
	default:
		return new(max(*before, *most))
	}
}

// Sum adds two numbers of characters that are not negative. A service may count anything, so the sum stops at the largest number.
func Sum(a, b int64) int64 { return a + min(b, math.MaxInt64-a) }
