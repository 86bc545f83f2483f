package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

var (
	_ resource.ResourceWithConfigure   = &projectConversionResource{}
	_ resource.ResourceWithIdentity    = &projectConversionResource{}
	_ resource.ResourceWithModifyPlan  = &projectConversionResource{}
	_ resource.ResourceWithImportState = &projectConversionResource{}
)

func newProjectConversionResource() resource.Resource { return &projectConversionResource{} }

type projectConversionResource struct{ *providerData }

func (r *projectConversionResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_project_conversion"
}

func (r *projectConversionResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.providerData = configured(req.ProviderData, &resp.Diagnostics)
}

// afterBook says what follows an apply of the object.
var afterBook = sequel{next: "The next apply", remembers: true, follows: "The next apply converts it. "}

// Create converts what has text left. With failures alone it saves no state, because the next plan then creates what is
// missing and adopts the rest. What must be remembered is saved even if Terraform calls the object tainted for it.
func (r *projectConversionResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan projectConversionModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	timeout := createTimeout(ctx, plan.Timeouts, defaultBookTimeout)
	result, memory := r.convert(ctx, timeout, &plan, plan.book(objectMemory{}, nil))
	result.report(&resp.Diagnostics, afterBook)
	if resp.Diagnostics.HasError() && !memory.needed(plan.convertedAfter()) {
		return
	}
	resp.Diagnostics.Append(setPrivate(ctx, resp.Private, memoryKey, memory)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
}

// Update converts what has text left, and saves what has become of it, also if some of it has failed.
func (r *projectConversionResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state projectConversionModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := plan.Timeouts.Update(ctx, defaultBookTimeout)
	resp.Diagnostics.Append(diags...)
	memory := readMemory(ctx, req.Private, "", &resp.Diagnostics)
	// The framework requires an identity, and the state of Terraform before 1.12 has none.
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
	if resp.Diagnostics.HasError() {
		return
	}
	if plan.conversionPlanned() {
		result, after := r.convert(ctx, timeout, &plan, plan.book(memory, &state))
		result.report(&resp.Diagnostics, afterBook)
		if result.unlisted {
			return // The prior state is as true as before.
		}
		memory = after
	}
	resp.Diagnostics.Append(setPrivate(ctx, resp.Private, memoryKey, memory)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// convert converts the chapters of the book. It sets the computed attributes, and returns what must be remembered.
func (r *projectConversionResource) convert(
	ctx context.Context, timeout time.Duration, model *projectConversionModel, book conversion.Project,
) (bookResult, objectMemory) {
	waiting, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	book.Progress = func(progress conversion.ProjectProgress) {
		logBookProgress(ctx, book.ProjectID, progress)
	}
	outcome := r.engine.ConvertProject(waiting, book)
	memory, failed := objectMemory{Kept: map[string]conversion.Memory{}}, map[string]string{}
	var chapters []audioprojects.Chapter
	for _, chapter := range outcome.Chapters {
		if kept, found := chapter.Keep(); found {
			memory.Kept[chapter.ChapterID] = kept
		}
		if chapter.Chapter.ChapterID != "" && !isGone(chapter.Err) {
			chapters = append(chapters, chapter.Chapter)
			if chapter.Err != nil {
				memory.Open = append(memory.Open, leftOpen(chapter, model.convertedAfter()))
			}
		}
		if failure, isFailure := errors.AsType[*conversion.FailedError](chapter.Err); isFailure {
			failed[chapter.ChapterID] = cmp.Or(said(failure.Words), sentence(failure))
		}
	}
	model.ID = model.ProjectID
	model.setTotals(chapters)
	model.setFailures(failed)
	memory.know(model, chapters)
	model.PendingChapters = types.Int64Value(memory.pending())
	result := newBookResult(waiting, model, timeout, outcome)
	if result.unlisted {
		// No chapter had its turn to take up what was handed over for it.
		maps.Copy(memory.Kept, r.engine.HandedOverProject(book.ProjectID))
		model.PendingChapters = types.Int64Value(memory.pending())
	}
	return result, memory
}

// Read adds the chapters up, and notes which of them need something. The plan goes by these notes.
func (r *projectConversionResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state projectConversionModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, state.identity())...)
	memory := readMemory(ctx, req.Private, "", &resp.Diagnostics)
	// The plan of a creation that replaces this object has no other memory of it.
	defer func() { r.books.remember(state.ProjectID.ValueString(), memory.Kept) }()
	if !r.ready() || resp.Diagnostics.HasError() {
		return
	}
	predicted, err := r.engine.PredictProject(ctx, state.book(memory, &state))
	if err != nil {
		consequence := []string(nil)
		if errors.Is(err, audioprojects.NotFound) {
			// The key of another account gets the same answer.
			consequence = append(consequence, "What is in the state stays there. If the project has been deleted, remove the block and apply with -refresh=false.")
		}
		resp.Diagnostics.Append(unable("read", state.thing(), path.Root("project_id"), err, consequence...))
		return
	}
	warnOfRefusedRecord(state.thing(), predicted.RecordRefused, &resp.Diagnostics)
	chapters, err := memory.refresh(predicted, idsOf(state.ChapterIDs))
	if err != nil {
		resp.Diagnostics.Append(unable("read", state.thing(), path.Root("project_id"), err))
		return
	}
	if gone := goneFrom(state, len(chapters), memory.gone()); gone != "" {
		resp.Diagnostics.AddWarning("Chapters are gone", gone)
	}
	memory.know(&state, chapters)
	state.setTotals(chapters)
	state.keepFailures(memory)
	state.PendingChapters = types.Int64Value(memory.pending())
	resp.Diagnostics.Append(setPrivate(ctx, resp.Private, memoryKey, memory)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// goneFrom says that chapters of the object are gone, and of which of them a conversion is pending. It is empty if none is gone.
func goneFrom(state projectConversionModel, count int, pending []string) string {
	var paragraphs []string
	if had := state.ChapterCount.ValueInt64(); state.ChapterIDs.IsNull() && int64(count) < had {
		paragraphs = append(paragraphs, quoting(fmt.Sprintf("Two lists and the project itself show %s of %s, which had %d. "+
			"The audio of the others is no longer looked after.", countOf(count, "chapter"), state.thing(), had)))
	}
	if len(pending) > 0 {
		paragraphs = append(paragraphs, quoting(fmt.Sprintf("Two lists and the project itself lack chapters of %s whose conversions are pending: %s. "+
			"An apply forgets these conversions.", state.thing(), firstOf(pending))))
	}
	return strings.Join(paragraphs, "\n\n")
}

// Delete requests nothing, because a conversion cannot be undone. If the object is being replaced, it hands over what is
// remembered, within this process, to the creation that follows. A book with another address may follow as well: it is newer than
// what is pending.
func (r *projectConversionResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state projectConversionModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	memory := readMemory(ctx, req.Private, "", &resp.Diagnostics)
	if !r.ready() || resp.Diagnostics.HasError() {
		return
	}
	if memory.Successor == "" {
		memory.disown()
	}
	r.engine.HandOverProject(state.ProjectID.ValueString(), memory.Kept)
}

func (r *projectConversionResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	identity := projectConversionIdentity{ProjectID: types.StringValue(req.ID)}
	if req.ID == "" {
		resp.Diagnostics.Append(req.Identity.Get(ctx, &identity)...)
	}
	if err := audioprojects.CheckID(identity.ProjectID.ValueString()); err != nil {
		resp.Diagnostics.AddError("Unable to import project conversion", sentence(err))
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, newProjectConversionModel(identity.ProjectID))...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, identity)...)
}
