package conversion

import (
	"cmp"
	"slices"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

const (
	// secondLook is the least time between two looks of which the second confirms the first.
	secondLook = 5 * time.Second
	// window is how long a chapter may show nothing before that means anything: services start late, and lists lag.
	window = 30 * time.Second
)

// confirmation is how long looks must lead to the same conclusion before it counts.
type confirmation int

const (
	atOnce confirmation = iota
	twice               // as long as a second look takes
	silent              // as long as the window
	rest                // as long as this process has followed the conversion, and at least as long as the window: it may run unseen
)

// evidence is what is known of a chapter: what is demanded, and what looks have shown since the conversion was requested, or since
// this session began to wait for it.
type evidence struct {
	demand Demand
	seen   []observation // oldest first
	// acts: this session may request a conversion. A plan may not: it does not confirm an edit, and takes a list from before it began.
	acts bool
	// began is when the session did.
	began time.Time
	// anew: decide as if nothing were pending.
	anew bool
	// early: the pending conversion was requested for another demand, and before this session began. left is how much text it has left
	// unconverted, if another session has seen it end well; else nil.
	early bool
	left  *int64
}

// observation is a chapter as one list showed it.
type observation struct {
	requestedAt time.Time // when that list was requested
	chapter     audioprojects.Chapter
	pending     *pursuit // with what the looks until this one have shown; nil if nothing is pending
}

// decide says what to do next. The plan, the refresh, the apply, the wait before a replacement and the action all call it, so that
// they cannot disagree.
func decide(e evidence) Decision {
	if len(e.seen) == 0 {
		return Decision{Step: Look}
	}
	now := e.seen[len(e.seen)-1]
	p := now.pending
	failedBefore := p != nil && p.Failed() && !p.live // in an earlier apply
	if failedBefore && !e.anew {
		return e.superseded(Error, *p.Failure)
	}
	concluded := e.conclude(now)
	since := e.seen[e.sameFrom(concluded)].requestedAt
	needed, why := e.needs(concluded.confirmation, since)
	switch {
	case now.requestedAt.Sub(since) < needed:
		return Decision{Step: Wait, Reason: why, Until: since.Add(needed)}
	case concluded.Reason == NoSignBefore, concluded.Step == Failed && concluded.Reason != Refused && e.failedBefore(now, since):
		return e.superseded(concluded.Reason, concluded.Words)
	case concluded.Step.isEnd() && e.acts && now.requestedAt.Before(e.began):
		// To do nothing more needs a fresh look: another block of the same apply may have edited the text just before.
		return Decision{Step: Look}
	default:
		return concluded.Decision
	}
}

// conclude concludes from one look.
func (e evidence) conclude(look observation) conclusion {
	if look.pending == nil || e.anew {
		return e.begin(look)
	}
	return e.follow(look)
}

// begin concludes without a pending conversion.
func (e evidence) begin(look observation) conclusion {
	demand, chapter := e.demand, look.chapter
	switch {
	case chapter.Busy():
		return conclude(Join, NoReason, atOnce)
	case demand.upToDate(chapter):
		return conclude(Done, NothingLeft, atOnce).leaving(chapter)
	case demand.UpToDate && demand.Known && e.acts:
		return conclude(Request, NoReason, twice) // its text was edited, or a replica lags
	default:
		return conclude(Request, NoReason, atOnce)
	}
}

// follow concludes with a pending conversion. The first rule that fits decides. The package's README explains this table.
func (e evidence) follow(look observation) conclusion {
	f, p := e.factsOf(look), look.pending
	left, _ := look.chapter.Statistics.Unconverted()
	mayRun, long := f.unnamedState || f.moves, silent
	if mayRun || !(audioprojects.Chapter{State: p.BusyState}).Busy() {
		long = rest
	}
	switch {
	case f.busy, mayRun && !f.ended:
		return conclude(Wait, Converting, atOnce)
	case f.edited: // or a replica does not show that conversion yet
		return conclude(Request, OpenText, silent)
	case f.newError:
		return failed(look, Error, twice)
	case f.saysFailed && !f.worked && p.Confirmed(): // It may be tried again.
		return failed(look, Error, silent)
	case (f.worked || f.finished) && left == 0 && !mayRun: // counts that grow pass a known remainder in the middle, too
		return e.succeeded(look, NoReason, atOnce)
	case f.ran && !f.open && (f.finished || !mayRun):
		return e.succeeded(look, NoReason, twice)
	case f.ran && !f.open: // all may be counted in the middle, or a last phase follow, such as "mastering"
		return e.succeeded(look, NoReason, long)
	case f.worked:
		return e.succeeded(look, NoReason, long)
	case f.remains:
		return e.succeeded(look, Remainder, long)
	case (f.finished || f.dated && f.nothingWasOpen) && !f.errorShown: // the counts may lag behind the date, or the text was edited
		return e.succeeded(look, NoReason, long)
	case f.ran && !f.errorShown:
		return failed(look, Nothing, long)
	case f.ran, f.errorShown && !f.sign && p.Confirmed():
		return failed(look, OldError, long)
	case f.refused && audioprojects.MayMeanBusy(p.answer):
		return conclude(Failed, Refused, silent)
	case f.refused:
		return conclude(Failed, Refused, atOnce)
	case !p.live && p.Phase == PhaseWatched:
		return conclude(Request, NoSignBefore, atOnce)
	case !p.live && (!p.Confirmed() || p.Phase == PhaseTimedOut):
		return conclude(Request, NoSignBefore, silent)
	case !p.Confirmed():
		return conclude(Unknown, NoReason, silent)
	case f.open && !f.nothingWasOpen:
		return conclude(Wait, NotShown, atOnce)
	case f.through: // or at 1 of 100
		return e.succeeded(look, NoReason, rest)
	default:
		return e.succeeded(look, NoSign, silent)
	}
}

// succeeded concludes after a conversion that has ended well: the demand is fulfilled, or needs another conversion.
func (e evidence) succeeded(look observation, reason Reason, needed confirmation) conclusion {
	demand, p, chapter := e.demand, look.pending, look.chapter
	begun := slices.IndexFunc(e.seen, func(o observation) bool { return o == look || !o.requestedAt.Before(e.began) })
	first := e.seen[begun].chapter // What is written later is not demanded, unless the conversion was somebody else's.
	edited, resumed, aboutText := p.Edited(first), p.since.IsZero(), demand.UpToDate || !demand.Known
	writtenBefore := openIn(first, demand.KnownRemainder) && (edited || !p.WasOpen(demand.KnownRemainder) || e.endedUnseen())
	newText := p.Joined() || e.early && edited || resumed && aboutText && writtenBefore // otherwise the counts may lag
	switch {
	case demand.newTriggers(&p.Ticket):
		return conclude(Request, NewTriggers, needed)
	case demand.outdated(chapter) && value(p.ConvertedAfter) != *demand.ConvertedAfter: // the date may lag
		return conclude(Request, Outdated, max(needed, silent))
	case newText && openIn(chapter, demand.KnownRemainder):
		return conclude(Request, OpenText, needed) // the text was edited since
	}
	done := conclude(Done, reason, needed)
	switch {
	case demand.endsBefore(p.Ticket), e.endedUnseen() && openIn(chapter, demand.KnownRemainder): // What is open may have been written since.
	case p.worked(chapter, demand.KnownRemainder), reason == Remainder:
		done.KnownRemainder = p.remainder(chapter)
	case !openIn(chapter, demand.KnownRemainder):
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
	return !first.pending.live && (f.ended || f.dated)
}

func failed(look observation, reason Reason, needed confirmation) conclusion {
	words := cmp.Or(value(look.pending.Failure), value(look.chapter.LastConversionError))
	if words == "" && look.chapter.SaysFailed() {
		words = *look.chapter.State
	}
	return conclusion{Decision{Step: Failed, Reason: reason, Words: words}, needed}
}

// failedBefore reports whether the conversion has failed before this apply, or was for other triggers. Then another is requested.
func (e evidence) failedBefore(now observation, since time.Time) bool {
	return !now.pending.live && since.Equal(e.seen[0].requestedAt) || e.demand.newTriggers(&now.pending.Ticket)
}

// superseded decides after a conversion of an earlier apply that failed or showed no sign, as if there had been none. It may have converted
// open text, or moved the date, for another voice, say: then the chapter is converted all the same, unless it has been since.
func (e evidence) superseded(reason Reason, words audioprojects.Text) Decision {
	now := e.seen[len(e.seen)-1]
	p := now.pending
	hasError := compared(now.chapter.LastConversionError) != ""
	redone := p.worked(now.chapter, e.demand.KnownRemainder) && !hasError && !e.demand.newTriggers(&p.Ticket)
	_, counted := now.chapter.Statistics.Unconverted()
	e.demand.UpToDate = e.demand.aboutText(&p.Ticket) && counted || redone
	e.anew = true
	decided := decide(e)
	if decided.Step == Join || decided.Step == Request {
		decided.Reason, decided.Words = reason, words
	}
	return decided
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
	case twice:
		return secondLook, Confirming
	case silent:
		return window, Watching
	case rest:
		return max(window, since.Sub(cmp.Or(e.seen[0].pending.since, e.seen[0].requestedAt))), Watching
	default:
		return 0, NoReason
	}
}
