package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// convertAction converts a set of chapters once.
type convertAction[C convertible] struct {
	*providerData
	name   string
	schema schema.Schema
}

// convertible is the configuration of an action that converts. Nobody knows which chapters are meant while known is false.
type convertible interface {
	demand() (s set, timeout time.Duration, known bool)
}

var (
	_ action.ActionWithConfigure  = &convertAction[convertChapterModel]{}
	_ action.ActionWithModifyPlan = &convertAction[convertProjectModel]{}
)

func newConvertChapterAction() action.Action {
	return &convertAction[convertChapterModel]{name: "_convert_chapter", schema: schema.Schema{
		MarkdownDescription: "Converts a chapter to audio now, which costs credits, waits until it is done, and shows progress. " +
			"An action remembers nothing between two invocations: the resource `audioprojects_chapter_conversion` keeps a chapter converted. " +
			"If a triggered action fails, the next apply does not run it again. Actions need Terraform 1.14 or newer.",
		Attributes: map[string]schema.Attribute{
			"project_id": actionID("The identifier of the project."),
			"chapter_id": actionID("The identifier of the chapter."),
			"keep_up_to_date": actionBool("Whether nothing is requested for a chapter that has nothing left to convert. The default is `false`: an invocation converts the chapter, whatever is left. " +
				"Set it if Terraform may run the action again after a success, as with `on_failure = taint`."),
			"timeout": actionTimeout("The time to wait for the conversion, as a duration such as `90m`. What is not done by then goes on at the service. The default is `1h`."),
		},
	}}
}

func newConvertProjectAction() action.Action {
	return &convertAction[convertProjectModel]{name: "_convert_project", schema: schema.Schema{
		MarkdownDescription: "Converts what a project has left to convert, which costs credits, waits until it is done, and shows progress. A chapter that fails stops no other. " +
			"An action remembers nothing between two invocations: the resource `audioprojects_project_conversion` keeps a project converted. " +
			"Actions need Terraform 1.14 or newer.",
		Attributes: map[string]schema.Attribute{
			"project_id":          actionID("The identifier of the project."),
			"chapter_ids":         actionIDs("The identifiers of the chapters to convert. The default is all chapters of the project.", meantChapters),
			"exclude_chapter_ids": actionIDs("The identifiers of chapters that are left as they are; all others are converted. Not together with `chapter_ids`.", excludedChapters),
			"all":                 actionBool("Whether chapters that have nothing left to convert are converted again, which costs credits. The default is `false`."),
			"timeout":             actionTimeout("The time to wait for the whole project, as a duration such as `90m`. What is not done by then goes on at the service. The default is `24h`."),
		},
	}}
}

func actionID(description string) schema.Attribute {
	return schema.StringAttribute{MarkdownDescription: description, Required: true, Validators: []validator.String{identifier}}
}

func actionIDs(description string, validators []validator.Set) schema.Attribute {
	return schema.SetAttribute{MarkdownDescription: description, Optional: true, ElementType: types.StringType, Validators: validators}
}

func actionBool(description string) schema.Attribute {
	return schema.BoolAttribute{MarkdownDescription: description, Optional: true}
}

func actionTimeout(description string) schema.Attribute {
	return schema.StringAttribute{MarkdownDescription: description, Optional: true, Validators: []validator.String{positiveDurationOrEmpty}}
}

func (a *convertAction[C]) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + a.name
}

func (a *convertAction[C]) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = a.schema
}

func (a *convertAction[C]) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	a.providerData = configured(req.ProviderData, &resp.Diagnostics)
}

// ModifyPlan says what the action costs, and fails before the apply if the service has disproved it.
func (a *convertAction[C]) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	var config C
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	switch s, _, known := config.demand(); {
	case resp.Diagnostics.HasError():
	case !known:
		warnOfUnknownCost(&resp.Diagnostics)
	default:
		a.lookAndBill(ctx, s, objectMemory{}, &resp.Diagnostics)
	}
}

func (a *convertAction[C]) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config C
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	s, timeout, _ := config.demand()
	if !a.ready() {
		resp.Diagnostics.Append(unknownProvider("convert", s.thing))
		return
	}
	progress := newProgressReporter(s, func(line string) { resp.SendProgress(action.InvokeProgressEvent{Message: line}) })
	result := a.convert(ctx, s, timeout, progress)
	progress.finish(ctx, result)
	result.report(&resp.Diagnostics, afterInvoke)
}

type convertChapterModel struct {
	ProjectID    types.String `tfsdk:"project_id"`
	ChapterID    types.String `tfsdk:"chapter_id"`
	KeepUpToDate types.Bool   `tfsdk:"keep_up_to_date"`
	Timeout      types.String `tfsdk:"timeout"`
}

func (m convertChapterModel) demand() (s set, timeout time.Duration, known bool) {
	object := chapterConversionModel{chapterModel: chapterModel{ChapterID: m.ChapterID}, ProjectID: m.ProjectID, KeepUpToDate: m.KeepUpToDate}
	s = object.set(objectMemory{}, nil)
	s.adoptable = false
	return s, durationOr(m.Timeout, defaultTimeout), !idOf(&object).IsUnknown()
}

type convertProjectModel struct {
	ProjectID  types.String `tfsdk:"project_id"`
	ChapterIDs types.Set    `tfsdk:"chapter_ids"`
	Excluded   types.Set    `tfsdk:"exclude_chapter_ids"`
	All        types.Bool   `tfsdk:"all"`
	Timeout    types.String `tfsdk:"timeout"`
}

func (m convertProjectModel) demand() (s set, timeout time.Duration, known bool) {
	object := projectConversionModel{ProjectID: m.ProjectID, ChapterIDs: m.ChapterIDs, ExcludeChapterIDs: m.Excluded}
	s = object.set(objectMemory{}, nil)
	s.every.UpToDate, s.ChapterTimeout = !m.All.ValueBool(), 0
	if s.Others != nil {
		s.Others = &s.every
	}
	for i := range s.Demands {
		s.Demands[i].UpToDate = s.every.UpToDate
	}
	return s, durationOr(m.Timeout, defaultBookTimeout), !idOf(&object).IsUnknown()
}
