package provider

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// conversionAttempt is a finished call of the engine, for the state and the screen.
type conversionAttempt struct {
	model   *chapterConversionModel
	outcome conversion.Outcome
	err     error
	timeout time.Duration
	// interrupted: Terraform has been asked to stop.
	interrupted bool
	// outOfTime: the timeout has passed. The error alone does not tell: that of a single
	// request that took too long looks the same.
	outOfTime bool
}

// convert calls the engine for the object's chapter.
func (r *chapterConversionResource) convert(ctx context.Context, timeout time.Duration, model *chapterConversionModel, request conversion.Request) conversionAttempt {
	return r.attempt(ctx, timeout, model, request, r.engine.Convert)
}

// await waits for what the ticket stands for, and requests nothing.
func (r *chapterConversionResource) await(ctx context.Context, timeout time.Duration, model *chapterConversionModel, ticket conversion.Ticket) conversionAttempt {
	return r.attempt(ctx, timeout, model, conversion.Request{Resume: &ticket}, r.engine.Await)
}

func (r *chapterConversionResource) attempt(
	ctx context.Context, timeout time.Duration, model *chapterConversionModel, request conversion.Request,
	call func(context.Context, conversion.Request) (conversion.Outcome, error),
) conversionAttempt {
	request.ProjectID = model.ProjectID.ValueString()
	request.ChapterID = model.ChapterID.ValueString()
	request.Progress = func(progress conversion.Progress) { logProgress(ctx, progress) }

	waiting, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	outcome, err := call(waiting, request)
	return conversionAttempt{
		model: model, outcome: outcome, err: err, timeout: timeout,
		interrupted: ctx.Err() != nil,
		outOfTime:   errors.Is(waiting.Err(), context.DeadlineExceeded),
	}
}

// seen tells whether the service could be asked for the chapter at all.
func (a conversionAttempt) seen() bool { return a.outcome.Chapter.ChapterID != "" }

// record is the object's state after the attempt.
func (a conversionAttempt) record() *chapterConversionModel {
	a.model.setChapter(a.outcome.Chapter)
	a.model.setTicket(a.outcome.Ticket)
	return a.model
}

// report says what has become of the conversion; nextApply begins the sentence on what comes next.
func (a conversionAttempt) report(diags *diag.Diagnostics, nextApply string) {
	var failed *conversion.FailedError
	var unconfirmed *conversion.UnconfirmedError
	summary := "Unable to convert " + a.model.thing()
	left, _ := conversion.Unconverted(a.outcome.Chapter)
	if a.outcome.Superseded != "" {
		diags.AddWarning("Earlier conversion failed", "The conversion of "+a.model.thing()+" that was requested earlier had failed. The service said: "+a.outcome.Superseded)
	}
	switch {
	case a.err == nil && a.outcome.Doubt != "":
		diags.AddWarning("No sign of a conversion", "The "+a.model.thing()+": "+a.outcome.Doubt)
	case a.err == nil && a.outcome.Started && left > 0:
		diags.AddWarning("Text left unconverted", fmt.Sprintf("The conversion of %s has ended, and the service counts %d characters or paragraphs as not converted. "+
			"If the text was edited meanwhile, change `triggers` to have it converted: `keep_up_to_date` plans another conversion only when there is more of it.", a.model.thing(), left))
	case a.err == nil:
	case errors.As(a.err, &failed) && failed.Joined:
		diags.AddError(summary, "The conversion that was under way failed; it was not requested here, and nothing was requested since. The service says: "+failed.Words+
			"\n\nThe next apply requests a conversion.")
	case errors.As(a.err, &failed):
		diags.AddError(summary, "The conversion failed. The service says: "+failed.Words+
			"\n\nThe next apply requests another conversion.")
	case errors.As(a.err, &unconfirmed):
		diags.AddError(summary, sentence(a.err)+"\n\n"+a.takenUp(nextApply))
	case a.interrupted && a.outcome.Ticket != nil:
		// No error: Terraform would mark the object as broken and create it again.
		diags.AddWarning("Interrupted while waiting", "Stopped waiting for "+a.where()+". "+a.takenUp("The next apply updates this object in place"))
	case a.interrupted:
		diags.AddError(summary, "Interrupted before anything was requested.")
	case a.outOfTime && a.outcome.Ticket != nil:
		diags.AddError(summary, "Out of time: "+a.where()+". The limit is "+a.timeout.String()+" (`timeouts`). "+a.takenUp(nextApply))
	case a.outOfTime:
		diags.AddError(summary, "Out of time before anything was requested: "+a.where()+". The limit is "+a.timeout.String()+" (`timeouts`).")
	default:
		diags.Append(unable("convert", a.model.thing(), path.Root("project_id"), a.err))
	}
}

