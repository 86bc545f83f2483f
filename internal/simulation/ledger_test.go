package simulation_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
)

// ledger counts what was wished for and what was paid for, and has the violations.
type ledger struct {
	mu         sync.Mutex
	violations []violation
	exceptions map[string]int
	wishes     map[int]int    // by chapter
	grouped    map[group]bool // group{apply, anyAlias, chapter} is there if any of its aliases is
	allowed    map[int][]string
	edits      map[int]time.Duration // by chapter: until when an edit counts as a wish even without keep_up_to_date
}

// violation is a broken invariant.
type violation struct{ invariant, text string }

// group identifies the wishes that one conversion must fulfil.
type group struct{ apply, alias, chapter int }

const anyAlias = -1

// wish is what a block still needs for a chapter.
type wish struct {
	*resource
	chapter int

	fresh         bool          // no apply has begun to fulfil it yet
	again         bool          // triggers have changed, or somebody used -replace, so converted text is converted again
	retriggered   time.Duration // when the triggers of an object that had some last changed; 0: never
	greenTooEarly bool          // an apply succeeded before anybody could see how the conversion ended
	forgot        bool          // a book was replaced, and what it had in its private state was given to nobody
	mixedUp       bool          // it was replaced, and another block is about the chapter
	handedOver    bool          // our own conversion is pending for a book under the block's former name
	ticket        uint64        // the text for which our own pending conversion was requested
}

func newLedger() *ledger {
	return &ledger{wishes: map[int]int{}, grouped: map[group]bool{}, exceptions: map[string]int{}, allowed: map[int][]string{}, edits: map[int]time.Duration{}}
}

func (l *ledger) addViolation(invariant, format string, arguments ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.violations = append(l.violations, violation{invariant, fmt.Sprintf(format, arguments...)})
}

// except counts an exception that the guide names.
func (l *ledger) except(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.exceptions[what]++
}

// allow lets a chapter be paid for once more. That counts as an exception if it is paid for so often.
func (l *ledger) allow(chapter int, what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.allowed[chapter] = append(l.allowed[chapter], what)
}

func (l *ledger) wish(chapter int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wishes[chapter]++
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

// wished counts a wish, unless another one of the same group is counted already.
func (l *ledger) wished(g group) {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := group{g.apply, anyAlias, g.chapter}
	switch {
	case l.grouped[g]:
	case l.grouped[first]:
		l.allowed[g.chapter] = append(l.allowed[g.chapter], "I2: two provider aliases asked for one chapter in one apply")
	default:
		l.wishes[g.chapter]++
	}
	l.grouped[g], l.grouped[first] = true, true
}

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

// begins begins a block's turn for a chapter. The old object may be destroyed already.
func (w *applyRun) begins(b *wish, plan planned, old *fakecore.Object) *turn {
	t := &turn{wish: b, plan: plan, apply: w.number, process: w.processes[b.Alias].number}
	w.locked(func(now time.Duration) {
		c := w.chapters[b.chapter]
		t.began, t.unborn = now, !c.exists(now)
		t.text = w.knownText(b.chapter, now)
		b.again = b.again || b.fresh && w.outdated(b, now)
		t.unlisted = b.Book && !b.lists() && (plan.Action != fakecore.Update || c.first.Later || chapterCount(old) < w.existing(now))
	})
	if old == nil && b.handedOver && !w.Backwards {
		t.text &= b.ticket
	}
	b.handedOver = false
	if old != nil {
		if _, own := b.pending(old); own {
			t.ticketed = true
			switch {
			case !b.fresh, b.Book, !b.again && plan.Action == fakecore.Update: // -replace makes no new wish of a book's
				t.text &= b.ticket
			case plan.Action == fakecore.Replace && w.NoRefresh && t.text&^b.ticket != 0:
				w.except("I1: what was pending was taken for what was wished by hand, because of -refresh=false")
				t.text &= b.ticket
			}
		}
	}
	if plan.Action != fakecore.Update && b.keeps() && !t.ticketed {
		// If nothing is open, the chapter is adopted, and the triggers are only recorded.
		b.retriggered = 0
	}
	const whose = "I2: of two blocks with new triggers, of which one is replaced, nobody can tell whose conversion was for which"
	besideReplaced := slices.ContainsFunc(w.blocks, func(other *resource) bool {
		return other != b.resource && other.covers(b.chapter) && w.plans[other].Plan != nil && w.plans[other].Action == fakecore.Replace
	})
	b.mixedUp = b.mixedUp || plan.Action == fakecore.Replace && !w.alone(b.resource, b.chapter)
	switch {
	case plan.Action == fakecore.Create && b.triggers > 0 && besideReplaced:
		w.allow(b.chapter, whose)
	case plan.Action != fakecore.Replace || !t.ticketed && !t.remembers(w):
	case b.CreateBeforeDestroy:
		w.allow(b.chapter, "I2: create_before_destroy")
	case b.Book && old.Tainted && w.NoRefresh:
		w.allow(b.chapter, "I2: a tainted book was replaced with -refresh=false")
		b.forgot = true
	case b.triggers > 0 && !w.alone(b.resource, b.chapter) && !strings.Contains(fakecore.AttributesOf(old.Value)["triggers"].String(), fmt.Sprintf("%q", fmt.Sprint(b.triggers))):
		w.allow(b.chapter, whose)
	}
	// What is handed over is known, whatever the lists show.
	t.unlisted = t.unlisted && (!t.ticketed || b.CreateBeforeDestroy || w.NoRefresh)
	return t
}

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
	return (c.textAt(now-c.CountsLag-w.oldest()) & c.textAt(now)) &^ neverConverted
}

