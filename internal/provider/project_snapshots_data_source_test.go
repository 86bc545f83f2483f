package provider_test

import (
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestAccProjectSnapshotsDataSource(t *testing.T) {
	t.Parallel()
	service := newService(t, mockserver.Project{ID: "book", Snapshots: []mockserver.ProjectSnapshot{
		{ID: "second", Name: "B", CreatedAt: time.Unix(1700000001, 0)},
		{ID: "first", Name: "A", CreatedAt: time.Unix(1700000000, 0)},
	}})
	want := func(id string, date int64, name, json string) knownvalue.Check {
		return knownvalue.ObjectExact(map[string]knownvalue.Check{
			"project_snapshot_id": knownvalue.StringExact(id), "created_at_unix": knownvalue.Int64Exact(date),
			"name": knownvalue.StringExact(name), "json": knownvalue.StringExact(json),
		})
	}
	run(t, resource.TestStep{
		Config: service.Config(`
data "audioprojects_project_snapshots" "book" {
  project_id = "book"
}

output "all" {
  value = data.audioprojects_project_snapshots.book
}
`),
		ConfigStateChecks: wantOutput(knownvalue.ObjectExact(map[string]knownvalue.Check{
			"project_id": knownvalue.StringExact("book"),
			"snapshots": knownvalue.ListExact([]knownvalue.Check{
				want("second", 1700000001, "B", `{"created_at_unix":1700000001,"name":"B","project_id":"book","project_snapshot_id":"second"}`),
				want("first", 1700000000, "A", `{"created_at_unix":1700000000,"name":"A","project_id":"book","project_snapshot_id":"first"}`),
			}),
		})),
	})
}

// TestAccProjectSnapshotsDataSourceWithoutFields: what a record lacks is null, and no other is taken for it.
func TestAccProjectSnapshotsDataSourceWithoutFields(t *testing.T) {
	t.Parallel()
	service := newFaultyService(t)
	service.Inject(mockserver.Fault{Times: -1, Body: `[{"project_snapshot_id":"bare"},{"project_snapshot_id":"odd","created_at_unix":"today","created":1700000000,"name":7}]`})
	want := func(id, json string) knownvalue.Check {
		return wantObject(map[string]knownvalue.Check{
			"project_snapshot_id": knownvalue.StringExact(id), "json": knownvalue.StringExact(json),
		}, "created_at_unix", "name")
	}
	run(t, resource.TestStep{
		Config: service.Config(`
data "audioprojects_project_snapshots" "book" {
  project_id = "book"
}

output "all" {
  value = data.audioprojects_project_snapshots.book.snapshots
}
`),
		ConfigStateChecks: wantOutput(knownvalue.ListExact([]knownvalue.Check{
			want("bare", `{"project_snapshot_id":"bare"}`),
			want("odd", `{"created":1700000000,"created_at_unix":"today","name":7,"project_snapshot_id":"odd"}`),
		})),
	})
}
