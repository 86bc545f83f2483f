package provider

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audiofile"
)

// fileKey holds what Terraform need not show of the file.
const fileKey = "file"

// fileRecord is what is remembered of the file beside its content.
type fileRecord struct {
	// Modified is the time of the last change that we have made, or have found to have altered nothing.
	Modified time.Time `json:"modified"`
	// Altered tells that the last refresh found the file altered.
	Altered bool `json:"altered"`
	// Filename, Size and SHA256 are those of the state. Terraform does not show the state to the plan of what replaces
	// the object, but it does show this record.
	Filename string `json:"filename,omitempty"`
	Size     int64  `json:"size,omitempty"`
	SHA256   string `json:"sha256,omitempty"`
}

// copies are what the object that is replaced has left, if one is.
func (f fileRecord) copies() []audiofile.Copy {
	if f.Filename == "" {
		return nil
	}
	return []audiofile.Copy{{Filename: f.Filename, Content: audiofile.Content{Size: f.Size, SHA256: checksum(f.SHA256)}, Left: f.Modified}}
}

// ModifyPlan finds files that belong to somebody else, while nothing is lost yet: Terraform asks
// for a plan once more just before it applies it. It also plans to write the file anew: with other audio, or because it is
// altered.
func (r *projectSnapshotAudioResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var plan, state projectSnapshotAudioModel
	var file fileRecord
	if r.providerData == nil {
		return
	}
	exists, destroyed := !req.State.Raw.IsNull(), req.Plan.Raw.IsNull()
	resp.Diagnostics.Append(getPrivate(ctx, req.Private, fileKey, &file)...)
	if exists {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if !destroyed {
		resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if destroyed {
		r.planDestruction(ctx, state.copy(file), resp)
		return
	}
	anew := file.Altered
	if !plan.Filename.IsUnknown() {
		if resp.Diagnostics.Append(r.claim(plan, exists, file)...); resp.Diagnostics.HasError() {
			return
		}
		// Versions before this one let two objects have one file. The other one takes it away.
		anew = anew || r.files.Abandoned(plan.Filename.ValueString())
	}
	if !exists {
		// Terraform passes it on to the destruction of what is to be replaced.
		resp.Diagnostics.Append(setPrivate(ctx, resp.Private, replacementKey, plan.Filename.ValueString())...)
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("id"), plan.id())...)
		return
	}
	if plan.Filename.Equal(state.Filename) {
		anew = anew || !plan.isOf(state) || state.keepsMissing() && !plan.keepsMissing() && missing(state.Filename.ValueString())
		if settle(&resp.Plan, req.State, anew); anew {
			resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("id"), plan.id())...)
		}
	}
	r.files.Disown(state.Filename.ValueString())
	record := state.record(file.Modified)
	record.Altered = file.Altered
	resp.Diagnostics.Append(setPrivate(ctx, resp.Private, fileKey, record)...)
}

func missing(filename string) bool {
	_, err := os.Lstat(filename)
	return errors.Is(err, fs.ErrNotExist)
}

// claim claims the file for the block, once in each process: the plan of a replacement has two halves, of which the
// second is told the record of the first.
func (r *projectSnapshotAudioResource) claim(plan projectSnapshotAudioModel, exists bool, file fileRecord) (diags diag.Diagnostics) {
	filename, overwrite := plan.Filename.ValueString(), plan.Overwrite.IsUnknown() || plan.Overwrite.ValueBool()
	if exists || file.Filename == "" {
		if rival, claimed := r.files.Claim(filename, audiofile.Claim{Source: plan.source(), New: !exists, Overwrite: overwrite}); claimed {
			diags.AddAttributeError(path.Root("filename"), "File named twice",
				fmt.Sprintf("Another block writes the %s to this file, %s. Give each a file of its own.", rival.Source, plan.Filename))
			return diags
		}
	}
	switch {
	case exists, overwrite:
	case r.files.Abandoned(filename):
		diags.Append(renamedBlock(filename))
	case r.files.Occupied(filename, file.copies()...):
		diags.Append(occupiedFile(plan))
	}
	return diags
}

// planDestruction keeps the file of another block from being removed.
func (r *projectSnapshotAudioResource) planDestruction(ctx context.Context, left audiofile.Copy, resp *resource.ModifyPlanResponse) {
	if found, _, err := left.Content.Inspect(left.Filename, left.Left); found != audiofile.Intact || err != nil {
		return // It would stay anyway.
	}
	switch heir, claimed := r.files.Abandon(left); {
	case claimed && heir.New && !heir.Overwrite:
		resp.Diagnostics.Append(renamedBlock(left.Filename))
	case claimed:
		resp.Diagnostics.Append(setPrivate(ctx, resp.Private, replacementKey, left.Filename)...)
	}
}

// renamedBlock is the diagnostic for a file whose block is to be destroyed while another is to be created: in what order,
// Terraform leaves open, and the one would take the other's file.
func renamedBlock(filename string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root("filename"), "File of a block that is to be destroyed",
		fmt.Sprintf("One block is to be created with the file %q, and another to be destroyed with it. If the block has been renamed, or its key in `for_each`, "+
			"say so with a `moved` block: then nothing is downloaded, and nothing is removed. Otherwise apply the removal first, "+
			"or set `overwrite = true` in the new block.", filename))
}

// occupiedFile is the diagnostic for a file that somebody else has written, as far as anybody can tell.
func occupiedFile(plan projectSnapshotAudioModel) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root("filename"), "File exists already",
		fmt.Sprintf("There is a file %s that this object is not known to have written. Remove it or name another one. "+
			"If it may be replaced by the %s, set `overwrite = true`: after a `terraform state rm`, for example. "+
			"With `create_before_destroy`, Terraform does not tell the new object which file the old one has written.", plan.Filename, plan.source()))
}
