package simulation_test

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// turn is a block's turn in an apply, for one chapter, or that of its action.
type turn struct {
	*wish
	action   bool
	plan     planned
	apply    int
	process  int
	began    time.Duration
	at       time.Duration // the provider was called
	text     uint64        // that the turn must convert
	unlisted bool          // the object has not been about the chapter yet, because no list has shown it
	ticketed bool          // our own conversion is pending already
	counted  bool          // the wish has been counted, if it is one
	unborn   bool          // the project did not have the chapter when the turn began
}

// begins begins a block's turn for a chapter: it says which text the turn must convert, and what may be paid for in
// vain. The old object may be destroyed already.
func (w *applyRun) begins(b *wish, plan planned, old *fakecore.Object) *turn {
	t := &turn{wish: b, plan: plan, apply: w.number, process: w.processes[b.Alias].number}
	w.locked(func(now time.Duration) {
		c := w.chapters[b.chapter]
		t.began, t.unborn = now, !c.exists(now)
		t.text = w.knownText(b.chapter, now)
		b.again = b.again || b.fresh && w.outdated(b, now)
		t.unlisted = b.Book && !b.lists() && !w.knowsAll(plan, c, old, now)
	})
	t.continues(w, old)
	adopts := plan.Action != fakecore.Update && b.keeps()
	if adopts { // If nothing is open, or when what is pending has ended, the triggers are only recorded.
		b.retriggered = 0
	}
	t.allowWhatIsForgotten(w)
	// What is handed over is known, whatever the lists show.
	isHandedOver := t.ticketed && !b.keepsToItself()
	t.unlisted = t.unlisted && !isHandedOver
	return t
}

// knowsAll says whether a book has been about all chapters of the project, this one among them.
func (w *world) knowsAll(plan planned, c *chapter, old *fakecore.Object, now time.Duration) bool {
	return plan.Action == fakecore.Update && !c.first.Later && chapterCount(old) >= w.existing(now)
}

// continues takes what is pending for the wish, if it is for that: the turn need not convert more text than that
// conversion.
func (t *turn) continues(w *applyRun, old *fakecore.Object) {
	b := t.wish
	if old == nil && b.handedOver && !w.Backwards {
		t.text &= b.ticket
	}
	b.handedOver = false
	if old == nil {
		return
	}
	_, t.ticketed = b.pending(old)
	isUpdate := t.plan.Action == fakecore.Update
	// -replace makes no new wish of a book's.
	forTheSame := !b.fresh || b.Book || !b.again && isUpdate
	if t.ticketed && forTheSame {
		t.text &= b.ticket
	}
}

// allowWhatIsForgotten allows what a replacement pays for because the new object does not get what the old object knew.
func (t *turn) allowWhatIsForgotten(w *applyRun) {
	knows := t.ticketed || t.remembers()
	switch {
	case t.plan.Action != fakecore.Replace || !knows:
	case t.keepsToItself():
		w.allow(t.chapter, createdFirst)
	case !w.alone(t.resource, t.chapter):
		w.allow(t.chapter, "I2: another resource of the chapter took up what a replaced one had pending")
	}
}

const createdFirst = "I2: with create_before_destroy or destroy = false, a new object does not know what is pending"

// invokes begins an action's turn for a chapter.
func (w *applyRun) invokes(b *wish) *turn {
	t := &turn{wish: b, action: true, plan: w.plans[b.resource], apply: w.number, process: w.processes[b.Alias].number}
	w.locked(func(now time.Duration) {
		t.began, t.unborn = now, !w.chapters[b.chapter].exists(now)
		t.text = w.knownText(b.chapter, now)
	})
	t.unlisted = b.Book && !b.lists()
	if !b.Book || b.All {
		w.wish(b.chapter)
	}
	return t
}

// provision runs the block's provisioner. If it fails, Terraform taints the object.
func (w *applyRun) provision(b *resource) (succeeded bool) {
	if !b.unprovisioned {
		return true
	}
	w.trace.at(w.now(), "APPLY", "block %d: its provisioner fails", b.index+1)
	for _, wish := range b.covered() {
		w.allow(wish.chapter, "I2: a provisioner failed, and Terraform tainted the object")
	}
	return false
}

// existing is how many chapters the project has.
func (w *world) existing(now time.Duration) (count int) {
	for _, c := range w.chapters {
		if c.exists(now) {
			count++
		}
	}
	return count
}

// knownText is the text that a list can show now.
func (w *world) knownText(chapter int, now time.Duration) uint64 {
	c := w.chapters[chapter]
	return (c.textAt(now-w.oldest()) & c.textAt(now)) &^ neverConverted
}

// oldest is the greatest lag of a replica.
func (s *story) oldest() time.Duration { return slices.Max(append([]time.Duration{0}, s.Replicas...)) }

const killedAndLost = "I2: killed, and the state was lost"

