package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// conversionResult is the result of a call of the engine.
type conversionResult struct {
	thing   string // the chapter, in messages
	outcome conversion.Outcome
	err     error
	timeout time.Duration
	// interrupted is true if Terraform was asked to stop.
	interrupted bool
	// outOfTime is true if the timeout has passed. The error does not tell, because the timeout of a single
	// request gives the same error.
	outOfTime bool
}

// chapterThing names a chapter in messages about it alone.
func chapterThing(projectID string, chapter audioprojects.Chapter) string {
	return fmt.Sprintf("chapter %s of project %q", identified(chapter), projectID)
}

// callEngine calls a method of the engine with a timeout.
func callEngine(
	ctx context.Context, timeout time.Duration, wish conversion.Demand,
	call func(context.Context, conversion.Demand) (conversion.Outcome, error),
) conversionResult {
	waiting, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	outcome, err := call(waiting, wish)
	named := audioprojects.Chapter{ChapterID: wish.ChapterID, Name: outcome.Chapter.Name}
	return conversionResult{
		thing: chapterThing(wish.ProjectID, named), outcome: outcome, err: err, timeout: timeout,
		interrupted: ctx.Err() != nil,
		outOfTime:   errors.Is(waiting.Err(), context.DeadlineExceeded),
	}
}

// seen reports whether the chapter was read at least once. If not, nothing was decided or requested.
func (r conversionResult) seen() bool { return r.outcome.Chapter.ChapterID != "" }

// waitsFor reports whether a conversion was requested or joined, and is not known to have ended.
func (r conversionResult) waitsFor() bool { return r.seen() && r.outcome.Pending != nil }

// resultKind selects the message for a result. There are three groups, and report depends on their order.
type resultKind int

const (
	// The chapter is converted.
	converted   resultKind = iota
	noSign                 // the request was accepted, and nothing shows a conversion: perhaps there was nothing to do
	remainder              // two conversions have left the same text
	leftInDoubt            // a conversion has set a new date and left text, once: the counts may be late
	leftByEdit             // text is unconverted because it was edited meanwhile
	leftOver               // our own conversion has left text

	// The chapter is not converted.
	failed      // the conversion has ended
	unconfirmed // it is not known whether the service received the request
	refused     // the service has refused the request
	bounded     // max_characters does not allow the request
	unreachable // the service does not answer

	// The wait was cut short.
	interruptedEarly // before a conversion was requested
	interrupted
	outOfTimeEarly // before a conversion was requested
	outOfTime
)

func (r conversionResult) kind() resultKind {
	var failure *conversion.FailedError
	var lost *conversion.UnconfirmedError
	var bound *conversion.BoundError
	var request *audioprojects.Error
	switch {
	case r.err == nil:
		return r.kindOfSuccess()
	case errors.As(r.err, &failure):
		return failed
	case errors.As(r.err, &lost):
		return unconfirmed
	case errors.As(r.err, &bound):
		return bounded
	case r.interrupted && r.waitsFor():
		return interrupted
	case r.interrupted:
		return interruptedEarly
	case r.outOfTime && r.waitsFor():
		return outOfTime
	case r.outOfTime:
		return outOfTimeEarly
	case !r.waitsFor() && errors.As(r.err, &request) && request.Kind == audioprojects.Rejected && request.Method == http.MethodPost:
		return refused
	default:
		return unreachable
	}
}

func (r conversionResult) kindOfSuccess() resultKind {
	left := r.left()
	switch {
	case r.outcome.Reason == conversion.NoSign:
		return noSign
	case r.outcome.Reason == conversion.Remainder:
		return remainder
	case !r.outcome.Requested && !r.outcome.Joined || left == 0:
		return converted
	case r.outcome.SuspectedRemainder != nil:
		return leftInDoubt
	case left > r.outcome.KnownRemainder:
		return leftByEdit
	default:
		return leftOver
	}
}

func (r conversionResult) left() int64 {
	left, _ := conversion.Unconverted(r.outcome.Chapter)
	return left
}

// sequel has the parts of messages that differ between the resource and the action: what happens next.
type sequel struct {
	// next begins a sentence about the next attempt, such as "The next apply".
	next string
	// remembers is true if the block saves what is pending. Then takesUp begins a sentence about what happens to it,
	// such as "The next apply updates this object in place".
	remembers bool
	takesUp   string
	// limit is the argument that sets the timeout.
	limit string
	// follows is a sentence about text that was edited during the conversion. It is empty if that text is not
	// converted without further action.
	follows string
	// again is a sentence about how to convert the chapter once more.
	again string
}

