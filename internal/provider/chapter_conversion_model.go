package provider

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"time"

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

// wish is what the engine needs to convert the object's chapter: the attributes, and the private state if given.
func (m *chapterConversionModel) wish(ctx context.Context, private privateState, diags *diag.Diagnostics) conversion.Demand {
	wish := conversion.Demand{
		ProjectID: m.ProjectID.ValueString(),
		ChapterID: m.ChapterID.ValueString(),
		Memory:    conversion.Memory{Pending: m.pending(diags)},
		Triggers:  m.fingerprint(),
		UpToDate:  m.KeepUpToDate.ValueBool(),
	}
	if !m.LastConversionDateUnix.IsUnknown() {
		wish.Date = (*audioprojects.Integer)(m.LastConversionDateUnix.ValueInt64Pointer())
	}
	if private != nil {
		wish.KnownRemainder = readLeftover(ctx, private, diags)
		wish.SuspectedRemainder = readLeftOnce(ctx, private, diags)
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

// The keys of the object's private state.
const (
	// taintedKey is true for an object whose creation ended in an error. Terraform will replace it. The new
	// object needs the pending conversion even if that has succeeded meanwhile, so a refresh must not drop it.
	taintedKey = "tainted"
	// leftoverKey is how many characters (or paragraphs) our own last conversion left unconverted. They are not
	// converted again: otherwise a service that never reports 0 would be paid for a conversion in every apply.
	leftoverKey = "left_unconverted"
	// leftOnceKey is how many characters our own last conversion left, if the service set a new date and nothing
	// else shows that it converted any. If the next conversion leaves the same number, it becomes the leftover.
	leftOnceKey = "left_once"
)

// replacement tells Delete about the creation that follows it.
type replacement struct {
	ID      string        `json:"id"`
	Timeout time.Duration `json:"timeout"` // of the creation
	// ByHand is true if a person asked for the replacement, with -replace for example, and false if Terraform
	// replaces a tainted object. What is pending began before the person asked. So it is treated like
	// somebody else's conversion, and another one follows it. It is also true if the pending conversion is
	// somebody else's, which makes no difference.
	ByHand bool `json:"by_hand,omitempty"`
}

func isTainted(ctx context.Context, private privateState, diags *diag.Diagnostics) (tainted bool) {
	diags.Append(getPrivate(ctx, private, taintedKey, &tainted)...)
	return tainted
}

// rememberLeftover stores how much text a successful conversion has left unconverted.
func rememberLeftover(ctx context.Context, private privateState, result conversionResult) diag.Diagnostics {
	if result.err != nil || !result.outcome.Requested && !result.outcome.Joined {
		return nil
	}
	return setLeftover(ctx, private, result.outcome.KnownRemainder, result.outcome.SuspectedRemainder)
}

// setLeftover stores only what differs from the default, because Terraform copies private state again and again.
func setLeftover(ctx context.Context, private privateState, left int64, leftOnce *int64) diag.Diagnostics {
	var diags diag.Diagnostics
	if left != readLeftover(ctx, private, &diags) {
		diags.Append(setPrivate(ctx, private, leftoverKey, left)...)
	}
	if leftOnce != nil || readLeftOnce(ctx, private, &diags) != nil {
		diags.Append(setPrivate(ctx, private, leftOnceKey, leftOnce)...)
	}
	return diags
}

func readLeftOnce(ctx context.Context, private privateState, diags *diag.Diagnostics) (left *int64) {
	diags.Append(getPrivate(ctx, private, leftOnceKey, &left)...)
	return left
}

// readLeftover is how much text our own last conversion left unconverted; 0 if it is not known.
func readLeftover(ctx context.Context, private privateState, diags *diag.Diagnostics) (left int64) {
	diags.Append(getPrivate(ctx, private, leftoverKey, &left)...)
	return left
}

// forgetLeftover forgets the leftover if the service now counts less text as unconverted. The text was edited, or somebody has
// converted it. What is unconverted later is new.
func forgetLeftover(ctx context.Context, before, after privateState, now chapterModel) diag.Diagnostics {
	var diags diag.Diagnostics
	if now.unconverted() < readLeftover(ctx, before, &diags) {
		diags.Append(setLeftover(ctx, after, 0, readLeftOnce(ctx, after, &diags))...)
	}
	return diags
}

// readReplacement is the creation that replaces the object with the given id; false if the object is not replaced.
func readReplacement(ctx context.Context, private privateState, id string, diags *diag.Diagnostics) (creation replacement, replaced bool) {
	diags.Append(getPrivate(ctx, private, replacementKey, &creation)...)
	return creation, creation.ID == id
}
