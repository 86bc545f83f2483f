package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// The description of the service knows no pages. An answer that says that there is more is not all, and nobody goes by a part.

func TestAQueryThatIsNotAll(t *testing.T) {
	t.Parallel()
	withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
		threeChapters(c)
		c.service.SetHabits(mockserver.Habits{PageSize: 2})
		found, shown := c.list(p, tfprotov6.ListResourceRequest{Limit: 100}, "shelf", 100)
		shown.Want(c, "", nil, []string{`Unable to list chapters of project "shelf"` + "\n"})
		if len(found) > 0 || !shown.Says(hasMore) {
			c.Errorf("got %d results and %s, want none, and the mark", len(found), shown)
		}
	})
}

// TestABookThatIsNotAll is none: an error of the plan and of the apply, and nothing is paid.
func TestABookThatIsNotAll(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(2, oneMinute), func(c *core) {
		plan := c.Plan()
		c.service.SetHabits(mockserver.Habits{PageSize: 1})
		c.wantBook(c.ApplyPlan(plan), "create", []string{costs("2 chapters", 76)}, []string{`Unable to read project "book"`})
		shown := c.Plan().Screen
		c.wantBook(shown, "create", nil, []string{`Unable to read project "book"`})
		if !shown.Says(hasMore) {
			c.Errorf("got %s, want the mark", shown)
		}
		c.wantSent(0)
	})
}
