package provider_test

import (
	"regexp"
	"strings"
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
					statecheck.ExpectKnownValue(book, tfjsonpath.New("chapters").AtSliceIndex(0).AtMapKey("statistics"), knownvalue.Null()),
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

// A field that decides nothing and has another type is null. One that a conversion depends on is an error of the whole list: no chapter
// is missing without a word.
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
	fails := func(field, odd, says string) resource.TestStep {
		return resource.TestStep{
			PreConfig: func() {
				service.SetField("book", "two", "chapter_id", "")
				service.SetField("book", "two", field, odd)
			},
			Config:      config,
			ExpectError: regexp.MustCompile(`Unable to read chapters of project "book"(?s:.*)` + strings.ReplaceAll(regexp.QuoteMeta(says), " ", `[\s│]+`)),
		}
	}
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
							"chapter_id": knownvalue.StringExact("two"), "last_conversion_error": knownvalue.StringExact("Too long"),
						}),
					})),
				},
			},
			fails("chapter_id", `"one"`, `the answer contains chapter "one" twice, with different contents`),
			fails("chapter_id", `7`, `element 1 of the answer's chapters has no chapter_id`),
			fails("statistics", `"none"`, `the field statistics of chapter_id "two" has another type than documented: "none"`),
		},
	})
}
