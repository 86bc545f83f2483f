package provider_test

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

var projectConversion = resourceType{"audioprojects_project_conversion", map[string]any{"project_id": "book"}}

// manyChapters are so many chapters, of which each converts as given.
func manyChapters(count int, conversions ...mockserver.Conversion) []mockserver.Chapter {
	all := make([]mockserver.Chapter, count)
	for i := range all {
		all[i] = mockserver.Chapter{ID: fmt.Sprintf("chapter-%d", i+1), Conversions: conversions}
	}
	return all
}

// converted are the chapters, converted without Terraform.
func converted(chapters []mockserver.Chapter) []mockserver.Chapter {
	for i := range chapters {
		chapters[i].Converted = true
	}
	return chapters
}

// withBook runs a test in fake time, with an object for a project of the given chapters.
func withBook(t *testing.T, chapters []mockserver.Chapter, test func(*core)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		service := mockserver.New()
		service.AddProject(mockserver.Project{ID: "book", Chapters: chapters})
		test(newCore(t, projectConversion, service, map[string]any{}))
	})
}

// number is a computed number of the object.
func (c *core) number(attribute string) int {
	c.Helper()
	value := fakecore.AttributesOf(c.Object.Value)[attribute]
	if value.IsNull() {
		return -1
	}
	number := new(big.Float)
	c.Must(value.As(&number))
	whole, _ := number.Int64()
	return int(whole)
}

func (c *core) wantNumbers(want map[string]int) {
	c.Helper()
	for attribute, want := range want {
		if got := c.number(attribute); got != want {
			c.Errorf("%s: got %d, want %d", attribute, got, want)
		}
	}
}

// failures are the ids of the chapters in failed_chapters.
func (c *core) failures() []string {
	c.Helper()
	failed := map[string]tftypes.Value{}
	c.Must(fakecore.AttributesOf(c.Object.Value)["failed_chapters"].As(&failed))
	return slices.Sorted(maps.Keys(failed))
}

// wantBook checks the action, the summaries of the warnings and the errors.
func (c *core) wantBook(shown *fakecore.Screen, action string, warnings, errors []string) {
	c.Helper()
	first := func(messages []string) (summaries []string) {
		for _, message := range messages {
			summary, _, _ := strings.Cut(message, "\n")
			summaries = append(summaries, summary)
		}
		return summaries
	}
	if shown.Action != action || !slices.Equal(first(slices.Concat(shown.Bill, shown.Warnings)), warnings) || !slices.Equal(first(shown.Errors), errors) {
		c.Errorf("got %s with warnings %q and errors %q, want %s with %q and %q", shown.Action, slices.Concat(shown.Bill, shown.Warnings), shown.Errors, action, warnings, errors)
	}
}

func TestABookIsConvertedOnceAndStaysConverted(t *testing.T) {
	t.Parallel()
	all := manyChapters(12, oneMinute)
	all[3].Converted, all[7].Converted = true, true
	withBook(t, all, func(c *core) {
		began := time.Now()
		c.wantBook(c.Apply(), "create", []string{`Conversions that cost credits in project "book": 10 chapters, 383 characters at most`}, nil)
		c.wantSent(10)
		c.wantNumbers(map[string]int{"chapter_count": 12, "characters_converted": 459, "characters_unconverted": 0, "pending_chapters": 0})
		if took := time.Since(began); took > 70*time.Second {
			c.Errorf("took %s", took)
		}
		c.wantBook(c.Apply(), "no-op", nil, nil)
		c.wantSent(10)

		c.service.EditChapter("book", "chapter-4", "Other words.")
		c.service.EditChapter("book", "chapter-9", "Other words.")
		plan := c.Plan()
		c.wantBook(plan.Screen, "update", []string{`Conversions that cost credits in project "book": 2 chapters, 24 characters at most`}, nil)
		if !plan.Says(`at most: 12 "chapter-4", edited 12 "chapter-9", edited 24 together`) || !plan.Says("Nothing left to convert, and nothing to pay: 10 chapters.") {
			c.Errorf("got %q", plan.Warnings)
		}
		c.Apply()
		c.wantSent(12)
		c.wantBook(c.Plan().Screen, "no-op", nil, nil)
	})
}

