package provider_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestAccProjectConversionResource_import(t *testing.T) {
	const book = "audioprojects_project_conversion.book"
	service := acctest.NewService(t, acctest.BookOf([]mockserver.Chapter{{ID: "one", Converted: true}, {ID: "two", Converted: true}}))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: `
import {
  to = audioprojects_project_conversion.book
  id = "book"
}

resource "audioprojects_project_conversion" "book" {
  project_id = "book"
}
`,
				ConfigPlanChecks: acctest.Plan(plancheck.ExpectResourceAction(book, plancheck.ResourceActionNoop)),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(book, tfjsonpath.New("chapter_count"), knownvalue.Int64Exact(2)),
				},
			},
			{
				Config:   acctest.BookBlock(``),
				PlanOnly: true,
			},
			{
				ResourceName:      book,
				ImportState:       true,
				ImportStateId:     "book",
				ImportStateVerify: true,
			},
			{
				ResourceName:    book,
				ImportState:     true,
				ImportStateKind: resource.ImportBlockWithID,
			},
			{
				ResourceName:  book,
				ImportState:   true,
				ImportStateId: "nowhere",
				ExpectError:   regexp.MustCompile(`404 Not Found`),
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 0)
}

func TestAccProjectConversionResource_importByIdentity(t *testing.T) {
	const book = "audioprojects_project_conversion.book"
	service := acctest.NewService(t, acctest.BookOf([]mockserver.Chapter{{ID: "one"}, {ID: "two"}}))
	resource.ParallelTest(t, resource.TestCase{
		TerraformVersionChecks: []tfversion.TerraformVersionCheck{
			tfversion.SkipBelow(tfversion.Version1_12_0),
		},
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: acctest.BookBlock(``),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectIdentity(book, map[string]knownvalue.Check{
						"project_id": knownvalue.StringExact("book"),
					}),
				},
			},
			{
				ResourceName:    book,
				ImportState:     true,
				ImportStateKind: resource.ImportBlockWithResourceIdentity,
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 2)
}
