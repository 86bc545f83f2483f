package provider

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"math"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audiofile"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/value"
)

func projectSnapshotAudioSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Downloads the audio of a project's snapshot to a local file. The audio replaces the file only when all of it has arrived. " +
			"If the file is missing or was altered, the next apply downloads it again; `when_missing` can change that for a missing file. " +
			"Destroying the resource removes the file, unless it was altered.",
		Attributes: map[string]schema.Attribute{
			"id":                   value.ComputedString("The ids in the form `project_id/project_snapshot_id`, each path-escaped."),
			"content_type":         value.ComputedString("The media type of the audio, as the service reports it; null if it reports none."),
			"size":                 value.ComputedInt64("The size of the file in bytes."),
			"content_sha256":       value.ComputedString("The SHA-256 checksum of the file, in hexadecimal digits."),
			"content_base64sha256": value.ComputedString("The SHA-256 checksum of the file, in Base64."),
			"content_md5":          value.ComputedString("The MD5 checksum of the file, in hexadecimal digits."),
			"project_id":           value.RequiredID("The identifier of the project."),
			"project_snapshot_id":  value.RequiredID("The identifier of the project's snapshot."),
			"convert_to_mpeg":      value.FalseByDefault("Whether the service converts the audio to the MPEG format. The default is `false`."),
			"filename": schema.StringAttribute{
				MarkdownDescription: "The path of the file, relative to the folder in which Terraform runs. Missing folders are created. " +
					"A folder or a symbolic link at this path is an error. So is a file that this resource has not written, unless `overwrite` is set. " +
					"If the path changes, the audio is downloaded again, and the old file is removed when the new one is complete.",
				Required:   true,
				Validators: []validator.String{value.FilePath, value.ExpandedPath},
			},
			"overwrite": value.ArgumentBool("Whether the audio may replace a file that this resource has not written. The default is `false`: the plan fails if there is such a file."),
			"file_permission": value.Argument("The permission of the file before the umask, in octal digits such as `0640`. "+
				"The default is `0666` for a new file, and for another `filename`. A file that is downloaded again keeps its permission, and its owner if the system permits. On Windows, it only says whether the file may be written to.", value.FilePermission),
			"when_missing": value.Argument("What a missing file means. With `download`, the default, the next apply downloads it again. With `keep`, it is not a change, "+
				"which suits runs that look for drift in a fresh checkout. A change of the snapshot or of `filename` still downloads the audio. "+
				"A refresh uses the value of the last apply.", stringvalidator.OneOf(downloadMissing, keepMissing)),
			"max_size": value.ArgumentNumber("The largest size of the audio in bytes, at least 1. Larger audio is an error. The default is `17179869184`, which is 16 GiB.", value.WholeNumber{Least: 1, Most: math.MaxInt64}),
			"timeouts": value.TimeoutsAttribute(
				"How long an apply waits for all of the audio. There is no timeout by default, because audio can be long.",
				"The longest time that the download may take when the resource is created, as a duration such as `90m`. There is no timeout by default.",
				"The longest time that the download may take when the resource is updated, as a duration such as `90m`. There is no timeout by default."),
		},
	}
}

// The values of when_missing.
const (
	downloadMissing = "download"
	keepMissing     = "keep"
)

// defaultMaxSize is the most bytes of audio, 16 GiB: a day of it at 44.1 kHz in stereo.
const defaultMaxSize = 16 << 30

// projectSnapshotAudioModel is the resource: the audio of a snapshot, and the file that holds it.
type projectSnapshotAudioModel struct {
	ID                  types.String   `tfsdk:"id"`
	ProjectID           types.String   `tfsdk:"project_id"`
	ProjectSnapshotID   types.String   `tfsdk:"project_snapshot_id"`
	ConvertToMPEG       types.Bool     `tfsdk:"convert_to_mpeg"`
	Filename            types.String   `tfsdk:"filename"`
	Overwrite           types.Bool     `tfsdk:"overwrite"`
	FilePermission      types.String   `tfsdk:"file_permission"`
	WhenMissing         types.String   `tfsdk:"when_missing"`
	MaxSize             types.Number   `tfsdk:"max_size"`
	Timeouts            timeouts.Value `tfsdk:"timeouts"`
	ContentType         types.String   `tfsdk:"content_type"`
	Size                types.Int64    `tfsdk:"size"`
	ContentSHA256       types.String   `tfsdk:"content_sha256"`
	ContentBase64SHA256 types.String   `tfsdk:"content_base64sha256"`
	ContentMD5          types.String   `tfsdk:"content_md5"`
}

