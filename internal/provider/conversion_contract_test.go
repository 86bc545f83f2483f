package provider_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

const leftToNextPlan = `Left to the next plan in project "book"`

// grown is a text of 199 characters.
var grown = strings.Repeat("word ", 40)

// TestAccProjectConversionResource_editedAfterPlan: what the plan has not named is left, and the next plan has it.
func TestAccProjectConversionResource_editedAfterPlan(t *testing.T) {
	service := acctest.NewService(t, acctest.BookOf(converted(manyChapters(3, brief))))
	wantSent := func(want int) func() { return func() { service.WantCount(mockserver.ConvertChapter, want) } }
	voice := func(name string) string { return acctest.BookBlock(fmt.Sprintf("triggers = { voice = %q }", name)) }
	edit := func(chapter, text string) resource.ConfigPlanChecks {
		return acctest.Plan(acctest.Then(func() { service.EditChapter("book", chapter, text) }))
	}
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{Config: voice("Ada")},
			{
				PreConfig:          func() { service.EditChapter("book", "chapter-1", "Other words.") },
				Config:             voice("Ada"),
				ConfigPlanChecks:   edit("chapter-2", grown),
				PostApplyFunc:      wantSent(1),
				ExpectNonEmptyPlan: true,
			},
			{Config: voice("Ada"), PostApplyFunc: wantSent(2)},
			// New triggers want each chapter, and the edited one keeps the old voice until the next plan.
			{Config: voice("Bela"), ConfigPlanChecks: edit("chapter-3", grown), PostApplyFunc: wantSent(4), ExpectNonEmptyPlan: true},
			{Config: voice("Bela"), PostApplyFunc: wantSent(5)},
		},
	})
	service.WantPaid("book", "chapter-3", 1)
}

// TestAccProjectConversionResource_importedPlan: an import is an update, too, and its plan names what is not converted.
func TestAccProjectConversionResource_importedPlan(t *testing.T) {
	service := acctest.NewService(t, acctest.BookOf(manyChapters(2, brief)))
	imported := acctest.BookBlock(``) + `
import {
  to = audioprojects_project_conversion.book
  id = "book"
}`
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{{
			Config:             imported,
			ConfigPlanChecks:   acctest.Plan(acctest.Then(func() { service.EditChapter("book", "chapter-2", grown) })),
			PostApplyFunc:      func() { service.WantCount(mockserver.ConvertChapter, 1) },
			ExpectNonEmptyPlan: true,
		}},
	})
}

