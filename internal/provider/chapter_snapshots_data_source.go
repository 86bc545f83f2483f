package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

func newChapterSnapshotsDataSource() datasource.DataSource {
	return &dataSource[chapterArguments]{name: "_chapter_snapshots", schema: schema.Schema{
		MarkdownDescription: "Lists the snapshots of a chapter. A snapshot keeps the audio of one conversion.",
		Attributes: map[string]schema.Attribute{
			"project_id": requiredID("The identifier of the project."),
			"chapter_id": requiredID("The identifier of the chapter."),
			"snapshots": computedList("The snapshots, in the service's order.", map[string]schema.Attribute{
				"chapter_snapshot_id": computedString("The identifier of the snapshot."),
				"project_id":          computedString("The identifier of the project, from the snapshot's record."),
				"chapter_id":          computedString("The identifier of the chapter, from the snapshot's record."),
				"created_at_unix":     computedInt64("The timestamp of the snapshot's creation, in Unix seconds."),
				"name":                computedString("The name of the snapshot."),
			}),
		},
	}, read: readChapterSnapshots}
}

func readChapterSnapshots(ctx context.Context, d *providerData, given chapterArguments, diags *diag.Diagnostics) any {
	snapshots, err := d.client.ListChapterSnapshots(ctx, given.ProjectID.ValueString(), given.ChapterID.ValueString())
	if err != nil {
		// A 404 may mean either of the two ids, so the error is at no attribute.
		diags.Append(say.Unable("read", "snapshots of "+given.label(), path.Empty(), err))
	}
	return map[string]any{"snapshots": snapshots}
}
