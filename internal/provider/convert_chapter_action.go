package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

var (
	_ action.ActionWithConfigure  = &convertChapterAction{}
	_ action.ActionWithModifyPlan = &convertChapterAction{}
)

func newConvertChapterAction() action.Action { return &convertChapterAction{} }

type convertChapterAction struct{ *providerData }

func (a *convertChapterAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_convert_chapter"
}

func (a *convertChapterAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Converts a chapter to audio now, which costs credits, waits until it is done, and shows progress. " +
			"An action remembers nothing between two invocations: the resource `audioprojects_chapter_conversion` keeps a chapter converted. " +
			"If a triggered action fails, the next apply does not run it again. Actions need Terraform 1.14 or newer.",
		Attributes: map[string]schema.Attribute{
			"project_id": schema.StringAttribute{
				MarkdownDescription: "The identifier of the project.",
				Required:            true,
				Validators:          []validator.String{identifier{}},
			},
			"chapter_id": schema.StringAttribute{
				MarkdownDescription: "The identifier of the chapter.",
				Required:            true,
				Validators:          []validator.String{identifier{}},
			},
			"keep_up_to_date": schema.BoolAttribute{
				MarkdownDescription: "Whether nothing is requested for a chapter that has nothing left to convert. The default is `false`: an invocation converts the chapter, whatever is left. " +
					"Set it if Terraform may run the action again after a success, as with `on_failure = taint`.",
				Optional: true,
			},
			"timeout": schema.StringAttribute{
				MarkdownDescription: "The time to wait for the conversion, as a duration such as `90m`. What is not done by then goes on at the service. The default is `1h`.",
				Optional:            true,
				Validators:          []validator.String{positiveDuration{orEmpty: true}},
			},
		},
	}
}

type convertChapterModel struct {
	ProjectID    types.String `tfsdk:"project_id"`
	ChapterID    types.String `tfsdk:"chapter_id"`
	KeepUpToDate types.Bool   `tfsdk:"keep_up_to_date"`
	Timeout      types.String `tfsdk:"timeout"`
}

func (m convertChapterModel) wish() conversion.Demand {
	return conversion.Demand{ProjectID: m.ProjectID.ValueString(), ChapterID: m.ChapterID.ValueString(), UpToDate: m.KeepUpToDate.ValueBool()}
}

// timeout is how long to wait for the conversion.
func (m convertChapterModel) timeout() time.Duration {
	if !isSet(m.Timeout) {
		return defaultTimeout
	}
	// The attribute's validator has refused everything that cannot be parsed.
	timeout, _ := time.ParseDuration(m.Timeout.ValueString())
	return timeout
}

// afterInvoke says what follows an invocation. An action has no state, so it remembers nothing.
var afterInvoke = sequel{
	next:  "Invoking the action again",
	limit: "`timeout`",
	again: "To convert the chapter once more, invoke the action again.",
}

func (a *convertChapterAction) Configure(_ context.Context, req action.ConfigureRequest, resp *action.ConfigureResponse) {
	a.providerData = configured(req.ProviderData, &resp.Diagnostics)
}

// ModifyPlan says what the action costs, and fails before the apply if the service has disproved it.
func (a *convertChapterAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	var config convertChapterModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() || !a.ready() || config.ProjectID.IsUnknown() || config.ChapterID.IsUnknown() {
		return
	}
	wish := config.wish()
	predicted := a.look(ctx, wish, true, &resp.Diagnostics)
	if predicted.Requests(wish) || predicted.Decision.Step == conversion.Join {
		a.tell(ctx, wish, predicted, telling{}, &resp.Diagnostics)
	}
}

func (a *convertChapterAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	var config convertChapterModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !a.ready() {
		resp.Diagnostics.Append(unknownProvider("convert", chapterThing(config.ProjectID.ValueString(), audioprojects.Chapter{ChapterID: config.ChapterID.ValueString()})))
		return
	}
	wish := config.wish()
	reporter := newProgressReporter(wish.ChapterID, func(line string) {
		resp.SendProgress(action.InvokeProgressEvent{Message: line})
	})
	wish.Progress = func(progress conversion.Outcome) {
		logProgress(ctx, progress)
		reporter.observe(progress)
	}
	result := callEngine(ctx, config.timeout(), wish, a.engine.Convert)
	reporter.finish(ctx, result.outcome, result.err)
	result.report(&resp.Diagnostics, afterInvoke)
}
