package provider

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/forecast"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// conversionResource is a resource that says that chapters of a project have been converted. What differs between a chapter
// and a book is in their [conversionModel].
type conversionResource struct {
	*providerData
	name    string
	schema  func() schema.Schema
	ids     []string // the attributes of the identity
	timeout time.Duration
	// list finds what a resource can be about: chapters of a project, or projects.
	list            func(ctx context.Context, d *providerData, projectID string) ([]listed, error)
	listDescription string
}

// listed is a resource that a query finds.
type listed struct {
	ids      []string // of its identity
	name     *audioprojects.Text
	chapters []audioprojects.Chapter // that it is about; nil if nobody has asked for them yet
}

var (
	_ resource.ResourceWithConfigure   = &conversionResource{}
	_ resource.ResourceWithIdentity    = &conversionResource{}
	_ resource.ResourceWithModifyPlan  = &conversionResource{}
	_ resource.ResourceWithImportState = &conversionResource{}
	_ list.ListResourceWithConfigure   = &conversionResource{}
)

func (r *conversionResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + r.name
}

func (r *conversionResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = r.schema()
}

func (r *conversionResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema.Attributes = map[string]identityschema.Attribute{}
	for _, id := range r.ids {
		resp.IdentitySchema.Attributes[id] = identityschema.StringAttribute{
			Description:       "The identifier of the " + strings.TrimSuffix(id, "_id") + ".",
			RequiredForImport: true,
		}
	}
}

func (r *conversionResource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.providerData, _ = req.ProviderData.(*providerData)
}

// identify sets the identity of a resource. The framework requires one, and the state of Terraform before 1.12 has none.
func identify[ID any](ctx context.Context, names []string, ids []ID, identity *tfsdk.ResourceIdentity) (diags diag.Diagnostics) {
	for i, id := range ids {
		diags.Append(identity.SetAttribute(ctx, path.Root(names[i]), id)...)
	}
	return diags
}

// Create saves no state if nothing must be remembered: the next plan then creates what is missing. What must be is saved even if
// Terraform calls the resource tainted for it.
func (r *conversionResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	plan := modelOf(ctx, tfsdk.Config(req.Plan), &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	taken := r.conversions.TakeOver(plan.scope(forecast.ResourceMemory{}, nil))
	result := r.conversions.Convert(ctx, plan.scope(taken, nil), createTimeout(ctx, req.Plan, r.timeout), nil)
	memory, after := result.NextMemory(), forecast.AfterApply.Creating()
	if memory.MustBeKept() {
		after = after.Tainting()
	}
	result.Report(&resp.Diagnostics, after)
	memory.Tainted = resp.Diagnostics.HasError()
	if memory.Tainted && !memory.MustBeKept() {
		return
	}
	resp.Diagnostics.Append(save(ctx, resp.Private, memory)...)
	plan.setCharactersRequested(result, nil)
	resp.State.Raw = fillComputed(tfsdk.Config(req.Plan), plan.show(result.Chapters(), memory, result.Failures(nil)), &resp.Diagnostics)
	resp.Diagnostics.Append(identify(ctx, r.ids, plan.ids(), resp.Identity)...)
}

// Read refreshes what the chapters show, and notes which of them need something. The plan goes by these notes.
func (r *conversionResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state := modelOf(ctx, tfsdk.Config(req.State), &resp.Diagnostics)
	resp.Diagnostics.Append(identify(ctx, r.ids, state.ids(), resp.Identity)...)
	s := state.scope(r.memoryOf(ctx, req.Private, state, &resp.Diagnostics), state)
	if r.providerData != nil && !r.ready() && r.conversions.Once("not asked") {
		resp.Diagnostics.AddWarning("Service not asked", say.ProviderUnknown+"\n\nSo this plan goes by the state. What has changed at the service since, "+
			"such as edited text, shows in the next plan.")
	}
	if !r.ready() || resp.Diagnostics.HasError() {
		return
	}
	seen, err := r.conversions.Refresh(ctx, s)
	switch {
	case err != nil && s.SingleChapter && !r.conversions.Once("unread "+s.ProjectID):
		// One error ends the plan. A thousand, one for each chapter, could not be read.
		return
	case err != nil:
		var consequences []string
		if errors.Is(err, audioprojects.NotFound) { // The key of another account gets the same answer.
			consequences = []string{"Terraform keeps the resource in the state, with any pending conversion. If the project was deleted at the service, " +
				"remove the resource from the configuration and apply with -refresh=false."}
		}
		consequences = append(consequences, say.IfDestroying)
		resp.Diagnostics.Append(say.Unable("read", s.Label, path.Root("project_id"), err, consequences...))
		return
	case seen.Missing != nil && s.Memory.Chapters[s.Template.ChapterID].Pending != nil:
		// Only a plan knows whether the configuration still names the chapter, and refuses it then.
		resp.Diagnostics.AddWarning("Chapter is gone", say.Below(say.ErrorText(seen.Missing), "A conversion of it is pending, so Terraform keeps the resource in the state. "+
			"If the chapter was deleted at the service, remove the resource from the configuration:")+say.Dashed([]string{s.Label}))
		resp.Diagnostics.Append(save(ctx, resp.Private, seen.Memory)...)
		return
	case seen.Missing != nil:
		resp.Diagnostics.AddWarning("Chapter is gone", say.Below(say.ErrorText(seen.Missing), "Terraform removes the resource from the state:")+say.Dashed([]string{s.Label}))
		resp.State.RemoveResource(ctx)
		return
	}
	seen.Warn(&resp.Diagnostics)
	resp.Diagnostics.Append(save(ctx, resp.Private, seen.Memory)...)
	resp.State.Raw = fillComputed(tfsdk.Config(req.State), state.show(seen.Chapters, seen.Memory, nil), &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, serviceURLPath, r.client.Address())...)
}

