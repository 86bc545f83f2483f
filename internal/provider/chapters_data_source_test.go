package provider_test

import (
	"testing"

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
		},
	})
	service.WantCount(mockserver.ConvertChapter, 0)
	service.WantCount(mockserver.GetProject, 0)
}
