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

func TestAccChaptersDataSource(t *testing.T) {
	service := acctest.NewService(t, mockserver.Audiobook(0))
	const book = "data.audioprojects_chapters.book"
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				ConfigFile: acctest.Example("data-sources/audioprojects_chapters/data-source.tf"),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(book, tfjsonpath.New("chapters"), knownvalue.ListSizeExact(5)),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("chapter_ids"), knownvalue.ListExact([]knownvalue.Check{
						knownvalue.StringExact("chapter-1"),
						knownvalue.StringExact("chapter-2"),
						knownvalue.StringExact("chapter-3"),
						knownvalue.StringExact("chapter-4"),
						knownvalue.StringExact("chapter-5"),
					})),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("chapters").AtSliceIndex(0),
						knownvalue.ObjectExact(map[string]knownvalue.Check{
							"chapter_id":                knownvalue.StringExact("chapter-1"),
							"name":                      knownvalue.StringExact("The Dark Lantern"),
							"state":                     knownvalue.StringExact("default"),
							"conversion_progress":       knownvalue.Null(),
							"can_be_downloaded":         knownvalue.Bool(false),
							"last_conversion_date_unix": knownvalue.Null(),
							"last_conversion_error":     knownvalue.Null(),
							"statistics": knownvalue.ObjectExact(map[string]knownvalue.Check{
								"characters_unconverted": knownvalue.Int64Exact(509),
								"characters_converted":   knownvalue.Int64Exact(0),
								"paragraphs_converted":   knownvalue.Int64Exact(0),
								"paragraphs_unconverted": knownvalue.Int64Exact(2),
							}),
						})),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("characters_converted"), knownvalue.Int64Exact(0)),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("characters_unconverted"), knownvalue.Int64Exact(2253)),
					statecheck.ExpectKnownOutputValue("characters_unconverted", knownvalue.Int64Exact(2253)),
					statecheck.ExpectKnownOutputValue("unconverted", knownvalue.TupleExact([]knownvalue.Check{
						knownvalue.StringExact("The Dark Lantern"),
						knownvalue.StringExact("A Borrowed Boat"),
						knownvalue.StringExact("Crossing"),
						knownvalue.StringExact("The Keeper of Gull Rock"),
						knownvalue.StringExact("Every Window Lit"),
					})),
				},
			},
			// Somebody converts a chapter and edits it. Every read asks the service afresh.
			{
				PreConfig: func() {
					service.EditChapter("audiobook", "chapter-1", "The lamp was lit.")
					service.Convert("audiobook", "chapter-1")
					service.EditChapter("audiobook", "chapter-1", "The lamp was lit.\n\nOh.")
				},
				ConfigFile: acctest.Example("data-sources/audioprojects_chapters/data-source.tf"),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(book, tfjsonpath.New("chapters").AtSliceIndex(0),
						knownvalue.ObjectPartial(map[string]knownvalue.Check{
							"conversion_progress":       knownvalue.Float64Exact(100),
							"can_be_downloaded":         knownvalue.Bool(true),
							"last_conversion_date_unix": knownvalue.NotNull(),
							"statistics": knownvalue.ObjectExact(map[string]knownvalue.Check{
								"characters_unconverted": knownvalue.Int64Exact(3),
								"characters_converted":   knownvalue.Int64Exact(17),
								"paragraphs_converted":   knownvalue.Int64Exact(1),
								"paragraphs_unconverted": knownvalue.Int64Exact(1),
							}),
						})),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("characters_converted"), knownvalue.Int64Exact(17)),
				},
			},
			// What is not counted has no sum: 0 would pass a condition that it should not.
			{
				PreConfig: func() { service.SetHabits(mockserver.Habits{NoStatistics: true}) },
				Config: `
data "audioprojects_chapters" "book" {
  project_id = "audiobook"
}
`,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(book, tfjsonpath.New("chapters").AtSliceIndex(0).AtMapKey("statistics"),
						knownvalue.Null()),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("characters_converted"), knownvalue.Null()),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("characters_unconverted"), knownvalue.Null()),
				},
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 0)
	service.WantCount(mockserver.GetProject, 0)
}

