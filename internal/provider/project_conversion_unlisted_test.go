package provider_test

import (
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// A book whose chapters cannot be listed has nothing to report of any chapter. It must not end well for that.
func TestABookWhoseChaptersCannotBeListedIsAnError(t *testing.T) {
	t.Parallel()
	const summary = `Unable to convert project "book"`
	bill := []string{`Conversions that cost credits in project "book": 2 chapters, 76 characters at most`}
	down := mockserver.Fault{Operation: mockserver.ListChapters, Times: -1, Status: 503, Body: `{"detail":"down"}`}
	t.Run("created", func(t *testing.T) {
		t.Parallel()
		withBook(t, manyChapters(2, oneMinute), func(c *core) {
			c.service.Inject(down)
			shown := c.Apply()
			c.wantBook(shown, "create", []string{`Unable to read project "book"`}, []string{summary})
			if c.Object != nil || !shown.Says("503 Service Unavailable: down") {
				c.Errorf("got the object %v and %q", c.Object, shown.Errors)
			}
		})
	})
	t.Run("created, until the time is over", func(t *testing.T) {
		t.Parallel()
		withBook(t, manyChapters(2, oneMinute), func(c *core) {
			c.Arguments["timeouts"] = map[string]any{"create": "20s"}
			plan := c.Plan()
			c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Skip: 1, Times: -1, Hang: time.Hour})
			shown := c.ApplyPlan(plan)
			c.wantBook(shown, "create", bill, []string{summary})
			if c.Object != nil || !shown.Says("before the chapters were listed. Nothing was requested.") {
				c.Errorf("got the object %v and %q", c.Object, shown.Errors)
			}
		})
	})
	t.Run("created, and interrupted", func(t *testing.T) {
		t.Parallel()
		withBook(t, manyChapters(2, oneMinute), func(c *core) {
			plan := c.Plan()
			c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Skip: 1, Times: -1, Hang: time.Hour})
			shown := c.ApplyPlan(plan, fakecore.InterruptedAfter(10*time.Second))
			c.wantBook(shown, "create", bill, []string{summary})
			if c.Object != nil || !shown.Says("Interrupted before the chapters were listed. Nothing was requested.") {
				c.Errorf("got the object %v and %q", c.Object, shown.Errors)
			}
		})
	})
	for name, ids := range map[string]any{"updated": nil, "updated, by ids": []string{"chapter-1", "chapter-2"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withBook(t, manyChapters(2, oneMinute), func(c *core) {
				if ids != nil {
					c.Arguments["chapter_ids"] = ids
				}
				c.Apply()
				c.service.EditChapter("book", "chapter-1", "Other words.")
				plan := c.Plan()
				c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Status: 401, Body: `{"detail":"revoked"}`})
				shown := c.ApplyPlan(plan)
				c.wantBook(shown, "update", []string{`Conversions that cost credits in project "book": 1 chapter, 12 characters at most`}, []string{summary})
				if !shown.Says("401 Unauthorized: revoked") {
					c.Errorf("got %q", shown.Errors)
				}
				c.wantNumbers(map[string]int{"chapter_count": 2, "characters_unconverted": 12})
				c.wantSent(2)
				c.Apply()
				c.wantSent(3)
				c.wantBook(c.Plan().Screen, "no-op", nil, nil)
			})
		})
	}
	t.Run("action", func(t *testing.T) {
		t.Parallel()
		withBook(t, manyChapters(2, oneMinute), func(c *core) {
			c.service.Inject(down)
			p := c.begin()
			defer p.End()
			if shown := c.invokeBook(p, map[string]any{}); len(shown.Errors) != 1 || !shown.Says(summary) {
				c.Errorf("got %q", shown.Errors)
			}
			c.wantSent(0)
		})
	})
}

