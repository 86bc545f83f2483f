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
// known to an object whose conversion has left it, and to all whose conversions one process requests; but of what its
// action leaves, which has no state, an object knows nothing, and a killed process forgets.
func (t *terraform) moved(w *wish, until time.Duration) bool {
	c, apply := t.chapters[w.chapter], w.settled
	lag := t.oldest()
	since, known, alone, cut := apply.began, false, t.alone(w.resource, w.chapter), false
	for j, did := range c.effects() {
		late := j.ShownLate + j.CountLag + lag
		cut = cut || j.Ends != endsWell // Of more than the service leaves, a block took that for what it leaves.
		endedWell := j.Ends == endsWell && !t.calledFailed(w.chapter, j.at, until)
		sameText := len(c.texts) == 1
		inThisApply := j.at >= apply.began && (alone || !w.Book && sameText)
		sinceItsCreation := alone && j.at >= apply.created && !t.changes("chapters")
		gained := did.gain != 0 && j.process > 0 && (inThisApply || sinceItsCreation)
		known = endedWell && (gained || known && sameText)
		isShownLate := j.end+late > until || late > 20*time.Second
		lastHasFailed := j == c.jobs[len(c.jobs)-1] && j.Ends != endsWell
		if isShownLate || lastHasFailed {
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
		if undated || t.canApplyNothing(b) {
			return
		}
	}
	late := false // the block before
	for _, b := range t.blocks {
		plan := plans[b]
		late = late && b.Depends
		if late && plan.Action == fakecore.Create {
			continue
		}
		if plan.Action == fakecore.NoOp && len(plan.Errors) == 0 {
			for _, wish := range b.covered() {
				t.checkWishSettled(wish)
			}
			continue
		}
		if slices.ContainsFunc(b.covered(), func(w *wish) bool { return t.nothingToDo(w.chapter) }) {
			t.except("I4: the service accepts requests and does nothing, where it counts text as unconverted or shows an error")
			continue
		}
		late = plan.Action == fakecore.Replace && slices.ContainsFunc(b.covered(), t.learnsLate)
		if late {
			t.except(createdFirstAndLate)
			continue
		}
		t.addViolation("I4", "block %d: after two applies with a usual service, the plan is: %s", b.index+1, plan.Screen)
	}
}

const createdFirstAndLate = "I4: with create_before_destroy or destroy = false, a new object is not told what the old one knows, or too late"

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

// learnsLate says whether what the old object of a block with create_before_destroy has noted of the chapter comes an
// apply later, to all the chapter's blocks.
func (t *terraform) learnsLate(w *wish) bool {
	first := t.chapters[w.chapter].first
	notes := first.Done+first.Failed != "" || t.Blocks[w.index].Timeout > 0
	return notes && slices.ContainsFunc(t.blocks, func(b *resource) bool {
		return b.keepsToItself() && b.covers(w.chapter)
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
		t.checkConverted("I4", w, text, 0, "the plan is empty")
	}
}

// checkTriggers is I4, too: a conversion that ended well, or that looks so, has followed new triggers.
func (t *terraform) checkTriggers(b *wish) {
	text, _ := b.pending(b.Object)
	t.locked(func(now time.Duration) {
		c := t.chapters[b.chapter]
		if b.retriggered == 0 || c.Idles {
			return
		}
		since := t.sinceTriggers(b, now)
		if since.endedWell {
			return
		}
		excuse := t.whyNotRetriggered(b, since)
		if excuse != "" {
			t.except(excuse)
			return
		}
		if text == "" {
			t.addViolation("I4", "block %d: the plan is empty at %s, but no conversion has ended well since its triggers changed",
				b.index+1, clock(now))
		}
	})
}

// retriggering is how the conversions that may be for a block's new triggers have ended.
type retriggering struct {
	endedWell  bool
	unknowable bool // one has failed or was cancelled, which nobody can see
}

// sinceTriggers says how the conversions have ended that may be for a block's new triggers.
func (t *terraform) sinceTriggers(b *wish, now time.Duration) (since retriggering) {
	c := t.chapters[b.chapter]
	for _, j := range c.jobs {
		if t.isForOlderTriggers(b, j) {
			continue
		}
		switch j.Ends {
		case endsWell:
			since.endedWell = true
			return since
		case endsCancelled:
			since.unknowable = true
		case endsInError:
			hidden := !t.freshError(b, j) || t.firstShown(b, j.Error) < 0
			dismissed := t.shared(b.chapter) && c.dismissed(j, now)
			since.unknowable = since.unknowable || hidden || dismissed
		}
	}
	return since
}

// isForOlderTriggers says whether a conversion is known to be for the triggers of before: it has ended before the
// change, or it is our own and was requested before. Somebody else's that runs is joined, and so is one of an action.
func (t *terraform) isForOlderTriggers(b *wish, j *job) bool {
	lag := t.oldest()
	if len(t.Posts) > 0 { // After a lost answer, one shown late looks like that of the request.
		lag += j.ShownLate + j.CountLag
	}
	if j.end+lag < b.retriggered {
		return true
	}
	seenInTime := len(t.Posts) == 0 || lag == 0
	known := !b.Book && !b.Action && t.alone(b.resource, b.chapter) && !t.stateIsLost(b)
	return j.process > 0 && j.at < b.retriggered && seenInTime && known
}

// stateIsLost says whether the object may not know its own conversion: a process was killed, or the block's former
// name has it.
func (t *terraform) stateIsLost(b *wish) bool {
	renamed := t.changes("rename") && slices.ContainsFunc(t.Rounds, func(r round) bool { return r.Backwards })
	return renamed || slices.Contains(t.allowed[b.chapter], killedAndLost)
}

// whyNotRetriggered is why nobody can know that no conversion has ended well for a block's new triggers; empty if
// somebody could.
func (t *terraform) whyNotRetriggered(b *wish, since retriggering) string {
	switch {
	case b.keepsToItself():
		return createdFirstAndLate
	case b.Book && (b.forgot || t.stateIsLost(b)):
		return "I4: a book forgot a failed conversion that has moved the date"
	case since.unknowable:
		return "I4: a conversion of a chapter without open text was cancelled, or failed, and nothing tells that from a good end"
	case b.greenTooEarly, t.lookedBusy(b):
		return "I4: a conversion of a chapter without open text failed, or the triggers changed, after it had looked ended"
	}
	return ""
}

// lookedBusy says whether a list has shown, before the triggers changed, that a conversion runs that looks like rest
// now.
func (t *terraform) lookedBusy(b *wish) bool {
	c := t.chapters[b.chapter]
	state, runs := c.stateAt(b.retriggered)
	hidden := runs && c.looksLikeRest(state)
	return slices.ContainsFunc(t.lists, func(l listing) bool {
		if !l.shown[b.chapter].converting() {
			return false
		}
		return l.asked < b.retriggered && hidden && l.asked >= c.current(b.retriggered).at
	})
}

// nothingToDo says whether the service ignores every request because no text is open in truth, although the chapter
// counts text as open that it never converts, has an error from before, or is older than a book demands.
func (t *terraform) nothingToDo(chapter int) (nothing bool) {
	t.locked(func(now time.Duration) {
		c := t.chapters[chapter]
		looksOpen := c.textAt(now)&neverConverted != 0 || c.errorAt(now) != 0
		demandsDate := slices.ContainsFunc(t.blocks, func(b *resource) bool { return b.after != nil && b.covers(chapter) })
		nothing = c.Idles && c.openAt(now) == 0 && (looksOpen || demandsDate)
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