// TestContract: each row plans, does something at the service, and applies that plan. An apply requests no character that
// its plan has not named, and the next plan has the rest. A chapter has 38 characters, and an edited one 12.
func TestContract(t *testing.T) {
	t.Parallel()
	edits := func(chapter, text string) func(*core) {
		return func(c *core) { c.service.EditChapter("book", chapter, text) }
	}
	newVoice := func(c *core) { c.setVoice("Marrow") }
	converts := func(chapter string) func(*core) { return func(c *core) { c.service.Convert("book", chapter) } }
	removes := func(chapter string) func(*core) { return func(c *core) { c.service.RemoveChapter("book", chapter) } }
	all := func(each ...func(*core)) func(*core) {
		return func(c *core) {
			for _, do := range each {
				do(c)
			}
		}
	}
	converted := func(chapter, text string) func(*core) {
		return all(edits(chapter, text), converts(chapter), func(*core) { time.Sleep(2 * time.Minute) })
	}
	adds := func(c *core) {
		c.service.AddChapter("book", mockserver.Chapter{ID: "new", Text: grown, Conversions: []mockserver.Conversion{oneMinute}})
	}
	first := edits("chapter-1", "Other words.")
	for name, test := range map[string]struct {
		reason, after func(*core)
		named         string // by the plan
		sent          int    // by its apply
		left          string // what the warning says; empty if there is none
		rest          int    // sent by the next apply
	}{
		"another chapter is edited":       {first, edits("chapter-2", grown), `12 "chapter-1"`, 1, `199 "chapter-2"`, 1},
		"the planned one grows":           {first, edits("chapter-1", grown), `12 "chapter-1"`, 0, `199 "chapter-1"`, 1},
		"it grows by one":                 {first, edits("chapter-1", "Other words.."), `12 "chapter-1"`, 0, `13 "chapter-1"`, 1},
		"it shrinks":                      {first, edits("chapter-1", "Words."), `12 "chapter-1"`, 1, ``, 0},
		"a chapter is added":              {first, adds, `12 "chapter-1"`, 1, `199 "new"`, 1},
		"two are edited":                  {first, all(edits("chapter-2", grown), edits("chapter-3", "Words.")), `12 "chapter-1"`, 1, `199 "chapter-2" 6 "chapter-3" 205 in total`, 2},
		"it is deleted":                   {first, removes("chapter-1"), `12 "chapter-1"`, 0, ``, 0},
		"another is deleted":              {first, removes("chapter-2"), `12 "chapter-1"`, 1, ``, 0},
		"somebody converts it":            {first, converts("chapter-1"), `12 "chapter-1"`, 0, ``, 0},
		"somebody has converted it":       {first, converted("chapter-1", "Other words."), `12 "chapter-1"`, 0, ``, 0},
		"somebody edits and converts one": {first, all(edits("chapter-2", grown), converts("chapter-2")), `12 "chapter-1"`, 1, `199 "chapter-2"`, 0},
		"somebody converts another":       {first, converts("chapter-2"), `12 "chapter-1"`, 1, ``, 0},

		"new triggers, one is edited":      {newVoice, edits("chapter-2", grown), `114 in total`, 2, `199 "chapter-2"`, 1},
		"new triggers, it shrinks":         {newVoice, edits("chapter-2", "Words."), `114 in total`, 2, `6 "chapter-2"`, 1},
		"new triggers, one is added":       {newVoice, adds, `114 in total`, 3, `199 "new"`, 1},
		"new triggers, somebody converts":  {newVoice, converts("chapter-1"), `114 in total`, 3, ``, 0},
		"new triggers, one gets longer":    {newVoice, converted("chapter-1", grown[:59]), `114 in total`, 2, `59 "chapter-1"`, 1},
		"triggers, another gets longer":    {all(first, newVoice), converted("chapter-2", grown[:49]), `88 in total`, 2, `49 "chapter-2"`, 1},
		"new triggers, one gets shorter":   {newVoice, converted("chapter-1", "Words."), `114 in total`, 2, `6 "chapter-1"`, 1},
		"triggers, added and converted":    {newVoice, all(edits("chapter-1", grown), adds, converted("new", "Words.")), `114 in total`, 2, `199 "chapter-1" 6 "new" 205 in total`, 2},
		"triggers, fewer and longer":       {all(newVoice, func(c *core) { c.Arguments["chapter_ids"] = []string{"chapter-1"} }), converted("chapter-1", grown[:59]), `38 "chapter-1"`, 0, `59 "chapter-1"`, 1},
		"new triggers and an edit":         {all(first, newVoice), edits("chapter-1", "Some words."), `12 "chapter-1" 38 "chapter-2" 38 "chapter-3" 88 in total`, 3, ``, 0},
		"new triggers, the edited grows":   {all(first, newVoice), edits("chapter-1", grown), `88 in total`, 2, `199 "chapter-1"`, 1},
		"no triggers, another is edited":   {all(first, func(c *core) { delete(c.Arguments, "triggers") }), edits("chapter-2", grown), `12 "chapter-1"`, 1, `199 "chapter-2"`, 1},
		"fewer chapters, one is edited":    {all(first, func(c *core) { c.Arguments["exclude_chapter_ids"] = []string{"chapter-3"} }), edits("chapter-2", grown), `12 "chapter-1"`, 1, `199 "chapter-2"`, 1},
		"fewer, and the excluded is taken": {all(first, func(c *core) { c.Arguments["chapter_ids"] = []string{"chapter-1", "chapter-2"} }), edits("chapter-3", grown), `12 "chapter-1"`, 1, ``, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withVoice(t, manyChapters(3, oneMinute), func(c *core) {
				test.reason(c)
				c.wantContract(test.named, test.after, test.sent, test.left, test.rest)
			})
		})
	}
}