// lost records that the process was killed before it answered: its state stays as it was before the apply.
func (t *turn) lost(w *applyRun) {
	c := w.chapters[t.chapter]
	requested := slices.ContainsFunc(c.jobs, func(j *job) bool { return j.process == t.process })
	if requested {
		t.count(w) // Otherwise nothing was paid for, and the wish is the next apply's.
	}
	// The next apply sees a conversion of open text in the chapter's counts; of one for new triggers it knows nothing.
	untold := !t.keeps() || w.changes("keep")
	forgets := t.remembers() && (requested || t.plan.Action == fakecore.Replace)
	if t.asked(w) || t.ticketed || requested && untold || forgets {
		w.allow(t.chapter, killedAndLost)
	}
}

// remembers says whether the object may know of a conversion what nothing else tells: that it was for a converted_after.
func (t *turn) remembers() bool { return t.Book && t.after != nil }

// count counts the block's wish. An object with keep_up_to_date has no wish if no list shows open text, or a date
// before converted_after.
func (t *turn) count(w *applyRun) {
	convertsWhatIsOpen := t.action && t.Book && !t.All
	if convertsWhatIsOpen && !t.counted && t.showedOpen(w) {
		w.wish(t.chapter)
	}
	t.counted = true
	if t.action || !t.fresh {
		return
	}
	if t.keeps() && !t.again && !t.showedOpen(w) && !t.showedOutdated(w) {
		return
	}
	t.fresh, t.again = false, false
	w.wish(t.chapter)
}

// asked says whether a request of the process has led to a conversion of the chapter since the turn began.
func (t *turn) asked(w *applyRun) (asked bool) {
	w.locked(func(time.Duration) {
		asked = slices.ContainsFunc(w.chapters[t.chapter].jobs, func(j *job) bool {
			return j.process == t.process && j.at >= t.at
		})
	})
	return asked
}

// showedOpen says whether a list has shown the turn open text.
func (t *turn) showedOpen(w *applyRun) bool {
	return w.showed(t.chapter, t.at-20*time.Second, func(r *record) bool { return r.unconverted > 0 })
}

// showedOutdated says whether a list has shown the turn a date before converted_after.
func (t *turn) showedOutdated(w *applyRun) bool {
	return t.after != nil && w.showed(t.chapter, t.at, func(r *record) bool { return r.date != 0 && r.date < *t.after })
}

// showed says whether a list has shown something of a chapter since a time.
func (w *world) showed(chapter int, since time.Duration, what func(*record) bool) (showed bool) {
	w.locked(func(time.Duration) {
		showed = slices.ContainsFunc(w.lists, func(l listing) bool {
			return l.asked >= since && l.shown[chapter] != nil && what(l.shown[chapter])
		})
	})
	return showed
}

const lackedByAll = "I1: the list lacked a chapter that nobody had named"

// returned records the provider's answer, and checks it: what it claims of the text, what it says of failures, and
// how long it took.
func (t *turn) returned(w *applyRun, shown *fakecore.Screen, result *fakecore.Object) {
	now := w.now()
	t.noteEdits(w, now)
	t.checkCreated(w, t.greenOn(shown))
	t.checkSaysWhole(w, shown)
	if t.unborn && !t.asked(w) {
		return // The wish is about the chapter when there is one.
	}
	green := t.greenOn(shown)
	unseen := green && t.lackedChapter(w)
	switch {
	case unseen && !t.asked(w):
		w.except(lackedByAll)
		return
	case unseen:
		w.allow(t.chapter, lackedByAll) // It was asked for another block.
	}
	t.checkKeepsPending(w, result)
	t.allowWhatNobodyTells(w, shown, result)
	t.settleWish(w, result, green)
	claim := "the action is green"
	if !t.action {
		claim = "applying is green"
		green = t.noteTicket(w, result, green)
	}
	// An update whose plan knows all values of the chapter converts nothing.
	converts := t.action || !t.plan.Value.IsFullyKnown()
	if green && converts && !unseen {
		w.checkConverted("I1", t.wish, t.text, claim)
	}
	t.checkOthers(w, green && converts)
	t.checkFailureIsShown(w, shown, now)
	t.checkRemainderIsTold(w, shown)
	t.checkHeldBack(w, shown)
	t.checkRefusalIsShown(w, shown, now)
	t.checkPersists(w, shown, now)
	t.checkFailed(w, shown, now)
	if !green {
		t.checkEnds(w, now)
	}
	t.checkLooks(w, now)
	if t.Book {
		t.checkEstimateIsKept(w, green)
	}
}

// noteEdits notes until when an edit is a wish of the block, too: until its turn, or its end where another block's
// turn may come later.
func (t *turn) noteEdits(w *applyRun, now time.Duration) {
	onlyContinues := !t.fresh && t.plan.Action == fakecore.Update // with what was requested before
	if onlyContinues {
		return
	}
	until := now
	if w.alone(t.resource, t.chapter) {
		until = t.at
	}
	w.locked(func(time.Duration) { w.edits[t.chapter] = until })
}

