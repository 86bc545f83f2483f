package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type chaptersModel struct {
	ProjectID types.String   `tfsdk:"project_id"`
	Chapters  []chapterModel `tfsdk:"chapters"`
	chapterTotals
}

func newChaptersDataSource() datasource.DataSource {
	return &dataSource[chaptersModel]{name: "_chapters", schema: schema.Schema{
		MarkdownDescription: "Lists the chapters of a project, and adds up their characters.",
		Attributes: withChapterTotals(map[string]schema.Attribute{
			"project_id": requiredID("The identifier of the project."),
			"chapters": schema.ListNestedAttribute{
				MarkdownDescription: "The chapters, in the service's order.",
				Computed:            true,
				NestedObject:        schema.NestedAttributeObject{Attributes: chapterAttributes()},
			},
		}),
	}, read: readChapters}
}

func readChapters(ctx context.Context, d *providerData, model *chaptersModel, diags *diag.Diagnostics) {
	chapters, err := d.client.ListChapters(ctx, model.ProjectID.ValueString())
	if err != nil {
		diags.Append(unable("read", "chapters of project "+model.ProjectID.String(), path.Root("project_id"), err))
	}
	model.Chapters, model.chapterTotals = models(chapters, newChapterModel), newChapterTotals(chapters)
}
