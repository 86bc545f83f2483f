package conversion

import (
	"cmp"
	"slices"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// decide says what to do next. The plan, the refresh, the apply, the wait before a replacement and the action all call it, so that
// they cannot disagree.
func decide(e evidence) Decision {
	if len(e.seen) == 0 {
		return Decision{Step: Look}
	}
	now := e.seen[len(e.seen)-1]
	concluded := e.conclude(now)
	since := e.seen[e.sameFrom(concluded)].requestedAt
	needed, why := e.needs(concluded.confirmation, since)
	if now.requestedAt.Sub(since) < needed {
		return Decision{Step: Wait, Reason: why, Until: since.Add(needed)}
	}
	hasFailed := concluded.Step == Failed && concluded.Reason != Refused
	if hasFailed || concluded.Reason == NoSignBefore {
		concluded = e.afterFailure(now, concluded, since)
	}
	if concluded.Step.isEnd() && e.mayRequest && now.requestedAt.Before(e.began) {
		// To do nothing more needs a fresh look: another resource of the same apply may have edited the text just before.
		return Decision{Step: Look}
	}
	return concluded.Decision
}

// conclude concludes from one look.
func (e evidence) conclude(look observation) conclusion {
	if look.pending == nil || e.withoutPending {
		return e.begin(look)
	}
	return e.follow(look)
}

// The four tables. In each, the first rule that fits decides. No other function returns a request (TestOnlyTheTablesRequest), and the
// package's README shows them (TestTheReadmeShowsTheTables). The comment of a rule names its situations, which are in testdata/situations.

// begin concludes without a pending conversion.
func (e evidence) begin(look observation) conclusion {
	desired, chapter := e.desired, look.chapter
	mayBeEdited := desired.UpToDate && desired.Known && e.mayRequest
	switch {
	// 10 Somebody else converts.
	case chapter.Busy():
		return conclude(Join, NoReason, atOnce)
	// 11 Nothing is unconverted.
	case desired.upToDate(chapter):
		return conclude(Done, NothingLeft, atOnce).leaving(chapter)
	// 12 A replica shows old counts.
	case mayBeEdited:
		return conclude(Request, NoReason, afterSecondLook)
	// 13 Text is unconverted.
	default:
		return conclude(Request, NoReason, atOnce)
	}
}

// follow concludes with a pending conversion.
func (e evidence) follow(look observation) conclusion {
	f, p := e.factsOf(look), look.pending
	left, _ := look.chapter.Statistics.Unconverted()
	mayRun, long := f.unnamedState || f.progressMoves, afterWindow
	if mayRun || !(audioprojects.Chapter{State: p.BusyState}).Busy() {
		long = asLongAsItRan
	}
	switch {
	// 20 After a failure somebody else converts.
	case f.failedBefore:
		return failed(look, Error, atOnce)
	// 21 It runs in a state that nobody named.
	case f.busy, mayRun && !f.ended:
		return conclude(Wait, Converting, atOnce)
	// 22 Another resource has it converted before an edit.
	case f.writtenSince: // or a replica does not show that conversion yet
		return conclude(Request, UnconvertedText, afterWindow)
	// 23 It fails.
	case f.newError:
		return failed(look, Error, afterSecondLook)
	// 24 It fails in a word and never looks busy.
	case f.saysFailed && !f.convertedText && p.Confirmed(): // It may be tried again.
		return failed(look, Error, afterWindow)
	// 25 All text is converted.
	case (f.convertedText || f.dateMovedSinceBusy) && left == 0 && !mayRun: // counts that grow pass a known remainder in the middle, too
		return e.afterSuccess(look, NoReason, atOnce)
	// 26 Nothing was unconverted and the old error stays.
	case f.wasBusy && f.errorAlone && !mayRun: // If it were a failure, a service that keeps its error would be paid at each apply.
		return e.afterSuccess(look, ErrorStays, long)
	// 27 It ends in a word of its own. 28 Nothing was unconverted and nothing is dated.
	case f.wasBusy && !f.unconverted && (f.dateMovedSinceBusy || !mayRun):
		return e.afterSuccess(look, NoReason, afterSecondLook)
	// 29 The counts reach zero while it is mastering. 30 Some text stays unconverted. 31 It ends in a word of its own and the old error
	// stays.
	case f.convertedText, f.wasBusy && !f.unconverted: // all may be counted in the middle, or a last phase follow
		return e.afterSuccess(look, NoReason, long)
	// 32 The same stays unconverted twice.
	case f.remains:
		return e.afterSuccess(look, Remainder, long)
	// 33 It has ended and the counts lag.
	case (f.dateMovedSinceBusy || f.dateMoved && f.nothingWasUnconverted) && !f.errorShown: // or the text was edited
		return e.afterSuccess(look, NoReason, long)
	// 34 Somebody cancels.
	case f.wasBusy && !f.errorShown:
		return failed(look, Nothing, long)
	// 35 It fails with the words of last time. 36 The old error stands there and nothing shows.
	case f.wasBusy, f.errorShown && !f.sign && p.Confirmed():
		return failed(look, OldError, long)
	// 37 Refused because it is busy.
	case f.refused && audioprojects.MayMeanBusy(p.answer):
		return conclude(Failed, Refused, afterWindow)
	// 38 Refused without credits.
	case f.refused:
		return conclude(Failed, Refused, atOnce)
	// 39 An error of the service in the last apply.
	case !p.seenByThisProcess && p.Phase == PhaseWatched:
		return conclude(Request, NoSignBefore, atOnce)
	// 40 The answer was lost in the last apply. 41 A whole timeout has shown nothing.
	case !p.seenByThisProcess && (!p.Confirmed() || p.Phase == PhaseTimedOut):
		return conclude(Request, NoSignBefore, afterWindow)
	// 42 The answer is lost and nothing shows.
	case !p.Confirmed():
		return conclude(Unknown, NoReason, afterWindow)
	// 43 Accepted and not shown for minutes.
	case f.unconverted && !f.nothingWasUnconverted:
		return conclude(Wait, NotShown, atOnce)
	// 44 Only the progress shows it.
	case f.progressAtEnd: // or at 1 of 100
		return e.afterSuccess(look, NoReason, asLongAsItRan)
	// 45 Nothing was unconverted and nothing shows. 46 Nothing was unconverted and somebody writes. 47 Nothing is counted and nothing shows.
	default:
		return e.afterSuccess(look, NoSign, afterWindow)
	}
}

// afterSuccess concludes after a conversion that has ended well: the desired state is reached, or needs another conversion.
func (e evidence) afterSuccess(look observation, reason Reason, needed confirmation) conclusion {
	desired, p, chapter := e.desired, look.pending, look.chapter
	begun := slices.IndexFunc(e.seen, func(o observation) bool { return o == look || !o.requestedAt.Before(e.began) })
	first := e.seen[begun].chapter // What is written later is not wanted, unless the conversion was somebody else's.
	unconverted, lengthChanged := hasUnconverted(chapter, desired.KnownRemainder), p.TextLengthChanged(first)
	requestedForIt := desired.ConvertedAfter != nil && value(p.ConvertedAfter) == *desired.ConvertedAfter
	resumedForText := p.since.IsZero() && (desired.UpToDate || !desired.Known)
	wasUnconvertedThen := hasUnconverted(first, desired.KnownRemainder)
	writtenBefore := wasUnconvertedThen && (lengthChanged || !p.WasUnconverted(desired.KnownRemainder) || e.endedUnseen())
	switch {
	// 50 The triggers have changed since.
	case desired.newTriggers(&p.ResumeToken):
		return conclude(Request, NewTriggers, needed)
	// 51 It ended before converted after.
	case desired.outdated(chapter) && !requestedForIt: // the date may lag
		return conclude(Request, Outdated, max(needed, afterWindow))
	// 52 Somebody else's conversion leaves text.
	case unconverted && p.Joined():
		return conclude(Request, UnconvertedText, needed)
	// 53 Another resource's conversion is older than the text.
	case unconverted && e.requestedForAnother && lengthChanged:
		return conclude(Request, UnconvertedText, needed)
	// 54 Edited between two applies.
	case unconverted && resumedForText && writtenBefore: // otherwise the counts may lag
		return conclude(Request, UnconvertedText, needed)
	// 55 The clock of the service is behind. 56 Edited between two applies and nobody follows the text. 57 Interrupted and some text stays.
	// 58 Another resource's conversion leaves text. 59 It is cancelled halfway.
	default:
		return e.done(look, reason, needed)
	}
}

// afterFailure concludes after a conversion that has failed, or of which an earlier apply has seen no sign.
func (e evidence) afterFailure(now observation, concluded conclusion, since time.Time) conclusion {
	p := now.pending
	seenFirst := since.Equal(e.seen[0].requestedAt)
	switch {
	// 60 It failed in the last apply. 61 It failed and somebody has had it converted since.
	case p.failedBefore():
		return e.beginAgain(concluded)
	// 40 The answer was lost in the last apply. 62 It failed between two applies.
	case !p.seenByThisProcess && seenFirst:
		return e.beginAgain(concluded)
	// 63 It fails for the old triggers.
	case e.desired.newTriggers(&p.ResumeToken):
		return e.beginAgain(concluded)
	// 23 It fails. 64 It fails while the next apply waits.
	default:
		return concluded
	}
}

// beginAgain decides as if there had been no conversion. The one that failed may have converted
// unconverted text, or moved the date, for another voice, say: then the chapter is converted all the same, unless it has been since.
func (e evidence) beginAgain(before conclusion) conclusion {
	now := e.seen[len(e.seen)-1]
	p := now.pending
	hasError := compared(now.chapter.LastConversionError) != ""
	redone := p.convertedText(now.chapter, e.desired.KnownRemainder) && !hasError && !e.desired.newTriggers(&p.ResumeToken)
	_, counted := now.chapter.Statistics.Unconverted()
	e.desired.UpToDate = e.desired.aboutText(&p.ResumeToken) && counted || redone
	e.withoutPending = true
	decided := decide(e)
	if decided.Step == Join || decided.Step == Request {
		decided.Reason, decided.Words = before.Reason, before.Words
	}
	return conclusion{Decision: decided}
}

// done is the end of a conversion that has ended well, with what is known of the text that it has left.
func (e evidence) done(look observation, reason Reason, needed confirmation) conclusion {
	desired, p, chapter := e.desired, look.pending, look.chapter
	unconverted, done := hasUnconverted(chapter, desired.KnownRemainder), conclude(Done, reason, needed)
	mayBeAborted := unconverted && chapter.SaysFailed() // Then another conversion may go on, and only what that leaves, too, is left for good.
	switch {
	case desired.endedBy(p.ResumeToken), e.endedUnseen() && unconverted: // What is unconverted may have been written since.
	case p.convertedText(chapter, desired.KnownRemainder) && !mayBeAborted, reason == Remainder:
		done.KnownRemainder = p.remainder(chapter)
	case !unconverted:
		return done.leaving(chapter)
	default:
		done.SuspectedRemainder = new(p.remainder(chapter)) // its date has moved, and no error says why text is left
	}
	return done
}

// endedUnseen reports whether the conversion had ended before this process looked: each look shows that. Then nobody knows what it has left,
// because somebody may have written since, also a text of the same length.
func (e evidence) endedUnseen() bool {
	first := e.seen[0]
	f := e.factsOf(first)
	return !first.pending.seenByThisProcess && (f.ended || f.dateMoved)
}

func failed(look observation, reason Reason, needed confirmation) conclusion {
	words := cmp.Or(value(look.pending.Failure), value(look.chapter.LastConversionError))
	if words == "" && look.chapter.SaysFailed() {
		words = *look.chapter.State
	}
	return conclusion{Decision{Step: Failed, Reason: reason, Words: words}, needed}
}

// sameFrom is the first of the looks that all lead to this conclusion, without a conversion at work between them. Their records need
// not be equal: an author types on, and two replicas count differently.
func (e evidence) sameFrom(concluded conclusion) int {
	first := len(e.seen) - 1
	for first > 0 && !e.movedAt(first) && e.conclude(e.seen[first-1]).is(concluded) {
		first--
	}
	return first
}

// movedAt reports whether a conversion was at work between a look and the one before it: there is more progress, another date, or more
// converted text than in any look before.
func (e evidence) movedAt(index int) bool {
	before, now := e.seen[index-1].chapter, e.seen[index].chapter
	return value(before.ConversionProgress) != value(now.ConversionProgress) ||
		value(before.LastConversionDateUnix) != value(now.LastConversionDateUnix) ||
		!slices.ContainsFunc(e.seen[:index], func(o observation) bool { return !moreConverted(value(o.chapter.Statistics), value(now.Statistics)) })
}

// needs is how long looks must have led to a conclusion that they have led to since the given time, and why it is waited for.
func (e evidence) needs(needed confirmation, since time.Time) (time.Duration, Reason) {
	switch needed {
	case afterSecondLook:
		return secondLook, Confirming
	case afterWindow:
		return window, Watching
	case asLongAsItRan:
		return max(window, since.Sub(cmp.Or(e.seen[0].pending.since, e.seen[0].requestedAt))), Watching
	default:
		return 0, NoReason
	}
}
