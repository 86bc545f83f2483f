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

// Every field of a project is an attribute, nested objects included.
func TestAccProjectDataSource(t *testing.T) {
	project := mockserver.Audiobook(0)
	project.CreatedAt = time.Unix(1690000000, 0)
	project.AccessLevel = "editor"
	project.Experimental = map[string]any{"pauses": map[string]any{"long": 1.5}, "beta": true}
	project.Chapters = []mockserver.Chapter{
		{ID: "never", Name: "Never converted", Text: "Twelve words.\n\nAnd more."},
		{
			ID: "edited", Name: "Edited", Text: "The lamp was lit.", Converted: true, ConvertedAt: time.Unix(1700000001, 0),
			Error: "The voice was hoarse.",
		},
		{ID: "busy", Name: "Converting", Text: "Row.", Conversions: []mockserver.Conversion{{Takes: 1000 * time.Hour}}},
	}
	service := acctest.NewService(t, project)
	service.EditChapter("audiobook", "edited", "The lamp was lit.\n\nIt was.\n\nOh.")
	service.Convert("audiobook", "busy")

	const book = "data.audioprojects_project.book"
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				ConfigFile: acctest.Example("data-sources/audioprojects_project/data-source.tf"),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(book, tfjsonpath.New("project_id"), knownvalue.StringExact("audiobook")),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("name"), knownvalue.StringExact("The Lamplighter of Port Esker")),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("create_date_unix"), knownvalue.Int64Exact(1690000000)),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("default_title_voice_id"), knownvalue.StringExact("voice-harbour-master")),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("default_paragraph_voice_id"), knownvalue.StringExact("voice-storyteller")),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("default_model_id"), knownvalue.StringExact("model-narration")),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("can_be_downloaded"), knownvalue.Bool(true)),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("volume_normalization"), knownvalue.Bool(true)),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("state"), knownvalue.StringExact("converting")),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("access_level"), knownvalue.StringExact("editor")),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("quality_check_on"), knownvalue.Bool(true)),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("quality_check_on_when_bulk_convert"), knownvalue.Bool(false)),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("quality_preset"), knownvalue.StringExact("high")),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("apply_text_normalization"), knownvalue.StringExact("apply_english")),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("experimental"),
						knownvalue.StringExact(`{"beta":true,"pauses":{"long":1.5}}`)),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("last_conversion_date_unix"), knownvalue.Int64Exact(1700000001)),

					// The work.
					statecheck.ExpectKnownValue(book, tfjsonpath.New("title"), knownvalue.StringExact("The Lamplighter of Port Esker")),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("author"), knownvalue.StringExact("Ottilie Marrow")),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("description"),
						knownvalue.StringExact("A harbour town loses its light, and one apprentice rows out to fetch it back.")),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("genres"), knownvalue.ListExact([]knownvalue.Check{
						knownvalue.StringExact("Adventure"),
						knownvalue.StringExact("Sea stories"),
					})),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("cover_image_url"),
						knownvalue.StringExact("https://example.com/covers/port-esker.png")),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("target_audience"), knownvalue.StringExact("all ages")),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("language"), knownvalue.StringExact("en")),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("content_type"), knownvalue.StringExact("Novella")),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("original_publication_date"), knownvalue.StringExact("2024-11-05")),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("mature_content"), knownvalue.Bool(false)),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("isbn_number"), knownvalue.StringExact("978-0-00-000000-2")),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("fiction"), knownvalue.StringExact("fiction")),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("creation_meta"),
						knownvalue.ObjectExact(map[string]knownvalue.Check{
							"creation_progress": knownvalue.Float64Exact(100),
							"status":            knownvalue.StringExact("finished"),
							"type":              knownvalue.StringExact("blank"),
						})),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("pronunciation_dictionary_versions"),
						knownvalue.ListExact([]knownvalue.Check{
							knownvalue.ObjectExact(map[string]knownvalue.Check{
								"version_id":                  knownvalue.StringExact("dictionary-esker-2"),
								"pronunciation_dictionary_id": knownvalue.StringExact("dictionary-esker"),
								"dictionary_name":             knownvalue.StringExact("Names of the Esker coast"),
								"version_name":                knownvalue.StringExact("second reading"),
								"created_by":                  knownvalue.StringExact("editor@example.com"),
								"creation_time_unix":          knownvalue.Int64Exact(1735689600),
							}),
						})),

					// The chapters, in the service's order.
					statecheck.ExpectKnownValue(book, tfjsonpath.New("chapters"), knownvalue.ListExact([]knownvalue.Check{
						knownvalue.ObjectPartial(map[string]knownvalue.Check{"chapter_id": knownvalue.StringExact("never"), "state": knownvalue.StringExact("default")}),
						knownvalue.ObjectExact(map[string]knownvalue.Check{
							"chapter_id":                knownvalue.StringExact("edited"),
							"name":                      knownvalue.StringExact("Edited"),
							"state":                     knownvalue.StringExact("default"),
							"conversion_progress":       knownvalue.Null(),
							"can_be_downloaded":         knownvalue.Bool(true),
							"last_conversion_date_unix": knownvalue.Int64Exact(1700000001),
							"last_conversion_error":     knownvalue.StringExact("The voice was hoarse."),
							"statistics": knownvalue.ObjectExact(map[string]knownvalue.Check{
								"characters_unconverted": knownvalue.Int64Exact(10),
								"characters_converted":   knownvalue.Int64Exact(17),
								"paragraphs_converted":   knownvalue.Int64Exact(1),
								"paragraphs_unconverted": knownvalue.Int64Exact(2),
							}),
						}),
						knownvalue.ObjectPartial(map[string]knownvalue.Check{"chapter_id": knownvalue.StringExact("busy"), "state": knownvalue.StringExact("converting")}),
					})),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("chapter_ids"), knownvalue.ListExact([]knownvalue.Check{
						knownvalue.StringExact("never"),
						knownvalue.StringExact("edited"),
						knownvalue.StringExact("busy"),
					})),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("characters_converted"), knownvalue.Int64Exact(17)),
					statecheck.ExpectKnownValue(book, tfjsonpath.New("characters_unconverted"), knownvalue.Int64Exact(36)),

					statecheck.ExpectKnownOutputValue("book", knownvalue.StringExact("The Lamplighter of Port Esker, by Ottilie Marrow")),
					statecheck.ExpectKnownOutputValueAtPath("experimental", tfjsonpath.New("pauses").AtMapKey("long"), knownvalue.Float64Exact(1.5)),
				},
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 0)
}

