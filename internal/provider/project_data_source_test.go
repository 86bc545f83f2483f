package provider_test

import (
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const bookBlock = `
data "audioprojects_project" "book" {
  project_id = "book"
}

output "all" {
  value = data.audioprojects_project.book
}
`

// wantProject is a project with these fields; the others are null.
func wantProject(fields map[string]knownvalue.Check) knownvalue.Check {
	return wantObject(fields, "project_id", "name", "create_date_unix", "default_title_voice_id", "default_paragraph_voice_id",
		"default_model_id", "can_be_downloaded", "volume_normalization", "state", "access_level", "quality_check_on",
		"quality_check_on_when_bulk_convert", "quality_preset", "chapters", "pronunciation_dictionary_versions",
		"apply_text_normalization", "experimental", "last_conversion_date_unix", "title", "author", "description", "genres",
		"cover_image_url", "target_audience", "language", "content_type", "original_publication_date", "mature_content",
		"isbn_number", "fiction", "creation_meta", "chapter_ids", "characters_converted", "characters_unconverted")
}

func TestAccProjectDataSource(t *testing.T) {
	t.Parallel()
	project := mockserver.Audiobook(0)
	project.ID, project.Name, project.Chapters = "book", "Port Esker, second draft", chaptersOfEveryKind
	project.CreatedAt = time.Unix(1690000000, 0)
	project.AccessLevel = "editor"
	project.Experimental = map[string]any{"pauses": map[string]any{"long": 1.5}, "beta": true}
	project.CreationMeta = &mockserver.CreationMeta{Progress: 37.5, Status: "pending", Type: "blank"}
	project.PronunciationDictionaryVersions = append(project.PronunciationDictionaryVersions,
		mockserver.PronunciationDictionaryVersion{VersionID: "a", DictionaryID: "b", CreationTimeUnix: 1735689601})
	service := newService(t, project)
	service.startBook()
	run(t, resource.TestStep{
		Config: service.Config(bookBlock),
		ConfigStateChecks: wantOutput(wantProject(map[string]knownvalue.Check{
			"project_id":                         knownvalue.StringExact("book"),
			"name":                               knownvalue.StringExact("Port Esker, second draft"),
			"create_date_unix":                   knownvalue.Int64Exact(1690000000),
			"default_title_voice_id":             knownvalue.StringExact("voice-harbour-master"),
			"default_paragraph_voice_id":         knownvalue.StringExact("voice-storyteller"),
			"default_model_id":                   knownvalue.StringExact("model-narration"),
			"can_be_downloaded":                  knownvalue.Bool(true),
			"volume_normalization":               knownvalue.Bool(true),
			"state":                              knownvalue.StringExact("converting"),
			"access_level":                       knownvalue.StringExact("editor"),
			"quality_check_on":                   knownvalue.Bool(true),
			"quality_check_on_when_bulk_convert": knownvalue.Bool(false),
			"quality_preset":                     knownvalue.StringExact("high"),
			"chapters":                           wantChapters,
			"chapter_ids":                        wantChapterIDs,
			"characters_converted":               knownvalue.Int64Exact(17),
			"characters_unconverted":             knownvalue.Int64Exact(36),
			"pronunciation_dictionary_versions": knownvalue.ListExact([]knownvalue.Check{
				knownvalue.ObjectExact(map[string]knownvalue.Check{
					"version_id":                  knownvalue.StringExact("dictionary-esker-2"),
					"pronunciation_dictionary_id": knownvalue.StringExact("dictionary-esker"),
					"dictionary_name":             knownvalue.StringExact("Names of the Esker coast"),
					"version_name":                knownvalue.StringExact("second reading"),
					"created_by":                  knownvalue.StringExact("editor@example.com"),
					"creation_time_unix":          knownvalue.Int64Exact(1735689600),
				}),
				knownvalue.ObjectPartial(map[string]knownvalue.Check{
					"version_id":         knownvalue.StringExact("a"),
					"creation_time_unix": knownvalue.Int64Exact(1735689601),
				}),
			}),
			"apply_text_normalization":  knownvalue.StringExact("apply_english"),
			"experimental":              knownvalue.StringExact(`{"beta":true,"pauses":{"long":1.5}}`),
			"last_conversion_date_unix": knownvalue.Int64Exact(1700000001),
			"title":                     knownvalue.StringExact("The Lamplighter of Port Esker"),
			"author":                    knownvalue.StringExact("Ottilie Marrow"),
			"description":               knownvalue.StringExact("A harbour town loses its light, and one apprentice rows out to fetch it back."),
			"genres": knownvalue.ListExact([]knownvalue.Check{
				knownvalue.StringExact("Adventure"), knownvalue.StringExact("Sea stories"),
			}),
			"cover_image_url":           knownvalue.StringExact("https://example.com/covers/port-esker.png"),
			"target_audience":           knownvalue.StringExact("all ages"),
			"language":                  knownvalue.StringExact("en"),
			"content_type":              knownvalue.StringExact("Novella"),
			"original_publication_date": knownvalue.StringExact("2024-11-05"),
			"mature_content":            knownvalue.Bool(false),
			"isbn_number":               knownvalue.StringExact("978-0-00-000000-2"),
			"fiction":                   knownvalue.StringExact("fiction"),
			"creation_meta": knownvalue.ObjectExact(map[string]knownvalue.Check{
				"creation_progress": knownvalue.Float64Exact(37.5),
				"status":            knownvalue.StringExact("pending"),
				"type":              knownvalue.StringExact("blank"),
			}),
		})),
	})
	service.WantCount(mockserver.ListChapters, 0)
}

func TestAccProjectDataSourceWithoutAnythingOptional(t *testing.T) {
	t.Parallel()
	service := newService(t, mockserver.Project{ID: "book", CreatedAt: time.Unix(1690000000, 0)})
	want := wantOutput(wantProject(map[string]knownvalue.Check{
		"project_id":                         knownvalue.StringExact("book"),
		"name":                               knownvalue.StringExact("book"),
		"create_date_unix":                   knownvalue.Int64Exact(1690000000),
		"default_title_voice_id":             knownvalue.StringExact("voice-title"),
		"default_paragraph_voice_id":         knownvalue.StringExact("voice-paragraph"),
		"default_model_id":                   knownvalue.StringExact("model-1"),
		"can_be_downloaded":                  knownvalue.Bool(false),
		"volume_normalization":               knownvalue.Bool(false),
		"state":                              knownvalue.StringExact("default"),
		"access_level":                       knownvalue.StringExact("admin"),
		"quality_check_on":                   knownvalue.Bool(false),
		"quality_check_on_when_bulk_convert": knownvalue.Bool(false),
		"quality_preset":                     knownvalue.StringExact("standard"),
		"chapters":                           knownvalue.ListExact([]knownvalue.Check{}),
		"chapter_ids":                        knownvalue.ListExact([]knownvalue.Check{}),
		"characters_converted":               knownvalue.Int64Exact(0),
		"characters_unconverted":             knownvalue.Int64Exact(0),
		"pronunciation_dictionary_versions":  knownvalue.ListExact([]knownvalue.Check{}),
		"apply_text_normalization":           knownvalue.StringExact("auto"),
		"experimental":                       knownvalue.StringExact("{}"),
	}))
	run(t,
		resource.TestStep{Config: service.Config(bookBlock), ConfigStateChecks: want},
		resource.TestStep{
			PreConfig:         func() { service.SetHabits(mockserver.Habits{OmitsUnset: true}) },
			Config:            service.Config(bookBlock),
			ConfigStateChecks: want,
		},
	)
}

func TestAccProjectDataSourceReadsTolerantly(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer string
		want   map[string]knownvalue.Check
	}{
		"without what the document requires": {
			`{"project_id": "book"}`,
			map[string]knownvalue.Check{"project_id": knownvalue.StringExact("book")},
		},
		"with what the document does not name": {
			`{
				"project_id": "book", "mood": {"a": "field nobody named"},
				"state": "asleep", "quality_preset": "cosmic", "target_audience": "cats",
				"create_date_unix": 1.69e9, "chapters": null, "genres": ["Sea stories", null],
				"experimental": { "text": "<&>ü",  "big": 12345678901234567890, "a": [1.50, null] },
				"creation_meta": {"creation_progress": 99.9},
				"pronunciation_dictionary_versions": [{"version_id": "v"}]
			}`,
			map[string]knownvalue.Check{
				"project_id":       knownvalue.StringExact("book"),
				"state":            knownvalue.StringExact("asleep"),
				"quality_preset":   knownvalue.StringExact("cosmic"),
				"target_audience":  knownvalue.StringExact("cats"),
				"create_date_unix": knownvalue.Int64Exact(1690000000),
				"genres":           knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact("Sea stories"), knownvalue.Null()}),
				"experimental":     knownvalue.StringExact(`{"a":[1.50,null],"big":12345678901234567890,"text":"<&>ü"}`),
				"creation_meta": wantObject(map[string]knownvalue.Check{"creation_progress": knownvalue.Float64Exact(99.9)},
					"creation_progress", "status", "type"),
				"pronunciation_dictionary_versions": knownvalue.ListExact([]knownvalue.Check{
					wantObject(map[string]knownvalue.Check{"version_id": knownvalue.StringExact("v")}, "version_id",
						"pronunciation_dictionary_id", "dictionary_name", "version_name", "created_by", "creation_time_unix"),
				}),
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := newFaultyService(t)
			service.Inject(mockserver.Fault{Times: -1, Body: test.answer})
			run(t, resource.TestStep{
				Config:            service.Config(bookBlock),
				ConfigStateChecks: wantOutput(wantProject(test.want)),
			})
		})
	}
}
