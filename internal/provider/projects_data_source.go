package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

func newProjectsDataSource() datasource.DataSource {
	return &dataSource[struct{}]{name: "_projects", schema: schema.Schema{
		MarkdownDescription: "Lists all projects of the account. The service decides what the list contains in addition to identifiers and names. " +
			"The data source `audioprojects_project` reads a project in full.",
		Attributes: map[string]schema.Attribute{
			"projects": computedList("The projects, in the service's order.", map[string]schema.Attribute{
				"project_id": computedString("The identifier of the project."),
				"name":       computedString("The name of the project; null if the list has none."),
				"json":       computedJSON(recordDescription),
			}),
		},
	}, read: readProjects}
}

// recordDescription is about a record that the service may extend, or whose shape the document does not give (sections 2.6 and 4.6).
const recordDescription = "The record as the service sent it, as JSON text with sorted keys."

func readProjects(ctx context.Context, d *providerData, _ struct{}, diags *diag.Diagnostics) any {
	projects, err := d.client.ListProjects(ctx)
	if err != nil {
		diags.Append(say.Unable("read", "projects", path.Empty(), err))
	}
	return map[string]any{"projects": projects}
}
