package provider

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// ModifyPlan decides whether the apply converts, and says what that costs.
func (r *projectConversionResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	switch {
	case req.Plan.Raw.IsNull():
	case req.State.Raw.IsNull():
		r.planCreation(ctx, req, resp)
	default:
		r.planUpdate(ctx, req, resp)
	}
}

// planCreation plans a new object. That may be the second half of a replacement. Terraform gives the private state of this
// plan to the Delete of the old object, so that it has what must be handed over.
func (r *projectConversionResource) planCreation(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var plan projectConversionModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if plan.ProjectID.IsUnknown() {
		warnOfUnknownCost(&resp.Diagnostics)
		return
	}
	plan.ID = plan.ProjectID
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
	memory := objectMemory{Successor: plan.ID.ValueString(), Kept: map[string]conversion.Memory{}}
	if r.ready() {
		memory.Kept = r.engine.HandedOverProject(plan.ProjectID.ValueString())
	}
	maps.Copy(memory.Kept, r.books.of(plan.ProjectID.ValueString()))
	resp.Diagnostics.Append(setPrivate(ctx, resp.Private, memoryKey, memory)...)
	if plan.refuseFuture(&resp.Diagnostics); resp.Diagnostics.HasError() || !r.ready() {
		return
	}
	if settled := r.billOfBook(ctx, plan, plan.book(memory, nil), memory, &resp.Diagnostics); settled > 0 {
		resp.Diagnostics.AddWarning("Adopted at no cost in "+plan.thing()+": "+countOf(settled, "chapter"),
			"A chapter that has nothing left to convert when its turn comes is adopted: no conversion is requested for it.\n\n"+
				"To convert chapters again all the same, set `converted_after`, or invoke the action `audioprojects_convert_project` with `all = true`.")
	}
}

// planUpdate decides by what the latest refresh has noted, so that it decides the same in the apply. If the chapters
// themselves are others, or a time is given, the apply looks at all of them.
func (r *projectConversionResource) planUpdate(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var plan, state projectConversionModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	memory := readMemory(ctx, req.Private, "", &resp.Diagnostics)
	plan.refuseFuture(&resp.Diagnostics)
	switch {
	case resp.Diagnostics.HasError():
		return
	case plan.ProjectID.IsUnknown():
		warnOfUnknownCost(&resp.Diagnostics)
		return
	case !plan.ProjectID.Equal(state.ProjectID):
		// Terraform plans the creation of the other object next, and hides its warnings.
		r.billOfBook(ctx, plan, plan.book(objectMemory{}, nil), objectMemory{}, &resp.Diagnostics)
		return
	}
	plan.keepComputed(state)
	otherChapters := !plan.ChapterIDs.Equal(state.ChapterIDs) || !plan.ExcludeChapterIDs.Equal(state.ExcludeChapterIDs) || !plan.ConvertedAfter.Equal(state.ConvertedAfter)
	switch chaptersLack := int64(len(idsOf(state.ChapterIDs))) > state.ChapterCount.ValueInt64(); {
	case otherChapters, chaptersLack:
		plan.planConversion()
		r.billOfBook(ctx, plan, plan.book(memory, &state), memory, &resp.Diagnostics)
	case len(memory.Missing) > 0:
		memory.refuseMissing(plan, &resp.Diagnostics)
	case len(memory.Open) > 0:
		plan.planConversion()
		r.tellBill(memory, plan, state.ChapterCount.ValueInt64(), &resp.Diagnostics)
	}
	// If the object is replaced by hand, the plan of its creation follows.
	r.books.remember(plan.ProjectID.ValueString(), memory.Kept)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// mostAhead is how far converted_after may be ahead of this machine's clock, because the clock that it was read from may be.
const mostAhead = 5 * time.Minute

// refuseFuture is an error for a time that has not come: nothing can have been converted after it, so that each apply would
// convert the book once more if the service's dates alone counted.
func (m *projectConversionModel) refuseFuture(diags *diag.Diagnostics) {
	after, now := m.convertedAfter(), time.Now()
	if after == nil || !time.Unix(*after, 0).After(now.Add(mostAhead)) {
		return
	}
	diags.AddAttributeError(path.Root("converted_after"), "Time in the future",
		fmt.Sprintf("Nothing can have been converted after a time that has not come: `converted_after` is %s, and the clock of this machine shows %s.\n\n"+
			"Give the time of the change that you want to hear, such as that of a new voice.", m.ConvertedAfter.ValueString(), now.UTC().Format(time.RFC3339)))
}

// billOfBook looks at the chapters for the bill. What the service has disproved is an error. It returns how many chapters have
// nothing left, if that are all.
func (d *providerData) billOfBook(ctx context.Context, plan projectConversionModel, book conversion.Project, memory objectMemory, diags *diag.Diagnostics) (settled int) {
	if !d.ready() {
		return 0
	}
	predicted, err := d.engine.PredictProject(ctx, book)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return 0
	case conversion.Permanent(err):
		diags.Append(unable("read", plan.thing(), path.Root("project_id"), err))
		return 0
	default:
		unread := unable("read", plan.thing(), path.Root("project_id"), err, "So this plan does not know what the conversions cost. The apply looks at the chapters before it requests anything.")
		diags.AddWarning(unread.Summary(), unread.Detail())
		return 0
	}
	warnOfRefusedRecord(plan.thing(), predicted.RecordRefused, diags)
	if plan.ConvertedAfter.IsUnknown() {
		costMost(predicted.Chapters)
	}
	plan.refuseUndated(predicted.Chapters, diags)
	chapters, err := memory.refresh(predicted, idsOf(plan.ChapterIDs))
	memory.refuseMissing(plan, diags)
	if err != nil || diags.HasError() {
		return 0 // Only the apply can save what is pending.
	}
	d.tellBill(memory, plan, int64(len(chapters)), diags)
	if len(memory.Open) > len(memory.gone()) {
		return 0
	}
	return len(chapters)
}

