package provider

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/forecast"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// conversionModel has the arguments and attributes of everything that is about conversions, in the configuration, the plan or the state: of
// a resource or an action. What its schema lacks is null. With a chapter_id it is about one chapter, and without one about a book.
// Its timeouts are not here: those of a resource have another type than those of an action.
type conversionModel struct {
	ProjectID         types.String `tfsdk:"project_id"`
	ChapterID         types.String `tfsdk:"chapter_id"`
	ChapterIDs        chapterIDs   `tfsdk:"chapter_ids"`
	ExcludeChapterIDs chapterIDs   `tfsdk:"exclude_chapter_ids"`

	CharactersPerApply types.Number `tfsdk:"characters_per_apply"`

	KeepUpToDate    types.Bool   `tfsdk:"keep_up_to_date"`
	Triggers        types.Map    `tfsdk:"triggers"`
	All             types.Bool   `tfsdk:"all"`
	OnlyUnconverted types.Bool   `tfsdk:"only_unconverted"`
	ChapterTimeout  types.String `tfsdk:"chapter_timeout"`

	Name                   types.String `tfsdk:"name"`
	LastConversionDateUnix types.Int64  `tfsdk:"last_conversion_date_unix"`
	CharactersRequested    types.Int64  `tfsdk:"characters_requested"`
	Statistics             types.Object `tfsdk:"statistics"`
	ChapterCount           types.Int64  `tfsdk:"chapter_count"`
	CharactersConverted    types.Int64  `tfsdk:"characters_converted"`
	CharactersUnconverted  types.Int64  `tfsdk:"characters_unconverted"`
	FailedChapters         types.Map    `tfsdk:"failed_chapters"`
	PendingConversion      types.String `tfsdk:"pending_conversion"`
	PendingConversions     types.String `tfsdk:"pending_conversions"`
	ServiceURL             types.String `tfsdk:"service_url"`
}

// modelOf reads a resource or an action of the configuration, the plan or the state. Of a set or a map, all counts as unknown if an
// element is. A trigger that is null is none, and so is a map without triggers.
func modelOf(ctx context.Context, object tfsdk.Config, diags *diag.Diagnostics) *conversionModel {
	model := new(conversionModel)
	readArguments(ctx, object, model, diags)
	for _, ids := range []*chapterIDs{&model.ChapterIDs, &model.ExcludeChapterIDs} {
		if slices.ContainsFunc(ids.Elements(), attr.Value.IsUnknown) {
			ids.SetValue = types.SetUnknown(types.StringType)
		}
	}
	if len(model.ExcludeChapterIDs.Elements()) == 0 && !model.ExcludeChapterIDs.IsUnknown() {
		model.ExcludeChapterIDs.SetValue = types.SetNull(types.StringType) // An empty set is none.
	}
	triggers := model.Triggers.Elements()
	maps.DeleteFunc(triggers, func(_ string, value attr.Value) bool { return value.IsNull() })
	switch {
	case model.Triggers.IsUnknown(), slices.ContainsFunc(slices.Collect(maps.Values(triggers)), attr.Value.IsUnknown):
		model.Triggers = types.MapUnknown(types.StringType)
	case len(triggers) == 0:
		model.Triggers = types.MapNull(types.StringType)
	default:
		model.Triggers = types.MapValueMust(types.StringType, triggers)
	}
	return model
}

func (m *conversionModel) isOfChapter() bool { return !m.ChapterID.IsNull() }

// ids are the parts of the identity.
func (m *conversionModel) ids() []types.String {
	if m.isOfChapter() {
		return []types.String{m.ProjectID, m.ChapterID}
	}
	return []types.String{m.ProjectID}
}

// id is that of the resource in Terraform; unknown if a part of its identity is.
func (m *conversionModel) id() types.String { return joinedID(m.ids()...) }

// defaultChapterTimeout is how long a conversion is waited for if the configuration does not say.
const defaultChapterTimeout = time.Hour

