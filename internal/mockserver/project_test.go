package mockserver_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// required and optional are the fields of section 2.1.
var (
	required = strings.Fields(`
		project_id name create_date_unix default_title_voice_id default_paragraph_voice_id
		default_model_id can_be_downloaded volume_normalization state access_level quality_check_on
		quality_check_on_when_bulk_convert quality_preset chapters pronunciation_dictionary_versions
		apply_text_normalization experimental`)
	optional = strings.Fields(`
		last_conversion_date_unix title author description genres cover_image_url target_audience
		language content_type original_publication_date mature_content isbn_number fiction creation_meta`)
)

func TestFieldsOfProjects(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		project mockserver.Project
		habits  mockserver.Habits
		fields  []string
		unset   []string
	}{
		{"the least", mockserver.Project{ID: "p"}, mockserver.Habits{}, slices.Concat(required, optional), optional},
		{"the least, unset left out", mockserver.Project{ID: "p"}, mockserver.Habits{OmitsUnset: true}, required, nil},
		{"audiobook", mockserver.Audiobook(0), mockserver.Habits{OmitsUnset: true},
			slices.DeleteFunc(slices.Concat(required, optional), func(field string) bool {
				return field == "last_conversion_date_unix"
			}), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := inMemory(t, test.project)
				s.SetHabits(test.habits)
				project := s.get("/v1/projects/" + test.project.ID)
				slices.Sort(test.fields)
				if got := slices.Sorted(maps.Keys(project)); !slices.Equal(got, test.fields) {
					t.Errorf("fields:\n got %v\nwant %v", got, test.fields)
				}
				for field, value := range project {
					if unset := slices.Contains(test.unset, field); unset != (value == nil) {
						t.Errorf("%s: got %v", field, value)
					}
				}
			})
		})
	}
}

func TestAProjectsStateFollowsItsChapters(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		takes := []mockserver.Conversion{{Queued: time.Second, Takes: time.Second}}
		s := inMemory(t, mockserver.Project{ID: "p", Chapters: []mockserver.Chapter{
			{ID: "c1", Conversions: takes}, {ID: "c2", Conversions: takes},
		}})
		check := func(state string, downloadable bool) {
			t.Helper()
			project := s.get("/v1/projects/p")
			if project["state"] != state || project["can_be_downloaded"] != downloadable {
				t.Errorf("got %v %v, want %v %v",
					project["state"], project["can_be_downloaded"], state, downloadable)
			}
		}
		check("default", false)
		s.convert("p", "c1")
		check("in_queue", false)
		time.Sleep(time.Second)
		s.convert("p", "c2")
		check("converting", false)
		time.Sleep(time.Second)
		check("converting", true)
		time.Sleep(time.Second)
		check("default", true)
	})
}

func TestListProjects(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := inMemory(t, mockserver.Project{ID: "p1"}, mockserver.Project{ID: "p2", Name: "old"})
		s.AddProject(mockserver.Project{ID: "p2", Name: "new"})
		projects := s.get("/v1/projects")
		if got := projects.ids("projects", "name"); got != "p1 new" {
			t.Errorf("got %s", got)
		}
		if _, ok := projects.list("projects")[0]["chapters"]; ok {
			t.Error("the list of projects has chapters")
		}
	})
}

func TestEditedParagraphsAreUnconverted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := inMemory(t, mockserver.Project{ID: "p", Chapters: []mockserver.Chapter{{
			ID: "c", Text: "Erster\n\nZweiter", Converted: true,
			Conversions: []mockserver.Conversion{{Takes: time.Minute}},
		}}})
		check := func(converted, unconverted, paragraphsConverted, paragraphsUnconverted float64) {
			t.Helper()
			got := s.get("/v1/projects/p/chapters").list("chapters")[0]["statistics"].(map[string]any)
			want := map[string]any{
				"characters_converted": converted, "characters_unconverted": unconverted,
				"paragraphs_converted": paragraphsConverted, "paragraphs_unconverted": paragraphsUnconverted,
			}
			if !maps.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		}
		check(13, 0, 2, 0)
		s.EditChapter("p", "c", "Erster\n\nDrücke\n\n\n\nDritter")
		check(6, 13, 1, 2)
		s.convert("p", "c")
		time.Sleep(time.Second)
		s.EditChapter("p", "c", "Erster\n\nDrücke\n\nVierter!")
		check(6, 14, 1, 2)
		time.Sleep(time.Minute)
		check(12, 8, 2, 1)
	})
}

func TestRemovedChapter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := inMemory(t, mockserver.Project{ID: "p", Chapters: []mockserver.Chapter{{ID: "c1"}, {ID: "c2"}}})
		s.SetHabits(mockserver.Habits{StaleLists: time.Second})
		s.RemoveChapter("p", "c1")
		if got := s.get("/v1/projects/p/chapters").ids("chapters", "chapter_id"); got != "c1 c2" {
			t.Errorf("stale list: got %s", got)
		}
		if got := s.convert("p", "c1"); got != http.StatusNotFound {
			t.Errorf("convert: got %d, want 404", got)
		}
		time.Sleep(time.Second)
		if got := s.get("/v1/projects/p/chapters").ids("chapters", "chapter_id"); got != "c2" {
			t.Errorf("list: got %s", got)
		}
	})
}

func TestReplicasAnswerInTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := inMemory(t, mockserver.Project{ID: "p", Chapters: []mockserver.Chapter{{ID: "c1"}, {ID: "c2"}}})
		s.SetHabits(mockserver.Habits{StaleLists: time.Second, Replicas: 3})
		s.RemoveChapter("p", "c1")
		var got []string
		for range 5 {
			got = append(got, s.get("/v1/projects/p/chapters").ids("chapters", "chapter_id"))
		}
		if shown, want := strings.Join(got, ", "), "c1 c2, c2, c2, c1 c2, c2"; shown != want {
			t.Errorf("got %s, want %s", shown, want)
		}
	})
}
