package provider_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// hostileProject is a project whose every text is hostile.
func hostileProject(conversions ...mockserver.Conversion) mockserver.Project {
	text := new(hostile)
	return mockserver.Project{
		ID: "book", Name: hostile, State: hostile, AccessLevel: hostile, QualityPreset: hostile, ApplyTextNormalization: hostile,
		Title: text, Author: text, Description: text, Genres: []string{hostile}, CoverImageURL: text, TargetAudience: text,
		Language: text, ContentType: text, OriginalPublicationDate: text, ISBNNumber: text, Fiction: text,
		Experimental: map[string]any{hostile: hostile, "list": []any{hostile}},
		CreationMeta: &mockserver.CreationMeta{Status: hostile, Type: hostile},
		PronunciationDictionaryVersions: []mockserver.PronunciationDictionaryVersion{
			{VersionID: "v", DictionaryID: "d", DictionaryName: hostile, VersionName: hostile, CreatedBy: hostile},
		},
		Chapters: []mockserver.Chapter{{
			ID: "one", Name: hostile, Text: chapterText, Error: hostile, Conversions: conversions,
			Snapshots: []mockserver.ChapterSnapshot{{ID: "old", Name: hostile}},
		}},
		Snapshots: []mockserver.ProjectSnapshot{{ID: "old", Name: hostile}},
	}
}

const outputsOfEveryDataSource = `
data "audioprojects_project" "hostile" {
  project_id = "book"
}

data "audioprojects_chapters" "hostile" {
  project_id = "book"
}

data "audioprojects_chapter_snapshots" "hostile" {
  project_id = "book"
  chapter_id = "one"
}

data "audioprojects_projects" "hostile" {}

data "audioprojects_project_snapshots" "hostile" {
  project_id = "book"
}

resource "audioprojects_project_snapshot_audio" "hostile" {
  project_id          = "book"
  project_snapshot_id = "old"
  filename            = "${path.module}/book.wav"
}

output "all" {
  value = [
    data.audioprojects_project.hostile,
    data.audioprojects_chapters.hostile,
    data.audioprojects_chapter_snapshots.hostile,
    data.audioprojects_projects.hostile,
    data.audioprojects_project_snapshots.hostile,
  ]
}

output "description" {
  value = data.audioprojects_project.hostile.description
}

output "record" {
  value = data.audioprojects_projects.hostile.projects[0].json
}
`

func TestAccHostileServiceLeavesTheScreenAlone(t *testing.T) {
	t.Parallel()
	service := newFaultyService(t, hostileProject(mockserver.Conversion{}, mockserver.Conversion{Fails: hostile}))
	service.Inject(mockserver.Fault{
		Operation: mockserver.StreamSnapshot, Body: "\x00\x01\x02\x03",
		Header: http.Header{"Content-Type": {"audio/\u009b2J\u202ewave"}},
	})
	terraform := newCLI(t, service)
	terraform.Write(outputsOfEveryDataSource, conversionBlock(`triggers = { voice = "Ada" }`))
	for _, arguments := range [][]string{
		{"plan"}, {"apply", "-auto-approve"}, {"show"}, {"output"}, {"output", "-json"}, {"output", "-raw", "description"}, {"output", "-raw", "record"},
	} {
		wantPlain(t, terraform.Run(arguments...))
	}
	clitest.WantScreen(t, []string{terraform.Run("output", "-raw", "description")}, readable)

	terraform.Write(conversionBlock(`triggers = { voice = "Bela" }`))
	screen := terraform.RunFailing("apply", "-auto-approve")
	wantPlain(t, screen)
	clitest.WantScreen(t, []string{screen}, "The conversion failed. The service says: "+readable)
	screen = terraform.Run("plan")
	wantPlain(t, screen)
	clitest.WantScreen(t, []string{screen}, "A conversion requested earlier failed. The service says: "+readable)

}

func TestAccHostileErrorsLeaveTheScreenAlone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault mockserver.Fault
		says  string
	}{
		"words of a refusal": {
			mockserver.Fault{Status: 400, Body: hostile},
			"400 Bad Request: [2JOut]0;title of breath 1m.",
		},
		"host of a redirect": {
			mockserver.Fault{Status: 302, Header: http.Header{"Location": {"http://else\u009b2J\u202ewhere/"}}},
			"a redirect to http://else%C2%9B2J%E2%80%AEwhere is not followed",
		},
		"header that is none": {
			mockserver.Fault{Status: 302, Header: http.Header{"Location": {"http://elsewhere/\x1b[2J"}}},
			`malformed MIME header line: "Location: http://elsewhere/\x1b[2J"`,
		},
		"JSON that is none": {
			mockserver.Fault{Body: `{"chapters":[{"name":"` + hostile + `"}]}`},
			`it reads {"chapters":[{"name":"[2JOut]0;title of breath 1m."}]}.`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := newFaultyService(t, book())
			test.fault.Operation, test.fault.Times = mockserver.ListChapters, -1
			service.Inject(test.fault)
			terraform := newCLI(t, service)
			terraform.Write(`
provider "audioprojects" {
  max_retries = 0
}

data "audioprojects_chapters" "book" {
  project_id = "book"
}
`)
			screen := terraform.RunFailing("plan")
			wantPlain(t, screen)
			clitest.WantScreen(t, []string{screen}, test.says)
		})
	}
}

func TestAccHostileServiceLeavesTheScreenAloneInActionsAndQueries(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.Actions, clitest.Queries)
	service := newFaultyService(t, hostileProject(mockserver.Conversion{}, mockserver.Conversion{Fails: hostile}))
	terraform := newCLI(t, service)
	terraform.Write(`
action "audioprojects_convert_chapter" "one" {
  config {
    project_id = "book"
    chapter_id = "one"
  }
}
`)
	query := `
list "audioprojects_chapter_conversion" "all" {
  provider         = audioprojects
  include_resource = true
  config {
    project_id = "book"
  }
}
`
	if err := os.WriteFile(filepath.Join(terraform.Folder, "all.tfquery.hcl"), []byte(query), 0o600); err != nil {
		t.Fatal(err)
	}
	invoke := []string{"apply", "-auto-approve", "-invoke=action.audioprojects_convert_chapter.one"}
	screen := terraform.Run(invoke...)
	wantPlain(t, screen)
	clitest.WantScreen(t, []string{screen}, "Chapter 1 “"+readableLine+"”: conversion requested")

	screen = terraform.RunFailing(invoke...)
	wantPlain(t, screen)
	clitest.WantScreen(t, []string{screen}, "The service says: "+readable)

	screen = terraform.Run("query")
	wantPlain(t, screen)
	clitest.WantScreen(t, []string{screen}, "chapter_id=one,project_id=book "+readableLine)
}
