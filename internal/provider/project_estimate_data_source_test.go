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

func TestAccProjectEstimateDataSource(t *testing.T) {
	service := acctest.NewService(t, mockserver.Audiobook(0))
	const estimate = "data.audioprojects_project_estimate.audiobook"
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				ConfigFile: acctest.Example("data-sources/audioprojects_project_estimate/data-source.tf"),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(estimate, tfjsonpath.New("chapter_count"), knownvalue.Int64Exact(5)),
					statecheck.ExpectKnownValue(estimate, tfjsonpath.New("characters"), knownvalue.Int64Exact(2253)),
					statecheck.ExpectKnownValue(estimate, tfjsonpath.New("chapters").AtSliceIndex(0),
						knownvalue.ObjectExact(map[string]knownvalue.Check{
							"chapter_id": knownvalue.StringExact("chapter-1"),
							"name":       knownvalue.StringExact("The Dark Lantern"),
							"characters": knownvalue.Int64Exact(509),
							"reason":     knownvalue.StringExact("never converted"),
						})),
					statecheck.ExpectKnownOutputValueAtPath("estimate", tfjsonpath.New(0),
						knownvalue.StringExact("509 characters of The Dark Lantern: never converted")),
				},
			},
			// Once everything is converted, there is nothing to pay.
			{
				PreConfig: func() {
					for _, chapter := range mockserver.Audiobook(0).Chapters {
						service.Convert("audiobook", chapter.ID)
					}
				},
				ConfigFile: acctest.Example("data-sources/audioprojects_project_estimate/data-source.tf"),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(estimate, tfjsonpath.New("chapters"), knownvalue.ListSizeExact(0)),
					statecheck.ExpectKnownValue(estimate, tfjsonpath.New("chapter_count"), knownvalue.Int64Exact(0)),
					statecheck.ExpectKnownValue(estimate, tfjsonpath.New("characters"), knownvalue.Int64Exact(0)),
				},
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 0)
}

// An estimate that leaves out what cannot be read would say that it costs nothing.
func TestAccProjectEstimateDataSource_oddChapter(t *testing.T) {
	const config = `
data "audioprojects_project_estimate" "book" {
  project_id = "book"
}
`
	service := acctest.NewFaultyService(t, acctest.BookOf([]mockserver.Chapter{{ID: "one"}, {ID: "two"}}))
	service.SetField("book", "two", "last_conversion_date_unix", `"today"`)
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config:      config,
				ExpectError: regexp.MustCompile(`(?s)Unable to read project "book".*- "two": last_conversion_date_unix contains a JSON string: "today"`),
			},
			{
				PreConfig: func() { service.SetField("book", "two", "last_conversion_date_unix", "") },
				Config:    config,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.audioprojects_project_estimate.book", tfjsonpath.New("chapter_count"), knownvalue.Int64Exact(2)),
				},
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 0)
}

// The arguments are those of audioprojects_project_conversion. Each chapter has the reason why it would be converted.
func TestAccProjectEstimateDataSource_arguments(t *testing.T) {
	service := acctest.NewService(t, mockserver.Project{ID: "book", Chapters: []mockserver.Chapter{
		{ID: "converted", Name: "Converted", Text: "Wren rowed.", Converted: true, ConvertedAt: time.Unix(1700000000, 0)},
		{ID: "edited", Name: "Edited", Text: "Wren slept.", Converted: true, ConvertedAt: time.Unix(1700000001, 0)},
		{ID: "never", Name: "Never converted", Text: "Twelve words."},
		{ID: "failed", Name: "Failed", Text: "Row.", Conversions: []mockserver.Conversion{{Fails: "Hoarse."}}},
		// Nobody asks for what is being converted already.
		{ID: "busy", Name: "Busy", Conversions: []mockserver.Conversion{{Takes: 1000 * time.Hour}}},
	}})
	service.EditChapter("book", "edited", "The lamp was out.\n\nOh.")
	service.Convert("book", "failed")
	service.Convert("book", "busy")

	edited := knownvalue.ObjectExact(map[string]knownvalue.Check{
		"chapter_id": knownvalue.StringExact("edited"),
		"name":       knownvalue.StringExact("Edited"),
		"characters": knownvalue.Int64Exact(20),
		"reason":     knownvalue.StringExact("edited"),
	})
	never := knownvalue.ObjectExact(map[string]knownvalue.Check{
		"chapter_id": knownvalue.StringExact("never"),
		"name":       knownvalue.StringExact("Never converted"),
		"characters": knownvalue.Int64Exact(13),
		"reason":     knownvalue.StringExact("never converted"),
	})
	failed := knownvalue.ObjectExact(map[string]knownvalue.Check{
		"chapter_id": knownvalue.StringExact("failed"),
		"name":       knownvalue.StringExact("Failed"),
		"characters": knownvalue.Int64Exact(4),
		"reason":     knownvalue.StringExact("failed before"),
	})
	const (
		all     = "data.audioprojects_project_estimate.all"
		some    = "data.audioprojects_project_estimate.some"
		without = "data.audioprojects_project_estimate.without"
		again   = "data.audioprojects_project_estimate.again"
	)
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: `
data "audioprojects_project_estimate" "all" {
  project_id = "book"
}

data "audioprojects_project_estimate" "some" {
  project_id  = "book"
  chapter_ids = ["converted", "failed"]
}

data "audioprojects_project_estimate" "without" {
  project_id          = "book"
  exclude_chapter_ids = ["edited"]
}

data "audioprojects_project_estimate" "again" {
  project_id          = "book"
  exclude_chapter_ids = ["never", "failed", "busy"]
  converted_after     = "2024-01-01T00:00:00Z"
}
`,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(all, tfjsonpath.New("chapters"),
						knownvalue.ListExact([]knownvalue.Check{edited, never, failed})),
					statecheck.ExpectKnownValue(all, tfjsonpath.New("chapter_count"), knownvalue.Int64Exact(3)),
					statecheck.ExpectKnownValue(all, tfjsonpath.New("characters"), knownvalue.Int64Exact(37)),

					statecheck.ExpectKnownValue(some, tfjsonpath.New("chapters"),
						knownvalue.ListExact([]knownvalue.Check{failed})),
					statecheck.ExpectKnownValue(some, tfjsonpath.New("characters"), knownvalue.Int64Exact(4)),

					statecheck.ExpectKnownValue(without, tfjsonpath.New("chapters"),
						knownvalue.ListExact([]knownvalue.Check{never, failed})),
					statecheck.ExpectKnownValue(without, tfjsonpath.New("chapter_count"), knownvalue.Int64Exact(2)),

					// A chapter that was converted before the time counts with all its characters.
					statecheck.ExpectKnownValue(again, tfjsonpath.New("chapters"), knownvalue.ListExact([]knownvalue.Check{
						knownvalue.ObjectExact(map[string]knownvalue.Check{
							"chapter_id": knownvalue.StringExact("converted"),
							"name":       knownvalue.StringExact("Converted"),
							"characters": knownvalue.Int64Exact(11),
							"reason":     knownvalue.StringExact("converted before the time"),
						}),
						knownvalue.ObjectPartial(map[string]knownvalue.Check{
							"chapter_id": knownvalue.StringExact("edited"),
							"reason":     knownvalue.StringExact("converted before the time"),
						}),
					})),
					statecheck.ExpectKnownValue(again, tfjsonpath.New("characters"), knownvalue.Int64Exact(31)),
				},
			},
			// What is not counted has no sum: 0 would pass a condition that it should not.
			{
				PreConfig: func() { service.SetHabits(mockserver.Habits{NoStatistics: true}) },
				Config: `
data "audioprojects_project_estimate" "some" {
  project_id  = "book"
  chapter_ids = ["never"]
}
`,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(some, tfjsonpath.New("chapters").AtSliceIndex(0),
						knownvalue.ObjectExact(map[string]knownvalue.Check{
							"chapter_id": knownvalue.StringExact("never"),
							"name":       knownvalue.StringExact("Never converted"),
							"characters": knownvalue.Null(),
							"reason":     knownvalue.Null(),
						})),
					statecheck.ExpectKnownValue(some, tfjsonpath.New("chapter_count"), knownvalue.Int64Exact(1)),
					statecheck.ExpectKnownValue(some, tfjsonpath.New("characters"), knownvalue.Null()),
				},
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 0)
}

