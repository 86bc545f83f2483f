package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/value"
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
		"id":         value.ComputedString("The ids in the form `project_id/project_snapshot_id`, each path-escaped. Terraform prints this id when it has read the snapshot."),
		"project_id": value.RequiredID("The identifier of the project."),
		"project_snapshot_id": value.ComputedArgument("The identifier of the snapshot. Set either this or `most_recent`.", value.Identifier,
			// Whoever forgets both should learn it before the conversion that this waits for costs credits.
			stringvalidator.AtLeastOneOf(path.MatchRoot("most_recent")), stringvalidator.ConflictsWith(path.MatchRoot("not_before_unix"))),
		"most_recent": value.ArgumentBool("Whether to read the newest snapshot: the one with the latest `created_at_unix`, wherever it is in the list. " +
			"If two snapshots share the latest timestamp, list order decides, if the list is sorted by timestamp. If it is not, or if one of several snapshots has no timestamp, the read fails and lists them. The default is `false`."),
		"not_before_unix": value.ArgumentNumber("The earliest timestamp that the newest snapshot may have, in Unix seconds, such as the `last_conversion_date_unix` of a conversion. "+
			"The read waits for such a snapshot, and fails when `timeouts` have passed. It requires `most_recent`. Without this argument, or with `0`, the read takes the newest snapshot, however old.", value.WholeNumber{Most: lastUnix}),
		// As in timeoutsAttribute.
		"timeouts": schema.SingleNestedAttribute{
			MarkdownDescription: "How long the read waits for a snapshot that is not older than `not_before_unix`." + value.MisspeltTimeout,
			Optional:            true,
			CustomType:          timeouts.Type{ObjectType: types.ObjectType{AttrTypes: map[string]attr.Type{"read": types.StringType}}},
			Attributes: map[string]schema.Attribute{
				"read": value.Argument("The longest time to wait for the snapshot, as a duration such as `90s` or `5m`. The default is `2m`, or no wait if `not_before_unix` is more than an hour ago.", value.PositiveDuration),
			},
		},
	})
	return &dataSource[wantedSnapshot]{name: "_project_snapshot", schema: schema.Schema{
		MarkdownDescription: "Reads one snapshot of a project: the newest, or one by its identifier. The resource `audioprojects_project_snapshot_audio` downloads its audio. " +
			"Some services make a snapshot for each conversion, some make it later, and some only when the whole project is converted at the service.",
		Attributes: attributes,
	}, read: readProjectSnapshot}
}

func readProjectSnapshot(ctx context.Context, d *providerData, wanted wantedSnapshot, diags *diag.Diagnostics) any {
	if wanted.ProjectSnapshotID.IsNull() != wanted.MostRecent.ValueBool() {
		diags.AddError("Set one of project_snapshot_id and most_recent", "The provider does not know which snapshot to read. Set either `project_snapshot_id` or `most_recent = true`.")
		return nil
	}
	timeout, _ := wanted.Timeouts.Read(ctx, defaultSnapshotTimeout) // The validator has refused what is none.
	found, problem := snapshotSearch{
		client: d.client, wantedSnapshot: wanted, notBefore: value.NumberOr(wanted.NotBeforeUnix, 0), timeout: timeout,
	}.run(ctx)
	if problem != nil {
		diags.Append(problem)
	}
	return struct {
		ID string `json:"id"` // Without it, Terraform prints the name as it is.
		audioprojects.ProjectSnapshotRecord
	}{value.JoinedID(wanted.ProjectID, types.StringValue(found.ProjectSnapshotID)).ValueString(), found}
}

// unixTime is a time as the service gives it and as people read it.
func unixTime(seconds int64) string {
	return fmt.Sprintf("%d (%s)", seconds, time.Unix(seconds, 0).UTC().Format("2006-01-02 15:04:05 UTC"))
}

// snapshotSearch looks for one snapshot of a project. The document gives no order of the list (section 4.6), so that the
// place of a record proves something only where the dates show an order.
type snapshotSearch struct {
	client         *audioprojects.Client
	wantedSnapshot       // without an id: the newest
	notBefore      int64 // what is older is not wanted; 0: any will do
	timeout        time.Duration
}

