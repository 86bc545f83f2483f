package simulation_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	engine "github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
)

// checkConverted checks I1: if the provider says that a text has been converted, it has been.
func (t *terraform) checkConverted(invariant string, b *wish, text uint64, since time.Duration, claim string) {
	t.locked(func(now time.Duration) {
		c := t.chapters[b.chapter]
		open := text & c.openAt(now)
		if open == 0 || c.deleted > 0 {
			return
		}
		// Who has the block replaced after an edit wishes for that text, whatever is pending; but nobody can tell which of several blocks
		// for a chapter had that pending.
		byHand := b.replace && !b.Book && c.texts[len(c.texts)-1].at < since && t.alone(b.resource, b.chapter)
		for _, excuse := range excuses {
			// A conversion that has converted nothing, or looks so for long, is requested once more by the next apply; after the second, its
			// text counts as left.
			cancels := slices.DeleteFunc(slices.Clone(c.jobs), func(j *job) bool { return j.Ends != endsCancelled && j.CountLag+c.lag() < 30*time.Second })
			if byHand && excuse.name == replacedText || invariant == "I4" && excuse.name == cancelled && len(cancels) < 2 {
				continue
			}
			if excused := excuse.of(t.world, b, since, now); open&excused != 0 {
				t.except(excuse.name)
				open &^= excused
			}
		}
		if open != 0 {
			t.addViolation(invariant, "block %d (%s): %s at %s, and %d paragraphs of the text it was about are not converted", b.index+1, chapterIDs[b.chapter], claim, clock(now), count(open))
		}
	})
}

// checkRefresh checks I5: no object is removed from the state while its chapter exists. It checks I1 for a conversion that
// a refresh settles.
func (t *terraform) checkRefresh(p *process, b *wish, before, after *fakecore.Object, began time.Duration) {
	if after == nil {
		t.locked(func(now time.Duration) {
			switch c := t.chapters[b.chapter]; {
			case c.deleted > 0:
			case t.shownMissing(p, b.chapter, began):
				t.except("I5: two lists and the project's record lacked a chapter")
			default:
				t.addViolation("I5", "block %d: the object was removed from the state at %s, but its chapter %s exists", b.index+1, clock(now), chapterIDs[b.chapter])
			}
		})
		b.fresh = true
		return
	}
	missing := false
	t.locked(func(time.Duration) {
		if missing = t.shownMissing(p, b.chapter, began); missing && b.Book && b.after != nil {
			t.allow(b.chapter, "I2: two lists and the project's record lacked a chapter, and a book forgot that it was converted for a converted_after in the future")
		}
	})
	_, own := b.pending(before)
	if text, _ := b.pending(after); own && text == "" && !missing {
		t.checkConverted("I1", b, b.ticket, began, "a refresh has settled what was pending")
	}
}

// shownMissing says whether a chapter was missing in two lists that confirm each other, and in the project's record unless that is refused.
func (w *world) shownMissing(p *process, chapter int, since time.Duration) bool {
	first, second, project := time.Duration(-1), false, w.Refused != 0
	for _, l := range w.lists {
		if l.process != p.number || l.asked < since-time.Minute || l.shown[chapter] != nil {
			continue
		}
		switch {
		case l.project:
			project = true
		case first < 0:
			first = l.asked
		case l.asked >= first+5*time.Second:
			second = true
		}
	}
	return project && second
}

