package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

var _ datasource.DataSourceWithConfigure = &projectSnapshotsDataSource{}

func newProjectSnapshotsDataSource() datasource.DataSource { return &projectSnapshotsDataSource{} }

type projectSnapshotsDataSource struct{ *providerData }

type projectSnapshotsModel struct {
	ProjectID types.String                 `tfsdk:"project_id"`
	Snapshots []projectSnapshotRecordModel `tfsdk:"snapshots"`
}

// projectSnapshotRecordModel is an element of a list whose shape the document does not give (sections 2.6 and 4.6).
type projectSnapshotRecordModel struct {
	ProjectSnapshotID types.String         `tfsdk:"project_snapshot_id"`
	CreatedAtUnix     types.Int64          `tfsdk:"created_at_unix"`
	Name              types.String         `tfsdk:"name"`
	JSON              jsontypes.Normalized `tfsdk:"json"`
}

func (d *projectSnapshotsDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_project_snapshots"
}

func (d *projectSnapshotsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the snapshots of a project. The resource `audioprojects_project_snapshot_audio` downloads the audio of one. " +
			"The service decides on the order, and on what a record has in addition to its identifier: the data source `audioprojects_project_snapshot` finds the newest.",
		Attributes: map[string]schema.Attribute{
			"project_id": schema.StringAttribute{
				MarkdownDescription: "The identifier of the project.",
				Required:            true,
				Validators:          []validator.String{identifier{}},
			},
			"snapshots": schema.ListNestedAttribute{
				MarkdownDescription: "The snapshots, in the service's order.",
				Computed:            true,
				NestedObject:        schema.NestedAttributeObject{Attributes: projectSnapshotAttributes()},
			},
		},
	}
}

// projectSnapshotAttributes are the computed attributes of a project's snapshot.
func projectSnapshotAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"project_snapshot_id": schema.StringAttribute{
			MarkdownDescription: "The identifier of the snapshot.",
			Computed:            true,
		},
		"created_at_unix": schema.Int64Attribute{
			MarkdownDescription: "The time the snapshot was made, in seconds since 1970-01-01 00:00 UTC; null if its record has no number there.",
			Computed:            true,
		},
		"name": schema.StringAttribute{
			MarkdownDescription: "The name of the snapshot; null if its record has none.",
			Computed:            true,
		},
		"json": schema.StringAttribute{
			MarkdownDescription: "The record as the service gave it, as JSON text with sorted keys and without white space.",
			Computed:            true,
			CustomType:          jsontypes.NormalizedType{},
		},
	}
}

func (d *projectSnapshotsDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.providerData = configured(req.ProviderData, &resp.Diagnostics)
}

func (d *projectSnapshotsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model projectSnapshotsModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !d.ready() {
		resp.Diagnostics.Append(unknownProvider("read", "project snapshots"))
		return
	}
	snapshots, err := d.client.ListProjectSnapshots(ctx, model.ProjectID.ValueString())
	if err != nil {
		resp.Diagnostics.Append(unable("read", "snapshots of project "+model.ProjectID.String(), path.Root("project_id"), err))
		return
	}
	model.Snapshots = models(snapshots, newProjectSnapshotRecordModel)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

func newProjectSnapshotRecordModel(snapshot audioprojects.ProjectSnapshotRecord) projectSnapshotRecordModel {
	return projectSnapshotRecordModel{
		ProjectSnapshotID: types.StringValue(snapshot.ProjectSnapshotID),
		CreatedAtUnix:     integerValue(snapshot.CreatedAtUnix),
		Name:              textValue(snapshot.Name),
		JSON:              jsonValue(snapshot.Record),
	}
}
