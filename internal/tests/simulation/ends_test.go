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
		if t.failureIsClear(w, d) && !t.mayHaveFailed(w, d) {
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

// failureIsClear says whether it can be known from the service's lists which conversions have failed. Nothing is
// asked where a list shows a conversion later than lists are waited for.
func (t *turn) failureIsClear(w *applyRun, d decision) bool {
	c := w.chapters[t.chapter]
	exists := c.deleted == 0 && len(c.jobs) > 0
	if !exists || len(w.Replicas) > 0 || len(w.ignoredRequests) > 0 {
		return false
	}
	textIsConverted := c.openAt(max(d.at, c.jobs[len(c.jobs)-1].end))&t.text == 0
	return textIsConverted
}

// mayHaveFailed says whether one of the conversions has failed, or looked so.
func (t *turn) mayHaveFailed(w *applyRun, d decision) bool {
	c := w.chapters[t.chapter]
	for j, did := range c.effects() {
		if j.at > d.at || t.wasToldBefore(w, d, j) {
			continue
		}
		switch {
		case j.Ends != endsWell,
			t.editedAround(w, d, j),
			j.unclearIn(d),
			c.convertsNothingVisible(j, did, d),
			t.earlierTurnTold(w, d, j),
			j.lookedEnded(c, d):
			return true
		}
	}
	return false
}

// wasToldBefore says whether a conversion has ended long ago, and an earlier apply has said that it failed.
func (t *turn) wasToldBefore(w *applyRun, d decision, j *job) bool {
	longAgo := d.Decision.Step == engine.Failed && j.end < w.began-time.Minute
	return longAgo && w.calledFailed(t.chapter, j.end, t.began) && !t.editedAround(w, d, j)
}

// editedAround says whether the text was edited since a minute before a conversion was requested, so that the counts
// do not show its work.
func (t *turn) editedAround(w *applyRun, d decision, j *job) bool {
	return d.Decision.Reason != engine.Error &&
		slices.ContainsFunc(w.chapters[t.chapter].texts[1:], func(text text) bool { return text.at > j.at-time.Minute })
}

// unclearIn says whether a conversion may have looked at rest for as long as looks must agree, or showed an error and
// tried again.
func (j *job) unclearIn(d decision) bool {
	return j.ShownLate+j.CountLag > 20*time.Second || j.Retries != 0 && d.Decision.Step == engine.Join
}

// convertsNothingVisible says whether a conversion has converted nothing that the counts or the date show.
func (c *chapter) convertsNothingVisible(j *job, did effect, d decision) bool {
	open := c.textAt(j.at) &^ neverConverted &^ did.before
	tries := j.Retries != 0
	leavesText := c.textAt(j.end)&neverConverted != 0
	editedSince := c.texts[len(c.texts)-1].at > j.at
	failsByError := d.Decision.Reason == engine.Error && d.Decision.Step == engine.Failed
	return leavesText && (open == 0 || tries) ||
		editedSince && tries ||
		did.gain == 0 && (open != 0 || !failsByError)
}

// earlierTurnTold says whether an earlier turn of the apply has said that a conversion failed, or joined this one
// after it had ended.
func (t *turn) earlierTurnTold(w *applyRun, d decision, j *job) bool {
	inThisApply := j.end >= w.began || d.Decision.Step == engine.Request
	if inThisApply && w.calledFailed(t.chapter, j.end, t.at) || w.calledFailed(t.chapter, w.began, t.at) {
		return true
	}
	shownUntil := j.visible(j.end) + w.oldest() + time.Second
	return d.Decision.Reason == engine.Nothing && slices.ContainsFunc(w.decisions, func(o decision) bool {
		return o.chapter == t.chapter && o.Decision.Step == engine.Join && o.at >= j.end && o.at <= shownUntil
	})
}

// lookedEnded says whether a conversion looked as if it had ended, for as long as looks must agree.
func (j *job) lookedEnded(c *chapter, d decision) bool {
	state, _ := c.stateAt(d.at)
	byNoNewError := d.Decision.Reason != engine.Error || j.Retries != 0
	return j.visible(j.end)+j.CountLag > d.at && c.looksLikeRest(state) && byNoNewError
}

// calledFailed says whether the provider has said between two times that a conversion of the chapter had failed.
func (t *terraform) calledFailed(chapter int, since, until time.Duration) bool {
	return slices.ContainsFunc(t.decisions, func(d decision) bool {
		said := d.Decision.Step == engine.Failed || d.Decision.Reason == engine.Nothing
		return said && d.chapter == chapter && d.at >= since && d.at < until
	})
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
		t.checkWaitsForNoFailure(w, d, j, now)
		shown := j.visible(j.end) + j.CountLag + w.oldest()
		// At rest for as long as the conversion took counts as the end, and a new window begins with each turn.
		rest := max(time.Minute, j.end-j.at) + time.Minute
		inTime := now-shown >= rest && !w.troubled(shown)
		if inTime && t.couldSeeEnd(w, j) && t.restsAfter(j, now, w) && c.tellsEnd(j) {
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

// checkWaitsForNoFailure is I10, too: an apply does not wait for a conversion of which an earlier apply has said that
// it failed.
func (t *turn) checkWaitsForNoFailure(w *applyRun, last decision, j *job, now time.Duration) {
	askedSince := slices.ContainsFunc(w.posts, func(p posted) bool { return p.chapter == t.chapter && p.at >= j.end })
	if askedSince || !w.alone(t.resource, t.chapter) || last.Decision.Reason != engine.NotShown {
		return
	}
	told := slices.ContainsFunc(w.decisions, func(d decision) bool {
		before := d.chapter == t.chapter && d.at >= j.end && d.at < t.began
		return before && d.Decision.Step == engine.Failed && d.Decision.Reason == engine.Error
	})
	if told {
		w.addViolation("I10", "block %d (%s): it waited until %s for a conversion that an earlier apply has called failed",
			t.index+1, chapterIDs[t.chapter], clock(now))
	}
}

// couldSeeEnd says whether looks have seen a conversion busy, and could see that it has ended.
func (t *turn) couldSeeEnd(w *applyRun, j *job) bool {
	busy := j.Takes > 30*time.Second && (j.RestsFor == 0 || j.Takes > time.Minute)
	// A request that had no effect afterwards is one whose end nobody can see.
	waits := slices.ContainsFunc(w.ignoredRequests, func(r ignoredRequest) bool {
		return r.chapter == t.chapter && r.at >= j.end
	})
	// During a pause nobody looks, and the engine watches for as long again.
	pauses := slices.ContainsFunc(slices.Concat(w.Posts, w.Gets), func(f fault) bool {
		return f.RetryAfter != "" || f.What == "hang"
	})
	endsInTurn := j.end >= t.at
	others := j.at < t.at || j.process != t.process
	restsInOwnWord := others && w.chapters[t.chapter].first.Rest != ""
	return busy && !waits && !pauses && endsInTurn && !restsInOwnWord
}

// restsAfter says whether the state after a conversion is one of rest. A word that the document does not have, and
// that was not there before the request, may mean that it runs while text is open.
func (t *turn) restsAfter(j *job, now time.Duration, w *applyRun) bool {
	c := w.chapters[t.chapter]
	state, _ := c.stateAt(now)
	before, _ := c.stateAt(t.at)
	nothing := c.show(now).unconverted <= 0
	known := nothing || slices.Contains([]string{absent, "default", before}, state)
	notEdited := c.texts[len(c.texts)-1].at <= j.at
	return c.looksLikeRest(state) && known || state == j.Done && nothing && notEdited
}

// tellsEnd says whether the counts, the date or the usual states tell that a conversion has ended.
func (c *chapter) tellsEnd(j *job) bool {
	gain := uint64(0)
	for _, did := range c.effects() {
		gain = did.gain
	}
	notEdited := c.texts[len(c.texts)-1].at <= j.at
	byCounts := gain != 0 && j.Ends == endsWell && notEdited
	usualStates := j.Busy+j.Done+j.Failed == ""
	byState := usualStates && j.end > j.visible(j.at)+window
	return byCounts || j.dated() > j.at || byState
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

// looksLikeRest says whether the service shows the state of a chapter that is not converted.
func (c *chapter) looksLikeRest(state string) bool {
	return state == absent || state == word(c.first.Rest, "default")
}

// checkWaitsForASign is I10, too: if the service has done nothing, the apply waits for it only if the request was
// accepted, and text is open without an error.
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
	didNothing := !slices.ContainsFunc(c.jobs, func(j *job) bool {
		return j.end+j.CountLag+j.ShownLate >= last.at
	})
	if !didNothing || len(c.dismissals) > 0 || len(w.Replicas) > 0 {
		return
	}
	lost := !w.closing && slices.ContainsFunc(w.Posts, func(f fault) bool {
		return f.Number == posted && f.What != "slow" && f.mayBeReceived(last.status)
	})
	if lost || shown.unconverted == 0 || shown.error != 0 {
		w.addViolation("I10", "block %d (%s): it waited for a sign until its time was over at %s; "+
			"the answer was lost: %t, open: %d, error: %q",
			t.index+1, chapterIDs[t.chapter], clock(now), lost, shown.unconverted, shown.error.text())
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

// checkPlanning checks I6 of a plan: it looks twice at most, and one without changes once unless a look must be
// confirmed.
func (t *terraform) checkPlanning(plans map[*resource]planned, all processes) {
	t.locked(func(now time.Duration) {
		among := func(is func(*chapter) bool) bool { return slices.ContainsFunc(t.chapters, is) }
		grows := len(t.windows) > 0 || among(func(c *chapter) bool { return c.deleted > 0 || c.first.Later })
		lags := len(t.windows)+len(t.Gets)+len(t.Replicas) > 0 || t.goesDown || among(func(c *chapter) bool {
			return c.deleted > 0 || c.first.ClockSkew < 0
		})
		for _, p := range all {
			asked, took := t.asked[p.number], now-p.began
			if t.closing && noChanges(plans) && !grows && asked > 1+int(took/(5*time.Second)) {
				t.addViolation("I6", "a plan without changes asked the service %d times in %s", asked, took)
			}
			longest := 21 * time.Second // Its refresh and its plan look again for up to ten seconds each.
			for _, plan := range plans {
				if plan.Action == fakecore.Replace { // It is planned once more, as a new object.
					longest = 31 * time.Second
				}
			}
			oneByOne := slices.ContainsFunc(t.Rounds, func(r round) bool { return r.Parallelism > 0 })
			if oneByOne { // Or so many at a time; each block is planned after the one before.
				longest *= time.Duration(len(t.blocks))
			}
			if took.Round(time.Millisecond) > longest && !lags {
				t.addViolation("I6", "a plan took %s", took)
			}
		}
	})
}
