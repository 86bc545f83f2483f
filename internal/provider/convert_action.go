package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/action/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/forecast"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// convertAction converts once what a resource of the same chapters would keep converted.
type convertAction struct {
	conversions *forecast.Conversions
	name        string
	schema      schema.Schema
	timeout     time.Duration
}

var (
	_ action.ActionWithConfigure  = &convertAction{}
	_ action.ActionWithModifyPlan = &convertAction{}
)

func newConvertChapterAction() action.Action {
	return &convertAction{name: "_convert_chapter", timeout: defaultChapterTimeout, schema: schema.Schema{
		MarkdownDescription: "Converts a chapter to audio now, which costs credits, waits for the conversion, and shows its progress. " +
			"An action remembers nothing between invocations. To keep a chapter converted, use the resource `audioprojects_chapter_conversion`. " +
			"If a triggered action fails, the next apply runs it again only if something triggers it again, as `on_failure = taint` does. Actions need Terraform 1.14 or newer.",
		Attributes: map[string]schema.Attribute{
			"project_id": requiredID("The identifier of the project."),
			"chapter_id": requiredID("The identifier of the chapter."),
			"only_unconverted": optionalBool("Whether to request nothing if the chapter has no unconverted text. The default is `false`: every invocation converts the chapter. " +
				"Set it to `true` if Terraform may run the action again after a success, as with `on_failure = taint`."),
			"timeouts": invokeTimeout("How long an invocation waits for the conversion. A conversion that has not ended by then continues at the service.", "1h"),
		},
	}}
}

func newConvertProjectAction() action.Action {
	return &convertAction{name: "_convert_project", timeout: defaultProjectTimeout, schema: schema.Schema{
		MarkdownDescription: "Converts all chapters of a project that have unconverted text, which costs credits, waits for the conversions, and shows their progress. " +
			"If a chapter fails, the others continue. " +
			"An action remembers nothing between invocations. To keep a project converted, use the resource `audioprojects_project_conversion`. " +
			"Actions need Terraform 1.14 or newer.",
		Attributes: map[string]schema.Attribute{
			"project_id":          requiredID("The identifier of the project."),
			"chapter_ids":         optionalIDs("The identifiers of the chapters to convert. The default is all chapters of the project.", meantChapters),
			"exclude_chapter_ids": optionalIDs("The identifiers of the chapters to leave as they are. All others are converted. Conflicts with `chapter_ids`.", excludedChapters),
			"all":                 optionalBool("Whether to convert chapters without unconverted text again, which costs credits. The default is `false`."),
			"timeouts":            invokeTimeout("How long an invocation waits for the whole project. Conversions that have not ended by then continue at the service.", "24h"),
		},
	}}
}

// invokeTimeout is as timeoutsAttribute, for an action.
func invokeTimeout(description, standard string) schema.Attribute {
	return schema.SingleNestedAttribute{
		MarkdownDescription: description + misspelledNamesNote,
		Optional:            true,
		CustomType:          timeouts.Type{ObjectType: types.ObjectType{AttrTypes: map[string]attr.Type{"invoke": types.StringType}}},
		Attributes: map[string]schema.Attribute{
			"invoke": optionalString("The time to wait when the action is invoked, as a duration such as `90m`. The default is `"+standard+"`.", positiveDuration),
		},
	}
}

func (a *convertAction) Metadata(_ context.Context, req action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + a.name
}

func (a *convertAction) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = a.schema
}

func (a *convertAction) Configure(_ context.Context, req action.ConfigureRequest, _ *action.ConfigureResponse) {
	data, _ := req.ProviderData.(*providerData)
	if data != nil {
		a.conversions = data.conversions
	}
}

// ModifyPlan says what the action costs, and fails before the apply if the service has disproved it.
func (a *convertAction) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	s, _, known := a.wants(ctx, req.Config, &resp.Diagnostics)
	switch {
	case resp.Diagnostics.HasError():
	case !known:
		a.conversions.EstimateUnknown(s, &resp.Diagnostics)
	default:
		a.conversions.LookAndEstimate(ctx, s, &resp.Diagnostics)
	}
}

func (a *convertAction) Invoke(ctx context.Context, req action.InvokeRequest, resp *action.InvokeResponse) {
	s, timeout, _ := a.wants(ctx, req.Config, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if !a.conversions.Ready() {
		resp.Diagnostics.Append(say.UnknownProvider("convert", s.Label))
		return
	}
	result := a.conversions.Convert(ctx, s, timeout, func(line string) { resp.SendProgress(action.InvokeProgressEvent{Message: line}) })
	result.Report(&resp.Diagnostics, forecast.AfterInvoke)
}

// wants is what the configuration asks for. Nobody knows which chapters are meant while known is false.
func (a *convertAction) wants(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) (s forecast.Scope, timeout time.Duration, known bool) {
	model := modelOf(ctx, config, diags)
	s = model.scope(forecast.ResourceMemory{}, nil)
	s.IsAction, s.ChapterTimeout = true, 0
	var configured timeouts.Value
	diags.Append(config.GetAttribute(ctx, path.Root("timeouts"), &configured)...)
	timeout, _ = configured.Invoke(ctx, a.timeout) // The validator has refused what is none.
	return s, timeout, !model.id().IsUnknown()
}
