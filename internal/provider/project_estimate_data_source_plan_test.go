package provider_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// estimate reads the estimate of the project, and writes it in lines: each chapter, and the sum.
func (c *core) estimate(arguments map[string]any) (lines string, shown *fakecore.Screen) {
	c.Helper()
	p := c.begin()
	defer p.End()
	given := map[string]any{"project_id": "book"}
	maps.Copy(given, arguments)
	read, shown := c.readData(p, "audioprojects_project_estimate", given)
	if len(shown.Errors) > 0 {
		return "", shown
	}
	text := func(value tftypes.Value) string {
		if value.IsNull() {
			return "?"
		}
		return strings.Trim(strings.TrimPrefix(value.String(), value.Type().String()), `<>"`)
	}
	var chapters []tftypes.Value
	c.Must(read["chapters"].As(&chapters))
	for _, chapter := range chapters {
		field := fakecore.AttributesOf(chapter)
		lines += fmt.Sprintf("%s %s %s\n", text(field["chapter_id"]), text(field["characters"]), text(field["reason"]))
	}
	return lines + text(read["chapter_count"]) + " " + text(read["characters"]), shown
}

// TestTheEstimateOfAProject: it is that of the plan of a new object, and says why each chapter is converted.
func TestTheEstimateOfAProject(t *testing.T) {
	t.Parallel()
	chapters := manyChapters(5, oneMinute)
	for _, i := range []int{0, 1, 4} {
		chapters[i].Converted = true
	}
	chapters[3].Conversions = []mockserver.Conversion{failing, oneMinute}
	withBook(t, chapters, func(c *core) {
		c.service.EditChapter("book", "chapter-2", "Other words.")
		c.service.Convert("book", "chapter-4")
		time.Sleep(5 * time.Minute)
		const open = "chapter-2 12 edited\nchapter-3 38 never converted\nchapter-4 38 failed before\n"
		after := time.Now().UTC().Format(time.RFC3339)
		for _, test := range []struct {
			arguments map[string]any
			want      string
		}{
			{nil, open + "3 88"},
			{map[string]any{"chapter_ids": []string{"chapter-1", "chapter-2"}}, "chapter-2 12 edited\n1 12"},
			{map[string]any{"exclude_chapter_ids": []string{"chapter-3", "chapter-4"}}, "chapter-2 12 edited\n1 12"},
			{
				map[string]any{"converted_after": after, "exclude_chapter_ids": []string{"chapter-3", "chapter-4"}},
				"chapter-1 38 converted before the time\nchapter-2 12 converted before the time\nchapter-5 38 converted before the time\n3 88",
			},
		} {
			c.service.ResetJournal()
			got, shown := c.estimate(test.arguments)
			if got != test.want {
				c.Errorf("%v: got %s and %q, want %s", test.arguments, got, shown.Errors, test.want)
			}
			requests := len(c.service.Journal())
			if requests > 2 {
				c.Errorf("got %d requests, want at most a list and the project's record", requests)
			}
			c.Arguments = map[string]any{"project_id": "book"}
			maps.Copy(c.Arguments, test.arguments)
			lines := strings.Split(test.want, "\n")
			count, characters, _ := strings.Cut(lines[len(lines)-1], " ")
			plan := c.Plan()
			if !plan.Says(characters + " characters at most") {
				c.Errorf("%v: the plan of %s chapters says %q", test.arguments, count, plan.Estimate)
			}
		}
		c.wantSent(0)
	})
}

// TestAnEstimateWithoutAnExcludedChapter: that one is gone, which the plan of a new object refuses, because it might be misspelt.
func TestAnEstimateWithoutAnExcludedChapter(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(2, oneMinute), func(c *core) {
		got, shown := c.estimate(map[string]any{"exclude_chapter_ids": []string{"chapter-2", "chapter-9"}})
		if got != "chapter-1 38 never converted\n1 38" {
			c.Errorf("got %s", got)
		}
		shown.Want(c, "", []string{"has these chapters of `exclude_chapter_ids`: - \"chapter-9\""}, nil)
	})
}
