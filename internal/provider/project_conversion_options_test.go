package provider_test

import (
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// What is left out does not make the list look like that of another book.
func TestProjectConversion_settledAsksForOneList(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(4, oneMinute), func(c *core) {
		c.Arguments["exclude_chapter_ids"] = []string{"chapter-2"}
		c.Apply()
		c.service.EditChapter("book", "chapter-2", "Other words.")
		c.service.ResetJournal()
		c.wantBook(c.Plan().Screen, "no-op", nil, nil)
		lists, records := c.service.Count(mockserver.ListChapters), c.service.Count(mockserver.GetProject)
		if lists != 1 || records != 0 {
			c.Errorf("got %d lists and %d records, want one list", lists, records)
		}
	})
}

// A wrong id would convert what was to be left out.
func TestProjectConversion_excludedChapterMissing(t *testing.T) {
	t.Parallel()
	const missing = "Chapters that the project does not have"
	withBook(t, manyChapters(2, oneMinute), func(c *core) {
		c.Arguments["exclude_chapter_ids"] = []string{"chapter-2", "chapter-9"}
		shown := c.Apply()
		c.wantBook(shown, "create", nil, []string{missing})
		at := shown.Diagnostics[0].Attribute
		if !shown.Says(`lack these chapters: - "chapter-9"`) || at.String() != `AttributeName("exclude_chapter_ids")` {
			c.Errorf("got %q at %s", shown.Errors, at)
		}
		c.wantSent(0)
		c.Arguments["exclude_chapter_ids"] = []string{"chapter-2"}
		c.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Times: 1, Status: 400})
		at = c.Apply().Diagnostics[0].Attribute
		if at.String() != `AttributeName("project_id")` {
			c.Errorf("another error: got it at %s", at)
		}
		c.service.ResetJournal()
		c.Apply()
		c.service.RemoveChapter("book", "chapter-2")
		shown = c.Plan().Screen
		c.wantBook(shown, "no-op", []string{"Excluded chapters are gone"}, nil)
		if !shown.Says("lack these chapters of `exclude_chapter_ids`: - \"chapter-2\"") {
			c.Errorf("got %q", shown.Warnings)
		}
		// What is wrong in a new list is an error, and that alone.
		c.Arguments["exclude_chapter_ids"] = []string{"chapter-2", "chapter-8"}
		shown = c.Plan().Screen
		c.wantBook(shown, "", []string{"Excluded chapters are gone"}, []string{missing})
		if !shown.Says(`lack these chapters: - "chapter-8"`) {
			c.Errorf("got %q", shown.Errors)
		}
		delete(c.Arguments, "exclude_chapter_ids")
		c.wantBook(c.Apply(), "update", []string{"Excluded chapters are gone"}, nil)
		c.wantBook(c.Apply(), "no-op", nil, nil)
		c.wantSent(1)
	})
}

// TestProjectConversion_chapterSets: an empty set excludes none, and costs nothing where there was none.
func TestProjectConversion_chapterSets(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(2, oneMinute), func(c *core) {
		c.wantBook(c.Apply(), "create", []string{costs("2 chapters", 76)}, nil)
		c.Arguments = map[string]any{"exclude_chapter_ids": []string{}}
		c.wantBook(c.Apply(), "update", nil, nil)
		c.wantNumbers(map[string]int{"chapter_count": 2})
		c.Arguments = map[string]any{"exclude_chapter_ids": []string{}, "chapter_ids": []string{"chapter-1"}}
		c.wantBook(c.Apply(), "update", nil, nil)
		c.wantSent(2)
		null := []tftypes.Value{tftypes.NewValue(tftypes.String, nil), tftypes.NewValue(tftypes.String, "chapter-1")}
		for name, test := range map[string]struct {
			arguments map[string]any
			says      string
		}{
			"a null":              {map[string]any{"chapter_ids": null}, "An element of `chapter_ids` is null."},
			"a null among others": {map[string]any{"exclude_chapter_ids": null}, "An element of `exclude_chapter_ids` is null."},
			"none":                {map[string]any{"chapter_ids": []string{}}, "To mean all chapters, leave out `chapter_ids`"},
			"both":                {map[string]any{"chapter_ids": []string{"chapter-1"}, "exclude_chapter_ids": []string{"chapter-2"}}, "Set only one of"},
		} {
			c.Arguments = test.arguments
			shown := c.Plan().Screen
			if len(shown.Errors) != 1 || !shown.Says(test.says) {
				c.Errorf("%s: got %s, want %q", name, shown, test.says)
			}
		}
	})
}

// Terraform hides the warnings of the second half of a replacement.
func TestProjectConversionReplacement_otherProjectHasEstimate(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(1, oneMinute), func(c *core) {
		c.Apply()
		c.service.AddProject(mockserver.Project{ID: "other", Chapters: manyChapters(2, oneMinute)})
		c.Arguments["project_id"] = "other"
		c.wantBook(c.Apply(), "replace", []string{`Conversions that cost credits in project "other": 2 chapters, 76 characters at most`}, nil)
		c.wantSent(3)
	})
}

// TestProjectConversion_chaptersShrinkAndGrow: a chapter is left out for one apply, while its conversion is pending and no list shows
// it yet.
func TestProjectConversion_chaptersShrinkAndGrow(t *testing.T) {
	t.Parallel()
	for name, arguments := range map[string][2]map[string]any{
		"chapter_ids":         {{"chapter_ids": []string{"chapter-1", "chapter-2"}}, {"chapter_ids": []string{"chapter-1"}}},
		"exclude_chapter_ids": {{}, {"exclude_chapter_ids": []string{"chapter-2"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withBook(t, manyChapters(2, mockserver.Conversion{Lag: 5 * time.Minute, Takes: time.Minute}), func(c *core) {
				c.Arguments = arguments[0]
				c.Apply(fakecore.InterruptedAfter(20 * time.Second))
				c.wantNumbers(map[string]int{"pending": 2})
				c.Arguments = arguments[1]
				c.Apply(fakecore.InterruptedAfter(20 * time.Second))
				c.Arguments = arguments[0]
				c.Apply()
				c.wantNumbers(map[string]int{"pending": 0})
				c.wantSent(2)
			})
		})
	}
	withBook(t, manyChapters(2, mockserver.Conversion{Lag: 5 * time.Minute, Takes: time.Minute}), func(c *core) {
		c.Apply(fakecore.InterruptedAfter(20 * time.Second))
		c.Arguments["exclude_chapter_ids"] = []string{"chapter-2"}
		c.Apply()
		c.wantNumbers(map[string]int{"pending": 1})
		time.Sleep(2 * time.Hour)
		c.wantBook(c.Plan().Screen, "no-op", nil, nil)
		c.wantNumbers(map[string]int{"pending": 0})
	})
}
