package provider_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// A stranger's text may read as Terraform's own, such as "Apply complete!" in a log of a pipeline, if a line begins
// with it, and a runner takes it for a command, after white space as well, or wherever it stands. This one has a line break,
// or a place to break a long line, before every mark.
const (
	mark      = "::stranger::"
	anywhere  = "##vso[task.complete] ##[error]no ###[x"
	markEvery = mark + " \n" + mark + "\r\n" + mark + " " + anywhere + " "
)

// strangersWords are more of them than the provider keeps of a text.
var strangersWords = strings.Repeat(markEvery, 64<<10/len(markEvery))

// hostile is a text that clears the screen, names the window, overwrites what is there, and reverses the line. Of it, inState is a value of
// the state, and readable what is printed. Terraform prints a value of several lines as it is.
const (
	hostile  = "\x1b[2JOut\x1b]0;title\a of\r\nbreath\b\b\r\u009b1m\u202e."
	inState  = "[2JOut]0;title of\r\nbreath\n1m\u202e."
	readable = "[2JOut]0;title of breath 1m."
)

// wantPlain checks that what the provider prints has nothing that cannot be seen.
func wantPlain(t *testing.T, screen string) {
	t.Helper()
	for line := range strings.Lines(screen) {
		if strings.ContainsFunc(line, isUnseen) {
			t.Errorf("got the line %q", line)
		}
	}
}

// wantNothingToObey checks that a value, or a screen with values, has nothing that a terminal obeys, except for ends of lines.
func wantNothingToObey(t *testing.T, screen string) {
	t.Helper()
	if strings.ContainsFunc(strings.ReplaceAll(screen, "\r\n", "\n"), isControl) {
		t.Errorf("got %q", screen)
	}
}

func isControl(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

func isUnseen(r rune) bool {
	const direction = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
	return isControl(r) || strings.ContainsRune(direction, r)
}

// values are those of several lines, with their ends and with the text between them, as Terraform prints them.
var values = regexp.MustCompile(`(?s)<<-?EOT\n.*?\n *EOT\n`)

// wantNoStranger checks that no line begins with a stranger's text, and that there is not too much of it in any.
func wantNoStranger(t *testing.T, screen string, longest int) {
	t.Helper()
	for line := range strings.Lines(screen) {
		if strings.HasPrefix(strings.TrimLeft(strings.TrimPrefix(line, "│ "), " \t"), mark) {
			t.Errorf("a line begins with a stranger's text: %.100q", line)
		}
		if len(line) > longest {
			t.Errorf("got a line of %d bytes: %.100q", len(line), line)
		}
	}
}

// wantNoCommand checks that a text has nothing that a runner obeys wherever it stands.
func wantNoCommand(t *testing.T, text string) {
	t.Helper()
	for _, command := range []string{"##[", "##vso["} {
		if strings.Contains(text, command) {
			t.Errorf("has a runner's command: %.300q", text)
		}
	}
}

// wantNoStrangerInBoxes checks what Terraform makes of warnings and errors: it breaks lines of a detail that do not begin with a
// space, but not a summary.
func (c *core) wantNoStrangerInBoxes(shown *fakecore.Screen) {
	c.Helper()
	const width = 75 // beside Terraform's frame
	for _, box := range slices.Concat(shown.Warnings, shown.Errors) {
		wantPlain(c.T, box)
		wantNoStranger(c.T, box, 1000)
		wantNoCommand(c.T, box)
		if !strings.Contains(box, mark) {
			c.Errorf("shows none of what the service says: %q", box)
		}
		_, detail, _ := strings.Cut(box, "\n")
		for line := range strings.Lines(detail) {
			if utf8.RuneCountInString(line) > width && line[0] != ' ' && strings.Contains(line, mark) {
				c.Errorf("Terraform breaks the line %q", line)
			}
		}
	}
}

// projectThatSays has the words for every text.
func projectThatSays(words string, conversions ...mockserver.Conversion) mockserver.Project {
	text := &words
	return mockserver.Project{
		ID: "book", Name: words, State: words, AccessLevel: words, QualityPreset: words, ApplyTextNormalization: words,
		Title: text, Author: text, Description: text, Genres: []string{words}, CoverImageURL: text, TargetAudience: text,
		Language: text, ContentType: text, OriginalPublicationDate: text, ISBNNumber: text, Fiction: text,
		Experimental: map[string]any{words: words, "list": []any{words}},
		CreationMeta: &mockserver.CreationMeta{Status: words, Type: words},
		PronunciationDictionaryVersions: []mockserver.PronunciationDictionaryVersion{
			{VersionID: "v", DictionaryID: "d", DictionaryName: words, VersionName: words, CreatedBy: words, CreationTimeUnix: 1735689600},
		},
		Chapters: []mockserver.Chapter{{
			ID: "one", Name: words, Text: acctest.ChapterText, Error: words, Conversions: conversions,
			Snapshots: []mockserver.ChapterSnapshot{{ID: "old", Name: words}},
		}},
		Snapshots: []mockserver.ProjectSnapshot{{ID: "old", Name: words}},
	}
}

func TestMessages_noLineBeginsWithServiceText(t *testing.T) {
	t.Parallel()
	out := mockserver.Conversion{Takes: time.Minute, Fails: strangersWords}
	chapter := func(conversions ...mockserver.Conversion) mockserver.Chapter {
		return mockserver.Chapter{Name: strangersWords, Conversions: conversions}
	}
	t.Run("of one that failed meanwhile", func(t *testing.T) {
		t.Parallel()
		inFakeTime(t, chapter(out, oneMinute), nil, func(c *core) {
			c.Apply(fakecore.InterruptedAfter(20 * time.Second))
			time.Sleep(time.Minute)
			c.wantNoStrangerInBoxes(c.Apply())
		})
	})
	t.Run("of a refusal", func(t *testing.T) {
		t.Parallel()
		inFakeTime(t, chapter(), nil, func(c *core) {
			c.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Status: 400, Body: strangersWords})
			c.wantNoStrangerInBoxes(c.Apply())
		})
	})
	t.Run("of a book", func(t *testing.T) {
		t.Parallel()
		chapters := []mockserver.Chapter{
			{ID: "one", Name: strangersWords, Text: acctest.ChapterText, Conversions: []mockserver.Conversion{out}},
			{ID: "two", Name: mark, Text: acctest.ChapterText, Conversions: []mockserver.Conversion{out}},
		}
		withBook(t, chapters, func(c *core) { c.wantNoStrangerInBoxes(c.Apply()) })
	})
	t.Run("of what cannot be read", func(t *testing.T) {
		t.Parallel()
		withBook(t, []mockserver.Chapter{{ID: "one", Name: strangersWords}, {ID: "two"}}, func(c *core) {
			said, err := json.Marshal([]string{strangersWords[:20_000]})
			c.Must(err)
			c.service.SetField("book", "two", "state", string(said))
			shown := c.Apply()
			c.wantNoStrangerInBoxes(shown)
			if len(shown.Errors) != 1 {
				c.Errorf("got %s", shown)
			}
		})
	})
	t.Run("of progress", func(t *testing.T) {
		t.Parallel()
		withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
			said, err := json.Marshal(strangersWords)
			c.Must(err)
			c.service.Inject(mockserver.Fault{
				Operation: mockserver.ListChapters, Times: -1, Body: fmt.Sprintf(`{"chapters":[{"chapter_id":"one","name":%s,"state":%[1]s}]}`, said),
			})
			shown := c.invoke(p, map[string]any{"timeouts": map[string]any{"invoke": "20s"}})
			for _, line := range shown.Lines {
				wantPlain(c.T, line.Text)
				wantNoStranger(c.T, line.Text, 1200)
				wantNoCommand(c.T, line.Text)
			}
			c.wantNoStrangerInBoxes(shown.Screen)
			results, _ := c.list(p, tfprotov6.ListResourceRequest{Limit: 1}, "book", 1)
			got := results[0].Name
			if len(got) > 510 || strings.Contains(got, "\n") {
				c.Errorf("display name: got %d bytes, %.100q", len(got), got)
			}
		})
	})
}