// What a tainted book was waiting for is not forgotten when the creation that replaces it cannot list the chapters.
func TestABookThatIsReplacedAndNotListedKeepsWhatIsPending(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(3, mockserver.Conversion{Takes: 5 * time.Minute}), func(c *core) {
		c.Arguments["timeouts"] = map[string]any{"create": "1m"}
		c.Apply()
		c.wantNumbers(map[string]int{"pending_chapters": 3})
		plan := c.Plan()
		// One list is for the plan that Terraform makes once more.
		c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Skip: 1, Status: 401, Body: `{"detail":"revoked"}`})
		c.wantBook(c.ApplyPlan(plan), "replace", []string{`Conversions under way in project "book": 3 chapters`}, []string{`Unable to convert project "book"`})
		if c.Object == nil {
			c.Fatal("the conversions are forgotten")
		}
		c.wantNumbers(map[string]int{"pending_chapters": 3})
		c.Arguments["timeouts"] = map[string]any{"create": "1h"}
		c.wantBook(c.Apply(), "replace", []string{`Conversions under way in project "book": 3 chapters`}, nil)
		c.wantSent(3)
		c.wantNumbers(map[string]int{"pending_chapters": 0})
	})
}

// Without a refresh, a plan knows what the last apply has left: it must not say that nothing is to be done.
func TestABookPlannedWithoutRefreshRemembersWhatIsLeft(t *testing.T) {
	t.Parallel()
	all := manyChapters(3, mockserver.Conversion{Takes: 5 * time.Minute})
	all[0].Conversions = []mockserver.Conversion{failing, oneMinute}
	all[0].Converted, all[1].Converted, all[2].Converted = true, true, true
	withBook(t, all, func(c *core) {
		c.Apply()
		c.service.EditChapter("book", "chapter-1", "Other words.")
		c.service.EditChapter("book", "chapter-2", "Other words.")
		c.Arguments["chapter_timeout"] = "2m"
		c.Apply()
		c.wantSent(2)
		c.wantNumbers(map[string]int{"pending_chapters": 1})
		c.Unrefreshed = true
		plan := c.Plan()
		c.wantBook(plan.Screen, "update", []string{`Conversions that cost credits in project "book": 1 chapter, 12 characters at most`}, nil)
		if !plan.Says(`12 "chapter-1"`) || !plan.Says(`Waited for, and requested again only if nothing has been converted. 0 "chapter-2"`) {
			c.Errorf("got %q", plan.Warnings)
		}
		c.Arguments["chapter_timeout"] = "1h"
		c.Apply()
		c.wantSent(3)
		c.wantNumbers(map[string]int{"pending_chapters": 0, "characters_unconverted": 0})
		c.wantBook(c.Plan().Screen, "no-op", nil, nil)
	})
}

// A chapter of chapter_ids that the project has no longer is an error of the plan, and not a book that is done.
func TestABookThatNamesAChapterThatIsGone(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(3, oneMinute), func(c *core) {
		c.Arguments["chapter_ids"] = []string{"chapter-1", "chapter-2"}
		c.Apply()
		c.service.RemoveChapter("book", "chapter-2")
		const summary = "Chapters that the project does not have"
		c.wantBook(c.Apply(), "", nil, []string{summary})
		c.service.EditChapter("book", "chapter-1", "Other words.")
		c.wantBook(c.Apply(), "", nil, []string{summary})
		c.wantSent(2)
		c.Arguments["chapter_ids"] = []string{"chapter-1"}
		c.Apply()
		c.wantSent(3)
		c.wantBook(c.Plan().Screen, "no-op", nil, nil)
	})
}

// A conversion for converted_after that has ended since the interruption is pending no longer.
func TestABookInterruptedWhileConvertingAgainHasNothingPendingInTheEnd(t *testing.T) {
	t.Parallel()
	all := manyChapters(2, oneMinute)
	all[0].Converted, all[1].Converted = true, true
	for name, after := range map[string]time.Duration{"past": 0, "ahead": 5 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withBook(t, all, func(c *core) {
				c.Apply()
				time.Sleep(time.Minute)
				c.Arguments["converted_after"] = time.Now().UTC().Add(after).Format(time.RFC3339)
				c.Apply(fakecore.InterruptedAfter(10 * time.Second))
				c.wantNumbers(map[string]int{"pending_chapters": 2})
				time.Sleep(time.Hour)
				c.wantBook(c.Apply(), "no-op", nil, nil)
				p := c.begin()
				c.Refresh(p, &fakecore.Screen{})
				p.End()
				c.wantNumbers(map[string]int{"pending_chapters": 0})
				c.service.EditChapter("book", "chapter-1", "Other words.")
				c.Apply()
				c.wantSent(3)
				c.wantBook(c.Plan().Screen, "no-op", nil, nil)
				c.wantSent(3)
			})
		})
	}
}
