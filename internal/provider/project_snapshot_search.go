package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// snapshotSearch looks for one snapshot of a project. The document gives no order of the list (section 4.6), so that the
// place of a record proves something only where the dates show an order.
type snapshotSearch struct {
	list       func(ctx context.Context, projectID string) ([]audioprojects.ProjectSnapshotRecord, error)
	projectID  types.String
	snapshotID types.String // null: the newest
	notBefore  int64        // what is older is not wanted; 0: any will do
	timeout    time.Duration
}

// run lists the snapshots once, or until one is as new as is wanted.
func (s snapshotSearch) run(ctx context.Context) (audioprojects.ProjectSnapshotRecord, diag.Diagnostic) {
	if s.notBefore > 0 {
		return s.wait(ctx)
	}
	listed, err := s.list(ctx, s.projectID.ValueString())
	switch {
	case err != nil:
		return audioprojects.ProjectSnapshotRecord{}, unable("read", s.wanted(), path.Root("project_id"), err)
	case s.snapshotID.IsNull():
		return s.newest(listed)
	default:
		return s.named(listed)
	}
}

// wanted names the snapshot as the configuration does.
func (s snapshotSearch) wanted() string {
	if s.snapshotID.IsNull() {
		return fmt.Sprintf("the newest snapshot of project %s", s.projectID)
	}
	return fmt.Sprintf("snapshot %s of project %s", s.snapshotID, s.projectID)
}

// wait looks until a snapshot is as new as is wanted: after a second, and then more and more slowly up to every ten seconds.
// A list that fails ends the wait only if the next one would fail as well.
func (s snapshotSearch) wait(ctx context.Context) (found audioprojects.ProjectSnapshotRecord, problem diag.Diagnostic) {
	const first, longest, forTheLast = time.Second, 10 * time.Second, time.Second
	deadline := time.Now().Add(s.timeout)
	waiting, cancel := context.WithDeadlineCause(ctx, deadline, fmt.Errorf("no list of snapshots within %s", s.timeout))
	defer cancel()
	var seen []audioprojects.ProjectSnapshotRecord
	var failure error
	for pause := first; ; pause = min(pause*3/2, longest) {
		listed, err := s.list(waiting, s.projectID.ValueString())
		switch {
		case err == nil:
			seen, failure = listed, nil
			if found, problem, decided := s.decide(seen); decided {
				return found, problem
			}
		case errors.Is(err, audioprojects.Unauthorized), errors.Is(err, audioprojects.Forbidden), errors.Is(err, audioprojects.NotFound):
			return found, unable("read", s.wanted(), path.Root("project_id"), err)
		case waiting.Err() == nil || failure == nil:
			failure = err
		}
		// The last look is made while there is time for its answer.
		if left := time.Until(deadline) - forTheLast; left > 0 {
			pause = min(pause, left)
		}
		select {
		case <-time.After(pause):
		case <-waiting.Done():
			if ctx.Err() != nil {
				err := fmt.Errorf("interrupted while waiting for a snapshot that was made at %s or later: %w", unixTime(s.notBefore), ctx.Err())
				return found, unable("read", s.wanted(), path.Empty(), err)
			}
			return found, s.tooLate(seen, failure)
		}
	}
}

// decide finds the newest snapshot if it is as new as is wanted. Where no snapshot has a date, waiting for one is useless.
func (s snapshotSearch) decide(listed []audioprojects.ProjectSnapshotRecord) (found audioprojects.ProjectSnapshotRecord, problem diag.Diagnostic, decided bool) {
	latest, undated := latestOf(listed)
	switch {
	case len(listed) > 0 && undated == len(listed):
		return found, s.unordered(listed), true
	case undated == 0 && len(latest) > 0 && int64(*latest[0].CreatedAtUnix) >= s.notBefore:
		found, problem = s.newest(listed)
		return found, problem, true
	default:
		return found, nil, false
	}
}

