package provider

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type wantedSnapshot struct {
	ProjectID         types.String   `tfsdk:"project_id"`
	ProjectSnapshotID types.String   `tfsdk:"project_snapshot_id"`
	MostRecent        types.Bool     `tfsdk:"most_recent"`
	NotBeforeUnix     types.Number   `tfsdk:"not_before_unix"`
	Timeouts          timeouts.Value `tfsdk:"timeouts"`
}

const (
	// defaultSnapshotTimeout is how long a snapshot is waited for that not_before_unix asks for.
	defaultSnapshotTimeout = 2 * time.Minute
	// lastUnix is the end of the year 9999. A later time is one in milliseconds.
	lastUnix = 253402300799
)

func newProjectSnapshotDataSource() datasource.DataSource {
	attributes := projectSnapshotAttributes()
	maps.Copy(attributes, map[string]schema.Attribute{
		"project_id": requiredID("The identifier of the project."),
		"project_snapshot_id": schema.StringAttribute{
			MarkdownDescription: "The identifier of the snapshot. Give either this or `most_recent`.",
			Optional:            true,
			Computed:            true,
			Validators:          []validator.String{identifier},
		},
		"most_recent": schema.BoolAttribute{
			MarkdownDescription: "Whether the newest snapshot is read: the one with the latest `created_at_unix`, wherever it is in the list. " +
				"If a record has no time, or two have the latest second in a list whose dates neither all rise nor all fall, nobody can tell which is the newest, and the read fails. The default is `false`.",
			Optional: true,
		},
		"not_before_unix": schema.NumberAttribute{
			MarkdownDescription: "The earliest time at which the newest snapshot may have been made, in seconds since 1970-01-01 00:00 UTC, such as the `last_conversion_date_unix` of a conversion. " +
				"The read waits for such a snapshot, and fails after `timeouts`. It needs `most_recent`. Without it, or with `0`, the read takes the newest, however old.",
			Optional:   true,
			Validators: []validator.Number{wholeNumber{least: 0, most: lastUnix}},
		},
		// As in timeoutsAttribute.
		"timeouts": schema.SingleNestedAttribute{
			MarkdownDescription: "How long the read waits for a snapshot that is as new as `not_before_unix`.",
			Optional:            true,
			CustomType:          timeouts.Type{ObjectType: types.ObjectType{AttrTypes: map[string]attr.Type{"read": types.StringType}}},
			Attributes: map[string]schema.Attribute{
				"read": argument("The time that a snapshot may take to appear, as a duration such as `90s` or `5m`. The default is `2m`.", positiveDuration),
			},
		},
	})
	return &dataSource[wantedSnapshot]{name: "_project_snapshot", schema: schema.Schema{
		MarkdownDescription: "Reads one snapshot of a project: the newest, or one by its identifier. The resource `audioprojects_project_snapshot_audio` downloads its audio. " +
			"Some services make a snapshot for each conversion, some later, and some only when the whole project is converted there.",
		Attributes: attributes,
	}, validate: wantedSnapshot.validate, read: readProjectSnapshot}
}

func (m wantedSnapshot) validate(diags *diag.Diagnostics) {
	named := !m.ProjectSnapshotID.IsNull()
	switch {
	case m.ProjectSnapshotID.IsUnknown(), m.MostRecent.IsUnknown():
	case !named && !m.MostRecent.ValueBool():
		diags.AddError("Missing snapshot", "Set `project_snapshot_id`, or `most_recent = true`: the provider does not know which snapshot is meant.")
	case named && m.MostRecent.ValueBool():
		diags.AddAttributeError(path.Root("most_recent"), "Snapshot given twice", "Set `project_snapshot_id` or `most_recent = true`, and not both.")
	case named && !m.NotBeforeUnix.IsNull():
		diags.AddAttributeError(path.Root("not_before_unix"), "Snapshot given twice", "A snapshot with a given `project_snapshot_id` was made when it was made: `not_before_unix` goes with `most_recent = true`.")
	}
}

func readProjectSnapshot(ctx context.Context, d *providerData, wanted wantedSnapshot, diags *diag.Diagnostics) any {
	timeout, problems := wanted.Timeouts.Read(ctx, defaultSnapshotTimeout)
	if diags.Append(problems...); diags.HasError() {
		return nil
	}
	found, problem := snapshotSearch{
		list: d.client.ListProjectSnapshots, projectID: wanted.ProjectID, snapshotID: wanted.ProjectSnapshotID,
		notBefore: whole(wanted.NotBeforeUnix, 0), timeout: timeout,
	}.run(ctx)
	if problem != nil {
		diags.Append(problem)
	}
	return found
}

// unixTime is a time as the service gives it and as people read it.
func unixTime(seconds int64) string {
	return fmt.Sprintf("%d (%s)", seconds, time.Unix(seconds, 0).UTC().Format("2006-01-02 15:04:05 UTC"))
}
