package provider

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// chapterConversionModel is the resource in the configuration, the plan and the state.
type chapterConversionModel struct {
	chapterModel
	ID                types.String   `tfsdk:"id"`
	ProjectID         types.String   `tfsdk:"project_id"`
	Triggers          types.Map      `tfsdk:"triggers"`
	KeepUpToDate      types.Bool     `tfsdk:"keep_up_to_date"`
	Timeouts          timeouts.Value `tfsdk:"timeouts"`
	PendingConversion types.String   `tfsdk:"pending_conversion"`
}

// newChapterConversionModel is an object for a chapter that is imported or listed. It has the default of
// keep_up_to_date in the state, so that a configuration without that attribute plans nothing.
func newChapterConversionModel(projectID types.String, chapter audioprojects.Chapter) *chapterConversionModel {
	model := &chapterConversionModel{
		chapterModel: newChapterModel(chapter),
		ProjectID:    projectID,
		Triggers:     types.MapNull(types.StringType),
		KeepUpToDate: types.BoolValue(false),
		Timeouts:     timeouts.Value{Object: types.ObjectNull(map[string]attr.Type{"create": types.StringType, "update": types.StringType})},
	}
	model.ID = model.identity().id()
	return model
}

// chapterConversionIdentity names the object for imports and queries.
type chapterConversionIdentity struct {
	ProjectID types.String `tfsdk:"project_id"`
	ChapterID types.String `tfsdk:"chapter_id"`
}

// thing names the object's chapter in messages.
func (m *chapterConversionModel) thing() string {
	return chapterThing(m.ProjectID.ValueString(), audioprojects.Chapter{ChapterID: m.ChapterID.ValueString(), Name: (*audioprojects.Text)(m.Name.ValueStringPointer())})
}

func (m *chapterConversionModel) identity() chapterConversionIdentity {
	return chapterConversionIdentity{ProjectID: m.ProjectID, ChapterID: m.ChapterID}
}

// id is both identifiers in one text, as an import takes it.
func (i chapterConversionIdentity) id() types.String { return idWithin(i.ProjectID, i.ChapterID) }

// idWithin joins the identifiers of a project and of something in it, both path-escaped, with a slash.
func idWithin(projectID, id types.String) types.String {
	return types.StringValue(url.PathEscape(projectID.ValueString()) + "/" + url.PathEscape(id.ValueString()))
}

// parseID is the inverse of id.
func parseID(id string) (chapterConversionIdentity, error) {
	parts := strings.Split(id, "/")
	if len(parts) != 2 {
		return chapterConversionIdentity{}, errors.New("the id must be project_id/chapter_id; a slash within an id is written %2F")
	}
	for i, part := range parts {
		unescaped, err := url.PathUnescape(part)
		if err != nil {
			return chapterConversionIdentity{}, err
		}
		if err := audioprojects.CheckID(unescaped); err != nil {
			return chapterConversionIdentity{}, err
		}
		parts[i] = unescaped
	}
	return chapterConversionIdentity{types.StringValue(parts[0]), types.StringValue(parts[1])}, nil
}

// after is the planned object with the chapter as last read and the pending conversion. It keeps the planned
// chapter_id, and the planned name if the plan showed one or null: the chapter may be renamed between plan and apply,
// and Terraform fails if an apply changes a planned value.
func (m chapterConversionModel) after(outcome conversion.Outcome) chapterConversionModel {
	planned := m.chapterModel
	m.chapterModel = newChapterModel(outcome.Chapter)
	m.ChapterID = planned.ChapterID
	if !planned.Name.IsUnknown() {
		m.Name = planned.Name
	}
	m.ID = m.identity().id()
	m.setPending(outcome.Pending)
	return m
}

// planConversion marks the attributes that a conversion changes as unknown.
func (m *chapterConversionModel) planConversion() {
	m.State = types.StringUnknown()
	m.ConversionProgress = types.Float64Unknown()
	m.CanBeDownloaded = types.BoolUnknown()
	m.LastConversionDateUnix = types.Int64Unknown()
	m.LastConversionError = types.StringUnknown()
	m.Statistics = types.ObjectUnknown(statisticsTypes)
	m.PendingConversion = types.StringUnknown()
}

