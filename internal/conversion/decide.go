package conversion

import (
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

const (
	// window is how long after a request, and after a look that showed the chapter busy, a chapter may
	// look untouched: services start late, and lists lag.
	window = 30 * time.Second
	// secondLook is how much later than another look one must be requested to confirm it.
	secondLook = 5 * time.Second
)

// observation is a chapter as one list showed it.
type observation struct {
	requestedAt time.Time // when that list was requested
	chapter     audioprojects.Chapter
}

// Step is what is to be done next.
type Step int

// The steps, and the ends that they lead to.
const (
	Look    Step = iota // at the chapter, at once
	Join                // what somebody else has asked for
	Request             // a conversion
	Wait                // for another look
	Done                // end: the wish is fulfilled
	Failed              // end: the conversion failed, or ended without converting
	Unknown             // end: nobody knows whether the service received the request
)

// Reason says why, where a step has several.
type Reason int

// The reasons. Those of a [Request] are what became of the conversion before it.
const (
	Plain Reason = iota
	// NothingLeft: the chapter has nothing left to convert, which is all that was wished. Done.
	NothingLeft
	// EndedBefore: a conversion that was wished by another block ended in this process. Done, or what it ended in.
	EndedBefore
	// NoSign: the service accepted the request and nothing shows of it, but nothing was open. Done, with a doubt.
	NoSign
	// Remainder: the second conversion in a row leaves the same text. Done: the service does not convert it.
	Remainder
	// Converting: the chapter is busy. Wait.
	Converting
	// NotShown: the service accepted the request and does not show the conversion yet. Wait.
	NotShown
	// Confirming: what the last look shows is believed when another shows the same. Wait.
	Confirming
	// Watching: what the chapter shows may change until the window closes. Wait.
	Watching
	// Error: the chapter shows an error that is this conversion's. Failed, or Request.
	Error
	// OldError: the chapter shows the error that it had before. Failed, or Request.
	OldError
	// Nothing: the conversion was seen, or dated, and has converted nothing. Failed, or Request.
	Nothing
	// Refused: the service declined the request, and nothing shows. Failed.
	Refused
	// Never: there has been no sign of what an earlier apply requested. Request.
	Never
	// Rest: what somebody else had asked for left text unconverted. Request.
	Rest
	// NewTriggers: what an earlier apply requested was for other triggers. Request, once it has ended.
	NewTriggers
)

// Decision is what follows from all that is known.
type Decision struct {
	Step   Step
	Reason Reason
	// Until is when a look may decide although nothing has changed; zero: none may. For [Wait].
	Until time.Time
	// Words are the service's on a failure.
	Words audioprojects.Text
	// Leftover is how much text is left over: the conversion has left it and is known to have dealt with the rest.
	Leftover int64
	// LeftOnce is what a conversion left that was dated and is not known to have converted anything; nil otherwise.
	LeftOnce *int64
}

// decide says what to do about a wish. It is all that the plan, the refresh, the apply, the wait before a
// replacement and the action go by, so that they cannot disagree. The observations are those that
// count, oldest first: of lists that were requested after the conversion was, or after it was taken up. The first
// rule that fits decides.
func decide(wish Wish, pending *Pending, seen []observation) Decision {
	if len(seen) == 0 {
		return Decision{Step: Look}
	}
	now := seen[len(seen)-1]
	switch {
	case pending == nil && wish.ended != nil && !Busy(now.chapter) && !wish.ended.outgrownBy(now.chapter):
		return ifFresh(wish, now, Decision{Step: wish.ended.step, Reason: EndedBefore})
	case pending == nil:
		return decideAnew(wish, seen)
	case pending.Failure != nil:
		return superseded(wish, pending, seen, Error, *pending.Failure)
	}
	return evidence{wish, pending, seen, now}.decide()
}

// decideAnew is for a wish without anything pending.
func decideAnew(wish Wish, seen []observation) Decision {
	now := seen[len(seen)-1]
	left, counted := Unconverted(now.chapter)
	switch {
	case Busy(now.chapter):
		return Decision{Step: Join}
	case wish.UpToDate && counted && left <= wish.Leftover:
		return ifFresh(wish, now, Decision{Step: Done, Reason: NothingLeft, Leftover: left})
	case wish.ended != nil, wish.UpToDate && wish.Known && !wish.madeAt.IsZero() && !later(now.chapter.LastConversionDateUnix, wish.Date):
		// It was up to date, and has no newer date: its text was edited since, or a replica lags.
		return evidence{wish, nil, seen, now}.confirmed(Decision{Step: Request})
	default:
		return Decision{Step: Request}
	}
}

// ifFresh makes sure that to do nothing is decided by a list that was requested after the
// wish was made: another block of the same apply may have edited the text just before.
func ifFresh(wish Wish, now observation, decided Decision) Decision {
	if now.requestedAt.Before(wish.madeAt) {
		return Decision{Step: Look}
	}
	return decided
}

// superseded is a conversion that ended badly before this apply: the wish stands as if there had been none. If it was
// for more than open text, for another voice say, a chapter without open text does not fulfil it.
func superseded(wish Wish, pending *Pending, seen []observation, reason Reason, words audioprojects.Text) Decision {
	wish.UpToDate = wish.UpToDate && pending.wasOpen(wish.Leftover)
	decided := decideAnew(wish, seen)
	if decided.Step == Join || decided.Step == Request {
		decided.Reason, decided.Words = reason, words
		decided.LeftOnce = pending.leftOnce(seen[len(seen)-1].chapter)
	}
	return decided
}

// leftOnce is what a conversion has left that the service has dated.
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
	if p.unnamed(chapter) {
		if wait, working := e.unnamedWorks(open, worked); working {
			return wait
		}
	}
	wasOpen := p.wasOpen(e.wish.Leftover)
	sign := p.SeenConverting || p.signIn(chapter)
	oldError := value(chapter.LastConversionError) != ""
	switch {
	case p.Failed(chapter):
		// A replica that lags may show the error of an earlier conversion.
		return e.confirmed(e.failed(Error, value(chapter.LastConversionError)))
	case p.suspect != nil && (open || !worked && !p.dated(chapter)):
		// Somebody has dismissed it since, or this list is from a replica that lags.
		return e.confirmed(e.failed(Error, *p.suspect))
	case worked && !open:
		return e.succeeded(Plain)
	case worked && value(p.BusyState) == "converting":
		return e.confirmed(e.succeeded(Plain))
	case worked:
		// It may be at work still, in a state that does not show it.
		return e.whenItHasStood(e.patience(), Watching, e.succeeded(Plain))
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
		// Nobody knows when the last change was.
		return e.whenItHasStood(window, Watching, e.succeeded(NoSign))
	default:
		return e.whenTheWindowCloses(e.succeeded(NoSign))
	}
}

