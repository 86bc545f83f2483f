package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

type snapshotArguments struct {
	ProjectID         types.String   `tfsdk:"project_id"`
	ProjectSnapshotID types.String   `tfsdk:"project_snapshot_id"`
	MostRecent        types.Bool     `tfsdk:"most_recent"`
	NotBefore         types.String   `tfsdk:"not_before"`
	Timeouts          timeouts.Value `tfsdk:"timeouts"`
}

// defaultSnapshotTimeout is how long a snapshot is waited for that not_before asks for.
const defaultSnapshotTimeout = 2 * time.Minute

func newProjectSnapshotDataSource() datasource.DataSource {
	attributes := projectSnapshotAttributes()
	maps.Copy(attributes, map[string]schema.Attribute{
		"id":                  computedString("The ids in the form `project_id/project_snapshot_id`, each path-escaped. Terraform prints this id when it has read the snapshot."),
		"project_id":          requiredID("The identifier of the project."),
		"project_snapshot_id": optionalComputedString("The identifier of the snapshot. Set either this or `most_recent`.", identifier),
		"most_recent": optionalBool("Whether to read the newest snapshot: the one with the latest `created_at_unix`. " +
			"If several share it, the order of the list decides; if the list is not in the order of its timestamps, the last of them is read, with a warning. " +
			"If one of several snapshots has no timestamp, the read fails and lists them. The default is `false`."),
		"not_before": optionalString("The earliest timestamp that the newest snapshot may have, in RFC 3339, such as `2026-11-22T08:00:00Z` or the `last_conversion_date` of a conversion. "+
			"The read waits for such a snapshot, and fails when `timeouts` have passed. It requires `most_recent`. Without this argument, or with null, the read takes the newest snapshot, however old. "+
			"The service counts whole seconds, so a fraction of a second waits for the next one.", timestamp),
		"created_at": computedString("The timestamp of the snapshot's creation in UTC, such as `2026-11-22T08:00:00Z`; null if its record has no number there."),
		// As in timeoutsAttribute.
		"timeouts": schema.SingleNestedAttribute{
			MarkdownDescription: "How long the read waits for a snapshot that is not older than `not_before`." + misspelledNamesNote,
			Optional:            true,
			CustomType:          timeouts.Type{ObjectType: types.ObjectType{AttrTypes: map[string]attr.Type{"read": types.StringType}}},
			Attributes: map[string]schema.Attribute{
				"read": optionalString("The longest time to wait for the snapshot, as a duration such as `90s` or `5m`. The default is `2m`.", positiveDuration),
			},
		},
	})
	return &dataSource[snapshotArguments]{name: "_project_snapshot", schema: schema.Schema{
		MarkdownDescription: "Reads one snapshot of a project: the newest, or one by its identifier. The resource `audioprojects_project_snapshot_audio` downloads its audio. " +
			"Some services make a snapshot for each conversion, some make it later, and some only when the whole project is converted at the service.",
		Attributes: attributes,
	}, refuse: snapshotArguments.refuse, read: readProjectSnapshot}
}

// refuse is for whoever forgets both, too, who should learn it before the conversion that this waits for costs credits.
func (w snapshotArguments) refuse(diags *diag.Diagnostics) {
	switch {
	case w.ProjectSnapshotID.IsNull() && !w.MostRecent.IsUnknown() && !w.MostRecent.ValueBool():
		diags.Append(combinationError("most_recent", "The provider does not know which snapshot to read. Set either `project_snapshot_id` or `most_recent = true`."))
	case isGiven(w.ProjectSnapshotID) && w.MostRecent.ValueBool():
		diags.Append(combinationError("most_recent", "`project_snapshot_id` names the snapshot already. Set either `project_snapshot_id` or `most_recent = true`."))
	case isGiven(w.ProjectSnapshotID) && isGiven(w.NotBefore):
		diags.Append(combinationError("not_before", "`not_before` is about the newest snapshot. Set `most_recent = true` instead of `project_snapshot_id`, or leave out `not_before`."))
	}
}

func readProjectSnapshot(ctx context.Context, d *providerData, wanted snapshotArguments, diags *diag.Diagnostics) any {
	find := wanted.findByID
	if wanted.MostRecent.ValueBool() {
		find = wanted.findNewest
	}
	found, problem := wanted.waitForSnapshot(ctx, d.client, find)
	if problem != nil {
		diags.Append(problem)
	}
	if found == nil {
		return nil
	}
	return struct {
		ID string `json:"id"` // Without it, Terraform prints the name as it is.
		*audioprojects.ProjectSnapshotRecord
		CreatedAt *string `json:"created_at"`
	}{joinedID(wanted.ProjectID, types.StringValue(found.ProjectSnapshotID)).ValueString(), found, rfc3339(found.CreatedAtUnix.Value)}
}

// rfc3339 is nil for what is no time, or one that no calendar of four digits has.
func rfc3339(seconds *audioprojects.Integer) *string {
	if seconds == nil {
		return nil
	}
	text, err := time.Unix(int64(*seconds), 0).UTC().MarshalText()
	if err != nil {
		return nil
	}
	return new(string(text))
}