// report adds diagnostics about the result.
func (r conversionResult) report(diags *diag.Diagnostics, after sequel) {
	r.reportSuperseded(diags)
	switch kind := r.kind(); {
	case kind < failed:
		r.reportSuccess(diags, kind, after)
	case kind < interruptedEarly:
		r.reportFailure(diags, kind, after)
	default:
		r.reportCutShort(diags, kind, after)
	}
}

// reportSuperseded warns if another conversion was requested because the pending one had failed.
func (r conversionResult) reportSuperseded(diags *diag.Diagnostics) {
	var how, older string
	switch r.outcome.After {
	case conversion.Error:
		how = "had failed. The service said: " + said(r.outcome.FailedWords)
	case conversion.OldError:
		how, older = "had converted nothing. The service said: "+said(r.outcome.FailedWords), olderError
	case conversion.Nothing:
		how = "had ended without converting anything."
	default:
		return
	}
	diags.AddWarning("Earlier conversion failed", quoting("The conversion of "+r.thing+" that was requested earlier "+how)+older)
}

// reportSuccess warns of text that may be missing from the audio although the conversion succeeded.
func (r conversionResult) reportSuccess(diags *diag.Diagnostics, kind resultKind, after sequel) {
	counted := fmt.Sprintf("the service counts %d characters or paragraphs as not converted. ", r.left())
	// This sentence is not true for an action, which converts every time.
	notAgain := "The next apply does not convert it again. "
	if !after.remembers {
		notAgain = ""
	}
	var text string
	switch kind {
	case noSign:
		diags.AddWarning("No sign of a conversion", "The service accepted the request, but within 30 s the chapter showed no sign of a conversion. "+
			"It may have had nothing to do.\n\n"+quoting("Check whether text is missing from the audio of "+r.thing+". "+after.again))
		return
	case remainder:
		text = "Two conversions of " + r.thing + " in a row have left the same text, and " + counted +
			"The service does not seem to convert it. " + notAgain
	case leftInDoubt:
		text = "The conversion of " + r.thing + " has ended with a new date, and " + counted +
			"The counts of the service may be late, or it has converted nothing. " + after.follows
	case leftByEdit:
		text = "The text of " + r.thing + " was edited while it was converted, and " + counted + after.follows
	case leftOver:
		text = "The conversion of " + r.thing + " has ended, and " + counted + notAgain
	default:
		return
	}
	diags.AddWarning("Text left unconverted", quoting(text+after.again))
}

// reportFailure says why the chapter is not converted, and what follows.
func (r conversionResult) reportFailure(diags *diag.Diagnostics, kind resultKind, after sequel) {
	summary, at := "Unable to convert "+r.thing, path.Root("project_id")
	switch {
	case kind == failed:
		var failure *conversion.FailedError
		errors.As(r.err, &failure)
		diags.AddError(summary, howItFailed(failure)+"\n\n"+afterFailure(failure, after))
	case kind == unconfirmed:
		diags.AddError(summary, quoting(sentence(r.err))+"\n\n"+r.takenUpParagraphs(after))
	case kind == bounded:
		diags.Append(tooMany(path.Root("chapter_id"), r.err, "Together with what has been requested"))
	case kind == refused:
		// The engine has read the chapter after the refusal.
		diags.Append(unable("convert", r.thing, at, r.err, "The chapter shows no sign of a conversion, so nothing seems to have been spent."))
	case r.waitsFor() && r.outcome.Pending.Failure == nil:
		diags.Append(unable("convert", r.thing, at, r.err, r.takenUpParagraphs(after)))
	default:
		diags.Append(unable("convert", r.thing, at, r.err))
	}
}

// olderError follows the service's message if it may be about an earlier conversion.
const olderError = "\n\nThe chapter showed the same error before the request, so the error may be older."

func howItFailed(failure *conversion.FailedError) string {
	whose, other := "The conversion", ""
	if failure.Joined {
		whose, other = "The conversion that was under way", "; it was not requested here, and nothing was requested since"
	}
	switch failure.Reason {
	case conversion.Nothing:
		return whose + " has ended without converting anything, and the service gives no error" + other + ". Somebody may have cancelled it there."
	case conversion.OldError:
		return quoting(whose+" has converted nothing"+other+". The service says: "+said(failure.Words)) + olderError
	default:
		return quoting(whose + " failed" + other + ". The service says: " + said(failure.Words))
	}
}

