package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
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
	resp.Diagnostics.Append(setPrivate(ctx, resp.Private, replacementKey, replacement{plan.ID.ValueString(), timeout})...)
	if !r.ready() {
		return
	}
	ticket := r.engine.HandedOver(plan.ProjectID.ValueString(), plan.ChapterID.ValueString())
	summary, detail := r.foretell(ctx, plan, conversion.Request{Resume: ticket})
	if ticket != nil && !plan.KeepUpToDate.ValueBool() {
		detail += "\n\nIf the object has `create_before_destroy`, run `terraform untaint` on it first, or set `keep_up_to_date = true`: " +
			"nothing can be handed on to the new object, and the chapter may be converted once more."
	}
	warn(&resp.Diagnostics, summary, detail)
}

func (r *chapterConversionResource) planUpdate(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var plan, state chapterConversionModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
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
	again := triggersChanged(state, plan)
	outdated := plan.KeepUpToDate.ValueBool() && state.unconverted() > leftover
	if ticket != nil || outdated || again {
		plan.setUndecided()
		summary, detail := r.foretell(ctx, plan, conversion.Request{Resume: ticket, Again: again})
		warn(&resp.Diagnostics, summary, detail)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// foretell says what the apply will do about a conversion that exists already; nothing if
// there is none. A chapter that cannot be looked at is no reason to refuse a plan: the
// apply will tell.
func (r *chapterConversionResource) foretell(ctx context.Context, plan chapterConversionModel, request conversion.Request) (summary, detail string) {
	var now audioprojects.Chapter
	if r.ready() {
		var err error
		now, err = r.engine.Chapter(ctx, plan.ProjectID.ValueString(), plan.ChapterID.ValueString())
		if err != nil {
			tflog.Warn(ctx, "The chapter cannot be looked at for the plan", map[string]any{"problem": err.Error()})
		}
	}
	const pending = "Conversion pending"
	switch prospect, words := conversion.Foretell(request, now); prospect {
	case conversion.Joins:
		return "Conversion under way", "The chapter is being converted at this moment. Applying will join: it waits for that conversion, " +
			"and requests one only if text is still unconverted when it has ended."
	case conversion.Waits:
		return pending, "A conversion requested earlier is still running. Applying will wait for it and request none."
	case conversion.Ends:
		return pending, "A conversion requested earlier has ended well meanwhile. Applying will take it up and request none."
	case conversion.LooksFirst:
		return pending, "It is not known whether the service received an earlier request for a conversion. " +
			"Applying will look for it first, and request one only if there is no sign of it."
	case conversion.Follows:
		return pending, "The conversion that was waited for has ended, but it began before the text was edited. Applying will request one for the rest."
	case conversion.StartsAnew:
		return "Conversion failed", "A conversion requested earlier failed. The service says: " + words + "\n\nApplying will request another conversion."
	default:
		return "", ""
	}
}

func warn(diags *diag.Diagnostics, summary, detail string) {
	if summary != "" {
		diags.AddWarning(summary, detail)
	}
}
