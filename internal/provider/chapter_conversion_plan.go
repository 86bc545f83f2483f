package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// ModifyPlan decides whether the apply converts. If it does, the computed attributes are unknown in the plan. Terraform
// plans a replacement twice: as an update, and then as a creation, of which it shows only errors.
func (r *chapterConversionResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	switch {
	case req.Plan.Raw.IsNull():
	case req.State.Raw.IsNull():
		r.planCreation(ctx, req, resp)
	default:
		r.planUpdate(ctx, req, resp)
	}
}

// planCreation plans a new object. That may be the second half of a replacement, for example of an object whose
// creation failed.
func (r *chapterConversionResource) planCreation(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var plan chapterConversionModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if plan.ProjectID.IsUnknown() || plan.ChapterID.IsUnknown() {
		warnOfUnknownCost(&resp.Diagnostics)
		return
	}
	plan.ID = plan.identity().id()
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
	wish := plan.wish(objectMemory{}, &resp.Diagnostics)
	if r.ready() {
		wish.Pending = r.engine.HandedOver(wish)
	}
	memory := objectMemory{
		Successor: plan.ID.ValueString(), Timeout: createTimeout(ctx, plan.Timeouts, defaultTimeout), ByHand: wish.Pending != nil && wish.Pending.Joined(),
	}
	resp.Diagnostics.Append(setPrivate(ctx, resp.Private, memoryKey, memory)...)
	if !r.ready() {
		return
	}
	// In an apply, Delete may have handed over what is pending. An error here would lose it: only Create can save it again.
	predicted := r.look(ctx, wish, wish.Pending == nil, &resp.Diagnostics)
	r.tell(ctx, wish, predicted, !plan.KeepUpToDate.ValueBool(), &resp.Diagnostics)
}

func (r *chapterConversionResource) planUpdate(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var plan, state chapterConversionModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	memory := readMemory(ctx, req.Private, state.ChapterID.ValueString(), &resp.Diagnostics)
	leftover := memory.Kept[state.ChapterID.ValueString()].KnownRemainder
	if req.Plan.Raw.Equal(req.State.Raw) && state.PendingConversion.IsNull() && !state.hasNewText(leftover) {
		return // Most chapters of a plan are settled, and the response has the plan already.
	}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	wish := wishToUpdate(state, plan, memory, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if !plan.ProjectID.Equal(state.ProjectID) || !plan.ChapterID.Equal(state.ChapterID) {
		// Another chapter forces a replacement. Terraform calls ModifyPlan again, for the creation, and hides its warnings.
		switch {
		case plan.ProjectID.IsUnknown(), plan.ChapterID.IsUnknown():
			warnOfUnknownCost(&resp.Diagnostics)
		case r.ready():
			creation := plan.wish(objectMemory{}, &resp.Diagnostics)
			predicted := r.look(ctx, creation, true, &resp.Diagnostics)
			r.tell(ctx, creation, predicted, !plan.KeepUpToDate.ValueBool(), &resp.Diagnostics)
		}
		return
	}
	plan.keepComputed(state)
	if wish.Pending != nil && r.ready() {
		// If the object is replaced by hand, this plan comes first, and then the plan of its creation, which needs
		// to know what is pending.
		r.handOver(wish, *wish.Pending, false)
	}
	if wish.Pending != nil || triggersChanged(state, plan) || plan.hasNewText(leftover) {
		predicted := r.look(ctx, wish, true, &resp.Diagnostics)
		plan.planConversion()
		r.tell(ctx, wish, predicted, false, &resp.Diagnostics)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// hasNewText tells whether the audio is to follow the text, and does not, as far as the state shows. A newer look does not count:
// an edit between plan and apply would change what is known in the plan, and Terraform would call that inconsistent.
func (m *chapterConversionModel) hasNewText(leftover int64) bool {
	return m.KeepUpToDate.ValueBool() && m.unconverted() > leftover
}
