package provider

import (
	"context"
	"errors"
	"time"

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
	attempt := r.convert(ctx, timeout, &plan, conversion.Request{UnlessUpToDate: plan.KeepUpToDate.ValueBool()})
	attempt.report(&resp.Diagnostics, afterCreate)
	var failed *conversion.FailedError
	switch {
	case attempt.err != nil && (attempt.outcome.Ticket == nil || errors.As(attempt.err, &failed)):
		// There is nothing to take up again: the next apply begins anew.
		r.saves.inTurn()
		return
	case resp.Diagnostics.HasError():
		r.saves.alone()
		resp.Diagnostics.Append(setPrivate(ctx, resp.Private, taintedKey, true)...)
	default:
		r.saves.inTurn()
	}
	resp.Diagnostics.Append(attempt.remember(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, attempt.record())...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
}

func (r *chapterConversionResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state chapterConversionModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, state.identity())...)
	ticket := state.ticket(&resp.Diagnostics)
	tainted := isTainted(ctx, req.Private, &resp.Diagnostics)
	if !r.ready() || resp.Diagnostics.HasError() {
		return
	}
	chapter, err := r.engine.Chapter(ctx, state.ProjectID.ValueString(), state.ChapterID.ValueString())
	var missing *conversion.MissingChapterError
	switch {
	case errors.As(err, &missing):
		resp.Diagnostics.AddWarning("Chapter is gone",
			sentence(err)+" Terraform forgets the object: "+state.thing()+".")
		resp.State.RemoveResource(ctx)
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
	state.chapterModel = newChapterModel(chapter)
	switch {
	case ticket != nil && tainted:
		// The plan of the creation that follows can tell of it.
		r.engine.HandOver(state.ProjectID.ValueString(), state.ChapterID.ValueString(), *ticket)
	case ticket != nil:
		remaining := conversion.Settle(*ticket, chapter)
		state.setTicket(remaining)
		if remaining == nil {
			resp.Diagnostics.Append(setLeftover(ctx, resp.Private, ticket.Leftover(chapter))...)
		}
	default:
		resp.Diagnostics.Append(lowerLeftover(ctx, req.Private, resp.Private, state.unconverted())...)
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
	ticket := state.ticket(&resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if !plan.undecided() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
		return
	}
	again := triggersChanged(state, plan)
	attempt := r.convert(ctx, timeout, &plan, conversion.Request{
		Resume: ticket,
		Again:  again,
		// Triggers that were unknown in the plan may turn out to be the old ones.
		UnlessUpToDate: ticket == nil && !again,
	})
	r.saves.inTurn()
	if !attempt.seen() {
		// Nothing was decided. The prior state stays, and with it what it has pending.
		attempt.outcome.Ticket, attempt.stillPending = nil, ticket != nil
	}
	attempt.report(&resp.Diagnostics, afterUpdate)
	if attempt.err != nil && attempt.outcome.Ticket == nil {
		return
	}
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(setPrivate(ctx, resp.Private, taintedKey, false)...)
	}
	resp.Diagnostics.Append(attempt.remember(ctx, resp.Private)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, attempt.record())...)
}

// Delete requests nothing: a conversion cannot be undone. If the object is being replaced,
// what is pending is waited for here, where an interruption leaves it in the state, and then
// left to the creation that follows in this process.
func (r *chapterConversionResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state chapterConversionModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	ticket := state.ticket(&resp.Diagnostics)
	timeout, replaced := readReplacement(ctx, req.Private, state.ID.ValueString(), &resp.Diagnostics)
	if !r.ready() || resp.Diagnostics.HasError() {
		return
	}
	defer r.saves.inTurn()
	if ticket == nil {
		return
	}
	if replaced {
		attempt := r.await(ctx, timeout, &state, *ticket)
		if attempt.err != nil && !errors.Is(attempt.err, audioprojects.NotFound) {
			attempt.reportUnreplaced(&resp.Diagnostics)
			// Terraform has given us the private data of the plan, and keeps it with the object now.
			resp.Diagnostics.Append(setPrivate(ctx, resp.Private, taintedKey, true)...)
			resp.Diagnostics.Append(setPrivate(ctx, resp.Private, replacementKey, replacement{})...)
			return
		}
		ticket = attempt.outcome.Ticket
	}
	r.engine.HandOver(state.ProjectID.ValueString(), state.ChapterID.ValueString(), *ticket)
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