// memoryKey holds the [forecast.ResourceMemory] of a resource in its private state.
const memoryKey = "memory"

// memoryOf is what a resource remembers.
func (r *conversionResource) memoryOf(ctx context.Context, private privateState, model *conversionModel, diags *diag.Diagnostics) (memory forecast.ResourceMemory) {
	diags.Append(getPrivate(ctx, private, memoryKey, &memory)...)
	return memory.WithPending(model.pending(diags))
}

// hasPrivate reports whether a resource in the state has private state. Terraform keeps that. What does not would lose
// what is pending and what a plan has named, and take that for nothing to do.
func hasPrivate(ctx context.Context, private privateState, diags *diag.Diagnostics) bool {
	text, failed := private.GetKey(ctx, memoryKey)
	diags.Append(failed...)
	return len(text) > 0
}

// refuseWithoutPrivate is the error for a resource that has none.
func (m *conversionModel) refuseWithoutPrivate(diags *diag.Diagnostics) {
	diags.AddError("Private state is missing", "The provider remembers in the private state of a resource which conversions are pending, and what a plan has named. "+
		"This one has none, so nothing is requested:"+say.Dashed([]string{m.label()})+
		"\n\nThe program that runs the provider must keep the private state of each response, as Terraform and OpenTofu do. "+
		"If the state was written by hand, remove the resource from it, and import it again.")
}

// save stores what a resource remembers, beside what its state shows.
func save(ctx context.Context, private privateState, memory forecast.ResourceMemory) diag.Diagnostics {
	return setPrivate(ctx, private, memoryKey, memory.WithPending(nil))
}

// ModifyPlan decides by what the latest refresh has noted whether the apply converts, and says what that costs. Terraform plans a
// replacement twice: as an update, and then as a creation, of which it shows only errors.
func (r *conversionResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	if !req.State.Raw.IsNull() && !hasPrivate(ctx, req.Private, &resp.Diagnostics) {
		modelOf(ctx, tfsdk.Config(req.State), &resp.Diagnostics).refuseWithoutPrivate(&resp.Diagnostics)
		return
	}
	var noted forecast.ResourceMemory
	resp.Diagnostics.Append(getPrivate(ctx, req.Private, memoryKey, &noted)...)
	if len(noted.Planned)+len(noted.Missing)+len(noted.Chapters) == 0 && sameValues(req.Plan.Raw, req.State.Raw) {
		return // The framework is slow, and most resources are so.
	}
	plan := modelOf(ctx, tfsdk.Config(req.Plan), &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if plan.id().IsUnknown() {
		r.conversions.EstimateUnknown(plan.scope(forecast.ResourceMemory{}, nil), &resp.Diagnostics)
		return
	}
	if req.State.Raw.IsNull() {
		r.planCreation(ctx, plan, noted, resp)
		return
	}
	state := modelOf(ctx, tfsdk.Config(req.State), &resp.Diagnostics)
	memory := r.memoryOf(ctx, req.Private, state, &resp.Diagnostics)
	memory.Portion = nil // An update that could list no chapters has left that of its plan.
	if resp.Diagnostics.HasError() {
		return
	}
	if !plan.id().Equal(state.id()) {
		r.conversions.LookAndEstimate(ctx, plan.scope(forecast.ResourceMemory{}, nil), &resp.Diagnostics)
		return // Terraform plans the creation of the other resource next, and hides its warnings.
	}
	kept, dropped := plan.keepTriggers(memory)
	if !r.conversions.Applying() { // The plan has said so.
		plan.warnOfTriggers(dropped, state, &resp.Diagnostics)
	}
	s := plan.scope(kept, state)
	does := plan.updateOf(s, state, dropped > 0)
	switch does {
	case looksAgain:
		r.conversions.LookAndEstimate(ctx, s, &resp.Diagnostics)
	case isRefused:
		s.Refuse(&resp.Diagnostics)
	case goesByNotes:
		s.TakePortion()
		r.conversions.Estimate(ctx, s, &resp.Diagnostics)
	}
	memory.Converts, memory.Portion = does.converts(), s.Memory.Portion
	memory.Tainted = false // Terraform plans no update of a tainted resource.
	if does == changesArguments {
		memory.Planned = nil // What the refresh has noted is not wanted any more.
	}
	resp.Diagnostics.Append(save(ctx, resp.Private, memory)...)
	markUnknown(&resp.Plan, req.State, memory.Converts, plan.unchanged(state)...)
	if memory.Converts && r.ready() {
		state.refuseOtherService(r.client.Address(), s.Label, &resp.Diagnostics)
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, serviceURLPath, r.client.Address())...)
	}
}

