package provider_test

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// TestProjectSnapshotDataSource_waits: the times are seconds since the beginning.
func TestProjectSnapshotDataSource_waits(t *testing.T) {
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
		"one that is new enough, after two that are not": {
			before: append(old, made("newer", 4), made("twin", 4)), arrives: made("new", 5), after: 20 * time.Second, want: "new", took: 20781250 * time.Microsecond, requests: 7,
		},
		"one without a date": {
			before: append(old, mockserver.ProjectSnapshot{ID: "unfinished"}), want: "(1 of 2 lack `created_at_unix`)", requests: 1,
		},
		"never": {before: old, want: "Timed out after 2m0s (`timeouts`), waiting for a snapshot made at 2000-01-01T00:00:05Z or later (`not_before`). " +
			"Project \"book\" has as its newest one a snapshot made at 1999-12-20T10:13:20Z.", took: 2 * time.Minute, requests: 17},
		"never any":          {want: "Project \"book\" has no snapshots.\n\nThe service's documentation does not say", took: 2 * time.Minute, requests: 17},
		"at the last moment": {before: old, arrives: made("new", 118), after: 118 * time.Second, want: "new", took: 119 * time.Second, requests: 17},
		"never, and not for long": {
			before: old, arguments: map[string]any{"timeouts": map[string]any{"read": "3s"}}, want: "Timed out after 3s (`timeouts`)", took: 3 * time.Second, requests: 3,
		},

		"lists fail meanwhile": {before: old, arrives: made("new", 30), after: 30 * time.Second, fault: times(6, mockserver.Fault{Status: 500}), want: "new", took: 38781250 * time.Microsecond},
		"lists are none":       {before: old, arrives: made("new", 30), after: 30 * time.Second, fault: times(6, mockserver.Fault{Status: 200, Body: "{}"}), want: "new", took: 30781250 * time.Microsecond},
		"lists fail to the end": {
			before: old, fault: mockserver.Fault{Status: 500, Body: "out of order", Operation: mockserver.ListProjectSnapshots, Times: -1, Skip: 2}, took: 2 * time.Minute,
			want: "500 Internal Server Error: out of order.\nHost: localhost.\n\nThe problem is on the service's side. Plan again later.\n\nTimed out after 2m0s (`timeouts`), waiting for a snapshot made at 2000-01-01T00:00:05Z",
		},
		"no answer ever": {
			before: old, fault: times(-1, mockserver.Fault{Hang: time.Hour}), arguments: map[string]any{"timeouts": map[string]any{"read": "10s"}},
			want: "GET /v1/projects/book/snapshots: no list of snapshots within 10s (`timeouts`).", took: 10 * time.Second,
		},
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
				arguments := map[string]any{"not_before": atSecond(5)}
				if test.arrives.ID != "" && test.arrives.CreatedAt.Unix() < began+5 {
					arguments["not_before"] = atSecond(test.arrives.CreatedAt.Unix() - began)
				}
				maps.Copy(arguments, test.arguments)
				before := time.Now()
				id, shown := c.readSnapshot(p, arguments)
				took := time.Since(before)
				if took.Round(time.Millisecond) != test.took.Round(time.Millisecond) {
					t.Errorf("took %s, want %s", took, test.took)
				}
				got := id + strings.Join(shown.Errors, "\n")
				if id != test.want && !shown.Says(test.want) {
					t.Errorf("got\n%s\nwant\n%s", got, test.want)
				}
				requests := c.service.Count(mockserver.ListProjectSnapshots)
				if test.requests != 0 && requests != test.requests {
					t.Errorf("requests: got %d, want %d", requests, test.requests)
				}
			})
		})
	}
}

func TestProjectSnapshotDataSource_interrupted(t *testing.T) {
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
				_, shown := c.readSnapshot(p, map[string]any{"not_before": atSecond(0)})
				took := time.Since(before)
				if took != 5*time.Second {
					t.Errorf("took %s, want 5s", took)
				}
				shown.Want(c, "", nil, []string{"Terraform was interrupted. Plan again."})
			})
		})
	}
}