// run lists the snapshots once, or until one is as new as is wanted: after a second, and then more and more slowly up to every ten
// seconds. A list that fails ends the wait only if the next one would fail as well.
func (s snapshotSearch) run(ctx context.Context) (found audioprojects.ProjectSnapshotRecord, problem diag.Diagnostic) {
	const first, longest, forTheLast = time.Second, 10 * time.Second, time.Second
	if s.notBefore == 0 {
		s.timeout = noTimeout
	}
	deadline := time.Now().Add(s.timeout)
	waiting, cancel := context.WithDeadlineCause(ctx, deadline, fmt.Errorf("no list of snapshots within %s", s.timeout))
	defer cancel()
	var seen []audioprojects.ProjectSnapshotRecord
	var failure error
	for pause := first; ; pause = min(pause*3/2, longest) {
		listed, err := s.client.ListProjectSnapshots(waiting, s.ProjectID.ValueString())
		if s.isUnmade(waiting, err) {
			listed, err = []audioprojects.ProjectSnapshotRecord{}, nil
		}
		switch {
		case err == nil:
			seen, failure = listed, nil
			found, problem, decided := s.decide(seen)
			if decided {
				return found, problem
			}
			if s.mayHaveExpired() {
				return found, s.tooLate(seen, nil)
			}
		case s.notBefore == 0, audioprojects.Permanent(err), errors.As(err, new(*audioprojects.IncompleteError)):
			return found, say.Unable("read", s.wanted(), path.Root("project_id"), err)
		case waiting.Err() == nil || failure == nil:
			failure = err
		}
		// The last look is made while there is time for its answer.
		left := time.Until(deadline) - forTheLast
		if left > 0 {
			pause = min(pause, left)
		}
		select {
		case <-time.After(pause):
		case <-waiting.Done():
			if ctx.Err() != nil {
				err := fmt.Errorf("interrupted while waiting for a snapshot made at %s or later: %w", unixTime(s.notBefore), ctx.Err())
				return found, say.Unable("read", s.wanted(), path.Empty(), err)
			}
			return found, s.tooLate(seen, failure)
		}
	}
}

// mayHaveExpired reports whether the snapshot was to be made so long ago that it is not waited for, unless `timeouts` says so: services delete
// snapshots, and then each plan would wait for nothing.
func (s snapshotSearch) mayHaveExpired() bool {
	return s.timeout == defaultSnapshotTimeout && time.Since(time.Unix(s.notBefore, 0)) > time.Hour
}

// isUnmade reports whether a service says with 404 that a project has no snapshots yet: the project itself is there.
func (s snapshotSearch) isUnmade(ctx context.Context, err error) bool {
	if s.notBefore == 0 || !errors.Is(err, audioprojects.NotFound) {
		return false
	}
	_, err = s.client.GetProject(ctx, s.ProjectID.ValueString())
	return err == nil
}

// wanted names the snapshot as the configuration does.
func (s snapshotSearch) wanted() string {
	if s.ProjectSnapshotID.IsNull() {
		return fmt.Sprintf("the newest snapshot of project %s", s.ProjectID)
	}
	return fmt.Sprintf("snapshot %s of project %s", s.ProjectSnapshotID, s.ProjectID)
}

// decide finds the snapshot, if it is as new as is wanted, or says why nobody can tell which it is. Where no snapshot has a date,
// waiting for one is useless.
func (s snapshotSearch) decide(listed []audioprojects.ProjectSnapshotRecord) (found audioprojects.ProjectSnapshotRecord, problem diag.Diagnostic, decided bool) {
	latest, undated := latestOf(listed)
	mayBeTooOld := undated > 0 || len(latest) == 0 || int64(*latest[0].CreatedAtUnix) < s.notBefore
	switch {
	case len(listed) == 0 && s.notBefore == 0:
		problem = s.problem(fmt.Sprintf("Project %s has no snapshots.", s.ProjectID)+" "+whenMade, nil)
	case !s.ProjectSnapshotID.IsNull():
		found, problem = s.named(listed)
	case len(listed) == 1 && s.notBefore == 0:
		found = listed[0]
	case undated > 0 && (undated == len(listed) || s.notBefore == 0):
		problem = s.unordered(listed, undated)
	case s.notBefore > 0 && mayBeTooOld:
		return found, nil, false
	case len(latest) == 1 || inOrder(listed, -1):
		found = latest[0]
	case inOrder(listed, 1):
		found = latest[len(latest)-1]
	default:
		// Any choice among them would be a guess, and the wrong one lacks audio that has just been paid for.
		problem = s.problem(fmt.Sprintf("%d snapshots of project %s share the latest timestamp, and the list is not sorted by timestamp, so the provider cannot tell which of them is the newest. "+
			"Set `project_snapshot_id` to one of them, or have the service make another snapshot:", len(latest), s.ProjectID), latest)
	}
	return found, problem, true
}

// inOrder reports whether the dates only rise (1), or only fall (-1), and do so once at least.
func inOrder(listed []audioprojects.ProjectSnapshotRecord, direction int) bool {
	byDate := func(a, b audioprojects.ProjectSnapshotRecord) int {
		return direction * cmp.Compare(*a.CreatedAtUnix, *b.CreatedAtUnix)
	}
	return slices.IsSortedFunc(listed, byDate) && byDate(listed[0], listed[len(listed)-1]) < 0
}

