package provider_test

import (
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestAConversionInTheState: what is created, what an import finds and what a query lists is one object. Nothing is requested but
// lists, and one conversion, without a body.
func TestAConversionInTheState(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(mockserver.Conversion{Queued: 10 * time.Second, Takes: time.Minute}), nil, func(c *core) {
		c.Apply().Want(c, "create", nil, nil)
		const want = "{can_be_downloaded=yes chapter_id='one' conversion_progress=100 id='book/one' keep_up_to_date=no " +
			"last_conversion_date_unix=946684870 name='The Dark Lantern' project_id='book' state='default' " +
			"statistics={characters_converted=35 characters_unconverted=0 paragraphs_converted=2 paragraphs_unconverted=0}}"
		if got := written(c.Object.Value); got != want {
			c.Errorf("got\n%s\nwant\n%s", got, want)
		}
		c.Plan().Want(c, "no-op", nil, nil)
		created := c.Object
		c.Import("book/one")
		c.wantEqual("the imported object", c.Object.Value, created.Value)
		if identity := c.identity(c.Object); identity != "{chapter_id='one' project_id='book'}" || identity != c.identity(created) {
			c.Errorf("got identity %s, and %s of the import", c.identity(created), identity)
		}
		c.Plan().Want(c, "no-op", nil, nil)
		if _, gone := c.Destroy(); !gone {
			c.Error("the object is not gone")
		}
		for _, entry := range c.service.Journal() {
			if entry.Operation != mockserver.ListChapters && (entry.Operation != mockserver.ConvertChapter || len(entry.Body) > 0) {
				c.Errorf("unexpected request: %s %s, %q", entry.Method, entry.Path, entry.Body)
			}
		}
		c.wantSent(1)
	})
}

// identity is that of an object.
func (c *core) identity(object *fakecore.Object) string {
	c.Helper()
	p := c.begin()
	defer p.End()
	all, err := p.GetResourceIdentitySchemas(c.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	c.Must(err)
	value, err := object.Identity.IdentityData.Unmarshal(all.IdentitySchemas[c.TypeName].ValueType())
	c.Must(err)
	return written(value)
}

// TestOtherArgumentsConvertOnlyForOtherTriggers: each step follows the one before. The name of a chapter does not change by a
// conversion; TestAPlannedConversionLeavesNoAttributeOut has what else a plan knows.
func TestOtherArgumentsConvertOnlyForOtherTriggers(t *testing.T) {
	t.Parallel()
	voice := func(name any) map[string]any { return map[string]any{"triggers": map[string]any{"voice": name}} }
	inFakeTime(t, mockserver.Chapter{}, map[string]any{}, func(c *core) {
		c.Apply()
		for _, step := range []struct {
			name            string
			planned, actual map[string]any
			sent            int
		}{
			{"triggers for the first time", voice("Ada"), voice("Ada"), 1},
			{"other triggers", voice("Bela"), voice("Bela"), 2},
			{"triggers that turn out to be the same", voice(tftypes.UnknownValue), voice("Bela"), 2},
			{"no triggers", map[string]any{}, map[string]any{}, 2},
			{"other timeouts, and text is open", map[string]any{"timeouts": map[string]any{"create": "5m"}}, map[string]any{"timeouts": map[string]any{"create": "5m"}}, 2},
		} {
			if step.sent == 2 {
				c.service.EditChapter("book", "one", longerText)
			}
			c.Arguments = step.planned
			plan := c.Plan()
			c.Arguments = step.actual
			if shown := c.ApplyPlan(plan); shown.Action != "update" || len(shown.Errors) > 0 {
				c.Errorf("%s: got %s", step.name, shown)
			}
			c.Plan().Want(c, "no-op", nil, nil)
			if got := c.service.Count(mockserver.ConvertChapter); got != step.sent {
				c.Errorf("%s: conversions requested: got %d, want %d", step.name, got, step.sent)
			}
		}
	})
}

// TestANameThatWasPlannedStays: Terraform refuses a result that differs from its plan.
func TestANameThatWasPlannedStays(t *testing.T) {
	t.Parallel()
	inFakeTime(t, mockserver.Chapter{}, kept(), func(c *core) {
		c.Apply()
		c.service.EditChapter("book", "one", longerText)
		plan := c.Plan()
		c.service.AddProject(bookOf([]mockserver.Chapter{{ID: "one", Name: "Renamed", Text: longerText}}))
		c.ApplyPlan(plan).Want(c, "update", nil, nil)
		c.wantEqual("name", fakecore.AttributesOf(c.Object.Value)["name"], tftypes.NewValue(tftypes.String, chapterName))
		c.Plan()
		c.wantEqual("name", fakecore.AttributesOf(c.Object.Value)["name"], tftypes.NewValue(tftypes.String, "Renamed"))
	})
}

func TestAConversionOfAnotherChapterReplaces(t *testing.T) {
	t.Parallel()
	const strange, escaped = "a b/ü%2F", "book/a%20b%2F%C3%BC%252F"
	inFakeTime(t, mockserver.Chapter{}, map[string]any{}, func(c *core) {
		c.Apply()
		c.service.AddChapter("book", mockserver.Chapter{ID: strange, Name: "Strange", Text: chapterText})
		c.Arguments["chapter_id"] = strange
		c.Apply().Want(c, "replace", nil, nil)
		c.wantEqual("id", fakecore.AttributesOf(c.Object.Value)["id"], tftypes.NewValue(tftypes.String, escaped))
		replaced := c.Object.Value
		c.Import(escaped)
		c.wantEqual("the imported object", c.Object.Value, replaced)
		c.wantSent(2)
	})
}

func TestImportsThatAreRefused(t *testing.T) {
	t.Parallel()
	withProcess(t, mockserver.Chapter{Converted: true}, func(c *core, p *fakecore.Process) {
		for id, want := range map[string]string{
			"one":          "project_id/chapter_id",
			"book/one/two": "written %2F",
			"book/%zz":     "Invalid URL escape",
			"book/":        "not an identifier",
			"book/..":      "not an identifier",
		} {
			imported, err := p.ImportResourceState(c.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: c.TypeName, ID: id})
			c.Must(err)
			shown := &fakecore.Screen{}
			shown.Print(imported.Diagnostics)
			shown.Want(c, "", nil, []string{want})
		}
		if sent := len(c.service.Journal()); sent > 0 {
			c.Errorf("got %d requests, want none", sent)
		}
		for id, want := range map[string]*fakecore.Screen{
			"book/nine": {Warnings: []string{"Chapter is gone"}},
			"nook/one":  {Errors: []string{"Unable to read chapter \"one\" of project \"nook\"\nGET /v1/projects/nook/chapters: 404 Not Found"}},
		} {
			shown := &fakecore.Screen{}
			c.Core.Import(p, id, shown)
			shown.Want(c, "", want.Warnings, want.Errors)
		}
	})
}
