package provider_test

import (
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestAccProjectConversionResource(t *testing.T) {
	const book = "audioprojects_project_conversion.book"
	service := acctest.NewService(t, mockserver.Audiobook(300*time.Millisecond))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				ConfigFile: acctest.Example("resources/audioprojects_project_conversion/resource.tf"),
				ConfigPlanChecks: acctest.Plan(
					plancheck.ExpectResourceAction(book, plancheck.ResourceActionCreate),
					plancheck.ExpectKnownValue(book, tfjsonpath.New("id"), knownvalue.StringExact("audiobook")),
					plancheck.ExpectUnknownValue(book, tfjsonpath.New("chapter_count")),
					plancheck.ExpectUnknownValue(book, tfjsonpath.New("last_conversion_date_unix")),
				),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(book, tfjsonpath.New("id"), knownvalue.StringExact("audiobook")),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("chapter_count"), knownvalue.Int64Exact(5)),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("characters_converted"), knownvalue.Int64Exact(2253)),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("characters_unconverted"), knownvalue.Int64Exact(0)),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("last_conversion_date_unix"), knownvalue.NotNull()),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("pending_conversions"), knownvalue.Null()),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("failed_chapters"), knownvalue.MapSizeExact(0)),
				},
				PostApplyFunc: func() { service.WantCount(mockserver.ConvertChapter, 5) },
			},
		},
	})

	// All of its life, the destruction included, cost one conversion of each chapter.
	for _, chapter := range []string{"chapter-1", "chapter-2", "chapter-3", "chapter-4", "chapter-5"} {
		service.WantPaid("audiobook", chapter, 1)
	}
	service.WantCount(mockserver.ConvertChapter, 5)
}

// An edited chapter is converted again, and so is one that was added to the project.
func TestAccProjectConversionResource_edited(t *testing.T) {
	const book = "audioprojects_project_conversion.book"
	config := acctest.BookBlock(``)
	service := acctest.NewService(t, acctest.BookOf([]mockserver.Chapter{{ID: "one"}, {ID: "two"}}))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{Config: config},
			{
				PreConfig: func() {
					service.EditChapter("book", "two", "Other words.")
					service.AddChapter("book", mockserver.Chapter{ID: "three"})
				},
				Config: config,
				ConfigPlanChecks: acctest.Plan(
					plancheck.ExpectResourceAction(book, plancheck.ResourceActionUpdate),
					plancheck.ExpectUnknownValue(book, tfjsonpath.New("characters_converted")),
				),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(book, tfjsonpath.New("chapter_count"), knownvalue.Int64Exact(3)),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("characters_unconverted"), knownvalue.Int64Exact(0)),
				},
			},
		},
	})
	service.WantPaid("book", "one", 1)
	service.WantPaid("book", "two", 2)
	service.WantPaid("book", "three", 1)
	service.WantCount(mockserver.ConvertChapter, 4)
}

func TestAccProjectConversionResource_chapterIDs(t *testing.T) {
	const book = "audioprojects_project_conversion.book"
	service := acctest.NewService(t, acctest.BookOf([]mockserver.Chapter{{ID: "one"}, {ID: "two"}, {ID: "three"}, {ID: "four"}}))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: acctest.BookBlock(`chapter_ids = ["two"]`),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(book, tfjsonpath.New("chapter_count"), knownvalue.Int64Exact(1)),
				},
				PostApplyFunc: func() {
					service.WantPaid("book", "two", 1)
					service.WantCount(mockserver.ConvertChapter, 1)
				},
			},
			{
				Config:           acctest.BookBlock(`chapter_ids = ["one", "two"]`),
				ConfigPlanChecks: acctest.Plan(plancheck.ExpectResourceAction(book, plancheck.ResourceActionUpdate)),
				PostApplyFunc: func() {
					service.WantPaid("book", "one", 1)
					service.WantCount(mockserver.ConvertChapter, 2)
				},
			},
			// Without chapter_ids, it is about all chapters.
			{
				Config: acctest.BookBlock(``),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(book, tfjsonpath.New("chapter_count"), knownvalue.Int64Exact(4)),
				},
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 4)
}

