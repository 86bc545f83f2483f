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

// hostile is a text that clears the screen, names the window, writes over what was there, and
// turns the line around. Terraform prints a text of several lines as it is.
const (
	hostile      = "\x1b[2JOut\x1b]0;title\a of\r\nbreath\b\b\r\u009b1m\u202e."
	readable     = "[2JOut]0;title of\nbreath1m."
	readableLine = "[2JOut]0;title of breath1m."
	readableJSON = `{"[2JOut]0;title of\nbreath1m.":"[2JOut]0;title of\nbreath1m.","list":["[2JOut]0;title of\nbreath1m."]}`
)

// wantPlain checks that a screen moves no cursor.
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

// wantPlainBoxes checks what is shown of warnings and errors.
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
			shown.Want(c, "update", []string{
				"The service says: " + readable + "\n\nApplying will request another conversion.",
				"had failed. The service said: " + readable,
			}, nil)
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

func TestTextsOfAProjectArePlain(t *testing.T) {
	t.Parallel()
	withProcess(t, mockserver.Chapter{}, func(c *core, p *process) {
		c.service.AddProject(hostileProject())
		const name = "audioprojects_project"
		kind := schemas().DataSourceSchemas[name].ValueType()
		response, err := p.ReadDataSource(c.Context(), &tfprotov6.ReadDataSourceRequest{
			TypeName: name, Config: c.Encode(fakecore.ValueOf(kind, map[string]any{"project_id": "book"})),
		})
		c.Must(err, response.Diagnostics...)
		project, err := response.State.Unmarshal(kind)
		c.Must(err)
		texts := 0
		c.Must(tftypes.Walk(project, func(at *tftypes.AttributePath, value tftypes.Value) (bool, error) {
			var text *string
			if value.Type().Is(tftypes.String) && value.As(&text) == nil && text != nil && strings.Contains(*text, "breath") {
				texts++
				if *text != readable && *text != readableJSON {
					c.Errorf("%s: got %q", at, *text)
				}
			}
			return true, nil
		}))
		if texts < 20 {
			c.Errorf("got %d texts", texts)
		}
	})
}

// listsHostileChapter makes the service show a chapter with such a name in such a state.
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
	withProcess(t, mockserver.Chapter{}, func(c *core, p *process) {
		listsHostileChapter(c)
		shown := c.invoke(p, map[string]any{"timeout": "20s"})
		shown.WantLines(c, "Chapter 1 “"+readableLine+"”: conversion requested")
		shown.Want(c, "", nil, []string{"state " + readableLine + ", after 20s"})
		c.wantPlainBoxes(shown.Screen)

		results, _ := c.list(p, tfprotov6.ListResourceRequest{Limit: 1}, "book", 1)
		if got := results[0].Name; got != readableLine {
			c.Errorf("display name: got %q, want %q", got, readableLine)
		}
	})
}
