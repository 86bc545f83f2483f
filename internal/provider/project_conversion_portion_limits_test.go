package provider_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// TestPortions_stuck: a chapter that never fits is left, with a warning, and when its turn comes, the plan fails.
func TestPortions_stuck(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change     func(*core)
		says, asks string
	}{
		"too long": {func(c *core) { c.service.EditChapter("book", "chapter-3", grown) },
			"the next chapter to convert may cost more than `characters_per_apply`, which is 80. While that is so, no apply converts it, or a chapter after it: " +
				`199 "chapter-3"`, "Raise `characters_per_apply`, or leave the chapter out"},
		"not counted": {func(c *core) { c.service.SetField("book", "chapter-3", "statistics", `null`) },
			"the next chapter to convert is not counted by the service, so it fits into no `characters_per_apply`. While that is so, no apply converts it, or a chapter after it: " +
				`? "chapter-3"`, "Remove `characters_per_apply`, or leave the chapter out"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			portions(t, manyChapters(5, oneMinute), func(c *core) {
				test.change(c)
				warns := func(shown *fakecore.Screen) bool {
					return shown.Says(`The next of them may cost more than an apply may request, and then the plan fails: "chapter-3".`)
				}
				first := c.Plan()
				if !warns(first.Screen) || !warns(c.ApplyPlan(first)) {
					c.Errorf("got %s", first.Screen)
				}
				c.wantSent(2)
				time.Sleep(time.Hour)
				plan := c.Plan()
				if len(plan.Errors) != 1 || !plan.Says(test.says) || !plan.Says(test.asks) {
					c.Errorf("got %s", plan.Screen)
				}
				c.Arguments["exclude_chapter_ids"] = []string{"chapter-3"}
				c.wantRequested("4 5", "")
			})
		})
	}
}

// TestPortions_stuckCreation: a plan that creates nothing does not say that it adopts.
func TestPortions_stuckCreation(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(2, oneMinute), func(c *core) {
		c.Arguments["characters_per_apply"] = 37
		c.wantBook(c.Plan().Screen, "create", nil, []string{"The next chapter does not fit"})
		c.Arguments["characters_per_apply"] = 38
		plan := c.Plan()
		c.wantBook(plan.Screen, "create", []string{costs("1 chapter", 38)}, nil)
		if plan.Says("may cost more") {
			c.Errorf("got %s, and the next one fits", plan.Screen)
		}
	})
}

// TestPortions_unknown: while an argument is unknown, the plan says the most that the portion allows, and the apply
// chooses.
func TestPortions_unknown(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		argument string
		uncounts bool
	}{
		"its value": {"characters_per_apply", false}, "triggers": {"triggers", false}, "triggers, and one is not counted": {"triggers", true},
	} {
		t.Run(name, func(t *testing.T) {
			argument := test.argument
			t.Parallel()
			portions(t, converted(manyChapters(5, oneMinute)), func(c *core) {
				c.setVoice("Ottilie")
				c.Apply()
				for i := range 5 {
					c.service.EditChapter("book", fmt.Sprintf("chapter-%d", i+1), strings.Repeat("x", 30))
				}
				for i := range 4 {
					if test.uncounts {
						c.service.SetField("book", fmt.Sprintf("chapter-%d", i+2), "statistics", `null`)
					}
				}
				known := c.Arguments[argument]
				c.Arguments[argument] = tftypes.UnknownValue
				plan := c.Plan()
				want := "5 chapters, 150 characters at most"
				if argument == "triggers" {
					want = "5 chapters, 80 characters at most"
				}
				if !plan.Says(want) || !plan.Says("Known only when the plan is applied: `"+argument+"`.") ||
					plan.Says("`characters_per_apply` lets the apply request at most 80 characters.") != (argument == "triggers") {
					c.Errorf("got %s", plan.Screen)
				}
				c.Arguments[argument] = known
				want = "1 2"
				if test.uncounts {
					want = "1"
				}
				got := c.requested(func() { c.ApplyPlan(plan) })
				if got != want || plan.Says(leftToLater) == test.uncounts {
					c.Errorf("got %q and %s", got, plan.Screen)
				}
			})
		})
	}
}

// TestPortions_keepsContract: an apply that chooses its portion itself requests nothing that its plan has not named.
func TestPortions_keepsContract(t *testing.T) {
	t.Parallel()
	portions(t, converted(manyChapters(4, oneMinute)), func(c *core) {
		c.setVoice("Ottilie")
		c.Apply()
		c.setVoice("Marrow")
		plan := c.Plan()
		c.service.EditChapter("book", "chapter-1", "Words.")
		var shown *fakecore.Screen
		got := c.requested(func() { shown = c.ApplyPlan(plan) })
		if got != "2 3" || !shown.Says(`edited, added or converted: 6 "chapter-1"`) || !shown.Says("Left to later applies: 1 chapter, 38 characters.") {
			c.Errorf("got %q and %s", got, shown)
		}
	})
}

// TestPortions_limit: a plan that is made once more says that it exceeds the limit, also if its portion has changed.
func TestPortions_limit(t *testing.T) {
	t.Parallel()
	portions(t, converted(manyChapters(2, oneMinute)), func(c *core) {
		c.Apply()
		c.service.EditChapter("book", "chapter-1", "Other words.")
		c.Plan()
		c.Arguments["characters_per_apply"] = 90
		c.limitTo(10)
		p := c.Start()
		defer p.End()
		first, second := &fakecore.Screen{}, &fakecore.Screen{}
		c.PlanChange(p, first)
		c.Refresh(p, second)
		c.PlanChange(p, second)
		if len(first.Errors) != 1 || len(second.Errors) != 1 {
			c.Errorf("got %s and %s", first, second)
		}
	})
}

// TestPortions_afterOutage: an update that could list no chapters leaves the portion of its plan, and the next one chooses
// another.
func TestPortions_afterOutage(t *testing.T) {
	t.Parallel()
	portions(t, converted(manyChapters(3, oneMinute)), func(c *core) {
		c.setVoice("Ottilie")
		c.Apply()
		c.service.EditChapter("book", "chapter-3", "Other words.")
		plan := c.Plan()
		c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Status: 401})
		shown := c.ApplyPlan(plan)
		if len(shown.Errors) == 0 {
			c.Fatalf("got %s", shown)
		}
		c.setVoice("Marrow")
		c.Unrefreshed = true
		got := c.requested(func() { shown = c.Apply() })
		if got != "1 2" {
			c.Errorf("got %q and %s", got, shown)
		}
	})
}
