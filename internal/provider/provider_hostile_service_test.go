package provider_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

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
			shown.Want(c, "update", []string{"failed, so another was requested. The service says: " + readable}, nil)
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

// listsChapterThatSays makes the service show a chapter with these words for its name and its state.
func (c *core) listsChapterThatSays(words string) {
	c.Helper()
	text, err := json.Marshal(words)
	c.Must(err)
	c.service.Inject(mockserver.Fault{
		Operation: mockserver.ListChapters, Times: -1,
		Body: `{"chapters":[{"chapter_id":"one","name":` + string(text) + `,"state":` + string(text) + `}]}`,
	})
}

func TestNamesAndStatesAreOneLine(t *testing.T) {
	t.Parallel()
	withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
		c.listsChapterThatSays(hostile)
		shown := c.invoke(p, map[string]any{"timeout": "20s"})
		shown.WantLines(c, "Chapter \""+readable+"\" (one): conversion requested")
		shown.Want(c, "", nil, []string{"state " + readable})
		c.wantPlainBoxes(shown.Screen)

		results, _ := c.list(p, tfprotov6.ListResourceRequest{Limit: 1}, "book", 1)
		if got := results[0].Name; got != readable {
			c.Errorf("display name: got %q, want %q", got, readable)
		}
	})
}

// hostileProject is a project in which every text is hostile.
func hostileProject() mockserver.Project { return projectThatSays(hostile) }

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
			{VersionID: "v", DictionaryID: "d", DictionaryName: words, VersionName: words, CreatedBy: words},
		},
		Chapters: []mockserver.Chapter{{
			ID: "one", Name: words, Text: chapterText, Error: words, Conversions: conversions,
			Snapshots: []mockserver.ChapterSnapshot{{ID: "old", Name: words}},
		}},
		Snapshots: []mockserver.ProjectSnapshot{{ID: "old", Name: words}},
	}
}