// reportUnreplaced says why an object that was to be replaced stays as it is.
func (a conversionAttempt) reportUnreplaced(diags *diag.Diagnostics) {
	summary := "Unable to replace " + a.model.thing()
	const stays = "The object stays in the state as it is, and so does what is pending: the next apply begins here again."
	switch {
	case a.interrupted:
		diags.AddError(summary, "Stopped waiting for "+a.where()+". "+stays)
	case a.outOfTime:
		diags.AddError(summary, "Out of time: "+a.where()+". The limit is "+a.timeout.String()+" (`timeouts`). "+stays)
	default:
		problem := unable("replace", a.model.thing(), path.Root("project_id"), a.err)
		diags.AddError(summary, problem.Detail()+"\n\n"+stays)
	}
}

// where says how far the wait has come.
func (a conversionAttempt) where() string {
	chapter := a.outcome.Chapter
	facts := []string{a.model.thing()}
	if chapter.Name != nil {
		facts = append(facts, fmt.Sprintf("named %q", *chapter.Name))
	}
	if chapter.State != nil {
		facts = append(facts, "state "+*chapter.State)
	}
	if chapter.ConversionProgress != nil {
		facts = append(facts, fmt.Sprintf("progress %v", *chapter.ConversionProgress))
	}
	facts = append(facts, "after "+a.outcome.Waited.Round(time.Second).String())
	if a.outcome.Problem != nil {
		facts = append(facts, "the latest look at it failed ("+a.outcome.Problem.Error()+")")
	}
	return strings.Join(facts, ", ")
}

// takenUp says what happens to a conversion that is not waited for any longer.
func (a conversionAttempt) takenUp(nextApply string) string {
	ticket := a.outcome.Ticket
	if !ticket.Confirmed {
		return "It is not known yet whether the service received the request. " + nextApply +
			": it looks for the conversion first, and requests one only if there is no sign of it."
	}
	goesOn := "The conversion goes on at the service. "
	if !ticket.SeenConverting {
		goesOn = "The service has accepted the request, and does not show the conversion yet. "
	}
	if ticket.Joined() {
		return goesOn + nextApply + ": it waits for this conversion, and requests one only if text is still unconverted when it has ended."
	}
	return goesOn + nextApply + ": it waits for this conversion and requests none."
}

// thing names the object in a message.
func (m *chapterConversionModel) thing() string {
	return fmt.Sprintf("chapter %s of project %s", m.ChapterID, m.ProjectID)
}

// logProgress writes texts only: a log's masks look at nothing else.
func logProgress(ctx context.Context, progress conversion.Progress) {
	fields := map[string]any{
		"chapter_id": progress.Chapter.ChapterID,
		"joined":     strconv.FormatBool(progress.Joined),
		"waited":     progress.Waited.Round(time.Second).String(),
	}
	if progress.Chapter.State != nil {
		fields["state"] = *progress.Chapter.State
	}
	if progress.Chapter.ConversionProgress != nil {
		fields["conversion_progress"] = fmt.Sprint(*progress.Chapter.ConversionProgress)
	}
	tflog.Info(ctx, "Waiting for the conversion of a chapter", fields)
}
