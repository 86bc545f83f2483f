package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// ModifyPlan decides whether an apply converts, and leaves open what only it will tell.
func (r *chapterConversionResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	switch {
	case req.Plan.Raw.IsNull():
	case req.State.Raw.IsNull():
		r.planCreation(ctx, req, resp)
	default:
		r.planUpdate(ctx, req, resp)
	}
}

// planCreation also plans the second half of a replacement: Terraform destroys and creates
// again what a failed creation has left behind.
func (r *chapterConversionResource) planCreation(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var plan chapterConversionModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || plan.ProjectID.IsUnknown() || plan.ChapterID.IsUnknown() {
		return
	}
	plan.ID = plan.identity().id()
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Create(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	wish := plan.wish(ctx, nil, &resp.Diagnostics)
	if r.ready() {
		wish.Pending = r.engine.HandedOver(wish.ProjectID, wish.ChapterID)
	}
	creation := replacement{plan.ID.ValueString(), timeout, wish.Pending != nil && wish.Pending.Joined()}
	resp.Diagnostics.Append(setPrivate(ctx, resp.Private, replacementKey, creation)...)
	if !r.ready() {
		return
	}
	summary, detail := r.predict(ctx, wish)
	if wish.Pending != nil && !plan.KeepUpToDate.ValueBool() {
		detail += "\n\nIf the object has `create_before_destroy`, run `terraform untaint` on it first, or set `keep_up_to_date = true`: " +
			"nothing can be handed on to the new object, and the chapter may be converted once more."
	}
	warn(&resp.Diagnostics, summary, detail)
}

func (r *chapterConversionResource) planUpdate(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var plan, state chapterConversionModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	wish := wishToUpdate(ctx, state, plan, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if !plan.ProjectID.Equal(state.ProjectID) || !plan.ChapterID.Equal(state.ChapterID) {
		// Another chapter replaces the object, and Terraform plans that as a creation.
		return
	}
	plan.keepDecided(state)
	if wish.Pending != nil && r.ready() {
		// Terraform plans an object that it replaces though nothing forces it first like this, and then its creation.
		r.leave(*wish.Pending, wish, false)
	}
	outdated := plan.KeepUpToDate.ValueBool() && state.unconverted() > wish.Leftover
	if wish.Pending != nil || outdated || triggersChanged(state, plan) {
		plan.setUndecided()
		summary, detail := r.predict(ctx, wish)
		warn(&resp.Diagnostics, summary, detail)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// predict says what the apply will do about a conversion that exists already; nothing if
// there is none. A chapter that cannot be looked at is no reason to refuse a plan: the
// apply will tell.
func (r *chapterConversionResource) predict(ctx context.Context, wish conversion.Wish) (summary, detail string) {
	predicted := conversion.Prediction{Pending: wish.Pending}
	if r.ready() {
		var err error
		predicted, err = r.engine.Predict(ctx, wish)
		if err != nil {
			tflog.Warn(ctx, "The chapter cannot be looked at for the plan", map[string]any{"problem": err.Error()})
		}
	}
	const pending = "Conversion pending"
	switch decided, p := predicted.Decision, predicted.Pending; {
	case decided.Step == conversion.Join,
		p != nil && p.Joined() && decided.Reason == conversion.Converting:
		return "Conversion under way", "The chapter is being converted at this moment. Applying will join: it waits for that conversion, " +
			"and requests one only if text is still unconverted when it has ended."
	case p == nil:
		return "", ""
	case p.Failure != nil:
		return "Conversion failed", "A conversion requested earlier failed. The service says: " + string(*p.Failure) + "\n\nApplying will request another conversion."
	case decided.Reason == conversion.Error:
		return "Conversion failed", "A conversion requested earlier failed. The service says: " + string(decided.Words) + "\n\nApplying will request another conversion."
	case decided.Reason == conversion.OldError:
		return "Conversion failed", "A conversion requested earlier has converted nothing. The service says: " + string(decided.Words) + olderError +
			"\n\nApplying will request another conversion."
	case decided.Reason == conversion.Nothing:
		return "Conversion failed", "A conversion requested earlier has ended without converting anything, and the service gives no error. Applying will request another conversion."
	case decided.Reason == conversion.NewTriggers:
		return pending, "A conversion requested earlier has ended well meanwhile. It was for other `triggers`, so applying will request one for these."
	case decided.Reason == conversion.Rest:
		return pending, "The conversion that was waited for has ended and has left text unconverted, probably because the text was edited after it began. Applying will request one for the rest."
	case decided.Step == conversion.Done:
		return pending, "A conversion requested earlier has ended well meanwhile. Applying will take it up and request none."
	case !p.Confirmed:
		return pending, "It is not known whether the service received an earlier request for a conversion. " +
			"Applying will look for it first, and request one only if there is no sign of it."
	case decided.Reason == conversion.Never, p.WaitedWhole:
		return pending, "The service accepted an earlier request, and has shown no conversion since. " +
			"Applying will look for it for 30 seconds, and request another only if there is no sign of it."
	case decided.Reason == conversion.Watching, decided.Reason == conversion.Confirming:
		return pending, "It is not clear yet whether a conversion requested earlier has ended. Applying will wait until it is, and request one only if nothing was converted."
	case wish.Triggers != "" && wish.Triggers != p.Triggers && p.Triggers != "":
		return pending, "A conversion requested earlier is still running. It is for other `triggers`, so applying will wait for it and then request one for these."
	default:
		return pending, "A conversion requested earlier is still running. Applying will wait for it and request none."
	}
}

func warn(diags *diag.Diagnostics, summary, detail string) {
	if summary != "" {
		diags.AddWarning(summary, detail)
	}
}
