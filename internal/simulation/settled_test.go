package simulation_test

import (
	"slices"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
)

// span is the time of an apply, and of the one before it that created the object.
type span struct {
	created, began, ended time.Duration
	interrupted           bool
}

// checkStaysSettled checks I4, too: after a green apply, the plan of a block is empty as long as nothing changes at the service; and
// after an interrupted one, if its conversions have ended well since.
func (t *terraform) checkStaysSettled(plans map[*resource]planned, refreshed bool) {
	for b, plan := range plans {
		if b.settled.ended == 0 || plan.Action == fakecore.NoOp || len(plan.Errors) > 0 || plan.unread() || b.settled.interrupted && !refreshed {
			continue
		}
		t.locked(func(time.Duration) {
			until := b.settled.ended
			if b.settled.interrupted {
				until = plan.at
			}
			if !slices.ContainsFunc(b.covered(), func(w *wish) bool { return t.moved(w, until) || b.settled.interrupted && t.unclear(w, until) }) {
				t.addViolation("I4", "block %d: its apply ended at %s, and nothing has changed since, but the plan is: %s", b.index+1, clock(b.settled.ended), plan.Screen)
			}
		})
	}
}

// unclear says whether it is not shown that what an interrupted apply has requested has ended well. What was requested before its
// converted_after was set may not be for that.
func (t *terraform) unclear(w *wish, now time.Duration) bool {
	c := t.chapters[w.chapter]
	endsInOwnWord := c.first.Rest != "" || c.first.Done != ""
	// A date that comes with such a word may be that of a last phase, unless the chapter was "converting" before.
	lastPhase := endsInOwnWord && (c.first.DateAt != atEnd || c.first.First+c.first.Busy+c.first.Queue != "")
	for j, did := range c.effects() {
		if lastPhase || did.gain == 0 && (c.first.DateAt == never || j.end-j.at < time.Second) {
			return true // The refresh cannot see that it has ended.
		}
	}
	return len(c.jobs) == 0 || c.openAt(now) != 0 || c.textAt(now)&neverConverted != 0 || len(t.Posts)+len(t.Gets)+len(t.ignoredRequests) > 0 ||
		c.Counts == countsMissing || w.retriggered > 0 || w.triggers > 0 || w.after != nil && c.show(now).date < *w.after || !t.alone(w.resource, w.chapter)
}

// moved says whether a chapter has changed since an apply began, or since the conversion was requested that it was about, otherwise
// than by conversions that ended well, and were shown, until a time. What is never
// converted is known to an object whose conversion has left it, and to all whose conversions one process requests; but of what its
// action leaves, which has no state, an object knows nothing, and a killed process forgets.
func (t *terraform) moved(w *wish, until time.Duration) bool {
	c, apply := t.chapters[w.chapter], w.settled
	lag := c.lag() + t.oldest()
	since, known, alone, cut := apply.began, false, t.alone(w.resource, w.chapter), false
	for j, did := range c.effects() {
		late := j.ShownLate + j.CountLag + lag
		cut = cut || j.Ends != endsWell // Of more than the service leaves, a block took that for what it leaves.
		known = j.Ends == endsWell && !t.calledFailed(w.chapter, j.at, until) && (did.gain != 0 && j.process > 0 && (j.at >= apply.began && (alone || !w.Book && len(c.texts) == 1) || alone && j.at >= apply.created && !t.changes("chapters")) || known && len(c.texts) == 1)
		if j.end+late > until || late > 20*time.Second || j == c.jobs[len(c.jobs)-1] && j.Ends != endsWell {
			return true
		}
		since = min(j.at, apply.began)
	}
	since -= lag + time.Minute
	forgets := w.Action || slices.ContainsFunc(t.blocks, func(b *resource) bool { return b.Alias != w.Alias }) ||
		slices.ContainsFunc(t.Rounds, func(r round) bool { return r.Kill > 0 })
	return c.deleted > 0 || c.added > max(since, 0) || c.first.Remainder > 0 && (!known || forgets || cut && !alone) ||
		c.editedSince(since, apply.began-lag-time.Minute) ||
		slices.ContainsFunc(c.dismissals, func(at time.Duration) bool { return at > since }) ||
		slices.ContainsFunc(t.windows, func(gap dueEvent) bool { return gap.due+max(gap.For, gap.Project) > since })
}

// editedSince says whether the text was edited since a time, or made no longer since an earlier one: that looks like text that is left.
func (c *chapter) editedSince(earlier, since time.Duration) bool {
	for i, text := range c.texts[1:] {
		if text.at > since || text.at > earlier && count(text.paragraphs) <= count(c.texts[i].paragraphs) {
			return true
		}
	}
	return false
}
