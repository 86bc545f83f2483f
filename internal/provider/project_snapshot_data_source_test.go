package provider_test

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
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
		"none":            {nil, mockserver.Habits{}, nil, unable + `Project "book" has no snapshots. What a conversion produces is not described: the service may make a snapshot some time later, only when the whole project is converted on its side, or not for every conversion.`},
		"no dates": {[]mockserver.ProjectSnapshot{made("a", 1), made("b", 2)}, mockserver.Habits{UndatedSnapshots: true}, nil, unable +
			`The service does not say when it made the snapshots of project "book" (2 of 2 lack ` + "`created_at_unix`" + `), so that nobody can tell which is the newest: their order is not described. Set ` + "`project_snapshot_id`" + ` to the one that is meant, and no ` + "`not_before_unix`" + `:
  - "a": made at an unknown time
  - "b": made at an unknown time`},
		"one has no date": {[]mockserver.ProjectSnapshot{made("a", 1), {ID: "b"}}, mockserver.Habits{}, nil, unable +
			`The service does not say when it made the snapshots of project "book" (1`},
		"the latest second twice, oldest first":        {[]mockserver.ProjectSnapshot{made("a", 1), made("c", 2), made("b", 2)}, mockserver.Habits{}, nil, "b"},
		"the latest second twice, newest first":        {[]mockserver.ProjectSnapshot{made("a", 1), made("c", 2), made("b", 2)}, mockserver.Habits{NewestFirst: true}, nil, "b"},
		"the latest second twice, equal dates earlier": {[]mockserver.ProjectSnapshot{made("a", 1), made("d", 1), made("c", 2), made("b", 2)}, mockserver.Habits{}, nil, "b"},
		"the latest second twice, in no order": {[]mockserver.ProjectSnapshot{made("a", 1), made("c", 2), made("d", 1), made("b", 2)}, mockserver.Habits{}, nil, unable +
			`2 snapshots of project "book" were made in the latest second, and neither their dates nor an order of the list tell which of them is the newest. Set ` + "`project_snapshot_id`" + ` to the one that is meant, or have the service make another:
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
			`2 snapshots of project "book" were made in the latest second`},

		"by id": {[]mockserver.ProjectSnapshot{made("a", 1), {ID: "b"}}, mockserver.Habits{}, map[string]any{"project_snapshot_id": "a", "most_recent": nil}, "a"},
		"by an id that is none": {[]mockserver.ProjectSnapshot{made("a", 1), {ID: "b"}}, mockserver.Habits{}, map[string]any{"project_snapshot_id": "c", "most_recent": false},
			`Unable to read snapshot "c" of project "book"
Project "book" has no snapshot with this id. It has these:
  - "a": made 946684801 (2000-01-01 00:00:01 UTC)
  - "b": made at an unknown time`},
		"neither":               {nil, mockserver.Habits{}, map[string]any{"most_recent": false}, "Not one snapshot\n"},
		"neither is set":        {nil, mockserver.Habits{}, map[string]any{"most_recent": nil}, "Invalid Attribute Combination\n"},
		"both":                  {nil, mockserver.Habits{}, map[string]any{"project_snapshot_id": "a"}, "Not one snapshot\n"},
		"a new one by id":       {nil, mockserver.Habits{}, map[string]any{"project_snapshot_id": "a", "most_recent": nil, "not_before_unix": 1}, "Invalid Attribute Combination\n"},
		"time in milliseconds":  {nil, mockserver.Habits{}, map[string]any{"not_before_unix": 1700000000000}, "Invalid number\n"},
		"time with a fraction":  {nil, mockserver.Habits{}, map[string]any{"not_before_unix": 1.5}, "Invalid number\n"},
		"timeout that is none":  {nil, mockserver.Habits{}, map[string]any{"timeouts": map[string]any{"read": "0s"}}, "Invalid duration\n"},
		"id that leads astray":  {nil, mockserver.Habits{}, map[string]any{"project_snapshot_id": "..", "most_recent": nil}, "Invalid Attribute Value Match\n"},
		"project that is other": {nil, mockserver.Habits{}, map[string]any{"project_id": "other", "not_before_unix": 1}, "Unable to read the newest snapshot of project \"other\"\nGET /v1/projects/other/snapshots: 404 Not Found: Project other was not"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withSnapshots(t, test.snapshots, func(c *core, p *fakecore.Process) {
				c.service.SetHabits(test.habits)
				before := time.Now()
				id, shown := c.readSnapshot(p, test.arguments)
				if got := id + strings.ReplaceAll(strings.Join(shown.Errors, "\n"), "\n  │ ", " "); !strings.HasPrefix(got, test.want) || id != "" && id != test.want {
					t.Errorf("got\n%s\nwant\n%s", got, test.want)
				}
				if took := time.Since(before); took > 0 {
					t.Errorf("took %s", took)
				}
			})
		})
	}
}

// TestASnapshotIsWaitedFor: the times are seconds since the beginning.
func TestASnapshotIsWaitedFor(t *testing.T) {
	t.Parallel()
	old := []mockserver.ProjectSnapshot{made("old", -1000000)}
	times := func(n int, fault mockserver.Fault) mockserver.Fault {
		fault.Times, fault.Operation = n, mockserver.ListProjectSnapshots
		return fault
	}
	for name, test := range map[string]struct {
		before    []mockserver.ProjectSnapshot
		arrives   mockserver.ProjectSnapshot
		after     time.Duration
		fault     mockserver.Fault
		arguments map[string]any
		want      string // the snapshot, or a part of the error
		took      time.Duration
		requests  int
	}{
		"at once":    {before: []mockserver.ProjectSnapshot{made("new", 5)}, want: "new", requests: 1},
		"a late one": {before: old, arrives: made("new", 30), after: 30 * time.Second, want: "new", took: 30781250 * time.Microsecond, requests: 8},
		"the first":  {arrives: made("new", 2), after: 2 * time.Second, want: "new", took: 2500 * time.Millisecond, requests: 3},
		"one that is new enough, after one that is not": {
			before: append(old, made("newer", 4)), arrives: made("new", 5), after: 20 * time.Second, want: "new", took: 20781250 * time.Microsecond, requests: 7,
		},
		"one without a date meanwhile": {
			before: append(old, mockserver.ProjectSnapshot{ID: "unfinished"}), want: "(1 of 2 lack `created_at_unix`)", took: 2 * time.Minute, requests: 17,
		},
		"one without a date beside one that is new enough": {
			before: []mockserver.ProjectSnapshot{made("new", 5), {ID: "unfinished"}}, want: "(1 of 2 lack `created_at_unix`)", took: 2 * time.Minute, requests: 17,
		},
		"at the last moment": {before: old, arrives: made("new", 118), after: 118 * time.Second, want: "new", took: 119 * time.Second, requests: 17},
		"never":              {before: old, want: "made at 946684805 (2000-01-01 00:00:05 UTC) or later, as `not_before_unix` asks. The newest was made at 945684800 (1999-12-20 10:13:20 UTC). It was waited for during 2m0s (`timeouts`).", took: 2 * time.Minute, requests: 17},
		"never any":          {want: "It has no snapshots. It was waited for during 2m0s", took: 2 * time.Minute, requests: 17},
		"never, and not for long": {
			before: old, arguments: map[string]any{"timeouts": map[string]any{"read": "3s"}}, want: "It was waited for during 3s", took: 3 * time.Second, requests: 3,
		},
		"never, and hardly": {
			before: old, arguments: map[string]any{"timeouts": map[string]any{"read": "1ms"}}, want: "It was waited for during 1ms", took: time.Millisecond, requests: 1,
		},

		"lists fail meanwhile":   {before: old, arrives: made("new", 30), after: 30 * time.Second, fault: times(6, mockserver.Fault{Status: 500}), want: "new", took: 38781250 * time.Microsecond},
		"lists are none":         {before: old, arrives: made("new", 30), after: 30 * time.Second, fault: times(6, mockserver.Fault{Status: 200, Body: "{}"}), want: "new", took: 30781250 * time.Microsecond},
		"lists fail to the end":  {before: old, fault: mockserver.Fault{Status: 500, Body: "out of order", Operation: mockserver.ListProjectSnapshots, Times: -1, Skip: 2}, want: "The latest list has failed. GET /v1/projects/book/snapshots: 500 Internal Server Error: out of order.", took: 2 * time.Minute},
		"no list ever":           {before: old, fault: times(-1, mockserver.Fault{Status: 500, Body: "out of order"}), want: "500 Internal Server Error: out of order. The host is localhost.\n\nThe service has a problem of its own. Run again later.\n\nThe time that `timeouts` allows is over: 2m0s.", took: 2 * time.Minute},
		"no answer ever":         {before: old, fault: times(-1, mockserver.Fault{Hang: time.Hour}), arguments: map[string]any{"timeouts": map[string]any{"read": "10s"}}, want: "GET /v1/projects/book/snapshots: no list of snapshots within 10s.", took: 10 * time.Second},
		"the key is revoked":     {before: old, fault: times(1, mockserver.Fault{Status: 401, Skip: 3}), want: "401 Unauthorized", took: 4750 * time.Millisecond, requests: 4},
		"access is taken away":   {before: old, fault: times(1, mockserver.Fault{Status: 403, Skip: 1}), want: "403 Forbidden", took: time.Second, requests: 2},
		"the project is deleted": {before: old, fault: times(1, mockserver.Fault{Status: 404, Skip: 1}), want: "404 Not Found", took: time.Second, requests: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withSnapshots(t, test.before, func(c *core, p *fakecore.Process) {
				if test.fault.Times != 0 {
					c.service.Inject(test.fault)
				}
				if test.arrives.ID != "" {
					time.AfterFunc(test.after, func() { c.service.AddProjectSnapshot("book", test.arrives) })
				}
				arguments := map[string]any{"not_before_unix": began + 5}
				if test.arrives.ID != "" && test.arrives.CreatedAt.Unix() < began+5 {
					arguments["not_before_unix"] = test.arrives.CreatedAt.Unix()
				}
				maps.Copy(arguments, test.arguments)
				before := time.Now()
				id, shown := c.readSnapshot(p, arguments)
				if took := time.Since(before); took.Round(time.Millisecond) != test.took.Round(time.Millisecond) {
					t.Errorf("took %s, want %s", took, test.took)
				}
				if got := id + strings.Join(shown.Errors, "\n"); id != test.want && !shown.Says(test.want) {
					t.Errorf("got\n%s\nwant\n%s", got, test.want)
				}
				if got := c.service.Count(mockserver.ListProjectSnapshots); test.requests != 0 && got != test.requests {
					t.Errorf("requests: got %d, want %d", got, test.requests)
				}
			})
		})
	}
}

func TestAnInterruptionEndsTheWaitForASnapshotAtOnce(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]mockserver.Fault{
		"between two lists": {Operation: mockserver.ConvertChapter},
		"during a list":     {Operation: mockserver.ListProjectSnapshots, Skip: 1, Hang: time.Hour},
		"while lists fail":  {Operation: mockserver.ListProjectSnapshots, Status: http.StatusBadGateway, Times: -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withSnapshots(t, nil, func(c *core, p *fakecore.Process) {
				c.service.Inject(fault)
				var interrupt context.CancelFunc
				c.ctx, interrupt = context.WithCancel(c.Context())
				time.AfterFunc(5*time.Second, interrupt)
				before := time.Now()
				_, shown := c.readSnapshot(p, map[string]any{"not_before_unix": began})
				if took := time.Since(before); took != 5*time.Second {
					t.Errorf("took %s, want 5s", took)
				}
				shown.Want(c, "", nil, []string{"Terraform has been interrupted. Run again."})
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
