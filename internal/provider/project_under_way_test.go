package provider_test

import (
	"testing"
	"time"
)

const underWay = `Under way: project "book"`

// TestProjectUnderWay_requestsNothingWhileConverted for somebody else: its chapters rest in the queue, and nothing may be paid for
// them twice.
func TestProjectUnderWay_requestsNothingWhileConverted(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(2, oneMinute), func(c *core) {
		c.service.ConvertProject("book", 10*time.Minute)
		plan := c.Plan()
		c.wantBook(plan.Screen, "create", []string{costs("2 chapters", 76), underWay}, nil)
		if !plan.Says("No chapter is being converted, but the project is in this state: in_queue\n\nSomebody else is converting the whole project. An apply that requests anything meanwhile ends in an error") {
			c.Errorf("got %s", plan.Screen)
		}
		shown := c.ApplyPlan(plan)
		c.wantBook(shown, "create", []string{costs("2 chapters", 76), underWay}, []string{`Unable to convert 2 of the 2 chapters of project "book"`})
		if !shown.Says("Nothing was requested, because the project was in this state: in_queue") || c.Object != nil {
			c.Errorf("got the object %v and %s", c.Object, shown)
		}
		time.Sleep(15 * time.Minute)
		c.wantBook(c.Apply(), "create", adopted(2), nil)
		c.wantSent(0)
	})
	inFakeTime(t, chapterWithConversions(oneMinute), map[string]any{}, func(c *core) {
		c.service.ConvertProject("book", 10*time.Minute)
		shown := c.Apply()
		shown.Want(c, "create", []string{underWay + "\n"}, []string{"Nothing was requested, because the project was in this state: in_queue"})
		if c.Object != nil {
			c.Errorf("got the object %v, want none", c.Object)
		}
		c.wantSent(0)
	})
}

func TestProjectUnderWay_requestsNothingWhileCreated(t *testing.T) {
	t.Parallel()
	withBook(t, nil, func(c *core) {
		c.service.SetProjectState("book", "creating")
		plan := c.Plan()
		c.wantBook(plan.Screen, "create", []string{underWay}, nil)
		if !plan.Says("may add chapters that are not counted here") {
			c.Errorf("got %s", plan.Screen)
		}
		shown := c.Apply()
		c.wantBook(shown, "create", []string{underWay}, []string{`Unable to convert project "book"`})
		if !shown.Says("Nothing was requested, because the project was in this state: creating") || c.Object != nil {
			c.Errorf("got the object %v and %s", c.Object, shown)
		}
		for _, chapter := range manyChapters(2, oneMinute) {
			c.service.AddChapter("book", chapter)
		}
		c.service.SetProjectState("book", "default")
		c.wantBook(c.Apply(), "create", []string{costs("2 chapters", 76)}, nil)
		c.wantSent(2)
	})
}
