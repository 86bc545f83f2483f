package provider_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

const leftToLater = `Left to later applies in project "book"`

// TestAccProjectConversionResource_portions: three applies convert a book in its order. Until the last, the plan after an
// apply names what is next. A chapter has 38 characters.
func TestAccProjectConversionResource_portions(t *testing.T) {
	service := acctest.NewService(t, acctest.BookOf(manyChapters(5, brief)))
	wantSent := func(want int) func() { return func() { service.WantCount(mockserver.ConvertChapter, want) } }
	portions := acctest.BookBlock(`characters_per_apply = 80`)
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{Config: acctest.BookBlock(`characters_per_apply = 0`), ExpectError: regexp.MustCompile(`whole number from 1`)},
			{Config: acctest.BookBlock(`characters_per_apply = 37`), ExpectError: regexp.MustCompile(`The next chapter does not fit`)},
			{Config: portions, PostApplyFunc: wantSent(2), ExpectNonEmptyPlan: true},
			{Config: portions, PostApplyFunc: wantSent(4), ExpectNonEmptyPlan: true},
			{Config: portions, PostApplyFunc: wantSent(5)},
		},
	})
}

// portions is a book of five chapters, of which 80 characters are converted in an apply: two chapters.
func portions(t *testing.T, chapters []mockserver.Chapter, test func(*core)) {
	t.Helper()
	withBook(t, chapters, func(c *core) {
		c.Arguments["characters_per_apply"] = 80
		test(c)
	})
}

// requested are the numbers of the chapters for which a function requests conversions, in the order of the project.
func (c *core) requested(do func()) string {
	c.Helper()
	before := len(c.service.Journal())
	do()
	var requested []string
	for _, entry := range c.service.Journal()[before:] {
		if entry.Operation == mockserver.ConvertChapter {
			requested = append(requested, strings.TrimPrefix(entry.ChapterID, "chapter-"))
		}
	}
	slices.Sort(requested)
	return strings.Join(requested, " ")
}

// wantRequested applies, and checks which chapters that requests, and what is said of the rest in the plan and in the
// apply; empty if there is none.
func (c *core) wantRequested(want, later string) {
	c.Helper()
	plan := c.Plan()
	c.wantRequestedBy(plan, want, later)
}

func (c *core) wantRequestedBy(plan *fakecore.Plan, want, later string) {
	c.Helper()
	if plan.Says("Left to later applies: "+later) != (later != "") {
		c.Errorf("got %s, want %q", plan.Screen, later)
	}
	var shown *fakecore.Screen
	got := c.requested(func() { shown = c.ApplyPlan(plan) })
	if got != want || shown.Says(leftToLater) != (later != "") || later != "" && !shown.Says("Left to later applies: "+later+" `characters_per_apply` is 80.") {
		c.Errorf("got %q and %s, want %q and later %q", got, shown, want, later)
	}
	time.Sleep(time.Hour)
}

