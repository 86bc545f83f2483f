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
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{
						// It is not read before the conversion has ended.
						plancheck.ExpectResourceAction(snapshot, plancheck.ResourceActionRead),
						plancheck.ExpectUnknownValue(snapshot, tfjsonpath.New("not_before_unix")),
						plancheck.ExpectUnknownOutputValue("snapshot"),
					},
				},
				ConfigStateChecks: []statecheck.StateCheck{
					// The fifth conversion made the newest.
					statecheck.ExpectKnownValue(snapshot, tfjsonpath.New("project_snapshot_id"),
						knownvalue.StringExact("project-snapshot-5")),
					statecheck.ExpectKnownValue(snapshot, tfjsonpath.New("name"),
						knownvalue.StringExact("The Lamplighter of Port Esker")),
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
  project_id      = "book"
  most_recent     = true
  not_before_unix = 1700000003
}
`,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(byID, tfjsonpath.New("project_snapshot_id"), knownvalue.StringExact("second")),
					statecheck.ExpectKnownValue(byID, tfjsonpath.New("created_at_unix"), knownvalue.Int64Exact(1700000002)),
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
  project_id      = "book"
  most_recent     = true
  not_before_unix = 1700000004
  timeouts        = { read = "1m" }
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

func TestAccProjectSnapshotDataSource_refused(t *testing.T) {
	service := acctest.NewService(t, mockserver.Audiobook(0), mockserver.Project{ID: "silent"})
	service.AddKey(mockserver.Key{Secret: "chapters-only", Scopes: []mockserver.Operation{mockserver.ListChapters}})
	once := func() { service.WantRequests(map[mockserver.Operation]int{mockserver.ListProjectSnapshots: 1}) }
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: `
data "audioprojects_project_snapshot" "book" {
  project_id          = "audiobook"
  project_snapshot_id = "second-reading"
  most_recent         = false
}
`,
				ExpectError: regexp.MustCompile(`Unable to read snapshot "second-reading" of project "audiobook"` +
					`(?s:.*)"first-reading": made 1730797200 \(2024-11-05 09:00:00 UTC\)`),
			},
			{
				PreConfig: once,
				Config: `
data "audioprojects_project_snapshot" "book" {
  project_id  = "silent"
  most_recent = true
}
`,
				ExpectError: regexp.MustCompile(`Project "silent" has no snapshots`),
			},
			{
				PreConfig: once,
				Config: `
data "audioprojects_project_snapshot" "book" {
  project_id  = "nowhere"
  most_recent = true
}
`,
				ExpectError: regexp.MustCompile(`Unable to read the newest snapshot of project "nowhere"(?s:.*)404 Not Found`),
			},
			{
				PreConfig: once,
				Config: `
provider "audioprojects" {
  api_key = "chapters-only"
}

data "audioprojects_project_snapshot" "book" {
  project_id      = "audiobook"
  most_recent     = true
  not_before_unix = 1700000000
}
`,
				ExpectError: regexp.MustCompile(`Unable to read the newest snapshot of project "audiobook"(?s:.*)403 Forbidden`),
			},
			{
				PreConfig: once,
				Config: `
provider "audioprojects" {
  api_key = "no-such-key"
}

data "audioprojects_project_snapshot" "book" {
  project_id  = "audiobook"
  most_recent = true
}
`,
				ExpectError: regexp.MustCompile(`401 Unauthorized`),
			},
			// It is not waited for any longer than `timeouts` allows. Both times are in the error.
			{
				PreConfig: once,
				Config: `
data "audioprojects_project_snapshot" "book" {
  project_id      = "audiobook"
  most_recent     = true
  not_before_unix = 1730797201

  timeouts = {
    read = "1s"
  }
}
`,
				ExpectError: regexp.MustCompile(`Timed\s+out\s+after\s+1s(?s:.*)1730797201\s(?s:.*)1730797200\s`),
			},
			{
				PreConfig: func() {
					service.ResetJournal()
					service.SetHabits(mockserver.Habits{UndatedSnapshots: true})
					service.AddProjectSnapshot("audiobook", mockserver.ProjectSnapshot{ID: "second-reading"})
				},
				Config: `
data "audioprojects_project_snapshot" "book" {
  project_id  = "audiobook"
  most_recent = true
}
`,
				ExpectError: regexp.MustCompile(`"first-reading": made at an unknown time`),
			},
		},
	})
	once()
}

// What is wrong in the configuration alone is found before anything is asked.
func TestAccProjectSnapshotDataSource_badArguments(t *testing.T) {
	service := acctest.NewService(t, mockserver.Audiobook(0))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: `
data "audioprojects_project_snapshot" "book" {
  project_id = "audiobook"
}
`,
				ExpectError: regexp.MustCompile(`Invalid Attribute Combination`),
			},
			{
				Config: `
data "audioprojects_project_snapshot" "book" {
  project_id  = "audiobook"
  most_recent = false
}
`,
				ExpectError: regexp.MustCompile(`Set one of project_snapshot_id and most_recent`),
			},
			{
				Config: `
data "audioprojects_project_snapshot" "book" {
  project_id          = "audiobook"
  project_snapshot_id = "first-reading"
  most_recent         = true
}
`,
				ExpectError: regexp.MustCompile(`Set one of project_snapshot_id and most_recent`),
			},
			{
				Config: `
data "audioprojects_project_snapshot" "book" {
  project_id          = "audiobook"
  project_snapshot_id = "first-reading"
  not_before_unix     = 1700000000
}
`,
				ExpectError: regexp.MustCompile(`Invalid Attribute Combination`),
			},
			// A time in milliseconds.
			{
				Config: `
data "audioprojects_project_snapshot" "book" {
  project_id      = "audiobook"
  most_recent     = true
  not_before_unix = 1700000000000
}
`,
				ExpectError: regexp.MustCompile(`Invalid number`),
			},
			{
				Config: `
data "audioprojects_project_snapshot" "book" {
  project_id      = "audiobook"
  most_recent     = true
  not_before_unix = 1.5
}
`,
				ExpectError: regexp.MustCompile(`Invalid number`),
			},
			{
				Config: `
data "audioprojects_project_snapshot" "book" {
  project_id  = "audiobook"
  most_recent = true

  timeouts = {
    read = "0s"
  }
}
`,
				ExpectError: regexp.MustCompile(`Invalid duration`),
			},
			{
				Config: `
data "audioprojects_project_snapshot" "book" {
  project_id          = "audiobook"
  project_snapshot_id = ".."
}
`,
				ExpectError: regexp.MustCompile(`Attribute project_snapshot_id value must be none of`),
			},
		},
	})
	service.WantRequests(nil)
}
