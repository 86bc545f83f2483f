package provider

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

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

func (m *projectSnapshotAudioModel) setContent(written content) {
	m.ContentType = types.StringNull()
	if written.mediaType != "" {
		m.ContentType = types.StringValue(written.mediaType)
	}
	m.Size = types.Int64Value(written.size)
	m.ContentSHA256 = types.StringValue(hex.EncodeToString(written.sha256))
	m.ContentBase64SHA256 = types.StringValue(base64.StdEncoding.EncodeToString(written.sha256))
	m.ContentMD5 = types.StringValue(hex.EncodeToString(written.md5))
}

// content is what the file was left with.
func (m *projectSnapshotAudioModel) content() content {
	// A text that is no checksum is that of no file.
	sum, _ := hex.DecodeString(m.ContentSHA256.ValueString())
	return content{size: m.Size.ValueInt64(), sha256: sum}
}
