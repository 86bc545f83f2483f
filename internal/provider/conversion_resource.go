package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// conversionResource is a resource whose objects say that chapters of a project have been converted. What differs between a chapter
// and a book is in their models.
type conversionResource[M any, P conversionModel[M]] struct {
	*providerData
	name     string
	schema   func(context.Context) schema.Schema
	ids      []string // the attributes of the identity
	imported func(ids []string) P
	timeout  time.Duration
}

// conversionModel is an object of a [conversionResource] in the configuration, the plan or the state.
type conversionModel[M any] interface {
	*M
	// id has all parts of the identity; it is unknown if a part is.
	id() types.String
	identity() any
	limits() timeouts.Value
	// recall adds to the memory what the attributes say, and what version 0.1.0 has written.
	recall(ctx context.Context, private privateState, memory *objectMemory, diags *diag.Diagnostics)
	// set is what the object demands. before is the object in the state; nil for a new one.
	set(memory objectMemory, before *M) set
	// demandsMore tells whether the object demands something of its chapters that the one in the state does not.
	demandsMore(memory objectMemory, before *M) bool
	// show sets the computed attributes by what the chapters show. failed are the service's words about chapters that an apply could
	// not convert; nil for a refresh.
	show(chapters []audioprojects.Chapter, memory objectMemory, failed map[string]string)
}

var (
	_ resource.ResourceWithConfigure   = &conversionResource[chapterConversionModel, *chapterConversionModel]{}
	_ resource.ResourceWithIdentity    = &conversionResource[chapterConversionModel, *chapterConversionModel]{}
	_ resource.ResourceWithModifyPlan  = &conversionResource[projectConversionModel, *projectConversionModel]{}
	_ resource.ResourceWithImportState = &conversionResource[projectConversionModel, *projectConversionModel]{}
)

func (r *conversionResource[M, P]) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + r.name
}

func (r *conversionResource[M, P]) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = r.schema(ctx)
}

func (r *conversionResource[M, P]) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema.Attributes = map[string]identityschema.Attribute{}
	for _, id := range r.ids {
		resp.IdentitySchema.Attributes[id] = identityschema.StringAttribute{
			Description:       "The identifier of the " + strings.TrimSuffix(id, "_id") + ".",
			RequiredForImport: true,
		}
	}
}

func (r *conversionResource[M, P]) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.providerData = configured(req.ProviderData, &resp.Diagnostics)
}