// A chapter shows what goes on at the service, and how its last conversion ended.
func TestAccChaptersDataSource_states(t *testing.T) {
	service := acctest.NewService(t, mockserver.Project{ID: "book", Chapters: []mockserver.Chapter{
		{ID: "busy", Conversions: []mockserver.Conversion{{Takes: 1000 * time.Hour}}},
		{ID: "queued", Conversions: []mockserver.Conversion{{Queued: 1000 * time.Hour}}},
		{ID: "failed", Conversions: []mockserver.Conversion{{Fails: "The voice was hoarse."}}},
	}})
	service.Convert("book", "busy")
	service.Convert("book", "queued")
	service.Convert("book", "failed")

	const book = "data.audioprojects_chapters.book"
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: `
data "audioprojects_chapters" "book" {
  project_id = "book"
}
`,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(book, tfjsonpath.New("chapters"), knownvalue.ListExact([]knownvalue.Check{
						knownvalue.ObjectPartial(map[string]knownvalue.Check{
							"state":               knownvalue.StringExact("converting"),
							"conversion_progress": knownvalue.Float64Exact(0),
						}),
						knownvalue.ObjectPartial(map[string]knownvalue.Check{
							"state":               knownvalue.StringExact("in_queue"),
							"conversion_progress": knownvalue.Null(),
						}),
						knownvalue.ObjectPartial(map[string]knownvalue.Check{
							"state":                 knownvalue.StringExact("default"),
							"last_conversion_error": knownvalue.StringExact("The voice was hoarse."),
						}),
					})),
				},
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 0)
}

func TestAccChaptersDataSource_refused(t *testing.T) {
	service := acctest.NewService(t, mockserver.Audiobook(0))
	service.AddKey(mockserver.Key{Secret: "projects-only", Scopes: []mockserver.Operation{mockserver.GetProject}})
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: `
data "audioprojects_chapters" "book" {
  project_id = "nowhere"
}
`,
				ExpectError: regexp.MustCompile(`Unable to read chapters of project "nowhere"(?s:.*)404 Not Found`),
			},
			{
				PreConfig: func() {
					service.WantRequests(map[mockserver.Operation]int{mockserver.ListChapters: 1})
				},
				Config: `
provider "audioprojects" {
  api_key = "projects-only"
}

data "audioprojects_chapters" "book" {
  project_id = "audiobook"
}
`,
				ExpectError: regexp.MustCompile(`Unable to read chapters of project "audiobook"(?s:.*)403 Forbidden`),
			},
			{
				PreConfig: func() {
					service.WantRequests(map[mockserver.Operation]int{mockserver.ListChapters: 1})
				},
				Config: `
provider "audioprojects" {
  api_key = "no-such-key"
}

data "audioprojects_chapters" "book" {
  project_id = "audiobook"
}
`,
				ExpectError: regexp.MustCompile(`401 Unauthorized`),
			},
			{
				PreConfig: func() {
					service.WantRequests(map[mockserver.Operation]int{mockserver.ListChapters: 1})
				},
				Config: `
data "audioprojects_chapters" "book" {
  project_id = ""
}
`,
				ExpectError: regexp.MustCompile(`Attribute project_id value must be none of`),
			},
		},
	})
	service.WantRequests(nil)
}

// A field of another type is null, unless a conversion depends on it: then nobody goes by the list.
func TestAccChaptersDataSource_oddFields(t *testing.T) {
	const (
		book   = "data.audioprojects_chapters.book"
		config = `
data "audioprojects_chapters" "book" {
  project_id = "book"
}
`
	)
	service := acctest.NewFaultyService(t, acctest.BookOf([]mockserver.Chapter{{ID: "one"}, {ID: "two", Name: "The Second"}}))
	service.SetField("book", "one", "name", "7")
	service.SetField("book", "two", "last_conversion_error", `[{"msg":"Too long."}]`)
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: config,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(book, tfjsonpath.New("chapters"), knownvalue.ListExact([]knownvalue.Check{
						knownvalue.ObjectPartial(map[string]knownvalue.Check{
							"chapter_id": knownvalue.StringExact("one"), "name": knownvalue.Null(), "statistics": knownvalue.NotNull(),
						}),
						knownvalue.ObjectPartial(map[string]knownvalue.Check{
							"chapter_id": knownvalue.StringExact("two"), "name": knownvalue.StringExact("The Second"), "statistics": knownvalue.NotNull(),
							"last_conversion_error": knownvalue.StringExact("Too long"),
						}),
					})),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("chapter_ids"), knownvalue.ListSizeExact(2)),
				},
			},
			{
				PreConfig:   func() { service.SetField("book", "two", "statistics", `"none"`) },
				Config:      config,
				ExpectError: regexp.MustCompile(`Unable to read chapters of project "book"(?s:.*)the field statistics of chapter_id\s[│ ]*"two" has another type than documented: "none"`),
			},
			{
				PreConfig:   func() { service.SetField("book", "two", "chapter_id", "7") },
				Config:      config,
				ExpectError: regexp.MustCompile(`Unable to read chapters of project "book"(?s:.*)element 1 of the answer's chapters[\s│]+has no chapter_id`),
			},
		},
	})
}
