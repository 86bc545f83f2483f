package provider_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// One chapter's failure stops no other, and the next apply converts that one alone.
func TestAccProjectConversionResource_createFails(t *testing.T) {
	const book = "audioprojects_project_conversion.book"
	config := acctest.BookBlock(``)
	fails := mockserver.Conversion{Fails: "voice not found"}
	service := acctest.NewService(t, acctest.BookOf([]mockserver.Chapter{
		{ID: "one"}, {ID: "two", Conversions: []mockserver.Conversion{fails, {}}}, {ID: "three"},
	}))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config:      config,
				ExpectError: regexp.MustCompile(`(?s)Unable to convert 1 of the 3 chapters.*voice not found.*"two"`),
			},
			{
				PreConfig:        func() { service.WantCount(mockserver.ConvertChapter, 3) },
				Config:           config,
				ConfigPlanChecks: acctest.Plan(plancheck.ExpectResourceAction(book, plancheck.ResourceActionCreate)),
			},
		},
	})
	service.WantPaid("book", "two", 2)
	service.WantCount(mockserver.ConvertChapter, 4)
}

// A refused request costs nothing.
func TestAccProjectConversionResource_refused(t *testing.T) {
	config := acctest.BookBlock(``)
	service := acctest.NewFaultyService(t, acctest.BookOf([]mockserver.Chapter{{ID: "one"}, {ID: "two"}}))
	service.AddKey(mockserver.Key{Secret: "without-access", NoAccess: true})
	service.AddKey(mockserver.Key{
		Secret: "read-only", Scopes: []mockserver.Operation{mockserver.GetProject, mockserver.ListChapters},
	})
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			// What the service refuses to show fails the plan.
			{
				Config:      `provider "audioprojects" { api_key = "wrong" }` + config,
				PlanOnly:    true,
				ExpectError: regexp.MustCompile(`(?s)401 Unauthorized.*does\s+not\s+accept\s+the\s+API\s+key`),
			},
			{
				Config:      `provider "audioprojects" { api_key = "without-access" }` + config,
				PlanOnly:    true,
				ExpectError: regexp.MustCompile(`(?s)403 Forbidden:.*projects_access_not_granted: Projects are available on request.*contact sales`),
			},
			{
				Config: `
resource "audioprojects_project_conversion" "book" {
  project_id = "nowhere"
}
`,
				PlanOnly:    true,
				ExpectError: regexp.MustCompile(`(?s)Unable to read project "nowhere".*404 Not Found`),
			},
			{
				Config:      acctest.BookBlock(`chapter_ids = ["one", "nine"]`),
				PlanOnly:    true,
				ExpectError: regexp.MustCompile(`these\s+chapters:\s+- "nine"`),
			},
			// A field that decides must have its type.
			{
				PreConfig:   func() { service.SetField("book", "two", "state", `{"word":"default"}`) },
				Config:      config,
				PlanOnly:    true,
				ExpectError: regexp.MustCompile(`(?s)Unable to read project "book".*the field state of chapter_id\s+│ "two" has another type than documented: {"word":"default"}`),
			},
			// That a key may not convert shows when it does.
			{
				PreConfig: func() {
					service.SetField("book", "two", "state", "")
					service.WantCount(mockserver.ConvertChapter, 0)
				},
				Config:      `provider "audioprojects" { api_key = "read-only" }` + config,
				ExpectError: regexp.MustCompile(`(?s)403 Forbidden.*scope`),
			},
			{
				PreConfig: func() {
					service.WantPaid("book", "one", 0)
					service.WantPaid("book", "two", 0)
				},
				Config: config,
			},
		},
	})
	service.WantPaid("book", "one", 1)
	service.WantPaid("book", "two", 1)
}