// Create saves no state if nothing must be remembered: the next plan then creates what is missing. What must be is saved even if
// Terraform calls the object tainted for it.
func (r *conversionResource[M, P]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	plan := P(new(M))
	resp.Diagnostics.Append(req.Plan.Get(ctx, plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	s := plan.set(objectMemory{}, nil)
	result := r.convert(ctx, s, createTimeout(ctx, plan.limits(), r.timeout), nil)
	memory, after := r.apply(result, plan), afterApply
	if memory.needed(s) {
		after.stays = "\n\nTerraform calls the object tainted until then, and replaces it in its state alone."
	}
	result.report(&resp.Diagnostics, after)
	if memory.Tainted = resp.Diagnostics.HasError(); memory.Tainted && !memory.needed(s) {
		return
	}
	resp.Diagnostics.Append(setPrivate(ctx, resp.Private, memoryKey, memory)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
}

// apply takes over what has become of the chapters, and returns what must be remembered.
func (r *conversionResource[M, P]) apply(result result, plan P) objectMemory {
	memory := result.remaining()
	if result.unlisted {
		// No chapter had its turn to take up what was handed over for it.
		maps.Copy(memory.Kept, r.engine.HandedOverProject(result.ProjectID))
	}
	plan.show(result.chapters(), memory, result.failures())
	return memory
}

// Read refreshes what the chapters show, and notes which of them need something. The plan goes by these notes.
func (r *conversionResource[M, P]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state := P(new(M))
	resp.Diagnostics.Append(req.State.Get(ctx, state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, state.identity())...)
	before, memory := *state, r.memoryOf(ctx, req.Private, state, &resp.Diagnostics)
	s := state.set(memory, state)
	defer func() { r.remember(s, state, memory) }()
	if !r.ready() || resp.Diagnostics.HasError() {
		return
	}
	predicted, err := r.predict(ctx, s)
	refreshed := memory
	var chapters []audioprojects.Chapter
	if err == nil {
		chapters, err = refreshed.refresh(s, predicted)
	}
	switch pending := s.one && memory.Kept[s.every.ChapterID].Pending != nil; {
	case err != nil && s.one && !r.said.first("unread "+s.ProjectID):
		// One error ends the plan. A thousand, one for each chapter, could not be read.
		return
	case errors.Is(err, audioprojects.NotFound):
		// The key of another account gets the same answer.
		resp.Diagnostics.Append(unable("read", s.thing, path.Root("project_id"), err,
			"What is in the state stays there. If the project has been deleted, remove the block and apply with -refresh=false."))
		return
	case err != nil:
		resp.Diagnostics.Append(unable("read", s.thing, path.Root("project_id"), err))
		return
	case s.one && len(refreshed.Missing) > 0 && pending:
		resp.Diagnostics.Append(unable("read", s.thing, path.Root("project_id"), predicted.Chapters[0].Err,
			"A conversion of it is pending, which stays in the state. If the chapter has been deleted, remove the block and apply with -refresh=false."))
		return
	case s.one && len(refreshed.Missing) > 0:
		resp.Diagnostics.AddWarning("Chapter is gone", quoting(sentence(predicted.Chapters[0].Err)+" Terraform forgets the object: "+s.thing+"."))
		resp.State.RemoveResource(ctx)
		return
	}
	memory = refreshed
	warnOfRefusedRecord(s.thing, predicted.RecordRefused, &resp.Diagnostics)
	memory.warnOfGone(s, len(chapters), &resp.Diagnostics)
	state.show(chapters, memory, nil)
	resp.Diagnostics.Append(setPrivate(ctx, resp.Private, memoryKey, memory)...)
	if !reflect.DeepEqual(before, *state) { // The framework is slow, and most objects are as they were.
		resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
	}
}

// warnOfGone says that chapters of a book are gone, and of which of them a conversion is pending.
func (m objectMemory) warnOfGone(s set, count int, diags *diag.Diagnostics) {
	var paragraphs []string
	if s.Others != nil && count < s.count {
		paragraphs = append(paragraphs, quoting(fmt.Sprintf("Two lists and the project itself show %s of %s, which had %d. "+
			"The audio of the others is no longer looked after.", countOf(count, "chapter"), s.thing, s.count)))
	}
	if pending := m.gone(); len(pending) > 0 {
		paragraphs = append(paragraphs, quoting(fmt.Sprintf("Two lists and the project itself lack chapters of %s whose conversions are pending: %s. "+
			"An apply forgets these conversions.", s.thing, firstOf(pending))))
	}
	if len(paragraphs) > 0 {
		diags.AddWarning("Chapters are gone", strings.Join(paragraphs, "\n\n"))
	}
}

// memoryOf is what an object remembers.
func (r *conversionResource[M, P]) memoryOf(ctx context.Context, private privateState, object P, diags *diag.Diagnostics) (memory objectMemory) {
	diags.Append(getPrivate(ctx, private, memoryKey, &memory)...)
	object.recall(ctx, private, &memory, diags)
	return memory
}

// remember keeps what is pending for the plan of another object that replaces this one. A person who has a chapter's object replaced
// asked for that after the conversion began, so that it counts as somebody else's.
func (r *conversionResource[M, P]) remember(s set, object P, memory objectMemory) {
	if s.one && !memory.Tainted {
		memory.Kept = disowned(memory.Kept)
	}
	r.objects.remember(objectKey{r.name, object.id().ValueString()}, memory)
}

// ModifyPlan decides whether the apply converts, and says what that costs. It goes by what the latest refresh has noted, and not by a
// newer look: Terraform plans once more in the apply, and both plans must agree. Terraform plans a replacement twice: as an update,
// and then as a creation, of which it shows only errors.
func (r *conversionResource[M, P]) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	var noted objectMemory
	if resp.Diagnostics.Append(getPrivate(ctx, req.Private, memoryKey, &noted)...); noted.settled() && len(noted.Kept) == 0 && req.Plan.Raw.Equal(req.State.Raw) {
		return // The framework is slow, and most objects are so.
	}
	plan, state := P(new(M)), P(new(M))
	resp.Diagnostics.Append(req.Plan.Get(ctx, plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if plan.id().IsUnknown() {
		warnOfUnknownCost(&resp.Diagnostics)
		return
	}
	if req.State.Raw.IsNull() {
		r.planCreation(ctx, plan, noted, resp)
		return
	}
	resp.Diagnostics.Append(req.State.Get(ctx, state)...)
	memory := r.memoryOf(ctx, req.Private, state, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if !plan.id().Equal(state.id()) {
		r.lookAndBill(ctx, plan.set(objectMemory{}, nil), objectMemory{}, &resp.Diagnostics)
		return // Terraform plans the creation of the other object next, and hides its warnings.
	}
	r.remember(state.set(memory, state), state, memory)
	s, converts := plan.set(memory, state), false
	switch {
	case plan.demandsMore(memory, state):
		converts = true // What has been noted is about another demand. The apply looks at all chapters.
		r.lookAndBill(ctx, s, memory, &resp.Diagnostics)
	case len(memory.Missing) > 0:
		memory.refuseMissing(s, &resp.Diagnostics)
	case !memory.settled() && !s.idle:
		converts = true
		r.bill(ctx, s, memory, &resp.Diagnostics)
	}
	settle(&resp.Plan, req.State, converts)
}

// lasting are the computed attributes that no conversion changes.
var lasting = []string{"id", "name"}

// settle makes the computed attributes of a plan unknown if only the apply decides about them, and otherwise what they are.
func settle(plan *tfsdk.Plan, state tfsdk.State, converts bool) {
	var planned, known map[string]tftypes.Value
	if errors.Join(plan.Raw.As(&planned), state.Raw.As(&known)) != nil {
		return // They are objects of the same schema.
	}
	for name, attribute := range plan.Schema.GetAttributes() {
		switch {
		case !attribute.IsComputed() || attribute.IsOptional():
		case converts && !slices.Contains(lasting, name):
			planned[name] = tftypes.NewValue(planned[name].Type(), tftypes.UnknownValue)
		default:
			planned[name] = known[name]
		}
	}
	plan.Raw = tftypes.NewValue(plan.Raw.Type(), planned)
}

// planCreation plans a new object. That may be the second half of a replacement: then noted is what the replaced object remembers, but
// not if that one is tainted. Terraform gives the private state of this plan to the Delete of the old object, so that it has what must
// be handed over.
func (r *conversionResource[M, P]) planCreation(ctx context.Context, plan P, noted objectMemory, resp *resource.ModifyPlanResponse) {
	s := plan.set(objectMemory{}, nil)
	memory := objectMemory{Successor: plan.id().ValueString(), Timeout: createTimeout(ctx, plan.limits(), r.timeout), Kept: map[string]conversion.Memory{}}
	if r.ready() {
		memory.Kept = r.handedOver(s)
	}
	before := r.objects.of(objectKey{r.name, memory.Successor})
	maps.Copy(memory.Kept, before.Kept)
	pendingAlone := map[string]conversion.Memory{}
	for chapterID, kept := range memory.Kept {
		pendingAlone[chapterID] = conversion.Memory{Pending: kept.Pending}
	}
	if s.one {
		pending := memory.Kept[s.every.ChapterID].Pending
		memory.Kept = pendingAlone
		memory.ByHand = pending != nil && pending.Joined()
	}
	resp.Diagnostics.Append(setPrivate(ctx, resp.Private, memoryKey, memory)...)
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("id"), plan.id())...)
	if len(noted.Kept) == 0 && !before.Tainted {
		// Perhaps this is one more block with the same id, and nothing is handed over to it.
		memory.Kept = pendingAlone
	}
	r.lookAndBill(ctx, plan.set(memory, nil), memory, &resp.Diagnostics)
}

// handedOver is what the Delete of an object has left for the one that replaces it.
func (d *providerData) handedOver(s set) map[string]conversion.Memory {
	if !s.one {
		return d.engine.HandedOverProject(s.ProjectID)
	}
	return map[string]conversion.Memory{s.every.ChapterID: {Pending: d.engine.HandedOver(s.every)}}
}

// Update converts what has text left, and saves what has become of it, also if some of it has failed.
func (r *conversionResource[M, P]) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	plan, state := P(new(M)), P(new(M))
	resp.Diagnostics.Append(req.Plan.Get(ctx, plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, state)...)
	timeout, diags := plan.limits().Update(ctx, r.timeout)
	resp.Diagnostics.Append(diags...)
	// The framework requires an identity, and the state of Terraform before 1.12 has none.
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
	memory := r.memoryOf(ctx, req.Private, state, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if !req.Plan.Raw.IsFullyKnown() { // because the apply converts
		result := r.convert(ctx, plan.set(memory, state), timeout, nil)
		if result.report(&resp.Diagnostics, afterApply); !result.savable() {
			return // The prior state is as true as before.
		}
		memory = r.apply(result, plan)
	}
	resp.Diagnostics.Append(setPrivate(ctx, resp.Private, memoryKey, memory)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// Delete requests nothing, because a conversion cannot be undone. It hands over what is remembered, within this process, to the
// creation that may follow. Of a single chapter that is replaced, it waits for what is pending: Terraform destroys all that it replaces
// before it creates, and after an interruption in between no object would remember.
func (r *conversionResource[M, P]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state := P(new(M))
	resp.Diagnostics.Append(req.State.Get(ctx, state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	memory := r.memoryOf(ctx, req.Private, state, &resp.Diagnostics)
	if !r.ready() || resp.Diagnostics.HasError() {
		return
	}
	s, replaced := state.set(memory, state), memory.Successor == state.id().ValueString()
	if s.one && replaced && memory.Kept[s.every.ChapterID].Pending != nil {
		result := r.await(ctx, s, memory.Timeout)
		waited := result.remaining()
		if err := result.ends[0].Err; err != nil && !errors.Is(err, audioprojects.NotFound) {
			result.report(&resp.Diagnostics, afterDelete)
			if waited.Tainted = true; memory.ByHand {
				// The next apply cannot know that the replacement was requested after this conversion.
				waited.Kept = disowned(waited.Kept)
			}
			state.show(nil, waited, nil)
			resp.Diagnostics.Append(resp.State.Set(ctx, state)...)
			resp.Diagnostics.Append(setPrivate(ctx, resp.Private, memoryKey, waited)...)
			return
		}
		memory.Kept = waited.Kept
	}
	if !replaced || memory.ByHand {
		memory.Kept = disowned(memory.Kept) // The next object for these chapters is newer than what is pending.
	}
	switch pending := memory.Kept[s.every.ChapterID].Pending; {
	case s.one && pending != nil:
		r.engine.HandOver(s.ProjectID, s.every.ChapterID, *pending)
	case !s.one && (replaced || memory.Successor == ""): // otherwise the memory is that of another project's plan
		r.engine.HandOverProject(s.ProjectID, memory.Kept)
	}
}

// ImportState takes an id, whose parts are path-escaped if there are several, or an identity.
func (r *conversionResource[M, P]) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	ids, err := splitID(req.ID, len(r.ids))
	if req.ID == "" {
		ids, err = make([]string, len(r.ids)), nil
		for i, name := range r.ids {
			resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root(name), &ids[i])...)
		}
	}
	for _, id := range ids {
		err = errors.Join(err, audioprojects.CheckID(id))
	}
	if err != nil {
		resp.Diagnostics.AddError("Unable to import "+strings.ReplaceAll(r.name[1:], "_", " "), sentence(err))
		return
	}
	object := r.imported(ids)
	resp.Diagnostics.Append(resp.State.Set(ctx, object)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, object.identity())...)
}
