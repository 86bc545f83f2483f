package simulation_test

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	engine "github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// checkFailed checks I8: a conversion is called failed only if one has failed, and for the right reason.
func (t *turn) checkFailed(w *applyRun, shown *fakecore.Screen, now time.Duration) {
	w.locked(func(time.Duration) {
		said := slices.IndexFunc(w.decisions, func(d decision) bool {
			return d.chapter == t.chapter && d.at >= t.at && d.at <= now && d.saysFailed()
		})
		if said < 0 {
			return
		}
		d := w.decisions[said]
		t.checkReason(w, shown, d)
		if !t.mayHaveFailed(w, d) {
			w.addViolation("I8", "block %d (%s): it failed at %s (%s), although every conversion has ended well",
				t.index+1, chapterIDs[t.chapter], clock(d.at), ruleOf(d.Decision))
		}
	})
}

// saysFailed says whether a decision is that a conversion has failed: the end of the apply, or the reason for another
// request.
func (d decision) saysFailed() bool {
	return slices.Contains([]engine.Reason{engine.Error, engine.Nothing}, d.Decision.Reason)
}

// checkReason: an apply that ends because nothing was converted quotes the error that stands there, as the latest list showed.
func (t *turn) checkReason(w *applyRun, shown *fakecore.Screen, d decision) {
	last := w.lastShown(0, t.chapter, t.at, d.at)
	endsSo := d.Decision.Step == engine.Failed && d.Decision.Reason == engine.Nothing && w.alone(t.resource, t.chapter)
	if !endsSo || last == nil || last.error == 0 {
		return
	}
	if !shown.Says(last.error.text()) && !shown.Says(last.error.normal()) {
		w.addViolation("told", "block %d (%s): it failed at %s, the list showed the error %q, and the screen says: %s",
			t.index+1, chapterIDs[t.chapter], clock(d.at), last.error.text(), shown)
	}
}

// mayHaveFailed says whether a conversion has failed, or may have looked so: it has converted nothing, is shown late, or its text was
// edited meanwhile, so that the counts do not show its work.
func (t *turn) mayHaveFailed(w *applyRun, d decision) bool {
	c := w.chapters[t.chapter]
	edited := func(j *job) bool {
		return slices.ContainsFunc(c.texts[1:], func(text text) bool { return text.at > j.at-time.Minute && text.at <= d.at })
	}
	for j, did := range c.effects() {
		isLate := j.ShownLate+j.CountLag > 20*time.Second
		byCounts := (d.Decision.Reason == engine.Nothing || d.Decision.Step != engine.Failed) && (did.gain == 0 || isLate || edited(j))
		if j.at <= d.at && (j.Ends != endsWell || j.Retries != 0 || byCounts) {
			return true
		}
	}
	return len(w.Replicas) > 0 || c.deleted > 0
}

// checkEnds checks I10: an apply does not wait for its timeout where the service shows that the conversion has ended.
func (t *turn) checkEnds(w *applyRun, now time.Duration) {
	usedUp := now-t.at >= w.waitLimit(t.resource)-time.Second
	if w.stopped.Load() != nil || !usedUp {
		return
	}
	w.locked(func(time.Duration) {
		d, decided := t.lastDecision(w, now)
		c := w.chapters[t.chapter]
		if !decided || d.Decision.Step != engine.Wait || c.deleted > 0 {
			return
		}
		t.checkWaitsForASign(w, d, now)
		if len(c.jobs) == 0 {
			return
		}
		j := c.jobs[len(c.jobs)-1]
		shown := j.visible(j.end) + j.CountLag + w.oldest()
		if now-shown >= 2*time.Minute && !w.troubled(shown) && t.couldSeeEnd(w, j) {
			w.addViolation("I10", "block %d (%s): it waited for all its time until %s, and the end was shown at %s",
				t.index+1, chapterIDs[t.chapter], clock(now), clock(shown))
		}
	})
}

