package provider

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audiofile"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/forecast"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

var (
	_ resource.ResourceWithConfigure  = &projectSnapshotAudioResource{}
	_ resource.ResourceWithModifyPlan = &projectSnapshotAudioResource{}
)

func newProjectSnapshotAudioResource() resource.Resource { return &projectSnapshotAudioResource{} }

type projectSnapshotAudioResource struct{ *providerData }

func (r *projectSnapshotAudioResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_project_snapshot_audio"
}

func (r *projectSnapshotAudioResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = projectSnapshotAudioSchema()
}

func (r *projectSnapshotAudioResource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.providerData, _ = req.ProviderData.(*providerData)
}

// writtenKey is where the plan of a resource that must be replaced leaves the content of its file to the second plan of the replacement,
// which is one of a creation: Terraform does not show it the state.
const writtenKey = "written"

// modifiedKey is where a resource remembers when it has written its file, as the file system has it. A refresh does not change that:
// Terraform refreshes the old object, too, whose replacement has been created first and has written the same file.
const modifiedKey = "modified"

// successorKey is where the second plan of a replacement leaves the name of the file that will be written, for the destruction that comes
// first; empty if it is unknown.
const successorKey = "successor"

// ModifyPlan plans to write the file anew if the audio is another one, or the file is missing. A file of somebody else, and a place that
// cannot be written, are errors of the plan, while nothing has been paid for what the audio waits for.
func (r *projectSnapshotAudioResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	var plan, state projectSnapshotAudioModel
	var written audiofile.Content
	exists := !req.State.Raw.IsNull()
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if exists {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
		written = state.content()
		resp.Diagnostics.Append(setPrivate(ctx, resp.Private, writtenKey, written)...)
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, successorKey, nil)...)
	} else {
		resp.Diagnostics.Append(getPrivate(ctx, req.Private, writtenKey, &written)...)
		resp.Diagnostics.Append(setPrivate(ctx, resp.Private, successorKey, plan.Filename.ValueString())...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	filename := plan.Filename.ValueString()
	isAnother := !exists || !plan.hasAudioOf(state) || !plan.Filename.Equal(state.Filename)
	downloads := isAnother || !plan.keepsMissing() && r.audioFiles().Missing(filename)
	if exists {
		markUnknown(&resp.Plan, req.State, downloads)
	}
	if !downloads {
		return
	}
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("id"), plan.id())...)
	if plan.Filename.IsUnknown() {
		return
	}
	err := r.audioFiles().Check(ctx, plan.target(written))
	switch {
	case err != nil && ctx.Err() != nil:
		resp.Diagnostics.Append(interruptedError(plan))
	case err != nil:
		consequence := say.IfDestroying
		if r.providerData != nil && r.conversions.Applying() {
			consequence = nothingWrittenText(plan)
		}
		resp.Diagnostics.Append(writeError(plan, err, consequence))
	}
}

