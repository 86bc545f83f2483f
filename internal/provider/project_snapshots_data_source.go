package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

func newProjectSnapshotsDataSource() datasource.DataSource {
	return &dataSource[projectArguments]{name: "_project_snapshots", schema: schema.Schema{
		MarkdownDescription: "Lists the snapshots of a project. The resource `audioprojects_project_snapshot_audio` downloads the audio of one of them. " +
			"The service decides the order, and what a record contains in addition to its identifier. The data source `audioprojects_project_snapshot` finds the newest snapshot.",
		Attributes: map[string]schema.Attribute{
			"project_id": requiredID("The identifier of the project."),
			"snapshots":  computedList("The snapshots, in the service's order.", projectSnapshotAttributes()),
		},
	}, read: readProjectSnapshots}
}

// projectSnapshotAttributes are the computed attributes of a project's snapshot.
func projectSnapshotAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"project_snapshot_id": computedString("The identifier of the snapshot."),
		"created_at_unix":     computedInt64("The timestamp of the snapshot's creation, in Unix seconds; null if its record has no number there."),
		"name":                computedString("The name of the snapshot; null if its record has none."),
		"json":                computedJSON(recordDescription),
	}
}

func readProjectSnapshots(ctx context.Context, d *providerData, given projectArguments, diags *diag.Diagnostics) any {
	snapshots, err := d.client.ListProjectSnapshots(ctx, given.ProjectID.ValueString())
	if err != nil {
		diags.Append(say.Unable("read", "snapshots of project "+given.ProjectID.String(), path.Root("project_id"), err))
	}
	return map[string]any{"snapshots": snapshots}
}
