package provider_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// Three of a hundred fail: the others are converted, and the next apply requests three.
func TestProjectConversion_chaptersFail(t *testing.T) {
	t.Parallel()
	const summary = `Unable to convert 3 of the 100 chapters of project "book"`
	const details = `The conversion failed. The service's error message: voice not found - "chapter-11" - "chapter-21"

The conversion failed. The service's error message: text too long - "chapter-31"

The next apply requests another conversion.

The next apply requests nothing for chapters that are already converted.`
	all := manyChapters(100, oneMinute)
	for _, i := range []int{10, 20} {
		all[i].Conversions = []mockserver.Conversion{failing, oneMinute}
	}
	all[30].Conversions = []mockserver.Conversion{{Takes: time.Minute, Fails: "text too long"}, oneMinute}
	withBook(t, converted(all), func(c *core) {
		c.wantBook(c.Apply(), "create", adopted(100), nil)
		for _, chapter := range all {
			c.service.EditChapter("book", chapter.ID, "Other words.")
		}
		shown := c.Apply()
		c.wantBook(shown, "update", []string{`Conversions that cost credits in project "book": 100 chapters, 1,200 characters at most`}, []string{summary})
		if !shown.Says(details) || shown.Says("under way") {
			c.Errorf("got %q", shown.Errors)
		}
		c.wantSent(100)
		failed := c.failures()
		if c.Object.Tainted || !slices.Equal(failed, []string{"chapter-11", "chapter-21", "chapter-31"}) {
			c.Errorf("tainted %t, failed %q", c.Object.Tainted, failed)
		}
		c.wantNumbers(map[string]int{"chapter_count": 100, "characters_unconverted": 36, "pending": 0})
		c.wantBook(c.Apply(), "update", []string{`Conversions that cost credits in project "book": 3 chapters, 36 characters at most`, "Earlier conversion failed"}, nil)
		c.wantSent(103)
		c.wantNumbers(map[string]int{"characters_unconverted": 0})
		failed = c.failures()
		if len(failed) > 0 {
			c.Errorf("failed %q", failed)
		}
		c.wantBook(c.Plan().Screen, "no-op", nil, nil)
	})
}

// A chapter waits for its turn at the service, and is then cut short by the time of the whole project, not by its own.
func TestProjectConversion_errorNamesTimeout(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(3, mockserver.Conversion{Takes: 10 * time.Minute}), func(c *core) {
		c.service.SetHabits(mockserver.Habits{AtATime: 1})
		c.Arguments["chapter_timeout"], c.Arguments["timeouts"] = "15m", map[string]any{"create": "28m"}
		shown := c.Apply()
		if !shown.Says("Timed out after 28m0s (`timeouts`)") || shown.Says("chapter_timeout") {
			c.Errorf("got %q", shown.Errors)
		}
		c.wantNumbers(map[string]int{"chapter_count": 3, "pending": 1})
	})
}

// There are no credits. The chapters that the service has refused are told together, and so are those that were not requested. Nothing is
// said of these that is true of the others only.
func TestProjectConversion_creditsRunOut(t *testing.T) {
	t.Parallel()
	const notBegun = `Not begun, because the service refused the conversion of another chapter: 402 Payment Required: No credits are left - "chapter-`
	const follows = "\n\nNothing was requested. The next apply starts over."
	withBook(t, manyChapters(60, oneMinute), func(c *core) {
		c.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Times: -1, Status: 402, Body: `{"detail":"No credits are left"}`})
		shown := c.Apply()
		c.wantSent(3)
		text := strings.Join(shown.Errors, "")
		isAsWanted := shown.Says(notBegun) && shown.Says(follows) && strings.Count(text, "/convert") == 1 && strings.Count(text, "no sign of a conversion") == 1
		if !isAsWanted || strings.Count(text, "Add credits") != 1 {
			c.Errorf("got %q", shown.Errors)
		}
	})
}

// TestProjectConversion_remainderOfAFailedCreation: a creation that fails remembers no text that the service skips. So no message says
// that it is not requested again, and the next plan names it.
func TestProjectConversion_remainderOfAFailedCreation(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]bool{"another chapter fails": true, "none fails": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chapters := manyChapters(2, oneMinute)
			chapters[0].Text, chapters[1].Text = "One paragraph.\n\nAnother one.", "A third one.\n\nA fourth one."
			if fails {
				chapters[1].Conversions = []mockserver.Conversion{failing}
			}
			withBook(t, chapters, func(c *core) {
				c.service.SetHabits(mockserver.Habits{LeavesLast: true})
				shown := c.Apply()
				isForgotten := shown.Says("The next apply converts it.")
				isRemembered := shown.Says("The next apply converts it only if that number changes.")
				if isForgotten != fails || isRemembered == fails {
					t.Errorf("got %s", shown)
				}
			})
		})
	}
}