// inUTC is a time of the service as an argument takes it. A year of more than four digits is shown, and no argument takes it.
func inUTC(seconds audioprojects.Integer) string {
	return time.Unix(int64(seconds), 0).UTC().Format(time.RFC3339)
}

// findSnapshot finds a snapshot in a list, perhaps with a warning, or says why nobody can. If it does neither, the snapshot is to be waited for.
type findSnapshot func(listed []audioprojects.ProjectSnapshotRecord) (*audioprojects.ProjectSnapshotRecord, diag.Diagnostic)

// waitForSnapshot lists the snapshots once, or until the snapshot is found: after a second, and then more and more slowly up to every ten seconds.
func (w snapshotArguments) waitForSnapshot(ctx context.Context, client *audioprojects.Client, find findSnapshot) (*audioprojects.ProjectSnapshotRecord, diag.Diagnostic) {
	const longest, forTheLast = 10 * time.Second, time.Second
	timeout, _ := w.Timeouts.Read(ctx, defaultSnapshotTimeout) // The validator has refused what is none.
	limited, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("no list of snapshots within %s (`timeouts`)", timeout))
	defer cancel()
	deadline, _ := limited.Deadline()
	var listed []audioprojects.ProjectSnapshotRecord
	var failure error
	for pause := time.Second; ; pause = min(pause*3/2, longest) {
		now, err := client.ListProjectSnapshots(limited, w.ProjectID.ValueString())
		switch {
		case err == nil:
			listed, failure = now, nil
			found, problem := find(listed)
			if found != nil || problem != nil {
				return found, problem
			}
		case w.notBefore() == 0, audioprojects.Permanent(err), errors.As(err, new(*audioprojects.IncompleteError)):
			return nil, say.Unable("read", w.String(), path.Root("project_id"), err)
		case limited.Err() == nil || failure == nil: // A request that the end of the time cuts off says less.
			failure = err
		}
		var next <-chan time.Time // None: there is no time for the answer to another request.
		left := time.Until(deadline) - forTheLast
		if left > 0 {
			next = time.After(min(pause, left))
		}
		select {
		case <-next:
		case <-limited.Done():
		}
		switch {
		case ctx.Err() != nil:
			return nil, say.Unable("read", w.String(), path.Empty(), ctx.Err())
		case limited.Err() != nil && failure != nil:
			return nil, say.Unable("read", w.String(), path.Empty(), failure, w.timedOutText(timeout)+".")
		case limited.Err() != nil:
			return nil, w.timeoutError(timeout, listed)
		}
	}
}

// notBefore is the first second of which a snapshot will do; 0 if any will, as none is older than 1970. A snapshot of the second in which
// a time lies may be older than that time, and an error costs less than old audio that nobody notices.
func (w snapshotArguments) notBefore() int64 {
	earliest, ok := parseTimestamp(w.NotBefore.ValueString())
	if !ok { // It is null. The validator has refused what is none.
		return 0
	}
	return max(0, earliest.Add(time.Second-time.Nanosecond).Unix())
}

// String names the snapshot as the configuration does.
func (w snapshotArguments) String() string {
	if w.MostRecent.ValueBool() {
		return fmt.Sprintf("the newest snapshot of project %s", w.ProjectID)
	}
	return fmt.Sprintf("snapshot %s of project %s", w.ProjectSnapshotID, w.ProjectID)
}

// findByID is a [findSnapshot] for an id.
func (w snapshotArguments) findByID(listed []audioprojects.ProjectSnapshotRecord) (*audioprojects.ProjectSnapshotRecord, diag.Diagnostic) {
	for i := range listed {
		if listed[i].ProjectSnapshotID == w.ProjectSnapshotID.ValueString() {
			return &listed[i], nil
		}
	}
	return nil, w.notFoundError("project_snapshot_id", fmt.Sprintf("Project %s has no snapshot with this id. It has these:", w.ProjectID), listed)
}

// findNewest is a [findSnapshot] for the latest date. Any other choice would be a guess, and the wrong snapshot lacks audio that has just been paid
// for. Chapters that end together make snapshots of the same second: of these, the order of the list tells which is the newest. To refuse
// them would block every plan until the service makes another one.
func (w snapshotArguments) findNewest(listed []audioprojects.ProjectSnapshotRecord) (*audioprojects.ProjectSnapshotRecord, diag.Diagnostic) {
	latest, undated := latestOf(listed)
	isOld := func(at *audioprojects.Integer) bool { return w.notBefore() > 0 && int64(*at) < w.notBefore() }
	switch {
	case len(listed) == 1 && w.notBefore() == 0:
		return &listed[0], nil
	case undated > 0:
		return nil, w.notFoundError("most_recent", fmt.Sprintf("The service does not say when it made the snapshots of project %s (%d of %d lack `created_at_unix`), so the provider cannot tell which is the newest. "+
			"Set `project_snapshot_id` to one of these instead:", w.ProjectID, undated, len(listed)), listed)
	case len(listed) == 0 && w.notBefore() == 0:
		return nil, w.notFoundError("most_recent", fmt.Sprintf("Project %s has no snapshots. ", w.ProjectID)+snapshotTimingNote, nil)
	case len(latest) == 0, isOld(latest[0].CreatedAtUnix.Value):
		return nil, nil
	}
	last := len(latest) - 1
	switch {
	case last == 0, isNewestFirst(listed):
		return &latest[0], nil
	case isOldestFirst(listed):
		return &latest[last], nil
	}
	return &latest[last], diag.NewAttributeWarningDiagnostic(path.Root("most_recent"), "Several newest snapshots",
		fmt.Sprintf("%d snapshots of project %s share the latest timestamp, and the order of the list does not tell which of them is the newest. "+
			"The data source reads the last one in the list. To read another one, set `project_snapshot_id`:", len(latest), w.ProjectID)+snapshotLines(latest))
}

