package provider

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audiofile"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// fileKey holds what Terraform need not show of the file.
const fileKey = "file"

// fileRecord is what is remembered of the file beside its content.
type fileRecord struct {
	// Modified is the time of the last change that we have made, or have found to have altered nothing.
	Modified time.Time `json:"modified"`
	// Altered tells that the last refresh found the file altered.
	Altered bool `json:"altered"`
}

var (
	_ resource.ResourceWithConfigure  = &projectSnapshotAudioResource{}
	_ resource.ResourceWithModifyPlan = &projectSnapshotAudioResource{}
)

func newProjectSnapshotAudioResource() resource.Resource { return &projectSnapshotAudioResource{} }

type projectSnapshotAudioResource struct{ *providerData }

func (r *projectSnapshotAudioResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_project_snapshot_audio"
}

func (r *projectSnapshotAudioResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.providerData = configured(req.ProviderData, &resp.Diagnostics)
}

// ModifyPlan finds blocks that name the same file, while nothing is lost yet: Terraform asks
// for a plan once more just before it applies it. It also plans to write an altered file anew.
func (r *projectSnapshotAudioResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() || r.providerData == nil {
		return
	}
	var plan projectSnapshotAudioModel
	var file fileRecord
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(getPrivate(ctx, req.Private, fileKey, &file)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if rival := r.claim(plan); rival != "" {
		resp.Diagnostics.AddAttributeError(path.Root("filename"), "File named twice",
			fmt.Sprintf("Another block writes the %s to this file, %s. Give each a file of its own.", rival, plan.Filename))
		return
	}
	switch {
	case req.State.Raw.IsNull():
		plan.setID()
		// Terraform passes it on to the destruction of what is to be replaced.
		resp.Diagnostics.Append(setPrivate(ctx, resp.Private, replacementKey, plan.Filename.ValueString())...)
	case file.Altered:
		plan.setContentUnknown()
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// claim returns what another block writes to the file, if one is known to.
func (r *projectSnapshotAudioResource) claim(plan projectSnapshotAudioModel) (rival string) {
	if !plan.decided() {
		return ""
	}
	return r.files.Claim(plan.Filename.ValueString(), plan.source())
}

func (r *projectSnapshotAudioResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.Diagnostics.Append(r.carryOut(ctx, req.Plan, &resp.State, resp.Private)...)
}

// Update writes an altered file anew: every argument replaces the object.
func (r *projectSnapshotAudioResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.Diagnostics.Append(r.carryOut(ctx, req.Plan, &resp.State, resp.Private)...)
}

// carryOut leaves the state as it was unless the file is there.
func (r *projectSnapshotAudioResource) carryOut(ctx context.Context, planned tfsdk.Plan, state *tfsdk.State, private privateState) diag.Diagnostics {
	var plan projectSnapshotAudioModel
	diags := planned.Get(ctx, &plan)
	if diags.HasError() {
		return diags
	}
	modified, err := r.write(ctx, &plan)
	if err != nil {
		diags.Append(unwritten(ctx, plan, err))
		return diags
	}
	plan.setID()
	diags.Append(setPrivate(ctx, private, fileKey, fileRecord{Modified: modified})...)
	diags.Append(state.Set(ctx, &plan)...)
	return diags
}

// write brings the audio to the file. The file is made ready first: audio that has nowhere
// to go is not asked for.
func (r *projectSnapshotAudioResource) write(ctx context.Context, plan *projectSnapshotAudioModel) (modified time.Time, err error) {
	file, err := r.files.Create(plan.Filename.ValueString())
	if err != nil {
		return modified, err
	}
	defer file.Discard()
	err = r.client.StreamProjectSnapshot(ctx, plan.ProjectID.ValueString(), plan.ProjectSnapshotID.ValueString(),
		plan.ConvertToMPEG.ValueBool(), func(audio audioprojects.Audio) error {
			content, err := file.Receive(audio)
			plan.setContent(content, string(audio.ContentType))
			return err
		})
	if err != nil {
		return modified, err
	}
	return file.Replace()
}

// unwritten is the diagnostic for audio that has not come to its file.
func unwritten(ctx context.Context, plan projectSnapshotAudioModel, err error) diag.Diagnostic {
	asItWas := fmt.Sprintf("Nothing has been written to %s, which is as it was.", plan.Filename)
	var request *audioprojects.Error
	switch {
	case ctx.Err() != nil:
		return diag.NewErrorDiagnostic("Interrupted before the audio was there",
			"The "+plan.source()+" was on its way. The next apply asks for it again.\n\n"+asItWas)
	case errors.As(err, &request):
		// Which of the two ids the service does not know, only its words can tell.
		return unable("stream", plan.source(), path.Empty(), err, asItWas)
	default:
		return diag.NewAttributeErrorDiagnostic(path.Root("filename"), "Unable to write "+plan.source(), sentence(err)+"\n\n"+asItWas)
	}
}

func (r *projectSnapshotAudioResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state projectSnapshotAudioModel
	var file fileRecord
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(getPrivate(ctx, req.Private, fileKey, &file)...)
	if resp.Diagnostics.HasError() {
		return
	}
	found, modified, err := state.content().Inspect(state.Filename.ValueString(), file.Modified)
	switch {
	case err != nil:
		resp.Diagnostics.AddAttributeError(path.Root("filename"), "Unable to read audio file", sentence(err))
		return
	case found == audiofile.Missing:
		resp.State.RemoveResource(ctx)
		return
	case found == audiofile.Altered:
		resp.Diagnostics.AddWarning("Audio file altered",
			fmt.Sprintf("The file %s is no longer the %s. Applying writes it anew.", state.Filename, state.source()))
	}
	if refreshed := (fileRecord{modified, found == audiofile.Altered}); refreshed != file {
		resp.Diagnostics.Append(setPrivate(ctx, resp.Private, fileKey, refreshed)...)
	}
}

// Delete leaves the file to a creation that replaces it, so that the old audio is there until
// the new has arrived.
func (r *projectSnapshotAudioResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state projectSnapshotAudioModel
	var file fileRecord
	var successor string
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(getPrivate(ctx, req.Private, fileKey, &file)...)
	resp.Diagnostics.Append(getPrivate(ctx, req.Private, replacementKey, &successor)...)
	filename := state.Filename.ValueString()
	if resp.Diagnostics.HasError() || successor != "" && audiofile.SameName(successor, filename) {
		return
	}
	found, err := r.files.Remove(filename, state.content(), file.Modified)
	switch {
	case err != nil:
		resp.Diagnostics.AddAttributeError(path.Root("filename"), "Unable to remove audio file", sentence(err))
	case found == audiofile.Altered:
		resp.Diagnostics.AddWarning("Audio file left in place",
			fmt.Sprintf("The file %s is no longer the %s, and stays.", state.Filename, state.source()))
	}
}