// succeeded is a conversion that has ended well: what the wish is still about follows it.
func (e evidence) succeeded(reason Reason) Decision {
	p, chapter := e.pending, e.now.chapter
	switch {
	case e.wish.newTriggers(p):
		return Decision{Step: Request, Reason: NewTriggers}
	case p.Joined() && openIn(chapter, e.wish.Leftover):
		// It began before an edit, unless its counts lag.
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

// failed is a conversion that has ended badly. If that was before this apply, the wish goes on.
func (e evidence) failed(reason Reason, words audioprojects.Text) Decision {
	endedBefore := e.resumed() && e.stoodSince().Equal(e.seen[0].requestedAt)
	if endedBefore || e.wish.newTriggers(e.pending) {
		return superseded(e.wish, e.pending, e.seen, reason, words)
	}
	return Decision{Step: Failed, Reason: reason, Words: words}
}

// newTriggers tells whether the pending conversion was for other triggers.
func (w Wish) newTriggers(p *Pending) bool {
	return w.Triggers != "" && p.Triggers != "" && w.Triggers != p.Triggers
}

// resumed tells whether the conversion is an earlier apply's, and was not seen busy in this one.
func (e evidence) resumed() bool {
	return !e.pending.resumedAt.IsZero() && e.pending.busyAt.Before(e.pending.resumedAt)
}

func (e evidence) left() int64 {
	left, _ := Unconverted(e.now.chapter)
	return left
}

// unnamedWorks tells whether a state that the document does not give may stand for work, and what to wait for then.
// Work, an error and a moved date show that it does not, if they stand for a while; a date that the word came with shows
// nothing while text is open.
func (e evidence) unnamedWorks(open, worked bool) (wait Decision, working bool) {
	p, chapter := e.pending, e.now.chapter
	failed := p.Failed(chapter)
	if !worked && !failed && !p.datedSinceBusy(chapter) && (open || !p.dated(chapter)) {
		return Decision{Step: Wait, Reason: Converting}, true
	}
	rests := Decision{Step: Done}
	if open && !failed {
		wait = e.whenItHasStood(e.patience(), Watching, rests)
	} else {
		wait = e.confirmed(rests)
	}
	return wait, wait.Step == Wait
}

// patience is how long a chapter must stand unchanged that may be at work without showing it: as long as it has taken
// to come this far, but a window at least.
func (e evidence) patience() time.Duration {
	since := e.pending.since
	if since.IsZero() {
		since = time.Unix(e.pending.SinceUnix, 0)
	}
	if !e.pending.resumedAt.IsZero() && since.Before(e.pending.resumedAt) && e.stoodSince().Equal(e.seen[0].requestedAt) {
		// Nobody knows when the last change was.
		return window
	}
	return max(window, e.stoodSince().Sub(since))
}

// stoodSince is when the first of the latest looks was requested that all show the same.
func (e evidence) stoodSince() time.Time {
	since := e.now.requestedAt
	for i := len(e.seen) - 2; i >= 0 && alike(e.seen[i].chapter, e.now.chapter); i-- {
		since = e.seen[i].requestedAt
	}
	return since
}

func (e evidence) stood() time.Duration { return e.now.requestedAt.Sub(e.stoodSince()) }

// confirmed holds a decision back until a second look shows the same.
func (e evidence) confirmed(decided Decision) Decision {
	return e.whenItHasStood(secondLook, Confirming, decided)
}

// whenItHasStood holds a decision back until the chapter has shown the same for a while.
func (e evidence) whenItHasStood(enough time.Duration, meanwhile Reason, decided Decision) Decision {
	if e.stood() >= enough {
		return decided
	}
	return Decision{Step: Wait, Reason: meanwhile, Until: e.stoodSince().Add(enough)}
}

// whenTheWindowCloses holds a decision back until a list shows the same that was requested after that.
func (e evidence) whenTheWindowCloses(decided Decision) Decision {
	if closes := e.windowCloses(); e.now.requestedAt.Before(closes) {
		return Decision{Step: Wait, Reason: Watching, Until: closes}
	}
	return e.confirmed(decided)
}

// windowCloses is when an untouched chapter begins to mean that nothing happens to it: a window after the
// request, after it was seen busy, and after its record changed.
func (e evidence) windowCloses() time.Time {
	p := e.pending
	begins := p.since
	if !p.resumedAt.IsZero() {
		begins = time.Unix(max(value(p.RequestedAtUnix), p.SinceUnix, p.BusyAtUnix)+1, 0)
		// A conversion that somebody else is said to have begun, or one that was waited for in vain, gets a whole window
		// again. So does one of the future: a clock that was set back must not make this an hour.
		if p.Joined() && !p.SeenConverting || p.WaitedWhole || begins.After(p.resumedAt.Add(time.Second)) {
			begins = p.resumedAt
		}
	}
	if p.busyAt.After(begins) {
		begins = p.busyAt
	}
	// A chapter that still changes is not untouched.
	if since := e.stoodSince(); since.After(e.seen[0].requestedAt) && since.After(begins) {
		begins = since
	}
	return begins.Add(window)
}
