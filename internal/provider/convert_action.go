package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// convertAction converts once what its configuration names.
type convertAction[C convertible] struct {
	*providerData
	name   string
	schema schema.Schema
}

// convertible is the configuration of an action that converts.
type convertible interface {
	thing() string
	// known tells whether everything is known that says what is converted.
	known() bool
	// bill says what the action costs, and what the service has disproved.
	bill(ctx context.Context, d *providerData, diags *diag.Diagnostics)
	convert(ctx context.Context, d *providerData, progress func(line string)) reporting
}

// reporting is a result that can tell a person about itself.
type reporting interface {
	report(diags *diag.Diagnostics, after sequel)
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
			"keep_up_to_date": schema.BoolAttribute{
				MarkdownDescription: "Whether nothing is requested for a chapter that has nothing left to convert. The default is `false`: an invocation converts the chapter, whatever is left. " +
					"Set it if Terraform may run the action again after a success, as with `on_failure = taint`.",
				Optional: true,
			},
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
			"project_id": actionID("The identifier of the project."),
			"chapter_ids": schema.SetAttribute{
				MarkdownDescription: "The identifiers of the chapters to convert. The default is all chapters of the project.",
				ElementType:         types.StringType,
				Optional:            true,
				Validators:          []validator.Set{setvalidator.SizeAtLeast(1), setvalidator.ValueStringsAre(identifier{})},
			},
			"exclude_chapter_ids": schema.SetAttribute{
				MarkdownDescription: "The identifiers of chapters that are left as they are; all others are converted. Not together with `chapter_ids`.",
				ElementType:         types.StringType,
				Optional:            true,
				Validators:          excludedChapters,
			},
			"all": schema.BoolAttribute{
				MarkdownDescription: "Whether chapters that have nothing left to convert are converted again, which costs credits. The default is `false`.",
				Optional:            true,
			},
			"timeout": actionTimeout("The time to wait for the whole project, as a duration such as `90m`. What is not done by then goes on at the service. The default is `24h`."),
		},
	}}
}

func actionID(description string) schema.Attribute {
	return schema.StringAttribute{MarkdownDescription: description, Required: true, Validators: []validator.String{identifier{}}}
}

func actionTimeout(description string) schema.Attribute {
	return schema.StringAttribute{MarkdownDescription: description, Optional: true, Validators: []validator.String{positiveDuration{orEmpty: true}}}
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
	switch {
	case resp.Diagnostics.HasError():
	case !config.known():
		warnOfUnknownCost(&resp.Diagnostics)
	case a.ready():
		config.bill(ctx, a.providerData, &resp.Diagnostics)
	}
}

func (a *convertAction[C]) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config C
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !a.ready() {
		resp.Diagnostics.Append(unknownProvider("convert", config.thing()))
		return
	}
	result := config.convert(ctx, a.providerData, func(line string) { resp.SendProgress(action.InvokeProgressEvent{Message: line}) })
	result.report(&resp.Diagnostics, afterInvoke)
}

// afterInvoke says what follows an invocation. An action has no state, so it remembers nothing.
var afterInvoke = sequel{
	next:  "Invoking the action again",
	limit: "`timeout`",
	again: "To convert the chapter once more, invoke the action again.",
}

type convertChapterModel struct {
	ProjectID    types.String `tfsdk:"project_id"`
	ChapterID    types.String `tfsdk:"chapter_id"`
	KeepUpToDate types.Bool   `tfsdk:"keep_up_to_date"`
	Timeout      types.String `tfsdk:"timeout"`
}

func (m convertChapterModel) thing() string {
	return chapterThing(m.ProjectID.ValueString(), audioprojects.Chapter{ChapterID: m.ChapterID.ValueString()})
}

func (m convertChapterModel) known() bool {
	return !m.ProjectID.IsUnknown() && !m.ChapterID.IsUnknown()
}

func (m convertChapterModel) demand() conversion.Demand {
	return conversion.Demand{ProjectID: m.ProjectID.ValueString(), ChapterID: m.ChapterID.ValueString(), UpToDate: m.KeepUpToDate.ValueBool()}
}

func (m convertChapterModel) bill(ctx context.Context, d *providerData, diags *diag.Diagnostics) {
	demand := m.demand()
	predicted := d.look(ctx, demand, true, diags)
	if predicted.Requests(demand) || predicted.Decision.Step == conversion.Join {
		d.tell(ctx, demand, predicted, false, diags)
	}
}

func (m convertChapterModel) convert(ctx context.Context, d *providerData, progress func(line string)) reporting {
	demand := m.demand()
	reporter := newProgressReporter(demand.ChapterID, progress)
	demand.Progress = func(progress conversion.Outcome) {
		logProgress(ctx, progress)
		reporter.observe(progress)
	}
	result := callEngine(ctx, durationOr(m.Timeout, defaultTimeout), demand, d.engine.Convert)
	reporter.finish(ctx, result.outcome, result.err)
	return result
}

type convertProjectModel struct {
	ProjectID  types.String `tfsdk:"project_id"`
	ChapterIDs types.Set    `tfsdk:"chapter_ids"`
	Excluded   types.Set    `tfsdk:"exclude_chapter_ids"`
	All        types.Bool   `tfsdk:"all"`
	Timeout    types.String `tfsdk:"timeout"`
}

// model is a resource for the same project, which converts it once.
func (m convertProjectModel) model() *projectConversionModel {
	return &projectConversionModel{ID: m.ProjectID, ProjectID: m.ProjectID, ChapterIDs: m.ChapterIDs, ExcludeChapterIDs: m.Excluded}
}

func (m convertProjectModel) thing() string { return m.model().thing() }

func (m convertProjectModel) known() bool {
	return !m.ProjectID.IsUnknown()
}

func (m convertProjectModel) project() conversion.Project {
	project := m.model().book(objectMemory{}, nil)
	project.ChapterTimeout = 0
	for i := range project.Demands {
		project.Demands[i].UpToDate = !m.All.ValueBool()
	}
	if project.Others != nil {
		project.Others.UpToDate = !m.All.ValueBool()
	}
	return project
}

func (m convertProjectModel) bill(ctx context.Context, d *providerData, diags *diag.Diagnostics) {
	d.billOfBook(ctx, *m.model(), m.project(), objectMemory{}, diags)
}

func (m convertProjectModel) convert(ctx context.Context, d *providerData, progress func(line string)) reporting {
	project, timeout := m.project(), durationOr(m.Timeout, defaultBookTimeout)
	reporter := newBookReporter(progress)
	project.Progress = func(progress conversion.ProjectProgress) {
		logBookProgress(ctx, project.ProjectID, progress)
		reporter.observe(progress)
	}
	waiting, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	outcome := d.engine.ConvertProject(waiting, project)
	reporter.finish(ctx)
	return newBookResult(waiting, m.model(), timeout, outcome)
}

// durationOr is a duration of the configuration, whose validator has refused everything that is none.
func durationOr(configured types.String, standard time.Duration) time.Duration {
	duration, err := time.ParseDuration(configured.ValueString())
	if err != nil {
		return standard
	}
	return duration
}