// checkRefusalIsShown checks that a block says how its own request was refused, if nothing has been converted since.
func (t *turn) checkRefusalIsShown(w *applyRun, shown *fakecore.Screen, now time.Duration) {
	if w.stopped.Load() != nil {
		return
	}
	w.locked(func(time.Duration) {
		posts := slices.DeleteFunc(slices.Clone(w.posts), func(p posted) bool { return p.chapter != t.chapter || p.process != t.process || p.at < t.at })
		c := w.chapters[t.chapter]
		if len(posts) == 0 || c.deleted > 0 || !w.alone(t.resource, t.chapter) {
			return
		}
		last := posts[len(posts)-1]
		runs := slices.ContainsFunc(c.jobs, func(j *job) bool { return j.end >= last.at-time.Minute })
		for _, j := range c.jobs {
			// It was refused because of a conversion that lists showed in time.
			if j.at <= last.at && j.visible(j.end) > max(j.visible(j.at), last.at)+20*time.Second && j.visible(j.at)+c.lag()+w.oldest() < last.at+20*time.Second && !j.NeverBusy && j.RestsFor == 0 && j.Queue+j.First+j.Busy == "" &&
				last.status == http.StatusConflict && shown.Says("409") && (!t.Book || len(w.chapters) == 1) && len(w.Posts) == 0 {
				w.addViolation("I8", "block %d: it was refused at %s, and a conversion ran that lists showed", t.index+1, clock(last.at))
			}
		}
		refused := slices.Contains([]int{http.StatusBadRequest, http.StatusPaymentRequired, http.StatusConflict, http.StatusUnprocessableEntity}, last.status)
		waited := now-t.at < w.waitLimit(t.resource)-time.Second
		unseen := shown.Says("GET /") || c.texts[len(c.texts)-1].at > last.at // A look that failed has ended the wait, or nothing is open any more.
		if refused && !runs && waited && !unseen && !shown.Says(strconv.Itoa(last.status)) {
			w.addViolation("told", "block %d: the request was refused with %d at %s, but the screen says: %s", t.index+1, last.status, clock(last.at), shown)
		}
		limited := posts[0].status == http.StatusTooManyRequests && !slices.ContainsFunc(slices.Concat(w.Posts, w.Gets), func(f fault) bool {
			pause, _ := time.ParseDuration(f.RetryAfter + "s")
			return len(f.RetryAfter) > 3 || pause > w.waitLimit(t.resource)-(now-t.at) // very long, or longer than the wait
		})
		if asked := last.at - posts[0].at; limited && (asked > 12*time.Minute || asked < 9*time.Minute && waited && last.status == posts[0].status && shown.Says("429")) {
			w.addViolation("I8", "block %d: the service asked for a pause, and it was asked until %s, and given up at %s", t.index+1, clock(last.at), clock(now))
		}
		final := last.status == http.StatusPaymentRequired || last.status == http.StatusUnprocessableEntity // They cannot mean that the chapter is busy.
		if final && !runs && waited && !unseen && !t.Book && len(w.Gets)+len(w.windows) == 0 && now > last.at+20*time.Second {
			w.addViolation("I10", "block %d: the request was refused with %d at %s, and it ended only at %s", t.index+1, last.status, clock(last.at), clock(now))
		}
	})
}

// checkFailureIsShown checks that a block quotes the service's message if its own conversion failed and a list showed that.
func (t *turn) checkFailureIsShown(w *applyRun, shown *fakecore.Screen, now time.Duration) {
	if w.stopped.Load() != nil {
		return
	}
	w.locked(func(time.Duration) {
		c := w.chapters[t.chapter]
		if last := w.lastShown(t.process, t.chapter, t.at, now); t.after != nil && last != nil && last.date >= *t.after && len(w.chapters) == 1 && shown.Says("Converted before the time") {
			w.addViolation("told", "block %d: it says that the chapter was converted before converted_after, and its date is not", t.index+1)
		}
		if len(c.jobs) == 0 || c.deleted > 0 {
			return
		}
		j := c.jobs[len(c.jobs)-1]
		if j.process != t.process || j.at < t.at || j.Ends != endsInError || j.end > now {
			return
		}
		before := w.lastShown(t.process, t.chapter, -time.Hour, j.at)
		after := w.lastShown(t.process, t.chapter, j.at, now-time.Millisecond) // A list of this moment may have come too late.
		if before == nil || after == nil || after.busy || after.error != j.Error || before.error.normal() == j.Error.normal() || c.dismissed(j, now) || t.adopts(w, before) {
			return
		}
		// A book waits for its other chapters. Another block may request what a block was refused that wants a conversion of the
		// text as it is now, and tells that it failed.
		edited := slices.ContainsFunc(c.texts, func(text text) bool { return text.at > j.at-time.Minute }) // The request may have gone by an older list.
		refused := !t.greenOn(shown) && !w.alone(t.resource, t.chapter) && (t.Book || edited)
		// Or a block for the chapter was done before it: what a book had pending looked as if it had ended well, say.
		own := t.Book && !w.alone(t.resource, t.chapter) && slices.ContainsFunc(w.decisions, func(d decision) bool {
			return d.chapter == t.chapter && d.Decision.Step == engine.Done && d.at >= t.at && d.at <= j.at
		})
		if refused || own || t.Book && w.endsUnclearly(c, j) {
			return
		}
		if shown.Says("The provider does not know yet whether the service received the request") {
			return // There was no list after the time for an answer was over.
		}
		stopped := shown.Says("Timed out after") && w.Blocks[t.index].ChapterTimeout > 0 || !w.alone(t.resource, t.chapter) && (shown.Says("(`max_characters`)") || shown.Says("has no chapter") || shown.Says("GET /") || shown.Says("before anything was requested") || t.Book && shown.Says("Timed out"))
		if stopped {
			return // The block that requested the conversion tells. This one may request no other, or has no time to look, and says why.
		}
		if len(shown.Errors) == 0 || !shown.Says(j.Error.text()) && !shown.Says(j.Error.normal()) {
			w.addViolation("told", "block %d: the conversion failed with %q, the list showed it, but the screen says: %s", t.index+1, j.Error.normal(), shown)
		}
	})
}

