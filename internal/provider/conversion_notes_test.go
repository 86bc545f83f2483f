package provider_test

import (
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// planMinimally plans as Terraform 1.17 does with -minimal-refresh: without a refresh first. If that plan changes something, Terraform
// drops it, refreshes, and plans again in the same process.
func (c *core) planMinimally() *fakecore.Plan {
	c.Helper()
	p := c.Start()
	defer p.End()
	first := &fakecore.Screen{}
	plan := c.PlanChange(p, first)
	if first.Action == fakecore.NoOp || len(first.Errors) > 0 {
		return plan
	}
	again := &fakecore.Screen{}
	c.Refresh(p, again)
	return c.PlanChange(p, again)
}

// refresh is what terraform apply -refresh-only saves.
func (c *core) refresh() {
	c.Helper()
	p := c.Start()
	defer p.End()
	c.Refresh(p, &fakecore.Screen{})
}

// staleNotes are what a refresh has noted that is not true any more: text was edited and then converted by somebody, and a chapter
// was gone and is back.
var staleNotes = map[string]struct {
	arguments map[string]any
	happens   func(c *core)
}{
	"converted since": {nil, func(c *core) {
		c.service.EditChapter("book", "chapter-1", acctest.LongerText)
		c.refresh()
		c.service.AddProject(acctest.BookOf(converted(manyChapters(2))))
	}},
	"back again": {map[string]any{"chapter_ids": []string{"chapter-1", "chapter-2"}}, func(c *core) {
		c.service.RemoveChapter("book", "chapter-2")
		c.refresh()
		c.service.AddProject(acctest.BookOf(converted(manyChapters(2))))
	}},
}

// TestAMinimalRefreshDoesNotSeeAnEdit, and the page on versions says so. What a refresh has noted before is planned.
func TestAMinimalRefreshDoesNotSeeAnEdit(t *testing.T) {
	t.Parallel()
	withBook(t, converted(manyChapters(2, oneMinute)), func(c *core) {
		c.Apply().Want(c, "create", nil, nil)
		c.service.EditChapter("book", "chapter-1", acctest.LongerText)
		asked := len(c.service.Journal())
		c.planMinimally().Want(c, "no-op", nil, nil)
		got := len(c.service.Journal())
		if got != asked {
			c.Errorf("the plan sent %d requests", got-asked)
		}
		c.refresh()
		plan := c.planMinimally()
		plan.Want(c, "update", nil, nil)
		plan.WantEstimate(c, `"chapter-1"`)
	})
}

// twoBooksOverTheLimit has a book with a note of 55 characters that somebody has converted since, and a limit of 60.
func twoBooksOverTheLimit(t *testing.T, test func(c *core, p *fakecore.Process)) {
	t.Helper()
	withBook(t, converted(manyChapters(2, oneMinute)), func(c *core) {
		c.limitTo(60)
		c.Apply().Want(c, "create", nil, nil)
		c.service.EditChapter("book", "chapter-1", acctest.LongerText)
		c.refresh()
		c.service.AddProject(mockserver.Project{ID: "other", Chapters: manyChapters(1)})
		p := c.Start()
		defer p.End()
		test(c, p)
	})
}

// planOther plans a block for the project other, of 38 characters.
func (c *core) planOther(p *fakecore.Process) *fakecore.Screen {
	c.Helper()
	shown := &fakecore.Screen{}
	c.Object, c.Arguments = nil, map[string]any{"project_id": "other"}
	c.PlanChange(p, shown)
	return shown
}

// TestADroppedPlanCountsNothing: the note of one book exceeds the limit together with another book, and the refresh finds nothing left.
func TestADroppedPlanCountsNothing(t *testing.T) {
	t.Parallel()
	twoBooksOverTheLimit(t, func(c *core, p *fakecore.Process) {
		c.service.AddProject(acctest.BookOf(converted(manyChapters(2))))
		dropped, again := &fakecore.Screen{}, &fakecore.Screen{}
		c.PlanChange(p, dropped)
		dropped.WantEstimate(c, `"chapter-1"`)
		c.Refresh(p, again)
		c.PlanChange(p, again)
		again.Want(c, "no-op", nil, nil)
		c.planOther(p).Want(c, "create", nil, nil)
	})
}

// TestARefreshTakesNothingBackThatAnotherBlockCosts: a new block is planned for the chapter, and another one has a note about it.
func TestARefreshTakesNothingBackThatAnotherBlockCosts(t *testing.T) {
	t.Parallel()
	twoBooksOverTheLimit(t, func(c *core, p *fakecore.Process) {
		noted := c.Object
		shown := &fakecore.Screen{}
		c.Object, c.Arguments = nil, map[string]any{"chapter_ids": []string{"chapter-1"}}
		c.PlanChange(p, shown)
		shown.WantEstimate(c, `"chapter-1"`)
		c.Object, c.Arguments = noted, map[string]any{}
		c.Refresh(p, &fakecore.Screen{})
		c.planOther(p).Want(c, "create", nil, []string{"Too many characters to convert"})
	})
}