// lastDecision is the latest one about the turn's chapter.
func (t *turn) lastDecision(w *applyRun, now time.Duration) (last decision, decided bool) {
	for _, d := range w.decisions {
		if d.chapter == t.chapter && d.at >= t.at && d.at <= now {
			last, decided = d, true
		}
	}
	return last, decided
}

// couldSeeEnd says whether looks have seen a conversion busy in the turn, and could see that it has ended.
func (t *turn) couldSeeEnd(w *applyRun, j *job) bool {
	busy := j.end > j.visible(j.at)+window && j.end >= t.at && j.RestsFor == 0
	waits := slices.ContainsFunc(w.ignoredRequests, func(r ignoredRequest) bool { return r.chapter == t.chapter && r.at >= j.end })
	// During a pause nobody looks, and the engine watches for as long again.
	pauses := slices.ContainsFunc(slices.Concat(w.Posts, w.Gets), func(f fault) bool { return f.RetryAfter != "" || f.What == "hang" })
	return busy && !waits && !pauses && j.Busy+j.Done+j.Failed+w.chapters[t.chapter].first.Rest == ""
}

// checkPersists is I10, too: an apply does not end because looks fail for a while: not at all while it waits for a
// conversion, and else not within a minute, if the service has answered before. But it does not wait much longer than
// that before anything is requested.
func (t *turn) checkPersists(w *applyRun, shown *fakecore.Screen, now time.Duration) {
	usedUp := now-t.at >= w.waitLimit(t.resource)-time.Second
	if w.stopped.Load() != nil || usedUp || slices.ContainsFunc(slices.Concat(w.Gets, w.Posts), fault.endsLooks) {
		return
	}
	gaveUp := shown.Says("GET /") && !t.greenOn(shown) && (!t.Book || shown.Says("Unable to convert project"))
	w.locked(func(time.Duration) {
		c := w.chapters[t.chapter]
		if gaveUp && c.deleted == 0 && t.mayNotGiveUp(w, now) {
			w.addViolation("I10", "block %d (%s): it gave up at %s, because looks failed for a while: %s",
				t.index+1, chapterIDs[t.chapter], clock(now), shown)
		}
		for _, gap := range w.windows {
			enough := max(gap.due, t.at) + 2*time.Minute
			isDown := gap.What == "down" && gap.due+gap.For > enough
			if isDown && now > enough && !t.ticketed && len(c.jobs) == 0 {
				w.addViolation("I10", "block %d (%s): it waited until %s for a service that is down, and has requested nothing",
					t.index+1, chapterIDs[t.chapter], clock(now))
			}
		}
	})
}

// endsLooks says whether an answer may end an apply at once, or asks for a pause.
func (f fault) endsLooks() bool {
	unusable := slices.Contains([]string{"redirect", "html", "unreadable", "truncated"}, f.What)
	again := []int{http.StatusNotFound, http.StatusRequestTimeout, http.StatusTooManyRequests} // One 404 proves nothing.
	isRefusal := f.Status/100 == 4 && !slices.Contains(again, f.Status)
	return f.RetryAfter != "" || unusable || isRefusal
}

// mayNotGiveUp says whether looks that fail may not end the turn yet.
func (t *turn) mayNotGiveUp(w *applyRun, now time.Duration) bool {
	waits := slices.ContainsFunc(w.posts, func(p posted) bool {
		return p.chapter == t.chapter && p.process == t.process && p.at >= t.at && p.status/100 != 4
	})
	seen := slices.ContainsFunc(w.decisions, func(d decision) bool { return d.chapter == t.chapter && d.at >= t.at })
	answered := slices.ContainsFunc(w.lists, func(l listing) bool { return l.process == t.process && l.asked <= t.at })
	return waits || seen && t.ticketed || answered && now < t.at+time.Minute
}

