package provider_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

const oneSnapshot = "audioprojects_project_snapshot"

// began is when time begins in a synctest bubble, in seconds since 1970.
const began = 946684800

// atSecond is the time so many seconds after that, as an argument.
func atSecond(seconds int64) string { return time.Unix(began+seconds, 0).UTC().Format(time.RFC3339) }

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

func TestProjectSnapshotDataSource_newestByDate(t *testing.T) {
	t.Parallel()
	const unable = "Unable to read the newest snapshot of project \"book\"\n"
	for name, test := range map[string]struct {
		snapshots []mockserver.ProjectSnapshot
		notBefore any
		want      string // the snapshot, or the beginning of the error
	}{
		"in the middle":      {[]mockserver.ProjectSnapshot{made("a", 1), made("c", 3), made("b", 2)}, nil, "c"},
		"one without a date": {[]mockserver.ProjectSnapshot{{ID: "a"}}, nil, "a"},
		"none":               {nil, nil, unable + `Project "book" has no snapshots. The service's documentation does not say when it makes snapshots: some time after a conversion, not for every conversion, or only when the whole project is converted at the service.`},
		"one of two has no date": {[]mockserver.ProjectSnapshot{made("a", 1), {ID: "b"}}, nil, unable +
			`The service does not say when it made the snapshots of project "book" (1 of 2 lack ` + "`created_at_unix`" + `), so the provider cannot tell which is the newest. Set ` + "`project_snapshot_id`" + ` to one of these instead:
  - "a": made 2000-01-01T00:00:01Z
  - "b": made at an unknown time`},
		"an earlier second twice": {[]mockserver.ProjectSnapshot{made("a", 1), made("b", 1), made("c", 2)}, nil, "c"},
		"new enough":              {[]mockserver.ProjectSnapshot{made("a", 1), made("b", 2)}, atSecond(2), "b"},
		"new enough, without a date": {[]mockserver.ProjectSnapshot{{ID: "a"}}, atSecond(0), unable +
			`The service does not say when it made the snapshots of project "book" (1 of 1`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withSnapshots(t, test.snapshots, func(c *core, p *fakecore.Process) {
				before := time.Now()
				id, shown := c.readSnapshot(p, map[string]any{"not_before": test.notBefore})
				got := id + strings.ReplaceAll(strings.Join(shown.Errors, "\n"), "\n  │ ", " ")
				if !strings.HasPrefix(got, test.want) || id != "" && id != test.want {
					t.Errorf("got\n%s\nwant\n%s", got, test.want)
				}
				took := time.Since(before)
				if took > 0 || c.service.Count(mockserver.ListProjectSnapshots) != 1 {
					t.Errorf("took %s, and %d requests", took, c.service.Count(mockserver.ListProjectSnapshots))
				}
			})
		})
	}
}

