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

func TestAccProjectSnapshotsDataSource(t *testing.T) {
	service := acctest.NewService(t, mockserver.Audiobook(0))
	const snapshots = "data.audioprojects_project_snapshots.book"
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				ConfigFile: acctest.Example("data-sources/audioprojects_project_snapshots/data-source.tf"),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(snapshots, tfjsonpath.New("snapshots"), knownvalue.ListExact([]knownvalue.Check{
						knownvalue.ObjectExact(map[string]knownvalue.Check{
							"project_snapshot_id": knownvalue.StringExact("first-reading"),
							"created_at_unix":     knownvalue.Int64Exact(1730797200),
							"name":                knownvalue.StringExact("First reading"),
							"json": knownvalue.StringExact(`{"created_at_unix":1730797200,"name":"First reading",` +
								`"project_id":"audiobook","project_snapshot_id":"first-reading"}`),
						}),
					})),
					statecheck.ExpectKnownOutputValueAtPath("snapshots",
						tfjsonpath.New("first-reading").AtMapKey("created_at_unix"), knownvalue.Int64Exact(1730797200)),
				},
			},
			// The order is the service's, whatever the dates are. A record without a date has null, and not 0.
			{
				PreConfig: func() {
					service.AddProjectSnapshot("audiobook", mockserver.ProjectSnapshot{ID: "undated"})
					service.AddProjectSnapshot("audiobook",
						mockserver.ProjectSnapshot{ID: "older", Name: "Older", CreatedAt: time.Unix(1700000000, 0)})
				},
				Config: `
data "audioprojects_project_snapshots" "book" {
  project_id = "audiobook"
}
`,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(snapshots, tfjsonpath.New("snapshots"), knownvalue.ListExact([]knownvalue.Check{
						knownvalue.ObjectPartial(map[string]knownvalue.Check{
							"project_snapshot_id": knownvalue.StringExact("first-reading"),
						}),
						knownvalue.ObjectPartial(map[string]knownvalue.Check{
							"project_snapshot_id": knownvalue.StringExact("undated"),
							"created_at_unix":     knownvalue.Null(),
						}),
						knownvalue.ObjectPartial(map[string]knownvalue.Check{
							"project_snapshot_id": knownvalue.StringExact("older"),
							"created_at_unix":     knownvalue.Int64Exact(1700000000),
						}),
					})),
				},
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 0)
	service.WantCount(mockserver.StreamSnapshot, 0)
}
