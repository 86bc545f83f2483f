package provider

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// defaultTimeout is how long a conversion is waited for if the configuration does not say.
const defaultTimeout = time.Hour

var (
	_ resource.ResourceWithConfigure   = &chapterConversionResource{}
	_ resource.ResourceWithIdentity    = &chapterConversionResource{}
	_ resource.ResourceWithModifyPlan  = &chapterConversionResource{}
	_ resource.ResourceWithImportState = &chapterConversionResource{}
)

func newChapterConversionResource() resource.Resource { return &chapterConversionResource{} }

type chapterConversionResource struct{ *providerData }

func (r *chapterConversionResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_chapter_conversion"
}

func (r *chapterConversionResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.providerData = configured(req.ProviderData, &resp.Diagnostics)
}

const updatesInPlace = "The next apply updates this object in place"

// afterCreate and afterUpdate say what follows a creation or an update of the object.
var (
	afterCreate = afterApply("The next apply replaces this object in Terraform's state alone")
	afterUpdate = afterApply(updatesInPlace)
)

// convertChapterAgain ends a sentence. It holds for every object: one that is replaced adopts a chapter with keep_up_to_date.
const convertChapterAgain = "invoke the action `audioprojects_convert_chapter`, or change `triggers`."

func afterApply(takesUp string) sequel {
	return sequel{
		next:      "The next apply",
		remembers: true, takesUp: takesUp,
		limit:   "`timeouts`",
		follows: "With `keep_up_to_date = true`, the next apply converts it. ",
		again:   "To convert the chapter once more, " + convertChapterAgain,
	}
}

func (r *chapterConversionResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan chapterConversionModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	timeout := createTimeout(ctx, plan.Timeouts, defaultTimeout)
	result := r.call(ctx, timeout, plan.wish(objectMemory{}, &resp.Diagnostics), r.engine.Convert)
	result.report(&resp.Diagnostics, afterCreate)
	var failed *conversion.FailedError
	if result.err != nil && (result.outcome.Pending == nil || errors.As(result.err, &failed) && failed.Reason == conversion.Error) {
		// Nothing is pending, so no state is saved, and the next apply creates the object.
		return
	}
	memory := objectMemory{Tainted: resp.Diagnostics.HasError()}
	if result.remains(&memory, plan.ChapterID.ValueString()) || memory.Tainted {
		resp.Diagnostics.Append(setPrivate(ctx, resp.Private, memoryKey, memory)...)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, plan.after(result.outcome))...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
}