// wantContract plans, does something, and applies that plan, and then the next one. It checks what the first plan names,
// how many conversions its apply requests, what that says of what it has left, and how many more the next one requests.
func (c *core) wantContract(named string, after func(*core), sent int, left string, rest int) {
	c.Helper()
	plan := c.Plan()
	if !plan.Says(named) {
		c.Errorf("got %s, want %s", plan.Screen, named)
	}
	time.Sleep(time.Hour)
	after(c)
	shown := c.ApplyPlan(plan)
	c.wantSent(sent)
	c.wantLeft(shown, left)
	c.Apply()
	c.wantSent(sent + rest)
	c.Plan().Want(c, "no-op", nil, nil)
}

// wantLeft checks that an apply is green, and what it says of what it has left.
func (c *core) wantLeft(shown *fakecore.Screen, left string) {
	c.Helper()
	isRight := shown.Says("text has probably been edited, added or converted: "+left) && shown.Says("The next plan names ")
	if shown.Says(leftToNextPlan) != (left != "") || left != "" && !isRight || len(shown.Errors) > 0 {
		c.Errorf("got %s, want that it leaves %q", shown, left)
	}
}

// TestContract_chapter is the same for a resource for one chapter, which has 35 characters, and 20 if it is edited.
func TestContract_chapter(t *testing.T) {
	t.Parallel()
	newVoice := func(c *core) { c.setVoice("Marrow") }
	edited := func(c *core) { c.service.EditChapter("book", "one", acctest.LongerText) }
	grows := func(c *core) { c.service.EditChapter("book", "one", grown) }
	follows := func(c *core) { c.Arguments[keepUpToDate] = true }
	for name, test := range map[string]struct {
		keeps         bool
		reason, after func(*core)
		named         string
		sent          int
		left          string
		rest          int
	}{
		"it grows":                    {true, edited, grows, "20 ", 0, "199 ", 1},
		"it shrinks":                  {true, edited, func(c *core) { c.service.EditChapter("book", "one", "Words.") }, "20 ", 1, "", 0},
		"somebody converts it":        {true, edited, func(c *core) { c.service.Convert("book", "one") }, "20 ", 0, "", 0},
		"new triggers, it grows":      {false, newVoice, grows, "35 ", 0, "199 ", 1},
		"new triggers, it is edited":  {false, newVoice, func(c *core) { c.service.EditChapter("book", "one", "Words.") }, "35 ", 1, "", 0},
		"it follows now, and grows":   {false, func(c *core) { edited(c); follows(c) }, grows, "20 ", 0, "199 ", 1},
		"it follows now":              {false, func(c *core) { edited(c); follows(c) }, func(*core) {}, "20 ", 1, "", 0},
		"new triggers of text, grows": {true, func(c *core) { edited(c); newVoice(c) }, grows, "20 ", 0, "199 ", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, mockserver.Chapter{Converted: true, Conversions: []mockserver.Conversion{oneMinute}}, map[string]any{}, func(c *core) {
				c.Arguments[keepUpToDate] = true
				c.setVoice("Ottilie")
				c.Apply()
				c.Arguments[keepUpToDate] = test.keeps
				c.Apply()
				test.reason(c)
				c.wantContract(test.named, test.after, test.sent, test.left, test.rest)
			})
		})
	}
}

// TestContract_uncounted: a chapter that is noted without a number is requested, and one that has a number, and is not
// counted any more, is left.
func TestContract_uncounted(t *testing.T) {
	t.Parallel()
	uncount := func(c *core) { c.service.SetField("book", "chapter-1", "statistics", `null`) }
	for name, before := range map[string]bool{"always": true, "since the plan": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withVoice(t, manyChapters(2, oneMinute), func(c *core) {
				if before {
					uncount(c)
					c.Apply()
					time.Sleep(time.Hour)
				}
				c.setVoice("Marrow")
				plan := c.Plan()
				uncount(c)
				shown := c.ApplyPlan(plan)
				left := `? "chapter-1"`
				if before {
					left = ""
				}
				c.wantLeft(shown, left)
			})
		})
	}
}