// Three of a hundred fail: the others are converted, and the next apply requests three.
func TestABookOfWhichChaptersFail(t *testing.T) {
	t.Parallel()
	const summary = `Unable to convert 3 of the 100 chapters of project "book"`
	const details = `The conversion failed. The service says: voice not found - "chapter-11" - "chapter-21"

The conversion failed. The service says: text too long - "chapter-31"

The next apply requests another conversion.

The next apply requests nothing for a chapter that has been converted.`
	all := manyChapters(100, oneMinute)
	for _, i := range []int{10, 20} {
		all[i].Conversions = []mockserver.Conversion{failing, oneMinute}
	}
	all[30].Conversions = []mockserver.Conversion{{Takes: time.Minute, Fails: "text too long"}, oneMinute}
	t.Run("created", func(t *testing.T) {
		t.Parallel()
		withBook(t, all, func(c *core) {
			shown := c.Apply()
			c.wantBook(shown, "create", []string{`Conversions that cost credits in project "book": 100 chapters, 3,892 characters at most`}, []string{summary})
			if !shown.Says(details) {
				c.Errorf("got %q", shown.Errors)
			}
			c.wantSent(100)
			if c.Object != nil {
				c.Error("a creation with failures alone has left a state")
			}
			c.wantBook(c.Apply(), "create", []string{`Conversions that cost credits in project "book": 3 chapters, 117 characters at most`}, nil)
			c.wantSent(103)
			c.wantBook(c.Plan().Screen, "no-op", nil, nil)
		})
	})
	t.Run("updated", func(t *testing.T) {
		t.Parallel()
		withBook(t, converted(slices.Clone(all)), func(c *core) {
			c.wantBook(c.Apply(), "create", adopted(100), nil)
			for _, chapter := range all {
				c.service.EditChapter("book", chapter.ID, "Other words.")
			}
			shown := c.Apply()
			c.wantBook(shown, "update", []string{`Conversions that cost credits in project "book": 100 chapters, 1,200 characters at most`}, []string{summary})
			if !shown.Says(details) {
				c.Errorf("got %q", shown.Errors)
			}
			c.wantSent(100)
			if failed := c.failures(); c.Object.Tainted || !slices.Equal(failed, []string{"chapter-11", "chapter-21", "chapter-31"}) {
				c.Errorf("tainted %t, failed %q", c.Object.Tainted, failed)
			}
			c.wantNumbers(map[string]int{"chapter_count": 100, "characters_unconverted": 36, "pending_chapters": 0})
			c.wantBook(c.Apply(), "update", []string{`Conversions that cost credits in project "book": 3 chapters, 36 characters at most`, "Earlier conversion failed"}, nil)
			c.wantSent(103)
			c.wantNumbers(map[string]int{"characters_unconverted": 0})
			if failed := c.failures(); len(failed) > 0 {
				c.Errorf("failed %q", failed)
			}
			c.wantBook(c.Plan().Screen, "no-op", nil, nil)
		})
	})
}

func TestABookInterrupted(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(60, mockserver.Conversion{Takes: 5 * time.Minute}), func(c *core) {
		began := time.Now()
		shown := c.Apply(fakecore.InterruptedAfter(time.Minute))
		c.wantBook(shown, "create", []string{`Conversions that cost credits in project "book": 60 chapters, 2,331 characters at most`, "Interrupted while waiting"}, nil)
		if took := time.Since(began); took > 61*time.Second {
			c.Errorf("came back after %s", took)
		}
		c.wantSent(50)
		c.wantNumbers(map[string]int{"chapter_count": 60, "pending_chapters": 50})
		c.wantBook(c.Apply(), "update", []string{`Conversions that cost credits in project "book": 10 chapters, 390 characters at most`}, nil)
		c.wantSent(60)
		c.wantNumbers(map[string]int{"pending_chapters": 0, "characters_unconverted": 0})
		c.wantBook(c.Plan().Screen, "no-op", nil, nil)
	})
}

func TestABookOutOfTime(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(3, mockserver.Conversion{Takes: 5 * time.Minute}), func(c *core) {
		c.Arguments["timeouts"] = map[string]any{"create": "1m"}
		shown := c.Apply()
		c.wantBook(shown, "create", []string{`Conversions that cost credits in project "book": 3 chapters, 114 characters at most`}, []string{`Unable to convert 3 of the 3 chapters of project "book"`})
		if !c.Object.Tainted || !shown.Says("Out of time after 1m0s (`timeouts`). The conversion goes on at the service.") {
			c.Errorf("tainted %t, got %q", c.Object.Tainted, shown.Errors)
		}
		c.Arguments["timeouts"] = map[string]any{"create": "1h"}
		c.wantBook(c.Apply(), "replace", []string{`Conversions under way in project "book": 3 chapters`}, nil)
		c.wantSent(3)
		c.wantBook(c.Plan().Screen, "no-op", nil, nil)
	})
}
