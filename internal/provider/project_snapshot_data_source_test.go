package provider_test

import (
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// The newest snapshot after a conversion of the book.
func TestAccProjectSnapshotDataSource(t *testing.T) {
	service := acctest.NewService(t, mockserver.Audiobook(0))
	const snapshot = "data.audioprojects_project_snapshot.book"
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				ConfigFile: acctest.Example("data-sources/audioprojects_project_snapshot/data-source.tf"),
				ConfigPlanChecks: acctest.Plan(
					// It is not read before the conversion has ended.
					plancheck.ExpectResourceAction(snapshot, plancheck.ResourceActionRead),
					plancheck.ExpectUnknownValue(snapshot, tfjsonpath.New("not_before")),
					plancheck.ExpectUnknownOutputValue("snapshot"),
				),
				ConfigStateChecks: []statecheck.StateCheck{
					// The fifth conversion made the newest.
					statecheck.ExpectKnownValue(snapshot, tfjsonpath.New("project_snapshot_id"), knownvalue.StringExact("project-snapshot-5")),
					statecheck.ExpectKnownValue(snapshot, tfjsonpath.New("name"), knownvalue.StringExact("The Lamplighter of Port Esker")),
					statecheck.ExpectKnownValue(snapshot, tfjsonpath.New("created_at_unix"), knownvalue.NotNull()),
					statecheck.ExpectKnownOutputValue("snapshot",
						knownvalue.StringRegexp(regexp.MustCompile(`^project-snapshot-5, made 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$`))),
				},
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 5)
	service.WantCount(mockserver.StreamSnapshot, 0)
}

// The latest of many chapters, as the page says.
func TestAccProjectSnapshotDataSource_latestOfChapters(t *testing.T) {
	service := acctest.NewService(t, mockserver.Audiobook(0))
	const snapshot = "data.audioprojects_project_snapshot.book"
	const config = `
resource "audioprojects_chapter_conversion" "chapter" {
  for_each   = toset(["chapter-1", "chapter-2", "chapter-3"])
  project_id = "audiobook"
  chapter_id = each.key
}

data "audioprojects_project_snapshot" "book" {
  project_id  = "audiobook"
  most_recent = true
  not_before  = reverse(sort(values(audioprojects_chapter_conversion.chapter)[*].last_conversion_date))[0]
}
`
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config:           config,
				ConfigPlanChecks: acctest.Plan(plancheck.ExpectUnknownValue(snapshot, tfjsonpath.New("not_before"))),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(snapshot, tfjsonpath.New("project_snapshot_id"), knownvalue.StringExact("project-snapshot-3")),
				},
			},
			// The library itself cannot destroy what has a for_each.
			{Config: config, Destroy: true},
		},
	})
}

func TestAccProjectSnapshotDataSource_arguments(t *testing.T) {
	service := acctest.NewService(t, mockserver.Project{ID: "book", Snapshots: []mockserver.ProjectSnapshot{
		{ID: "first", Name: "First reading", CreatedAt: time.Unix(1700000001, 0)},
		{ID: "last", Name: "Last reading", CreatedAt: time.Unix(1700000003, 0)},
		{ID: "second", Name: "Second reading", CreatedAt: time.Unix(1700000002, 0)},
	}})
	const (
		byID   = "data.audioprojects_project_snapshot.by_id"
		newest = "data.audioprojects_project_snapshot.newest"
		since  = "data.audioprojects_project_snapshot.since"
	)
	var once sync.Once
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: `
data "audioprojects_project_snapshot" "by_id" {
  project_id          = "book"
  project_snapshot_id = "second"
}

data "audioprojects_project_snapshot" "newest" {
  project_id  = "book"
  most_recent = true
}

data "audioprojects_project_snapshot" "since" {
  project_id  = "book"
  most_recent = true
  not_before  = timeadd("2023-11-14T23:13:28+01:00", "-5s")
}
`,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(byID, tfjsonpath.New("project_snapshot_id"), knownvalue.StringExact("second")),
					statecheck.ExpectKnownValue(byID, tfjsonpath.New("created_at_unix"), knownvalue.Int64Exact(1700000002)),
					statecheck.ExpectKnownValue(byID, tfjsonpath.New("created_at"), knownvalue.StringExact("2023-11-14T22:13:22Z")),
					statecheck.ExpectKnownValue(byID, tfjsonpath.New("name"), knownvalue.StringExact("Second reading")),
					statecheck.ExpectKnownValue(byID, tfjsonpath.New("json"),
						knownvalue.StringExact(`{"created_at_unix":1700000002,"name":"Second reading",`+
							`"project_id":"book","project_snapshot_id":"second"}`)),

					// The newest goes by its date, wherever it is in the list.
					statecheck.ExpectKnownValue(newest, tfjsonpath.New("project_snapshot_id"), knownvalue.StringExact("last")),
					statecheck.ExpectKnownValue(newest, tfjsonpath.New("name"), knownvalue.StringExact("Last reading")),

					statecheck.ExpectKnownValue(since, tfjsonpath.New("project_snapshot_id"), knownvalue.StringExact("last")),
				},
			},
			// The service makes the snapshot after the first look. The read waits for it.
			{
				PreConfig: func() {
					service.Watch(func(mockserver.Entry) {
						once.Do(func() {
							service.AddProjectSnapshot("book",
								mockserver.ProjectSnapshot{ID: "newer", CreatedAt: time.Unix(1700000004, 0)})
						})
					})
				},
				Config: `
data "audioprojects_project_snapshot" "since" {
  project_id  = "book"
  most_recent = true
  not_before  = "2023-11-14T22:13:24Z"
  timeouts    = { read = "1m" }
}
`,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(since, tfjsonpath.New("project_snapshot_id"), knownvalue.StringExact("newer")),
				},
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 0)
	service.WantCount(mockserver.StreamSnapshot, 0)
}
