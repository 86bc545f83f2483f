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

func newProjectSnapshotsDataSource() datasource.DataSource {
	return &dataSource[projectSnapshotsModel]{name: "_project_snapshots", schema: schema.Schema{
		MarkdownDescription: "Lists the snapshots of a project. The resource `audioprojects_project_snapshot_audio` downloads the audio of one. " +
			"The service decides on the order, and on what a record has in addition to its identifier: the data source `audioprojects_project_snapshot` finds the newest.",
		Attributes: map[string]schema.Attribute{
			"project_id": requiredID("The identifier of the project."),
			"snapshots": schema.ListNestedAttribute{
				MarkdownDescription: "The snapshots, in the service's order.",
				Computed:            true,
				NestedObject:        schema.NestedAttributeObject{Attributes: projectSnapshotAttributes()},
			},
		},
	}, read: readProjectSnapshots}
}

// projectSnapshotAttributes are the computed attributes of a project's snapshot.
func projectSnapshotAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"project_snapshot_id": computedString("The identifier of the snapshot."),
		"created_at_unix":     computedInt64("The time the snapshot was made, in seconds since 1970-01-01 00:00 UTC; null if its record has no number there."),
		"name":                computedString("The name of the snapshot; null if its record has none."),
		"json": schema.StringAttribute{
			MarkdownDescription: "The record as the service gave it, as JSON text with sorted keys and without white space.",
			Computed:            true,
			CustomType:          jsontypes.NormalizedType{},
		},
	}
}

func readProjectSnapshots(ctx context.Context, d *providerData, model *projectSnapshotsModel, diags *diag.Diagnostics) {
	snapshots, err := d.client.ListProjectSnapshots(ctx, model.ProjectID.ValueString())
	if err != nil {
		diags.Append(unable("read", "snapshots of project "+model.ProjectID.String(), path.Root("project_id"), err))
	}
	model.Snapshots = models(snapshots, newProjectSnapshotRecordModel)
}

func newProjectSnapshotRecordModel(snapshot audioprojects.ProjectSnapshotRecord) projectSnapshotRecordModel {
	return projectSnapshotRecordModel{
		ProjectSnapshotID: types.StringValue(snapshot.ProjectSnapshotID),
		CreatedAtUnix:     integerValue(snapshot.CreatedAtUnix),
		Name:              textValue(snapshot.Name),
		JSON:              jsonValue(snapshot.Record),
	}
}
