package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

var _ list.ListResourceWithConfigure = &chapterConversionListResource{}

func newChapterConversionListResource() list.ListResource { return &chapterConversionListResource{} }

// chapterConversionListResource lists the chapters for which there can be a resource of the same name.
type chapterConversionListResource struct{ *providerData }

type chapterConversionListModel struct {
	ProjectID types.String `tfsdk:"project_id"`
}

func (r *chapterConversionListResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_chapter_conversion"
}

func (r *chapterConversionListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the chapters of a project, converted or not, for `terraform query`, which can import all of them. " +
			"Queries need Terraform 1.14 or newer.",
		Attributes: map[string]schema.Attribute{
			"project_id": schema.StringAttribute{
				MarkdownDescription: "The identifier of the project.",
				Required:            true,
				Validators:          []validator.String{identifier{}},
			},
		},
	}
}

func (r *chapterConversionListResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.providerData = configured(req.ProviderData, &resp.Diagnostics)
}

// List returns an object for every chapter. If the request fails, it returns one result with a diagnostic, because
// the framework shows no other errors.
func (r *chapterConversionListResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var config chapterConversionListModel
	diags := req.Config.Get(ctx, &config)
	if diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	project := "chapters of project " + config.ProjectID.String()
	if !r.ready() {
		stream.Results = list.ListResultsStreamDiagnostics(diag.Diagnostics{unknownProvider("list", project)})
		return
	}
	chapters, err := r.engine.Chapters(ctx, config.ProjectID.ValueString())
	if err != nil {
		stream.Results = list.ListResultsStreamDiagnostics(diag.Diagnostics{unable("list", project, path.Root("project_id"), err)})
		return
	}
	stream.Results = func(push func(list.ListResult) bool) {
		for _, chapter := range chapters[:min(int64(len(chapters)), req.Limit)] {
			if !push(r.result(ctx, req, config.ProjectID, chapter)) {
				return
			}
		}
	}
}

// result is a chapter as an import would write it to the state.
func (r *chapterConversionListResource) result(ctx context.Context, req list.ListRequest, projectID types.String, chapter audioprojects.Chapter) list.ListResult {
	model := newChapterConversionModel(projectID, chapter)
	result := req.NewListResult(ctx)
	result.DisplayName = chapter.ChapterID
	if chapter.Name != nil {
		result.DisplayName = chapter.Name.Line()
	}
	result.Diagnostics.Append(result.Identity.Set(ctx, model.identity())...)
	if req.IncludeResource {
		result.Diagnostics.Append(result.Resource.Set(ctx, model)...)
	}
	return result
}
