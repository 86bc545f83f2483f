package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// conversionAttempt is a finished call of the engine, for the state and the screen.
type conversionAttempt struct {
	chapterAttempt
	model *chapterConversionModel
}

const updatesInPlace = "The next apply updates this object in place"

// afterCreate and afterUpdate are what follows an attempt to create or update the object.
var (
	afterCreate = afterApply("The next apply replaces this object in Terraform's state alone")
	afterUpdate = afterApply(updatesInPlace)
)

func afterApply(takesUp string) sequel {
	return sequel{
		next:    "The next apply",
		takesUp: takesUp,
		limit:   "`timeouts`",
		follows: "With `keep_up_to_date = true`, the next apply converts it. ",
		again: "To convert the chapter once more, change `triggers`; for an object that has had none, " +
			"run `terraform apply -replace` with its address.",
	}
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
	return conversionAttempt{attemptChapter(ctx, timeout, request, call), model}
}

// seen tells whether the service could be asked for the chapter at all.
func (a conversionAttempt) seen() bool { return a.outcome.Chapter.ChapterID != "" }

// record is the object's state after the attempt.
func (a conversionAttempt) record() *chapterConversionModel {
	a.model.setChapter(a.outcome.Chapter)
	a.model.setTicket(a.outcome.Ticket)
	return a.model
}

// reportUnreplaced says why an object that was to be replaced stays as it is.
func (a conversionAttempt) reportUnreplaced(diags *diag.Diagnostics) {
	summary := "Unable to replace " + a.thing
	const stays = "The object stays in the state as it is, and so does what is pending: the next apply begins here again."
	switch {
	case a.interrupted:
		diags.AddError(summary, "Stopped waiting for "+a.where()+".\n\n"+stays)
	case a.outOfTime:
		diags.AddError(summary, "Out of time: "+a.where()+". The limit is "+a.timeout.String()+" (`timeouts`).\n\n"+stays)
	default:
		diags.Append(unable("replace", a.thing, path.Root("project_id"), a.err, stays))
	}
}

// thing names the object in a message.
func (m *chapterConversionModel) thing() string {
	return chapterThing(m.ProjectID.ValueString(), m.ChapterID.ValueString())
}
