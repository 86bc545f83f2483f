package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// ModifyPlan decides whether an apply converts, and leaves open what only it will tell.
func (r *chapterConversionResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	var plan, state chapterConversionModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if req.State.Raw.IsNull() {
		if !plan.ProjectID.IsUnknown() && !plan.ChapterID.IsUnknown() {
			plan.ID = plan.identity().id()
			resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
		}
		return
	}
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	ticket := state.ticket(&resp.Diagnostics)
	leftover := readLeftover(ctx, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if !plan.ProjectID.Equal(state.ProjectID) || !plan.ChapterID.Equal(state.ChapterID) {
		// Another chapter replaces the object, and Terraform plans that as a creation.
		return
	}
	plan.keepDecided(state)
	if ticket != nil {
		resp.Diagnostics.AddWarning(pendingSummary(*ticket), pendingDetail(*ticket))
	}
	outdated := plan.KeepUpToDate.ValueBool() && state.unconverted() > leftover
	if ticket != nil || outdated || triggersChanged(state, plan) {
		plan.setUndecided()
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

func pendingSummary(ticket conversion.Ticket) string {
	if ticket.Failure != nil {
		return "Conversion failed"
	}
	return "Conversion pending"
}

// pendingDetail says what the apply will do about a conversion that was requested earlier.
func pendingDetail(ticket conversion.Ticket) string {
	switch {
	case ticket.Failure != nil:
		return "A conversion requested earlier failed. The service says: " + *ticket.Failure +
			"\n\nApplying will request another conversion."
	case !ticket.Confirmed:
		return "It is not known whether the service received an earlier request for a conversion. " +
			"Applying will look for it first, and request one only if there is no sign of it."
	default:
		return "A conversion requested earlier is still running. Applying will wait for it and request none."
	}
}