// TestContract_progress: what is left is no failure, and does not count among the chapters that are converted.
func TestContract_progress(t *testing.T) {
	t.Parallel()
	withBook(t, converted(manyChapters(3, oneMinute)), func(c *core) {
		var log bytes.Buffer
		c.Apply()
		c.ctx = tflogtest.RootLogger(c.Context(), &log)
		for _, edited := range []string{"chapter-1", "chapter-2"} {
			c.service.EditChapter("book", "chapter-1", "Other words.")
			plan := c.Plan()
			c.service.EditChapter("book", edited, grown)
			c.ApplyPlan(plan)
		}
		entries, err := tflogtest.MultilineJSONDecode(&log)
		c.Must(err)
		var lines []string
		for _, entry := range entries {
			line, isProgress := entry["progress"].(string)
			if isProgress {
				lines = append(lines, line)
			}
		}
		for _, want := range []string{"1 chapter left for later", "1 of 1 chapter converted, 0 converting, 1 left for later"} {
			if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, want) }) {
				c.Errorf("got %q, want %q", lines, want)
			}
		}
	})
}

// TestContract_droppedTriggers: a chapter that was left for triggers is noted with all of its text, and without triggers
// only with what is unconverted.
func TestContract_droppedTriggers(t *testing.T) {
	t.Parallel()
	withVoice(t, manyChapters(3, oneMinute), func(c *core) {
		c.oneAtATime()
		c.setVoice("Marrow")
		c.Apply(fakecore.InterruptedAfter(90 * time.Second))
		time.Sleep(time.Hour)
		delete(c.Arguments, "triggers")
		plan := c.Plan()
		c.service.EditChapter("book", "chapter-3", "Other words.")
		c.wantLeft(c.ApplyPlan(plan), `12 "chapter-3"`)
		c.wantSent(2)
		c.Apply()
		c.wantSent(3)
	})
}

// TestContract_failedCreation: a creation that was interrupted, and whose conversion failed then, wants another one.
func TestContract_failedCreation(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(failing, oneMinute), nil, func(c *core) {
		c.Apply(fakecore.InterruptedAfter(20 * time.Second))
		time.Sleep(time.Hour)
		plan := c.Plan()
		plan.WantEstimate(c, "The last conversion failed, and applying requests another.")
		c.service.EditChapter("book", "one", grown)
		shown := c.ApplyPlan(plan)
		if len(shown.Errors) > 0 || !shown.Says(leftToNextPlan) || c.pending() == "" {
			c.Errorf("got %s, want it left", shown)
		}
		c.wantSent(1)
		c.Apply()
		c.wantSent(2)
	})
}

// TestContract_failedChapters: a chapter that failed before and is left has failed still.
func TestContract_failedChapters(t *testing.T) {
	t.Parallel()
	chapters := manyChapters(2, oneMinute)
	chapters[0].Conversions = []mockserver.Conversion{failing, oneMinute}
	withBook(t, converted(chapters), func(c *core) {
		c.Apply()
		c.service.EditChapter("book", "chapter-1", "Other words.")
		c.Apply()
		plan := c.Plan()
		c.service.EditChapter("book", "chapter-1", grown)
		c.ApplyPlan(plan)
		if failed := c.failures(); !slices.Equal(failed, []string{"chapter-1"}) {
			c.Errorf("failed chapters: got %q", failed)
		}
		c.Apply()
		if failed := c.failures(); len(failed) > 0 {
			c.Errorf("failed chapters: got %q, want none", failed)
		}
	})
}

