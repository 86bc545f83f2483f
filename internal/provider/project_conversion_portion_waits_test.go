package provider_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// TestPortions_wait: what an apply waits for comes beside its portion. If that comes to nothing, another is requested
// only if it fits beside the rest.
func TestPortions_wait(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		portion int
		most    string // what the plan says of the wait
		want    string // requested by the apply
		later   bool
	}{
		"all of it fits":           {76, "38 characters", "1 2", false},
		"what it leaves fits":      {48, "10 characters", "1 2", false},
		"that does not fit either": {47, "9 characters", "2", true},
		"there is no room":         {38, "0 characters", "2", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withBook(t, converted(manyChapters(2, oneMinute)), func(c *core) {
				c.Apply()
				c.service.EditChapter("book", "chapter-1", "Other words.\n\n"+grown[:25]+"!")
				c.Apply(fakecore.InterruptedAfter(20 * time.Second))
				c.service.EditChapter("book", "chapter-2", grown[:37]+"!")
				c.Arguments["characters_per_apply"] = test.portion
				plan := c.Plan()
				if !plan.Says("1 chapter, 38 characters at most") || plan.Says("Left to later") ||
					!plan.Says("Only waited for: 1 chapter, at most "+test.most+" more if its conversion fails.") {
					c.Errorf("got %s", plan.Screen)
				}
				c.service.EditChapter("book", "chapter-1", "Other words.\n\nSome more.")
				var shown *fakecore.Screen
				got := c.requested(func() { shown = c.ApplyPlan(plan) })
				if got != test.want || shown.Says(leftToLater) != test.later || len(shown.Errors) > 0 {
					c.Errorf("got %q and %s", got, shown)
				}
			})
		})
	}
}

// TestPortions_textAddedToPending: text is added to a chapter that is being converted. What the apply requests for it is
// known only then, so that it comes after the others, and never keeps a plan from what it can do.
func TestPortions_textAddedToPending(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		portion int
		planned string
		others  string // what the plan says beside that
		want    string // requested by the apply
	}{
		"all of it fits":      {128, `90 "chapter-1"`, "128 characters at most", "1 2"},
		"what it leaves fits": {68, `30 "chapter-1"`, "68 characters at most", "1 2"},
		"there is no room":    {38, `0 "chapter-1"`, "Left to later applies: 1 chapter, 90 characters.\n\nNo conversion needed: 1 chapter.", "2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withBook(t, converted(manyChapters(3, oneMinute)), func(c *core) {
				c.Apply()
				first := strings.Repeat("x", 60)
				c.service.EditChapter("book", "chapter-1", first)
				c.Apply(fakecore.InterruptedAfter(20 * time.Second))
				c.service.EditChapter("book", "chapter-1", first+"\n\n"+strings.Repeat("y", 30))
				c.Arguments["characters_per_apply"] = test.portion
				alone := c.Plan()
				if len(alone.Errors) > 0 {
					c.Errorf("got %s", alone.Screen)
				}
				c.service.EditChapter("book", "chapter-2", strings.Repeat("z", 38))
				plan := c.Plan()
				if !plan.Says(test.planned) || !plan.Says(test.others) {
					c.Errorf("got %s", plan.Screen)
				}
				got := c.requested(func() { c.ApplyPlan(plan) })
				if got != test.want || c.number("pending") != 0 {
					c.Errorf("got %q and %s", got, plan.Screen)
				}
				c.Apply()
				c.wantSent(3)
				c.Plan().Want(c, "no-op", nil, nil)
			})
		})
	}
}

// TestPortions_onlyWaits: a plan that waits is no error, although the next chapter does not fit. So a portion of 1 only
// waits. What the waits may become shares the room.
func TestPortions_onlyWaits(t *testing.T) {
	t.Parallel()
	for portion, most := range map[int]string{1: "1 character", 50: "50 characters"} {
		t.Run(fmt.Sprint(portion), func(t *testing.T) {
			t.Parallel()
			withBook(t, manyChapters(3, oneMinute), func(c *core) {
				c.Arguments["chapter_ids"] = []string{"chapter-1", "chapter-2"}
				c.Apply(fakecore.InterruptedAfter(20 * time.Second))
				delete(c.Arguments, "chapter_ids")
				c.service.EditChapter("book", "chapter-3", grown)
				c.Arguments["characters_per_apply"] = portion
				plan := c.Plan()
				if len(plan.Errors) > 0 || !plan.Says("Only waited for: 2 chapters, at most "+most+" more if their conversions fail.") {
					c.Errorf("got %s", plan.Screen)
				}
				got := c.requested(func() { c.ApplyPlan(plan) })
				if got != "" || c.number("pending") != 0 || !plan.Says(leftToLater) {
					c.Errorf("got %q and %s", got, plan.Screen)
				}
				next := c.Plan()
				if len(next.Errors) != 1 {
					c.Errorf("got %s", next.Screen)
				}
			})
		})
	}
}

