package simulation_test

import (
	"slices"
	"strings"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// span is the time of an apply, and of the one before it that created the object.
type span struct {
	created, began, ended time.Duration
	interrupted           bool
}

// checkStaysSettled checks I4, too: after a green apply, the plan of a block is empty as long as nothing changes at
// the service; and after an interrupted one, if its conversions have ended well since.
func (t *terraform) checkStaysSettled(plans map[*resource]planned, refreshed bool) {
	for b, plan := range plans {
		isSettled := b.settled.ended != 0 && (refreshed || !b.settled.interrupted)
		isRead := len(plan.Errors) == 0 && !plan.unread()
		if !isSettled || !isRead || plan.Action == fakecore.NoOp {
			continue
		}
		t.locked(func(time.Duration) {
			until := b.settled.ended
			if b.settled.interrupted {
				until = plan.at
			}
			mayNeedMore := func(w *wish) bool { return t.moved(w, until) || b.settled.interrupted && t.unclear(w, until) }
			if !slices.ContainsFunc(b.covered(), mayNeedMore) {
				t.addViolation("I4", "block %d: its apply ended at %s, and nothing has changed since, but the plan is: %s",
					b.index+1, clock(b.settled.ended), plan.Screen)
			}
		})
	}
}

// unclear says whether it is not shown that what an interrupted apply has requested has ended well. What was
// requested before its converted_after was set may not be for that.
func (t *terraform) unclear(w *wish, now time.Duration) bool {
	c := t.chapters[w.chapter]
	for j, did := range c.effects() {
		unseen := did.gain == 0 && !t.showedBusy(w, j, func(*record) bool { return true }) // A date alone needs a window.
		if c.first.Rest+c.first.Done != "" || did.gain == 0 && c.first.Undated || unseen {
			return true // The refresh cannot see that it has ended.
		}
	}
	hasTextLeft := c.openAt(now) != 0 || c.textAt(now)&neverConverted != 0
	isRefused := len(t.Posts)+len(t.Gets)+len(t.ignoredRequests) > 0
	isForTriggers := w.retriggered > 0 || w.triggers > 0
	isTooOld := w.after != nil && c.show(now).date < *w.after
	return hasTextLeft || isRefused || isForTriggers || isTooOld || len(c.jobs) == 0 || !t.alone(w.resource, w.chapter)
}

// moved says whether a chapter has changed since an apply began, or since the conversion was requested that it was
// about, otherwise than by conversions that ended well, and were shown, until a time. What is never converted is
// known only to an object whose own conversion has left it.
func (t *terraform) moved(w *wish, until time.Duration) bool {
	c, apply := t.chapters[w.chapter], w.settled
	since, known := apply.began, false
	for j, did := range c.effects() {
		late := j.ShownLate + j.CountLag + t.oldest()
		inThisApply := j.process > 0 && j.at >= apply.began && t.alone(w.resource, w.chapter) && !w.Action
		known = j.Ends == endsWell && did.gain != 0 && inThisApply
		lastHasFailed := j == c.jobs[len(c.jobs)-1] && j.Ends != endsWell
		if j.end+late > until || late > 20*time.Second || lastHasFailed {
			return true
		}
		since = min(j.at, apply.began)
	}
	since -= t.oldest() + time.Minute
	return c.deleted > 0 || c.added > max(since, 0) || c.first.Remainder > 0 && !known ||
		c.editedSince(since, apply.began-t.oldest()-time.Minute) ||
		slices.ContainsFunc(c.dismissals, func(at time.Duration) bool { return at > since }) ||
		slices.ContainsFunc(t.windows, func(gap dueEvent) bool { return gap.due+gap.For > since })
}

// editedSince says whether the text was edited since a time, or made no longer since an earlier one: that looks like
// text that is left.
func (c *chapter) editedSince(earlier, since time.Duration) bool {
	for i, text := range c.texts[1:] {
		if text.at > since || text.at > earlier && count(text.paragraphs) <= count(c.texts[i].paragraphs) {
			return true
		}
	}
	return false
}

// checkSettled checks I4: when the service is as usual again, two applies are enough.
func (t *terraform) checkSettled(plans map[*resource]planned) {
	for b, plan := range plans {
		undated := slices.ContainsFunc(plan.Errors, func(box string) bool {
			return strings.HasPrefix(box, "Timestamps that do not count")
		})
		if undated {
			t.except("I4: a chapter's date, or that it has none, stands against converted_after")
		}
		ownWord := slices.ContainsFunc(t.chapters, func(c *chapter) bool { return c.first.Done+c.first.Rest != "" })
		if ownWord && plan.Action == fakecore.Replace {
			t.except("I4: a chapter rests in a word of its own, and nothing shows that it rests")
		}
		if undated || ownWord || t.canApplyNothing(b) {
			return
		}
	}
	for _, b := range t.blocks {
		plan := plans[b]
		if plan.Action == fakecore.NoOp && len(plan.Errors) == 0 {
			for _, wish := range b.covered() {
				t.checkWishSettled(wish)
			}
			continue
		}
		if slices.ContainsFunc(b.covered(), func(w *wish) bool { return t.nothingToDo(w.chapter) }) {
			t.except("I4: the service accepts requests and converts nothing, where it counts text as unconverted or shows an error")
			continue
		}
		t.addViolation("I4", "block %d: after two applies with a usual service, the plan is: %s", b.index+1, plan.Screen)
	}
}

// canApplyNothing says whether no apply can succeed any more: the block names a chapter that the project does not
// have, or blocks wait for one at which the service does nothing.
func (t *terraform) canApplyNothing(b *resource) bool {
	depends := slices.ContainsFunc(t.blocks, func(b *resource) bool { return b.Depends })
	namesAll := !b.Book || b.lists()
	return slices.ContainsFunc(b.wishes, func(w *wish) bool {
		covers := b.covers(w.chapter)
		named := covers == namesAll
		gone := !t.chapters[w.chapter].exists(t.now())
		return named && gone || covers && depends && t.nothingToDo(w.chapter)
	})
}

// checkWishSettled is checkSettled for one chapter of a block whose plan is empty.
func (t *terraform) checkWishSettled(w *wish) {
	text, _ := w.pending(w.Object)
	if !t.chapters[w.chapter].exists(t.now()) {
		if text != "" {
			t.addViolation("I4", "block %d: after two applies with a usual service, a chapter that is gone is pending: %s",
				w.index+1, text)
		}
		return
	}
	if text != "" || w.Object.Tainted {
		t.addViolation("I4", "block %d: after two applies with a usual service, it is tainted: %t, or pending: %s",
			w.index+1, w.Object.Tainted, text)
	}
	t.checkTriggers(w)
	if w.keeps() {
		var text uint64
		t.locked(func(now time.Duration) { text = t.counted(w.chapter, now) })
		t.checkConverted("I4", w, text, "the plan is empty")
	}
}

// checkTriggers is I4, too: a conversion that ended well, or that looks so, has followed new triggers.
func (t *terraform) checkTriggers(b *wish) {
	text, _ := b.pending(b.Object)
	t.locked(func(now time.Duration) {
		c, unknowable := t.chapters[b.chapter], b.keepsToItself() || b.forgot || t.stateIsLost(b)
		if b.retriggered == 0 || c.Idles || text != "" {
			return
		}
		for _, j := range c.jobs {
			switch {
			case t.isForOlderTriggers(b, j):
			case j.Ends == endsWell:
				return
			case j.Ends == endsCancelled || !t.freshError(b, j) || t.firstShown(b, j) < 0 || c.dismissed(j, now):
				unknowable = true
			}
		}
		if unknowable {
			t.except("I4: nothing tells from a good end that a conversion without open text failed, or for which triggers it was")
			return
		}
		t.addViolation("I4", "block %d: the plan is empty at %s, but no conversion has ended well since its triggers changed",
			b.index+1, clock(now))
	})
}

// isForOlderTriggers says whether a conversion is known to be for the triggers of before: it has ended before the
// change, or it is our own and was requested before. Somebody else's that runs is joined, and so is one of an action.
func (t *terraform) isForOlderTriggers(b *wish, j *job) bool {
	known := len(t.Posts) == 0 && !b.Book && !b.Action && t.alone(b.resource, b.chapter) && !t.stateIsLost(b)
	return j.end+t.oldest() < b.retriggered || j.process > 0 && j.at < b.retriggered && known
}

// stateIsLost says whether the object may not know its own conversion: a process was killed, or the block's former
// name has it.
func (t *terraform) stateIsLost(b *wish) bool {
	renamed := t.changes("rename") && slices.ContainsFunc(t.Rounds, func(r round) bool { return r.Backwards })
	return renamed || slices.Contains(t.allowed[b.chapter], killedAndLost)
}

// nothingToDo says whether no request can help, because no text is open in truth. The service converts nothing of the chapter: all of its
// text is such that it leaves. Or it ignores every request, although the chapter counts text as open that it never converts, has an error
// from before, or is older than a book demands.
func (t *terraform) nothingToDo(chapter int) (nothing bool) {
	t.locked(func(now time.Duration) {
		c := t.chapters[chapter]
		looksOpen := c.textAt(now)&neverConverted != 0 || c.errorAt(now) != 0
		demandsDate := slices.ContainsFunc(t.blocks, func(b *resource) bool { return b.after != nil && b.covers(chapter) })
		convertsNothing := c.textAt(now) != 0 && c.textAt(now)&^neverConverted == 0
		nothing = c.openAt(now) == 0 && (convertsNothing || c.Idles && (looksOpen || demandsDate))
	})
	return nothing
}

// counted is the text of which it can be known whether it is converted. Not part of it is new text that replaced as
// much text, or more, during its conversion: it cannot be told from text that the service left.
func (w *world) counted(chapter int, now time.Duration) uint64 {
	c := w.chapters[chapter]
	text := c.textAt(now) &^ neverConverted
	for _, j := range c.jobs {
		lag := j.CountLag + j.ShownLate + 20*time.Second
		before, after := c.textAt(j.at-lag), c.textAt(j.end+lag)
		looksTheSame := before != after && count(before) >= count(after)
		if j.process > 0 && looksTheSame {
			w.trace.at(j.end, "TRUTH", "the text was replaced by as much or less during its conversion")
			text &^= after &^ before
		}
	}
	return text
}
