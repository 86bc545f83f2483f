package provider_test

import (
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// limitTo makes every process of the provider have that max_characters.
func (c *core) limitTo(most int) {
	c.Start = func() *fakecore.Process {
		return c.beginWith(map[string]any{"base_url": "http://localhost", "api_key": mockserver.Secret, "max_characters": most}, nil)
	}
}

var convertedChapter = mockserver.Chapter{Converted: true, ConvertedAt: time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC)}

func kept() map[string]any { return map[string]any{keepUpToDate: true} }

// TestRefresh_deadServiceToldOnce: the refresh of many objects of a project ends in one error. A plan of a new object warns of it, and then
// the object that is refreshed next is not planned as if all were well.
func TestRefresh_deadServiceToldOnce(t *testing.T) {
	t.Parallel()
	for _, planned := range []bool{false, true} {
		inFakeTime(t, convertedChapter, kept(), func(c *core) {
			c.Apply().Want(c, "create", nil, nil)
			p := c.begin()
			defer p.End()
			c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Times: -1, Status: 503})
			if planned {
				warned := new(fakecore.Screen)
				c.Core.Plan(p, nil, c.Config(), false, warned)
				warned.Want(c, "create", []string{"This plan does not know what the conversions cost."}, nil)
			}
			shown := &fakecore.Screen{}
			for range 3 {
				before := c.Object.Value
				c.Refresh(p, shown)
				c.wantEqual("the object", c.Object.Value, before)
			}
			shown.Want(c, "", nil, []string{"503 Service Unavailable"})
		})
	}
}

// TestPlan_saysWhatItCosts: the chapter's text has 35 characters, and 55 after an edit.
func TestPlan_saysWhatItCosts(t *testing.T) {
	t.Parallel()
	const costs = `Conversions that cost credits in project "book"` + "\n"
	for name, test := range map[string]struct {
		chapter   mockserver.Chapter
		arguments map[string]any
		before    func(*core)
		action    string
		estimate  []string
	}{
		"new, with open text":      {mockserver.Chapter{}, nil, nil, "create", []string{costs + `Characters at most: 35 "The Dark Lantern" (one)`}},
		"new, and kept up to date": {mockserver.Chapter{}, kept(), nil, "create", []string{costs + `Characters at most: 35 "The Dark Lantern" (one)` + "\n\n" + "In this plan until here: 1 chapter, 35 characters at most.\n\nAt the time of this plan, the project had 1 chapter with 35 characters, 35 of them unconverted."}},
		"new, and nothing is left": {convertedChapter, nil, nil, "create", []string{
			costs + "The chapter has no unconverted text, and applying converts it again. To avoid the cost, adopt it with `keep_up_to_date = true`, or import it." + ` 35 "The Dark Lantern" (one)`,
		}},
		"adopted": {convertedChapter, kept(), nil, "create", []string{"To convert them again, change `triggers`, or invoke an action."}},
		"not counted": {mockserver.Chapter{}, kept(), func(c *core) { c.service.SetHabits(mockserver.Habits{NoStatistics: true}) }, "create", []string{
			costs + `Characters at most: ? "The Dark Lantern" (one)`,
		}},
		"edited": {convertedChapter, kept(), func(c *core) { c.Apply(); c.service.EditChapter("book", "one", acctest.LongerText) }, "update", []string{costs + `Characters at most: 20 "The Dark Lantern" (one)`}},
		"edited, and not refreshed": {convertedChapter, kept(), func(c *core) {
			c.Apply()
			c.service.EditChapter("book", "one", acctest.LongerText)
			c.Unrefreshed = true
		}, "no-op", nil},
		"other triggers": {convertedChapter, map[string]any{keepUpToDate: true, "triggers": map[string]any{"voice": "a"}}, func(c *core) {
			c.Apply()
			c.Arguments["triggers"] = map[string]any{"voice": "b"}
		}, "update", []string{costs + "The `triggers` changed, so applying converts the chapter again, which costs at most:" + ` 35 "The Dark Lantern" (one)`}},
		"settled":                     {convertedChapter, kept(), func(c *core) { c.Apply() }, "no-op", nil},
		"settled, and not refreshed":  {convertedChapter, kept(), func(c *core) { c.Apply(); c.Unrefreshed = true }, "no-op", nil},
		"another chapter, not needed": {convertedChapter, kept(), func(c *core) { c.anotherChapter(mockserver.Chapter{Converted: true}) }, "replace", []string{`Adopted at no cost in project "book"`}},
		"another chapter":             {convertedChapter, kept(), func(c *core) { c.anotherChapter(mockserver.Chapter{Name: "Far", Text: "Far."}) }, "replace", []string{costs + `Characters at most: 4 "Far" (two)`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, test.chapter, test.arguments, func(c *core) {
				if test.before != nil {
					test.before(c)
					time.Sleep(time.Minute)
				}
				c.service.ResetJournal()
				shown := c.Plan()
				shown.Want(c, test.action, nil, nil)
				shown.WantEstimate(c, test.estimate...)
				asked := len(c.service.Journal())
				if c.Unrefreshed && asked > 0 {
					c.Errorf("got %d requests, want none", asked)
				}
			})
		})
	}
}

