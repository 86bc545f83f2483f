package provider

import (
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

// chapterConversionModel is the resource: a chapter, and the wish that it be converted.
type chapterConversionModel struct {
	chapterModel
	ID                types.String   `tfsdk:"id"`
	ProjectID         types.String   `tfsdk:"project_id"`
	Triggers          types.Map      `tfsdk:"triggers"`
	KeepUpToDate      types.Bool     `tfsdk:"keep_up_to_date"`
	Timeouts          timeouts.Value `tfsdk:"timeouts"`
	PendingConversion types.String   `tfsdk:"pending_conversion"`
}

// newChapterConversionModel is a chapter that is adopted: with the default in the state, a
// configuration that does not mention keep_up_to_date plans nothing.
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

// thing names the object's chapter in a message.
func (m *chapterConversionModel) thing() string {
	return chapterThing(m.ProjectID.ValueString(), m.ChapterID.ValueString())
}

func (m *chapterConversionModel) identity() chapterConversionIdentity {
	return chapterConversionIdentity{ProjectID: m.ProjectID, ChapterID: m.ChapterID}
}

// id is the ids in one text, which an import by id takes.
func (i chapterConversionIdentity) id() types.String { return idWithin(i.ProjectID, i.ChapterID) }

// idWithin is the id of a project and of something in it, in one text.
func idWithin(projectID, id types.String) types.String {
	return types.StringValue(url.PathEscape(projectID.ValueString()) + "/" + url.PathEscape(id.ValueString()))
}

// parseID reads what id writes.
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

// after is the planned object with the chapter as last seen, and with what is pending. The id stays that of the
// configuration, and a name that the plan has shown stays, even if it showed none: the chapter may be renamed between
// plan and apply.
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

// setUndecided marks what only a conversion will tell.
func (m *chapterConversionModel) setUndecided() {
	m.State = types.StringUnknown()
	m.ConversionProgress = types.Float64Unknown()
	m.CanBeDownloaded = types.BoolUnknown()
	m.LastConversionDateUnix = types.Int64Unknown()
	m.LastConversionError = types.StringUnknown()
	m.Statistics = types.ObjectUnknown(statisticsTypes)
	m.PendingConversion = types.StringUnknown()
}

// undecided tells whether the plan has left it to the apply to convert.
func (m *chapterConversionModel) undecided() bool { return m.PendingConversion.IsUnknown() }

// keepDecided takes over from the prior state what a change of other attributes leaves alone.
func (m *chapterConversionModel) keepDecided(state chapterConversionModel) {
	m.chapterModel = state.chapterModel
	m.ID = state.ID
	m.PendingConversion = state.PendingConversion
}

// pending reads what is to be taken up; nil when the conversion is settled.
func (m *chapterConversionModel) pending(diags *diag.Diagnostics) *conversion.Pending {
	if m.PendingConversion.IsNull() || m.PendingConversion.IsUnknown() {
		return nil
	}
	pending := new(conversion.Pending)
	if err := json.Unmarshal([]byte(m.PendingConversion.ValueString()), pending); err != nil {
		diags.AddAttributeError(path.Root("pending_conversion"), "Unable to read pending conversion",
			"The state holds something else than what this provider writes there: "+err.Error())
		return nil
	}
	if pending.Triggers == "" {
		// Version 0.1.0 did not keep them there, but the state has them.
		pending.Triggers = m.fingerprint()
	}
	return pending
}

func (m *chapterConversionModel) setPending(pending *conversion.Pending) {
	m.PendingConversion = types.StringNull()
	if pending != nil {
		// Numbers, texts and booleans always encode.
		text, _ := json.Marshal(pending)
		m.PendingConversion = types.StringValue(string(text))
	}
}

// wish is that the object's chapter be converted, with what the object knows of it.
func (m *chapterConversionModel) wish(ctx context.Context, private privateState, diags *diag.Diagnostics) conversion.Wish {
	wish := conversion.Wish{
		ProjectID: m.ProjectID.ValueString(),
		ChapterID: m.ChapterID.ValueString(),
		Pending:   m.pending(diags),
		Triggers:  m.fingerprint(),
		UpToDate:  m.KeepUpToDate.ValueBool(),
	}
	if !m.LastConversionDateUnix.IsUnknown() {
		wish.Date = (*audioprojects.Integer)(m.LastConversionDateUnix.ValueInt64Pointer())
	}
	if private != nil {
		wish.Leftover = readLeftover(ctx, private, diags)
		wish.LeftOnce = readLeftOnce(ctx, private, diags)
	}
	return wish
}

// fingerprint tells triggers from others without showing them: they may be sensitive. It is empty where
// there are none, or where they are not known yet.
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
	// Texts always encode, and a map does so in the order of its keys.
	text, _ := json.Marshal([]any{m.ProjectID.ValueString(), m.ChapterID.ValueString(), triggers})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// triggersChanged tells whether the plan asks for another conversion. A map given for the
// first time, after an import say, is only recorded, and so is one that is taken away.
func triggersChanged(state, plan chapterConversionModel) bool {
	return !state.Triggers.IsNull() && !plan.Triggers.IsNull() && !plan.Triggers.Equal(state.Triggers)
}

// What Terraform keeps for the object beside its state.
const (
	// taintedKey marks an object whose creation ended in an error: Terraform will replace
	// it, and the creation that follows needs what is pending even if all ended well meanwhile.
	taintedKey = "tainted"
	// leftoverKey holds how much text our own last conversion left unconverted. A service
	// that never reports 0 must not be paid for a conversion with every apply.
	leftoverKey = "left_unconverted"
	// leftOnceKey holds how much text our own last conversion left if the service dated it, and nothing shows
	// that it has converted any. The same figure once more is a leftover.
	leftOnceKey = "left_once"
)

// replacement is what a destruction knows of the creation that follows.
type replacement struct {
	ID      string        `json:"id"`
	Timeout time.Duration `json:"timeout"`
	// ByHand: the object is not replaced because its creation has failed. What is pending began before that was
	// wished, like somebody else's conversion.
	ByHand bool `json:"by_hand,omitempty"`
}

func isTainted(ctx context.Context, private privateState, diags *diag.Diagnostics) (tainted bool) {
	diags.Append(getPrivate(ctx, private, taintedKey, &tainted)...)
	return tainted
}

// rememberLeftover keeps what a conversion that has ended well has left unconverted.
func rememberLeftover(ctx context.Context, private privateState, result conversionResult) diag.Diagnostics {
	if result.err != nil || !result.outcome.Requested && !result.outcome.Joined {
		return nil
	}
	return setLeftover(ctx, private, result.outcome.Leftover, result.outcome.LeftOnce)
}

// setLeftover keeps nothing where there is nothing: Terraform copies what is kept again and again.
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

// readLeftover is what our own last conversion left unconverted, 0 if nothing is known of one.
func readLeftover(ctx context.Context, private privateState, diags *diag.Diagnostics) (left int64) {
	diags.Append(getPrivate(ctx, private, leftoverKey, &left)...)
	return left
}

// lowerLeftover follows the service's figure down: somebody else may have converted the rest, and what is unconverted
// after that is new. If the text has another length than before, nothing of it is left over any more.
func lowerLeftover(ctx context.Context, before, after privateState, was, now chapterModel) diag.Diagnostics {
	var diags diag.Diagnostics
	left := now.unconverted()
	if left >= readLeftover(ctx, before, &diags) {
		return diags
	}
	if was.length() != now.length() {
		left = 0
	}
	diags.Append(setLeftover(ctx, after, left, readLeftOnce(ctx, after, &diags))...)
	return diags
}

// readReplacement is the creation that replaces the object of the given id; false if none does.
func readReplacement(ctx context.Context, private privateState, id string, diags *diag.Diagnostics) (creation replacement, replaced bool) {
	diags.Append(getPrivate(ctx, private, replacementKey, &creation)...)
	return creation, creation.ID == id
}
