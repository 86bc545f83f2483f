package conversion

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// evidence is what is known of a chapter: what is wanted, and what looks have shown since the conversion was requested, or since
// this session began.
type evidence struct {
	rules   *table // with which a look begins
	desired Desired
	seen    []observation // oldest first, and no more than the longest agreement needs
	// applies: this is no plan. A plan does not confirm an edit, and takes a list from before it began.
	applies bool
	// afterOther: another session of this process for the chapter has ended. A list that lags may still show the
	// chapter as it was before.
	afterOther bool
	// began is when the session did.
	began time.Time
}

// observation is a chapter as one list showed it, and what that alone leads to.
type observation struct {
	askedAt   time.Time // when that list was requested
	chapter   audioprojects.Chapter
	pending   *operation // with what the looks until this one have shown; nil if nothing is pending
	concluded conclusion
}

// conclusion is what one look leads to, if others lead to the same for as long as the rules say.
type conclusion struct {
	Decision
	facts   facts
	sameFor agreement
}

// observe adds a look. Of older ones, it keeps those of the last five minutes.
func (e *evidence) observe(look observation) {
	look.concluded = e.conclude(look)
	outlasted := func(earlier observation) bool { return look.askedAt.Sub(earlier.askedAt) >= LongestQueue }
	last := slices.IndexFunc(e.seen, func(earlier observation) bool { return !outlasted(earlier) })
	if last > 1 {
		e.seen = slices.Delete(e.seen, 0, last-1)
	}
	e.seen = append(e.seen, look)
}

// decide says what to do next. The plan, the refresh, the apply and the action all call it, so that they cannot
// disagree. It also returns what the latest look alone leads to, and for how long looks have led to that.
func decide(e evidence) (decided Decision, concluded conclusion, same time.Duration) {
	if len(e.seen) == 0 {
		return Decision{Step: Look}, concluded, 0
	}
	now := e.seen[len(e.seen)-1]
	concluded = now.concluded
	since := e.sameSince()
	needed, same := concluded.sameFor.lasts(e.applies), now.askedAt.Sub(since)
	decided = concluded.Decision
	switch {
	case same < needed:
		decided = Decision{Step: Wait, Reason: Watching, Until: since.Add(needed), Next: concluded.Step, Rules: concluded.Rules}
		if needed == SecondLook {
			decided.Reason = Confirming
		}
	case concluded.Step.isEnd() && e.applies && now.askedAt.Before(e.began):
		// To do nothing more needs a fresh look: another resource of the same apply may have edited the text just before.
		decided = Decision{Step: Look, Rules: concluded.Rules}
	}
	return decided, concluded, same
}

// conclude goes through the tables with what one look shows.
func (e evidence) conclude(look observation) (c conclusion) {
	remainder := e.desired.Memory.Remainder
	for at := e.rules; at != nil; {
		if at.afterEnd {
			remainder = e.remainder(look)
		}
		c.facts = e.factsOf(look, remainder)
		fits := at.first(c.facts)
		c.Rules += Rules("/" + strconv.Itoa(fits.number))
		c.Reason = cmp.Or(fits.reason, c.Reason)
		c.sameFor = max(c.sameFor, fits.sameFor)
		at, _ = fits.then.(*table)
		c.Step, _ = fits.then.(Step)
	}
	c.Rules = c.Rules[1:]
	switch {
	case c.Step == Request:
		c.Reason = cmp.Or(c.Reason, e.desired.why(look.chapter))
	case c.Step == Failed && c.facts.has(failureShown):
		c.Reason = Error // The service has said so.
	case c.Step == Done && c.Reason == NoReason && c.facts.has(errorShown):
		c.Reason = ErrorStays
	}
	c.Words = wordsFor(c.Decision, look)
	if c.Step == Done && remainder.isIn(look.chapter.Statistics) {
		c.Remainder = remainder
	}
	return c
}

// first is the first rule of a table that fits the facts. The last one fits always.
func (t *table) first(s facts) rule {
	return t.rules[slices.IndexFunc(t.rules, func(each rule) bool { return each.when.holds(s) })]
}

// wordsFor are the service's words about what follows from a look: those of a failure that a list has shown since the request, or else those
// that stand there. Empty if it is not about a failure.
func wordsFor(decided Decision, look observation) audioprojects.Text {
	p := look.pending
	switch {
	case p == nil, decided.Reason == NothingLeft, decided.Reason == Refused:
		return ""
	case decided.Step == Failed, decided.Reason == OldError, decided.Reason == ErrorStays:
		return cmp.Or(value(p.Failure), problemOf(look.chapter))
	case decided.Step == Done, decided.Reason.isFailure():
		return value(p.Failure)
	default:
		return ""
	}
}

// remainder is what a conversion of ours has left that this process has seen end, if the text has had the length of the request in all looks,
// and nothing has shown a failure since. Where the chapter had a date, the end must have moved that. The service does not convert that text,
// so it was unconverted before as well. Of another conversion nobody knows what it was about.
func (e evidence) remainder(look observation) Remainder {
	p, chapter := look.pending, look.chapter
	sawEnd := p.startedHere || p.seenRunning
	sawFailure := p.Failure != nil || chapter.SaysFailed()
	lacksDate := p.Baseline.Date != nil && !p.dateMoved(chapter) // It was cancelled, say.
	isEdited := p.edited || p.hasMoreUnconverted(chapter)
	switch {
	case p.Joined():
		return e.desired.Memory.Remainder
	case !sawEnd || sawFailure || lacksDate || isEdited:
		return Remainder{}
	default:
		return remainderOf(chapter.Statistics)
	}
}

// sameSince is the time of the first of the looks that all lead to the latest conclusion, without a conversion at work between them; or of the
// latest one that is as old as that needs. Their records need not be equal: an author types on.
func (e evidence) sameSince() time.Time {
	first := len(e.seen) - 1
	now := e.seen[first]
	needed := now.concluded.sameFor.lasts(true)
	for first > 0 {
		isOldEnough := now.askedAt.Sub(e.seen[first].askedAt) >= needed
		if isOldEnough || e.movedAt(first) || !e.seen[first-1].concluded.sameClaim(now.concluded) {
			break
		}
		first--
	}
	return e.seen[first].askedAt
}

// movedAt reports whether a conversion was at work between a look and the one before it: there is another date or progress, or more converted
// text.
func (e evidence) movedAt(index int) bool {
	before, now := e.seen[index-1].chapter, e.seen[index].chapter
	hasOtherDate := value(before.LastConversionDateUnix) != value(now.LastConversionDateUnix)
	hasOtherProgress := value(before.ConversionProgress.Value) != value(now.ConversionProgress.Value)
	return hasOtherDate || hasOtherProgress || moreConverted(value(before.Statistics), value(now.Statistics))
}

// sameClaim reports whether two looks lead to the same claim.
func (c conclusion) sameClaim(other conclusion) bool {
	return c.Step == other.Step && c.Words.Comparable() == other.Words.Comparable()
}