// TestEstimate_hasTotalUntilHere: of many resources for chapters of a project, Terraform shows one warning, so each says what the
// resources planned before it have, too. A chapter that is planned again counts once. One that only waits is told apart: nothing pending
// looks as if it were paid again, or as if it could not be. Without unconverted text, nobody must take the conversions for free.
func TestEstimate_hasTotalUntilHere(t *testing.T) {
	t.Parallel()
	for rest, converted := range map[string]bool{"42 of them unconverted.": false, "none of them unconverted. Converting them again costs credits.": true} {
		inFakeTime(t, mockserver.Chapter{}, map[string]any{}, func(c *core) {
			c.service.AddProject(mockserver.Project{ID: "book", Chapters: []mockserver.Chapter{
				{ID: "one", Text: acctest.ChapterText, Converted: converted}, {ID: "two", Text: "Far.", Converted: converted},
				{ID: "three", Text: "Far", Converted: converted, Conversions: []mockserver.Conversion{{Takes: time.Hour}}},
			}})
			p := c.begin()
			defer p.End()
			wantUntilHere := func(chapter, sum string) {
				c.Helper()
				c.Arguments["chapter_id"] = chapter
				shown := &fakecore.Screen{}
				c.PlanChange(p, shown)
				want := "In this plan until here: " + sum + ".\n\nAt the time of this plan, the project had 3 chapters with 42 characters, " + rest
				if !shown.Says(want) {
					c.Errorf("%s: got %s, want %q", chapter, shown, want)
				}
			}
			const waits = " Only waited for: 1 chapter, at most 3 characters more if its conversion fails"
			wantUntilHere("one", "1 chapter, 35 characters at most")
			wantUntilHere("two", "2 chapters, 39 characters at most")
			wantUntilHere("one", "2 chapters, 39 characters at most")
			c.service.Convert("book", "three")
			time.Sleep(time.Minute) // The plan shares one list for some seconds.
			wantUntilHere("three", "2 chapters, 39 characters at most."+waits)
			wantUntilHere("one", "2 chapters, 39 characters at most."+waits)
		})
	}
}

// TestEstimate_countsAdopted: Terraform shows one of these warnings, too.
func TestEstimate_countsAdopted(t *testing.T) {
	t.Parallel()
	inFakeTime(t, convertedChapter, kept(), func(c *core) {
		c.service.AddProject(mockserver.Project{ID: "book", Chapters: []mockserver.Chapter{
			{ID: "one", Text: acctest.ChapterText, Converted: true}, {ID: "two", Text: "Far.", Converted: true}, {ID: "three", Text: "Far"},
		}})
		p := c.begin()
		defer p.End()
		for _, step := range []struct{ chapter, says string }{
			{"one", "Adopted in this plan until here: 1 chapter.\n\nAt the time of this plan, the project had 3 chapters with 42 characters, 3 of them unconverted."},
			{"three", "In this plan until here: 1 chapter, 3 characters at most."},
			{"one", "Adopted in this plan until here: 1 chapter."}, {"two", "Adopted in this plan until here: 2 chapters."},
		} {
			c.Arguments["chapter_id"] = step.chapter
			shown := &fakecore.Screen{}
			c.PlanChange(p, shown)
			if !shown.Says(step.says) {
				c.Errorf("%s: got %s, want %q", step.chapter, shown, step.says)
			}
		}
	})
}

