package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestAccChapterDataSource(t *testing.T) {
	service := acctest.NewService(t, mockserver.Audiobook(0))
	const crossing = "data.audioprojects_chapter.crossing"
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				ConfigFile: acctest.Example("data-sources/audioprojects_chapter/data-source.tf"),
				ConfigPlanChecks: acctest.Plan(
					// The id is read while Terraform plans, and the resource has it.
					plancheck.ExpectKnownValue("audioprojects_chapter_conversion.crossing", tfjsonpath.New("chapter_id"),
						knownvalue.StringExact("chapter-3")),
				),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(crossing, tfjsonpath.New("chapter_id"), knownvalue.StringExact("chapter-3")),
					statecheck.ExpectKnownValue(crossing, tfjsonpath.New("name"), knownvalue.StringExact("Crossing")),
				},
			},
			// The example's resource has converted the chapter, and the next read shows that.
			{
				ConfigFile:       acctest.Example("data-sources/audioprojects_chapter/data-source.tf"),
				ConfigPlanChecks: acctest.Plan(plancheck.ExpectEmptyPlan()),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(crossing, tfjsonpath.New("can_be_downloaded"), knownvalue.Bool(true)),
					statecheck.ExpectKnownValue(crossing, tfjsonpath.New("last_conversion_date_unix"), knownvalue.NotNull()),
					statecheck.ExpectKnownValue(crossing, tfjsonpath.New("statistics").AtMapKey("characters_unconverted"), knownvalue.Int64Exact(0)),
				},
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 1)
}

// What the service has beside the document is in `json`, and may change from answer to answer.
func TestAccChapterDataSource_json(t *testing.T) {
	service := acctest.NewFaultyService(t, mockserver.Project{ID: "book"})
	const record = `{"voices":[{"id":"ada"}],"chapter_id":"one","name":"Crossing\nBy night", "credits": 12.50,"audio":"https://s3.example/a?sig=`
	list := `"chapters":[` + record + `1"},{"chapter_id":"two"},` + record + `2"}]`
	service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Times: -1, Body: `{` + list + `}`})
	service.Inject(mockserver.Fault{Operation: mockserver.GetProject, Times: -1, Body: `{"project_id":"book","plan":{"words":7,"by":"Ada"},"name":"The Book",` + list + `}`})
	const one, book = "data.audioprojects_chapter.one", "data.audioprojects_project.book"
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: `
data "audioprojects_chapter" "one" {
  project_id = "book"
  chapter_id = "one"
}

data "audioprojects_chapter" "two" {
  project_id = "book"
  chapter_id = "two"
}

data "audioprojects_project" "book" {
  project_id = "book"
}

output "credits" {
  value = jsondecode(data.audioprojects_chapter.one.json).credits
}

output "words" {
  value = jsondecode(data.audioprojects_project.book.json).plan.words
}
`,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(one, tfjsonpath.New("json"), knownvalue.StringExact(
						`{"audio":"https://s3.example/a?sig=1","chapter_id":"one","credits":12.50,"name":"Crossing\nBy night","voices":[{"id":"ada"}]}`)),
					statecheck.ExpectKnownValue("data.audioprojects_chapter.two", tfjsonpath.New("json"), knownvalue.StringExact(`{"chapter_id":"two"}`)),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("json"), knownvalue.StringExact(
						`{"name":"The Book","plan":{"by":"Ada","words":7},"project_id":"book"}`)),
					statecheck.ExpectKnownOutputValue("credits", knownvalue.Float64Exact(12.5)),
					statecheck.ExpectKnownOutputValue("words", knownvalue.Int64Exact(7)),
				},
			},
		},
	})
}
