package provider_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// A stranger's text may read as Terraform's own, such as "Apply complete!" in a log of a pipeline, if a line begins
// with it, and a runner takes it for a command, after white space as well, or wherever it stands. This one has a line break,
// or a place to break a long line, before every mark.
const (
	mark      = "::stranger::"
	anywhere  = "##vso[task.complete] ##[error]no ###[x"
	markEvery = mark + " \n" + mark + "\r\n" + mark + " " + anywhere + " "
)

// strangersWords are some megabytes of them.
var strangersWords = strings.Repeat(markEvery, 2<<20/len(markEvery))

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

func TestNoLineBeginsWithAStrangersText(t *testing.T) {
	t.Parallel()
	out := mockserver.Conversion{Takes: time.Minute, Fails: strangersWords}
	chapter := func(conversions ...mockserver.Conversion) mockserver.Chapter {
		return mockserver.Chapter{Name: strangersWords, Conversions: conversions}
	}
	t.Run("of a failed conversion", func(t *testing.T) {
		t.Parallel()
		inFakeTime(t, chapter(out, oneMinute), nil, func(c *core) { c.wantNoStrangerInBoxes(c.Apply()) })
	})
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
			{ID: "one", Name: strangersWords, Text: chapterText, Conversions: []mockserver.Conversion{out}},
			{ID: "two", Name: mark, Text: chapterText, Conversions: []mockserver.Conversion{out}},
		}
		withBook(t, chapters, func(c *core) { c.wantNoStrangerInBoxes(c.Apply()) })
	})
	t.Run("of progress", func(t *testing.T) {
		t.Parallel()
		withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
			text, err := json.Marshal(strangersWords)
			c.Must(err)
			c.service.Inject(mockserver.Fault{
				Operation: mockserver.ListChapters, Times: -1,
				Body: `{"chapters":[{"chapter_id":"one","name":` + string(text) + `,"state":` + string(text) + `}]}`,
			})
			shown := c.invoke(p, map[string]any{"timeout": "20s"})
			for _, line := range shown.Lines {
				wantNoStranger(c.T, line.Text, 1200)
				wantNoCommand(c.T, line.Text)
			}
			c.wantNoStrangerInBoxes(shown.Screen)
			results, _ := c.list(p, tfprotov6.ListResourceRequest{Limit: 1}, "book", 1)
			if got := results[0].Name; len(got) > 510 || strings.Contains(got, "\n") {
				c.Errorf("display name: got %d bytes, %.100q", len(got), got)
			}
		})
	})
}

func TestAccNoLineOfAScreenBeginsWithAStrangersText(t *testing.T) {
	t.Parallel()
	text := new(strangersWords[:100_000])
	service := newFaultyService(t, mockserver.Project{
		ID: "book", Name: *text, Title: text, Description: text, Genres: []string{*text}, Experimental: map[string]any{"x": *text},
		Chapters: []mockserver.Chapter{{
			ID: "one", Name: strangersWords, Text: chapterText, Error: strangersWords,
			Conversions: []mockserver.Conversion{{}, {Fails: strangersWords}},
			Snapshots:   []mockserver.ChapterSnapshot{{ID: "old", Name: strangersWords}},
		}},
		Snapshots: []mockserver.ProjectSnapshot{{ID: "old", Name: *text}},
	})
	terraform := newCLI(t, service)
	terraform.Environment = append(terraform.Environment, "TF_LOG=TRACE", "TF_LOG_PATH="+filepath.Join(terraform.Folder, "log"))
	// The longest lines are those of a record: its JSON has all texts of the project, one after the other.
	const longest = 400_000
	terraform.Write(outputsOfEveryDataSource(), conversionBlock(`triggers = { voice = "Ada" }`))
	for _, arguments := range [][]string{{"plan"}, {"apply", "-auto-approve"}, {"show"}, {"output"}, {"plan", "-destroy"}} {
		wantNoStranger(t, terraform.Run(arguments...), longest)
	}
	terraform.Write(conversionBlock(`triggers = { voice = "Bela" }`))
	screen := terraform.RunFailing("apply", "-auto-approve")
	wantNoStranger(t, screen, longest)
	clitest.WantScreen(t, []string{screen}, "The service says: "+mark)
	wantNoStranger(t, terraform.Run("plan"), longest)
	log, err := os.ReadFile(filepath.Join(terraform.Folder, "log"))
	if err != nil {
		t.Fatal(err)
	}
	wantNoStranger(t, string(log), 1<<20)
}
