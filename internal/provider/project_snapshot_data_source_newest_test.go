package provider_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

const oneSnapshot = "audioprojects_project_snapshot"

// began is when time begins in a synctest bubble, in seconds since 1970.
const began = 946684800

// made is a snapshot that was made so many seconds after that.
func made(id string, seconds int64) mockserver.ProjectSnapshot {
	return mockserver.ProjectSnapshot{ID: id, CreatedAt: time.Unix(began+seconds, 0)}
}

// withSnapshots runs a test with a project that has these snapshots.
func withSnapshots(t *testing.T, snapshots []mockserver.ProjectSnapshot, test func(*core, *fakecore.Process)) {
	t.Helper()
	withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
		c.service.AddProject(mockserver.Project{ID: "book", Snapshots: snapshots})
		test(c, p)
	})
}

// readSnapshot reads the newest snapshot of the book, unless the arguments say otherwise, and returns its id.
func (c *core) readSnapshot(p *fakecore.Process, arguments map[string]any) (id string, shown *fakecore.Screen) {
	c.Helper()
	all := map[string]any{"project_id": "book", "most_recent": true}
	maps.Copy(all, arguments)
	snapshot, shown := c.readData(p, oneSnapshot, all)
	if snapshot != nil {
		c.Must(snapshot["project_snapshot_id"].As(&id))
	}
	return id, shown
}

