package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

type projectsModel struct {
	Projects []projectRecordModel `tfsdk:"projects"`
}

// projectRecordModel is an element of a list whose shape the document does not give (section 4.6).
type projectRecordModel struct {
	ProjectID types.String         `tfsdk:"project_id"`
	Name      types.String         `tfsdk:"name"`
	JSON      jsontypes.Normalized `tfsdk:"json"`
}

func newProjectsDataSource() datasource.DataSource {
	return &dataSource[projectsModel]{name: "_projects", schema: schema.Schema{
		MarkdownDescription: "Lists all projects of the account. The service decides what the list has in addition to identifiers and names. " +
			"The data source `audioprojects_project` reads all of one project.",
		Attributes: map[string]schema.Attribute{
			"projects": schema.ListNestedAttribute{
				MarkdownDescription: "The projects, in the service's order.",
				Computed:            true,
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"project_id": computedString("The identifier of the project."),
					"name":       computedString("The name of the project; null if the list has none."),
					"json": schema.StringAttribute{
						MarkdownDescription: "The record as the service gave it, as JSON text with sorted keys and without white space.",
						Computed:            true,
						CustomType:          jsontypes.NormalizedType{},
					},
				}},
			},
		},
	}, read: readProjects}
}

func readProjects(ctx context.Context, d *providerData, model *projectsModel, diags *diag.Diagnostics) {
	projects, err := d.client.ListProjects(ctx)
	if err != nil {
		diags.Append(unable("read", "projects", path.Empty(), err))
	}
	model.Projects = models(projects, newProjectRecordModel)
}

func newProjectRecordModel(project audioprojects.ProjectRecord) projectRecordModel {
	return projectRecordModel{
		ProjectID: types.StringValue(project.ProjectID),
		Name:      textValue(project.Name),
		JSON:      jsonValue(project.Record),
	}
}