// oldest is the greatest lag of a replica.
func (s *story) oldest() time.Duration { return slices.Max(append([]time.Duration{0}, s.Replicas...)) }

// lost records that the process was killed before it answered.
func (t *turn) lost(w *applyRun) {
	takenOver := slices.ContainsFunc(w.chapters[t.chapter].jobs, func(j *job) bool { return j.process == t.process })
	if takenOver {
		t.count(w) // Otherwise nothing was paid for, and the wish is the next apply's.
	}
	if t.asked(w) || t.ticketed || takenOver && (!t.keeps() || w.changes("keep") || w.chapters[t.chapter].Counts == countsMissing) || t.remembers(w) && (takenOver || t.plan.Action == fakecore.Replace) {
		w.allow(t.chapter, "I2: killed, and the state was lost")
	}
}

// remembers says whether the object may know of a conversion what nothing else tells: that it was for a converted_after in the
// future, or, if the service shows neither counts nor a date, that there was one.
func (t *turn) remembers(w *applyRun) bool {
	c := w.chapters[t.chapter].first
	return t.Book && (t.after != nil || c.Counts == countsMissing && c.OldDate == 0 && (c.DateAt == never || c.DateLag > 0))
}

// count counts the block's wish. An object with keep_up_to_date has no wish if no list shows open text, or a date before
// converted_after.
func (t *turn) count(w *applyRun) {
	if t.action && t.Book && !t.All && !t.counted && t.showedOpen(w) {
		w.wish(t.chapter)
	}
	t.counted = true
	if t.action || !t.fresh || t.keeps() && !t.again && !t.showedOpen(w) && !t.showedOutdated(w) {
		return
	}
	t.fresh, t.again = false, false
	w.wished(group{t.apply, t.Alias, t.chapter})
}

// asked says whether a request of the process has led to a conversion of the chapter since the turn began.
func (t *turn) asked(w *applyRun) (asked bool) {
	w.locked(func(time.Duration) {
		for _, j := range w.chapters[t.chapter].jobs {
			asked = asked || j.process == t.process && j.at >= t.at
		}
	})
	return asked
}

