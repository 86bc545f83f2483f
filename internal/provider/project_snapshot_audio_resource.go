package provider

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audiofile"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/value"
)

var (
	_ resource.ResourceWithConfigure  = &projectSnapshotAudioResource{}
	_ resource.ResourceWithModifyPlan = &projectSnapshotAudioResource{}
)

func newProjectSnapshotAudioResource() resource.Resource { return &projectSnapshotAudioResource{} }

type projectSnapshotAudioResource struct {
	client *audioprojects.Client
	files  *audiofile.Claims
}

func (r *projectSnapshotAudioResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_project_snapshot_audio"
}

func (r *projectSnapshotAudioResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = projectSnapshotAudioSchema()
}

func (r *projectSnapshotAudioResource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	data, _ := req.ProviderData.(*providerData)
	if data != nil {
		r.client, r.files = data.client, data.files
	}
}

// replacementKey is set in the plan of a creation, to the name of its file; it is empty while that is unknown. If the creation
// is part of a replacement, Terraform passes the plan's private state to the Delete of the old resource too. Only by this
// key does Delete know that the resource is replaced, and not removed for good.
const replacementKey = "replacement"

// ModifyPlan finds files that belong to somebody else, while nothing is lost yet: Terraform asks
// for a plan once more just before it applies it. It also plans to write the file anew: with other audio, under another name, or
// because it is altered.
func (r *projectSnapshotAudioResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var plan projectSnapshotAudioModel
	state, file := audioOf(ctx, req.State, req.Private, &resp.Diagnostics)
	exists, destroyed := !req.State.Raw.IsNull(), req.Plan.Raw.IsNull()
	if !destroyed {
		resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if destroyed {
		r.planDestruction(ctx, file.Copy, resp)
		return
	}
	leaves := exists && plan.leaves(state)
	if leaves {
		_, diags := r.abandon(file.Copy)
		resp.Diagnostics.Append(diags...)
	}
	anew := file.Altered || leaves
	if !plan.Filename.IsUnknown() {
		resp.Diagnostics.Append(r.claim(plan, exists, leaves, file)...)
		if resp.Diagnostics.HasError() {
			return
		}
		// Versions before this one let two resources have one file. The other one takes it away.
		anew = anew || r.files.Abandoned(plan.Filename.ValueString())
	}
	if !exists {
		// Terraform passes it on to the destruction of what is to be replaced.
		resp.Diagnostics.Append(value.SetPrivate(ctx, resp.Private, replacementKey, plan.Filename.ValueString())...)
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("id"), plan.id())...)
		return
	}
	noLongerKept := state.keepsMissing() && !plan.keepsMissing() && missing(state.Filename.ValueString())
	anew = anew || !plan.isOf(state) || noLongerKept
	value.MarkUnknown(&resp.Plan, req.State, anew)
	if anew && !leaves && !plan.Filename.IsUnknown() {
		rejected := audiofile.Unwritable(plan.Filename.ValueString())
		if rejected != nil {
			resp.Diagnostics.Append(unwritable(plan, rejected))
			return
		}
	}
	if anew {
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("id"), plan.id())...)
	}
	r.files.Disown(state.Filename.ValueString())
	resp.Diagnostics.Append(value.SetPrivate(ctx, resp.Private, fileKey, file)...)
}

func missing(filename string) bool {
	_, err := os.Lstat(filename)
	return errors.Is(err, fs.ErrNotExist)
}

// claim claims the file for the resource, once in each process: the plan of a replacement has two halves, of which the
// second is told the record of the first. A file that the resource has not written yet must be free.
func (r *projectSnapshotAudioResource) claim(plan projectSnapshotAudioModel, exists, leaves bool, file fileRecord) (diags diag.Diagnostics) {
	filename, overwrite := plan.Filename.ValueString(), plan.Overwrite.IsUnknown() || plan.Overwrite.ValueBool()
	if exists || file.Filename == "" {
		rival, claimed := r.files.Claim(filename, audiofile.Claim{Source: plan.source(), New: !exists || leaves, Overwrite: overwrite})
		if claimed {
			diags.AddAttributeError(path.Root("filename"), "File named twice",
				fmt.Sprintf("Another resource writes the %s to this file, %s. Give each resource a file of its own.", rival.Source, plan.Filename))
			return diags
		}
	}
	if exists && !leaves {
		return diags
	}
	rejected := audiofile.Unwritable(filename)
	switch {
	case rejected != nil:
		diags.Append(unwritable(plan, rejected))
	case overwrite:
	case r.files.Abandoned(filename):
		diags.Append(leftFile(filename))
	case r.files.Occupied(filename, file.Copy):
		diags.Append(occupiedFile(plan))
	}
	return diags
}