// planCreation plans a new resource by what the chapters show. If it replaces another one, that one's Delete hands over what is pending,
// and what its conversions have left. No plan counts on that: Terraform may call Delete later (create_before_destroy), or never (destroy
// = false). So an apply may pay less than its plan says. Terraform gives the private state of this plan to that Delete, and plans once
// more after it: then Create alone says what is wrong, and saves what was handed over.
func (r *conversionResource) planCreation(ctx context.Context, plan *conversionModel, replaced forecast.ResourceMemory, resp *resource.ModifyPlanResponse) {
	s := plan.scope(forecast.ResourceMemory{}, nil)
	memory := forecast.ResourceMemory{Chapters: replaced.Chapters}
	resp.Diagnostics.Append(setPrivate(ctx, resp.Private, memoryKey, memory)...)
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("id"), plan.id())...)
	if r.ready() {
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, serviceURLPath, r.client.Address())...)
	}
	if !r.ready() || !r.conversions.HasHandedOver(s) {
		r.conversions.LookAndEstimate(ctx, s, &resp.Diagnostics)
	}
}

// Update converts what has text left, and saves what has become of it, also if some of it has failed.
func (r *conversionResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	plan := modelOf(ctx, tfsdk.Config(req.Plan), &resp.Diagnostics)
	state := modelOf(ctx, tfsdk.Config(req.State), &resp.Diagnostics)
	var configured timeouts.Value
	resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root("timeouts"), &configured)...)
	timeout, diags := configured.Update(ctx, r.timeout)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(identify(ctx, r.ids, plan.ids(), resp.Identity)...)
	if !hasPrivate(ctx, req.Private, &resp.Diagnostics) {
		state.refuseWithoutPrivate(&resp.Diagnostics)
	}
	memory := r.memoryOf(ctx, req.Private, state, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.State.Raw = req.Plan.Raw
	memory, _ = plan.keepTriggers(memory)
	if memory.Converts {
		result := r.conversions.Convert(ctx, plan.scope(memory, state), timeout, nil)
		result.Report(&resp.Diagnostics, forecast.AfterApply)
		if !result.Savable() {
			resp.State.Raw = req.State.Raw // It is as true as before.
			return
		}
		memory = result.NextMemory()
		plan.setCharactersRequested(result, state)
		shown := plan.show(result.Chapters(), memory, result.Failures(state.failures()))
		resp.State.Raw = fillComputed(tfsdk.Config(req.Plan), shown, &resp.Diagnostics)
	}
	resp.Diagnostics.Append(save(ctx, resp.Private, memory)...)
}

// Delete requests nothing, because a conversion cannot be undone, and waits for nothing. It hands over what is pending,
// within this process, to a resource for the same chapters that is created later: Terraform replaces one so, and tells
// no Delete whether it does. Of another service nothing is handed over.
func (r *conversionResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state := modelOf(ctx, tfsdk.Config(req.State), &resp.Diagnostics)
	s := state.scope(r.memoryOf(ctx, req.Private, state, &resp.Diagnostics), state)
	if !r.ready() || resp.Diagnostics.HasError() {
		return
	}
	r.conversions.BeginApply()
	if state.isOf(r.client.Address()) {
		r.conversions.HandOver(s)
	}
}

// ImportState takes an id, whose parts are path-escaped if there are several, or an identity.
func (r *conversionResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
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
		resp.Diagnostics.AddError("Unable to import "+strings.ReplaceAll(r.name[1:], "_", " "), say.Sentence(err))
		return
	}
	resp.State.Raw = r.imported(ctx, tfsdk.Config(resp.State), ids).Raw
	resp.Diagnostics.Append(save(ctx, resp.Private, forecast.ResourceMemory{NotSeen: true})...)
	resp.Diagnostics.Append(identify(ctx, r.ids, ids, resp.Identity)...)
}

// imported is a resource of which nothing is known but its ids.
func (r *conversionResource) imported(ctx context.Context, object tfsdk.Config, ids []string) tfsdk.Config {
	values := map[string]tftypes.Value{}
	for name, attribute := range object.Schema.GetAttributes() {
		var value any
		i := slices.Index(r.ids, name)
		if i >= 0 {
			value = ids[i]
		} else if attribute.IsComputed() && attribute.IsOptional() {
			value = false // the default, so that a configuration without the attribute plans nothing
		}
		values[name] = tftypes.NewValue(attribute.GetType().TerraformType(ctx), value)
	}
	object.Raw = tftypes.NewValue(object.Schema.Type().TerraformType(ctx), values)
	return object
}