func TestAccProjectConversionResource_excludeChapterIDs(t *testing.T) {
	const book = "audioprojects_project_conversion.book"
	config := acctest.BookBlock(`exclude_chapter_ids = ["imprint"]`)
	service := acctest.NewService(t, acctest.BookOf([]mockserver.Chapter{{ID: "imprint"}, {ID: "one"}, {ID: "two"}}))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: config,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(book, tfjsonpath.New("chapter_count"), knownvalue.Int64Exact(2)),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("characters_unconverted"), knownvalue.Int64Exact(0)),
				},
			},
			{
				PreConfig: func() { service.EditChapter("book", "imprint", "Other words.") },
				Config:    config,
				PlanOnly:  true,
			},
			// What was left out is converted once it is not, and so is a chapter that was added to the project.
			{
				PreConfig: func() {
					service.WantPaid("book", "imprint", 0)
					service.AddChapter("book", mockserver.Chapter{ID: "three"})
				},
				Config:           acctest.BookBlock(`exclude_chapter_ids = ["one"]`),
				ConfigPlanChecks: acctest.Plan(plancheck.ExpectResourceAction(book, plancheck.ResourceActionUpdate)),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(book, tfjsonpath.New("chapter_count"), knownvalue.Int64Exact(3)),
				},
			},
			// A chapter that is left out may go.
			{
				PreConfig: func() { service.RemoveChapter("book", "one") },
				Config:    acctest.BookBlock(`exclude_chapter_ids = ["one"]`),
				PlanOnly:  true,
			},
		},
	})
	service.WantPaid("book", "imprint", 1)
	service.WantPaid("book", "three", 1)
	service.WantCount(mockserver.ConvertChapter, 4)
}

func TestAccProjectConversionResource_replaced(t *testing.T) {
	const book = "audioprojects_project_conversion.book"
	service := acctest.NewService(t,
		mockserver.Project{ID: "first", Chapters: []mockserver.Chapter{{ID: "one"}}},
		mockserver.Project{ID: "second", Chapters: []mockserver.Chapter{{ID: "one"}}},
	)
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: `
resource "audioprojects_project_conversion" "book" {
  project_id = "first"
}
`,
			},
			{
				Config: `
resource "audioprojects_project_conversion" "book" {
  project_id = "second"
}
`,
				ConfigPlanChecks:  acctest.Plan(plancheck.ExpectResourceAction(book, plancheck.ResourceActionReplace)),
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(book, tfjsonpath.New("id"), knownvalue.StringExact("second"))},
			},
		},
	})
	service.WantPaid("first", "one", 1)
	service.WantPaid("second", "one", 1)
	service.WantCount(mockserver.ConvertChapter, 2)
}

func TestAccProjectConversionResource_unknownProject(t *testing.T) {
	const book = "audioprojects_project_conversion.book"
	service := acctest.NewService(t, acctest.BookOf([]mockserver.Chapter{{ID: "one"}, {ID: "two"}}))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: `
resource "terraform_data" "uploaded" {
  input = "book"
}

resource "audioprojects_project_conversion" "book" {
  project_id = terraform_data.uploaded.output
}
`,
				ConfigPlanChecks: acctest.Plan(
					plancheck.ExpectResourceAction(book, plancheck.ResourceActionCreate),
					plancheck.ExpectUnknownValue(book, tfjsonpath.New("project_id")),
					plancheck.ExpectUnknownValue(book, tfjsonpath.New("id")),
				),
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(book, tfjsonpath.New("id"), knownvalue.StringExact("book"))},
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 2)
}

func TestAccProjectConversionResource_withoutChapters(t *testing.T) {
	const book = "audioprojects_project_conversion.book"
	service := acctest.NewService(t, acctest.BookOf(nil))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: acctest.BookBlock(``),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(book, tfjsonpath.New("chapter_count"), knownvalue.Int64Exact(0)),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("characters_unconverted"), knownvalue.Int64Exact(0)),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("last_conversion_date_unix"), knownvalue.Null()),
				},
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 0)
}