// TestContract_undated: where the service sets no timestamps, only all chapters without a note together show that one of
// them has grown. Nobody knows which, so all of them are left.
func TestContract_undated(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		edited, converted, text string
		left                    string
		sent                    int
	}{
		"one has grown":              {"", "chapter-1", grown[:59], `59 "chapter-1" 38 "chapter-2" 38 "chapter-3" 135 in total`, 0},
		"another one has grown":      {"chapter-1", "chapter-2", grown[:49], `49 "chapter-2" 38 "chapter-3" 87 in total`, 1},
		"one is shorter":             {"", "chapter-1", "Words.", ``, 3},
		"an edited one is converted": {"chapter-1", "chapter-1", "Words.", ``, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withVoice(t, manyChapters(3, oneMinute), func(c *core) {
				for _, chapter := range manyChapters(3) {
					c.service.SetField("book", chapter.ID, "last_conversion_date_unix", "null")
				}
				if test.edited != "" {
					c.service.EditChapter("book", test.edited, "Other words.")
				}
				c.setVoice("Marrow")
				plan := c.Plan()
				c.service.EditChapter("book", test.converted, test.text)
				c.service.Convert("book", test.converted)
				time.Sleep(time.Hour)
				c.wantLeft(c.ApplyPlan(plan), test.left)
				c.wantSent(test.sent)
			})
		})
	}
}

// TestContract_joinsWhatIsPlanned: what somebody else converts is waited for only if the plan has named it.
func TestContract_joinsWhatIsPlanned(t *testing.T) {
	t.Parallel()
	for name, conversion := range map[string]mockserver.Conversion{"it fails": failing, "it takes too long": {Takes: 3 * time.Hour}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chapters := manyChapters(2, oneMinute)
			chapters[1].Conversions = []mockserver.Conversion{conversion}
			withBook(t, converted(chapters), func(c *core) {
				c.Apply()
				c.service.EditChapter("book", "chapter-1", "Other words.")
				plan := c.Plan()
				c.service.EditChapter("book", "chapter-2", grown)
				c.service.Convert("book", "chapter-2")
				began := time.Now()
				c.wantLeft(c.ApplyPlan(plan), `199 "chapter-2"`)
				c.wantSent(1)
				if took := time.Since(began); took > 5*time.Minute || c.number("pending") > 0 || len(c.failures()) > 0 {
					c.Errorf("the apply took %s, %d conversions are pending, and %q failed", took, c.number("pending"), c.failures())
				}
			})
		})
	}
}

// TestContract_endedConversion: a conversion that has ended is pending no more, also if its chapter is left then. So it
// is no reason to convert what nobody wants any more.
func TestContract_endedConversion(t *testing.T) {
	t.Parallel()
	inFakeTime(t, mockserver.Chapter{Converted: true, Conversions: []mockserver.Conversion{oneMinute}}, kept(), func(c *core) {
		c.Apply()
		c.service.EditChapter("book", "one", "Some words.")
		plan := c.Plan()
		c.service.Convert("book", "one")
		time.AfterFunc(30*time.Second, func() { c.service.EditChapter("book", "one", "Some words.\n\n"+grown) })
		c.wantLeft(c.ApplyPlan(plan), "199 ")
		if c.pending() != "" {
			c.Errorf("pending: got %s, want none", c.pending())
		}
		c.Arguments[keepUpToDate] = false
		c.Apply().Want(c, "update", nil, nil)
		c.Plan().Want(c, "no-op", nil, nil)
		c.wantSent(0)
	})
}

// TestContract_endedForTriggers: the conversion for changed triggers has ended, and only the text is left.
func TestContract_endedForTriggers(t *testing.T) {
	t.Parallel()
	const text = "This is the text of chapter chapter-1."
	withVoice(t, manyChapters(1, mockserver.Conversion{Takes: 90 * time.Minute}, oneMinute), func(c *core) {
		c.setVoice("Marrow")
		c.Apply()
		plan := c.Plan()
		c.service.EditChapter("book", "chapter-1", text+"\n\n"+grown)
		c.wantLeft(c.ApplyPlan(plan), `199 "chapter-1"`)
		if c.number("pending") > 0 {
			c.Errorf("pending: got %s, want none", c.text("pending_conversions"))
		}
		next := c.Plan()
		next.WantEstimate(c, `Characters at most: 199 "chapter-1"`)
		c.ApplyPlan(next)
		c.wantSent(2)
	})
}

