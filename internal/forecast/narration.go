package forecast

import (
	"strconv"
	"strings"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// What messages say of a conversion that exists already, and of what follows from it, is said here: in a plan, in a line of progress, and
// when a wait has ended. All of them tell the same of the conversion.

// Wording holds the words that differ between the messages of a resource and of an action, and of a creation and a deletion.
type Wording struct {
	verb            string // what has been tried
	next            string // begins a sentence about the next attempt, such as "The next apply"
	remembers       bool   // the resource saves what is pending
	timeoutArgument string // the argument that sets the timeout
	again           string // how to convert a chapter once more
	stays           string // ends an error with what becomes of the resource
	creates         bool   // nothing but what is pending is remembered if one chapter fails
}

// StalePlan ends an error of an apply: the next apply is not one of the same saved plan. Terraform refuses that, and says that somebody
// else has changed the state.
const StalePlan = "\n\nA saved plan is stale now: plan again, then apply."

var (
	// AfterApply is for a resource that is created or updated.
	AfterApply = Wording{
		verb: "convert", next: "The next apply", remembers: true, timeoutArgument: "`timeouts`",
		again: "To convert the chapter again, invoke the action `audioprojects_convert_chapter`.", stays: StalePlan,
	}
	// AfterInvoke is for an action. That has no state, so it remembers nothing.
	AfterInvoke = Wording{verb: "convert", next: "Invoking the action again", timeoutArgument: "`timeouts.invoke`", again: "To convert the chapter again, invoke the action once more."}
)

// Creating is for a creation.
func (w Wording) Creating() Wording {
	w.creates = true
	return w
}

// Tainting is for a creation that failed, and of which something must be remembered.
func (w Wording) Tainting() Wording {
	w.stays = "\n\nUntil then, the resource is tainted. Terraform replaces it in the state only, and not at the service." + StalePlan
	return w
}

// joinsLater ends a sentence about a conversion that may show itself later.
func (w Wording) joinsLater() string {
	return strings.ToLower(w.next[:1]) + w.next[1:] + " waits for that."
}

// startsOver is what follows if nothing was done.
func (w Wording) startsOver() string { return "Nothing was requested. " + w.next + " starts over." }

// goesOn is what follows if the chapter could not be read, or nothing was requested for it in time.
func (w Wording) goesOn(pending *conversion.ResumeToken) string {
	if pending != nil && w.remembers {
		return "The pending conversion stays in the state. " + w.next + " continues with it."
	}
	return w.next + " starts over."
}

const (
	onlyIf     = ", and requests another only if it fails or leaves text unconverted."
	looksFirst = " looks for the conversion first, and requests one only if there is no sign of it."
)

// stillPending says what is known of a conversion after the wait for it has stopped, and what follows; empty if none is waited for.
func (e chapterResult) stillPending(after Wording) (known, follows string) {
	switch {
	case !e.waitsFor():
		return "", ""
	case conversion.IsMissing(e.Err) && after.remembers:
		return "Its conversion was pending, and two lists lack the chapter, one 5 s after the other.",
			after.next + " waits for that conversion if the service lists the chapter again."
	case conversion.IsMissing(e.Err):
		return "", ""
	}
	isJoined := e.Memory.Pending.Joined()
	isAccepted := e.Memory.Pending.Answer == conversion.Accepted
	switch {
	case e.Memory.Pending.Phase == conversion.PhaseRunning:
		known, follows = "The conversion continues at the service.", after.next+" waits for the conversion"+onlyIf
		if e.Verdict.Reason == conversion.NewTriggers {
			follows = after.next + " waits for the conversion, and requests one for the changed `triggers` then."
		}
		if !e.Chapter.Busy() {
			known = "The provider cannot tell yet how the conversion has ended."
		}
		if e.Chapter.HasOwnWord() && after.remembers {
			follows += " If that state means that the chapter is converted, remove the resource from the state, and import it: that requests nothing."
		}
	case e.Memory.Pending.Phase == conversion.PhaseFailed:
		return "", after.next + " requests another conversion."
	case isAccepted:
		known, follows = "The service accepted the request, but does not show the conversion yet."+e.quotedAnswer(), after.next+looksFirst
	default:
		known, follows = "The provider does not know yet whether the service received the request.", after.next+looksFirst
	}
	if !e.Chapter.Busy() {
		known += e.quotedProblem()
	}
	switch {
	case after.remembers:
	case e.Memory.Pending.Phase == conversion.PhaseRunning || isJoined:
		follows = after.next + joinsIfRunning
	default:
		follows = "Check the chapter's `state` and `last_conversion_date_unix` first. " + after.next + joinsIfRunning
	}
	return known, follows
}

// quotedAnswer is what the service said to the request that it accepted; empty if that is nothing.
func (e chapterResult) quotedAnswer() string {
	answer := e.Answer.Line()
	if answer == "" {
		return ""
	}
	return " Its answer was:" + say.Quoted(answer)
}

// problemShown is the error message of a chapter, or a state that says that it failed; quotedProblem quotes it if there is one.
func problemShown(chapter audioprojects.Chapter) string {
	switch {
	case chapter.LastConversionError.Value != nil:
		return chapter.LastConversionError.Value.Line()
	case chapter.SaysFailed():
		return chapter.State.Line()
	default:
		return ""
	}
}

func (e chapterResult) quotedProblem() string {
	shown := problemShown(e.Chapter)
	if shown == "" {
		return ""
	}
	return " The chapter shows this error message, which may be older:" + say.Quoted(shown)
}

// joinsIfRunning is what follows where nothing is remembered.
const joinsIfRunning = " joins the conversion if it is still running, and may request another if it has ended."

// inSeconds is a time in a sentence.
func inSeconds(d time.Duration) string { return strconv.Itoa(int(d.Seconds())) + " s" }
