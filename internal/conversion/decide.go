package conversion

import (
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

const (
	// window is how long a chapter may look unchanged after a request, or after a look that showed it busy, before that
	// means anything: services start late, and lists lag.
	window = 30 * time.Second
	// secondLook is the least time between two looks of which the second confirms the first.
	secondLook = 5 * time.Second
)

// observation is a chapter as one list showed it.
type observation struct {
	requestedAt time.Time // when that list was requested
	chapter     audioprojects.Chapter
}

// Step is what to do next.
type Step int

// The steps, and the ends that they lead to.
const (
	Look    Step = iota // look at the chapter, at once
	Join                // wait for a conversion that somebody else requested
	Request             // request a conversion
	Wait                // wait for the next look
	Done                // end: the wish is fulfilled
	Failed              // end: the conversion failed, or ended without converting
	Unknown             // end: nobody knows whether the service received the request
)

// Reason says why, where a step can have several reasons.
type Reason int

// The reasons. Each ends with the steps that it explains. For a [Request] the reason is how the conversion before it ended.
const (
	Plain Reason = iota
	// NothingLeft: the chapter has no unconverted text, and the wish asks for no more than that. Done.
	NothingLeft
	// EndedBefore: a conversion for another block ended in this process. This wish ends in the same way: Done, Failed or Unknown.
	EndedBefore
	// NoSign: the service accepted the request, but the chapter does not change. As it had no unconverted text, there may have
	// been nothing to do. Done; the user is warned.
	NoSign
	// Remainder: two conversions in a row left the same amount of text, so the service does not convert that text. Done.
	Remainder
	// Converting: the chapter is busy. Wait.
	Converting
	// NotShown: the service accepted the request, but the chapter does not show the conversion yet. Wait.
	NotShown
	// Confirming: the last look alone is not enough; a second look must show the same. Wait.
	Confirming
	// Watching: the chapter may still change until the window closes. Wait.
	Watching
	// Error: the chapter shows an error of this conversion. Failed; or Request, if it failed before this apply.
	Error
	// OldError: nothing was converted, and the chapter shows the error that it had before. Failed, or Request as above.
	OldError
	// Nothing: the conversion ran, which its state or its date shows, and converted nothing. Failed, or Request as above.
	Nothing
	// Refused: the service refused the request, and the chapter shows no conversion. Failed.
	Refused
	// Never: an earlier apply requested a conversion, but there is no sign of it. Request.
	Never
	// Rest: the conversion that somebody else requested has left text unconverted. Request.
	Rest
	// NewTriggers: an earlier apply requested a conversion for other triggers. Request, when that conversion has ended.
	NewTriggers
	// Outdated: the conversion has a date before [Wish.ConvertedAfter], and it was not requested for that. Request.
	Outdated
)

// Decision is the result of [decide].
type Decision struct {
	Step   Step
	Reason Reason
	// Until is for [Wait]: a look at that time can end the wait even if the chapter has not changed. Zero: only a change can.
	Until time.Time
	// Words are the service's message about a failure.
	Words audioprojects.Text
	// Leftover is how much text the conversion left unconverted, if it is known to have processed the rest; otherwise 0.
	Leftover int64
	// LeftOnce is how much text a conversion left that has moved the date and is not known to have converted anything. If the
	// next conversion leaves the same, that is a [Remainder]. Nil for other conversions.
	LeftOnce *int64
}

// decide says what to do next for a wish. The plan, the refresh, the apply, the wait before a replacement and the action
// all call it, so that they cannot disagree. The first rule that fits decides. seen has the observations, oldest first. They
// come from lists that were requested after the pending conversion was requested, or after this process resumed it.
func decide(wish Wish, pending *Pending, seen []observation) Decision {
	if len(seen) == 0 {
		return Decision{Step: Look}
	}
	now := seen[len(seen)-1]
	switch {
	case pending == nil && wish.ended != nil && !Busy(now.chapter) && !wish.ended.moreOpenIn(now.chapter) && !wish.ended.fallsShort(wish, now.chapter):
		return ifFresh(wish, now, Decision{Step: wish.ended.step, Reason: EndedBefore})
	case pending == nil:
		return decideAnew(wish, seen)
	case pending.Failure != nil:
		return superseded(wish, pending, seen, Error, *pending.Failure)
	}
	return evidence{wish, pending, seen, now}.decide()
}

// decideAnew decides for a wish that has no pending conversion.
func decideAnew(wish Wish, seen []observation) Decision {
	now := seen[len(seen)-1]
	left, _ := Unconverted(now.chapter)
	switch {
	case Busy(now.chapter):
		return Decision{Step: Join}
	case wish.upToDate(now.chapter):
		return ifFresh(wish, now, Decision{Step: Done, Reason: NothingLeft, Leftover: left})
	case wish.ended != nil:
		return evidence{wish, nil, seen, now}.confirmed(wish.ended.followed())
	case wish.UpToDate && wish.Known && !wish.startedAt.IsZero() &&
		(wish.Confirm || !later(now.chapter.LastConversionDateUnix, wish.Date)):
		// The chapter was up to date, and its date has not moved since. Either its text was edited, or a replica lags.
		return evidence{wish, nil, seen, now}.confirmed(Decision{Step: Request})
	default:
		return Decision{Step: Request}
	}
}

// ifFresh returns a decision to do nothing only if it is based on a list that was requested after the wish began. An older
// list is not enough: another block of the same apply may have edited the text just before.
func ifFresh(wish Wish, now observation, decided Decision) Decision {
	if now.requestedAt.Before(wish.startedAt) {
		return Decision{Step: Look}
	}
	return decided
}

// superseded decides after a conversion that failed before this apply, as if there had been none. That conversion may
// have been for more than open text, for another voice say. Then a chapter without open text is converted all the same.
func superseded(wish Wish, pending *Pending, seen []observation, reason Reason, words audioprojects.Text) Decision {
	now := seen[len(seen)-1].chapter
	wish.UpToDate = wish.UpToDate && pending.wasOpen(wish.Leftover) || pending.redone(wish, now)
	decided := decideAnew(wish, seen)
	if decided.Step == Join || decided.Step == Request {
		decided.Reason, decided.Words = reason, words
		decided.LeftOnce = pending.leftOnce(now)
	}
	return decided
}

// redone tells whether another conversion has converted text after this one failed: that of another block, for example. If no
// text is open, none is needed.
func (p *Pending) redone(wish Wish, chapter audioprojects.Chapter) bool {
	return p.worked(chapter, wish.Leftover) && value(chapter.LastConversionError) == "" && !wish.newTriggers(p)
}

// leftOnce is how much text the conversion has left, if it has moved the date; nil otherwise.
func (p *Pending) leftOnce(chapter audioprojects.Chapter) *int64 {
	if left, counted := Unconverted(chapter); counted && p.dated(chapter) {
		return &left
	}
	return nil
}

// evidence is what is known of a pending conversion.
type evidence struct {
	wish    Wish
	pending *Pending
	seen    []observation
	now     observation
}

func (e evidence) decide() Decision {
	p, chapter := e.pending, e.now.chapter
	if Busy(chapter) {
		return Decision{Step: Wait, Reason: Converting}
	}
	open := openIn(chapter, e.wish.Leftover)
	worked := p.worked(chapter, e.wish.Leftover)
	if p.undocumented(chapter) {
		if wait, working := e.undocumentedBusy(open, worked); working {
			return wait
		}
	}
	wasOpen := p.wasOpen(e.wish.Leftover)
	sign := p.SeenConverting || p.signIn(chapter)
	oldError := value(chapter.LastConversionError) != ""
	switch {
	case p.Failed(chapter):
		// The error may be that of an earlier conversion, shown by a replica that lags.
		return e.confirmed(e.failed(Error, value(chapter.LastConversionError)))
	case p.PossibleFailure != nil && (open || !worked && !p.dated(chapter)):
		// The error has gone since: somebody dismissed it, or this list is from a replica that lags.
		return e.confirmed(e.failed(Error, *p.PossibleFailure))
	case worked && !open:
		return e.succeeded(Plain)
	case worked && value(p.BusyState) == "converting":
		return e.confirmed(e.succeeded(Plain))
	case worked:
		// The conversion may still run, in a state that does not show it.
		return e.onceUnchangedFor(e.restPeriod(), Watching, e.succeeded(Plain))
	case open && p.dated(chapter) && p.LeftBefore != nil && *p.LeftBefore == e.left():
		return e.whenTheWindowCloses(e.succeeded(Remainder))
	case open && oldError && (p.dated(chapter) || p.SeenConverting), oldError && !sign && p.Confirmed && !p.Joined():
		return e.whenTheWindowCloses(e.failed(OldError, value(chapter.LastConversionError)))
	case p.datedSinceBusy(chapter) && !open:
		return e.succeeded(Plain)
	case p.datedSinceBusy(chapter):
		// The counts may lag behind the date.
		return e.whenTheWindowCloses(e.succeeded(Plain))
	case !wasOpen && (p.SeenConverting || p.dated(chapter)):
		return e.confirmed(e.succeeded(Plain))
	case open && (p.SeenConverting || p.dated(chapter)):
		return e.whenTheWindowCloses(e.failed(Nothing, ""))
	case !sign && p.refusal != nil && !mayMeanBusy(p.refusal):
		return Decision{Step: Failed, Reason: Refused}
	case !sign && p.refusal != nil:
		return e.whenTheWindowCloses(Decision{Step: Failed, Reason: Refused})
	case e.resumed() && (!p.Confirmed || p.WaitedWhole):
		return e.whenTheWindowCloses(Decision{Step: Request, Reason: Never})
	case !p.Confirmed:
		return e.whenTheWindowCloses(Decision{Step: Unknown})
	case open:
		return Decision{Step: Wait, Reason: NotShown}
	case sign && e.resumed():
		// The last change was before this process's first look; nobody knows when.
		return e.onceUnchangedFor(window, Watching, e.succeeded(NoSign))
	default:
		return e.whenTheWindowCloses(e.succeeded(NoSign))
	}
}

// succeeded decides after a conversion that has ended well: the wish is fulfilled, or needs another conversion.
func (e evidence) succeeded(reason Reason) Decision {
	p, chapter := e.pending, e.now.chapter
	switch {
	case e.wish.newTriggers(p):
		return Decision{Step: Request, Reason: NewTriggers}
	case e.wish.outdated(chapter) && value(p.ConvertedAfter) != *e.wish.ConvertedAfter:
		// The date may lag behind the rest of the record.
		return e.whenTheWindowCloses(Decision{Step: Request, Reason: Outdated})
	case p.Joined() && openIn(chapter, e.wish.Leftover):
		// Either the joined conversion began before an edit, or the counts lag.
		return e.whenTheWindowCloses(Decision{Step: Request, Reason: Rest})
	}
	done := Decision{Step: Done, Reason: reason}
	switch {
	case p.worked(chapter, e.wish.Leftover) || reason == Remainder:
		done.Leftover = p.leaves(chapter)
	case e.left() <= e.wish.Leftover:
		done.Leftover = e.left()
	default:
		done.LeftOnce = p.leftOnce(chapter)
	}
	return done
}

// failed decides after a conversion that has failed. If it failed before this apply, another one is requested.
func (e evidence) failed(reason Reason, words audioprojects.Text) Decision {
	endedBefore := e.resumed() && e.unchangedSince().Equal(e.seen[0].requestedAt)
	if endedBefore || e.wish.newTriggers(e.pending) {
		return superseded(e.wish, e.pending, e.seen, reason, words)
	}
	return Decision{Step: Failed, Reason: reason, Words: words}
}

// newTriggers tells whether there is a pending conversion, and it was for other triggers.
func (w Wish) newTriggers(p *Pending) bool {
	return p != nil && w.Triggers != "" && p.Triggers != "" && w.Triggers != p.Triggers
}

// resumed tells whether an earlier process requested or joined the conversion, and this one has not seen it busy.
func (e evidence) resumed() bool {
	return !e.pending.resumedAt.IsZero() && e.pending.busyAt.Before(e.pending.resumedAt)
}

// upToDate tells whether a chapter at rest fulfils the wish without a conversion.
func (w Wish) upToDate(chapter audioprojects.Chapter) bool {
	left, counted := Unconverted(chapter)
	nothingLeft := counted && left <= w.Leftover || !counted && w.DateSuffices && chapter.LastConversionDateUnix != nil
	return w.UpToDate && nothingLeft && !w.outdated(chapter)
}

// outdated tells whether the last conversion of the chapter is older than the wish demands, and is none that we requested for
// the same demand.
func (w Wish) outdated(chapter audioprojects.Chapter) bool {
	date, after := chapter.LastConversionDateUnix, w.ConvertedAfter
	if date == nil || after == nil || int64(*date) >= *after {
		return false
	}
	ours := w.Behind
	return ours == nil || ours.ConvertedAfter != *after || int64(*date) < ours.Date
}

func (e evidence) left() int64 {
	left, _ := Unconverted(e.now.chapter)
	return left
}

// undocumentedBusy tells whether a state that the document does not list may mean that the conversion runs, and what to wait
// for then. Converted text, an error or a moved date show that the conversion has ended, if they stay unchanged for a
// while. A date that appeared together with the state shows nothing while text is open: it may be that of the start.
func (e evidence) undocumentedBusy(open, worked bool) (wait Decision, working bool) {
	p, chapter := e.pending, e.now.chapter
	failed := p.Failed(chapter)
	if !worked && !failed && !p.datedSinceBusy(chapter) && (open || !p.dated(chapter)) {
		return Decision{Step: Wait, Reason: Converting}, true
	}
	rests := Decision{Step: Done}
	if open && !failed {
		wait = e.onceUnchangedFor(e.restPeriod(), Watching, rests)
	} else {
		wait = e.confirmed(rests)
	}
	return wait, wait.Step == Wait
}

// restPeriod is how long a chapter must stay unchanged to count as at rest, if its conversion may run without showing it:
// as long as the conversion took until the last change, but at least a window.
func (e evidence) restPeriod() time.Duration {
	since := e.pending.since
	if since.IsZero() {
		since = time.Unix(e.pending.SinceUnix, 0)
	}
	if !e.pending.resumedAt.IsZero() && since.Before(e.pending.resumedAt) && e.unchangedSince().Equal(e.seen[0].requestedAt) {
		// The last change was before this process's first look; nobody knows when.
		return window
	}
	return max(window, e.unchangedSince().Sub(since))
}

// unchangedSince is when the chapter was first seen as it is now: the request time of the first of the latest looks that
// all show the same.
func (e evidence) unchangedSince() time.Time {
	since := e.now.requestedAt
	for i := len(e.seen) - 2; i >= 0 && alike(e.seen[i].chapter, e.now.chapter); i-- {
		since = e.seen[i].requestedAt
	}
	return since
}

func (e evidence) unchangedFor() time.Duration { return e.now.requestedAt.Sub(e.unchangedSince()) }

// confirmed returns the decision when a second look has shown the same, and [Wait] until then.
func (e evidence) confirmed(decided Decision) Decision {
	return e.onceUnchangedFor(secondLook, Confirming, decided)
}

// onceUnchangedFor returns the decision when the chapter has been unchanged for long enough, and [Wait] until then.
func (e evidence) onceUnchangedFor(enough time.Duration, meanwhile Reason, decided Decision) Decision {
	if e.unchangedFor() >= enough {
		return decided
	}
	return Decision{Step: Wait, Reason: meanwhile, Until: e.unchangedSince().Add(enough)}
}

// whenTheWindowCloses returns the decision when a list that was requested after the end of the window confirms it, and
// [Wait] until then.
func (e evidence) whenTheWindowCloses(decided Decision) Decision {
	if closes := e.windowCloses(); e.now.requestedAt.Before(closes) {
		return Decision{Step: Wait, Reason: Watching, Until: closes}
	}
	return e.confirmed(decided)
}

// windowCloses is when a chapter that does not change begins to prove that nothing happens to it: one window after the
// last of these: the request, a look that showed it busy, a change of its record.
func (e evidence) windowCloses() time.Time {
	p := e.pending
	begins := p.since
	if !p.resumedAt.IsZero() {
		begins = time.Unix(max(value(p.RequestedAtUnix), p.SinceUnix, p.BusyAtUnix)+1, 0)
		// Three kinds get a whole new window: a conversion that somebody else seems to have begun, one for which a whole
		// timeout showed no sign, and one whose time is in the future. A clock that was set back by an hour would
		// otherwise make the window an hour long.
		if p.Joined() && !p.SeenConverting || p.WaitedWhole || begins.After(p.resumedAt.Add(time.Second)) {
			begins = p.resumedAt
		}
	}
	if p.busyAt.After(begins) {
		begins = p.busyAt
	}
	// A chapter that still changes begins the window again. So does a first look that shows a moved date: the conversion may
	// have ended just before, and counts lag behind dates.
	movedBefore := e.resumed() && p.dated(e.now.chapter)
	if since := e.unchangedSince(); (movedBefore || since.After(e.seen[0].requestedAt)) && since.After(begins) {
		begins = since
	}
	return begins.Add(window)
}