// newest finds the newest snapshot, or says why nobody can tell which it is.
func (s snapshotSearch) newest(listed []audioprojects.ProjectSnapshotRecord) (found audioprojects.ProjectSnapshotRecord, problem diag.Diagnostic) {
	latest, undated := latestOf(listed)
	switch {
	case len(listed) == 0:
		return found, s.problem("most_recent", fmt.Sprintf("Project %s has no snapshots.", s.projectID)+" "+whenMade, nil)
	case len(listed) == 1:
		return listed[0], nil
	case undated > 0:
		return found, s.unordered(listed)
	case len(latest) > 1 && inOrder(listed, 1):
		return latest[len(latest)-1], nil
	case len(latest) > 1 && inOrder(listed, -1):
		return latest[0], nil
	case len(latest) > 1:
		// Any choice among them would be a guess, and the wrong one lacks audio that has just been paid for.
		return found, s.problem("most_recent", fmt.Sprintf("%d snapshots of project %s were made in the latest second, and neither their dates nor an order of the list tell which of them is the newest. "+
			"Set `project_snapshot_id` to the one that is meant, or have the service make another:", len(latest), s.projectID), latest)
	default:
		return latest[0], nil
	}
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
		return sameText(snapshot.ProjectSnapshotID, s.snapshotID)
	})
	switch {
	case at >= 0:
		return listed[at], nil
	case len(listed) == 0:
		return found, s.problem("project_snapshot_id", fmt.Sprintf("Project %s has no snapshots.", s.projectID)+" "+whenMade, nil)
	default:
		return found, s.problem("project_snapshot_id", fmt.Sprintf("Project %s has no snapshot with this id. It has these:", s.projectID), listed)
	}
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
const whenMade = "What a conversion produces is not described: the service may make a snapshot some time later, only when the whole project is converted on its side, or not for every conversion."

// unordered is the error if records have no date.
func (s snapshotSearch) unordered(listed []audioprojects.ProjectSnapshotRecord) diag.Diagnostic {
	_, undated := latestOf(listed)
	problem := fmt.Sprintf("The service does not say when it made the snapshots of project %s (%d of %d lack `created_at_unix`), so that nobody can tell which is the newest: "+
		"their order is not described. Set `project_snapshot_id` to the one that is meant:", s.projectID, undated, len(listed))
	if len(listed) == 1 {
		problem = fmt.Sprintf("The service does not say when it made the snapshot of project %s (`created_at_unix`), so that nobody can tell whether it is as new as `not_before_unix` asks. "+
			"Leave `not_before_unix` out, or set `project_snapshot_id`:", s.projectID)
	}
	return s.problem("most_recent", problem, listed)
}

// tooLate is the error if the time is over. The latest list may have failed.
func (s snapshotSearch) tooLate(seen []audioprojects.ProjectSnapshotRecord, failure error) diag.Diagnostic {
	if seen == nil && failure != nil {
		return unable("read", s.wanted(), path.Empty(), failure, "The time that `timeouts` allows is over: "+s.timeout.String()+".")
	}
	latest, undated := latestOf(seen)
	if undated > 0 {
		return s.unordered(seen)
	}
	newest := "It has no snapshots."
	if len(latest) > 0 {
		newest = fmt.Sprintf("The newest was made at %s.", unixTime(int64(*latest[0].CreatedAtUnix)))
	}
	problem := fmt.Sprintf("No snapshot of project %s has been made at %s or later, as `not_before_unix` asks. %s It was waited for during %s (`timeouts`).",
		s.projectID, unixTime(s.notBefore), newest, s.timeout)
	if failure != nil {
		problem += " The latest list has failed. " + sentence(failure)
	}
	const next = "If the service makes them later, apply again, or give more time (`timeouts`). If it makes them for whole projects, have the project converted there, and apply again. " +
		"Without `not_before_unix` the newest is taken as it is."
	return diag.NewAttributeErrorDiagnostic(path.Root("not_before_unix"), "Unable to read "+s.wanted(),
		strings.Join([]string{quoting(problem), whenMade + " If it dates a snapshot some seconds before its conversion, subtract them from `not_before_unix`.", next}, "\n\n"))
}

// problem is an error at an attribute, with the first of the snapshots that it is about.
func (s snapshotSearch) problem(attribute, text string, snapshots []audioprojects.ProjectSnapshotRecord) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root(attribute), "Unable to read "+s.wanted(), quoting(text)+linesOf(snapshots, func(snapshot audioprojects.ProjectSnapshotRecord) string {
		made := "at an unknown time"
		if snapshot.CreatedAtUnix != nil {
			made = unixTime(int64(*snapshot.CreatedAtUnix))
		}
		return fmt.Sprintf("%q: made %s", inOneLine(snapshot.ProjectSnapshotID), made)
	}))
}
