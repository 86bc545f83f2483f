package provider

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"syscall"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audiofile"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
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

func (r *projectSnapshotAudioResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.providerData = configured(req.ProviderData, &resp.Diagnostics)
}

func (r *projectSnapshotAudioResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan projectSnapshotAudioModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	timeout, diags := plan.Timeouts.Create(ctx, noTimeout)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(r.carryOut(ctx, timeout, plan, plan.terms(), &resp.State, resp.Private)...)
	if left, intact := r.files.Left(plan.Filename.ValueString()); intact && resp.Diagnostics.HasError() {
		// The object that was replaced is out of the state. Without this one, which Terraform calls tainted, the next
		// apply would take its file for a stranger's.
		plan.setContent(left.Content, "")
		resp.Diagnostics.Append(setPrivate(ctx, resp.Private, fileKey, plan.record(left.Left))...)
		resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
	}
}

// Update writes the file anew, or changes how it is kept. Only another filename replaces the object.
func (r *projectSnapshotAudioResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state projectSnapshotAudioModel
	var file fileRecord
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(getPrivate(ctx, req.Private, fileKey, &file)...)
	timeout, diags := plan.Timeouts.Update(ctx, noTimeout)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	terms := plan.terms()
	if plan.Size.IsUnknown() {
		// What an altered file holds was a warning of the plan. What this object has written may be replaced.
		terms.Overwrite = terms.Overwrite || file.Altered
		r.files.Own(state.copy(file))
		resp.Diagnostics.Append(r.carryOut(ctx, timeout, plan, terms, &resp.State, resp.Private)...)
		return
	}
	noFile := plan.keepsMissing() && missing(plan.Filename.ValueString())
	if terms.Permission != nil && !plan.FilePermission.Equal(state.FilePermission) && !noFile {
		if err := audiofile.Permit(plan.Filename.ValueString(), *terms.Permission); err != nil {
			resp.Diagnostics.AddAttributeError(path.Root("file_permission"), "Unable to change file permission", sentence(err))
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
	ctx context.Context, timeout time.Duration, plan projectSnapshotAudioModel, terms audiofile.Terms, state *tfsdk.State, private privateState,
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
				return &audiofile.TooLargeError{MaxSize: terms.MaxSize}
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
			fmt.Sprintf("The service has announced no length for the %s, and nothing but the end of a plain connection has ended it. "+
				"A connection that breaks ends in the same way, so that nobody can tell whether %s holds all of the audio. "+
				"With `https` the end is proven, and with a `Content-Length` or chunks.", plan.source(), plan.Filename))
	}
	diags.Append(setPrivate(ctx, private, fileKey, plan.record(modified))...)
	diags.Append(state.Set(ctx, &plan)...)
	return diags
}

// unwritten is the diagnostic for audio that has not come to its file.
func unwritten(ctx context.Context, plan projectSnapshotAudioModel, timeout time.Duration, err error) diag.Diagnostic {
	asItWas := nothingWritten(plan)
	var request *audioprojects.Error
	var occupied *audiofile.OccupiedError
	var tooLarge *audiofile.TooLargeError
	switch {
	case errors.As(err, &occupied):
		return occupiedFile(plan)
	case errors.As(err, &tooLarge):
		return diag.NewAttributeErrorDiagnostic(path.Root("max_size"), "Audio too large",
			fmt.Sprintf("The %s has more than the %d bytes that `max_size` allows. Set another one if so much is expected.\n\n%s",
				plan.source(), tooLarge.MaxSize, asItWas))
	case errors.Is(context.Cause(ctx), errOutOfTime):
		return diag.NewAttributeErrorDiagnostic(path.Root("timeouts"), "Out of time before the audio was there",
			fmt.Sprintf("The %s was on its way, and `timeouts` allows %s. The next apply asks for it again, from its beginning.\n\n%s",
				plan.source(), timeout, asItWas))
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

// nothingWritten says of a file only what can be seen of it.
func nothingWritten(plan projectSnapshotAudioModel) string {
	_, err := os.Lstat(plan.Filename.ValueString())
	switch {
	case err == nil:
		return fmt.Sprintf("Nothing has been written to %s, which is as it was.", plan.Filename)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("Nothing has been written to %s, and there is no such file.", plan.Filename)
	default:
		return fmt.Sprintf("Nothing has been written to %s.", plan.Filename)
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
	found, modified, err := state.copy(file).Content.Inspect(state.Filename.ValueString(), file.Modified)
	// Where a folder has become a file, there is no file below it.
	noFolder := errors.Is(err, syscall.ENOTDIR)
	switch {
	case noFolder:
		resp.Diagnostics.AddAttributeWarning(path.Root("filename"), "Unable to read audio file", sentence(err)+" Applying writes it anew, if there is a folder then.")
	case err != nil:
		resp.Diagnostics.AddAttributeWarning(path.Root("filename"), "Unable to read audio file",
			sentence(err)+" The object stays as it is, whatever has become of the file. If that is for good, name another file or remove the block.")
		return
	case found == audiofile.Missing && state.keepsMissing():
		return
	case found == audiofile.Missing:
		resp.State.RemoveResource(ctx)
		return
	case found == audiofile.Altered:
		resp.Diagnostics.AddWarning("Audio file altered",
			fmt.Sprintf("The file %s is no longer the %s. Applying writes it anew.", state.Filename, state.source()))
	}
	// Of a tainted object no plan is told.
	r.files.Own(state.copy(file))
	refreshed := file
	refreshed.Modified, refreshed.Altered = modified, found == audiofile.Altered || noFolder
	if refreshed != file {
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
	if resp.Diagnostics.HasError() {
		return
	}
	left := state.copy(file)
	if successor != "" && r.files.Same(successor, left.Filename) {
		r.files.Own(left)
		return
	}
	found, err := r.files.Remove(left)
	switch {
	case err != nil && found != audiofile.Intact:
		resp.Diagnostics.AddWarning("Audio file left in place",
			fmt.Sprintf("The file %s is forgotten. If it is still there, it stays, because it is out of reach: %s", state.Filename, sentence(err)))
	case err != nil:
		resp.Diagnostics.AddAttributeError(path.Root("filename"), "Unable to remove audio file", sentence(err))
	case found == audiofile.Altered:
		resp.Diagnostics.AddWarning("Audio file left in place",
			fmt.Sprintf("The file %s is no longer the %s, and stays.", state.Filename, state.source()))
	}
}