// What a plan of the resource would refuse has no estimate.
func TestAccProjectEstimateDataSource_refused(t *testing.T) {
	service := acctest.NewService(t, mockserver.Audiobook(0))
	service.AddKey(mockserver.Key{Secret: "stranger", NoAccess: true})
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: `
data "audioprojects_project_estimate" "some" {
  project_id  = "audiobook"
  chapter_ids = ["chapter-8"]
}
`,
				ExpectError: regexp.MustCompile(`Chapters that the project does not have(?s:.*)chapter-8`),
			},
			// A chapter that is left out may be gone. The warning is in TestAnEstimateWithoutAnExcludedChapter.
			{
				Config: `
data "audioprojects_project_estimate" "without" {
  project_id          = "audiobook"
  exclude_chapter_ids = ["chapter-9"]
}
`,
			},
			{
				PreConfig: func() { service.WantCount(mockserver.ConvertChapter, 0) },
				Config: `
data "audioprojects_project_estimate" "audiobook" {
  project_id = "nowhere"
}
`,
				ExpectError: regexp.MustCompile(`Unable to read project "nowhere"(?s:.*)404 Not Found`),
			},
			{
				PreConfig: func() { service.WantCount(mockserver.ConvertChapter, 0) },
				Config: `
provider "audioprojects" {
  api_key = "no-such-key"
}

data "audioprojects_project_estimate" "audiobook" {
  project_id = "audiobook"
}
`,
				ExpectError: regexp.MustCompile(`401 Unauthorized`),
			},
			{
				PreConfig: func() { service.WantCount(mockserver.ConvertChapter, 0) },
				Config: `
provider "audioprojects" {
  api_key = "stranger"
}

data "audioprojects_project_estimate" "audiobook" {
  project_id = "audiobook"
}
`,
				ExpectError: regexp.MustCompile(`403 Forbidden`),
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 0)
}

// What is wrong in the configuration alone is found before anything is asked.
func TestAccProjectEstimateDataSource_badArguments(t *testing.T) {
	service := acctest.NewService(t, mockserver.Audiobook(0))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: `
data "audioprojects_project_estimate" "audiobook" {
  project_id          = "audiobook"
  chapter_ids         = ["chapter-1"]
  exclude_chapter_ids = ["chapter-2"]
}
`,
				ExpectError: regexp.MustCompile(`Invalid Attribute Combination`),
			},
			{
				Config: `
data "audioprojects_project_estimate" "audiobook" {
  project_id      = "audiobook"
  converted_after = "2999-01-01T00:00:00Z"
}
`,
				ExpectError: regexp.MustCompile(`Time in the future`),
			},
			{
				Config: `
data "audioprojects_project_estimate" "audiobook" {
  project_id      = "audiobook"
  converted_after = "yesterday"
}
`,
				ExpectError: regexp.MustCompile(`Invalid time`),
			},
			{
				Config: `
data "audioprojects_project_estimate" "audiobook" {
  project_id  = "audiobook"
  chapter_ids = [""]
}
`,
				ExpectError: regexp.MustCompile(`chapter_ids.* value must be none of`),
			},
		},
	})
	service.WantRequests(nil)
}
