package provider_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/compare"
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

// A chapter is read by its id or by its name, with all its attributes.
func TestAccChapterDataSource_byIDOrName(t *testing.T) {
	service := acctest.NewService(t, mockserver.Project{ID: "book", Chapters: []mockserver.Chapter{
		{ID: "one", Name: "The Dark Lantern"},
		{
			ID: "two", Name: "A Borrowed Boat", Text: "The lamp was lit.", Converted: true,
			ConvertedAt: time.Unix(1700000001, 0), Error: "The voice was hoarse.",
		},
	}})
	service.EditChapter("book", "two", "The lamp was lit.\n\nIt was.\n\nOh.")

	const byID, byName = "data.audioprojects_chapter.by_id", "data.audioprojects_chapter.by_name"
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: `
data "audioprojects_chapter" "by_id" {
  project_id = "book"
  chapter_id = "two"
}

data "audioprojects_chapter" "by_name" {
  project_id = "book"
  name       = "A Borrowed Boat"
}
`,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(byID, tfjsonpath.New("project_id"), knownvalue.StringExact("book")),
					statecheck.ExpectKnownValue(byID, tfjsonpath.New("chapter_id"), knownvalue.StringExact("two")),
					statecheck.ExpectKnownValue(byID, tfjsonpath.New("name"), knownvalue.StringExact("A Borrowed Boat")),
					statecheck.ExpectKnownValue(byID, tfjsonpath.New("state"), knownvalue.StringExact("default")),
					statecheck.ExpectKnownValue(byID, tfjsonpath.New("conversion_progress"), knownvalue.Null()),
					statecheck.ExpectKnownValue(byID, tfjsonpath.New("can_be_downloaded"), knownvalue.Bool(true)),
					statecheck.ExpectKnownValue(byID, tfjsonpath.New("last_conversion_date_unix"), knownvalue.Int64Exact(1700000001)),
					statecheck.ExpectKnownValue(byID, tfjsonpath.New("last_conversion_error"), knownvalue.StringExact("The voice was hoarse.")),
					statecheck.ExpectKnownValue(byID, tfjsonpath.New("statistics"),
						knownvalue.ObjectExact(map[string]knownvalue.Check{
							"characters_unconverted": knownvalue.Int64Exact(10),
							"characters_converted":   knownvalue.Int64Exact(17),
							"paragraphs_converted":   knownvalue.Int64Exact(1),
							"paragraphs_unconverted": knownvalue.Int64Exact(2),
						})),

					statecheck.ExpectKnownValue(byName, tfjsonpath.New("chapter_id"), knownvalue.StringExact("two")),
					statecheck.CompareValuePairs(byName, tfjsonpath.New("statistics"), byID, tfjsonpath.New("statistics"),
						compare.ValuesSame()),
				},
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 0)
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

// What is wrong in the configuration alone is found before anything is asked.
func TestAccChapterDataSource_badArguments(t *testing.T) {
	service := acctest.NewService(t, mockserver.Audiobook(0))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: `
data "audioprojects_chapter" "crossing" {
  project_id = "audiobook"
}
`,
				ExpectError: regexp.MustCompile(`one \(and only one\) of\s.*\[chapter_id,name\]`),
			},
			{
				Config: `
data "audioprojects_chapter" "crossing" {
  project_id = "audiobook"
  chapter_id = "chapter-3"
  name       = "Crossing"
}
`,
				ExpectError: regexp.MustCompile(`2 attributes specified when one`),
			},
			{
				Config: `
data "audioprojects_chapter" "crossing" {
  project_id = "audiobook"
  chapter_id = ".."
}
`,
				ExpectError: regexp.MustCompile(`Attribute chapter_id value must be none of`),
			},
		},
	})
	service.WantRequests(nil)
}

// Not exactly one chapter is an error that names what there is. A name is compared as it is.
func TestAccChapterDataSource_notOne(t *testing.T) {
	const paragraphs = "CHAPTER I.\r\n\nLoomings "
	service := acctest.NewService(t, mockserver.Project{ID: "book", Chapters: []mockserver.Chapter{
		{ID: "one", Name: "Crossing"}, {ID: "two", Name: "Crossing"}, {ID: "three", Name: paragraphs}, {ID: "four", Name: "CHAPTER I. Loomings"},
	}})
	var steps []resource.TestStep
	for _, test := range []struct{ by, says string }{
		{`chapter_id = "five"`, `Unable to read chapter "five" of project "book"(?s:.*)has no chapter with this id(?s:.*)"CHAPTER I. Loomings" \(four\)`},
		{`name = "crossing"`, `Unable to read the chapter named "crossing" of project "book"(?s:.*)has no chapter with this name(?s:.*)"Crossing" \(one\)(?s:.*)\(three\)`},
		{`name = "Crossing"`, `Unable to read the chapter named "Crossing" of project "book"(?s:.*)has 2 chapters with this name(?s:.*)\(one\)(?s:.*)"Crossing" \(two\)`},
	} {
		steps = append(steps, resource.TestStep{
			Config: "data \"audioprojects_chapter\" \"crossing\" {\nproject_id = \"book\"\n" + test.by + "\n}\n", ExpectError: regexp.MustCompile(test.says),
		})
	}
	steps = append(steps, resource.TestStep{
		Config: `
data "audioprojects_chapters" "all" {
  project_id = "book"
}

data "audioprojects_chapter" "crossing" {
  project_id = "book"
  name       = data.audioprojects_chapters.all.chapters[2].name
}
`,
		ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownValue("data.audioprojects_chapter.crossing", tfjsonpath.New("chapter_id"), knownvalue.StringExact("three")),
			statecheck.ExpectKnownValue("data.audioprojects_chapter.crossing", tfjsonpath.New("name"), knownvalue.StringExact(paragraphs)),
		},
	})
	resource.ParallelTest(t, resource.TestCase{ProtoV6ProviderFactories: service.ProviderFactories(), Steps: steps})
	service.WantCount(mockserver.GetProject, 0)
}
