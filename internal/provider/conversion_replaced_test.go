package provider_test

import (
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// What a tainted book was waiting for is not forgotten when the plan of its replacement would fail: Terraform plans the creation once
// more after it has destroyed the object.
func TestProjectConversionReplacement_keepsWhatIsPending(t *testing.T) {
	t.Parallel()
	chapters := manyChapters(2, mockserver.Conversion{Takes: 5 * time.Minute})
	chapters = append(chapters, mockserver.Chapter{ID: "done", Text: acctest.ChapterText, Converted: true})
	for name, test := range map[string]struct {
		meanwhile func(*core)
		error     string // of the apply
	}{
		"the key is revoked": {func(c *core) {
			c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Status: 401, Body: `{"detail":"revoked"}`})
		}, `Unable to convert project "book"`},
		"too many characters": {func(c *core) {
			c.limitTo(0)
			c.service.EditChapter("book", "done", acctest.LongerText)
		}, "The conversions would exceed the limit of 0 characters"},
		"it is not listed": {func(c *core) { // One list is for the plan that Terraform makes once more.
			c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Skip: 1, Status: 401, Body: `{"detail":"revoked"}`})
		}, `Unable to convert 2 of the 3 chapters of project "book"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withBook(t, chapters, func(c *core) {
				start := c.Start
				c.Arguments["timeouts"] = map[string]any{"create": "1m"}
				c.Apply()
				c.wantNumbers(map[string]int{"pending": 2})
				plan := c.Plan()
				test.meanwhile(c)
				shown := c.ApplyPlan(plan)
				if c.Object == nil {
					c.Fatal("the conversions are forgotten")
				}
				if len(shown.Errors) != 1 || !shown.Says(test.error) {
					c.Errorf("got %s, want the error %q", shown, test.error)
				}
				c.wantNumbers(map[string]int{"pending": 2})
				c.service.EditChapter("book", "done", acctest.ChapterText)
				c.Start, c.Arguments = start, map[string]any{}
				c.wantBook(c.Apply(), "replace", []string{waitsForTwo}, nil)
				c.wantSent(2)
				c.wantNumbers(map[string]int{"pending": 0})
			})
		})
	}
	t.Run("the provider was unknown", func(t *testing.T) {
		t.Parallel()
		withBook(t, manyChapters(2, mockserver.Conversion{Lag: 5 * time.Minute, Takes: time.Minute}), func(c *core) {
			c.Arguments["timeouts"] = map[string]any{"create": "20s"}
			c.Apply()
			c.Arguments = map[string]any{}
			c.wantBook(c.ApplyPlan(c.planUnknown()), "replace", []string{notAsked, `Conversions of an unknown cost in project "book"`}, nil)
			c.wantSent(2)
		})
	})
}

// A chapter block runs out of time, and Terraform replaces it. What is pending comes to the new object through the destruction of the old
// one. Where that comes later, or not at all, the plan has said what it costs.
func TestProjectConversionReplacement_createBeforeDestroyHasEstimate(t *testing.T) {
	t.Parallel()
	createFirst, forget := func(c *core) { c.CreateBeforeDestroy = true }, func(c *core) { c.Forgets = true }
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
				counted := !test.keeps && test.wait == time.Hour // What runs is waited for.
				if refused != counted || shown.Says("at no cost") && !test.keeps {
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