// TestPortions_joinedInCreation: what somebody else's conversion leaves is requested if it fits beside the rest.
func TestPortions_joinedInCreation(t *testing.T) {
	t.Parallel()
	for portion, want := range map[int]string{81: "1 2 3", 80: "2 3"} {
		t.Run(fmt.Sprint(portion), func(t *testing.T) {
			t.Parallel()
			withBook(t, manyChapters(5, oneMinute), func(c *core) {
				c.Arguments["characters_per_apply"] = portion
				c.service.EditChapter("book", "chapter-1", "Other words.")
				c.service.Convert("book", "chapter-1")
				time.Sleep(30 * time.Second)
				c.service.EditChapter("book", "chapter-1", "Other words.\n\nMore.")
				got := c.requested(func() { c.Apply() })
				if got != want {
					c.Errorf("got %q", got)
				}
			})
		})
	}
}

// TestPortions_convertedByOther: a chapter that needs nothing, and that another resource converts, is not left.
func TestPortions_convertedByOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := mockserver.New()
		service.AddProject(mockserver.Project{ID: "book", Chapters: converted(manyChapters(2, mockserver.Conversion{Lag: 5 * time.Second, Takes: time.Minute}))})
		chapter := newCore(t, chapterConversion, service, map[string]any{"chapter_id": "chapter-1"})
		book := newCore(t, projectConversion, service, map[string]any{"characters_per_apply": 80})
		plan := together(chapter, book)[1]
		if plan.Action != "create" || plan.Says("Left to") || len(plan.Errors) > 0 {
			book.Errorf("got %s", plan.Screen)
		}
		book.wantSent(1)
	})
}

// TestPortions_uncountedWait: what is not counted is not requested, and takes no room.
func TestPortions_uncountedWait(t *testing.T) {
	t.Parallel()
	withBook(t, converted(manyChapters(3, oneMinute)), func(c *core) {
		c.Apply()
		c.service.EditChapter("book", "chapter-1", "Other words.")
		c.service.EditChapter("book", "chapter-2", "Other words.\n\nAnd more.")
		c.Apply(fakecore.InterruptedAfter(20 * time.Second))
		c.service.SetField("book", "chapter-1", "statistics", "null")
		c.Arguments["characters_per_apply"] = 80
		plan := c.Plan()
		if !plan.Says("Applying waits for it, and requests no other. Characters at most: 0 \"chapter-1\"") {
			c.Errorf("got %s", plan.Screen)
		}
		c.service.EditChapter("book", "chapter-2", "Other words.\n\nSome more.")
		got := c.requested(func() { c.ApplyPlan(plan) })
		if got != "2" {
			c.Errorf("got %q and %s", got, plan.Screen)
		}
	})
}

// TestPortions_nextIsPending: the chapter that comes next is one that something is pending of, so that nothing is said of
// the one behind it.
func TestPortions_nextIsPending(t *testing.T) {
	t.Parallel()
	withBook(t, converted(manyChapters(3, oneMinute)), func(c *core) {
		c.Apply()
		c.service.EditChapter("book", "chapter-1", "Other words.")
		c.Apply(fakecore.InterruptedAfter(20 * time.Second))
		c.service.EditChapter("book", "chapter-1", "Other words.\n\nSome more.")
		c.service.EditChapter("book", "chapter-2", grown[:37]+"!")
		c.service.EditChapter("book", "chapter-3", grown)
		c.Arguments["characters_per_apply"] = 38
		plan := c.Plan()
		if !plan.Says("Left to later applies: 2 chapters, ") || plan.Says("may cost more than an apply") {
			c.Errorf("got %s", plan.Screen)
		}
	})
}

// TestPortions_unconfirmed: a request whose answer was lost is looked for when its chapter is in the portion. If that is
// never so, the plan fails, as for any other.
func TestPortions_unconfirmed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text, action     string
		estimate, errors []string
		want             string // requested by the apply
	}{
		"it fits":         {"Other words.", "update", []string{costs("2 chapters", 24)}, nil, "1 2"},
		"it does not fit": {grown, "", nil, []string{"The next chapter does not fit"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			portions(t, converted(manyChapters(3, oneMinute)), func(c *core) {
				c.Apply()
				c.service.EditChapter("book", "chapter-1", "Other words.")
				c.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Reset: true})
				c.Apply()
				time.Sleep(time.Hour)
				c.service.EditChapter("book", "chapter-1", test.text)
				c.service.EditChapter("book", "chapter-2", "Other words.")
				plan := c.Plan()
				c.wantBook(plan.Screen, test.action, test.estimate, test.errors)
				if test.errors == nil {
					got := c.requested(func() { c.ApplyPlan(plan) })
					if got != test.want {
						c.Errorf("got %q and %s", got, plan.Screen)
					}
				}
			})
		})
	}
}
