package provider_test

import (
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const snapshotsBlock = `
data "audioprojects_chapter_snapshots" "one" {
  project_id = "book"
  chapter_id = "one"
}

output "all" {
  value = data.audioprojects_chapter_snapshots.one
}
`

func wantSnapshots(snapshots ...knownvalue.Check) []statecheck.StateCheck {
	return wantOutput(knownvalue.ObjectExact(map[string]knownvalue.Check{
		"project_id": knownvalue.StringExact("book"),
		"chapter_id": knownvalue.StringExact("one"),
		"snapshots":  knownvalue.ListExact(snapshots),
	}))
}

func wantSnapshot(id, name string, createdAt int64) knownvalue.Check {
	return knownvalue.ObjectExact(map[string]knownvalue.Check{
		"chapter_snapshot_id": knownvalue.StringExact(id),
		"project_id":          knownvalue.StringExact("book"),
		"chapter_id":          knownvalue.StringExact("one"),
		"created_at_unix":     knownvalue.Int64Exact(createdAt),
		"name":                knownvalue.StringExact(name),
	})
}

func TestAccChapterSnapshotsDataSource(t *testing.T) {
	t.Parallel()
	withSnapshots := bookWith(mockserver.Chapter{Snapshots: []mockserver.ChapterSnapshot{
		{ID: "z", Name: "First reading", CreatedAt: time.Unix(1700000002, 0)},
		{ID: "a", Name: "Second reading", CreatedAt: time.Unix(1700000001, 0)},
	}})
	service := newService(t, book())
	run(t,
		resource.TestStep{Config: service.Config(snapshotsBlock), ConfigStateChecks: wantSnapshots()},
		resource.TestStep{
			PreConfig: func() { service.AddProject(withSnapshots) },
			Config:    service.Config(snapshotsBlock),
			ConfigStateChecks: wantSnapshots(
				wantSnapshot("z", "First reading", 1700000002),
				wantSnapshot("a", "Second reading", 1700000001),
			),
		},
	)
	service.WantCount(mockserver.ListChapters, 0)
	service.WantCount(mockserver.GetProject, 0)
}

func TestAccChapterSnapshotsDataSourceOfAnUnknownChapter(t *testing.T) {
	t.Parallel()
	service := newService(t, mockserver.Project{ID: "book"})
	clitest.WantScreen(t, screens(t, service.Config(snapshotsBlock)), `Unable to read snapshots of chapter "one" of project "book"`,
		"404 Not Found: Chapter one was not found.", "Check the id, and that it belongs to the account of the API key.")
	service.WantCount(mockserver.ListChapterSnapshots, 1)
}

func TestAccChapterSnapshotsDataSourceReadsTolerantly(t *testing.T) {
	t.Parallel()
	service := newFaultyService(t)
	service.Inject(mockserver.Fault{Times: -1, Body: `{
		"total": 2,
		"snapshots": [
			{"chapter_snapshot_id": "bare"},
			{"chapter_snapshot_id": "odd", "project_id": "other", "chapter_id": null, "created_at_unix": 1.7e9, "mood": "sad"}
		]
	}`})
	fields := []string{"chapter_snapshot_id", "project_id", "chapter_id", "created_at_unix", "name"}
	run(t, resource.TestStep{
		Config: service.Config(snapshotsBlock),
		ConfigStateChecks: wantSnapshots(
			wantObject(map[string]knownvalue.Check{"chapter_snapshot_id": knownvalue.StringExact("bare")}, fields...),
			wantObject(map[string]knownvalue.Check{
				"chapter_snapshot_id": knownvalue.StringExact("odd"),
				"project_id":          knownvalue.StringExact("other"),
				"created_at_unix":     knownvalue.Int64Exact(1700000000),
			}, fields...),
		),
	})
}

// TestSnapshotsOfAChapterInAnySpelling: Terraform changes every text to Unicode's composed form, and a service need not.
func TestSnapshotsOfAChapterInAnySpelling(t *testing.T) {
	t.Parallel()
	const composed, decomposed = "caf\u00e9", "cafe\u0301"
	for id, requests := range map[string]int{composed: 1, decomposed: 3} {
		withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
			c.service.AddProject(mockserver.Project{ID: "book", Chapters: []mockserver.Chapter{
				{ID: "other"}, {ID: id, Snapshots: []mockserver.ChapterSnapshot{{ID: "first"}}},
			}})
			read, shown := c.readData(p, "audioprojects_chapter_snapshots", map[string]any{"project_id": "book", "chapter_id": composed})
			shown.Want(c, "", nil, nil)
			if read != nil {
				c.wantEqual("chapter_id", read["chapter_id"], tftypes.NewValue(tftypes.String, composed))
			}
			if got := len(c.service.Journal()); got != requests {
				c.Errorf("%q: got %d requests, want %d", id, got, requests)
			}
		})
	}
	withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
		_, shown := c.readData(p, "audioprojects_chapter_snapshots", map[string]any{"project_id": "book", "chapter_id": composed})
		shown.Want(c, "", nil, []string{"404 Not Found: Chapter café was not found."})
	})
}
