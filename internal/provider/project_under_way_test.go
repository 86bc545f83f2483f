package provider_test

import (
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

const underWay = `Under way: project "book"`

// TestABookWaitsForTheWholeProject: somebody else has it converted. Its chapters rest in the queue, and nothing may
// be paid for them twice.
func TestABookWaitsForTheWholeProject(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(2, oneMinute), func(c *core) {
		c.service.ConvertProject("book", 10*time.Minute)
		plan := c.Plan()
		c.wantBook(plan.Screen, "create", []string{costs("2 chapters", 76), underWay}, nil)
		if !plan.Says("No chapter is being converted, but the project is in this state: in_queue\n\nSomebody else is converting the whole project. The apply waits until that has ended") {
			c.Errorf("got %s", plan.Screen)
		}
		c.wantBook(c.ApplyPlan(plan), "create", []string{costs("2 chapters", 76), underWay}, nil)
		c.wantBook(c.Plan().Screen, "no-op", nil, nil)
		c.wantSent(0)
	})
}

func TestABookWaitsForAProjectThatIsCreated(t *testing.T) {
	t.Parallel()
	withBook(t, nil, func(c *core) {
		c.service.SetProjectState("book", "creating")
		plan := c.Plan()
		c.wantBook(plan.Screen, "create", []string{underWay}, nil)
		if !plan.Says("may add chapters that are not counted here") {
			c.Errorf("got %s", plan.Screen)
		}
		c.Arguments["timeouts"] = map[string]any{"create": "10m"}
		shown := c.Apply()
		c.wantBook(shown, "create", []string{underWay}, []string{`Unable to convert project "book"`})
		if !shown.Says("Timed out after 10m0s (`timeouts`), before anything was requested. No chapter was being converted, but the project was in this state: creating") {
			c.Errorf("got %s", shown)
		}
		time.AfterFunc(5*time.Minute, func() {
			for _, chapter := range manyChapters(2, oneMinute) {
				c.service.AddChapter("book", chapter)
			}
			c.service.SetProjectState("book", "default")
		})
		c.wantBook(c.Apply(), "create", []string{underWay}, nil)
		c.wantSent(2)
		c.wantNumbers(map[string]int{"chapter_count": 2, "characters_unconverted": 0})
	})
}

// TestAnActionSaysThatItWaitsForTheWholeProject, at least every 30 seconds.
func TestAnActionSaysThatItWaitsForTheWholeProject(t *testing.T) {
	t.Parallel()
	withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
		c.service.AddProject(mockserver.Project{ID: "book", Chapters: manyChapters(2, oneMinute)})
		c.service.ConvertProject("book", 5*time.Minute)
		shown := c.invokeBook(p, map[string]any{})
		shown.Want(c, "", nil, nil)
		shown.WantLines(c, "Nothing requested yet, project state in_queue, 0s", "Nothing requested yet, project state converting, 5m", "No unconverted text in 2 chapters")
		for i, line := range shown.Lines[1:] {
			if line.At-shown.Lines[i].At > 30*time.Second {
				c.Errorf("silence before %q", line.Text)
			}
		}
		c.wantSent(0)
	})
}

// TestTheWaitForTheWholeProjectIsCutShort: nothing was requested, so nothing is remembered.
func TestTheWaitForTheWholeProjectIsCutShort(t *testing.T) {
	t.Parallel()
	queued := func(c *core) { c.service.ConvertProject("book", 10*time.Minute) }
	withBook(t, manyChapters(2, oneMinute), func(c *core) {
		queued(c)
		shown := c.Apply(fakecore.InterruptedAfter(20 * time.Second))
		c.wantBook(shown, "create", []string{costs("2 chapters", 76), underWay}, []string{`Unable to convert project "book"`})
		if !shown.Says("Interrupted. Nothing was requested for 2 chapters. The next apply starts over.") || c.Object != nil {
			c.Errorf("got the object %v and %s", c.Object, shown)
		}
		c.wantSent(0)
	})
	inFakeTime(t, chapterWithConversions(oneMinute), map[string]any{"timeouts": map[string]any{"create": "5m"}}, func(c *core) {
		queued(c)
		shown := c.Apply()
		shown.Want(c, "create", []string{underWay + "\n"}, []string{
			"Timed out after 5m0s (`timeouts`), before anything was requested. No chapter was being converted, but the project was in this state: in_queue",
		})
		if c.Object != nil {
			c.Errorf("got the object %v, want none", c.Object)
		}
		c.wantSent(0)
	})
	inFakeTime(t, chapterWithConversions(oneMinute), map[string]any{}, func(c *core) {
		queued(c)
		shown := c.Apply(fakecore.InterruptedAfter(20 * time.Second))
		if !shown.Says("Interrupted. Nothing was requested. The next apply starts over.") || c.Object != nil {
			c.Errorf("got the object %v and %s", c.Object, shown)
		}
		c.wantSent(0)
	})
}

// TestAProjectWhoseStateCannotBeRead: nobody can tell whether somebody else has all of it converted. The plan says that the apply waits for
// nothing, because a service may always show such a state.
func TestAProjectWhoseStateCannotBeRead(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(2, oneMinute), func(c *core) {
		c.service.SetField("book", "", "state", `{"name":"converting"}`)
		plan := c.Plan()
		c.wantBook(plan.Screen, "create", []string{costs("2 chapters", 76), `Unreadable state of project "book"`}, nil)
		if !plan.Says(`state contains a JSON object: {"name":"converting"}`) || !plan.Says("these cost credits twice") {
			c.Errorf("got %s", plan.Screen)
		}
		c.wantBook(c.ApplyPlan(plan), "create", []string{costs("2 chapters", 76), `Unreadable state of project "book"`}, nil)
		c.wantBook(c.Plan().Screen, "no-op", nil, nil)
		c.wantSent(2)
	})
}