// planDestruction keeps the file of another resource from being removed.
func (r *projectSnapshotAudioResource) planDestruction(ctx context.Context, left audiofile.Copy, resp *resource.ModifyPlanResponse) {
	claimed, diags := r.abandon(left)
	resp.Diagnostics.Append(diags...)
	var heir *string // None: what a replacement that failed has noted no longer holds.
	if claimed {
		heir = &left.Filename
	}
	resp.Diagnostics.Append(value.SetPrivate(ctx, resp.Private, replacementKey, heir)...)
}

// abandon notes that a resource leaves its file, and reports whether another resource claims that.
func (r *projectSnapshotAudioResource) abandon(left audiofile.Copy) (claimed bool, diags diag.Diagnostics) {
	found, _, err := left.Inspect()
	if err != nil || found != audiofile.Intact {
		return false, nil // It would stay anyway.
	}
	heir, claimed := r.files.Abandon(left)
	if claimed && heir.New && !heir.Overwrite {
		diags.Append(leftFile(left.Filename))
	}
	return claimed, diags
}

// leftFile is the diagnostic for a file that one resource leaves and another is to write: Terraform may run either first,
// and the one would take the other's file.
func leftFile(filename string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root("filename"), "File of another resource",
		fmt.Sprintf("The file %q belongs to a resource that will be destroyed or may get another `filename`, and another resource would write it now. "+
			"If you renamed a resource, or its key in `for_each`, "+
			"add a `moved` block: then nothing is downloaded, and nothing is removed. Otherwise first apply the change that gives up the file, "+
			"or set `overwrite = true` in the resource that gets it.", filename))
}

// occupiedFile is the diagnostic for a file that somebody else has written, as far as anybody can tell.
func occupiedFile(plan projectSnapshotAudioModel) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root("filename"), "File exists already",
		fmt.Sprintf("The file %s exists, and this resource has no record of having written it. Remove the file, or set another `filename`. "+
			"If the %s may replace it, set `overwrite = true`, for example after a `terraform state rm` or an apply that was killed. "+
			"With `create_before_destroy`, Terraform does not tell the new resource which file the old one wrote.", plan.Filename, plan.source()))
}