// TestProjectSnapshotDataSource_twoNewest: chapters that end together make snapshots of the same second. The order of the list tells which
// one is the newest, if it is that of the timestamps. Otherwise the last one is read, with a warning.
func TestProjectSnapshotDataSource_twoNewest(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		snapshots []mockserver.ProjectSnapshot
		notBefore any
		want      string
		warns     bool
	}{
		"ascending":                       {[]mockserver.ProjectSnapshot{made("a", 1), made("c", 2), made("b", 2)}, nil, "b", false},
		"ascending, with an earlier pair": {[]mockserver.ProjectSnapshot{made("z", 1), made("a", 1), made("c", 2), made("b", 2)}, nil, "b", false},
		"descending":                      {[]mockserver.ProjectSnapshot{made("c", 2), made("b", 2), made("a", 1)}, nil, "c", false},
		"descending, three":               {[]mockserver.ProjectSnapshot{made("c", 2), made("b", 2), made("d", 2), made("a", 1), made("e", 0)}, nil, "c", false},
		"no order":                        {[]mockserver.ProjectSnapshot{made("b", 2), made("a", 1), made("c", 2)}, nil, "c", true},
		"no order, the last is older":     {[]mockserver.ProjectSnapshot{made("d", 1), made("c", 2), made("b", 2), made("a", 1)}, nil, "b", true},
		"all equal":                       {[]mockserver.ProjectSnapshot{made("c", 2), made("b", 2)}, nil, "b", true},
		"ascending, new enough":           {[]mockserver.ProjectSnapshot{made("a", 1), made("c", 2), made("b", 2)}, atSecond(2), "b", false},
		"all equal, new enough":           {[]mockserver.ProjectSnapshot{made("c", 2), made("b", 2)}, atSecond(0), "b", true},
		"all equal, too old":              {[]mockserver.ProjectSnapshot{made("c", 2), made("b", 2)}, atSecond(3), "", false},
		"no order, too old":               {[]mockserver.ProjectSnapshot{made("b", 2), made("a", 1), made("c", 2)}, atSecond(3), "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withSnapshots(t, test.snapshots, func(c *core, p *fakecore.Process) {
				id, shown := c.readSnapshot(p, map[string]any{"not_before": test.notBefore})
				isTooOld := len(shown.Errors) == 1 && shown.Says("Timed out after 2m0s")
				if id != test.want || (id == "") != isTooOld || (len(shown.Warnings) > 0) != test.warns {
					t.Errorf("got %q, errors %q, warnings %q; want %q, a warning: %t", id, shown.Errors, shown.Warnings, test.want, test.warns)
				}
			})
		})
	}
	withSnapshots(t, []mockserver.ProjectSnapshot{made("b", 2), made("a", 1), made("c", 2)}, func(c *core, p *fakecore.Process) {
		_, shown := c.readSnapshot(p, nil)
		const want = "Several newest snapshots\n" + `2 snapshots of project "book" share the latest timestamp, and the order of the list does not tell which of them is the newest. ` +
			`The data source reads the last one in the list. To read another one, set ` + "`project_snapshot_id`:" + `
  - "b": made 2000-01-01T00:00:02Z
  - "c": made 2000-01-01T00:00:02Z`
		got := strings.Join(shown.Warnings, "\n")
		if got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
}

func TestProjectSnapshotDataSource_newestHasItsFields(t *testing.T) {
	t.Parallel()
	for record, want := range map[string]string{
		`{"project_snapshot_id":"a"}`: `{id='book/a' json='{"project_snapshot_id":"a"}' most_recent=yes project_id='book' project_snapshot_id='a'}`,
		`{"project_snapshot_id":"a","created_at_unix":1.7e9,"name":{"en":"A"}}`: `{created_at='2023-11-14T22:13:20Z' created_at_unix=1700000000 id='book/a'
			json='{"created_at_unix":1.7e9,"name":{"en":"A"},"project_snapshot_id":"a"}' most_recent=yes project_id='book' project_snapshot_id='a'}`,
		// No calendar has a time of so many milliseconds.
		`{"project_snapshot_id":"a","created_at_unix":1700000000000}`: `{created_at_unix=1700000000000 id='book/a'
			json='{"created_at_unix":1700000000000,"project_snapshot_id":"a"}' most_recent=yes project_id='book' project_snapshot_id='a'}`,
	} {
		withSnapshots(t, nil, func(c *core, p *fakecore.Process) {
			c.service.Inject(mockserver.Fault{Operation: mockserver.ListProjectSnapshots, Body: "[" + record + "]"})
			c.wantRead(p, oneSnapshot, map[string]any{"project_id": "book", "most_recent": true}, want)
		})
	}
}

func TestProjectSnapshotDataSource_noLineBeginsWithServiceText(t *testing.T) {
	t.Parallel()
	withSnapshots(t, []mockserver.ProjectSnapshot{{ID: mark + " " + mark}, {ID: strings.Repeat(mark+" ", 100)}}, func(c *core, p *fakecore.Process) {
		_, shown := c.readSnapshot(p, nil)
		c.wantNoStrangerInBoxes(shown)
	})
}

func TestProjectSnapshotDataSource_unknownID(t *testing.T) {
	t.Parallel()
	withSnapshots(t, []mockserver.ProjectSnapshot{made("a", 1)}, func(c *core, p *fakecore.Process) {
		_, shown := c.readSnapshot(p, map[string]any{"most_recent": false, "project_snapshot_id": "b"})
		shown.Want(c, "", nil, []string{`Unable to read snapshot "b" of project "book"` + "\n" +
			`Project "book" has no snapshot with this id. It has these: - "a": made 2000-01-01T00:00:01Z`})
		c.wantOneOf(mockserver.ListProjectSnapshots)
	})
}
