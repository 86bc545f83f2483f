package provider

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audiofile"
)

func (r *projectSnapshotAudioResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Downloads the audio of a project's snapshot to a local file. The audio replaces the file when all of it has arrived. " +
			"If the file is missing or has been altered, the next plan downloads it again; `when_missing` changes that. " +
			"Destroying removes the file, unless it has been altered.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				MarkdownDescription: "The ids as `project_id/project_snapshot_id`, each path-escaped.",
				Computed:            true,
			},
			"project_id": schema.StringAttribute{
				MarkdownDescription: "The identifier of the project.",
				Required:            true,
				Validators:          []validator.String{identifier},
			},
			"project_snapshot_id": schema.StringAttribute{
				MarkdownDescription: "The identifier of the project's snapshot.",
				Required:            true,
				Validators:          []validator.String{identifier},
			},
			"convert_to_mpeg": schema.BoolAttribute{
				MarkdownDescription: "Whether the service converts the audio to the MPEG format. The default is `false`.",
				Optional:            true,
				Computed:            true,
				Default:             booldefault.StaticBool(false),
			},
			"filename": schema.StringAttribute{
				MarkdownDescription: "The path of the file, relative to the folder that Terraform runs in. Missing folders are created. " +
					"A folder or a symbolic link in its place is an error. So is a file that this object has not written, unless `overwrite` is set. Changing this forces replacement.",
				Required:      true,
				Validators:    []validator.String{filePath},
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"overwrite": schema.BoolAttribute{
				MarkdownDescription: "Whether a file that this object has not written may be replaced. The default is `false`: such a file is an error of the plan.",
				Optional:            true,
			},
			"file_permission": schema.StringAttribute{
				MarkdownDescription: "The permission of the file before the umask, in octal digits such as `0640`. " +
					"The default is `0666` for a new file. A file that is written anew keeps its permission, and its owner where the system permits. On Windows, it only says whether the file may be written to.",
				Optional:   true,
				Validators: []validator.String{filePermission},
			},
			"when_missing": schema.StringAttribute{
				MarkdownDescription: "What a missing file means. With `download`, the default, the next plan downloads it again. With `keep`, it is no change, " +
					"for runs that look for drift in a fresh checkout. Another snapshot is downloaded all the same. " +
					"A refresh uses the value of the last apply.",
				Optional:   true,
				Validators: []validator.String{stringvalidator.OneOf(downloadMissing, keepMissing)},
			},
			"max_size": schema.NumberAttribute{
				MarkdownDescription: "The most bytes that the audio may have, at least 1. Larger audio is an error. The default is `17179869184`, which is 16 GiB.",
				Optional:            true,
				Validators:          []validator.Number{wholeNumber{least: 1, most: math.MaxInt64}},
			},
			"timeouts": timeoutsAttribute(ctx,
				"How long an apply waits for all of the audio. There is no timeout by default, because audio may be long.",
				"The time that all of the audio may take when the file is created, as a duration such as `90m`. There is none by default.",
				"The time that all of the audio may take when the file is written anew, as a duration such as `90m`. There is none by default."),
			"content_type": schema.StringAttribute{
				MarkdownDescription: "The media type of the audio, as the service gives it; null if it gives none.",
				Computed:            true,
			},
			"size": schema.Int64Attribute{
				MarkdownDescription: "The size of the file in bytes.",
				Computed:            true,
			},
			"content_sha256": schema.StringAttribute{
				MarkdownDescription: "The SHA-256 checksum of the file, in hexadecimal digits.",
				Computed:            true,
			},
			"content_base64sha256": schema.StringAttribute{
				MarkdownDescription: "The SHA-256 checksum of the file, in Base64.",
				Computed:            true,
			},
			"content_md5": schema.StringAttribute{
				MarkdownDescription: "The MD5 checksum of the file, in hexadecimal digits.",
				Computed:            true,
			},
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

// isOf tells whether the plan is for the audio that the object has.
func (m *projectSnapshotAudioModel) isOf(state projectSnapshotAudioModel) bool {
	return m.ProjectID.Equal(state.ProjectID) && m.ProjectSnapshotID.Equal(state.ProjectSnapshotID) && m.ConvertToMPEG.Equal(state.ConvertToMPEG)
}

// keepsMissing tells whether a missing file is no change.
func (m *projectSnapshotAudioModel) keepsMissing() bool {
	return m.WhenMissing.ValueString() == keepMissing
}

// terms are how the file may be written.
func (m *projectSnapshotAudioModel) terms() audiofile.Terms {
	terms := audiofile.Terms{Overwrite: m.Overwrite.ValueBool(), MaxSize: defaultMaxSize}
	if !m.MaxSize.IsNull() {
		terms.MaxSize, _ = m.MaxSize.ValueBigFloat().Int64()
	}
	// What is not set, or no permission, the validator has let through for that reason alone.
	if permission, err := parsePermission(m.FilePermission.ValueString()); err == nil {
		terms.Permission = &permission
	}
	return terms
}

func (m *projectSnapshotAudioModel) setID() {
	m.ID = types.StringUnknown()
	if !m.ProjectID.IsUnknown() && !m.ProjectSnapshotID.IsUnknown() {
		m.ID = joinedID(m.ProjectID, m.ProjectSnapshotID)
	}
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

// setContentUnknown leaves open what only the arrival of the audio will tell.
func (m *projectSnapshotAudioModel) setContentUnknown() {
	m.ContentType = types.StringUnknown()
	m.Size = types.Int64Unknown()
	m.ContentSHA256 = types.StringUnknown()
	m.ContentBase64SHA256 = types.StringUnknown()
	m.ContentMD5 = types.StringUnknown()
}

func (m *projectSnapshotAudioModel) setContent(written audiofile.Content, mediaType string) {
	m.ContentType = types.StringNull()
	if mediaType != "" {
		m.ContentType = types.StringValue(mediaType)
	}
	m.Size = types.Int64Value(written.Size)
	m.ContentSHA256 = types.StringValue(hex.EncodeToString(written.SHA256))
	m.ContentBase64SHA256 = types.StringValue(base64.StdEncoding.EncodeToString(written.SHA256))
	m.ContentMD5 = types.StringValue(hex.EncodeToString(written.MD5))
}

// keepContent takes over what an object has that is not written anew.
func (m *projectSnapshotAudioModel) keepContent(state projectSnapshotAudioModel) {
	m.ID, m.ContentType, m.Size = state.ID, state.ContentType, state.Size
	m.ContentSHA256, m.ContentBase64SHA256, m.ContentMD5 = state.ContentSHA256, state.ContentBase64SHA256, state.ContentMD5
}

// record is what is remembered of a file that was changed last at the given time.
func (m *projectSnapshotAudioModel) record(modified time.Time) fileRecord {
	return fileRecord{
		Modified: modified, Filename: m.Filename.ValueString(), Size: m.Size.ValueInt64(), SHA256: m.ContentSHA256.ValueString(),
	}
}

// copy is what the object has left in its file.
func (m *projectSnapshotAudioModel) copy(file fileRecord) audiofile.Copy {
	return audiofile.Copy{Filename: m.Filename.ValueString(), Content: m.content(), Left: file.Modified}
}

// content is what the file was left with.
func (m *projectSnapshotAudioModel) content() audiofile.Content {
	return audiofile.Content{
		Size: m.Size.ValueInt64(), SHA256: checksum(m.ContentSHA256.ValueString()), MD5: checksum(m.ContentMD5.ValueString()),
	}
}

// checksum reads hexadecimal digits. A text that is no checksum is that of no file.
func checksum(digits string) []byte {
	sum, _ := hex.DecodeString(digits)
	return sum
}
