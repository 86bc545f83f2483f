package provider_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestAccChapterConversionResource_createFails(t *testing.T) {
	const chapter = "audioprojects_chapter_conversion.chapter"
	config := acctest.ConversionBlock(``)
	service := acctest.NewService(t, acctest.Book(mockserver.Conversion{Fails: "voice not found"}, mockserver.Conversion{}))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config:      config,
				ExpectError: regexp.MustCompile(`The\s+service's\s+error\s+message:\s+│\s+voice\s+not\s+found`),
			},
			// The next apply converts once more.
			{
				PreConfig:        func() { service.WantCount(mockserver.ConvertChapter, 1) },
				Config:           config,
				ConfigPlanChecks: acctest.Plan(plancheck.ExpectResourceAction(chapter, plancheck.ResourceActionCreate)),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(chapter, tfjsonpath.New("last_conversion_error"), knownvalue.Null()),
				},
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 2)
}

// An apply that has waited for long enough leaves the conversion to the next apply, which requests none.
func TestAccChapterConversionResource_outOfTime(t *testing.T) {
	const chapter = "audioprojects_chapter_conversion.chapter"
	service := acctest.NewService(t, acctest.Book(acctest.LongConversion))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config:      acctest.ConversionBlock(`timeouts = { create = "2s" }`),
				ExpectError: regexp.MustCompile(`Timed\s+out\s+after\s+2s`),
			},
			{
				PreConfig:        service.EndConversion,
				Config:           acctest.ConversionBlock(``),
				ConfigPlanChecks: acctest.Plan(plancheck.ExpectResourceAction(chapter, plancheck.ResourceActionReplace)),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(chapter, tfjsonpath.New("can_be_downloaded"), knownvalue.Bool(true)),
					statecheck.ExpectKnownValue(chapter, tfjsonpath.New("pending_conversion"), knownvalue.Null()),
				},
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 1)
}

// A refused request costs nothing.
func TestAccChapterConversionResource_refused(t *testing.T) {
	config := acctest.ConversionBlock(``)
	service := acctest.NewService(t, acctest.Book())
	service.AddKey(mockserver.Key{Secret: "without-access", NoAccess: true})
	service.AddKey(mockserver.Key{Secret: "read-only", Scopes: []mockserver.Operation{mockserver.ListChapters}})
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
resource "audioprojects_chapter_conversion" "chapter" {
  project_id = "nowhere"
  chapter_id = "one"
}
`,
				PlanOnly:    true,
				ExpectError: regexp.MustCompile(`404 Not Found`),
			},
			{
				Config: `
resource "audioprojects_chapter_conversion" "chapter" {
  project_id = "book"
  chapter_id = "nine"
}
`,
				PlanOnly:    true,
				ExpectError: regexp.MustCompile(`these\s+chapters:\s+- "nine"`),
			},
			// That a key may not convert shows when it does.
			{
				PreConfig:   func() { service.WantCount(mockserver.ConvertChapter, 0) },
				Config:      `provider "audioprojects" { api_key = "read-only" }` + config,
				ExpectError: regexp.MustCompile(`(?s)403 Forbidden.*scope`),
			},
			{
				PreConfig: func() { service.WantPaid("book", "one", 0) },
				Config:    config,
			},
		},
	})
	service.WantPaid("book", "one", 1)
	service.WantCount(mockserver.ConvertChapter, 2)
}