// What a project does not have is null, whether the service says null or leaves it out.
func TestAccProjectDataSource_unset(t *testing.T) {
	service := acctest.NewService(t, mockserver.Project{ID: "bare", Name: "Bare"})
	const bare = "data.audioprojects_project.bare"
	unset := []statecheck.StateCheck{
		statecheck.ExpectKnownValue(bare, tfjsonpath.New("name"), knownvalue.StringExact("Bare")),
		statecheck.ExpectKnownValue(bare, tfjsonpath.New("title"), knownvalue.Null()),
		statecheck.ExpectKnownValue(bare, tfjsonpath.New("genres"), knownvalue.Null()),
		statecheck.ExpectKnownValue(bare, tfjsonpath.New("mature_content"), knownvalue.Null()),
		statecheck.ExpectKnownValue(bare, tfjsonpath.New("last_conversion_date_unix"), knownvalue.Null()),
		statecheck.ExpectKnownValue(bare, tfjsonpath.New("creation_meta"), knownvalue.Null()),
		statecheck.ExpectKnownValue(bare, tfjsonpath.New("chapters"), knownvalue.ListSizeExact(0)),
		statecheck.ExpectKnownValue(bare, tfjsonpath.New("chapter_ids"), knownvalue.ListSizeExact(0)),
		statecheck.ExpectKnownValue(bare, tfjsonpath.New("characters_unconverted"), knownvalue.Int64Exact(0)),
		statecheck.ExpectKnownValue(bare, tfjsonpath.New("experimental"), knownvalue.StringExact("{}")),
	}
	const config = `
data "audioprojects_project" "bare" {
  project_id = "bare"
}
`
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config:            config,
				ConfigStateChecks: unset,
			},
			{
				PreConfig:         func() { service.SetHabits(mockserver.Habits{OmitsUnset: true}) },
				Config:            config,
				ConfigPlanChecks:  acctest.Plan(plancheck.ExpectEmptyPlan()),
				ConfigStateChecks: unset,
			},
		},
	})
}
