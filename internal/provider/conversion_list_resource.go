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

// conversionListResource lists what there can be a resource of the same name for.
type conversionListResource struct {
	*providerData
	name, description string
	// ofProject: the chapters of a project are listed, and not all projects.
	ofProject bool
	list      func(ctx context.Context, d *providerData, projectID types.String) ([]listed, error)
}

// listed is an object as an import would write it to the state.
type listed struct {
	id       string
	name     *audioprojects.Text
	identity any
	// model may ask for more, and is called only if it is wanted.
	model func() (any, diag.Diagnostics)
}

var _ list.ListResourceWithConfigure = &conversionListResource{}

func newChapterConversionListResource() list.ListResource {
	return &conversionListResource{
		name: "_chapter_conversion",
		description: "Lists the chapters of a project, converted or not, for `terraform query`, which can import all of them. " +
			"Queries need Terraform 1.14 or newer.",
		ofProject: true,
		list:      listChapters,
	}
}

func newProjectConversionListResource() list.ListResource {
	return &conversionListResource{
		name:        "_project_conversion",
		description: "Lists all projects of the account for `terraform query`, which can import all of them. Queries need Terraform 1.14 or newer.",
		list:        listProjects,
	}
}

func (r *conversionListResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + r.name
}

func (r *conversionListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{MarkdownDescription: r.description}
	if r.ofProject {
		resp.Schema.Attributes = map[string]schema.Attribute{
			"project_id": schema.StringAttribute{
				MarkdownDescription: "The identifier of the project.",
				Required:            true,
				Validators:          []validator.String{identifier{}},
			},
		}
	}
}

func (r *conversionListResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.providerData = configured(req.ProviderData, &resp.Diagnostics)
}

// List returns an object for everything there is. If the request fails, it returns one result with a diagnostic, because
// the framework shows no other errors.
func (r *conversionListResource) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var projectID types.String
	things, at := "projects", path.Empty()
	if r.ofProject {
		at = path.Root("project_id")
		if diags := req.Config.GetAttribute(ctx, at, &projectID); diags.HasError() {
			stream.Results = list.ListResultsStreamDiagnostics(diags)
			return
		}
		things = "chapters of project " + projectID.String()
	}
	if !r.ready() {
		stream.Results = list.ListResultsStreamDiagnostics(diag.Diagnostics{unknownProvider("list", things)})
		return
	}
	objects, err := r.list(ctx, r.providerData, projectID)
	if err != nil {
		stream.Results = list.ListResultsStreamDiagnostics(diag.Diagnostics{unable("list", things, at, err)})
		return
	}
	stream.Results = func(push func(list.ListResult) bool) {
		for _, object := range objects[:min(int64(len(objects)), req.Limit)] {
			if !push(object.result(ctx, req)) {
				return
			}
		}
	}
}

func (l listed) result(ctx context.Context, req list.ListRequest) list.ListResult {
	result := req.NewListResult(ctx)
	result.DisplayName = l.id
	if l.name != nil {
		result.DisplayName = l.name.Line()
	}
	result.Diagnostics.Append(result.Identity.Set(ctx, l.identity)...)
	if !req.IncludeResource {
		return result
	}
	model, diags := l.model()
	if result.Diagnostics.Append(diags...); !diags.HasError() {
		result.Diagnostics.Append(result.Resource.Set(ctx, model)...)
	}
	return result
}

func listChapters(ctx context.Context, d *providerData, projectID types.String) (objects []listed, err error) {
	chapters, err := d.engine.Chapters(ctx, projectID.ValueString())
	for _, chapter := range chapters {
		model := newChapterConversionModel(projectID, chapter)
		objects = append(objects, listed{chapter.ChapterID, chapter.Name, model.identity(), func() (any, diag.Diagnostics) { return model, nil }})
	}
	return objects, err
}

// listProjects asks for the chapters of a project only if its object is wanted.
func listProjects(ctx context.Context, d *providerData, _ types.String) (objects []listed, err error) {
	projects, err := d.client.ListProjects(ctx)
	for _, project := range projects {
		model := newProjectConversionModel(types.StringValue(project.ProjectID))
		objects = append(objects, listed{project.ProjectID, project.Name, model.identity(), func() (any, diag.Diagnostics) {
			chapters, err := d.engine.Chapters(ctx, project.ProjectID)
			if err != nil {
				return nil, diag.Diagnostics{unable("read", projectThing(project.ProjectID), path.Root("project_id"), err)}
			}
			model.show(chapters, objectMemory{}, nil)
			return model, nil
		}})
	}
	return objects, err
}