// checkWaitsForASign is I10, too: if the service has done nothing, the apply waits for it to the end of its time only if the request was
// accepted, and text is open.
func (t *turn) checkWaitsForASign(w *applyRun, d decision, now time.Duration) {
	c, shown := w.chapters[t.chapter], w.lastShown(t.process, t.chapter, t.at, now)
	posted := -1
	for i, p := range w.posts {
		if p.chapter == t.chapter && p.process == t.process && p.at >= t.at {
			posted = i
		}
	}
	if posted < 0 || shown == nil || d.Decision.Reason != engine.NotShown {
		return
	}
	last := w.posts[posted]
	didSomething := slices.ContainsFunc(c.jobs, func(j *job) bool { return j.end+j.CountLag+j.ShownLate >= last.at })
	lost := !w.closing && slices.ContainsFunc(w.Posts, func(f fault) bool {
		return f.Number == posted && f.What != "slow" && f.mayBeReceived(last.status)
	})
	if !didSomething && (lost || shown.unconverted == 0) {
		w.addViolation("I10", "block %d (%s): it waited for a sign until its time was over at %s; the answer was lost: %t, open: %d",
			t.index+1, chapterIDs[t.chapter], clock(now), lost, shown.unconverted)
	}
}

// checkLooks is I10, too: an end is believed when looks have agreed for 30 seconds, or for as long as the conversion
// was watched before. And it is I8: no error ends an apply that a second look has not confirmed.
func (t *turn) checkLooks(w *applyRun, now time.Duration) {
	asksForPause := slices.ContainsFunc(w.Posts, func(f fault) bool { return f.RetryAfter != "" })
	looksFail := len(w.Gets)+len(w.windows) > 0 || w.chapters[t.chapter].deleted > 0
	alone := w.alone(t.resource, t.chapter)
	w.locked(func(time.Duration) {
		for _, d := range w.decisions {
			if d.chapter != t.chapter || d.at < t.at || d.at > now {
				continue
			}
			longest := max(window, d.at-d.SameFor-w.began) + 2*time.Second
			ends := slices.Contains([]engine.Step{engine.Done, engine.Failed, engine.Unknown}, d.Decision.Step)
			othersRefusal := d.Decision.Reason == engine.Refused && !alone // It is found at the next look.
			if ends && !othersRefusal && d.SameFor > longest && !asksForPause && !looksFail {
				w.addViolation("I10", "block %d (%s): it ended at %s, and looks had agreed for %s",
					t.index+1, chapterIDs[t.chapter], clock(d.at), d.SameFor)
			}
			failed := d.Decision.Step == engine.Failed && d.Decision.Reason == engine.Error
			// The first look may be a second older than the session.
			if failed && d.SameFor < secondLook-time.Second && alone {
				w.addViolation("I8", "block %d (%s): it failed at %s, and no look after five seconds had confirmed the error",
					t.index+1, chapterIDs[t.chapter], clock(d.at))
			}
		}
	})
}

// waitLimit is how long the block waits for one chapter.
func (w *applyRun) waitLimit(b *resource) time.Duration {
	if !b.Book {
		return cmp.Or(b.Timeout, time.Hour)
	}
	return min(cmp.Or(b.Timeout, 24*time.Hour), cmp.Or(b.ChapterTimeout, time.Hour))
}

// troubled says whether lists could not be had since a time, or lacked chapters.
func (w *world) troubled(since time.Duration) bool {
	return slices.ContainsFunc(w.windows, func(gap dueEvent) bool { return gap.due+gap.For > since }) ||
		slices.ContainsFunc(w.Gets, func(f fault) bool { return f.Number >= w.gets })
}