func TestTheNewestSnapshotGoesByItsDate(t *testing.T) {
	t.Parallel()
	const unable = "Unable to read the newest snapshot of project \"book\"\n"
	for name, test := range map[string]struct {
		snapshots []mockserver.ProjectSnapshot
		habits    mockserver.Habits
		arguments map[string]any
		want      string // the snapshot, or the beginning of the error
	}{
		"oldest first":    {[]mockserver.ProjectSnapshot{made("a", 1), made("b", 2), made("c", 3)}, mockserver.Habits{}, nil, "c"},
		"newest first":    {[]mockserver.ProjectSnapshot{made("a", 1), made("b", 2), made("c", 3)}, mockserver.Habits{NewestFirst: true}, nil, "c"},
		"in the middle":   {[]mockserver.ProjectSnapshot{made("a", 1), made("c", 3), made("b", 2)}, mockserver.Habits{}, nil, "c"},
		"before 1970":     {[]mockserver.ProjectSnapshot{made("a", -2*began), made("b", -3*began)}, mockserver.Habits{}, nil, "a"},
		"one":             {[]mockserver.ProjectSnapshot{made("a", 1)}, mockserver.Habits{}, nil, "a"},
		"one without one": {[]mockserver.ProjectSnapshot{{ID: "a"}}, mockserver.Habits{}, nil, "a"},
		"none":            {nil, mockserver.Habits{}, nil, unable + `Project "book" has no snapshots. The service's documentation does not say when it makes snapshots: some time after a conversion, not for every conversion, or only when the whole project is converted at the service.`},
		"no dates": {[]mockserver.ProjectSnapshot{made("a", 1), made("b", 2)}, mockserver.Habits{UndatedSnapshots: true}, nil, unable +
			`The service does not say when it made the snapshots of project "book" (2 of 2 lack ` + "`created_at_unix`" + `), so the provider cannot tell which is the newest. Set ` + "`project_snapshot_id`" + ` to one of these instead, and remove ` + "`not_before_unix`" + `:
  - "a": made at an unknown time
  - "b": made at an unknown time`},
		"one has no date": {[]mockserver.ProjectSnapshot{made("a", 1), {ID: "b"}}, mockserver.Habits{}, nil, unable +
			`The service does not say when it made the snapshots of project "book" (1`},
		"the latest second twice, oldest first":        {[]mockserver.ProjectSnapshot{made("a", 1), made("c", 2), made("b", 2)}, mockserver.Habits{}, nil, "b"},
		"the latest second twice, newest first":        {[]mockserver.ProjectSnapshot{made("a", 1), made("c", 2), made("b", 2)}, mockserver.Habits{NewestFirst: true}, nil, "b"},
		"the latest second twice, equal dates earlier": {[]mockserver.ProjectSnapshot{made("a", 1), made("d", 1), made("c", 2), made("b", 2)}, mockserver.Habits{}, nil, "b"},
		"the latest second twice, in no order": {[]mockserver.ProjectSnapshot{made("a", 1), made("c", 2), made("d", 1), made("b", 2)}, mockserver.Habits{}, nil, unable +
			`2 snapshots of project "book" share the latest timestamp, and the list is not sorted by timestamp, so the provider cannot tell which of them is the newest. Set ` + "`project_snapshot_id`" + ` to one of them, or have the service make another snapshot:
  - "c": made 946684802 (2000-01-01 00:00:02 UTC)
  - "b": made 946684802 (2000-01-01 00:00:02 UTC)`},
		"an earlier second twice": {[]mockserver.ProjectSnapshot{made("a", 1), made("b", 1), made("c", 2)}, mockserver.Habits{}, nil, "c"},
		"at 0 or later":           {[]mockserver.ProjectSnapshot{{ID: "a"}}, mockserver.Habits{}, map[string]any{"not_before_unix": 0}, "a"},
		"old enough":              {[]mockserver.ProjectSnapshot{made("a", 1), made("b", 2)}, mockserver.Habits{}, map[string]any{"not_before_unix": began + 2}, "b"},
		"as new as a date that one lacks": {[]mockserver.ProjectSnapshot{{ID: "a"}}, mockserver.Habits{}, map[string]any{"not_before_unix": began}, unable +
			`The service does not say when it made the snapshots of project "book" (1`},
		"as new as dates that all lack": {[]mockserver.ProjectSnapshot{{ID: "a"}, {ID: "b"}}, mockserver.Habits{}, map[string]any{"not_before_unix": began}, unable +
			`The service does not say when it made the snapshots of project "book" (2`},
		"the latest second twice, as new as is wanted": {[]mockserver.ProjectSnapshot{made("a", 2), made("b", 2)}, mockserver.Habits{}, map[string]any{"not_before_unix": began}, unable +
			`2 snapshots of project "book" share the latest timestamp`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withSnapshots(t, test.snapshots, func(c *core, p *fakecore.Process) {
				c.service.SetHabits(test.habits)
				before := time.Now()
				id, shown := c.readSnapshot(p, test.arguments)
				got := id + strings.ReplaceAll(strings.Join(shown.Errors, "\n"), "\n  │ ", " ")
				if !strings.HasPrefix(got, test.want) || id != "" && id != test.want {
					t.Errorf("got\n%s\nwant\n%s", got, test.want)
				}
				took := time.Since(before)
				if took > 0 {
					t.Errorf("took %s", took)
				}
			})
		})
	}
}

func TestTheNewestSnapshotIsReadWithItsFields(t *testing.T) {
	t.Parallel()
	withSnapshots(t, []mockserver.ProjectSnapshot{{ID: "bare"}}, func(c *core, p *fakecore.Process) {
		snapshot, _ := c.readData(p, oneSnapshot, map[string]any{"project_id": "book", "most_recent": true})
		c.wantEqual("created_at_unix", snapshot["created_at_unix"], tftypes.NewValue(tftypes.Number, nil))
		c.wantEqual("json", snapshot["json"], tftypes.NewValue(tftypes.String, `{"name":"","project_id":"book","project_snapshot_id":"bare"}`))
	})
}

func TestNoLineOfAListOfSnapshotsBeginsWithAStrangersText(t *testing.T) {
	t.Parallel()
	withSnapshots(t, []mockserver.ProjectSnapshot{{ID: mark + " " + mark}, {ID: strings.Repeat(mark+" ", 100)}}, func(c *core, p *fakecore.Process) {
		_, shown := c.readSnapshot(p, nil)
		c.wantNoStrangerInBoxes(shown)
	})
}