func (r *chapterConversionResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state chapterConversionModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, state.identity())...)
	memory := readMemory(ctx, req.Private, state.ChapterID.ValueString(), &resp.Diagnostics)
	wish := state.wish(memory, &resp.Diagnostics)
	if !r.ready() || resp.Diagnostics.HasError() {
		return
	}
	predicted, err := r.engine.Predict(ctx, wish)
	var missing *conversion.MissingChapterError
	switch {
	case errors.As(err, &missing) && wish.Pending == nil:
		resp.Diagnostics.AddWarning("Chapter is gone",
			quoting(sentence(err)+" Terraform forgets the object: "+state.thing()+"."))
		resp.State.RemoveResource(ctx)
		return
	case errors.As(err, &missing):
		resp.Diagnostics.Append(unable("read", state.thing(), path.Root("project_id"), err,
			"A conversion of it is pending, which stays in the state. If the chapter has been deleted, remove the block and apply with -refresh=false."))
		return
	case err != nil && !r.said.first("unread project "+wish.ProjectID):
		// One error ends the plan. A thousand, one for each chapter, could not be read.
		return
	case errors.Is(err, audioprojects.NotFound):
		// The key of another account gets the same answer. If the object were removed from the state, the chapter
		// would be converted again later.
		resp.Diagnostics.Append(unable("read", state.thing(), path.Root("project_id"), err,
			"What is in the state stays there. If the project has been deleted, remove the block and apply with -refresh=false."))
		return
	case err != nil:
		resp.Diagnostics.Append(unable("read", state.thing(), path.Root("project_id"), err))
		return
	}
	before := state
	if predicted.Chapter.ChapterID != "" {
		state.chapterModel = newChapterModel(predicted.Chapter)
	}
	decided := predicted.Decision
	switch {
	case wish.Pending == nil && state.unconverted() < wish.KnownRemainder:
		// The text was edited, or somebody has converted it. What is unconverted later is new.
		memory.remains(wish.ChapterID, 0, wish.SuspectedRemainder)
		resp.Diagnostics.Append(setPrivate(ctx, resp.Private, memoryKey, memory)...)
	case wish.Pending == nil:
	case decided.Reason == conversion.Error:
		// The failure is saved, because the service may not show it at the next look.
		wish.Pending.Failure = &decided.Words
		state.setPending(wish.Pending)
	case decided.Step == conversion.Done && !memory.Tainted:
		state.setPending(nil)
		if memory.remains(wish.ChapterID, decided.KnownRemainder, decided.SuspectedRemainder) {
			resp.Diagnostics.Append(setPrivate(ctx, resp.Private, memoryKey, memory)...)
		}
	}
	if wish.Pending != nil && (memory.Tainted || decided.Step != conversion.Done) {
		r.handOver(wish, *wish.Pending, memory.Tainted)
	}
	if state.equal(before.chapterModel) && state.PendingConversion.Equal(before.PendingConversion) {
		return // Most chapters of a plan are as they were, and the response has the prior state already.
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

func (r *chapterConversionResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var state, plan chapterConversionModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	// The framework requires an identity, and the state of Terraform before 1.12 has none.
	resp.Diagnostics.Append(resp.Identity.Set(ctx, state.identity())...)
	timeout, diags := plan.Timeouts.Update(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	memory := readMemory(ctx, req.Private, state.ChapterID.ValueString(), &resp.Diagnostics)
	wish := wishToUpdate(state, plan, memory, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if plan.conversionPlanned() && wish.Pending == nil && !plan.KeepUpToDate.ValueBool() && !triggersChanged(state, plan) {
		// Triggers were unknown in the plan, and now have the same values as in the state.
		plan.keepComputed(state)
	}
	if !plan.conversionPlanned() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		return
	}
	result := r.call(ctx, timeout, wish, r.engine.Convert)
	result.report(&resp.Diagnostics, afterUpdate)
	if result.err != nil && !result.waitsFor() {
		// Terraform keeps the prior state, and with it what is pending there.
		return
	}
	memory.Tainted = memory.Tainted && resp.Diagnostics.HasError()
	result.remains(&memory, wish.ChapterID)
	resp.Diagnostics.Append(setPrivate(ctx, resp.Private, memoryKey, memory)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan.after(result.outcome))...)
}

// wishToUpdate takes the triggers and keep_up_to_date from the plan, and everything else from the state.
func wishToUpdate(state, plan chapterConversionModel, memory objectMemory, diags *diag.Diagnostics) conversion.Demand {
	wish := state.wish(memory, diags)
	wish.Known = true
	wish.Triggers = plan.fingerprint()
	wish.UpToDate = plan.KeepUpToDate.ValueBool() && !triggersChanged(state, plan)
	return wish
}

// remains notes how much text a successful conversion has left unconverted, and tells whether that is another than before.
func (r conversionResult) remains(memory *objectMemory, chapterID string) (other bool) {
	if r.err != nil || !r.outcome.Requested && !r.outcome.Joined {
		return false
	}
	return memory.remains(chapterID, r.outcome.KnownRemainder, r.outcome.SuspectedRemainder)
}

// call calls a method of the engine, which converts the chapter or waits for what is pending, and logs the progress.
func (r *chapterConversionResource) call(
	ctx context.Context, timeout time.Duration, wish conversion.Demand,
	call func(context.Context, conversion.Demand) (conversion.Outcome, error),
) conversionResult {
	wish.Progress = func(progress conversion.Outcome) { logProgress(ctx, progress) }
	return callEngine(ctx, timeout, wish, call)
}

// Delete requests nothing, because a conversion cannot be undone. If the object is being replaced, Delete waits for the
// pending conversion: if that is interrupted, the old object can still stay in the state with the conversion.
// Then it hands the conversion over, within this process, to the creation that follows.
func (r *chapterConversionResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state chapterConversionModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	wish := state.wish(objectMemory{}, &resp.Diagnostics)
	// It is that of the plan of the creation that replaces the object, if one does.
	memory := readMemory(ctx, req.Private, wish.ChapterID, &resp.Diagnostics)
	replaced := memory.Successor == state.ID.ValueString()
	if !r.ready() || resp.Diagnostics.HasError() || wish.Pending == nil {
		return
	}
	pending := wish.Pending
	if replaced {
		result := r.call(ctx, memory.Timeout, wish, r.engine.Await)
		if result.err != nil && !errors.Is(result.err, audioprojects.NotFound) {
			result.reportUnreplaced(&resp.Diagnostics)
			if result.outcome.Pending != nil {
				if memory.ByHand {
					// The next apply cannot know that the replacement was requested after this conversion, so that
					// another must follow. Without this time the conversion counts as somebody else's, and one does.
					result.outcome.Pending.RequestedAtUnix = nil
				}
				state.setPending(result.outcome.Pending)
				resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
			}
			// Terraform saves the private state of the plan with the object.
			resp.Diagnostics.Append(setPrivate(ctx, resp.Private, memoryKey, objectMemory{Tainted: true})...)
			return
		}
		pending = result.outcome.Pending
	}
	r.handOver(wish, *pending, replaced && !memory.ByHand)
}

// handOver gives the pending conversion to the creation that replaces the object. If a person asked for the
// replacement, the conversion began before that. So it is marked like somebody else's, without the time of a request.
func (r *chapterConversionResource) handOver(wish conversion.Demand, pending conversion.Ticket, afterFailure bool) {
	if !afterFailure {
		pending.RequestedAtUnix = nil
	}
	r.engine.HandOver(wish.ProjectID, wish.ChapterID, pending)
}

func (r *chapterConversionResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	var identity chapterConversionIdentity
	if req.ID != "" {
		var err error
		if identity, err = parseID(req.ID); err != nil {
			resp.Diagnostics.AddError("Unable to import chapter conversion", sentence(err))
			return
		}
	} else {
		resp.Diagnostics.Append(req.Identity.Get(ctx, &identity)...)
	}
	adopted := newChapterConversionModel(identity.ProjectID, audioprojects.Chapter{ChapterID: identity.ChapterID.ValueString()})
	resp.Diagnostics.Append(resp.State.Set(ctx, adopted)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity)...)
}
