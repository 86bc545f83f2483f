package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// conversionResult is a finished call of the engine, for the screen.
type conversionResult struct {
	thing   string
	outcome conversion.Outcome
	err     error
	timeout time.Duration
	// interrupted: Terraform has been asked to stop.
	interrupted bool
	// outOfTime: the timeout has passed. The error alone does not tell: that of a single
	// request that took too long looks the same.
	outOfTime bool
	// stillPending: the object keeps what an earlier apply has requested, because the chapter could not be looked at.
	stillPending bool
}

// chapterThing names a chapter in a message.
func chapterThing(projectID, chapterID string) string {
	return fmt.Sprintf("chapter %q of project %q", chapterID, projectID)
}

// callEngine has a chapter converted, or waited for.
func callEngine(
	ctx context.Context, timeout time.Duration, wish conversion.Wish,
	call func(context.Context, conversion.Wish) (conversion.Outcome, error),
) conversionResult {
	waiting, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	outcome, err := call(waiting, wish)
	return conversionResult{
		thing: chapterThing(wish.ProjectID, wish.ChapterID), outcome: outcome, err: err, timeout: timeout,
		interrupted: ctx.Err() != nil,
		outOfTime:   errors.Is(waiting.Err(), context.DeadlineExceeded),
	}
}

// sequel is what follows a result, in the words of the block that it is for.
type sequel struct {
	// next is who asks the next time, such as "The next apply".
	next string
	// takesUp begins the sentence on what becomes of a conversion that is not waited for any
	// longer. Empty where nothing remembers it.
	takesUp string
	// limit is the argument that sets the timeout.
	limit string
	// follows says what becomes by itself of text that was edited during the conversion. Empty where nothing does.
	follows string
	// again says how to have the chapter converted once more.
	again string
}

// report says what has become of the conversion.
func (r conversionResult) report(diags *diag.Diagnostics, sequel sequel) {
	earlier := "The conversion of " + r.thing + " that was requested earlier "
	switch r.outcome.SupersededBy {
	case conversion.Error:
		diags.AddWarning("Earlier conversion failed", earlier+"had failed. The service said: "+r.outcome.Superseded)
	case conversion.OldError:
		diags.AddWarning("Earlier conversion failed", earlier+"had converted nothing. The service said: "+r.outcome.Superseded+olderError)
	case conversion.Nothing:
		diags.AddWarning("Earlier conversion failed", earlier+"had ended without converting anything.")
	}
	if r.err == nil {
		r.reportSuccess(diags, sequel)
	} else {
		r.reportError(diags, sequel)
	}
}

// reportSuccess says what a person must know of a conversion that has ended well.
func (r conversionResult) reportSuccess(diags *diag.Diagnostics, sequel sequel) {
	left, _ := conversion.Unconverted(r.outcome.Chapter)
	counted := fmt.Sprintf("the service counts %d characters or paragraphs as not converted. ", left)
	switch {
	case r.outcome.Reason == conversion.NoSign:
		diags.AddWarning("No sign of a conversion", "The service accepted the request, but within 30 s the chapter showed no sign of a conversion. "+
			"It may have had nothing to do.\n\nCheck whether text is missing from the audio of "+r.thing+". "+sequel.again)
	case r.outcome.Reason == conversion.Remainder:
		diags.AddWarning("Text left unconverted", "Two conversions of "+r.thing+" in a row have left the same text, and "+counted+
			"The service does not seem to convert it. The next apply does not convert it again. "+sequel.again)
	case !r.outcome.Requested && !r.outcome.Joined || left == 0:
	case r.outcome.LeftOnce != nil:
		diags.AddWarning("Text left unconverted", "The conversion of "+r.thing+" has ended with a new date, and "+counted+
			"The counts of the service may be late, or it has converted nothing. "+sequel.follows+sequel.again)
	case left > r.outcome.Leftover:
		diags.AddWarning("Text left unconverted", "The text of "+r.thing+" was edited while it was converted, and "+counted+sequel.follows+sequel.again)
	default:
		diags.AddWarning("Text left unconverted", "The conversion of "+r.thing+" has ended, and "+counted+"The next apply does not convert it again. "+sequel.again)
	}
}

// reportError says why the wish is not fulfilled, and what follows.
func (r conversionResult) reportError(diags *diag.Diagnostics, sequel sequel) {
	var failed *conversion.FailedError
	var unconfirmed *conversion.UnconfirmedError
	var request *audioprojects.Error
	summary := "Unable to convert " + r.thing
	switch {
	case errors.As(r.err, &failed):
		diags.AddError(summary, r.howItFailed(failed)+"\n\n"+r.afterFailure(failed, sequel))
	case errors.As(r.err, &unconfirmed):
		diags.AddError(summary, sentence(r.err)+"\n\n"+r.takenUp(sequel))
	case r.interrupted && r.outcome.Pending == nil:
		diags.AddError(summary, "Interrupted "+r.tooEarly()+".\n\n"+r.begins(sequel))
	case r.interrupted && sequel.takesUp == "":
		diags.AddError(summary, "Stopped waiting for "+r.where()+".\n\n"+r.takenUp(sequel))
	case r.interrupted:
		// No error: Terraform would mark the object as broken and create it again.
		sequel.takesUp = updatesInPlace
		diags.AddWarning("Interrupted while waiting", "Stopped waiting for "+r.where()+".\n\n"+r.takenUp(sequel))
	case r.outOfTime && r.outcome.Pending != nil:
		diags.AddError(summary, "Out of time: "+r.where()+". The limit is "+r.timeout.String()+" ("+sequel.limit+").\n\n"+r.takenUp(sequel))
	case r.outOfTime:
		diags.AddError(summary, "Out of time "+r.tooEarly()+": "+r.where()+". The limit is "+r.timeout.String()+" ("+sequel.limit+").\n\n"+r.nextBegins(sequel))
	case r.outcome.Pending != nil && r.outcome.Pending.Failure == nil:
		diags.Append(unable("convert", r.thing, path.Root("project_id"), r.err, r.takenUp(sequel)))
	case errors.As(r.err, &request) && request.Kind == audioprojects.Rejected && request.Method == http.MethodPost:
		// The engine has looked.
		diags.Append(unable("convert", r.thing, path.Root("project_id"), r.err,
			"The chapter shows no sign of a conversion, so nothing seems to have been spent."))
	default:
		diags.Append(unable("convert", r.thing, path.Root("project_id"), r.err))
	}
}