// endsUnclearly says whether lists may show the chapter at rest, and dated or not, before they show how a conversion has ended. A book that
// waits for other chapters may have decided by then.
func (w *world) endsUnclearly(c *chapter, j *job) bool {
	return w.odd(c) || j.unclear()
}

// unseenByBook says whether a book may have decided before any list showed that the chapter's conversion had failed.
func (w *applyRun) unseenByBook(t *turn) (unseen bool) {
	w.locked(func(time.Duration) {
		unseen = t.Book && slices.ContainsFunc(w.chapters[t.chapter].jobs, func(j *job) bool {
			return j.process == t.process && j.Ends == endsInError && w.endsUnclearly(w.chapters[t.chapter], j)
		})
	})
	return unseen
}

// adopts says whether a book has nothing to convert in a chapter that looks so. It does not wait for what another block converts
// later.
func (t *turn) adopts(w *applyRun, r *record) bool {
	nothing := r.unconverted == 0 || r.unconverted < 0 && (r.date != 0 || t.remembers(w)) || w.chapters[t.chapter].first.Remainder == r.unconverted || w.chapters[t.chapter].left() && !w.alone(t.resource, t.chapter)
	_, billed := w.readBill(t.resource, t.plan.Screen).convert[t.chapter] // It may have been converted for a time to come.
	return t.Book && !t.ticketed && nothing && (t.after == nil || r.date >= *t.after || !billed) && (!t.action || !t.All)
}

// lastShown is the last record of a chapter that a process got between the two times.
func (w *world) lastShown(process, chapter int, after, until time.Duration) (last *record) {
	for _, l := range w.lists {
		if (process == 0 || l.process == process) && l.asked > after && l.asked <= until && l.shown[chapter] != nil {
			last = l.shown[chapter]
		}
	}
	return last
}

// checkPlanIsKept checks I3: if a plan says that nothing will be requested, and nothing changes at the service, nothing is
// requested.
func (t *turn) checkPlanIsKept(w *applyRun) {
	// The plan of a renamed block does not know whether the pending conversion is its own.
	if t.action || t.plan.Plan == nil || t.CreateBeforeDestroy || t.renamed || !w.readBill(t.resource, t.plan.Screen).none[t.chapter] {
		return
	}
	w.locked(func(time.Duration) {
		c := w.chapters[t.chapter]
		since := t.plan.at - time.Minute - w.oldest()
		if c.texts[len(c.texts)-1].at > since {
			return
		}
		requested := false
		for _, j := range c.jobs {
			switch ours := j.process == t.process && j.at >= t.at; {
			case ours:
				requested = true
			case j.at >= t.plan.at:
				return
			case (j.end > since || w.NoRefresh) && (j.Ends != endsWell || j.CountLag > 0 || j.ShownLate > 0 || c.first.Remainder > 0):
				return
			}
		}
		switch {
		case requested && t.ticketed && t.replace:
			w.except("I3: an object with something pending is replaced as requested, and its plan is that of an update")
		case requested && !t.Action && w.alone(t.resource, t.chapter):
			w.addViolation("I3", "block %d: the plan said that nothing would be requested, nothing changed at the service, but the apply requested a conversion", t.index+1)
		}
	})
}