// refuseUndated is an error for converted chapters without a date, to which converted_after cannot apply.
func (m *projectConversionModel) refuseUndated(chapters []conversion.ChapterPrediction, diags *diag.Diagnostics) {
	var undated []string
	for _, chapter := range chapters {
		date := chapter.Chapter.LastConversionDateUnix
		if m.convertedAfter() != nil && date == nil && chapter.Decision.Reason == conversion.NothingLeft {
			undated = append(undated, identified(chapter.Chapter))
		}
	}
	if len(undated) > 0 {
		diags.AddAttributeError(path.Root("converted_after"), "Chapters without a date",
			quoting(fmt.Sprintf("Nobody knows when these chapters of %s were converted, so `converted_after` cannot apply to them: %s.", m.thing(), strings.Join(undated, ", "))))
	}
}

// costMost makes each chapter cost all that its conversion may cost.
func costMost(chapters []conversion.ChapterPrediction) {
	for i, chapter := range chapters {
		if chapter.Chapter.ChapterID != "" {
			chapters[i].Decision, chapters[i].Characters = conversion.Decision{Step: conversion.Request}, nil
			if most, counted := (conversion.Demand{}).Characters(chapter.Chapter); counted {
				chapters[i].Characters = &most
			}
		}
	}
}

// warnOfUnknownCost stands for a bill where not even the project is known.
func warnOfUnknownCost(diags *diag.Diagnostics) {
	diags.AddAttributeWarning(path.Root("project_id"), "Conversions of an unknown cost",
		"Which chapters are converted is known only when the plan is applied. So this plan does not know what that costs, and `max_characters` bounds it only in the apply.")
}

// onlyKnownLater says why a bill is more than the apply may cost; empty if all is known.
func (m *projectConversionModel) onlyKnownLater() string {
	switch {
	case m.ConvertedAfter.IsUnknown():
		return "`converted_after` is known only when the plan is applied, so every chapter counts with all its characters. Write a time in UTC, and not `timestamp()`, which is another time in every apply."
	case m.ChapterIDs.IsUnknown():
		return "`chapter_ids` is known only when the plan is applied, so all chapters of the project count."
	case m.ExcludeChapterIDs.IsUnknown():
		return "`exclude_chapter_ids` is known only when the plan is applied, so all chapters of the project count."
	}
	return ""
}

// warnOfRefusedRecord says which chapters count if the service does not show the project's own record.
func warnOfRefusedRecord(thing string, refused error, diags *diag.Diagnostics) {
	if refused != nil {
		diags.AddWarning("Chapters of "+thing+" by its lists alone",
			quoting(sentence(refused))+"\n\nSo the chapters are those of two lists, five seconds apart. A chapter that both of them lack is left out. "+
				"A key whose scope includes the project makes sure of all.")
	}
}

// refuseMissing is an error for chapters of chapter_ids or exclude_chapter_ids that the project does not have.
func (m objectMemory) refuseMissing(plan projectConversionModel, diags *diag.Diagnostics) {
	if len(m.Missing) == 0 {
		return
	}
	var ids []string
	for _, id := range m.Missing {
		ids = append(ids, strconv.Quote(id))
	}
	at := path.Root("chapter_ids")
	if plan.ChapterIDs.IsNull() {
		at = path.Root("exclude_chapter_ids")
	}
	diags.AddAttributeError(at, "Chapters that the project does not have",
		quoting(fmt.Sprintf("The chapters of %s, and its own record, lack %s: %s.", plan.thing(), countOf(len(ids), "chapter"), strings.Join(ids, ", ")))+
			"\n\nThe data source `audioprojects_chapters` lists the chapters of a project.")
}