// TestCLIMessages_serviceText: what Terraform makes of them, wherever it prints them.
func TestCLIMessages_serviceText(t *testing.T) {
	t.Parallel()
	words := hostile + " " + strangersWords[:2_000]
	service := acctest.NewFaultyService(t, projectThatSays(words, mockserver.Conversion{}, mockserver.Conversion{Fails: words}, brief))
	service.Inject(mockserver.Fault{
		Operation: mockserver.StreamSnapshot, Body: "\x00\x01\x02\x03", Header: http.Header{"Content-Type": {"audio/\u009b2J\u202ewave"}},
	})
	terraform := acctest.NewCLI(t, service)
	terraform.Environment = append(terraform.Environment, "TF_LOG=TRACE", "TF_LOG_PATH=log")
	wantHarmless := func(screen string, says ...string) {
		t.Helper()
		wantNothingToObey(t, screen)
		besideValues := values.ReplaceAllString(screen, "")
		wantPlain(t, besideValues)
		wantNoStranger(t, besideValues, 1<<20)
		clitest.WantScreen(t, []string{screen}, says...)
	}
	terraform.Write(everyDataSourceRead("hostile", "old"), acctest.ConversionBlock(`triggers = { voice = "Ada" }`), audioBlock("book", `"old"`, ``), `
output "description" {
  value = data.audioprojects_project.hostile.description
}
`)
	for _, arguments := range [][]string{{"plan"}, {"apply", "-auto-approve"}, {"show"}, {"output"}} {
		wantHarmless(terraform.Run(arguments...))
	}
	for _, arguments := range [][]string{{"output", "-json"}, {"output", "-raw", "description"}} {
		wantNothingToObey(t, terraform.Run(arguments...))
	}
	terraform.Write(acctest.ConversionBlock(`triggers = { voice = "Bela" }`))
	wantHarmless(terraform.RunFailing("apply", "-auto-approve"), "The conversion failed. The service's error message: "+readable)
	wantHarmless(terraform.Run("plan"), "The last conversion failed, and applying requests another. The service's error message: "+readable)
	wantNoStranger(t, string(terraform.Files()["log"]), 1<<20)
	if !clitest.Actions.There(t) || !clitest.Queries.There(t) {
		return
	}

	terraform.Write(actionBlock)
	wantHarmless(terraform.Run("apply", "-auto-approve", invokeOne), "Chapter \""+readable)
	terraform.WriteFile("all.tfquery.hcl", `
list "audioprojects_chapter_conversion" "all" {
  provider         = audioprojects
  include_resource = true
  config {
    project_id = "book"
  }
}
`)
	wantHarmless(terraform.Run("query"), "chapter_id=one,project_id=book "+readable)
}
