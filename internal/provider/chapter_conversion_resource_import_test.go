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

func TestAccChapterConversionResource_import(t *testing.T) {
	const chapter = "audioprojects_chapter_conversion.chapter"
	service := acctest.NewService(t, acctest.BookWith(mockserver.Chapter{Text: acctest.ChapterText, Converted: true}))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: `
import {
  to = audioprojects_chapter_conversion.chapter
  id = "book/one"
}

resource "audioprojects_chapter_conversion" "chapter" {
  project_id = "book"
  chapter_id = "one"
}
`,
				ConfigPlanChecks: acctest.Plan(plancheck.ExpectResourceAction(chapter, plancheck.ResourceActionNoop)),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(chapter, tfjsonpath.New("name"), knownvalue.StringExact("The Dark Lantern")),
				},
			},
			{
				Config:   acctest.ConversionBlock(``),
				PlanOnly: true,
			},
			{
				ResourceName:      chapter,
				ImportState:       true,
				ImportStateId:     "book/one",
				ImportStateVerify: true,
			},
			{
				ResourceName:    chapter,
				ImportState:     true,
				ImportStateKind: resource.ImportBlockWithID,
			},
			{
				ResourceName:  chapter,
				ImportState:   true,
				ImportStateId: "book/nine",
				ExpectError:   regexp.MustCompile(`Cannot import non-existent remote object`),
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 0)
}

func TestAccChapterConversionResource_importByIdentity(t *testing.T) {
	const chapter = "audioprojects_chapter_conversion.chapter"
	service := acctest.NewService(t, acctest.Book())
	resource.ParallelTest(t, resource.TestCase{
		TerraformVersionChecks: []tfversion.TerraformVersionCheck{
			tfversion.SkipBelow(tfversion.Version1_12_0),
		},
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: acctest.ConversionBlock(``),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectIdentity(chapter, map[string]knownvalue.Check{
						"project_id": knownvalue.StringExact("book"),
						"chapter_id": knownvalue.StringExact("one"),
					}),
				},
			},
			{
				ResourceName:    chapter,
				ImportState:     true,
				ImportStateKind: resource.ImportBlockWithResourceIdentity,
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 1)
}
