package provider_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// hostile is a text that clears the screen, names the window, overwrites what is there, and
// reverses the line. Terraform prints a text of several lines without changes.
const (
	hostile      = "\x1b[2JOut\x1b]0;title\a of\r\nbreath\b\b\r\u009b1m\u202e."
	readable     = "[2JOut]0;title of breath1m."
	readableJSON = `{"[2JOut]0;title of breath1m.":"[2JOut]0;title of breath1m.","list":["[2JOut]0;title of breath1m."]}`
)

// wantPlain checks that a screen has no control characters.
func wantPlain(t *testing.T, screen string) {
	t.Helper()
	for line := range strings.Lines(screen) {
		if strings.ContainsFunc(line, isControl) {
			t.Errorf("got the line %q", line)
		}
	}
}

func isControl(r rune) bool {
	const direction = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
	return unicode.IsControl(r) && r != '\n' && r != '\t' || strings.ContainsRune(direction, r)
}

// wantPlainBoxes checks that warnings and errors have no control characters.
func (c *core) wantPlainBoxes(shown *fakecore.Screen) {
	c.Helper()
	for _, box := range slices.Concat(shown.Warnings, shown.Errors) {
		wantPlain(c.T, box)
	}
}

func TestWordsOfAFailedConversionArePlain(t *testing.T) {
	t.Parallel()
	out := mockserver.Conversion{Takes: time.Minute, Fails: hostile}
	t.Run("while somebody waits", func(t *testing.T) {
		t.Parallel()
		inFakeTime(t, chapterWithConversions(out, oneMinute), nil, func(c *core) {
			shown := c.Apply()
			shown.Want(c, "create", nil, []string{"The conversion failed. The service says: " + readable + "\n\nThe next apply requests another conversion."})
			c.wantPlainBoxes(shown)
		})
	})
	t.Run("while nobody waits", func(t *testing.T) {
		t.Parallel()
		inFakeTime(t, chapterWithConversions(out, oneMinute), nil, func(c *core) {
			c.Apply(fakecore.InterruptedAfter(20 * time.Second))
			time.Sleep(time.Minute)
			shown := c.Apply()
			shown.Want(c, "update", []string{"had failed, so another was requested. The service said: " + readable}, nil)
			shown.WantBill(c, "The service says: "+readable)
			c.wantPlainBoxes(shown)
			c.Plan().Want(c, "no-op", nil, nil)
		})
	})
	t.Run("in the state", func(t *testing.T) {
		t.Parallel()
		inFakeTime(t, mockserver.Chapter{Converted: true, Error: hostile}, nil, func(c *core) {
			c.Import("book/one")
			c.wantEqual("last_conversion_error", fakecore.AttributesOf(c.Object.Value)["last_conversion_error"], tftypes.NewValue(tftypes.String, readable))
		})
	})
}

// listsHostileChapter makes the service show a chapter with a hostile name and state.
func listsHostileChapter(c *core) {
	c.Helper()
	text, err := json.Marshal(hostile)
	c.Must(err)
	c.service.Inject(mockserver.Fault{
		Operation: mockserver.ListChapters, Times: -1,
		Body: `{"chapters":[{"chapter_id":"one","name":` + string(text) + `,"state":` + string(text) + `}]}`,
	})
}

func TestNamesAndStatesAreOneLine(t *testing.T) {
	t.Parallel()
	withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
		listsHostileChapter(c)
		shown := c.invoke(p, map[string]any{"timeout": "20s"})
		shown.WantLines(c, "Chapter \"one\" “"+readable+"”: conversion requested")
		shown.Want(c, "", nil, []string{"state " + readable})
		c.wantPlainBoxes(shown.Screen)

		results, _ := c.list(p, tfprotov6.ListResourceRequest{Limit: 1}, "book", 1)
		if got := results[0].Name; got != readable {
			c.Errorf("display name: got %q, want %q", got, readable)
		}
	})
}

// hostileProject is a project in which every text is hostile.
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

// outputsOfEveryDataSource show all that the service says.
func outputsOfEveryDataSource() string {
	return everyDataSourceRead("hostile", "old") + `
resource "audioprojects_project_snapshot_audio" "hostile" {
  project_id          = "book"
  project_snapshot_id = "old"
  filename            = "${path.module}/book.wav"
}

output "description" {
  value = data.audioprojects_project.hostile.description
}

output "record" {
  value = data.audioprojects_projects.hostile.projects[0].json
}
`
}

func TestAccHostileServiceLeavesTheScreenAlone(t *testing.T) {
	t.Parallel()
	service := newFaultyService(t, hostileProject(mockserver.Conversion{}, mockserver.Conversion{Fails: hostile}))
	service.Inject(mockserver.Fault{
		Operation: mockserver.StreamSnapshot, Body: "\x00\x01\x02\x03",
		Header: http.Header{"Content-Type": {"audio/\u009b2J\u202ewave"}},
	})
	terraform := newCLI(t, service)
	terraform.Write(outputsOfEveryDataSource(), conversionBlock(`triggers = { voice = "Ada" }`))
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
	clitest.WantScreen(t, []string{screen}, "A conversion requested earlier failed. Applying requests another. The service says: "+readable)

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
	clitest.WantScreen(t, []string{screen}, "Chapter \"one\" “"+readable+"”: conversion requested")

	screen = terraform.RunFailing(invoke...)
	wantPlain(t, screen)
	clitest.WantScreen(t, []string{screen}, "The service says: "+readable)

	screen = terraform.Run("query")
	wantPlain(t, screen)
	clitest.WantScreen(t, []string{screen}, "chapter_id=one,project_id=book "+readable)
}