func afterFailure(failure *conversion.FailedError, after sequel) string {
	if failure.Reason == conversion.Error || !after.remembers {
		return after.next + " requests another conversion."
	}
	return after.takesUp + ": it looks at the chapter first, and requests another conversion only if nothing has been converted by then."
}

// reportCutShort says how far the wait was, and what follows.
func (r conversionResult) reportCutShort(diags *diag.Diagnostics, kind resultKind, after sequel) {
	summary := "Unable to convert " + r.thing
	outOfTimeFor := func(what string) string {
		return quoting("Out of time"+what+": "+r.where()+". The limit is "+r.timeout.String()+" ("+after.limit+").") + "\n\n"
	}
	stopped := quoting("Stopped waiting for "+r.where()+".") + "\n\n"
	switch {
	case kind == interruptedEarly:
		diags.AddError(summary, "Interrupted "+r.tooEarly()+".\n\n"+r.beginsAgain(after))
	case kind == outOfTimeEarly:
		diags.AddError(summary, outOfTimeFor(" "+r.tooEarly())+r.adviceAndBeginsAgain(after))
	case kind == outOfTime:
		diags.AddError(summary, outOfTimeFor("")+r.takenUpParagraphs(after))
	case after.remembers:
		// A warning, because after an error in a creation Terraform taints the object and replaces it.
		after.takesUp = updatesInPlace
		diags.AddWarning("Interrupted while waiting", stopped+r.takenUpParagraphs(after))
	default:
		diags.AddError(summary, stopped+r.takenUpParagraphs(after))
	}
}

// reportUnreplaced says why an object was not replaced.
func (r conversionResult) reportUnreplaced(diags *diag.Diagnostics) {
	summary := "Unable to replace " + r.thing
	const stays = "The object stays in the state as it is, and so does what is pending: the next apply begins here again."
	var failure *conversion.FailedError
	switch {
	case errors.As(r.err, &failure):
		diags.AddError(summary, howItFailed(failure)+"\n\nThe object stays in the state. "+afterFailure(failure, afterUpdate))
	case r.interrupted:
		diags.AddError(summary, quoting("Stopped waiting for "+r.where()+".")+"\n\n"+stays)
	case r.outOfTime:
		diags.AddError(summary, quoting("Out of time: "+r.where()+". The limit is "+r.timeout.String()+" (`timeouts`).")+"\n\n"+stays)
	default:
		diags.Append(unable("replace", r.thing, path.Root("project_id"), r.err, stays))
	}
}

// where says how far the wait is: the chapter, its state, the time and the latest problem.
func (r conversionResult) where() string {
	chapter := r.outcome.Chapter
	facts := []string{r.thing}
	if chapter.State != nil {
		facts = append(facts, "state "+chapter.State.Line())
	}
	if r.outcome.Percent != nil {
		facts = append(facts, fmt.Sprintf("%d %%", *r.outcome.Percent))
	}
	facts = append(facts, "after "+r.outcome.Waited.Round(time.Second).String())
	if r.outcome.Problem != nil {
		facts = append(facts, "the latest look at it failed ("+r.outcome.Problem.Error()+")")
	}
	if r.outcome.Postponed != nil {
		facts = append(facts, "a conversion could not be requested ("+r.outcome.Postponed.Error()+")")
	}
	return strings.Join(facts, ", ")
}

// tooEarly says what was not reached when the wait was cut short.
func (r conversionResult) tooEarly() string {
	if r.outcome.Pending != nil {
		return "before the chapter could be looked at"
	}
	return "before anything was requested"
}

func (r conversionResult) beginsAgain(after sequel) string {
	switch {
	case !after.remembers:
		return "Invoke the action again."
	case r.outcome.Pending != nil:
		return "What is pending stays in the state. " + after.next + " begins again."
	default:
		return after.next + " begins again."
	}
}

// adviceAndBeginsAgain says what to do if nothing was requested because of a problem.
func (r conversionResult) adviceAndBeginsAgain(after sequel) string {
	if problem := cmp.Or(r.outcome.Problem, r.outcome.Postponed); problem != nil {
		return advice(problem) + "\n\n" + r.beginsAgain(after)
	}
	return r.beginsAgain(after)
}