// anotherChapter applies, and then makes the block one for another chapter of the project.
func (c *core) anotherChapter(chapter mockserver.Chapter) {
	c.Apply()
	chapter.ID = "two"
	c.service.AddProject(mockserver.Project{ID: "book", Chapters: []mockserver.Chapter{{ID: "one", Text: acctest.ChapterText, Converted: true}, chapter}})
	c.Arguments["chapter_id"] = "two"
}

// TestPlan_failsWhereServiceDisprovesIt for one object, and says it once for all of a project.
func TestPlan_failsWhereServiceDisprovesIt(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		arguments       map[string]any
		fault           mockserver.Fault
		errors, warning []string
		requests        int
		again           bool // the second object of the project says so, too
	}{
		"no such chapter":    {map[string]any{"chapter_id": "two"}, mockserver.Fault{}, []string{`In project "book", two lists 5 s apart lack these chapters: - "two"`}, nil, 2, true},
		"no such project":    {map[string]any{"project_id": "bok"}, mockserver.Fault{}, []string{`Unable to read project "bok"` + "\nGET /v1/projects/bok/chapters: 404"}, nil, 1, false},
		"a wrong key":        {nil, mockserver.Fault{Status: 401}, []string{"The service does not accept the API key."}, nil, 1, false},
		"no access":          {nil, mockserver.Fault{Status: 403}, []string{"The API key's scope does not include this operation"}, nil, 1, false},
		"a dead service":     {nil, mockserver.Fault{Status: 503}, nil, []string{"This plan does not know what the conversions cost."}, 5, false},
		"an unlimited pause": {nil, mockserver.RateLimited(time.Hour), nil, []string{"The service accepts no requests for another 1h0m0s."}, 1, false},
		"no connection":      {nil, mockserver.Fault{Reset: true}, nil, []string{`Unable to read project "book"`}, 5, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, mockserver.Chapter{}, test.arguments, func(c *core) {
				if test.fault.Status != 0 || test.fault.Reset {
					test.fault.Times = -1
					c.service.Inject(test.fault)
				}
				p := c.begin()
				defer p.End()
				first, second := &fakecore.Screen{}, &fakecore.Screen{}
				c.PlanChange(p, first)
				first.Want(c, "create", test.warning, test.errors)
				c.PlanChange(p, second)
				if test.again {
					second.Want(c, "create", test.warning, test.errors)
				} else {
					second.Want(c, "create", nil, nil)
				}
				got := len(c.service.Journal())
				if got != test.requests {
					c.Errorf("requests for two objects: got %d, want %d", got, test.requests)
				}
			})
		})
	}
}

// TestMaxCharacters_chapters: the chapter's text has 35 characters, 20 more after an edit.
func TestMaxCharacters_chapters(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		chapter   mockserver.Chapter
		arguments map[string]any
		most      int
		before    func(*core)
		error     string // of the plan
		replaced  bool
	}{
		"enough":                      {mockserver.Chapter{}, nil, 35, nil, "", false},
		"one too few":                 {mockserver.Chapter{}, nil, 34, nil, `Nothing is requested. The plan has 35 characters until here: - chapter "one" of project "book", 1 chapter, 35 characters at most`, false},
		"none":                        {mockserver.Chapter{}, nil, 0, nil, "The conversions would exceed the limit of 0 characters (`max_characters`).", false},
		"none, and none is needed":    {convertedChapter, kept(), 0, nil, "", false},
		"nothing left, converted all": {convertedChapter, nil, 34, nil, "35 characters at most", false},
		"not counted": {mockserver.Chapter{}, nil, 1000, func(c *core) { c.service.SetHabits(mockserver.Habits{NoStatistics: true}) },
			"The service does not count the characters of all chapters, so the provider cannot check the limit of 1,000 characters (`max_characters`).", false},
		"only joins": {chapterWithConversions(oneMinute), nil, 0, func(c *core) { c.service.Convert("book", "one") }, "", false},
		"ended between two applies, and edited since": {chapterWithConversions(oneMinute), kept(), 19, func(c *core) {
			c.Start = c.begin
			c.Apply(fakecore.InterruptedAfter(30 * time.Second))
			c.limitTo(19)
			time.Sleep(time.Minute)
			c.service.EditChapter("book", "one", acctest.LongerText)
		}, "The conversions would exceed the limit of 19 characters", false},
		"replaced, and nothing is left":   {convertedChapter, kept(), 0, func(c *core) { c.Apply() }, "", true},
		"replaced, and converted all":     {convertedChapter, nil, 34, func(c *core) { c.Import("book/one") }, "35 characters at most", true},
		"another id, and nothing is left": {convertedChapter, kept(), 0, func(c *core) { c.anotherChapter(mockserver.Chapter{Converted: true}) }, "", false},
		"settled, as it is":               {convertedChapter, kept(), 0, func(c *core) { c.Apply() }, "", false},
		"only waits": {chapterWithConversions(mockserver.Conversion{Takes: time.Hour}), nil, 0, func(c *core) {
			c.Start = c.begin
			c.Apply(fakecore.InterruptedAfter(time.Minute))
			c.limitTo(0)
		}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, test.chapter, test.arguments, func(c *core) {
				c.limitTo(test.most)
				if test.before != nil {
					test.before(c)
				}
				c.Replaced = test.replaced
				paid := c.service.Conversions("book", "one")
				shown := c.Plan()
				if test.error == "" && len(shown.Errors) > 0 || test.error != "" && !shown.Says(test.error) {
					c.Errorf("got %s, want the error %q", shown, test.error)
				}
				c.wantPaid(paid)
			})
		})
	}
}