func (t *turn) showedOpen(w *applyRun) bool {
	return w.showed(t.chapter, t.at-20*time.Second, func(r *record) bool { return r.unconverted > 0 || r.converted < 0 })
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

// returned checks the provider's answer.
func (t *turn) returned(w *applyRun, shown *fakecore.Screen, result *fakecore.Object) {
	now := w.now()
	if t.fresh || t.plan.Action != fakecore.Update { // It was not only about what was requested before. Another block's turn may come later.
		w.locked(func(time.Duration) {
			w.edits[t.chapter] = map[bool]time.Duration{true: t.at, false: now}[w.alone(t.resource, t.chapter)]
		})
	}
	if t.unborn && !t.asked(w) {
		return // The wish is about the chapter when there is one.
	}
	what := map[bool]string{true: "the action", false: "applying"}[t.action]
	green := t.greenOn(shown)
	forgotten, refused, failed, edited := false, false, false, false
	w.locked(func(now time.Duration) {
		c := w.chapters[t.chapter]
		edited = len(c.jobs) > 0 && len(c.textsAt(c.jobs[len(c.jobs)-1].at-time.Second, now)) > 1
		ended := slices.DeleteFunc(slices.Clone(c.jobs), func(j *job) bool { return j.end >= t.at })
		failed = len(ended) > 0 && ended[len(ended)-1].Ends == endsInError // What has failed last need not be kept.
		refused = slices.ContainsFunc(w.posts, func(p posted) bool {
			return p.chapter == t.chapter && p.process == t.process && p.at >= t.at && p.status >= 400
		})
		forgotten = t.Book && !t.lists() && w.shownMissing(w.processes[t.Alias], t.chapter, t.at)
	})
	const lacked = "I1: each list and the project lacked a chapter that nobody had named"
	unseen := green && (forgotten || t.unlisted && w.lacked(t.process, t.chapter, t.at))
	switch {
	case unseen && !t.asked(w):
		w.except(lacked)
		return
	case unseen:
		w.allow(t.chapter, lacked) // It was asked for another block.
	}
	if t.Book && t.ticketed && !failed && result == nil && w.chapters[t.chapter].exists(now) && !t.action && !t.CreateBeforeDestroy && !w.NoRefresh && !w.showed(t.chapter, t.at, func(*record) bool { return true }) {
		w.addViolation("I5", "block %d: its creation failed, and what was pending for %s is forgotten", t.index+1, chapterIDs[t.chapter])
	}
	text, own := t.pending(result)
	stopped := (w.stopped.Load() != nil || refused) && !own && t.asked(w)
	outOfTime := shown.Says("Timed out") && w.shared(t.chapter)
	if !green && (t.remembers(w) && (stopped || outOfTime) || outOfTime && own && t.ticketed && t.triggers > 0) { // What is pending may be for triggers of before.
		w.allow(t.chapter, "I2: a block was interrupted, refused or out of time, another had the chapter converted, which nothing else tells")
	}
	if w.stopped.Load() != nil && text != "" && !own && w.shared(t.chapter) && edited {
		w.allow(t.chapter, "I2: a block was interrupted that follows another one's conversion, which was requested before the text was edited")
	}
	// A wish that failed is counted again, also if another block has got a conversion meanwhile.
	if green || own || t.asked(w) && (t.Book || w.stopped.Load() == nil) {
		t.count(w)
	}
	if !t.action && !green && result == nil {
		t.fresh = true
	}
	if t.Book && !t.action && (result == nil || result.Tainted) && w.oldest() > 0 && t.asked(w) {
		w.allow(t.chapter, "I2: a book's creation failed, which saves no date, and a replica did not show yet what it had converted")
	}
	if !t.action {
		switch {
		case !own:
			t.ticket = 0
		case !t.ticketed || t.ticket == 0:
			t.ticket = t.text
		}
		if green && w.stopped.Load() == nil && text != "" {
			w.addViolation("I1", "block %d: the apply succeeded, but something is pending: %s", t.index+1, text)
		}
		t.fresh = t.fresh && (!green || text != "")
		green = green && text == ""
	}
	t.greenTooEarly = t.greenTooEarly || (green || t.Book && w.stopped.Load() != nil) && (w.unseen(t.chapter) || w.unseenByBook(t))
	// An update whose plan knows all values of the chapter converts nothing.
	converts := t.action || !t.plan.Value.IsFullyKnown()
	if green && converts && !unseen {
		w.checkConverted("I1", t.wish, t.text, t.at, what+" is green")
	}
	t.checkOthers(w, green && converts)
	t.checkFailureIsShown(w, shown, now)
	t.checkHeldBack(w, shown)
	t.checkRefusalIsShown(w, shown, now)
	t.checkPersists(w, shown, now)
	if t.checkFailed(w, now); !green {
		t.checkEnds(w, now)
	}
	t.checkLooks(w, now)
	t.checkPlanIsKept(w)
	if t.Book {
		t.checkBillIsKept(w, green)
	}
}

// checkOthers is I1 and I2, too: what ran when the turn began is waited for, and if somebody else requested it, nothing more is requested.
func (t *turn) checkOthers(w *applyRun, green bool) {
	c, asked := w.chapters[t.chapter], t.asked(w)
	w.locked(func(now time.Duration) {
		for _, j := range c.jobs {
			inTime := j.ShownLate < 20*time.Second && j.RestsFor == 0 && c.lag()+w.oldest() == 0 && !j.NeverBusy && j.Queue+j.First+j.Busy == "" && c.first.WhenBusy != busyQueues && len(w.Posts) == 0
			switch {
			case inTime && green && j.process == t.process && j.at < t.at && j.end > now && (j.ShownLate == 0 || c.texts[len(c.texts)-1].at < j.at):
				w.addViolation("I1", "block %d: it is green at %s, and %s is still converted for another block", t.index+1, clock(now), chapterIDs[t.chapter])
			case asked && t.after == nil && j.process == 0 && len(w.windows) == 0 && (len(w.Posts) == 0 || t.retriggered == 0) && j.at < t.at-time.Second && j.end > t.at && !t.ticketed && !t.action && !w.odd(c) && len(c.texts) == 1 && c.first.Remainder == 0 && !j.odd() && w.alone(t.resource, t.chapter):
				w.addViolation("I2", "block %d: somebody else's conversion of %s ran when its turn began, and it requested another", t.index+1, chapterIDs[t.chapter])
			}
		}
	})
}

// greenOn says whether a screen claims that the chapter is converted. The error of a book names the chapters that are not.
func (t *turn) greenOn(shown *fakecore.Screen) bool {
	if !t.Book {
		return len(shown.Errors) == 0
	}
	interrupted := slices.ContainsFunc(shown.Warnings, func(box string) bool { return strings.HasPrefix(box, "Interrupted") })
	return !interrupted && !slices.ContainsFunc(shown.Errors, func(box string) bool {
		return !bookFailure.MatchString(box) || strings.Contains(box, `"Chapter `+chapterIDs[t.chapter]+`"`) || strings.Contains(box, `"`+chapterIDs[t.chapter]+`"`)
	})
}

var bookFailure = regexp.MustCompile(`^Unable to convert \d+ of the \d+ chapters? of `)

// lacked says whether a chapter was in none of the lists that a process was shown before the project's own record, and not in
// that record; or not in its first list. If that has the chapters that are known, no record is asked for.
func (w *world) lacked(process, chapter int, since time.Duration) (lacked bool) {
	w.locked(func(time.Duration) {
		asked := map[bool]bool{} // the project's record, its list: at the same time, in any order
		for _, l := range w.lists {
			if l.process != process || l.asked < since || len(asked) == 2 || asked[false] && l.asked > since+900*time.Millisecond {
				continue
			}
			if lacked = l.shown[chapter] == nil; !lacked {
				return
			}
			asked[l.project] = true
		}
	})
	return lacked
}

// unseen says whether lists may not show the end of a conversion yet.
func (w *world) unseen(chapter int) (unseen bool) {
	w.locked(func(now time.Duration) {
		c := w.chapters[chapter]
		for _, j := range c.jobs {
			unseen = unseen || j.process > 0 && now < j.visible(j.end)+c.ErrorLag+w.oldest()
		}
	})
	return unseen
}