// Create takes every file for somebody else's: one that is replaced has been removed.
func (r *projectSnapshotAudioResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan projectSnapshotAudioModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Create(ctx, noTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(r.download(ctx, timeout, plan, audiofile.Content{}, &resp.State, resp.Private)...)
}

// Update writes the file anew, or only changes how it is kept.
func (r *projectSnapshotAudioResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state projectSnapshotAudioModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	timeout, diags := plan.Timeouts.Update(ctx, noTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if plan.Size.IsUnknown() {
		resp.Diagnostics.Append(r.download(ctx, timeout, plan, state.content(), &resp.State, resp.Private)...)
		return
	}
	if plan.permission() != state.permission() {
		refused, err := r.files.SetPermission(plan.Filename.ValueString(), plan.permission())
		if err != nil {
			resp.Diagnostics.AddAttributeError(path.Root("file_permission"), "Unable to set file permission", say.Sentence(err))
			return
		}
		resp.Diagnostics.Append(permissionWarning(refused)...)
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// errOutOfTime ends what takes longer than `timeouts` allows.
var errOutOfTime = errors.New("out of time")

// noTimeout is longer than any audio.
const noTimeout = time.Duration(math.MaxInt64)

// download brings the audio to the file, and leaves the state as it was unless the file is there. The file is made ready first: audio
// that has nowhere to go is not asked for.
func (r *projectSnapshotAudioResource) download(
	ctx context.Context, timeout time.Duration, plan projectSnapshotAudioModel, written audiofile.Content,
	state *tfsdk.State, private privateState,
) (diags diag.Diagnostics) {
	r.conversions.BeginApply()
	limited, cancel := context.WithTimeoutCause(ctx, timeout, errOutOfTime)
	defer cancel()
	file, err := r.files.Create(limited, plan.target(written))
	if err != nil {
		return diag.Diagnostics{downloadError(limited, plan, timeout, err)}
	}
	defer func() { diags.Append(leftoverWarning(file.Discard())...) }()
	var received audioprojects.Audio
	err = r.client.StreamProjectSnapshot(limited, plan.ProjectID.ValueString(), plan.ProjectSnapshotID.ValueString(),
		plan.ConvertToMPEG.ValueBool(), func(audio audioprojects.Audio) error {
			content, err := file.Receive(audio)
			received = audio
			plan.setContent(content, string(audio.ContentType))
			return err
		})
	if err != nil {
		return diag.Diagnostics{downloadError(limited, plan, timeout, err)}
	}
	replaced, err := file.Replace(limited)
	if err != nil {
		return diag.Diagnostics{downloadError(limited, plan, timeout, err)}
	}
	diags.Append(permissionWarning(replaced.PermissionRefused)...)
	diags.Append(syncWarning(replaced.SyncRefused)...)
	diags.Append(contentWarnings(plan, received)...)
	diags.Append(setPrivate(ctx, private, modifiedKey, replaced.Modified)...)
	diags.Append(state.Set(ctx, &plan)...)
	return diags
}

// contentWarnings are the warnings about audio that may not be what was wanted.
func contentWarnings(plan projectSnapshotAudioModel, audio audioprojects.Audio) (diags diag.Diagnostics) {
	if !audio.EndProven {
		diags.AddAttributeWarning(path.Root("filename"), "Audio that may not be whole",
			fmt.Sprintf("The service announced no length for the %s, and nothing but the end of the connection marked its end. "+
				"A broken connection ends in the same way, so the provider cannot tell whether %s contains all of the audio. "+
				"It can with a `Content-Length`, chunks or HTTP/2.", plan.source(), plan.Filename))
	}
	mayBeMPEG := slices.Contains([]string{"", "audio/mpeg", "audio/aac", "audio/mp4", "audio/x-m4a", "video/mp4", "video/mpeg"}, audio.Format)
	if plan.ConvertToMPEG.ValueBool() && !mayBeMPEG {
		diags.AddAttributeWarning(path.Root("convert_to_mpeg"), "Audio that is no MPEG",
			fmt.Sprintf("The provider requested the %s, and the beginning of what came is that of %s. The file %s contains it as it came.",
				plan.source(), audio.Format, plan.Filename))
	}
	return diags
}

// permissionWarning is the warning about a file that has another permission than `file_permission`. An error would bring the audio again and again.
func permissionWarning(refused error) (diags diag.Diagnostics) {
	if refused != nil {
		diags.AddAttributeWarning(path.Root("file_permission"), "File permission not set",
			say.Sentence(refused)+" The file is whole and stays there. Set `file_permission` to what it has, and there is no warning.")
	}
	return diags
}

// syncWarning is the warning about a file that the system may still have in memory only.
func syncWarning(refused error) (diags diag.Diagnostics) {
	if refused != nil {
		diags.AddAttributeWarning(path.Root("filename"), "Audio file not synced",
			say.Sentence(refused)+" The file is whole and stays there, but a machine that fails in the next minutes may lose it.")
	}
	return diags
}

// leftoverWarning is the warning about a file that stays beside the audio file.
func leftoverWarning(err error) (diags diag.Diagnostics) {
	if err != nil {
		diags.AddAttributeWarning(path.Root("filename"), "Unfinished audio left", say.Sentence(err)+" Delete it.")
	}
	return diags
}

// downloadError is the diagnostic for audio that has not come.
func downloadError(ctx context.Context, plan projectSnapshotAudioModel, timeout time.Duration, err error) diag.Diagnostic {
	unchanged := nothingWrittenText(plan)
	switch {
	case errors.Is(context.Cause(ctx), errOutOfTime):
		return diag.NewAttributeErrorDiagnostic(path.Root("timeouts"), "Timed out before the audio arrived",
			fmt.Sprintf("The %s did not arrive within %s (`timeouts`). The next apply downloads it again, from the beginning.\n\n%s%s",
				plan.source(), timeout, unchanged, forecast.StalePlan))
	case ctx.Err() != nil:
		return diag.NewErrorDiagnostic("Interrupted before the audio arrived",
			"The "+plan.source()+" has not arrived in full. The next apply downloads it again, from the beginning.\n\n"+unchanged+forecast.StalePlan)
	case errors.As(err, new(*audioprojects.Error)):
		// Which of the two ids the service does not know, only its error message can tell.
		return say.Unable("stream", plan.source(), path.Empty(), err, unchanged)
	default:
		return writeError(plan, err, unchanged)
	}
}

// interruptedError is the diagnostic for a file that was not compared to its end.
func interruptedError(model projectSnapshotAudioModel) diag.Diagnostic {
	return diag.NewErrorDiagnostic("Interrupted while reading audio file",
		fmt.Sprintf("The file %s was not read to its end, so nothing is known of it, and nothing was changed.", model.Filename))
}

func nothingWrittenText(plan projectSnapshotAudioModel) string {
	return fmt.Sprintf("Nothing was written to %s.", plan.Filename)
}

// writeError is the diagnostic for a file that cannot be written, or may not be replaced.
func writeError(plan projectSnapshotAudioModel, err error, consequence string) diag.Diagnostic {
	if errors.Is(err, audiofile.ErrForeignFile) {
		return diag.NewAttributeErrorDiagnostic(path.Root("filename"), "File exists already",
			fmt.Sprintf("The file %s exists, and it is not what this resource has written: somebody else, another resource or an apply that was killed wrote it, or the resource is tainted. "+
				"Remove the file, or set another `filename`. If the %s may replace it, set `overwrite = true`.\n\n%s", plan.Filename, plan.source(), consequence))
	}
	return diag.NewAttributeErrorDiagnostic(path.Root("filename"), "Unable to write "+plan.source(),
		say.Sentence(err)+"\n\n"+consequence)
}

// Read takes a file that somebody has altered for one that is no longer the resource's.
func (r *projectSnapshotAudioResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state projectSnapshotAudioModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	is, err := r.audioFiles().Has(ctx, state.Filename.ValueString(), state.content())
	switch {
	case err != nil && ctx.Err() != nil:
		resp.Diagnostics.Append(interruptedError(state))
	case errors.Is(err, fs.ErrNotExist):
		if !state.keepsMissing() {
			resp.State.RemoveResource(ctx)
		}
	case err != nil:
		resp.Diagnostics.AddAttributeWarning(path.Root("filename"), "Unable to read audio file",
			say.Sentence(err)+" The resource stays in the state, whether or not the file still exists. If the file will stay unreadable, set another `filename` or remove the resource.")
	case !is:
		resp.Diagnostics.AddAttributeWarning(path.Root("filename"), "Audio file altered",
			fmt.Sprintf("The file %s is no longer the %s, so it no longer belongs to the resource. An apply downloads the audio again, if `overwrite` allows it.", state.Filename, state.source()))
		// Terraform gives the private state to the plan of the creation. The file of an earlier run is not the one that the apply may replace.
		resp.Diagnostics.Append(setPrivate(ctx, resp.Private, writtenKey, audiofile.Content{})...)
		resp.State.RemoveResource(ctx)
	}
}

// Delete leaves what this apply has written for another resource, or for the one that replaces this one, and what somebody has written
// since this resource has.
func (r *projectSnapshotAudioResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state projectSnapshotAudioModel
	var modified time.Time
	var successor *string
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(getPrivate(ctx, req.Private, modifiedKey, &modified)...)
	resp.Diagnostics.Append(getPrivate(ctx, req.Private, successorKey, &successor)...)
	// If the file cannot be removed, the object stays, and a later apply destroys it, which may have another successor.
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, successorKey, nil)...)
	if resp.Diagnostics.HasError() {
		return
	}
	r.conversions.BeginApply()
	filename := state.Filename.ValueString()
	if successor != nil {
		// Where nobody can tell, the time decides.
		isSame, _ := r.files.SameName(*successor, filename)
		if isSame || *successor == "" {
			modified = time.Time{} // The plan lets that replace the file, whenever it was written.
		}
	}
	left, err := r.files.Remove(ctx, filename, state.content(), modified)
	const leftInPlace = "Audio file left in place"
	switch {
	case err != nil && ctx.Err() != nil:
		resp.Diagnostics.Append(interruptedError(state))
	case err != nil:
		resp.Diagnostics.AddAttributeError(path.Root("filename"), "Unable to remove audio file", say.Sentence(err))
	case left == audiofile.Altered:
		resp.Diagnostics.AddWarning(leftInPlace,
			fmt.Sprintf("The file %s is no longer the %s, so the provider leaves it in place.", state.Filename, state.source()))
	case left == audiofile.WrittenAgain:
		resp.Diagnostics.AddWarning(leftInPlace,
			fmt.Sprintf("Somebody has written the file %s again since this resource wrote the %s to it, so the provider leaves it in place.",
				state.Filename, state.source()))
	}
}
