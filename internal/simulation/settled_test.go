package simulation_test

import (
	"slices"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
)

// span is the time of an apply.
type span struct{ began, ended time.Duration }

// checkStaysSettled checks I4, too: after a green apply, the plan of a block is empty as long as nothing changes at the service.
func (t *terraform) checkStaysSettled(plans map[*resource]planned) {
	for b, plan := range plans {
		if b.settled.ended == 0 || plan.Action == fakecore.NoOp || len(plan.Errors) > 0 || plan.unread() {
			continue
		}
		t.locked(func(time.Duration) {
			if !slices.ContainsFunc(b.covered(), func(w *wish) bool { return t.moved(w.chapter, b.settled) }) {
				t.addViolation("I4", "block %d: its apply at %s was green, and nothing has changed since, but the plan is: %s", b.index+1, clock(b.settled.ended), plan.Screen)
			}
		})
	}
}

// moved says whether a chapter has changed since an apply began, or since the conversion was requested that it was about, otherwise
// than by conversions that ended well, and were shown, in that apply. Nobody can tell that of a chapter that shows nothing.
func (t *terraform) moved(chapter int, apply span) bool {
	c := t.chapters[chapter]
	lag := c.lag() + t.oldest()
	since := apply.began
	for j, did := range c.effects() {
		late := j.ShownLate + j.CountLag + lag
		last := j == c.jobs[len(c.jobs)-1]
		if j.end+late > apply.ended || late > 20*time.Second || last && (j.Ends != endsWell || did.gain == 0 && c.first.Remainder > 0) {
			return true
		}
		if last {
			since = min(since, j.at)
		}
	}
	since -= lag + time.Minute
	return c.deleted > 0 || c.added > since || t.neverTold(chapter) ||
		slices.ContainsFunc(c.texts[1:], func(text text) bool { return text.at > since }) ||
		slices.ContainsFunc(c.dismissals, func(at time.Duration) bool { return at > since }) ||
		slices.ContainsFunc(t.windows, func(gap dueEvent) bool { return gap.due+max(gap.For, gap.Project) > since })
}