// TestContract_nobodyCounted: a chapter without counts that has a timestamp needs nothing, so no plan names it.
func TestContract_nobodyCounted(t *testing.T) {
	t.Parallel()
	inFakeTime(t, mockserver.Chapter{Converted: true, Conversions: []mockserver.Conversion{oneMinute}}, kept(), func(c *core) {
		c.Apply()
		c.Arguments[keepUpToDate] = false
		c.Apply()
		c.service.SetField("book", "one", "statistics", "null")
		c.Arguments[keepUpToDate] = true
		plan := c.Plan()
		c.service.SetField("book", "one", "statistics", "")
		c.service.EditChapter("book", "one", grown)
		c.wantLeft(c.ApplyPlan(plan), "199 ")
		c.wantSent(0)
	})
}

// TestContract_unrefreshed: a plan that does not refresh goes by older notes, also where it looks at the chapters. So it
// names what its apply may request, and says what that leaves.
func TestContract_unrefreshed(t *testing.T) {
	t.Parallel()
	withVoice(t, manyChapters(2, oneMinute), func(c *core) {
		c.service.EditChapter("book", "chapter-2", grown)
		c.setVoice("Marrow")
		c.Unrefreshed = true
		plan := c.Plan()
		if plan.Says("No conversion needed") || !plan.Says(`at most: 38 "chapter-1"`) || !plan.Says("left to the next one: 1 chapter.") {
			c.Errorf("got %s", plan.Screen)
		}
		c.wantLeft(c.ApplyPlan(plan), `199 "chapter-2"`)
		c.wantSent(1)
	})
	inFakeTime(t, mockserver.Chapter{Converted: true, Conversions: []mockserver.Conversion{oneMinute}}, nil, func(c *core) {
		c.setVoice("Ottilie")
		c.Apply()
		sent := c.service.Count(mockserver.ConvertChapter)
		time.Sleep(time.Hour)
		c.service.EditChapter("book", "one", grown)
		c.setVoice("Marrow")
		c.Unrefreshed = true
		plan := c.Plan()
		plan.WantEstimate(c, c.whyAgain()+" 35 ")
		c.service.EditChapter("book", "one", "Words.")
		c.wantLeft(c.ApplyPlan(plan), "")
		c.wantSent(sent + 1)
	})
}

// TestChapterConversion_nothingMoreWanted: a conversion that was waited for has converted nothing, and nothing more is
// wanted. One apply says so.
func TestChapterConversion_nothingMoreWanted(t *testing.T) {
	t.Parallel()
	inFakeTime(t, mockserver.Chapter{Converted: true, Conversions: []mockserver.Conversion{{Takes: 90 * time.Minute}, oneMinute}}, kept(), func(c *core) {
		c.Apply()
		c.service.EditChapter("book", "one", "Some words.")
		c.Apply()
		c.service.EditChapter("book", "one", grown)
		c.Arguments[keepUpToDate] = false
		shown := c.Apply()
		if len(shown.Errors) != 1 || !shown.Says("Nothing more is wanted of the chapter.") {
			c.Errorf("got %s", shown)
		}
		c.Plan().Want(c, "no-op", nil, nil)
		c.wantSent(1)
	})
}

// TestContract_textAddedToPending: text that is added while a conversion is pending is converted after that one, so it is
// new money.
func TestContract_textAddedToPending(t *testing.T) {
	t.Parallel()
	for _, kind := range []resourceType{projectConversion, chapterConversion} {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, chapterWithConversions(oneMinute), nil, func(c *core) {
				c = newCore(c.T, kind, c.service, followsText(kind))
				c.Apply(fakecore.InterruptedAfter(20 * time.Second))
				c.service.EditChapter("book", "one", acctest.LongerText)
				plan := c.Plan()
				plan.WantEstimate(c, "Applying waits for it, and requests another for the text that it leaves, which costs at most: 55 ")
				if plan.Says("Conversions under way") || plan.Says("Only waited for") {
					c.Errorf("got %s", plan.Screen)
				}
				c.limitTo(0)
				c.Plan().Want(c, "", nil, []string{"Too many characters to convert"})
			})
		})
	}
}
