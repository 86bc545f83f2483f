package forecast

import (
	"strings"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// What messages say of a conversion that exists already, and of what follows from it, is said here: in a plan, in a line of progress, and
// when a wait has ended. All of them tell the same phase of the conversion.

// Wording holds the words that differ between the messages of a resource and of an action, and of a creation and a deletion.
type Wording struct {
	verb            string // what has been tried
	next            string // begins a sentence about the next attempt, such as "The next apply"
	remembers       bool   // the resource saves what is pending
	timeoutArgument string // the argument that sets the timeout
	again           string // how to convert a chapter once more
	stays           string // ends an error with what becomes of the resource
}

var (
	// AfterApply is for a resource that is created or updated.
	AfterApply = Wording{
		verb: "convert", next: "The next apply", remembers: true, timeoutArgument: "`timeouts`",
		again: "To convert the chapter again, invoke the action `audioprojects_convert_chapter`.",
	}
	// AfterDelete is for a resource that is replaced.
	AfterDelete = Wording{
		verb: "replace", next: "The next apply", remembers: true, timeoutArgument: "`timeouts`",
		stays: "\n\nThe resource and its pending conversion stay in the state.",
	}
	// AfterInvoke is for an action. That has no state, so it remembers nothing.
	AfterInvoke = Wording{verb: "convert", next: "Invoking the action again", timeoutArgument: "`timeout`", again: "To convert the chapter again, invoke the action once more."}
)

// Tainting is for a creation that failed, and of which something must be remembered.
func (w Wording) Tainting() Wording {
	w.stays = "\n\nUntil then, the resource is tainted. Terraform replaces it in the state only, and not at the service."
	return w
}

// startsOver is what follows if nothing was done.
func (w Wording) startsOver() string { return "Nothing was requested. " + w.next + " starts over." }

// pendingStays is what becomes of a conversion whose end is not known.
const pendingStays = "The pending conversion stays in the state."

// goesOn is what follows if the chapter could not be read, or nothing was requested for it in time.
func (w Wording) goesOn(pending *conversion.ResumeToken) string {
	if pending != nil && w.remembers {
		return pendingStays + " " + w.next + " continues with it."
	}
	return w.next + " starts over."
}

// standing is how far an existing conversion is, as far as the provider knows.
type standing int

const (
	noConversion     standing = iota
	underWay                  // It is somebody else's, or that of an interrupted run.
	convertedSince            // It failed, and the chapter has been converted since.
	failedBefore              // It failed.
	endedForOthers            // It was for other triggers.
	endedEarly                // It was joined, or nobody saw its end, and text is unconverted.
	succeeded                 // It succeeded.
	mayRun                    // It may be somebody else's, which the service does not show yet.
	noSignYet                 // The chapter was watched for long enough, and has shown no conversion.
	unconfirmed               // The answer to the request was lost.
	notShown                  // The service accepted the request.
	unclear                   // It has run, and may have ended.
	forOtherTriggers          // It is running.
	forOtherTime
	beforeEdit
	running
)

// standingOf is the phase of the conversion that a desired state would continue with.
func standingOf(predicted conversion.ChapterStatus) standing {
	decided, p, desired := predicted.Decision, predicted.Pending, predicted.Desired
	isSeen := p != nil && decided.Reason == conversion.Converting
	if decided.Step == conversion.Join || isSeen && p.Joined() {
		return underWay
	}
	if p == nil {
		return noConversion
	}
	switch {
	case p.Failed() && decided.Step == conversion.Done:
		return convertedSince
	case p.Failed(), decided.Reason == conversion.Error, decided.Reason == conversion.OldError, decided.Reason == conversion.Nothing:
		return failedBefore
	case decided.Reason == conversion.NewTriggers:
		return endedForOthers
	case decided.Reason == conversion.UnconvertedText:
		return endedEarly
	case decided.Step == conversion.Done:
		return succeeded
	case p.Joined() && p.Phase != conversion.PhaseRunning:
		return mayRun
	case p.Phase == conversion.PhaseWatched:
		return noSignYet
	case !p.Confirmed():
		return unconfirmed
	case decided.Reason == conversion.NoSignBefore, decided.Reason == conversion.NotShown:
		return notShown
	case decided.Reason == conversion.Watching, decided.Reason == conversion.Confirming:
		return unclear
	case desired.Triggers != "" && p.Triggers != "" && desired.Triggers != p.Triggers:
		return forOtherTriggers
	case desired.ConvertedAfter != nil && (p.ConvertedAfter == nil || *p.ConvertedAfter != *desired.ConvertedAfter):
		return forOtherTime
	case wantsEdits(desired) && wasEdited(p, desired, predicted.Chapter):
		return beforeEdit
	default:
		return running
	}
}

// wantsEdits reports whether text is wanted that was written after the conversion began.
func wantsEdits(desired conversion.Desired) bool { return desired.UpToDate || !desired.Known }

func wasEdited(p *conversion.ResumeToken, desired conversion.Desired, chapter audioprojects.Chapter) bool {
	left, _ := chapter.Statistics.Unconverted()
	hasNewText := left > desired.KnownRemainder && !p.WasUnconverted(desired.KnownRemainder)
	return p.TextLengthChanged(chapter) || hasNewText
}

// sentences are what messages say in a phase.
type sentences struct {
	plan    string // of a plan: what is known, and what applying does
	known   string // of the end of a wait: what is known
	follows string // of the end of a wait: what the next attempt does, after its name
}

const (
	earlier          = "A conversion requested earlier"
	waitsForIt       = " waits for it" + onlyIf
	onlyIf           = ", and requests another only if that one fails or leaves text unconverted."
	mayNotShow       = "The service may be running a conversion that it does not show yet."
	continues        = "The conversion continues at the service."
	looksFirst       = " looks for the conversion first, and requests one only if there is no sign of it."
	mayRequestForNew = " waits for the conversion, and may request another, because `triggers`, `converted_after` or the text changed in the meantime."
)

// sentencesOf has the sentences of each phase, without those that quote the service. Those of an end that no wait has are empty.
var sentencesOf = map[standing]sentences{
	underWay: {
		"A conversion is under way that this resource did not request: somebody else did, or an interrupted run. Applying" + waitsForIt,
		continues, " waits for the conversion" + onlyIf,
	},
	endedForOthers: {plan: earlier + " succeeded. It was for other `triggers`, so applying requests one for these."},
	endedEarly:     {plan: "The conversion has ended, and text is unconverted that may have been edited since it began. Applying requests one for the rest."},
	succeeded:      {plan: earlier + " succeeded. Applying records that and requests none."},
	mayRun: {
		mayNotShow + " Applying looks for it first, and requests one only if there is no sign of it.",
		mayNotShow, looksFirst,
	},
	noSignYet: {
		"The service has shown no conversion since an earlier request. Applying requests one.",
		"The service has shown no conversion since the request.", " checks the chapter, and requests a conversion if there is still no sign of one.",
	},
	unconfirmed: {
		"The provider does not know whether the service received an earlier request. Applying" + looksFirst,
		"The provider does not know yet whether the service received the request.", looksFirst,
	},
	notShown: {
		"The service accepted an earlier request, but does not show the conversion yet. Applying looks for it first, and requests another only if there is no sign of it.",
		"The service accepted the request, but does not show the conversion yet.", looksFirst,
	},
	unclear: {
		"The provider cannot tell yet whether a conversion requested earlier has ended. Applying waits until it can" + onlyIf,
		"The provider cannot tell yet whether the conversion has ended.", " waits until that is clear" + onlyIf,
	},
	forOtherTriggers: {
		earlier + " is still running. It is for other `triggers`, so applying waits for it and then requests one for these.",
		continues, mayRequestForNew,
	},
	forOtherTime: {
		earlier + " is still running. Applying waits for it, and requests another only if that one fails, leaves text unconverted, or has a timestamp before `converted_after`.",
		continues, mayRequestForNew,
	},
	beforeEdit: {
		earlier + " is still running, and the text was edited after it began. Applying" + waitsForIt,
		continues, mayRequestForNew,
	},
	running: {
		earlier + " is still running. Applying" + waitsForIt,
		continues, " waits for the conversion" + onlyIf,
	},
}

// hungUp says whose impatience may have ended a conversion.
const hungUp = "The provider ended its request after `request_timeout`, before the service had answered it, and services may cancel a conversion whose caller " +
	"has gone. Set a longer `request_timeout` in the provider block first: otherwise the next conversion may end, and cost, in the same way."

// inPlan says what an apply does about a conversion that exists already; it says nothing if there is none.
func inPlan(predicted conversion.ChapterStatus) string {
	says := ofPending(predicted)
	p, decided := predicted.Pending, predicted.Decision
	isOpen := p != nil && !p.Failed() && decided.Step != conversion.Done && decided.Reason != conversion.Converting
	if isOpen && p.HungUp {
		says = strings.TrimSuffix(says, perhapsCancelled) + "\n\n" + hungUp
	}
	return says
}

func ofPending(predicted conversion.ChapterStatus) string {
	p, decided := predicted.Pending, predicted.Decision
	at := standingOf(predicted)
	switch {
	case at == convertedSince:
		return earlier + " failed, and the chapter has been converted since. Applying requests none. " + errorMessage + say.Quoted(p.Failure.Line())
	case at == failedBefore && p.Failed():
		return howItFailed(earlier, conversion.Error, string(*p.Failure), ". Applying requests another")
	case at == failedBefore:
		return howItFailed(earlier, decided.Reason, string(decided.Words), ". Applying requests another")
	default:
		return sentencesOf[at].plan
	}
}

// stillPending says what is known of a conversion after the wait for it has stopped, and what follows; empty if none is waited for.
func (r Result) stillPending(end ending, after Wording) (known, follows string) {
	if !end.waitsFor() || conversion.IsMissing(end.Err) {
		return "", ""
	}
	status := end.ChapterStatus
	status.Decision = end.lastSeen()
	at := standingOf(status)
	if at == failedBefore {
		return "The conversion seems to have failed. " + errorMessage + say.Quoted(end.Pending.Failure.Line()),
			after.next + " checks the chapter first, and requests another conversion if this one has failed."
	}
	known, follows = sentencesOf[at].known, after.next+sentencesOf[at].follows
	switch {
	case after.remembers:
	case end.Pending.Phase == conversion.PhaseRunning:
		follows = after.next + joinsIfRunning
	default:
		follows = "Check the chapter's `state` and `last_conversion_date_unix` first. " + after.next + joinsIfRunning
	}
	return known, follows
}

// joinsIfRunning is what follows where nothing is remembered.
const joinsIfRunning = " joins the conversion if it is still running, and may request another if it has ended."

// lastSeen is to what the latest look at a conversion leads that is waited for.
func (e ending) lastSeen() conversion.Decision {
	reason, p := conversion.Converting, e.Pending
	isShown := p.Phase == conversion.PhaseRunning || !p.Joined() && p.Progresses(e.Chapter) && e.Problem == nil
	isBusy := e.Chapter.Busy() || p.Progresses(e.Chapter)
	switch {
	case !isShown:
		reason = conversion.NotShown
	case !isBusy, e.Problem != nil:
		reason = conversion.Watching
	}
	return conversion.Decision{Step: conversion.Wait, Reason: reason}
}

// errorMessage announces what the service says.
const errorMessage = "The service's error message:"

// perhapsCancelled follows what ended without a word.
const perhapsCancelled = " Somebody may have cancelled it at the service."

// howItFailed says how a conversion failed, and what follows from that.
func howItFailed(which string, reason conversion.Reason, words, follows string) string {
	switch reason {
	case conversion.Nothing:
		return which + " ended without converting anything, and without an error message" + follows + "." + perhapsCancelled
	case conversion.OldError:
		return which + " converted nothing" + follows + ". The chapter showed this error message before, so the message may be older:" + say.Quoted(say.ShownText(words))
	default:
		return which + " failed" + follows + ". " + errorMessage + say.Quoted(say.ShownText(words))
	}
}

// butNotConverted ends a sentence about what the next attempt requests for a book.
const butNotConverted = " nothing for chapters that are already converted."

// convertsAll reports whether the next attempt converts every chapter, whatever this one has done.
func (r Result) convertsAll(after Wording) bool { return !after.remembers && !r.Template.UpToDate }

func (r Result) followingFailure(failure *conversion.FailedError, after Wording) string {
	switch {
	case failure.Reason != conversion.Error && after.remembers:
		return after.next + " checks the chapter first, and requests another conversion only if nothing has been converted by then."
	case r.SingleChapter || r.convertsAll(after):
		return after.next + " requests another conversion."
	default:
		return after.next + " requests another conversion of each, and" + butNotConverted
	}
}

// howItBegan says in a line of progress that a conversion was requested or joined; empty if it was before.
func howItBegan(now, before conversion.Outcome) string {
	isRequested := now.Requested && !before.Requested
	isJoined := now.WaitedFor && !before.WaitedFor
	switch {
	case isRequested && !now.Pending.Confirmed():
		return "conversion requested, no clear answer, watching for a sign of it"
	case isRequested:
		return "conversion requested"
	case isJoined && now.Chapter.Busy():
		return "joined a conversion that was already running, requested none"
	default:
		return ""
	}
}

// whatIsAwaited says in a line of progress what is waited for, with how far it is.
func whatIsAwaited(now conversion.Outcome, progress string) string {
	switch {
	case now.Chapter.ChapterID == "":
		return "not read yet"
	case now.Chapter.Busy():
		return stateOf(now.Chapter) + progress
	case !now.Requested && !now.WaitedFor:
		return "no conversion requested yet, state " + stateOf(now.Chapter)
	default:
		return "waiting for a sign of the conversion, state " + stateOf(now.Chapter)
	}
}

// interruptedLine is the line of progress about conversions that an interruption leaves under way.
func interruptedLine(names []string) string {
	return "Interrupted: " + say.FirstOf(names) + ": the conversion may continue at the service. " + AfterInvoke.next + strings.TrimSuffix(joinsIfRunning, ".")
}

func stateOf(chapter audioprojects.Chapter) string {
	if chapter.State == nil {
		return "unknown"
	}
	return chapter.State.Line()
}
