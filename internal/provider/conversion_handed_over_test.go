package provider_test

import (
	"maps"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// What a tainted book was waiting for is not forgotten when the plan of its replacement fails or knows too little: Terraform plans and
// validates the creation once more after it has destroyed the object, when what the arguments depend on is known.
func TestABookIsNotForgottenByItsReplacement(t *testing.T) {
	t.Parallel()
	chapters := manyChapters(2, mockserver.Conversion{Takes: 5 * time.Minute})
	chapters = append(chapters, mockserver.Chapter{ID: "done", Text: chapterText, Converted: true})
	known := func(arguments map[string]any) func(*core) { return func(c *core) { c.Arguments = arguments } }
	for name, test := range map[string]struct {
		planned   map[string]any
		meanwhile func(*core)
		error     string // of the apply
	}{
		"the key is revoked": {nil, func(c *core) {
			c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Status: 401, Body: `{"detail":"revoked"}`})
		}, `Unable to convert project "book"`},
		"too many characters": {nil, func(c *core) {
			c.limitTo(0)
			c.service.EditChapter("book", "done", longerText)
		}, "The conversions would exceed the limit of 0 characters"},
		"its time turns out to be none":    {map[string]any{"converted_after": tftypes.UnknownValue}, known(map[string]any{"converted_after": "yesterday"}), "Invalid time"},
		"its time turns out to be to come": {map[string]any{"converted_after": tftypes.UnknownValue}, known(map[string]any{"converted_after": "2999-01-01T00:00:00Z"}), "Time in the future"},
		"its timeout turns out to be none": {map[string]any{"chapter_timeout": tftypes.UnknownValue}, known(map[string]any{"chapter_timeout": "soon"}), "Invalid duration"},
		"its timeouts turn out to be none": {
			map[string]any{"timeouts": map[string]any{"create": tftypes.UnknownValue}}, known(map[string]any{"timeouts": map[string]any{"create": "soon"}}), "Invalid duration",
		},
		"it is not listed": {nil, func(c *core) { // One list is for the plan that Terraform makes once more.
			c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Skip: 1, Status: 401, Body: `{"detail":"revoked"}`})
		}, `Unable to convert 2 of the 3 chapters of project "book"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withBook(t, chapters, func(c *core) {
				start := c.Start
				c.Arguments["timeouts"] = map[string]any{"create": "1m"}
				c.Apply()
				c.wantNumbers(map[string]int{"pending_chapters": 2})
				if test.planned != nil {
					c.Arguments = maps.Clone(test.planned)
				}
				plan := c.Plan()
				test.meanwhile(c)
				shown := c.ApplyPlan(plan)
				if c.Object == nil {
					c.Fatal("the conversions are forgotten")
				}
				if len(shown.Errors) != 1 || !shown.Says(test.error) || test.planned != nil && !shown.Says("The pending conversion stays in the state.") {
					c.Errorf("got %s, want the error %q", shown, test.error)
				}
				c.wantNumbers(map[string]int{"pending_chapters": 2})
				c.service.EditChapter("book", "done", chapterText)
				c.Start, c.Arguments = start, map[string]any{}
				c.wantBook(c.Apply(), "replace", []string{`Conversions under way in project "book": 2 chapters, 76 characters at most`}, nil)
				c.wantSent(2)
				c.wantNumbers(map[string]int{"pending_chapters": 0})
			})
		})
	}
	t.Run("the provider was unknown", func(t *testing.T) {
		t.Parallel()
		withBook(t, manyChapters(2, mockserver.Conversion{Lag: 5 * time.Minute, Takes: time.Minute}), func(c *core) {
			start := c.Start
			c.Arguments["timeouts"] = map[string]any{"create": "20s"}
			c.Apply()
			c.Arguments = map[string]any{}
			c.Start = func() *fakecore.Process {
				return c.beginWith(map[string]any{"base_url": tftypes.UnknownValue, "api_key": mockserver.Secret}, nil)
			}
			plan := c.Plan()
			c.Start = start
			c.wantBook(c.ApplyPlan(plan), "replace", []string{`Conversions of an unknown cost in project "book"`}, nil)
			c.wantSent(2)
		})
	})
}

// A plan without a replacement before it fails as ever, also in an apply that has destroyed something. So does an update.
func TestAPlanFailsWhereNothingWasHandedOver(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(1, oneMinute), func(c *core) {
		c.Apply()
		c.Deposed, c.Arguments["chapter_timeout"] = c.Object, tftypes.UnknownValue
		plan := c.Plan()
		c.Arguments["chapter_timeout"] = "soon"
		shown := c.ApplyPlan(plan)
		if len(shown.Errors) != 1 || !shown.Says("Invalid duration") || shown.Says("pending") {
			c.Errorf("got %s", shown)
		}
		delete(c.Arguments, "chapter_timeout")
		p := c.begin()
		defer p.End()
		c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Times: -1, Status: 401, Body: `{"detail":"revoked"}`})
		c.Object = nil
		c.wantBook(c.PlanChange(p, &fakecore.Screen{}).Screen, "create", nil, []string{`Unable to read project "book"`})
	})
}

// A chapter block runs out of time, and Terraform replaces it. What is pending comes to the new object through the destruction of the old one.
// Where that comes later, or not at all, the plan has said what it costs.
func TestAReplacementWithoutADestructionFirstHasAnEstimate(t *testing.T) {
	t.Parallel()
	createFirst, forget := func(c *core) { c.CreateBeforeDestroy = true }, func(c *core) { c.Forgets = true }
	const again = "applying may convert again, which costs at most: 35"
	for name, test := range map[string]struct {
		how   func(*core)
		keeps bool
		wait  time.Duration
		paid  int
	}{
		"destroyed first":                        {func(*core) {}, false, time.Hour, 1},
		"created first":                          {createFirst, false, time.Hour, 2},
		"forgotten":                              {forget, false, time.Hour, 2},
		"created first, while it runs":           {createFirst, false, time.Second, 1},
		"forgotten, while it runs":               {forget, false, time.Second, 1},
		"created first, and follows the text":    {createFirst, true, time.Hour, 1},
		"forgotten, and follows the text":        {forget, true, time.Hour, 1},
		"destroyed first, follows, and it runs":  {func(*core) {}, true, time.Second, 1},
		"forgotten, created first, it runs":      {func(c *core) { createFirst(c); forget(c) }, false, time.Second, 1},
		"forgotten, created first, it has ended": {func(c *core) { createFirst(c); forget(c) }, false, time.Hour, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, chapterWithConversions(oneMinute), map[string]any{keepUpToDate: test.keeps}, func(c *core) {
				test.how(c)
				start := c.Start
				timedOut(c)
				time.Sleep(test.wait)
				c.limitTo(34)
				shown := c.Plan().Screen
				refused := len(shown.Errors) > 0
				counted := !test.keeps || test.wait == time.Second // It may fail before the apply.
				if refused != counted || shown.Says(again) == test.keeps || shown.Says("at no cost") && !test.keeps {
					c.Errorf("got %s, with keep_up_to_date = %t", shown, test.keeps)
				}
				c.Start = start
				c.wantSaid(c.Apply(), "replace", "")
				c.wantPaid(test.paid)
				c.wantSaid(c.Plan().Screen, "no-op", "")
			})
		})
	}
}

// Of a resource that is replaced, something is remembered. Whatever a new one without that converts again, the plan has counted.
// One case is left out: a conversion that runs at a service that skips text. To count it would count every running conversion.
func TestAPlanCountsWhatANewResourceConvertsAgain(t *testing.T) {
	t.Parallel()
	services := map[string]mockserver.Habits{
		"plain":                          {},
		"never busy, and counts nothing": {QuietState: true, NoStatistics: true, NoDates: true, Progress: mockserver.None},
		"never busy":                     {QuietState: true, Progress: mockserver.None},
		"counts nothing":                 {NoStatistics: true},
		"lists lag":                      {StaleLists: 25 * time.Second},
		"skips text":                     {LeavesLast: true},
	}
	resources := map[string]func(*testing.T, func(*core)){
		"chapter": func(t *testing.T, test func(*core)) {
			inFakeTime(t, chapterWithConversions(oneMinute), map[string]any{}, test)
		},
		"chapter that is kept up to date": func(t *testing.T, test func(*core)) {
			inFakeTime(t, chapterWithConversions(oneMinute), kept(), test)
		},
		"project": func(t *testing.T, test func(*core)) {
			withBook(t, []mockserver.Chapter{{ID: "one", Text: longerText, Conversions: []mockserver.Conversion{oneMinute}}}, test)
		},
		"project converted after a time": func(t *testing.T, test func(*core)) {
			withBook(t, []mockserver.Chapter{{ID: "one", Text: longerText, Conversions: []mockserver.Conversion{oneMinute}}}, func(c *core) {
				c.Arguments["converted_after"] = time.Now().UTC().Format(time.RFC3339)
				test(c)
			})
		},
	}
	outOfTime := func(c *core) {
		c.Arguments["timeouts"] = map[string]any{"create": "20s"}
		c.Apply()
		delete(c.Arguments, "timeouts")
	}
	type past struct {
		before             func(*core)
		untilPlan, toApply time.Duration
	}
	pasts := map[string]past{
		"it runs":                       {outOfTime, time.Second, 0},
		"it ends after the plan":        {outOfTime, time.Second, time.Hour},
		"it has ended":                  {outOfTime, time.Hour, 0},
		"settled, and tainted":          {func(c *core) { c.Apply(); c.Object.Tainted = true }, 0, 0},
		"settled, and replaced by hand": {func(c *core) { c.Apply(); c.Replaced = true }, 0, 0},
	}
	uncounted, paid := 0, 0
	for service, habits := range services {
		for resource, with := range resources {
			for name, past := range pasts {
				t.Run(resource+", "+service+", "+name, func(t *testing.T) {
					with(t, func(c *core) {
						c.service.SetHabits(habits)
						past.before(c)
						c.CreateBeforeDestroy = true
						time.Sleep(past.untilPlan)
						before, start := c.service.Conversions("book", "one"), c.Start
						c.limitTo(0)
						isCounted := len(c.Plan().Errors) > 0
						c.Start = start
						plan := c.Plan()
						time.Sleep(past.toApply)
						c.ApplyPlan(plan)
						again := c.service.Conversions("book", "one") - before
						isLeftOut := habits.LeavesLast && past.untilPlan == time.Second
						if again > 0 && !isCounted && !isLeftOut {
							c.Errorf("%d more conversions are paid for, and the plan has counted none", again)
						}
						paid += again
						if !isCounted {
							uncounted++
						}
					})
				})
			}
		}
	}
	if uncounted == 0 || paid == 0 {
		t.Errorf("got %d plans that count nothing, and %d conversions: so the test shows nothing", uncounted, paid)
	}
}

// What the plan says of a chapter whose skipped text only the replaced project conversion knows.
func TestAPlanNamesSkippedTextThatAReplacementMayConvert(t *testing.T) {
	t.Parallel()
	chapters := []mockserver.Chapter{
		{ID: "one", Text: longerText, Conversions: []mockserver.Conversion{oneMinute}},
		{ID: "two", Text: chapterText, Conversions: []mockserver.Conversion{{Takes: time.Minute, Fails: "No voice."}}},
	}
	withBook(t, chapters, func(c *core) {
		c.service.SetHabits(mockserver.Habits{LeavesLast: true})
		c.Apply()
		const want = "Applying requests none.\nBut if Terraform creates the new resource before it destroys the old one"
		shown := c.Plan().Screen
		if shown.Action != "replace" || !shown.Says(want) || !shown.Says("applying may convert again, which costs at most: 20 \"one\"") {
			c.Errorf("got %s, want %q", shown, want)
		}
	})
}