// checkDuration checks I6: nothing takes longer than its timeout, or goes on after Ctrl-C.
func (w *applyRun) checkDuration(b *resource, what string, began, now time.Duration) {
	limit := cmp.Or(b.Timeout, time.Hour)
	if b.Book {
		limit = w.bookLimit(b, what)
	}
	looksLate := w.troubled(began) || len(w.Gets) > 0
	if looksLate { // What was not seen for long is looked at once more, after the end of the time.
		limit += 5 * time.Second
	}
	took := now - began
	if took > limit+time.Second {
		w.addViolation("I6", "block %d: %s took %s, with a timeout of %s", b.index+1, what, took, limit)
	}
	stopped := w.stopped.Load()
	grace := time.Second + time.Duration(len(w.blocks)-1)*500*time.Millisecond
	if stopped != nil && now-*stopped > grace {
		w.addViolation("I6", "block %d: %s returned %s after Ctrl-C", b.index+1, what, now-*stopped)
	}
}

// bookLimit is how long a book may take: its timeout, or that of all chapters one after the other, so many at a time.
// Before them, the chapters are listed, for as long as a service may be down.
func (w *applyRun) bookLimit(b *resource, what string) time.Duration {
	whole, each := cmp.Or(b.Timeout, 24*time.Hour), cmp.Or(b.ChapterTimeout, time.Hour)
	if what == "the action" {
		return whole
	}
	if slices.ContainsFunc(slices.Concat(w.Gets, w.Posts), func(f fault) bool { return f.RetryAfter != "" }) {
		return whole // The service may ask to be left alone for long, before the chapters are listed.
	}
	const listed = 3 * time.Minute
	turns := 0
	for _, other := range w.blocks {
		if other.Book && other.Alias == b.Alias {
			// All books of a process share the slots. Their turns, and those of their actions, may come first.
			turns += len(other.covered())
			each = max(each, cmp.Or(other.ChapterTimeout, time.Hour))
			if other.Action {
				return whole
			}
		}
	}
	parallel := cmp.Or(w.Parallel, 50)
	return min(whole, listed+each*time.Duration((turns+parallel-1)/parallel))
}

// checkRequests checks I6, too: a process requests no more lists than it needs.
func (t *terraform) checkRequests(p *process) {
	t.locked(func(now time.Duration) {
		asked, lasted := t.asked[p.number], now-p.began
		// The halves of each replacement may wait for a window, one after the other.
		most := max(100, 44*len(t.blocks)) + int(8*lasted/time.Minute)
		for _, c := range t.chapters {
			for _, j := range c.jobs {
				if j.end > p.began {
					most += 25 // a new waiter looks often at first
				}
			}
		}
		if asked > min(most, 10+2*len(t.blocks)+int(lasted*3/2/time.Second)) {
			t.addViolation("I6", "process %d asked %d times in %s", p.number, asked, lasted)
		}
	})
}

// checkPlanning checks I6 of a plan: one without changes looks once unless a look must be confirmed, and none takes longer than it may
// look again.
func (t *terraform) checkPlanning(plans map[*resource]planned, all processes) {
	t.locked(func(now time.Duration) {
		mayChange := func(c *chapter) bool { return c.deleted > 0 || c.first.Later || c.first.ClockSkew < 0 }
		lags := len(t.windows)+len(t.Gets)+len(t.Replicas) > 0 || t.goesDown || slices.ContainsFunc(t.chapters, mayChange)
		if lags {
			return
		}
		longest := 31 * time.Second // A refresh, a plan and that of a new object look again for up to ten seconds each.
		if slices.ContainsFunc(t.Rounds, func(r round) bool { return r.Parallelism > 0 }) {
			longest *= time.Duration(len(t.blocks)) // Each block is planned after the one before.
		}
		for _, p := range all {
			asked, took := t.asked[p.number], now-p.began
			if t.closing && noChanges(plans) && asked > 1+int(took/(5*time.Second)) {
				t.addViolation("I6", "a plan without changes asked the service %d times in %s", asked, took)
			}
			if took.Round(time.Millisecond) > longest {
				t.addViolation("I6", "a plan took %s", took)
			}
		}
	})
}
