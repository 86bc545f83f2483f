package provider_test

import (
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// One chapter of every kind, in an order that is not alphabetic.
var (
	chaptersOfEveryKind = []mockserver.Chapter{
		{ID: "never", Name: "Never converted", Text: "Twelve words.\n\nAnd more."},
		{
			ID: "edited", Name: "Converted, then edited", Text: "The lamp was lit.",
			Converted: true, ConvertedAt: time.Unix(1700000001, 0), Error: "The voice was hoarse.",
		},
		{ID: "busy", Name: "Converting", Text: "Row.", Conversions: []mockserver.Conversion{{Takes: 1000 * time.Hour}}},
	}
	wantChapters = knownvalue.ListExact([]knownvalue.Check{
		wantChapter(map[string]knownvalue.Check{
			"chapter_id":        knownvalue.StringExact("never"),
			"name":              knownvalue.StringExact("Never converted"),
			"state":             knownvalue.StringExact("default"),
			"can_be_downloaded": knownvalue.Bool(false),
			"statistics":        wantStatistics(22, 0, 0, 2),
		}),
		wantChapter(map[string]knownvalue.Check{
			"chapter_id":                knownvalue.StringExact("edited"),
			"name":                      knownvalue.StringExact("Converted, then edited"),
			"state":                     knownvalue.StringExact("default"),
			"can_be_downloaded":         knownvalue.Bool(true),
			"last_conversion_date_unix": knownvalue.Int64Exact(1700000001),
			"last_conversion_error":     knownvalue.StringExact("The voice was hoarse."),
			"statistics":                wantStatistics(10, 17, 1, 2),
		}),
		wantChapter(map[string]knownvalue.Check{
			"chapter_id":          knownvalue.StringExact("busy"),
			"name":                knownvalue.StringExact("Converting"),
			"state":               knownvalue.StringExact("converting"),
			"conversion_progress": knownvalue.Float64Exact(0),
			"can_be_downloaded":   knownvalue.Bool(false),
			"statistics":          wantStatistics(4, 0, 0, 1),
		}),
	})
	wantChapterIDs = knownvalue.ListExact([]knownvalue.Check{
		knownvalue.StringExact("never"), knownvalue.StringExact("edited"), knownvalue.StringExact("busy"),
	})
)

// wantChapter is a chapter with these fields; the others are null.
func wantChapter(fields map[string]knownvalue.Check) knownvalue.Check {
	return wantObject(fields, "chapter_id", "name", "state", "conversion_progress", "can_be_downloaded",
		"last_conversion_date_unix", "last_conversion_error", "statistics")
}

func wantStatistics(charactersUnconverted, charactersConverted, paragraphsConverted, paragraphsUnconverted int64) knownvalue.Check {
	return knownvalue.ObjectExact(map[string]knownvalue.Check{
		"characters_unconverted": knownvalue.Int64Exact(charactersUnconverted),
		"characters_converted":   knownvalue.Int64Exact(charactersConverted),
		"paragraphs_converted":   knownvalue.Int64Exact(paragraphsConverted),
		"paragraphs_unconverted": knownvalue.Int64Exact(paragraphsUnconverted),
	})
}

// startBook starts the conversions that wantChapters expects.
func (s *service) startBook() {
	s.EditChapter("book", "edited", "The lamp was lit.\n\nIt was.\n\nOh.")
	s.Convert("book", "busy")
}

func TestAccChaptersDataSource(t *testing.T) {
	t.Parallel()
	service := newService(t, mockserver.Project{ID: "book", Chapters: chaptersOfEveryKind})
	service.startBook()
	config := service.Config(`
data "audioprojects_chapters" "book" {
  project_id = "book"
}

output "all" {
  value = data.audioprojects_chapters.book
}
`)
	wantAll := func(chapters, ids, converted, unconverted knownvalue.Check) []statecheck.StateCheck {
		return wantOutput(knownvalue.ObjectExact(map[string]knownvalue.Check{
			"project_id":             knownvalue.StringExact("book"),
			"chapters":               chapters,
			"chapter_ids":            ids,
			"characters_converted":   converted,
			"characters_unconverted": unconverted,
		}))
	}
	wantOfEveryKind := wantAll(wantChapters, wantChapterIDs, knownvalue.Int64Exact(17), knownvalue.Int64Exact(36))
	none := knownvalue.ListExact([]knownvalue.Check{})
	run(t,
		resource.TestStep{Config: config, ConfigStateChecks: wantOfEveryKind},
		resource.TestStep{
			PreConfig:         func() { service.SetHabits(mockserver.Habits{OmitsUnset: true}) },
			Config:            config,
			ConfigStateChecks: wantOfEveryKind,
		},
		resource.TestStep{
			PreConfig: func() {
				for _, chapter := range chaptersOfEveryKind {
					service.RemoveChapter("book", chapter.ID)
				}
			},
			Config:            config,
			ConfigStateChecks: wantAll(none, none, knownvalue.Int64Exact(0), knownvalue.Int64Exact(0)),
		},
	)
}

func TestAccChaptersDataSourceReadsTolerantly(t *testing.T) {
	t.Parallel()
	service := newFaultyService(t)
	service.Inject(mockserver.Fault{Times: -1, Body: `{
		"cursor": "a field nobody named",
		"chapters": [
			{"chapter_id": "bare"},
			{"chapter_id": "odd", "state": "asleep", "conversion_progress": 37.5, "last_conversion_date_unix": 1.7e9,
				"statistics": {"characters_converted": 12.0, "words": 3}}
		]
	}`})
	run(t, resource.TestStep{
		Config: service.Config(`
data "audioprojects_chapters" "book" {
  project_id = "book"
}

output "all" {
  value = data.audioprojects_chapters.book.chapters
}
`),
		ConfigStateChecks: wantOutput(knownvalue.ListExact([]knownvalue.Check{
			wantChapter(map[string]knownvalue.Check{"chapter_id": knownvalue.StringExact("bare")}),
			wantChapter(map[string]knownvalue.Check{
				"chapter_id":                knownvalue.StringExact("odd"),
				"state":                     knownvalue.StringExact("asleep"),
				"conversion_progress":       knownvalue.Float64Exact(37.5),
				"last_conversion_date_unix": knownvalue.Int64Exact(1700000000),
				"statistics": wantObject(map[string]knownvalue.Check{"characters_converted": knownvalue.Int64Exact(12)},
					"characters_unconverted", "characters_converted", "paragraphs_converted", "paragraphs_unconverted"),
			}),
		})),
	})
}

// TestAccTotalsOfChaptersThatAreNotCounted: an unknown number must not look like 0, or a condition on it would pass.
func TestAccTotalsOfChaptersThatAreNotCounted(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		chapters string
		want     string
	}{
		"no chapters":     {`[]`, "[0,0]"},
		"counted":         {`[{"chapter_id": "a", "statistics": {"characters_converted": 3, "characters_unconverted": 4}}, {"chapter_id": "b", "statistics": {"characters_converted": 5, "characters_unconverted": 0}}]`, "[8,4]"},
		"one is not":      {`[{"chapter_id": "a", "statistics": {"characters_converted": 3, "characters_unconverted": 4}}, {"chapter_id": "b"}]`, "[null,null]"},
		"one count is":    {`[{"chapter_id": "a", "statistics": {"characters_converted": 3}}]`, "[3,null]"},
		"null":            {`[{"chapter_id": "a", "statistics": {"characters_converted": null, "characters_unconverted": 4}}]`, "[null,4]"},
		"too many to add": {`[{"chapter_id": "a", "statistics": {"characters_converted": 9223372036854775807, "characters_unconverted": -1}}, {"chapter_id": "b", "statistics": {"characters_converted": 1, "characters_unconverted": 1}}]`, "[null,null]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := newFaultyService(t)
			service.Inject(mockserver.Fault{Times: -1, Body: `{"project_id": "book", "chapters": ` + test.chapters + `}`})
			want := knownvalue.StringExact(test.want)
			run(t, resource.TestStep{
				Config: service.Config(`
data "audioprojects_chapters" "book" {
  project_id = "book"
}

data "audioprojects_project" "book" {
  project_id = "book"
}

output "chapters" {
  value = jsonencode([data.audioprojects_chapters.book.characters_converted, data.audioprojects_chapters.book.characters_unconverted])
}

output "project" {
  value = jsonencode([data.audioprojects_project.book.characters_converted, data.audioprojects_project.book.characters_unconverted])
}
`),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownOutputValue("chapters", want), statecheck.ExpectKnownOutputValue("project", want),
				},
			})
		})
	}
}
