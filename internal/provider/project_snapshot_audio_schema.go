package provider

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audiofile"
)

func (r *projectSnapshotAudioResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Brings the audio of a project's snapshot to a local file. " +
			"The audio is written beside the file and takes its place when it has arrived whole, so that the file is never a part of it. " +
			"A file that is missing or has been altered is planned again, as is normal where every run begins with a fresh checkout. " +
			"Destroying removes the file, unless it has been altered.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				MarkdownDescription: "The ids as `project_id/project_snapshot_id`, each path-escaped.",
				Computed:            true,
			},
			"project_id": schema.StringAttribute{
				MarkdownDescription: "The identifier of the project. Changing this forces replacement.",
				Required:            true,
				Validators:          []validator.String{identifier{}},
				PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"project_snapshot_id": schema.StringAttribute{
				MarkdownDescription: "The identifier of the project's snapshot. Changing this forces replacement.",
				Required:            true,
				Validators:          []validator.String{identifier{}},
				PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"convert_to_mpeg": schema.BoolAttribute{
				MarkdownDescription: "Whether the service converts the audio to the MPEG format. The default is `false`. Changing this forces replacement.",
				Optional:            true,
				Computed:            true,
				Default:             booldefault.StaticBool(false),
				PlanModifiers:       []planmodifier.Bool{boolplanmodifier.RequiresReplace()},
			},
			"filename": schema.StringAttribute{
				MarkdownDescription: "The path of the file, relative to the folder that Terraform runs in. Missing folders are created. " +
					"A file that is there already is replaced; a folder or a symbolic link is an error. Changing this forces replacement.",
				Required:      true,
				Validators:    []validator.String{filePath{}},
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
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

// projectSnapshotAudioModel is the resource: the audio of a snapshot, and the file that holds it.
type projectSnapshotAudioModel struct {
	ID                  types.String `tfsdk:"id"`
	ProjectID           types.String `tfsdk:"project_id"`
	ProjectSnapshotID   types.String `tfsdk:"project_snapshot_id"`
	ConvertToMPEG       types.Bool   `tfsdk:"convert_to_mpeg"`
	Filename            types.String `tfsdk:"filename"`
	ContentType         types.String `tfsdk:"content_type"`
	Size                types.Int64  `tfsdk:"size"`
	ContentSHA256       types.String `tfsdk:"content_sha256"`
	ContentBase64SHA256 types.String `tfsdk:"content_base64sha256"`
	ContentMD5          types.String `tfsdk:"content_md5"`
}

// decided tells whether the plan knows what is to be written, and where.
func (m *projectSnapshotAudioModel) decided() bool {
	return !m.ProjectID.IsUnknown() && !m.ProjectSnapshotID.IsUnknown() && !m.ConvertToMPEG.IsUnknown() && !m.Filename.IsUnknown()
}

func (m *projectSnapshotAudioModel) setID() {
	if !m.ProjectID.IsUnknown() && !m.ProjectSnapshotID.IsUnknown() {
		m.ID = idWithin(m.ProjectID, m.ProjectSnapshotID)
	}
}

// source names the audio.
func (m *projectSnapshotAudioModel) source() string {
	source := fmt.Sprintf("audio of snapshot %s of project %s", m.ProjectSnapshotID, m.ProjectID)
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

// content is what the file was left with.
func (m *projectSnapshotAudioModel) content() audiofile.Content {
	// A text that is no checksum is that of no file.
	sum, _ := hex.DecodeString(m.ContentSHA256.ValueString())
	return audiofile.Content{Size: m.Size.ValueInt64(), SHA256: sum}
}
