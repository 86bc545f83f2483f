package provider

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audiofile"
)

func projectSnapshotAudioSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Downloads the audio of a project's snapshot to a local file. The audio replaces the file only when all of it has arrived. " +
			"If the file is missing, the next apply downloads it again; `when_missing` can change that. " +
			"Destroying the resource removes the file, unless somebody has written it since.",
		Attributes: map[string]schema.Attribute{
			"id":                   computedString("The ids in the form `project_id/project_snapshot_id`, each path-escaped."),
			"content_type":         computedString("The media type of the audio, as the service reports it; null if it reports none."),
			"size":                 computedInt64("The size of the file in bytes."),
			"content_sha256":       computedString("The SHA-256 checksum of the file, in hexadecimal digits."),
			"content_base64sha256": computedString("The SHA-256 checksum of the file, in Base64."),
			"project_id":           requiredID("The identifier of the project."),
			"project_snapshot_id":  requiredID("The identifier of the project's snapshot."),
			"convert_to_mpeg":      falseByDefault("Whether the service converts the audio to the MPEG format. The default is `false`."),
			"filename": schema.StringAttribute{
				MarkdownDescription: "The path of the file, relative to the folder in which Terraform runs. Missing folders are created. " +
					"A folder or a symbolic link at this path is an error. So is a file that this resource has not written, unless `overwrite` is set. " +
					"Changing this forces replacement: the old file is removed, unless somebody has written it since, and the audio is downloaded again.",
				Required:      true,
				Validators:    []validator.String{filePath, expandedPath},
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"overwrite": optionalBool("Whether the audio may replace a file that this resource has not written, or that somebody has altered. The default is `false`: the plan fails if there is such a file."),
			"file_permission": optionalString("The permission of the file, in octal digits such as `0640`. The default is `0644`. On Windows, it only says whether the file may be written to. "+
				"If the file system does not allow it, as on some mounted shares and buckets, the apply warns and keeps the file.", filePermission),
			"when_missing": optionalString("What a missing file means. With `download`, the default, the next apply downloads it again. With `keep`, it is not a change, "+
				"which suits runs that look for drift in a fresh checkout. A change of the snapshot or of `filename` still downloads the audio. "+
				"A refresh uses the value of the last apply.", whenMissing),
			"timeouts": timeoutsAttribute(
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
	Timeouts            timeouts.Value `tfsdk:"timeouts"`
	ContentType         types.String   `tfsdk:"content_type"`
	Size                types.Int64    `tfsdk:"size"`
	ContentSHA256       types.String   `tfsdk:"content_sha256"`
	ContentBase64SHA256 types.String   `tfsdk:"content_base64sha256"`
}

// hasAudioOf reports whether two plans or states are of the same audio. What is unknown may be another.
func (m *projectSnapshotAudioModel) hasAudioOf(other projectSnapshotAudioModel) bool {
	return m.ProjectID.Equal(other.ProjectID) && m.ProjectSnapshotID.Equal(other.ProjectSnapshotID) && m.ConvertToMPEG.Equal(other.ConvertToMPEG)
}

// keepsMissing reports whether a missing file is no change.
func (m *projectSnapshotAudioModel) keepsMissing() bool {
	return m.WhenMissing.ValueString() == keepMissing
}

// permission is that of the file. The validator has refused what is none.
func (m *projectSnapshotAudioModel) permission() fs.FileMode {
	given, err := strconv.ParseUint(m.FilePermission.ValueString(), 8, 32)
	if err != nil {
		return 0o644
	}
	return fs.FileMode(given)
}

// target is the file, where the resource has written the given content. An unknown overwrite may turn out to be true.
func (m *projectSnapshotAudioModel) target(written audiofile.Content) audiofile.Target {
	overwrite := m.Overwrite.IsUnknown() || m.Overwrite.ValueBool()
	return audiofile.Target{Filename: m.Filename.ValueString(), Written: written, Overwrite: overwrite, Permission: m.permission()}
}

func (m *projectSnapshotAudioModel) id() types.String {
	return joinedID(m.ProjectID, m.ProjectSnapshotID)
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

// content is what the resource has written to the file.
func (m *projectSnapshotAudioModel) content() audiofile.Content {
	return audiofile.Content{Size: m.Size.ValueInt64(), SHA256: m.ContentSHA256.ValueString()}
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
}