func (r *projectSnapshotAudioResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan projectSnapshotAudioModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Create(ctx, noTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(r.carryOut(ctx, timeout, plan, plan.terms(), &resp.State, resp.Private)...)
	left, intact := r.files.Left(plan.Filename.ValueString())
	switch {
	case intact && resp.Diagnostics.HasError():
		// The resource that was replaced is out of the state. Without this one, which Terraform calls tainted, the next
		// apply would take its file for a stranger's.
		plan.Filename = types.StringValue(left.Filename)
		plan.setContent(left.Content, "")
		resp.Diagnostics.Append(value.SetPrivate(ctx, resp.Private, fileKey, fileRecord{Copy: plan.copy(left.Modified)})...)
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	case resp.Diagnostics.HasError(), left.Filename == "", audiofile.Same(left.Filename, plan.Filename.ValueString()):
	default:
		resp.Diagnostics.Append(r.remove(left, "audio of the replaced resource")...)
	}
}

// Update writes the file anew, or changes how it is kept. Under another name, the old file is removed when the new one is whole.
func (r *projectSnapshotAudioResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan projectSnapshotAudioModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	state, file := audioOf(ctx, req.State, req.Private, &resp.Diagnostics)
	timeout, diags := plan.Timeouts.Update(ctx, noTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	terms, leaves := plan.terms(), plan.leaves(state)
	if plan.Size.IsUnknown() {
		if !leaves {
			// What an altered file holds was a warning of the plan. What this resource has written may be replaced.
			terms.Overwrite = terms.Overwrite || file.Altered
			r.files.Own(file.Copy)
		}
		resp.Diagnostics.Append(r.carryOut(ctx, timeout, plan, terms, &resp.State, resp.Private)...)
		if leaves && !resp.Diagnostics.HasError() {
			resp.Diagnostics.Append(r.remove(file.Copy, state.source())...)
		}
		return
	}
	noFile := plan.keepsMissing() && missing(plan.Filename.ValueString())
	if terms.Permission != nil && !plan.FilePermission.Equal(state.FilePermission) && !noFile {
		err := audiofile.Permit(plan.Filename.ValueString(), *terms.Permission)
		if err != nil {
			resp.Diagnostics.AddAttributeError(path.Root("file_permission"), "Unable to change file permission", say.Sentence(err))
			return
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

// errOutOfTime ends what takes longer than `timeouts` allows.
var errOutOfTime = errors.New("out of time")

// noTimeout is longer than any audio.
const noTimeout = time.Duration(math.MaxInt64)

// carryOut brings the audio to the file, and leaves the state as it was unless the file is there. The file is made ready first: audio
// that has nowhere to go is not asked for.
func (r *projectSnapshotAudioResource) carryOut(
	ctx context.Context, timeout time.Duration, plan projectSnapshotAudioModel, terms audiofile.Terms, state *tfsdk.State, private value.PrivateState,
) (diags diag.Diagnostics) {
	limited, cancel := context.WithTimeoutCause(ctx, timeout, errOutOfTime)
	defer cancel()
	file, err := r.files.Create(plan.Filename.ValueString(), terms)
	if err != nil {
		return diag.Diagnostics{unwritten(limited, plan, timeout, err)}
	}
	defer file.Discard()
	proven, modified := false, time.Time{}
	err = r.client.StreamProjectSnapshot(limited, plan.ProjectID.ValueString(), plan.ProjectSnapshotID.ValueString(),
		plan.ConvertToMPEG.ValueBool(), func(audio audioprojects.Audio) error {
			if audio.Length > terms.MaxSize {
				return audiofile.ErrTooLarge
			}
			content, err := file.Receive(audio)
			plan.setContent(content, string(audio.ContentType))
			proven = audio.EndProven
			return err
		})
	if err == nil {
		modified, err = file.Replace()
	}
	if err != nil {
		return diag.Diagnostics{unwritten(limited, plan, timeout, err)}
	}
	if !proven {
		diags.AddAttributeWarning(path.Root("filename"), "Audio that may not be whole",
			fmt.Sprintf("The service announced no length for the %s, and nothing but the end of a plain connection marked its end. "+
				"A broken connection ends in the same way, so the provider cannot tell whether %s contains all of the audio. "+
				"It can with `https`, a `Content-Length` or chunks.", plan.source(), plan.Filename))
	}
	diags.Append(value.SetPrivate(ctx, private, fileKey, fileRecord{Copy: plan.copy(modified)})...)
	diags.Append(state.Set(ctx, &plan)...)
	return diags
}

// unwritten is the diagnostic for audio that has not come to its file.
func unwritten(ctx context.Context, plan projectSnapshotAudioModel, timeout time.Duration, err error) diag.Diagnostic {
	unchanged := fmt.Sprintf("Nothing was written to %s.", plan.Filename)
	switch {
	case errors.Is(err, audiofile.ErrOccupied):
		return occupiedFile(plan)
	case errors.Is(err, audiofile.ErrTooLarge):
		return diag.NewAttributeErrorDiagnostic(path.Root("max_size"), "Audio too large",
			fmt.Sprintf("The %s has more than the %d bytes that `max_size` allows. If that is the expected size, raise `max_size`.\n\n%s",
				plan.source(), plan.terms().MaxSize, unchanged))
	case errors.Is(context.Cause(ctx), errOutOfTime):
		return diag.NewAttributeErrorDiagnostic(path.Root("timeouts"), "Timed out before the audio arrived",
			fmt.Sprintf("The %s did not arrive within %s (`timeouts`). The next apply downloads it again, from the beginning.\n\n%s",
				plan.source(), timeout, unchanged))
	case ctx.Err() != nil:
		return diag.NewErrorDiagnostic("Interrupted before the audio arrived",
			"The "+plan.source()+" has not arrived in full. The next apply downloads it again, from the beginning.\n\n"+unchanged)
	case errors.As(err, new(*audioprojects.Error)):
		// Which of the two ids the service does not know, only its words can tell.
		return say.Unable("stream", plan.source(), path.Empty(), err, unchanged)
	default:
		return unwritable(plan, err)
	}
}

// unwritable is the diagnostic for a file that cannot be written.
func unwritable(plan projectSnapshotAudioModel, err error) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root("filename"), "Unable to write "+plan.source(),
		fmt.Sprintf("%s\n\nNothing was written to %s.", say.Sentence(err), plan.Filename))
}

func (r *projectSnapshotAudioResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state, file := audioOf(ctx, req.State, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	found, modified, err := file.Inspect()
	switch {
	case err != nil:
		resp.Diagnostics.AddAttributeWarning(path.Root("filename"), "Unable to read audio file",
			say.Sentence(err)+" The resource stays in the state, whether or not the file still exists. If the file will stay unreadable, set another `filename` or remove the resource.")
		return
	case found == audiofile.Missing && state.keepsMissing():
		return
	case found == audiofile.Missing:
		resp.State.RemoveResource(ctx)
		return
	case found == audiofile.Altered:
		resp.Diagnostics.AddWarning("Audio file altered",
			fmt.Sprintf("The file %s is no longer the %s. Applying downloads the audio again.", state.Filename, state.source()))
	}
	// Terraform tells no plan about a tainted resource.
	r.files.Own(file.Copy)
	refreshed := file
	refreshed.Modified, refreshed.Altered = modified, found == audiofile.Altered
	if refreshed != file {
		resp.Diagnostics.Append(value.SetPrivate(ctx, resp.Private, fileKey, refreshed)...)
	}
}

// Delete leaves the file to a creation that replaces it, so that the old audio is there until
// the new has arrived.
func (r *projectSnapshotAudioResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var successor *string
	state, file := audioOf(ctx, req.State, req.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(value.GetPrivate(ctx, req.Private, replacementKey, &successor)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if successor != nil && *successor == "" {
		successor = &file.Filename
		resp.Diagnostics.AddWarning("Audio file left in place", fmt.Sprintf("The file %s stays until the new audio is complete. "+
			"The plan did not know the name of the new file. If it differs, nothing removes %[1]s.", state.Filename))
	}
	if successor != nil && !r.files.Written(*successor) {
		r.files.Bequeath(*successor, file.Copy)
		return
	}
	found, err := r.files.Remove(file.Copy)
	if err != nil && found == audiofile.Intact {
		resp.Diagnostics.AddAttributeError(path.Root("filename"), "Unable to remove audio file", say.Sentence(err))
		return
	}
	resp.Diagnostics.Append(leftInPlace(file.Copy, state.source(), found, err)...)
}

// remove removes a file whose resource has another one by now.
func (r *projectSnapshotAudioResource) remove(left audiofile.Copy, source string) diag.Diagnostics {
	found, err := r.files.Remove(left)
	return leftInPlace(left, source, found, err)
}

// leftInPlace is the diagnostic for a file that stays when its resource leaves it.
func leftInPlace(left audiofile.Copy, source string, found audiofile.State, err error) (diags diag.Diagnostics) {
	const summary = "Audio file left in place"
	switch {
	case err != nil:
		diags.AddWarning(summary, fmt.Sprintf("The provider cannot reach the file %q, so it leaves the file in place, if it still exists: %s", left.Filename, say.Sentence(err)))
	case found == audiofile.Altered:
		diags.AddWarning(summary, fmt.Sprintf("The file %q is no longer the %s, so the provider leaves it in place.", left.Filename, source))
	}
	return diags
}