// named finds the snapshot that the configuration names.
func (s snapshotSearch) named(listed []audioprojects.ProjectSnapshotRecord) (found audioprojects.ProjectSnapshotRecord, problem diag.Diagnostic) {
	at := slices.IndexFunc(listed, func(snapshot audioprojects.ProjectSnapshotRecord) bool {
		return snapshot.ProjectSnapshotID == s.ProjectSnapshotID.ValueString()
	})
	if at < 0 {
		return found, s.problem(fmt.Sprintf("Project %s has no snapshot with this id. It has these:", s.ProjectID), listed)
	}
	return listed[at], nil
}

// latestOf are the snapshots with the latest date, and how many have none.
func latestOf(listed []audioprojects.ProjectSnapshotRecord) (latest []audioprojects.ProjectSnapshotRecord, undated int) {
	for _, snapshot := range listed {
		switch {
		case snapshot.CreatedAtUnix == nil:
			undated++
		case len(latest) == 0 || *snapshot.CreatedAtUnix > *latest[0].CreatedAtUnix:
			latest = []audioprojects.ProjectSnapshotRecord{snapshot}
		case *snapshot.CreatedAtUnix == *latest[0].CreatedAtUnix:
			latest = append(latest, snapshot)
		}
	}
	return latest, undated
}

// whenMade is why a snapshot may be missing.
const whenMade = "The service's documentation does not say when it makes snapshots: some time after a conversion, not for every conversion, or only when the whole project is converted at the service."

// unordered is the error if records have no date.
func (s snapshotSearch) unordered(listed []audioprojects.ProjectSnapshotRecord, undated int) diag.Diagnostic {
	return s.problem(fmt.Sprintf("The service does not say when it made the snapshots of project %s (%d of %d lack `created_at_unix`), so the provider cannot tell which is the newest. "+
		"Set `project_snapshot_id` to one of these instead, and remove `not_before_unix`:", s.ProjectID, undated, len(listed)), listed)
}

// tooLate is the error if the time is over. The latest list may have failed.
func (s snapshotSearch) tooLate(seen []audioprojects.ProjectSnapshotRecord, failure error) diag.Diagnostic {
	if seen == nil {
		return say.Unable("read", s.wanted(), path.Empty(), failure, "Timed out after "+s.timeout.String()+" (`timeouts`).")
	}
	latest, undated := latestOf(seen)
	if undated > 0 {
		return s.unordered(seen, undated)
	}
	newest := "It has no snapshots."
	if len(latest) > 0 {
		newest = fmt.Sprintf("Its newest snapshot was made at %s.", unixTime(int64(*latest[0].CreatedAtUnix)))
	}
	waited := "Timed out after " + s.timeout.String() + " (`timeouts`)"
	if s.mayHaveExpired() {
		waited = "Not waited for, because `timeouts` is not set and that time is more than an hour ago"
	}
	problem := fmt.Sprintf("%s: project %s has no snapshot made at %s or later (`not_before_unix`). %s", waited, s.ProjectID, unixTime(s.notBefore), newest)
	if failure != nil {
		problem += "\n\nThe latest list failed.\n" + say.ErrorText(failure)
	}
	const next = "If the service makes snapshots later, apply again, or raise `timeouts`. If it makes them for whole projects, convert the project there, and apply again. " +
		"Without `not_before_unix`, the provider takes the newest snapshot, however old. " +
		"The service may have deleted it, as some do after a time. A file that was downloaded before stays if `project_snapshot_id` of its " +
		"`audioprojects_project_snapshot_audio` has the snapshot's id itself, in place of this data source."
	return diag.NewAttributeErrorDiagnostic(path.Root("not_before_unix"), "Unable to read "+s.wanted(),
		strings.Join([]string{problem, whenMade + " If it gives a snapshot a timestamp some seconds before its conversion, subtract them from `not_before_unix`.", next}, "\n\n"))
}

// problem is an error, with the first of the snapshots that it is about.
func (s snapshotSearch) problem(text string, snapshots []audioprojects.ProjectSnapshotRecord) diag.Diagnostic {
	var dated []string
	for _, snapshot := range snapshots {
		made := "at an unknown time"
		if snapshot.CreatedAtUnix != nil {
			made = unixTime(int64(*snapshot.CreatedAtUnix))
		}
		dated = append(dated, strconv.Quote(say.Shortened(say.ShownText(snapshot.ProjectSnapshotID)))+": made "+made)
	}
	at := path.Root("project_snapshot_id")
	if s.ProjectSnapshotID.IsNull() {
		at = path.Root("most_recent")
	}
	return diag.NewAttributeErrorDiagnostic(at, "Unable to read "+s.wanted(), text+say.FirstDashed(dated, "snapshot"))
}
