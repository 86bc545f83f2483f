package conversion

import (
	"cmp"
	"reflect"
	"strings"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// evidence is what is known of a chapter: what is wanted, and what looks have shown since the conversion was requested, or since
// this session began.
type evidence struct {
	desired Desired
	seen    []observation // oldest first
	// applies: this is no plan. A plan does not confirm an edit, and takes a list from before it began.
	applies bool
	// began is when the session did.
	began time.Time
}

// observation is a chapter as one list showed it.
type observation struct {
	requestedAt time.Time // when that list was requested
	chapter     audioprojects.Chapter
	pending     *operation // with what the looks until this one have shown; nil if nothing is pending
}

// decide says what to do next. The plan, the refresh, the apply, the wait before a replacement and the action all call it, so that
// they cannot disagree.
func decide(e evidence) Decision {
	if len(e.seen) == 0 {
		return Decision{Step: Look}
	}
	now := e.seen[len(e.seen)-1]
	concluded := e.conclude(now)
	needed := time.Duration(concluded.confirmation)
	since := e.seen[e.sameFrom(concluded)].requestedAt
	if now.requestedAt.Sub(since) < needed {
		reason := Watching
		if needed == SecondLook {
			reason = Confirming
		}
		return Decision{Step: Wait, Reason: reason, Until: since.Add(needed), Next: concluded.Step}
	}
	if concluded.Step.isEnd() && e.applies && now.requestedAt.Before(e.began) {
		// To do nothing more needs a fresh look: another resource of the same apply may have edited the text just before.
		return Decision{Step: Look}
	}
	return concluded.Decision
}

// conclude concludes from one look.
func (e evidence) conclude(look observation) conclusion {
	p := look.pending
	isAnothers := p != nil && (p.anothers || !e.desired.Known) // A new resource has none of its own.
	switch {
	case p == nil:
		return e.begin(look, e.desired)
	case p.failedBefore():
		return e.beginAgain(look, Error, atOnce)
	case isAnothers && p.Phase == PhaseNoSign && e.desired.isReached(look.chapter): // Nobody knows that it has begun.
		return e.begin(look, e.desired)
	default:
		return e.follow(look)
	}
}

// The four tables. In each, the first rule that fits decides. No other function returns a request (TestOnlyTheTablesRequest), and the
// package's README shows them (TestTheReadmeShowsTheTables). The comment of a rule names its situations, which are in testdata/situations.

// begin concludes without a pending conversion.
func (e evidence) begin(look observation, desired Desired) conclusion {
	chapter := look.chapter
	mayBeEdited := desired.UpToDate && (desired.Known || desired.afterAnother) && e.applies
	switch {
	// 10 Somebody else converts.
	case chapter.Busy():
		return conclude(Join, NoReason, atOnce)
	// 11 Its date is in the future.
	case desired.cannotTellAge(chapter, look.requestedAt):
		return conclude(Failed, Undated, atOnce)
	// 12 Nothing is unconverted.
	case desired.isReached(chapter):
		return conclude(Done, NothingLeft, atOnce).leaving(min(desired.Remainder, unconverted(chapter)))
	// 13 A list shows old counts.
	case mayBeEdited:
		return conclude(Request, NoReason, afterSecondLook)
	// 14 Text is unconverted.
	default:
		return conclude(Request, NoReason, atOnce)
	}
}

// follow concludes with a pending conversion.
func (e evidence) follow(look observation) conclusion {
	f, p := e.factsOf(look), look.pending
	switch {
	// 20 It runs in a word of its own.
	case f.busy && (f.named || !f.proof):
		return conclude(Wait, Converting, atOnce)
	// 21 It fails.
	case f.newError:
		return e.hasFailed(look, Error, afterSecondLook)
	// 22 It fails in a word. 23 It fails and its message is dismissed.
	case (f.saysFailed || f.failureSeen) && !f.convertedText:
		return e.hasFailed(look, Error, afterWindow)
	// 24 All text is converted.
	case f.proof && !f.textLeft && !f.busy:
		return e.ended(look, NoReason, atOnce)
	// 25 It ends in a word of its own. 26 Some text stays unconverted.
	case f.proof && (f.convertedText || !f.textLeft || !f.errorShown):
		return e.ended(look, NoReason, afterWindow)
	// 27 Nothing was unconverted and the old error stays.
	case f.seenBusy && !f.wasUnconverted && !f.noneConverted:
		return e.ended(look, f.unproven(), afterSecondLook)
	// 28 Nothing was unconverted and only a date shows it.
	case f.dateMoved && !f.wasUnconverted && !f.noneConverted:
		return e.ended(look, f.unproven(), afterWindow)
	// 29 It fails with the words of last time. 30 Its date is new and nothing is converted.
	case f.seenBusy, f.dateMoved:
		return e.hasFailed(look, Nothing, afterWindow)
	// 31 Refused because it is busy.
	case f.refused && audioprojects.MayMeanBusy(p.answer):
		return conclude(Failed, Refused, afterWindow)
	// 32 Refused without credits.
	case f.refused:
		return conclude(Failed, Refused, atOnce)
	// 33 The answer is lost and nothing shows.
	case f.unanswered && f.ours:
		return conclude(Unknown, NoReason, afterWindow)
	// 34 The answer was lost in the last apply.
	case f.unanswered:
		return e.beginAgain(look, NoSignBefore, afterWindow)
	// 35 It fails as fast as the last one.
	case f.endShows && f.errorShown:
		return conclude(Unknown, OldError, afterWindow).saying(problemOf(look.chapter))
	// 36 Accepted and not shown for minutes.
	case f.wasUnconverted:
		return conclude(Wait, NotShown, atOnce)
	// 37 Outdated and nothing shows.
	case f.endShows:
		return conclude(Unknown, NoReason, afterWindow)
	// 38 Nothing was unconverted and nothing shows.
	default:
		return e.ended(look, NoSign, afterWindow)
	}
}

// ended concludes after a conversion that has ended well, as far as is known.
func (e evidence) ended(look observation, reason Reason, needed confirmation) conclusion {
	p, desired, chapter := look.pending, e.desired, look.chapter
	desired.Remainder = e.remainder(look)
	isOurs := p.ours && !p.anothers && !p.Joined()
	mustBeAboutText := desired.UpToDate || !desired.Known || p.Joined() || p.anothers
	switch {
	// 40 The triggers have changed since.
	case !p.anothers && desired.newTriggers(&p.ResumeToken):
		return conclude(Request, NewTriggers, needed)
	// 41 Somebody else's conversion leaves text. 42 Some text stays after an interruption.
	case !isOurs && mustBeAboutText:
		return e.beginAfter(look, desired, reason, needed)
	// 43 The clock of the service is behind.
	case desired.ConvertedAfter != nil && !desired.isNewEnough(chapter, look.requestedAt):
		return conclude(Failed, Undated, afterWindow)
	// 44 Edited between two applies and nobody follows the text.
	default:
		return conclude(Done, reason, needed).saying(value(p.Failure)).leaving(desired.Remainder)
	}
}

// hasFailed concludes after a conversion that has failed while this apply follows it.
func (e evidence) hasFailed(look observation, reason Reason, needed confirmation) conclusion {
	p := look.pending
	switch {
	// 50 It fails for the old triggers.
	case p.anothers || e.desired.newTriggers(&p.ResumeToken):
		return e.beginAgain(look, reason, needed)
	// 51 It failed between two applies.
	default:
		return failedIn(look, reason, needed)
	}
}

// beginAfter concludes after a conversion that was somebody else's, or of an earlier apply, and has ended well: by what begin says now,
// where text alone matters.
func (e evidence) beginAfter(look observation, desired Desired, reason Reason, needed confirmation) conclusion {
	desired.UpToDate = desired.UpToDate || !look.pending.anothers || !desired.Known
	next := e.begin(look, desired)
	next.confirmation = max(next.confirmation, needed)
	switch {
	case next.Step == Done:
		next.Reason, next.Words = reason, value(look.pending.Failure)
	case next.Step == Request && desired.isOutdated(look.chapter):
		next.Reason, next.confirmation = Outdated, afterWindow // The date may lag.
	case next.Step == Request && desired.UpToDate:
		next.Reason = UnconvertedText
	case next.Step == Request: // The other conversion was not for these.
		next.Reason = NewTriggers
	}
	return next
}

// beginAgain concludes after a conversion that failed, or that has shown no sign in an earlier apply: by what begin says now.
// It may have been about no text, but for another voice, say. Then the chapter is converted all the same, unless it has been since. What
// was somebody else's, or another resource's, makes nobody convert text again.
func (e evidence) beginAgain(look observation, reason Reason, needed confirmation) conclusion {
	p, desired := look.pending, e.desired
	isDatedSince := p.Failed() && later(look.chapter.LastConversionDateUnix, p.BusyDate)
	isConvertedSince := p.convertedText(look.chapter, desired.Remainder) || isDatedSince
	isFine := isConvertedSince && compared(look.chapter.LastConversionError.Value) == "" && !desired.newTriggers(&p.ResumeToken)
	wasAboutText := desired.UpToDate && p.WasUnconverted(desired.Remainder) && !desired.newTriggers(&p.ResumeToken)
	wasSomebodyElses := desired.UpToDate && p.Joined() && p.Triggers == "" // It may have been joined for new triggers.
	if !p.anothers {
		desired.UpToDate = wasAboutText || isFine || wasSomebodyElses
	}
	next := e.begin(look, desired)
	next.confirmation = max(next.confirmation, needed)
	if next.Step == Join || next.Step == Request {
		next.Reason, next.Words = reason, value(p.Failure)
	}
	return next
}

// remainder is how much text a conversion of ours has left that this process has seen end, if the text has the length that it had at the
// request and nothing has shown a failure since. The service does not convert that text, so it was unconverted before as well. Of another
// conversion nobody knows what it was about.
func (e evidence) remainder(look observation) int64 {
	p, chapter := look.pending, look.chapter
	sawEnd := p.ours && !p.anothers || p.seenHere
	sawFailure := p.Failure != nil || chapter.SaysFailed()
	switch {
	case p.Joined():
		return e.desired.Remainder
	case !sawEnd || sawFailure || p.TextLengthChanged(chapter) || p.hasMoreUnconverted(chapter):
		return 0
	default:
		return unconverted(chapter)
	}
}

// failedIn concludes that a conversion has failed, in the words that a list has shown since the request, or else in those of before.
func failedIn(look observation, reason Reason, needed confirmation) conclusion {
	words := cmp.Or(value(look.pending.Failure), problemOf(look.chapter))
	return conclusion{Decision{Step: Failed, Reason: reason, Words: words}, needed}
}

func (c conclusion) saying(words audioprojects.Text) conclusion {
	c.Words = words
	return c
}

func (c conclusion) leaving(remainder int64) conclusion {
	c.Remainder = remainder
	return c
}

// sameFrom is the first of the looks that all lead to this conclusion, without a conversion at work between them; or the latest one that
// is as old as the conclusion needs. Their records need not be equal: an author types on.
func (e evidence) sameFrom(concluded conclusion) int {
	first := len(e.seen) - 1
	now := e.seen[first].requestedAt
	for first > 0 {
		isOldEnough := now.Sub(e.seen[first].requestedAt) >= time.Duration(concluded.confirmation)
		if isOldEnough || e.movedAt(first) || !e.conclude(e.seen[first-1]).is(concluded) {
			return first
		}
		first--
	}
	return first
}

// movedAt reports whether a conversion was at work between a look and the one before it: there is another date, or more converted text.
func (e evidence) movedAt(index int) bool {
	before, now := e.seen[index-1].chapter, e.seen[index].chapter
	hasOtherDate := value(before.LastConversionDateUnix) != value(now.LastConversionDateUnix)
	return hasOtherDate || moreConverted(value(before.Statistics), value(now.Statistics))
}

// facts are what one look shows of a pending conversion.
type facts struct {
	busy           bool // the state is none of those in which a chapter rests: no state, `default`, one that says that it failed, the one before the request
	named          bool // the state is converting, in_queue or creating
	seenBusy       bool // a list has shown the chapter busy since the request
	dateMoved      bool // the date of the last conversion is newer than before the request
	convertedText  bool // more text is converted than before the request, or none of the text that was unconverted is unconverted now
	proof          bool // convertedText; or a date that is newer than when the chapter was last seen busy, and not noneConverted
	textLeft       bool // text is unconverted, of whatever kind
	wasUnconverted bool // text was unconverted before the request, beside the remainder
	endShows       bool // wasUnconverted, or the chapter was outdated before the request: nothing can end well and not show
	noneConverted  bool // text is unconverted, and none of the chapter is converted
	newError       bool // there is an error message that reads differently from the one before the request, or that one was seen gone
	errorShown     bool // there is an error message, or a state that says that it failed, perhaps of an older conversion
	saysFailed     bool // the state says that it failed, and did not before the request
	failureSeen    bool // a list has shown newError or saysFailed since the request; if not wasUnconverted, none after it has shown the chapter busy without them
	refused        bool // the service refused our request
	unanswered     bool // the answer to our request was lost or an error, or a whole timeout has shown nothing; and there is no sign of it
	ours           bool // this process requested or joined it
}

func (e evidence) factsOf(look observation) facts {
	p, chapter := look.pending, look.chapter
	f := facts{
		busy:           p.busy(chapter),
		named:          chapter.Busy(),
		seenBusy:       p.Phase == PhaseRunning,
		dateMoved:      p.dateMoved(chapter),
		convertedText:  p.convertedText(chapter, e.desired.Remainder),
		textLeft:       unconverted(chapter) > 0,
		wasUnconverted: p.WasUnconverted(e.desired.Remainder),
		noneConverted:  chapter.Statistics.NoneConverted(),
		newError:       p.newError(chapter),
		errorShown:     problemOf(chapter).Comparable() != "",
		saysFailed:     p.saysFailed(chapter),
		refused:        p.refused(),
		unanswered:     p.Phase == PhaseNoSign,
		ours:           p.ours,
	}
	f.endShows = f.wasUnconverted || e.desired.isOutdated(audioprojects.Chapter{LastConversionDateUnix: p.Baseline.Date})
	f.proof = f.convertedText || p.datedSinceBusy(chapter) && !f.noneConverted
	f.failureSeen = p.Failure != nil && (f.wasUnconverted || !p.Retried)
	return f
}

// unproven is the reason of an end of which nothing shows whether it was good: the error of before may be its own.
func (f facts) unproven() Reason {
	if f.errorShown {
		return ErrorStays
	}
	return NoReason
}

// String names what is true.
func (f facts) String() string {
	var names []string
	for field, is := range reflect.ValueOf(f).Fields() {
		if is.Bool() {
			names = append(names, field.Name)
		}
	}
	return strings.Join(names, " ")
}
