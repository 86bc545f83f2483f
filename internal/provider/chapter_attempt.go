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

// chapterAttempt is a finished call of the engine, for the screen.
type chapterAttempt struct {
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

// attemptChapter calls the engine.
func attemptChapter(
	ctx context.Context, timeout time.Duration, request conversion.Request,
	call func(context.Context, conversion.Request) (conversion.Outcome, error),
) chapterAttempt {
	waiting, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	outcome, err := call(waiting, request)
	return chapterAttempt{
		thing: chapterThing(request.ProjectID, request.ChapterID), outcome: outcome, err: err, timeout: timeout,
		interrupted: ctx.Err() != nil,
		outOfTime:   errors.Is(waiting.Err(), context.DeadlineExceeded),
	}
}

// sequel is what follows an attempt, in the words of the block that made it.
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
func (a chapterAttempt) report(diags *diag.Diagnostics, sequel sequel) {
	var failed *conversion.FailedError
	var unconfirmed *conversion.UnconfirmedError
	var request *audioprojects.Error
	summary := "Unable to convert " + a.thing
	left, _ := conversion.Unconverted(a.outcome.Chapter)
	if a.outcome.Superseded != "" {
		diags.AddWarning("Earlier conversion failed", "The conversion of "+a.thing+" that was requested earlier had failed. The service said: "+a.outcome.Superseded)
	}
	switch {
	case a.err == nil && a.outcome.Doubt != "":
		diags.AddWarning("No sign of a conversion", a.outcome.Doubt+"\n\nCheck whether text is missing from the audio of "+a.thing+". "+sequel.again)
	case a.err == nil && (a.outcome.Started || a.outcome.Joined) && left > a.outcome.Leftover:
		diags.AddWarning("Text left unconverted", fmt.Sprintf("The text of %s was edited while it was converted, and the service counts %d characters or paragraphs as not converted. "+
			"%s%s", a.thing, left, sequel.follows, sequel.again))
	case a.err == nil && (a.outcome.Started || a.outcome.Joined) && left > 0:
		diags.AddWarning("Text left unconverted", fmt.Sprintf("The conversion of %s has ended, and the service counts %d characters or paragraphs as not converted. "+
			"The next apply does not convert it again. %s", a.thing, left, sequel.again))
	case a.err == nil:
	case errors.As(a.err, &failed) && failed.Joined:
		diags.AddError(summary, "The conversion that was under way failed; it was not requested here, and nothing was requested since. The service says: "+failed.Words+
			"\n\n"+sequel.next+" requests a conversion.")
	case errors.As(a.err, &failed):
		diags.AddError(summary, "The conversion failed. The service says: "+failed.Words+
			"\n\n"+sequel.next+" requests another conversion.")
	case errors.As(a.err, &unconfirmed):
		diags.AddError(summary, sentence(a.err)+"\n\n"+a.takenUp(sequel))
	case a.interrupted && a.outcome.Ticket == nil:
		diags.AddError(summary, "Interrupted "+a.tooEarly()+".\n\n"+a.begins(sequel))
	case a.interrupted && sequel.takesUp == "":
		diags.AddError(summary, "Stopped waiting for "+a.where()+".\n\n"+a.takenUp(sequel))
	case a.interrupted:
		// No error: Terraform would mark the object as broken and create it again.
		sequel.takesUp = updatesInPlace
		diags.AddWarning("Interrupted while waiting", "Stopped waiting for "+a.where()+".\n\n"+a.takenUp(sequel))
	case a.outOfTime && a.outcome.Ticket != nil:
		diags.AddError(summary, "Out of time: "+a.where()+". The limit is "+a.timeout.String()+" ("+sequel.limit+").\n\n"+a.takenUp(sequel))
	case a.outOfTime:
		diags.AddError(summary, "Out of time "+a.tooEarly()+": "+a.where()+". The limit is "+a.timeout.String()+" ("+sequel.limit+").\n\n"+a.nextBegins(sequel))
	case a.outcome.Ticket != nil && a.outcome.Ticket.Failure == nil:
		diags.Append(unable("convert", a.thing, path.Root("project_id"), a.err, a.takenUp(sequel)))
	case errors.As(a.err, &request) && request.Kind == audioprojects.Rejected && request.Method == http.MethodPost:
		// The engine has looked.
		diags.Append(unable("convert", a.thing, path.Root("project_id"), a.err,
			"The chapter shows no sign of a conversion, so nothing seems to have been spent."))
	default:
		diags.Append(unable("convert", a.thing, path.Root("project_id"), a.err))
	}
}

// where says how far the wait has come.
func (a chapterAttempt) where() string {
	chapter := a.outcome.Chapter
	facts := []string{a.thing}
	if chapter.Name != nil {
		facts = append(facts, fmt.Sprintf("named %q", *chapter.Name))
	}
	if chapter.State != nil {
		facts = append(facts, "state "+chapter.State.Line())
	}
	if chapter.ConversionProgress != nil {
		facts = append(facts, fmt.Sprintf("progress %v", *chapter.ConversionProgress))
	}
	facts = append(facts, "after "+a.outcome.Waited.Round(time.Second).String())
	if a.outcome.Problem != nil {
		facts = append(facts, "the latest look at it failed ("+a.outcome.Problem.Error()+")")
	}
	if a.outcome.Postponed != nil {
		facts = append(facts, "a conversion could not be requested ("+a.outcome.Postponed.Error()+")")
	}
	return strings.Join(facts, ", ")
}

// tooEarly says what an attempt that was cut short had not come to.
func (a chapterAttempt) tooEarly() string {
	if a.stillPending {
		return "before the chapter could be looked at"
	}
	return "before anything was requested"
}

func (a chapterAttempt) begins(sequel sequel) string {
	if a.stillPending {
		return "What is pending stays in the state. " + sequel.next + " begins again."
	}
	return sequel.next + " begins again."
}

// nextBegins says what to do where nothing was requested.
func (a chapterAttempt) nextBegins(sequel sequel) string {
	again := a.begins(sequel)
	if problem := cmp.Or(a.outcome.Problem, a.outcome.Postponed); problem != nil {
		return advice(problem) + "\n\n" + again
	}
	return again
}

// takenUp says what happens to a conversion that is not waited for any longer.
func (a chapterAttempt) takenUp(sequel sequel) string {
	ticket := a.outcome.Ticket
	goesOn := "The conversion goes on at the service. "
	switch {
	case errors.Is(a.err, audioprojects.NotFound):
		goesOn = ""
	case !ticket.Confirmed:
		goesOn = "It is not known yet whether the service received the request. "
	case !ticket.SeenConverting:
		goesOn = "The service has accepted the request, and does not show the conversion yet. "
	}
	switch {
	case sequel.takesUp == "" && ticket.SeenConverting:
		return goesOn + sequel.next + " joins it while it runs, and requests another when it has ended."
	case sequel.takesUp == "":
		return goesOn + "Look at the chapter's state and `last_conversion_date_unix` first. " +
			sequel.next + " joins the conversion while it runs, and requests another when it has ended."
	case !ticket.Confirmed:
		return goesOn + sequel.takesUp + ": it looks for the conversion first, and requests one only if there is no sign of it."
	case ticket.Joined():
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
