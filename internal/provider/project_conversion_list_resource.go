package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

var _ list.ListResourceWithConfigure = &projectConversionListResource{}

func newProjectConversionListResource() list.ListResource { return &projectConversionListResource{} }

// projectConversionListResource lists the projects for which there can be a resource of the same name.
type projectConversionListResource struct{ *providerData }

func (r *projectConversionListResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_project_conversion"
}

func (r *projectConversionListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists all projects of the account for `terraform query`, which can import all of them. Queries need Terraform 1.14 or newer.",
	}
}

func (r *projectConversionListResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.providerData = configured(req.ProviderData, &resp.Diagnostics)
}

// List returns an object for every project. If the request fails, it returns one result with a diagnostic, because
// the framework shows no other errors.
func (r *projectConversionListResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	if !r.ready() {
		stream.Results = list.ListResultsStreamDiagnostics(diag.Diagnostics{unknownProvider("list", "projects")})
		return
	}
	projects, err := r.client.ListProjects(ctx)
	if err != nil {
		stream.Results = list.ListResultsStreamDiagnostics(diag.Diagnostics{unable("list", "projects", path.Empty(), err)})
		return
	}
	stream.Results = func(push func(list.ListResult) bool) {
		for _, project := range projects[:min(int64(len(projects)), req.Limit)] {
			if !push(r.result(ctx, req, project)) {
				return
			}
		}
	}
}

// result is a project as an import would write it to the state. Its chapters are asked for only if they are wanted.
func (r *projectConversionListResource) result(ctx context.Context, req list.ListRequest, project audioprojects.ProjectRecord) list.ListResult {
	model := newProjectConversionModel(types.StringValue(project.ProjectID))
	result := req.NewListResult(ctx)
	result.DisplayName = project.ProjectID
	if project.Name != nil {
		result.DisplayName = project.Name.Line()
	}
	result.Diagnostics.Append(result.Identity.Set(ctx, model.identity())...)
	if !req.IncludeResource {
		return result
	}
	chapters, err := r.engine.Chapters(ctx, project.ProjectID)
	if err != nil {
		result.Diagnostics.Append(unable("read", model.thing(), path.Root("project_id"), err))
		return result
	}
	model.setTotals(chapters)
	result.Diagnostics.Append(result.Resource.Set(ctx, model)...)
	return result
}
