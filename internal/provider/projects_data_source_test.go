package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const projectsBlock = `
data "audioprojects_projects" "all" {}

output "all" {
  value = data.audioprojects_projects.all.projects
}
`

func wantProjectRecord(id string, name knownvalue.Check, json string) knownvalue.Check {
	return knownvalue.ObjectExact(map[string]knownvalue.Check{
		"project_id": knownvalue.StringExact(id), "name": name, "json": knownvalue.StringExact(json),
	})
}

func TestAccProjectsDataSource(t *testing.T) {
	t.Parallel()
	service := newService(t, mockserver.Project{ID: "second", Name: "B"}, mockserver.Project{ID: "first", Name: "A"})
	run(t, resource.TestStep{
		Config: service.Config(`
data "audioprojects_projects" "all" {}

output "all" {
  value = [for project in data.audioprojects_projects.all.projects : "${project.project_id} ${project.name} ${jsondecode(project.json).state}"]
}
`),
		ConfigStateChecks: wantOutput(knownvalue.TupleExact([]knownvalue.Check{
			knownvalue.StringExact("second B default"), knownvalue.StringExact("first A default"),
		})),
	})
	service.WantCount(mockserver.GetProject, 0)
}

func TestAccProjectsDataSourceReadsTolerantly(t *testing.T) {
	t.Parallel()
	const records = `[
		{"project_id": "bare"},
		{"project_id": "odd", "name": null, "when": 1.50, "a": {"c": "<ü>", "b": 12345678901234567890}}
	]`
	for name, body := range map[string]string{"array": records, "object": `{"next": null, "projects": ` + records + `}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := newFaultyService(t)
			service.Inject(mockserver.Fault{Times: -1, Body: body})
			run(t, resource.TestStep{
				Config: service.Config(projectsBlock),
				ConfigStateChecks: wantOutput(knownvalue.ListExact([]knownvalue.Check{
					wantProjectRecord("bare", knownvalue.Null(), `{"project_id":"bare"}`),
					wantProjectRecord("odd", knownvalue.Null(),
						`{"a":{"b":12345678901234567890,"c":"<ü>"},"name":null,"project_id":"odd","when":1.50}`),
				})),
			})
		})
	}
}

func TestAccListsThatAreEmpty(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`[]`, `{"projects": [], "snapshots": []}`} {
		service := newFaultyService(t)
		service.Inject(mockserver.Fault{Times: -1, Body: body})
		run(t, resource.TestStep{
			Config: service.Config(`
data "audioprojects_projects" "all" {}

data "audioprojects_project_snapshots" "all" {
  project_id = "book"
}

output "all" {
  value = concat(data.audioprojects_projects.all.projects[*].json, data.audioprojects_project_snapshots.all.snapshots[*].json)
}
`),
			ConfigStateChecks: wantOutput(knownvalue.ListExact(nil)),
		})
	}
}
