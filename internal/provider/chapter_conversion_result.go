package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// chapterConversionResult is a finished call of the engine, for the state and the screen.
type chapterConversionResult struct {
	conversionResult
	model *chapterConversionModel
}

const updatesInPlace = "The next apply updates this object in place"

// afterCreate and afterUpdate are what follows a creation or an update of the object.
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
		again: "To convert the chapter once more, change `triggers`; for an object that has had none and is without `keep_up_to_date`, " +
			"run `terraform apply -replace` with its address.",
	}
}

// convert has the object's chapter converted.
func (r *chapterConversionResource) convert(ctx context.Context, timeout time.Duration, model *chapterConversionModel, wish conversion.Wish) chapterConversionResult {
	return r.call(ctx, timeout, model, wish, r.engine.Convert)
}

// await waits for what is pending, and requests nothing.
func (r *chapterConversionResource) await(ctx context.Context, timeout time.Duration, model *chapterConversionModel, wish conversion.Wish) chapterConversionResult {
	return r.call(ctx, timeout, model, wish, r.engine.Await)
}

func (r *chapterConversionResource) call(
	ctx context.Context, timeout time.Duration, model *chapterConversionModel, wish conversion.Wish,
	call func(context.Context, conversion.Wish) (conversion.Outcome, error),
) chapterConversionResult {
	wish.Progress = func(progress conversion.Progress) { logProgress(ctx, progress) }
	return chapterConversionResult{callEngine(ctx, timeout, wish, call), model}
}

// seen tells whether the service could be asked for the chapter at all.
func (r chapterConversionResult) seen() bool { return r.outcome.Chapter.ChapterID != "" }

// record is the object's state after the call.
func (r chapterConversionResult) record() *chapterConversionModel {
	r.model.setChapter(r.outcome.Chapter)
	r.model.setPending(r.outcome.Pending)
	return r.model
}

// reportUnreplaced says why an object that was to be replaced stays as it is.
func (r chapterConversionResult) reportUnreplaced(diags *diag.Diagnostics) {
	summary := "Unable to replace " + r.thing
	const stays = "The object stays in the state as it is, and so does what is pending: the next apply begins here again."
	switch {
	case r.interrupted:
		diags.AddError(summary, "Stopped waiting for "+r.where()+".\n\n"+stays)
	case r.outOfTime:
		diags.AddError(summary, "Out of time: "+r.where()+". The limit is "+r.timeout.String()+" (`timeouts`).\n\n"+stays)
	default:
		diags.Append(unable("replace", r.thing, path.Root("project_id"), r.err, stays))
	}
}

// thing names the object in a message.
func (m *chapterConversionModel) thing() string {
	return chapterThing(m.ProjectID.ValueString(), m.ChapterID.ValueString())
}
