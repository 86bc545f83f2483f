package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var _ datasource.DataSourceWithConfigure = &chaptersDataSource{}

func newChaptersDataSource() datasource.DataSource { return &chaptersDataSource{} }

type chaptersDataSource struct{ *providerData }

type chaptersModel struct {
	ProjectID types.String   `tfsdk:"project_id"`
	Chapters  []chapterModel `tfsdk:"chapters"`
	chapterTotals
}

func (d *chaptersDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_chapters"
}

func (d *chaptersDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the chapters of a project, and adds up their characters.",
		Attributes: withChapterTotals(map[string]schema.Attribute{
			"project_id": schema.StringAttribute{
				MarkdownDescription: "The identifier of the project.",
				Required:            true,
				Validators:          []validator.String{identifier{}},
			},
			"chapters": schema.ListNestedAttribute{
				MarkdownDescription: "The chapters, in the service's order.",
				Computed:            true,
				NestedObject:        schema.NestedAttributeObject{Attributes: chapterAttributes()},
			},
		}),
	}
}

func (d *chaptersDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.providerData = configured(req.ProviderData, &resp.Diagnostics)
}

func (d *chaptersDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model chaptersModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !d.ready() {
		resp.Diagnostics.Append(unknownProvider("read", "chapters"))
		return
	}
	chapters, err := d.client.ListChapters(ctx, model.ProjectID.ValueString())
	if err != nil {
		resp.Diagnostics.Append(unable("read", "chapters of project "+model.ProjectID.String(), path.Root("project_id"), err))
		return
	}
	model.Chapters, model.chapterTotals = models(chapters, newChapterModel), newChapterTotals(chapters)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}