// TestMaxCharacters_apply: text may have grown since the plan.
func TestMaxCharacters_apply(t *testing.T) {
	t.Parallel()
	inFakeTime(t, mockserver.Chapter{}, nil, func(c *core) {
		c.limitTo(40)
		c.service.Watch(func(entry mockserver.Entry) {
			// The list after the last plan shows the edit.
			if entry.Operation == mockserver.ListChapters && c.service.Count(mockserver.ListChapters) == 2 {
				go c.service.EditChapter("book", "one", acctest.LongerText)
				time.Sleep(2 * time.Second)
			}
		})
		shown := c.Apply()
		if !shown.Says("The conversions would exceed the limit of 40 characters (`max_characters`). Nothing was requested.") {
			c.Errorf("got %s, want that the limit is exceeded", shown)
		}
		c.wantSent(0)
		if c.Object != nil {
			c.Errorf("an object was saved: %s", c.Object.Value)
		}
	})
}

// TestChapterConversionReplacement_followsItsOwnRule, whoever asked for the replacement: with keep_up_to_date, only open text is converted.
func TestChapterConversionReplacement_followsItsOwnRule(t *testing.T) {
	t.Parallel()
	slow := convertedChapter
	slow.Conversions = []mockserver.Conversion{oneMinute}
	for name, test := range map[string]struct {
		before func(*core)
		keep   bool
		sent   int
	}{
		"as requested":                {func(c *core) { c.Replaced = true }, true, 0},
		"as requested, not refreshed": {func(c *core) { c.Replaced, c.Unrefreshed = true, true }, true, 0},
		"as requested, and edited":    {func(c *core) { c.Replaced = true; c.service.EditChapter("book", "one", acctest.LongerText) }, true, 1},
		"as requested, create first":  {func(c *core) { c.Replaced, c.CreateBeforeDestroy = true, true }, true, 0},
		"as requested, while it runs": {func(c *core) { c.Replaced = true; c.service.Convert("book", "one") }, true, 0},
		"as requested, imported":      {func(c *core) { c.Replaced = true }, false, 1},
		"tainted":                     {func(c *core) { c.Object.Tainted = true }, true, 0},
		"tainted, and imported":       {func(c *core) { c.Object.Tainted = true }, false, 1},
		"another id":                  {func(c *core) { c.anotherChapter(mockserver.Chapter{Converted: true}) }, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, slow, map[string]any{keepUpToDate: test.keep}, func(c *core) {
				c.Import("book/one")
				c.Apply()
				c.wantSent(0)
				test.before(c)
				shown := c.Apply()
				if shown.Action != "replace" || len(shown.Errors) > 0 {
					c.Errorf("got %s, want a replacement", shown)
				}
				c.wantSent(test.sent)
				c.Replaced = false
				c.Plan().Want(c, "no-op", nil, nil)
			})
		})
	}
}
