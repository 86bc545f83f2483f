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

// defaultTimeout is how long a conversion is waited for.
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

func (r *chapterConversionResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan chapterConversionModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Create(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	plan.ID = plan.identity().id()
	result := r.convert(ctx, timeout, &plan, plan.wish(ctx, nil, &resp.Diagnostics))
	result.report(&resp.Diagnostics, afterCreate)
	var failed *conversion.FailedError
	switch {
	case result.err != nil && (result.outcome.Pending == nil || errors.As(result.err, &failed) && failed.Reason == conversion.Error):
		// There is nothing to take up again: the next apply begins anew.
		r.saves.inTurn()
		return
	case resp.Diagnostics.HasError():
		r.saves.alone()
		resp.Diagnostics.Append(setPrivate(ctx, resp.Private, taintedKey, true)...)
	default:
		r.saves.inTurn()
	}
	resp.Diagnostics.Append(result.remember(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, result.record())...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
}

func (r *chapterConversionResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state chapterConversionModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, state.identity())...)
	wish := state.wish(ctx, req.Private, &resp.Diagnostics)
	tainted := isTainted(ctx, req.Private, &resp.Diagnostics)
	if !r.ready() || resp.Diagnostics.HasError() {
		return
	}
	predicted, err := r.engine.Predict(ctx, wish)
	var missing *conversion.MissingChapterError
	switch {
	case errors.As(err, &missing) && wish.Pending == nil:
		resp.Diagnostics.AddWarning("Chapter is gone",
			sentence(err)+" Terraform forgets the object: "+state.thing()+".")
		resp.State.RemoveResource(ctx)
		return
	case errors.As(err, &missing):
		resp.Diagnostics.Append(unable("read", state.thing(), path.Root("project_id"), err,
			"A conversion of it is pending, which stays in the state. If the chapter has been deleted, remove the block and apply with -refresh=false."))
		return
	case errors.Is(err, audioprojects.NotFound):
		// The project is unknown to another account's key as well, and what is forgotten
		// would be converted again.
		resp.Diagnostics.Append(unable("read", state.thing(), path.Root("project_id"), err,
			"What is in the state stays there. If the project has been deleted, remove the block and apply with -refresh=false."))
		return
	case err != nil:
		resp.Diagnostics.Append(unable("read", state.thing(), path.Root("project_id"), err))
		return
	}
	before := state.chapterModel
	if predicted.Chapter.ChapterID != "" {
		state.chapterModel = newChapterModel(predicted.Chapter)
	}
	decided := predicted.Decision
	switch {
	case wish.Pending == nil:
		resp.Diagnostics.Append(lowerLeftover(ctx, req.Private, resp.Private, before, state.chapterModel)...)
	case decided.Reason == conversion.Error:
		// The service may have forgotten this failure at the next look.
		wish.Pending.Failure = &decided.Words
		state.setPending(wish.Pending)
	case decided.Step == conversion.Done && !tainted:
		state.setPending(nil)
		resp.Diagnostics.Append(setLeftover(ctx, resp.Private, decided.Leftover)...)
		resp.Diagnostics.Append(setLeftOnce(ctx, resp.Private, decided.LeftOnce)...)
	}
	if wish.Pending != nil && (tainted || decided.Step != conversion.Done) {
		r.leave(*wish.Pending, wish, tainted)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

func (r *chapterConversionResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var state, plan chapterConversionModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	// Terraform before 1.12 knows of none, and the framework insists.
	resp.Diagnostics.Append(resp.Identity.Set(ctx, state.identity())...)
	timeout, diags := plan.Timeouts.Update(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	wish := wishToUpdate(ctx, state, plan, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if plan.undecided() && wish.Pending == nil && !plan.KeepUpToDate.ValueBool() && !triggersChanged(state, plan) {
		// Triggers that were unknown in the plan have turned out to be the old ones.
		plan.keepDecided(state)
	}
	if !plan.undecided() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		return
	}
	result := r.convert(ctx, timeout, &plan, wish)
	r.saves.inTurn()
	if !result.seen() {
		// Nothing was decided. The prior state stays, and with it what it has pending.
		result.outcome.Pending, result.stillPending = nil, wish.Pending != nil
	}
	result.report(&resp.Diagnostics, afterUpdate)
	if result.err != nil && result.outcome.Pending == nil {
		return
	}
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(setPrivate(ctx, resp.Private, taintedKey, false)...)
	}
	resp.Diagnostics.Append(result.remember(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, result.record())...)
}

// leave lets the plan of a creation that replaces the object tell of what is pending. If the object is not tainted, it is
// somebody's wish that it be replaced, and what is pending began before that, like somebody else's conversion.
func (r *chapterConversionResource) leave(pending conversion.Pending, wish conversion.Wish, tainted bool) {
	if !tainted {
		pending.RequestedAtUnix = nil
	}
	r.engine.HandOver(wish.ProjectID, wish.ChapterID, pending)
}

// wishToUpdate is the plan's wish, with what the state knows.
func wishToUpdate(ctx context.Context, state, plan chapterConversionModel, private privateState, diags *diag.Diagnostics) conversion.Wish {
	wish := state.wish(ctx, private, diags)
	wish.Known = true
	wish.Triggers = plan.fingerprint()
	wish.UpToDate = plan.KeepUpToDate.ValueBool() && !triggersChanged(state, plan)
	return wish
}

// Delete requests nothing: a conversion cannot be undone. If the object is being replaced,
// what is pending is waited for here, where an interruption leaves it in the state, and then
// left to the creation that follows in this process.
func (r *chapterConversionResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state chapterConversionModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	wish := state.wish(ctx, nil, &resp.Diagnostics)
	creation, replaced := readReplacement(ctx, req.Private, state.ID.ValueString(), &resp.Diagnostics)
	if !r.ready() || resp.Diagnostics.HasError() {
		return
	}
	defer r.saves.inTurn()
	if wish.Pending == nil {
		return
	}
	if replaced {
		result := r.await(ctx, creation.Timeout, &state, wish)
		if result.err != nil && !errors.Is(result.err, audioprojects.NotFound) {
			result.reportUnreplaced(&resp.Diagnostics)
			if result.outcome.Pending != nil {
				if creation.ByHand {
					// Whoever takes it up does not know of the wish that is newer than it.
					result.outcome.Pending.RequestedAtUnix = nil
				}
				state.setPending(result.outcome.Pending)
				resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
			}
			// Terraform has given us the private data of the plan, and keeps it with the object now.
			resp.Diagnostics.Append(setPrivate(ctx, resp.Private, taintedKey, true)...)
			resp.Diagnostics.Append(setPrivate(ctx, resp.Private, replacementKey, replacement{})...)
			return
		}
		wish.Pending = result.outcome.Pending
	}
	if creation.ByHand || !replaced {
		wish.Pending.RequestedAtUnix = nil
	}
	r.engine.HandOver(wish.ProjectID, wish.ChapterID, *wish.Pending)
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