// scope is what the resource wants, and what it remembers. before is the resource in the state; nil for a new one. Of an argument that is
// known only in the apply, the value that costs more counts.
func (m *conversionModel) scope(memory forecast.ResourceMemory, before *conversionModel) forecast.Scope {
	projectID, isOfChapter := m.ProjectID.ValueString(), m.isOfChapter()
	all := m.All.ValueBool() || m.All.IsUnknown()
	keeps := m.KeepUpToDate.ValueBool() || m.OnlyUnconverted.ValueBool() || m.KeepUpToDate.IsUnknown() && before != nil
	s := forecast.Scope{
		SingleChapter:    isOfChapter,
		Follows:          isOfChapter && keeps || !isOfChapter && !all,
		UnknownArguments: m.unknownArguments(),
		Memory:           memory,
		Project: conversion.Project{
			ProjectID: projectID, ChapterTimeout: durationOrDefault(m.ChapterTimeout, defaultChapterTimeout),
			Template: conversion.Desired{ProjectID: projectID, ChapterID: m.ChapterID.ValueString(), Triggers: m.fingerprint(), New: before == nil},
		},
	}
	if before != nil {
		s.Count, s.Excluded, s.Had = int(before.ChapterCount.ValueInt64()), before.ExcludeChapterIDs.has(), before.has()
		s.Converted, s.Unconverted = before.counted()
		s.NewestDate = audioprojects.Integer(before.LastConversionDateUnix.ValueInt64())
	}
	if isGiven(m.CharactersPerApply) {
		s.CharactersPerApply = new(numberOrDefault(m.CharactersPerApply, 0))
	}
	switch {
	case s.Follows:
		s.Template.Wish = conversion.WantsText
	case before == nil:
		s.Template.Wish = conversion.WantsConversion
	}
	isRetriggered := before != nil && m.retriggered(before)
	s.Template.Memory.ForTriggers = isRetriggered
	for _, id := range m.choose(&s) {
		desired := s.Template
		desired.ChapterID, desired.Memory = id, memory.Chapters[id]
		desired.Memory.ForTriggers = desired.Memory.ForTriggers || isRetriggered
		s.Desired = append(s.Desired, desired)
	}
	isForTriggers := isRetriggered || memory.LeftForTriggers() > 0
	if s.All && before != nil && m.sameChapters(before) && isForTriggers {
		s.Least = s.Count
	}
	return s
}

// counted is how many characters of a resource in the state are converted and unconverted; nil if that is not known.
func (m *conversionModel) counted() (converted, unconverted *int64) {
	if !m.isOfChapter() {
		return m.CharactersConverted.ValueInt64Pointer(), m.CharactersUnconverted.ValueInt64Pointer()
	}
	count := func(name string) *int64 {
		number, _ := m.Statistics.Attributes()[name].(types.Int64)
		return number.ValueInt64Pointer()
	}
	return count("characters_converted"), count("characters_unconverted")
}

// has returns a function that reports whether a resource in the state is about a chapter.
func (m *conversionModel) has() func(chapterID string) bool {
	named, excluded := m.ChapterIDs.has(), m.ExcludeChapterIDs.has()
	return func(chapterID string) bool { return !excluded[chapterID] && (len(named) == 0 || named[chapterID]) }
}

// choose sets which chapters are meant, and how messages name them. It returns the ids of those that are known.
func (m *conversionModel) choose(s *forecast.Scope) (ids []string) {
	s.Label = m.label()
	switch {
	case s.SingleChapter:
		s.AttributePath = path.Root("chapter_id")
		return []string{s.Template.ChapterID}
	case isGiven(m.ChapterIDs):
		s.AttributePath = path.Root("chapter_ids")
		return m.ChapterIDs.known()
	}
	s.AttributePath, s.All, s.Except = path.Root("project_id"), true, m.ExcludeChapterIDs.has()
	return s.Memory.PlannedIDs()
}

// label is how messages name what is converted.
func (m *conversionModel) label() string {
	if !m.isOfChapter() {
		return say.Project(m.ProjectID.ValueString())
	}
	shown := audioprojects.Chapter{ChapterID: m.ChapterID.ValueString()}
	shown.Name.Value = (*audioprojects.Text)(m.Name.ValueStringPointer())
	return say.Chapter(m.ProjectID.ValueString(), shown)
}

