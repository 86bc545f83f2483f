package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

var _ datasource.DataSourceWithConfigure = &projectsDataSource{}

func newProjectsDataSource() datasource.DataSource { return &projectsDataSource{} }

type projectsDataSource struct{ *providerData }

type projectsModel struct {
	Projects []projectRecordModel `tfsdk:"projects"`
}

// projectRecordModel is an element of a list whose shape the document does not give (section 4.6).
type projectRecordModel struct {
	ProjectID types.String         `tfsdk:"project_id"`
	Name      types.String         `tfsdk:"name"`
	JSON      jsontypes.Normalized `tfsdk:"json"`
}

func (d *projectsDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_projects"
}

func (d *projectsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists all projects of the account. The service decides what the list has in addition to identifiers and names. " +
			"The data source `audioprojects_project` reads all of one project.",
		Attributes: map[string]schema.Attribute{
			"projects": schema.ListNestedAttribute{
				MarkdownDescription: "The projects, in the service's order.",
				Computed:            true,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"project_id": schema.StringAttribute{
						MarkdownDescription: "The identifier of the project.",
						Computed:            true,
					},
					"name": schema.StringAttribute{
						MarkdownDescription: "The name of the project; null if the list has none.",
						Computed:            true,
					},
					"json": schema.StringAttribute{
						MarkdownDescription: "The record as the service gave it, as JSON text with sorted keys and without white space.",
						Computed:            true,
						CustomType:          jsontypes.NormalizedType{},
					},
				}},
			},
		},
	}
}

func (d *projectsDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.providerData = configured(req.ProviderData, &resp.Diagnostics)
}

func (d *projectsDataSource) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	if !d.ready() {
		resp.Diagnostics.Append(unknownProvider("read", "projects"))
		return
	}
	projects, err := d.client.ListProjects(ctx)
	if err != nil {
		resp.Diagnostics.Append(unable("read", "projects", path.Empty(), err))
		return
	}
	model := projectsModel{Projects: models(projects, newProjectRecordModel)}
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

func newProjectRecordModel(project audioprojects.ProjectRecord) projectRecordModel {
	return projectRecordModel{
		ProjectID: types.StringValue(project.ProjectID),
		Name:      textValue(project.Name),
		JSON:      jsonValue(project.Record),
	}
}
