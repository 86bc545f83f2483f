package provider_test

import (
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestAccChapterSnapshotsDataSource(t *testing.T) {
	project := mockserver.Audiobook(0)
	project.Chapters[2].Snapshots = []mockserver.ChapterSnapshot{
		{ID: "z", Name: "First reading", CreatedAt: time.Unix(1700000002, 0)},
		{ID: "a", Name: "Second reading", CreatedAt: time.Unix(1700000001, 0)},
		{ID: "undated"},
	}
	service := acctest.NewService(t, project)
	const crossing = "data.audioprojects_chapter_snapshots.crossing"
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				ConfigFile: acctest.Example("data-sources/audioprojects_chapter_snapshots/data-source.tf"),
				ConfigStateChecks: []statecheck.StateCheck{
					// The order is the service's.
					statecheck.ExpectKnownValue(crossing, tfjsonpath.New("snapshots"), knownvalue.ListExact([]knownvalue.Check{
						knownvalue.ObjectExact(map[string]knownvalue.Check{
							"chapter_snapshot_id": knownvalue.StringExact("z"),
							"project_id":          knownvalue.StringExact("audiobook"),
							"chapter_id":          knownvalue.StringExact("chapter-3"),
							"created_at_unix":     knownvalue.Int64Exact(1700000002),
							"name":                knownvalue.StringExact("First reading"),
						}),
						knownvalue.ObjectPartial(map[string]knownvalue.Check{
							"chapter_snapshot_id": knownvalue.StringExact("a"),
							"created_at_unix":     knownvalue.Int64Exact(1700000001),
						}),
						knownvalue.ObjectPartial(map[string]knownvalue.Check{
							"chapter_snapshot_id": knownvalue.StringExact("undated"),
							"created_at_unix":     knownvalue.Null(),
						}),
					})),
					statecheck.ExpectKnownOutputValue("snapshots", knownvalue.ListExact([]knownvalue.Check{
						knownvalue.StringExact("z"),
						knownvalue.StringExact("a"),
						knownvalue.StringExact("undated"),
					})),
				},
			},
			// A conversion adds a snapshot. Every read asks the service afresh.
			{
				PreConfig: func() { service.Convert("audiobook", "chapter-3") },
				Config: `
data "audioprojects_chapter_snapshots" "crossing" {
  project_id = "audiobook"
  chapter_id = "chapter-3"
}

data "audioprojects_chapter_snapshots" "boat" {
  project_id = "audiobook"
  chapter_id = "chapter-2"
}
`,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(crossing, tfjsonpath.New("snapshots"), knownvalue.ListSizeExact(4)),
					statecheck.ExpectKnownValue("data.audioprojects_chapter_snapshots.boat", tfjsonpath.New("snapshots"), knownvalue.ListSizeExact(0)),
				},
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 0)
}