// lackedChapter says whether all that the turn could see lacked the chapter, of which nobody had spoken.
func (t *turn) lackedChapter(w *applyRun) (lacked bool) {
	if t.Book && !t.lists() {
		w.locked(func(time.Duration) { lacked = w.shownMissing(w.processes[t.Alias], t.chapter, t.at) })
	}
	return lacked || t.unlisted && w.lacked(t.process, t.chapter, t.at)
}

// checkKeepsPending checks I5: what is pending stays in the state of a book whose creation fails before it has seen
// the chapter.
func (t *turn) checkKeepsPending(w *applyRun, result *fakecore.Object) {
	if !t.Book || t.action || !t.ticketed || result != nil || t.keepsToItself() {
		return
	}
	kept := true
	w.locked(func(now time.Duration) {
		c := w.chapters[t.chapter]
		ended := slices.DeleteFunc(slices.Clone(c.jobs), func(j *job) bool { return j.end >= t.at })
		failed := len(ended) > 0 && ended[len(ended)-1].Ends == endsInError // What has failed last need not be kept.
		kept = failed || !c.exists(now)
	})
	if !kept && !w.showed(t.chapter, t.at, func(*record) bool { return true }) {
		w.addViolation("I5", "block %d: its creation failed, and what was pending for %s is forgotten",
			t.index+1, chapterIDs[t.chapter])
	}
}

// allowWhatNobodyTells allows another conversion after a turn that ended without its own, where another block has had
// the chapter converted.
func (t *turn) allowWhatNobodyTells(w *applyRun, shown *fakecore.Screen, result *fakecore.Object) {
	if t.greenOn(shown) {
		return
	}
	refused := false
	w.locked(func(time.Duration) {
		refused = slices.ContainsFunc(w.posts, func(p posted) bool {
			return p.chapter == t.chapter && p.process == t.process && p.at >= t.at && p.status >= 400
		})
	})
	_, own := t.pending(result)
	stopped := (w.stopped.Load() != nil || refused) && !own && t.asked(w)
	outOfTime := shown.Says("Timed out") && w.shared(t.chapter)
	// What is pending may be for triggers of before.
	forOlderTriggers := outOfTime && own && t.ticketed && t.triggers > 0
	if t.remembers() && (stopped || outOfTime) || forOlderTriggers {
		w.allow(t.chapter, "I2: a block was interrupted, refused or out of time, and another had the chapter converted")
	}
}

// settleWish counts the wish if the turn has fulfilled it, or has asked for it. A wish that failed is counted again,
// also if another block has got a conversion meanwhile.
func (t *turn) settleWish(w *applyRun, result *fakecore.Object, green bool) {
	_, own := t.pending(result)
	asked := t.asked(w) && (t.Book || w.stopped.Load() == nil)
	if green || own || asked {
		t.count(w)
	}
	if !t.action && !green && result == nil {
		t.fresh = true
	}
}

// noteTicket notes the text for which our own conversion is pending, and says whether the block is done. It is not
// while something is pending, which only an interruption may leave behind a screen without errors (I1).
func (t *turn) noteTicket(w *applyRun, result *fakecore.Object, green bool) (done bool) {
	text, own := t.pending(result)
	switch {
	case !own:
		t.ticket = 0
	case !t.ticketed || t.ticket == 0:
		t.ticket = t.text
	}
	if green && w.stopped.Load() == nil && text != "" {
		w.addViolation("I1", "block %d: the apply succeeded, but something is pending: %s", t.index+1, text)
	}
	done = green && text == ""
	t.fresh = t.fresh && !done
	return done
}

// greenOn says whether a screen claims that the chapter is converted. The error of a book names the chapters that are
// not.
func (t *turn) greenOn(shown *fakecore.Screen) bool {
	if !t.Book {
		return len(shown.Errors) == 0
	}
	if slices.ContainsFunc(shown.Warnings, func(box string) bool { return strings.HasPrefix(box, "Interrupted") }) {
		return false
	}
	id := chapterIDs[t.chapter]
	return !slices.ContainsFunc(shown.Errors, func(box string) bool {
		namesIt := strings.Contains(box, `"Chapter `+id+`"`) || strings.Contains(box, `"`+id+`"`)
		return namesIt || !bookFailure.MatchString(box)
	})
}

var bookFailure = regexp.MustCompile(`^Unable to convert \d+ of the \d+ chapters? of `)

// lacked says whether a chapter was not in the first list that a process was shown since a time.
func (w *world) lacked(process, chapter int, since time.Duration) (lacked bool) {
	w.locked(func(time.Duration) {
		first := slices.IndexFunc(w.lists, func(l listing) bool { return l.process == process && l.asked >= since && !l.project })
		lacked = first >= 0 && w.lists[first].shown[chapter] == nil
	})
	return lacked
}
