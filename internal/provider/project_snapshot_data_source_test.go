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
					plancheck.ExpectUnknownValue(snapshot, tfjsonpath.New("not_before_unix")),
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
	service := acctest.NewService(t, mockserver.Audiobook(0), mockserver.Project{ID: "silent"},
		mockserver.Project{ID: "undated", Snapshots: []mockserver.ProjectSnapshot{{ID: "first"}, {ID: "second"}}})
	service.AddKey(mockserver.Key{Secret: "chapters-only", Scopes: []mockserver.Operation{mockserver.ListChapters}})
	const newest = "most_recent = true\n"
	var steps []resource.TestStep
	for _, test := range []struct{ provider, project, arguments, says string }{
		{``, `audiobook`, "project_snapshot_id = \"second-reading\"\nmost_recent = false", `Unable to read snapshot "second-reading" of project "audiobook"` +
			`(?s:.*)"first-reading": made 1730797200 \(2024-11-05 09:00:00 UTC\)`},
		{``, `silent`, newest, `Project "silent" has no snapshots`},
		{``, `nowhere`, newest, `Unable to read the newest snapshot of project "nowhere"(?s:.*)404 Not Found`},
		{`chapters-only`, `audiobook`, newest + `not_before_unix = 1700000000`, `Unable to read the newest snapshot of project "audiobook"(?s:.*)403 Forbidden`},
		{`no-such-key`, `audiobook`, newest, `401 Unauthorized`},
		// It is not waited for any longer than `timeouts` allows. Both times are in the error.
		{``, `audiobook`, newest + "not_before_unix = 1730797201\ntimeouts = { read = \"1s\" }", `Timed\s+out\s+after\s+1s(?s:.*)1730797201\s(?s:.*)1730797200\s`},
		{``, `undated`, newest, `"first": made at an unknown time(?s:.*)"second": made at an unknown time`},
	} {
		config := "data \"audioprojects_project_snapshot\" \"book\" {\nproject_id = \"" + test.project + "\"\n" + test.arguments + "\n}\n"
		if test.provider != "" {
			config = "provider \"audioprojects\" {\napi_key = \"" + test.provider + "\"\n}\n" + config
		}
		steps = append(steps, resource.TestStep{Config: config, ExpectError: regexp.MustCompile(test.says)})
	}
	resource.ParallelTest(t, resource.TestCase{ProtoV6ProviderFactories: service.ProviderFactories(), Steps: steps})
	service.WantRequests(map[mockserver.Operation]int{mockserver.ListProjectSnapshots: len(steps)})
}

// What is wrong in the configuration alone is found before anything is asked.
func TestAccProjectSnapshotDataSource_badArguments(t *testing.T) {
	service := acctest.NewService(t, mockserver.Audiobook(0))
	var steps []resource.TestStep
	for _, test := range []struct{ arguments, says string }{
		{``, `Invalid Attribute Combination`},
		{`most_recent = false`, `Set one of project_snapshot_id and most_recent`},
		{"project_snapshot_id = \"first-reading\"\nmost_recent = true", `Set one of project_snapshot_id and most_recent`},
		{"project_snapshot_id = \"first-reading\"\nnot_before_unix = 1700000000", `Invalid Attribute Combination`},
		{"most_recent = true\nnot_before_unix = 1700000000000", `Invalid number`}, // milliseconds
		{"most_recent = true\nnot_before_unix = 1.5", `Invalid number`},
		{"most_recent = true\ntimeouts = { read = \"0s\" }", `Invalid duration`},
		{`project_snapshot_id = ".."`, `Attribute project_snapshot_id value must be none of`},
	} {
		steps = append(steps, resource.TestStep{
			Config:      "data \"audioprojects_project_snapshot\" \"book\" {\nproject_id = \"audiobook\"\n" + test.arguments + "\n}\n",
			ExpectError: regexp.MustCompile(test.says),
		})
	}
	resource.ParallelTest(t, resource.TestCase{ProtoV6ProviderFactories: service.ProviderFactories(), Steps: steps})
	service.WantRequests(nil)
}