// isOldestFirst and isNewestFirst report whether a list is in the order of its timestamps. Equal ones show no order.
func isOldestFirst(listed []audioprojects.ProjectSnapshotRecord) bool {
	return slices.IsSortedFunc(listed, byDate) && byDate(listed[0], listed[len(listed)-1]) < 0
}

func isNewestFirst(listed []audioprojects.ProjectSnapshotRecord) bool {
	backwards := func(a, b audioprojects.ProjectSnapshotRecord) int { return byDate(b, a) }
	return slices.IsSortedFunc(listed, backwards) && byDate(listed[0], listed[len(listed)-1]) > 0
}

// byDate compares two snapshots that have dates.
func byDate(a, b audioprojects.ProjectSnapshotRecord) int {
	return cmp.Compare(*a.CreatedAtUnix.Value, *b.CreatedAtUnix.Value)
}

// latestOf are the snapshots with the latest date, and how many have none.
func latestOf(listed []audioprojects.ProjectSnapshotRecord) (latest []audioprojects.ProjectSnapshotRecord, undated int) {
	for _, snapshot := range listed {
		switch {
		case snapshot.CreatedAtUnix.Value == nil:
			undated++
		case len(latest) == 0 || *snapshot.CreatedAtUnix.Value > *latest[0].CreatedAtUnix.Value:
			latest = []audioprojects.ProjectSnapshotRecord{snapshot}
		case *snapshot.CreatedAtUnix.Value == *latest[0].CreatedAtUnix.Value:
			latest = append(latest, snapshot)
		}
	}
	return latest, undated
}

// snapshotTimingNote is why a snapshot may be missing.
const snapshotTimingNote = "The service's documentation does not say when it makes snapshots: some time after a conversion, not for every conversion, or only when the whole project is converted at the service."

func (w snapshotArguments) timedOutText(timeout time.Duration) string {
	earliest, _ := parseTimestamp(w.NotBefore.ValueString())
	return fmt.Sprintf("Timed out after %s (`timeouts`), waiting for a snapshot made at %s or later (`not_before`)", timeout, earliest.UTC().Format(time.RFC3339Nano))
}

// timeoutError is the error if no snapshot is new enough.
func (w snapshotArguments) timeoutError(timeout time.Duration, listed []audioprojects.ProjectSnapshotRecord) diag.Diagnostic {
	has := "no snapshots"
	latest, _ := latestOf(listed)
	if len(latest) > 0 {
		has = "as its newest one a snapshot made at " + inUTC(*latest[0].CreatedAtUnix.Value)
	}
	return diag.NewAttributeErrorDiagnostic(path.Root("not_before"), "Unable to read "+w.String(), fmt.Sprintf("%s. Project %s has %s.\n\n%s ",
		w.timedOutText(timeout), w.ProjectID, has, snapshotTimingNote)+"If it gives a snapshot a timestamp some seconds before its conversion, subtract them from `not_before`, with `timeadd(…, \"-5s\")`.\n\n"+
		"If the service makes snapshots later, plan again, or raise `timeouts`. If it makes them for whole projects, convert the project there, which may cost credits again, and plan again. "+
		"If it has deleted the snapshot, remove `not_before`: then the provider takes the newest snapshot, however old.")
}

// notFoundError is an error, with the first of the snapshots that it is about.
func (w snapshotArguments) notFoundError(at, text string, snapshots []audioprojects.ProjectSnapshotRecord) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root(at), "Unable to read "+w.String(), text+snapshotLines(snapshots))
}

// snapshotLines is a list of snapshots in a message, with their dates.
func snapshotLines(snapshots []audioprojects.ProjectSnapshotRecord) string {
	var lines []string
	for _, snapshot := range snapshots {
		made := "at an unknown time"
		if snapshot.CreatedAtUnix.Value != nil {
			made = inUTC(*snapshot.CreatedAtUnix.Value)
		}
		lines = append(lines, strconv.Quote(say.Shortened(say.OneLine(snapshot.ProjectSnapshotID)))+": made "+made)
	}
	return say.FirstDashed(lines, "snapshot")
}
