package provider_test

import (
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// TestProjectSnapshotDataSource_notBefore: of each spelling of a time, a snapshot of the fifth second is new enough, and one of the fourth is
// not. The service counts whole seconds. A snapshot of the second in which the time lies may have been made before it, so a later one is
// waited for: an error after that costs nothing, and old audio may go unnoticed.
func TestProjectSnapshotDataSource_notBefore(t *testing.T) {
	t.Parallel()
	for text, inUTC := range map[string]string{
		"2000-01-01T00:00:05Z":           "2000-01-01T00:00:05Z",
		"2000-01-01t00:00:05z":           "2000-01-01T00:00:05Z",
		"2000-01-01T02:00:05+02:00":      "2000-01-01T00:00:05Z",
		"1999-12-31T18:30:05-05:30":      "2000-01-01T00:00:05Z",
		"2000-01-01T00:00:05-00:00":      "2000-01-01T00:00:05Z",
		"2000-01-01T00:00:05.000Z":       "2000-01-01T00:00:05Z",
		"2000-01-01T00:00:04.5Z":         "2000-01-01T00:00:04.5Z",
		"2000-01-01T00:00:04.000000001Z": "2000-01-01T00:00:04.000000001Z",
		"2000-01-01T02:00:04.25+02:00":   "2000-01-01T00:00:04.25Z",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			withSnapshots(t, []mockserver.ProjectSnapshot{made("new", 5), made("old", 4)}, func(c *core, p *fakecore.Process) {
				id, shown := c.readSnapshot(p, map[string]any{"not_before": text})
				shown.Want(c, "", nil, nil)
				if id != "new" {
					c.Errorf("got %q", id)
				}
			})
			withSnapshots(t, []mockserver.ProjectSnapshot{made("old", 4)}, func(c *core, p *fakecore.Process) {
				_, shown := c.readSnapshot(p, map[string]any{"not_before": text})
				shown.Want(c, "", nil, []string{"waiting for a snapshot made at " + inUTC + " or later (`not_before`). " +
					`Project "book" has as its newest one a snapshot made at 2000-01-01T00:00:04Z.`})
			})
		})
	}
}

// TestProjectSnapshotDataSource_anySnapshot: with a time from before all services, no snapshot is waited for, and one without a timestamp will
// do, as without the argument.
func TestProjectSnapshotDataSource_anySnapshot(t *testing.T) {
	t.Parallel()
	for _, text := range []any{nil, "1970-01-01T00:00:00Z", "1969-07-20T20:17:40Z", "0001-01-01T00:00:00Z", "0000-01-01T00:00:00Z"} {
		withSnapshots(t, []mockserver.ProjectSnapshot{{ID: "a"}}, func(c *core, p *fakecore.Process) {
			id, shown := c.readSnapshot(p, map[string]any{"not_before": text})
			shown.Want(c, "", nil, nil)
			if id != "a" {
				c.Errorf("%v: got %q", text, id)
			}
		})
		withSnapshots(t, nil, func(c *core, p *fakecore.Process) {
			_, shown := c.readSnapshot(p, map[string]any{"not_before": text})
			shown.Want(c, "", nil, []string{`Project "book" has no snapshots.`})
			c.wantOneOf(mockserver.ListProjectSnapshots)
		})
	}
}

// TestProjectSnapshotDataSource_notBeforeIsNoTimestamp: nothing is sent, and the error says what a timestamp looks like.
func TestProjectSnapshotDataSource_notBeforeIsNoTimestamp(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "now", "1700000000", "1.7e9", "2026-11-22", "2026-11-22T08:00Z", "2026-11-22T08:00:00", "2026-11-22 08:00:00Z", " 2026-11-22T08:00:00Z",
		"2026-11-22T08:00:00+0200", "2026-11-22T08:00:00+02", "2026-11-22T08:00:00+24:00", "2026-11-22T08:00:00 UTC", "2026-11-22T8:00:00Z",
		"2026-11-22T08:00:00,5Z", "2026-11-22T08:00:00.Z", "2026-02-30T08:00:00Z", "2026-11-22T24:00:00Z", "2016-12-31T23:59:60Z",
		"+55840-11-08T22:13:20Z", "55840-11-14T22:13:20Z", "-0001-11-14T22:13:20Z", "Sun, 22 Nov 2026 08:00:00 GMT",
	} {
		withSnapshots(t, []mockserver.ProjectSnapshot{made("a", 1)}, func(c *core, p *fakecore.Process) {
			_, shown := c.readSnapshot(p, map[string]any{"not_before": text})
			const want = "Invalid timestamp\nThe value must be a timestamp of RFC 3339, such as `2026-11-22T08:00:00Z`, and not Unix seconds: " +
				"`not_before` takes the `last_conversion_date` of a conversion. It is "
			shown.Want(c, "", nil, []string{want + `"` + text + `".`})
			if len(c.service.Journal()) > 0 {
				c.Errorf("%q: something was sent", text)
			}
		})
	}
}