// isOf reports whether the plan is for the audio that the resource has.
func (m *projectSnapshotAudioModel) isOf(state projectSnapshotAudioModel) bool {
	return m.ProjectID.Equal(state.ProjectID) && m.ProjectSnapshotID.Equal(state.ProjectSnapshotID) && m.ConvertToMPEG.Equal(state.ConvertToMPEG)
}

// leaves reports whether the plan may leave the resource's file for another one. Another spelling of its name leads to the same file.
func (m *projectSnapshotAudioModel) leaves(state projectSnapshotAudioModel) bool {
	return m.Filename.IsUnknown() || !audiofile.Same(m.Filename.ValueString(), state.Filename.ValueString())
}

// keepsMissing reports whether a missing file is no change.
func (m *projectSnapshotAudioModel) keepsMissing() bool {
	return m.WhenMissing.ValueString() == keepMissing
}

// terms are how the file may be written.
func (m *projectSnapshotAudioModel) terms() audiofile.Terms {
	terms := audiofile.Terms{Overwrite: m.Overwrite.ValueBool(), MaxSize: value.NumberOr(m.MaxSize, defaultMaxSize)}
	permission, err := strconv.ParseUint(m.FilePermission.ValueString(), 8, 32)
	if err == nil { // It is set.
		terms.Permission = new(fs.FileMode(permission))
	}
	return terms
}

func (m *projectSnapshotAudioModel) id() types.String {
	return value.JoinedID(m.ProjectID, m.ProjectSnapshotID)
}

// source names the audio.
func (m *projectSnapshotAudioModel) source() string {
	source := fmt.Sprintf("audio of snapshot %s of project %s", m.ProjectSnapshotID, m.ProjectID)
	if m.ProjectSnapshotID.IsUnknown() || m.ProjectID.IsUnknown() {
		source = "audio"
	}
	if m.ConvertToMPEG.ValueBool() {
		source += " as MPEG"
	}
	return source
}

func (m *projectSnapshotAudioModel) setContent(written audiofile.Content, mediaType string) {
	m.ID, m.ContentType = m.id(), types.StringNull()
	if mediaType != "" {
		m.ContentType = types.StringValue(mediaType)
	}
	m.Size = types.Int64Value(written.Size)
	sum, _ := hex.DecodeString(written.SHA256)
	m.ContentSHA256 = types.StringValue(written.SHA256)
	m.ContentBase64SHA256 = types.StringValue(base64.StdEncoding.EncodeToString(sum))
	m.ContentMD5 = types.StringValue(written.MD5)
}

// copy is what the resource has left in its file, which was changed last at the given time.
func (m *projectSnapshotAudioModel) copy(modified time.Time) audiofile.Copy {
	return audiofile.Copy{Filename: m.Filename.ValueString(), Modified: modified, Content: audiofile.Content{
		Size: m.Size.ValueInt64(), SHA256: m.ContentSHA256.ValueString(), MD5: m.ContentMD5.ValueString(),
	}}
}

// fileKey holds what Terraform need not show of the file.
const fileKey = "file"

// fileRecord is what is remembered of the file. Terraform does not show the state to the plan of what replaces the resource, but it does
// show this record.
type fileRecord struct {
	audiofile.Copy
	// Altered: the last refresh found the file altered.
	Altered bool `json:"altered"`
}

// audioOf is a resource in the state, if there is one, and what is remembered of its file.
func audioOf(ctx context.Context, object tfsdk.State, private value.PrivateState, diags *diag.Diagnostics) (state projectSnapshotAudioModel, file fileRecord) {
	diags.Append(value.GetPrivate(ctx, private, fileKey, &file)...)
	if !object.Raw.IsNull() {
		diags.Append(object.Get(ctx, &state)...)
		file.Copy = state.copy(file.Modified)
	}
	return state, file
}
