package provider_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// together applies several resources in one run, each a second after the one before, as Terraform may do in any order.
func together(cores ...*core) (plans []*fakecore.Plan) {
	p := cores[0].begin()
	plans = make([]*fakecore.Plan, len(cores))
	for i, c := range cores {
		shown := &fakecore.Screen{}
		if c.Refresh(p, shown) {
			c.Fatalf("%s", shown)
		}
		plans[i] = c.PlanChange(p, shown)
	}
	p.End()
	p = cores[0].begin()
	defer p.End()
	turns := make([]*fakecore.Turn, len(cores))
	for i, c := range cores {
		turns[i] = c.Turn(p, plans[i].Screen)
		turns[i].DestroyFirst(plans[i])
	}
	var all sync.WaitGroup
	defer all.Wait()
	for i := range cores {
		all.Go(func() { turns[i].Apply(plans[i]) })
		time.Sleep(time.Second)
	}
	return plans
}

// withoutTimeouts removes the timeouts that were too short.
func withoutTimeouts(cores ...*core) {
	for _, c := range cores {
		delete(c.Arguments, "timeouts")
	}
}

func creates(timeout string) map[string]any { return map[string]any{"create": timeout} }

// TestTwoResources_ofOneChapter: both run out of time, and are replaced. The one that follows the text adopts the conversion of the
// other one, and leaves it for that: whichever comes first, nothing is requested again.
func TestTwoResources_ofOneChapter(t *testing.T) {
	t.Parallel()
	for name, followerFirst := range map[string]bool{"the follower last": false, "the follower first": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service := mockserver.New()
				service.AddProject(acctest.BookWith(mockserver.Chapter{Text: acctest.ChapterText, Conversions: []mockserver.Conversion{oneMinute}}))
				a := newCore(t, chapterConversion, service, map[string]any{"timeouts": creates("30s")})
				b := newCore(t, chapterConversion, service, map[string]any{keepUpToDate: true, "timeouts": creates("50s")})
				together(a, b)
				a.wantSent(1)
				withoutTimeouts(a, b)
				if followerFirst {
					a, b = b, a
				}
				together(a, b)
				a.wantSent(1)
				a.Plan().Want(a, "no-op", nil, nil)
				b.Plan().Want(b, "no-op", nil, nil)
			})
		})
	}
}