// conversionPlanned reports whether the apply of the plan converts the chapter, or waits for a conversion.
func (m *chapterConversionModel) conversionPlanned() bool { return m.PendingConversion.IsUnknown() }

// keepComputed copies the computed attributes from the prior state, for a plan without a conversion.
func (m *chapterConversionModel) keepComputed(state chapterConversionModel) {
	m.chapterModel = state.chapterModel
	m.ID = state.ID
	m.PendingConversion = state.PendingConversion
}

// pending decodes pending_conversion; nil if nothing is pending.
func (m *chapterConversionModel) pending(diags *diag.Diagnostics) *conversion.Ticket {
	if m.PendingConversion.IsNull() || m.PendingConversion.IsUnknown() {
		return nil
	}
	pending := new(conversion.Ticket)
	if err := json.Unmarshal([]byte(m.PendingConversion.ValueString()), pending); err != nil {
		diags.AddAttributeError(path.Root("pending_conversion"), "Unable to read pending conversion",
			"The state holds something else than what this provider writes there: "+err.Error())
		return nil
	}
	if pending.Triggers == "" {
		// Version 0.1.0 did not write the triggers into the ticket. The state has the same ones.
		pending.Triggers = m.fingerprint()
	}
	return pending
}

// setPending writes JSON that begins with a space: Terraform prints a text that begins with a brace in as many lines as it
// has parts. A text of an earlier version, without the space, stays as it is until it has to change.
func (m *chapterConversionModel) setPending(pending *conversion.Ticket) {
	if pending == nil {
		m.PendingConversion = types.StringNull()
		return
	}
	// Numbers, texts and booleans always encode.
	text, _ := json.Marshal(pending)
	if before := m.pending(&diag.Diagnostics{}); before != nil {
		if same, _ := json.Marshal(before); bytes.Equal(text, same) {
			return
		}
	}
	m.PendingConversion = types.StringValue(" " + string(text))
}

// wish is what the engine needs to convert the object's chapter: the attributes, and what is remembered.
func (m *chapterConversionModel) wish(memory objectMemory, diags *diag.Diagnostics) conversion.Demand {
	wish := conversion.Demand{
		ProjectID: m.ProjectID.ValueString(),
		ChapterID: m.ChapterID.ValueString(),
		Memory:    memory.Kept[m.ChapterID.ValueString()],
		Triggers:  m.fingerprint(),
		UpToDate:  m.KeepUpToDate.ValueBool(),
	}
	wish.Pending = m.pending(diags)
	if !m.LastConversionDateUnix.IsUnknown() {
		wish.Date = (*audioprojects.Integer)(m.LastConversionDateUnix.ValueInt64Pointer())
	}
	return wish
}

// fingerprint is a hash of the triggers, because they may be sensitive and the ticket is shown. It is empty if the map
// is null, or if a part of it is unknown.
func (m *chapterConversionModel) fingerprint() string {
	triggers := map[string]string{}
	for key, value := range m.Triggers.Elements() {
		text, known := value.(types.String)
		if !known || text.IsUnknown() {
			return ""
		}
		triggers[key] = text.ValueString()
	}
	if m.Triggers.IsNull() || m.Triggers.IsUnknown() {
		return ""
	}
	// Strings always encode, and a map is encoded in the order of its keys.
	text, _ := json.Marshal([]any{m.ProjectID.ValueString(), m.ChapterID.ValueString(), triggers})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// triggersChanged reports whether other triggers ask for another conversion. A map that is given for the first time,
// after an import for example, is only recorded, and so is the removal of a map.
func triggersChanged(state, plan chapterConversionModel) bool {
	return !state.Triggers.IsNull() && !plan.Triggers.IsNull() && !plan.Triggers.Equal(state.Triggers)
}
