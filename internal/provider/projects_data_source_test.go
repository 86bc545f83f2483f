package provider_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestAccProjectsDataSource(t *testing.T) {
	service := acctest.NewService(t, mockserver.Audiobook(0),
		mockserver.Project{ID: "almanac", Name: "Almanac", CreatedAt: time.Unix(1690000000, 0)})
	const all = "data.audioprojects_projects.all"
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				ConfigFile: acctest.Example("data-sources/audioprojects_projects/data-source.tf"),
				ConfigStateChecks: []statecheck.StateCheck{
					// The order is the service's.
					statecheck.ExpectKnownValue(all, tfjsonpath.New("projects"), knownvalue.ListExact([]knownvalue.Check{
						knownvalue.ObjectPartial(map[string]knownvalue.Check{
							"project_id": knownvalue.StringExact("audiobook"),
							"name":       knownvalue.StringExact("The Lamplighter of Port Esker"),
						}),
						knownvalue.ObjectExact(map[string]knownvalue.Check{
							"project_id": knownvalue.StringExact("almanac"),
							"name":       knownvalue.StringExact("Almanac"),
							"json":       knownvalue.StringRegexp(regexp.MustCompile(`^{.*"create_date_unix":1690000000,.*}$`)),
						}),
					})),
					statecheck.ExpectKnownOutputValue("projects", knownvalue.MapExact(map[string]knownvalue.Check{
						"audiobook": knownvalue.StringExact("The Lamplighter of Port Esker"),
						"almanac":   knownvalue.StringExact("Almanac"),
					})),
				},
			},
			// Every read asks the service afresh.
			{
				PreConfig: func() { service.AddProject(mockserver.Project{ID: "sequel", Name: "Sequel"}) },
				Config:    `data "audioprojects_projects" "all" {}`,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(all, tfjsonpath.New("projects").AtSliceIndex(2).AtMapKey("project_id"), knownvalue.StringExact("sequel")),
				},
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 0)
	service.WantCount(mockserver.GetProject, 0)
}