// TestPortions: each row says what each apply requests, and what it leaves.
func TestPortions(t *testing.T) {
	t.Parallel()
	edit := func(c *core, chapters ...int) {
		for _, n := range chapters {
			c.service.EditChapter("book", fmt.Sprintf("chapter-%d", n), strings.Repeat("x", 30))
		}
	}
	newVoice := func(c *core) { c.setVoice("Marrow") }
	failsInTheMiddle := manyChapters(5, oneMinute)
	failsInTheMiddle[2].Conversions = []mockserver.Conversion{failing}
	failsAgain := converted(slices.Clone(failsInTheMiddle))
	counts := func(unconverted, converted int) string {
		return fmt.Sprintf(`{"characters_unconverted":%d,"characters_converted":%d,"paragraphs_unconverted":1,"paragraphs_converted":1}`, unconverted, converted)
	}
	settled := func(c *core) { c.Plan().Want(c, "no-op", nil, nil) }
	for name, test := range map[string]struct {
		chapters []mockserver.Chapter
		test     func(*core)
	}{
		"creation": {manyChapters(5, oneMinute), func(c *core) {
			if c.Plan().Says("No conversion needed") {
				c.Error("the plan says that some chapters need nothing")
			}
			c.wantRequested("1 2", "3 chapters, 114 characters.")
			c.wantNumbers(map[string]int{"characters_converted": 76, "characters_unconverted": 114, "characters_requested": 76})
			c.wantRequested("3 4", "1 chapter, 38 characters.")
			c.wantRequested("5", "")
			settled(c)
		}},
		"creation that is edited after its plan": {manyChapters(5, oneMinute), func(c *core) {
			plan := c.Plan()
			c.service.Convert("book", "chapter-1")
			time.Sleep(time.Hour)
			got := c.requested(func() { c.ApplyPlan(plan) })
			if got != "2 3" || !plan.Says("Left to later applies: 2 chapters, 76 characters. `characters_per_apply` is 80.") {
				c.Errorf("got %q and %s", got, plan.Screen)
			}
		}},
		"import": {manyChapters(5, oneMinute), func(c *core) {
			c.Import("book")
			c.wantRequested("1 2", "3 chapters, 114 characters.")
			c.wantRequested("3 4", "1 chapter, 38 characters.")
		}},
		"update": {converted(manyChapters(5, oneMinute)), func(c *core) {
			c.Apply()
			edit(c, 5, 4, 2)
			c.wantRequested("2 4", "1 chapter, 30 characters.")
			c.wantRequested("5", "")
			settled(c)
		}},
		"update without a refresh": {manyChapters(5, oneMinute), func(c *core) {
			c.wantRequested("1 2", "3 chapters, 114 characters.")
			c.Unrefreshed = true
			c.wantRequested("3 4", "1 chapter, 38 characters.")
			c.wantRequested("5", "")
		}},
		"nothing is filled up": {converted(manyChapters(5, oneMinute)), func(c *core) {
			c.Apply()
			edit(c, 1, 2, 3, 4)
			plan := c.Plan()
			c.service.Convert("book", "chapter-1")
			time.Sleep(time.Hour)
			c.wantRequestedBy(plan, "2", "2 chapters, 60 characters.")
			c.wantRequested("3 4", "")
		}},
		"nothing of a deleted chapter's share": {converted(manyChapters(5, oneMinute)), func(c *core) {
			c.Apply()
			edit(c, 1, 2, 3)
			plan := c.Plan()
			c.service.RemoveChapter("book", "chapter-1")
			c.wantRequestedBy(plan, "2", "1 chapter, 30 characters.")
		}},
		"an edited one is left, and nothing for it": {converted(manyChapters(5, oneMinute)), func(c *core) {
			c.Apply()
			edit(c, 1, 2, 3)
			plan := c.Plan()
			c.service.EditChapter("book", "chapter-2", grown[:59]+"!")
			c.service.EditChapter("book", "chapter-4", "Words.")
			c.wantRequestedBy(plan, "1", "1 chapter, 30 characters.")
			if !plan.Says(`edited, added or converted: 60 "chapter-2" 6 "chapter-4"`) {
				c.Errorf("got %s", plan.Screen)
			}
			c.wantRequested("2", "2 chapters, 36 characters.")
		}},
		"a new voice": {converted(manyChapters(5, oneMinute)), func(c *core) {
			c.setVoice("Ottilie")
			c.Apply()
			newVoice(c)
			c.wantRequested("1 2", "3 chapters, 114 characters.")
			edit(c, 5)
			c.wantRequested("3 4", "1 chapter, 30 characters.")
			c.wantRequested("5", "")
			settled(c)
		}},
		"a new voice, while the old one is converted": {converted(manyChapters(5, oneMinute)), func(c *core) {
			delete(c.Arguments, "characters_per_apply")
			c.setVoice("Ottilie")
			c.Apply()
			newVoice(c)
			c.Apply(fakecore.InterruptedAfter(20 * time.Second))
			c.setVoice("Bela")
			c.Arguments["characters_per_apply"] = 80
			plan := c.Plan()
			got := c.requested(func() { c.ApplyPlan(plan) })
			if got != "1 2" || c.number("pending") != 0 || !plan.Says("Only waited for: 3 chapters") {
				c.Errorf("got %q, pending %d, and %s", got, c.number("pending"), plan.Screen)
			}
			c.wantRequested("3 4", "1 chapter, 38 characters.")
		}},
		"another voice before the end": {converted(manyChapters(5, oneMinute)), func(c *core) {
			c.setVoice("Ottilie")
			c.Apply()
			newVoice(c)
			c.wantRequested("1 2", "3 chapters, 114 characters.")
			c.setVoice("Ottilie")
			c.wantRequested("1 2", "3 chapters, 114 characters.")
			c.wantRequested("3 4", "1 chapter, 38 characters.")
		}},
		"some chapters": {manyChapters(5, oneMinute), func(c *core) {
			c.Arguments["chapter_ids"] = []string{"chapter-4", "chapter-2", "chapter-5"}
			c.wantRequested("2 4", "1 chapter, 38 characters.")
			c.Arguments["chapter_ids"] = []string{"chapter-1", "chapter-2", "chapter-3", "chapter-5"}
			c.wantRequested("1 3", "1 chapter, 38 characters.")
			delete(c.Arguments, "chapter_ids")
			c.Arguments["exclude_chapter_ids"] = []string{"chapter-5"}
			c.Apply()
			settled(c)
		}},
		"Ctrl-C": {manyChapters(5, oneMinute), func(c *core) {
			c.oneAtATime()
			got := c.requested(func() { c.Apply(fakecore.InterruptedAfter(30 * time.Second)) })
			if got != "1" {
				c.Errorf("got %q", got)
			}
			c.wantRequested("2 3", "2 chapters, 76 characters.")
			c.wantRequested("4 5", "")
		}},
		"a timeout": {manyChapters(5, oneMinute), func(c *core) {
			c.Arguments["timeouts"] = map[string]any{"create": "30s", "update": "30s"}
			got := c.requested(func() { c.Apply() })
			if got != "1 2" || !c.Object.Tainted {
				c.Errorf("got %q, tainted %t", got, c.Object.Tainted)
			}
			plan := c.Plan() // Both are pending, and it waits for them beside the next ones.
			got = c.requested(func() { c.ApplyPlan(plan) })
			if got != "3 4" {
				c.Errorf("got %q and %s", got, plan.Screen)
			}
		}},
		"a kill, for a new voice": {converted(manyChapters(5, oneMinute)), func(c *core) {
			c.setVoice("Ottilie")
			c.Apply()
			newVoice(c)
			c.wantRequested("1 2", "3 chapters, 114 characters.")
			before := c.Object
			c.wantRequested("3 4", "1 chapter, 38 characters.")
			c.Object = before // The state was not saved.
			c.wantRequested("3 4", "1 chapter, 38 characters.")
			c.wantRequested("5", "")
			settled(c)
		}},
		"somebody converts what was left": {converted(manyChapters(5, oneMinute)), func(c *core) {
			c.Apply()
			edit(c, 1, 2, 3)
			plan := c.Plan()
			c.service.Convert("book", "chapter-3")
			time.Sleep(time.Hour)
			c.service.Convert("book", "chapter-3") // once more, without unconverted text
			got := c.requested(func() { c.ApplyPlan(plan) })
			if got != "1 2" || plan.Says(leftToLater) {
				c.Errorf("got %q and %s", got, plan.Screen)
			}
		}},
		"text that is left over": {manyChapters(5, oneMinute), func(c *core) {
			c.service.SetField("book", "chapter-1", "statistics", counts(38, 0))
			time.AfterFunc(65*time.Second, func() { c.service.SetField("book", "chapter-1", "statistics", counts(3, 35)) })
			shown := c.Apply()
			if !shown.Says("The next apply converts it only if that number changes.") {
				c.Errorf("got %s, want that it is remembered", shown)
			}
			time.Sleep(time.Hour)
			c.wantRequested("3 4", "1 chapter, 38 characters.")
		}},
		"a failed one that is left": {failsAgain, func(c *core) {
			c.Apply()
			edit(c, 3)
			if len(c.Apply().Errors) != 1 || len(c.failures()) != 1 {
				c.Error("the conversion has not failed")
			}
			edit(c, 1, 2)
			c.Arguments["characters_per_apply"] = 60
			plan := c.Plan()
			if !plan.Says("Left to later applies: 1 chapter, 30 characters.\n\nNo conversion needed: 2 chapters.") || plan.Says("waits") {
				c.Errorf("got %s", plan.Screen)
			}
		}},
		"a failed one takes its share each time": {failsInTheMiddle, func(c *core) {
			c.wantRequested("1 2", "3 chapters, 114 characters.")
			for _, want := range []string{"3 4", "3 5", "3"} {
				got := c.requested(func() { c.Apply() })
				if got != want {
					c.Errorf("got %q, want %q", got, want)
				}
				time.Sleep(time.Hour)
			}
			c.Plan().WantEstimate(c, "The last conversion failed, and applying requests another.")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			portions(t, test.chapters, test.test)
		})
	}
}