// unknownArguments says why an estimate is for more than the apply may cost; empty if all is known.
func (m *conversionModel) unknownArguments() string {
	var names []string
	for _, argument := range []struct {
		name  string
		value attr.Value
	}{
		{"chapter_ids", m.ChapterIDs}, {"exclude_chapter_ids", m.ExcludeChapterIDs}, {"all", m.All},
		{"keep_up_to_date", m.KeepUpToDate}, {"only_unconverted", m.OnlyUnconverted}, {"triggers", m.Triggers},
		{"characters_per_apply", m.CharactersPerApply},
	} {
		if argument.value.IsUnknown() {
			names = append(names, "`"+argument.name+"`")
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "Known only when the plan is applied: " + strings.Join(names, ", ") + ". The estimate counts the most that this can cost."
}

var serviceURLPath = path.Root("service_url")

// isOf reports whether the resource was read from the service at an address. One that an older version has saved does
// not say.
func (m *conversionModel) isOf(address string) bool {
	return m.ServiceURL.IsNull() || m.ServiceURL.ValueString() == address
}

// refuseOtherService is an error if the resource was read from another service than that of the provider: what is known of it, and what was
// planned for it, is not about this one.
func (m *conversionModel) refuseOtherService(address, thing string, diags *diag.Diagnostics) {
	if m.isOf(address) {
		return
	}
	diags.AddAttributeError(serviceURLPath, "Planned for another service",
		fmt.Sprintf("The state is about the service at %s, but the provider is configured for %s. Nothing is requested for:", m.ServiceURL.ValueString(), address)+say.Dashed([]string{thing})+
			"\n\nPlan and apply with the same `base_url` and `api_path`, which environment variables can also set. If the service has moved, make a plan that refreshes the state.")
}

func (m *conversionModel) sameChapters(before *conversionModel) bool {
	return m.ChapterIDs.Equal(before.ChapterIDs) && m.ExcludeChapterIDs.Equal(before.ExcludeChapterIDs)
}

// retriggered reports whether triggers have changed. A map that is given for the first time, after an import for example, is only
// recorded, and so is the removal of a map.
func (m *conversionModel) retriggered(before *conversionModel) bool {
	return !before.Triggers.IsNull() && !m.Triggers.IsNull() && !m.Triggers.Equal(before.Triggers)
}

// show returns the computed attributes, by what the chapters show. failed are the service's words about chapters that an apply could
// not convert; nil for a refresh.
func (m *conversionModel) show(chapters []audioprojects.Chapter, memory forecast.ResourceMemory, failed map[string]string) any {
	if !m.isOfChapter() {
		return m.showProject(chapters, memory, failed)
	}
	pending := memory.Chapters[m.ChapterID.ValueString()].Pending
	shown := struct {
		*shownChapter
		ID        string  `json:"id"`
		Requested *int64  `json:"characters_requested"`
		Pending   *string `json:"pending_conversion"`
	}{ID: m.id().ValueString(), Requested: m.CharactersRequested.ValueInt64Pointer(), Pending: shownPending(pending, pending == nil)}
	if len(chapters) > 0 {
		shown.shownChapter = &shownChapter{&chapters[0], lastConversionDate(chapters[0].LastConversionDateUnix)}
	}
	return shown
}

// shownChapter is a chapter with what the service does not show.
type shownChapter struct {
	*audioprojects.Chapter
	LastConversionDate *string `json:"last_conversion_date"`
}

// lastConversionDate is what `not_before` takes. A date in milliseconds, which no calendar of four digits has, is not nil: null means any
// snapshot there, and what is shown instead is refused.
func lastConversionDate(seconds *audioprojects.Integer) *string {
	if seconds == nil {
		return nil
	}
	return new(inUTC(*seconds))
}

// unknownTriggers stands for triggers that are known only in the apply. No others have this fingerprint, so a plan takes them for changed.
const unknownTriggers = "unknown"

// fingerprint is a hash of the triggers, because they may be sensitive and the resume token is shown. It is empty if the map is null.
func (m *conversionModel) fingerprint() string {
	if m.Triggers.IsUnknown() {
		return unknownTriggers
	}
	var triggers map[string]string
	if m.Triggers.IsNull() || m.Triggers.ElementsAs(context.Background(), &triggers, false).HasError() {
		return ""
	}
	// Strings always encode, and a map is encoded in the order of its keys.
	text, _ := json.Marshal([]any{m.ProjectID.ValueString(), m.ChapterID.ValueString(), triggers})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// shownPending is JSON. It is null if nothing is pending. It has no letters beyond ASCII, because Terraform writes every text in Unicode's
// composed form: a chapter whose id is in another form would not be found again.
func shownPending(pending any, isNone bool) *string {
	if isNone {
		return nil
	}
	text, _ := json.Marshal(pending) // Numbers, texts and booleans always encode.
	var ascii strings.Builder
	for _, letter := range string(text) {
		if letter < utf8.RuneSelf {
			ascii.WriteRune(letter)
			continue
		}
		for _, unit := range utf16.Encode([]rune{letter}) {
			fmt.Fprintf(&ascii, `\u%04x`, unit)
		}
	}
	return new(ascii.String())
}

// pending are the conversions without a known end in the state, by chapter.
func (m *conversionModel) pending(diags *diag.Diagnostics) map[string]*conversion.ResumeToken {
	pending := map[string]*conversion.ResumeToken{}
	name, shown, into := "pending_conversions", m.PendingConversions, any(&pending)
	if m.isOfChapter() {
		token := new(conversion.ResumeToken)
		pending[m.ChapterID.ValueString()] = token
		name, shown, into = "pending_conversion", m.PendingConversion, token
	}
	if shown.ValueString() == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(shown.ValueString()), into); err != nil {
		diags.AddAttributeError(path.Root(name), "Unable to read pending conversion",
			"The state contains something that this provider does not write there: "+err.Error())
	}
	return pending
}

// setCharactersRequested keeps what the latest apply that has requested anything has requested. before is the resource in the state; nil for a new one.
func (m *conversionModel) setCharactersRequested(result forecast.Result, before *conversionModel) {
	most, isRequested := result.CharactersRequested()
	switch {
	case isRequested:
		m.CharactersRequested = types.Int64PointerValue(most)
	case before != nil:
		m.CharactersRequested = before.CharactersRequested
	default:
		m.CharactersRequested = types.Int64Null()
	}
}

// failures are the service's words about the chapters that an apply could not convert, in the state.
func (m *conversionModel) failures() map[string]string {
	failed := map[string]string{}
	for id, value := range m.FailedChapters.Elements() {
		words, _ := value.(types.String)
		failed[id] = words.ValueString()
	}
	return failed
}

// unchanged are computed attributes that an update does not change. A chapter that comes meanwhile is counted by the next refresh.
func (m *conversionModel) unchanged(before *conversionModel) []string {
	if m.isOfChapter() || !m.sameChapters(before) {
		return nil
	}
	return []string{"chapter_count"}
}

// showProject adds the chapters up. A refresh keeps the failures of those that still need something.
func (m *conversionModel) showProject(chapters []audioprojects.Chapter, memory forecast.ResourceMemory, failed map[string]string) any {
	totals := audioprojects.TotalsOf(append([]audioprojects.Chapter{}, chapters...)) // of no chapters, the sum is 0
	if failed == nil {
		failed = map[string]string{}
		before := m.failures()
		for _, planned := range memory.Planned {
			words, hasFailed := before[planned.ChapterID]
			if hasFailed {
				failed[planned.ChapterID] = words
			}
		}
	}
	shown := map[string]any{
		"id": m.ProjectID.ValueString(), "chapter_count": len(chapters), "failed_chapters": failed,
		"characters_converted": totals.CharactersConverted, "characters_unconverted": totals.CharactersUnconverted,
		"characters_requested": m.CharactersRequested.ValueInt64Pointer(), "last_conversion_date_unix": nil, "last_conversion_date": nil,
		"pending_conversions": shownPending(memory.Pending(), len(memory.Pending()) == 0),
	}
	dates := audioprojects.ConversionDates(chapters)
	if len(dates) > 0 {
		latest := slices.Max(dates)
		shown["last_conversion_date_unix"], shown["last_conversion_date"] = latest, lastConversionDate(&latest)
	}
	return shown
}