// alone says whether no other block is about the chapter.
func (t *terraform) alone(b *resource, chapter int) bool {
	return !slices.ContainsFunc(t.blocks, func(other *resource) bool { return other != b && other.covers(chapter) })
}

// checkSettled checks I4: when the service is as usual again, two applies are enough.
func (t *terraform) checkSettled(plans map[*resource]planned) {
	depends := slices.ContainsFunc(t.blocks, func(b *resource) bool { return b.Depends })
	for b, plan := range plans {
		if slices.ContainsFunc(plan.Errors, func(box string) bool { return strings.HasPrefix(box, "Chapters without a timestamp") }) {
			t.except("I4: a chapter without a date stands against converted_after")
			return // nothing can be applied any more
		}
		for _, wish := range b.wishes {
			// Whoever names a chapter that the project does not have can apply nothing any more.
			covers := b.covers(wish.chapter)
			if named := covers == (!b.Book || b.lists()); named && !t.chapters[wish.chapter].exists(t.now()) || covers && depends && t.nothingToDo(wish.chapter) {
				return
			}
		}
	}
	late := false // the block before
	for _, b := range t.blocks {
		plan := plans[b]
		if late = late && b.Depends; late && plan.Action == fakecore.Create {
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
		late = plan.Action == fakecore.Replace && slices.ContainsFunc(b.covered(), func(w *wish) bool {
			// What the old object of such a block has noted of the chapter comes an apply later, to all its blocks.
			first := t.chapters[w.chapter].first
			return (first.Cancelled+first.Done+first.Failed != "" || t.Blocks[w.index].Timeout > 0) && slices.ContainsFunc(t.blocks, func(other *resource) bool { return other.CreateBeforeDestroy && other.covers(w.chapter) })
		})
		if late {
			t.except("I4: with create_before_destroy, what a new object must know of the old one is not handed over, or too late")
			continue
		}
		t.addViolation("I4", "block %d: after two applies with a usual service, the plan is: %s", b.index+1, plan.Screen)
	}
}

// checkWishSettled is checkSettled for one chapter of a block whose plan is empty.
func (t *terraform) checkWishSettled(w *wish) {
	if !t.chapters[w.chapter].exists(t.now()) {
		if text, _ := w.pending(w.Object); text != "" {
			t.addViolation("I4", "block %d: after two applies with a usual service, something of a chapter that is gone is pending: %s", w.index+1, text)
		}
		return
	}
	if text, _ := w.pending(w.Object); text != "" || w.Object.Tainted {
		t.addViolation("I4", "block %d: after two applies with a usual service, it is tainted: %t, or pending: %s", w.index+1, w.Object.Tainted, text)
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
	t.locked(func(now time.Duration) {
		c := t.chapters[b.chapter]
		if b.retriggered == 0 || c.WhenDone == doneIgnores {
			return
		}
		unknowable, othersDate, late := false, false, c.lag()+t.oldest()
		state, runs := c.stateAt(b.retriggered)
		looked := runs && c.looksLikeRest(state) && slices.ContainsFunc(t.lists, func(l listing) bool {
			return l.asked >= c.current(b.retriggered).at && l.asked < b.retriggered && l.shown[b.chapter].converting()
		})
		looked = looked || c.first.StateLag > 0 && slices.ContainsFunc(t.lists, func(l listing) bool { // What looked busy then had ended before.
			_, busy := c.stateAt(l.asked)
			return l.asked >= b.retriggered && !busy && l.shown[b.chapter] != nil && l.shown[b.chapter].converting()
		})
		killed := slices.Contains(t.allowed[b.chapter], "I2: killed, and the state was lost") ||
			t.changes("rename") && slices.ContainsFunc(t.Rounds, func(r round) bool { return r.Backwards }) // It joins what its former name requested.
		for _, j := range c.jobs {
			// Our own conversion is for the triggers of its request. Somebody else's that runs is joined, and so is one of an action.
			late := late + min(time.Duration(len(t.Posts)), 1)*(j.ShownLate+j.CountLag)                                                                                                                                                         // After a lost answer, one shown late looks like that of the request.
			if j.end+late < b.retriggered || (len(t.Posts) == 0 || late == 0) && j.process > 0 && j.at < b.retriggered && !b.Book && t.alone(b.resource, b.chapter) && !b.Action && !killed && (j.Retries == 0 || j.RestsFor < 5*time.Second) { // else it looked as if it had failed
				continue
			}
			switch j.Ends {
			case endsWell:
				return
			case endsCancelled:
				unknowable = true
			case endsInError:
				unknowable = unknowable || !t.freshError(b, j) || t.firstShown(b, j.Error) < 0 || t.shared(b.chapter) && c.dismissed(j, now)
				othersDate = othersDate || j.process == 0 && j.dated() >= 0
			}
		}
		switch {
		case b.Book && othersDate:
			t.except("I4: somebody else's conversion failed and moved the date, which a book takes for its converted_after")
			return
		case b.CreateBeforeDestroy:
			t.except("I4: with create_before_destroy, what a new object must know of the old one is not handed over, or too late")
			return
		case b.Book && (killed || b.forgot):
			t.except("I4: a book forgot a failed conversion that has moved the date")
			return
		case unknowable:
			t.except("I4: a conversion of a chapter without open text was cancelled, or failed with words that stood there all the time or were dismissed")
			return
		case b.mixedUp:
			t.except("I4: of two replaced blocks, of which one has new triggers, nobody can tell whose conversion was for which")
			return
		case ignored(t.world, b, 0, now) != 0:
			t.except(noEffect)
			return
		case len(t.Posts) > 0 && (c.texts[len(c.texts)-1].at > b.retriggered || stale(t.world, b, 0, now) != 0):
			t.except("I4: an answer was lost, and open text was deleted, or had been converted before, which looks as if it was converted")
			return
		case b.greenTooEarly, looked:
			t.except("I4: a conversion of a chapter without open text failed, or the triggers changed, after it had looked as if it had ended, or had nothing to do")
			return
		}
		if text, _ := b.pending(b.Object); text == "" {
			t.addViolation("I4", "block %d: the plan is empty at %s, but no conversion has ended well since its triggers changed", b.index+1, clock(now))
		}
	})
}

// nothingToDo says whether the service ignores every request because no text is open in truth, although the chapter counts
// text as open that it never converts, or has an error from before.
func (t *terraform) nothingToDo(chapter int) (nothing bool) {
	t.locked(func(now time.Duration) {
		c := t.chapters[chapter]
		nothing = c.WhenDone == doneIgnores && c.openAt(now) == 0 && (c.textAt(now)&neverConverted != 0 || c.errorAt(now) != 0)
	})
	return nothing
}

// counted is the text of which it can be known whether it is converted. Not part of it is new text that replaced as much
// text, or more, during its conversion: it cannot be distinguished from text that the service left.
func (w *world) counted(chapter int, now time.Duration) uint64 {
	c := w.chapters[chapter]
	if c.Counts == countsMissing {
		return 0
	}
	text := c.textAt(now) &^ neverConverted
	for _, j := range c.jobs {
		lag := c.first.CountsLag + j.CountLag + j.ShownLate + 20*time.Second
		before, after := c.textAt(j.at-lag), c.textAt(j.end+lag)
		if j.process > 0 && before != after && count(before) >= count(after) {
			w.trace.at(j.end, "TRUTH", "the text was replaced by as much or less during its conversion")
			text &^= after &^ before
		}
	}
	return text
}