// olderError follows the words of an error that need not be this conversion's.
const olderError = "\n\nThe chapter showed the same error before the request, so the error may be older."

func (r conversionResult) howItFailed(failed *conversion.FailedError) string {
	whose, other := "The conversion", ""
	if failed.Joined {
		whose, other = "The conversion that was under way", "; it was not requested here, and nothing was requested since"
	}
	switch failed.Reason {
	case conversion.Nothing:
		return whose + " has ended without converting anything, and the service gives no error" + other + ". Somebody may have cancelled it there."
	case conversion.OldError:
		return whose + " has converted nothing" + other + ". The service says: " + failed.Words + olderError
	default:
		return whose + " failed" + other + ". The service says: " + failed.Words
	}
}

func (r conversionResult) afterFailure(failed *conversion.FailedError, sequel sequel) string {
	if failed.Reason == conversion.Error || sequel.takesUp == "" {
		return sequel.next + " requests another conversion."
	}
	return sequel.takesUp + ": it looks at the chapter first, and requests another conversion only if nothing has been converted by then."
}

// where says how far the wait has come.
func (r conversionResult) where() string {
	chapter := r.outcome.Chapter
	facts := []string{r.thing}
	if chapter.Name != nil {
		facts = append(facts, fmt.Sprintf("named %q", *chapter.Name))
	}
	if chapter.State != nil {
		facts = append(facts, "state "+chapter.State.Line())
	}
	if chapter.ConversionProgress != nil {
		facts = append(facts, fmt.Sprintf("progress %v", *chapter.ConversionProgress))
	}
	if pending := r.outcome.Pending; pending != nil && pending.Failed(chapter) {
		facts = append(facts, "with the error "+strconv.Quote(chapter.LastConversionError.Line()))
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

// tooEarly says what an attempt that was cut short had not come to.
func (r conversionResult) tooEarly() string {
	if r.stillPending {
		return "before the chapter could be looked at"
	}
	return "before anything was requested"
}

func (r conversionResult) begins(sequel sequel) string {
	if r.stillPending {
		return "What is pending stays in the state. " + sequel.next + " begins again."
	}
	return sequel.next + " begins again."
}

// nextBegins says what to do where nothing was requested.
func (r conversionResult) nextBegins(sequel sequel) string {
	again := r.begins(sequel)
	if problem := cmp.Or(r.outcome.Problem, r.outcome.Postponed); problem != nil {
		return advice(problem) + "\n\n" + again
	}
	return again
}

// takenUp says what happens to a conversion that is not waited for any longer.
func (r conversionResult) takenUp(sequel sequel) string {
	pending := r.outcome.Pending
	goesOn := "The conversion goes on at the service. "
	looksFirst := !pending.Confirmed || pending.WaitedWhole
	switch {
	case errors.Is(r.err, audioprojects.NotFound):
		goesOn = ""
	case pending.Rests(r.outcome.Chapter):
		goesOn = "The chapter's state has not changed for an hour, so the next apply takes it that no conversion is running. "
		looksFirst = true
	case !pending.Confirmed:
		goesOn = "It is not known yet whether the service received the request. "
	case !pending.SeenConverting:
		goesOn = "The service has accepted the request, and does not show the conversion yet. "
	}
	switch {
	case sequel.takesUp == "" && pending.SeenConverting:
		return goesOn + sequel.next + " joins it while it runs, and requests another when it has ended."
	case sequel.takesUp == "":
		return goesOn + "Look at the chapter's state and `last_conversion_date_unix` first. " +
			sequel.next + " joins the conversion while it runs, and requests another when it has ended."
	case looksFirst:
		return goesOn + sequel.takesUp + ": it looks for the conversion first, and requests one only if there is no sign of it."
	case pending.Joined():
		return goesOn + sequel.takesUp + ": it waits for this conversion, and requests one only if text is still unconverted when it has ended."
	default:
		return goesOn + sequel.takesUp + ": it waits for this conversion and requests none."
	}
}

// logProgress writes texts only: a log's masks look at nothing else.
func logProgress(ctx context.Context, progress conversion.Progress) {
	fields := map[string]any{
		"chapter_id": progress.Chapter.ChapterID,
		"joined":     strconv.FormatBool(progress.Joined),
		"waited":     progress.Waited.Round(time.Second).String(),
	}
	if progress.Chapter.State != nil {
		fields["state"] = progress.Chapter.State.Line()
	}
	if progress.Chapter.ConversionProgress != nil {
		fields["conversion_progress"] = fmt.Sprint(*progress.Chapter.ConversionProgress)
	}
	if progress.Problem != nil {
		fields["problem"] = progress.Problem.Error()
	}
	tflog.Info(ctx, "Waiting for the conversion of a chapter", fields)
}
