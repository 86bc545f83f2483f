package simulation_test

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	engine "github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
)

// checkFailed checks I8: a conversion is called failed only if one has failed. Nothing is asked of a service that shows a
// conversion later than lists are waited for.
func (t *turn) checkFailed(w *applyRun, now time.Duration) {
	w.locked(func(time.Duration) {
		c := w.chapters[t.chapter]
		said := slices.IndexFunc(w.decisions, func(d decision) bool {
			reason := d.Decision.Reason
			return d.chapter == t.chapter && d.at >= t.at && d.at <= now &&
				(reason == engine.Error || reason == engine.OldError || reason == engine.Nothing)
		})
		if said < 0 {
			return
		}
		d := w.decisions[said]
		if last := w.lastShown(0, t.chapter, t.at, d.at); last != nil && !last.busy && d.Decision.Reason != engine.Error && (d.Decision.Reason == engine.Nothing) != (last.error == 0) {
			w.addViolation("I8", "block %d (%s): it failed at %s (%s), and the list showed the error %q", t.index+1, chapterIDs[t.chapter], clock(d.at), ruleOf(d.Decision), last.error.text())
		}
		if c.deleted > 0 || c.lag() > 20*time.Second || len(w.Replicas) > 0 || len(c.jobs) == 0 || len(w.ignoredRequests) > 0 {
			return
		}
		for j, did := range c.effects() {
			open := c.textAt(j.at) &^ neverConverted &^ did.before
			edited := slices.ContainsFunc(c.texts[1:], func(text text) bool { return text.at > j.at-time.Minute }) && d.Decision.Reason != engine.Error
			if j.at > d.at || d.Decision.Step == engine.Failed && j.end < w.began-time.Minute && w.calledFailed(t.chapter, j.end, t.began) && !edited {
				continue
			}
			// What converted nothing although text was counted as open cannot be known from a failure, nor a conversion of which nothing moves.
			moves := j.Progress == progressPercent && c.first.ProgressLag < 5*time.Second && j.Takes < 30*time.Minute && j.start < j.at+20*time.Second && j.Retries == 0
			if edited || j.Ends != endsWell || j.ShownLate+j.CountLag+c.lag() > 20*time.Second || j.NeverBusy && !moves || j.RestsFor > 20*time.Second || j.Retries != 0 && (j.RestsFor >= 5*time.Second || d.Decision.Step == engine.Join || j.First != "" || !(&record{state: word(j.Busy, "converting")}).converting()) ||
				(open == 0 || j.Retries != 0) && c.textAt(j.end)&neverConverted != 0 || j.Retries != 0 && c.texts[len(c.texts)-1].at > j.at || did.gain == 0 && (open != 0 || d.Decision.Reason != engine.Error || d.Decision.Step != engine.Failed) || c.Counts == countsMissing && j.dated() < j.at {
				return
			}
			state, _ := c.stateAt(d.at - c.first.StateLag)
			said := w.calledFailed(t.chapter, j.end, t.at) && (j.end >= w.began || d.Decision.Step == engine.Request) || w.calledFailed(t.chapter, w.began, t.at)
			if said || d.Decision.Reason == engine.Nothing && slices.ContainsFunc(w.decisions, func(o decision) bool {
				return o.chapter == t.chapter && o.Decision.Step == engine.Join && o.at >= j.end && o.at <= j.visible(j.end)+c.lag()+time.Second
			}) {
				return // An earlier turn has said so, or it was joined after it had ended.
			}
			if unseen := j.visible(j.end)+j.CountLag+c.lag() > d.at; unseen && !moves && c.looksLikeRest(state) && (d.Decision.Reason != engine.Error || j.Retries != 0) {
				return // It looked as if it had ended, for as long as looks must agree.
			}
		}
		if c.openAt(max(d.at, c.jobs[len(c.jobs)-1].end))&t.text == 0 {
			w.addViolation("I8", "block %d (%s): it failed at %s (%s), although every conversion has ended well", t.index+1, chapterIDs[t.chapter], clock(d.at), ruleOf(d.Decision))
		}
	})
}

// calledFailed says whether the provider has said between two times that a conversion of the chapter had failed.
func (t *terraform) calledFailed(chapter int, since, until time.Duration) bool {
	return slices.ContainsFunc(t.decisions, func(d decision) bool {
		return d.chapter == chapter && d.at >= since && d.at < until && (d.Decision.Step == engine.Failed || d.Decision.Reason == engine.Nothing)
	})
}

// lag is the greatest lag of what is shown of the chapter.
func (c *chapter) lag() time.Duration {
	return max(c.first.StateLag, c.first.ProgressLag, c.first.DateLag, c.first.ErrorLag, c.first.CountsLag)
}

// checkEnds checks I10: an apply does not wait for its timeout where the service shows that the conversion has ended, or where
// it asks for a pause that is longer than the wait.
func (t *turn) checkEnds(w *applyRun, now time.Duration) {
	limit := w.waitLimit(t.resource)
	if w.stopped.Load() != nil || now-t.at < limit-time.Second {
		return
	}
	w.locked(func(time.Duration) {
		c := w.chapters[t.chapter]
		last := -1
		for i, d := range w.decisions {
			if d.chapter == t.chapter && d.at >= t.at && d.at <= now {
				last = i
			}
		}
		if last < 0 || w.decisions[last].Decision.Step != engine.Wait || c.deleted > 0 {
			return
		}
		t.checkWaitsForASign(w, w.decisions[last], now)
		if len(c.jobs) == 0 {
			return
		}
		j := c.jobs[len(c.jobs)-1]
		asked := slices.ContainsFunc(w.posts, func(p posted) bool { return p.chapter == t.chapter && p.at >= j.end })
		if !asked && w.alone(t.resource, t.chapter) && w.decisions[last].Decision.Reason == engine.NotShown && slices.ContainsFunc(w.decisions, func(d decision) bool {
			return d.chapter == t.chapter && d.at >= j.end && d.at < t.began && d.Decision.Step == engine.Failed && d.Decision.Reason == engine.Error
		}) {
			w.addViolation("I10", "block %d (%s): it waited until %s for a conversion of which an earlier apply has said that it failed", t.index+1, chapterIDs[t.chapter], clock(now))
		}
		gain := uint64(0)
		for _, did := range c.effects() {
			gain = did.gain
		}
		shown := j.visible(j.end) + j.CountLag + c.lag() + w.oldest()
		state, _ := c.stateAt(now)
		before, _ := c.stateAt(t.at)
		// A word that the document does not have, and that was not there before the request, may mean that it runs while text is open.
		nothing := c.show(now).unconverted <= 0
		rests := c.looksLikeRest(state) && (nothing || slices.Contains([]string{absent, empty, "default", before}, state)) || state == j.Done && nothing && c.texts[len(c.texts)-1].at <= j.at
		tells := c.Counts == countsHonest && gain != 0 && j.Ends == endsWell && c.texts[len(c.texts)-1].at <= j.at || j.dated() > j.at && c.Counts == countsHonest ||
			j.Queue+j.First+j.Busy+j.Done+j.Failed+j.Cancelled == "" && j.end > j.visible(j.at)+30*time.Second
		busy := !j.NeverBusy && j.Takes > 30*time.Second && (j.RestsFor == 0 || j.Takes > time.Minute) // and a look has seen it so
		// At rest for as long as the conversion took counts as the end, and a new window begins with each turn.
		rest := max(time.Minute, j.end-j.at) + time.Minute
		// A request that had no effect afterwards is one whose end nobody can see.
		waits := slices.ContainsFunc(w.ignoredRequests, func(r ignoredRequest) bool { return r.chapter == t.chapter && r.at >= j.end })
		// During a pause nobody looks, and the engine watches for as long again.
		pauses := slices.ContainsFunc(slices.Concat(w.Posts, w.Gets), func(f fault) bool { return f.RetryAfter != "" || f.What == "hang" })
		if !rests || !tells || !busy || waits || pauses || j.end < t.at || (j.at < t.at || j.process != t.process) && c.first.Rest != "" || now-shown < rest || w.troubled(shown) {
			return
		}
		w.addViolation("I10", "block %d (%s): it waited until its time was over at %s, although the conversion has shown its end at %s", t.index+1, chapterIDs[t.chapter], clock(now), clock(shown))
	})
}

// checkPersists is I10, too: an apply does not end because looks fail for a while: not at all while it waits for a conversion, and else
// not within a minute, if the service has answered before. But it does not wait much longer than that before anything is requested.
func (t *turn) checkPersists(w *applyRun, shown *fakecore.Screen, now time.Duration) {
	refuses := func(f fault) bool {
		return f.RetryAfter != "" || slices.Contains([]string{"redirect", "html", "unreadable", "truncated"}, f.What) ||
			f.Status/100 == 4 && f.Status != http.StatusRequestTimeout && f.Status != http.StatusTooManyRequests
	}
	if w.stopped.Load() != nil || now-t.at >= w.waitLimit(t.resource)-time.Second || slices.ContainsFunc(slices.Concat(w.Gets, w.Posts), refuses) {
		return
	}
	gaveUp := shown.Says("GET /") && !t.greenOn(shown) && (!t.Book || shown.Says("Unable to convert project"))
	w.locked(func(time.Duration) {
		seen := slices.ContainsFunc(w.decisions, func(d decision) bool { return d.chapter == t.chapter && d.at >= t.at })
		waits := slices.ContainsFunc(w.posts, func(p posted) bool {
			return p.chapter == t.chapter && p.process == t.process && p.at >= t.at && p.status/100 != 4
		})
		answered := slices.ContainsFunc(w.lists, func(l listing) bool { return l.process == t.process && l.asked <= t.at })
		if gaveUp && w.chapters[t.chapter].deleted == 0 && (waits || seen && t.ticketed || answered && now < t.at+time.Minute) {
			w.addViolation("I10", "block %d (%s): it gave up at %s, because looks failed for a while: %s", t.index+1, chapterIDs[t.chapter], clock(now), shown)
		}
		for _, gap := range w.windows {
			if since := max(gap.due, t.at); gap.What == "down" && gap.due+gap.For > since+2*time.Minute && now > since+2*time.Minute && !t.ticketed && len(w.chapters[t.chapter].jobs) == 0 {
				w.addViolation("I10", "block %d (%s): it waited until %s for a service that is down, and has requested nothing", t.index+1, chapterIDs[t.chapter], clock(now))
			}
		}
	})
}

// looksLikeRest says whether the service shows the state of a chapter that is not converted.
func (c *chapter) looksLikeRest(state string) bool {
	return state == absent || state == empty || state == word(c.first.Rest, "default")
}

// checkWaitsForASign is I10, too: if the service has done nothing, the apply waits for it only if the request was accepted, and text
// is open without an error.
func (t *turn) checkWaitsForASign(w *applyRun, d decision, now time.Duration) {
	c, shown := w.chapters[t.chapter], w.lastShown(t.process, t.chapter, t.at, now)
	posted := -1
	for i, p := range w.posts {
		if p.chapter == t.chapter && p.process == t.process && p.at >= t.at {
			posted = i
		}
	}
	if posted < 0 || shown == nil || d.Decision.Reason != engine.NotShown || len(c.dismissals) > 0 || len(w.Replicas) > 0 ||
		slices.ContainsFunc(c.jobs, func(j *job) bool { return j.end+c.lag()+j.CountLag+j.ShownLate >= w.posts[posted].at }) {
		return
	}
	lost := !w.closing && slices.ContainsFunc(w.Posts, func(f fault) bool { return f.Number == posted && f.mayBeReceived(w.posts[posted].status) })
	if lost || shown.unconverted == 0 || shown.error != 0 {
		w.addViolation("I10", "block %d (%s): it waited for a sign until its time was over at %s; the answer was lost: %t, open: %d, error: %q", t.index+1, chapterIDs[t.chapter], clock(now), lost, shown.unconverted, shown.error.text())
	}
}

// checkLooks is I10, too: an end is believed when looks have agreed for 30 seconds, or for as long as the conversion was watched before.
func (t *turn) checkLooks(w *applyRun, now time.Duration) {
	paused := slices.ContainsFunc(w.Posts, func(f fault) bool { return f.RetryAfter != "" }) || len(w.Gets)+len(w.windows) > 0 || w.chapters[t.chapter].deleted > 0
	w.locked(func(time.Duration) {
		for _, d := range w.decisions {
			longest := max(30*time.Second, d.at-d.SameFor-w.began) + 2*time.Second
			ends := d.Decision.Step == engine.Done || d.Decision.Step == engine.Failed || d.Decision.Step == engine.Unknown
			othersRefusal := d.Decision.Reason == engine.Refused && !w.alone(t.resource, t.chapter) // It is found at the next look.
			if ends && !othersRefusal && d.chapter == t.chapter && d.at >= t.at && d.at <= now && d.SameFor > longest && !paused {
				w.addViolation("I10", "block %d (%s): it ended at %s, and looks had agreed for %s", t.index+1, chapterIDs[t.chapter], clock(d.at), d.SameFor)
			}
			// The first look may be a second older than the session.
			if d.Decision.Step == engine.Failed && d.Decision.Reason == engine.Error && d.chapter == t.chapter && d.at >= t.at && d.at <= now && d.SameFor < 4*time.Second && w.alone(t.resource, t.chapter) {
				w.addViolation("I8", "block %d (%s): it failed at %s, and no look after five seconds had confirmed the error", t.index+1, chapterIDs[t.chapter], clock(d.at))
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
	if took := now - began; took > limit+time.Second {
		w.addViolation("I6", "block %d: %s took %s, with a timeout of %s", b.index+1, what, took, limit)
	}
	if stopped := w.stopped.Load(); stopped != nil && now-*stopped > time.Second+time.Duration(len(w.blocks)-1)*500*time.Millisecond {
		w.addViolation("I6", "block %d: %s returned %s after Ctrl-C", b.index+1, what, now-*stopped)
	}
}

// bookLimit is how long a book may take: its timeout, or that of all chapters one after the other, so many at a time. Before
// them, the chapters are listed, for as long as a service may be down.
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
		bound := max(100, 44*len(t.blocks)) + int(8*lasted/time.Minute) // The halves of each replacement may wait for a window, one after the other.
		for _, c := range t.chapters {
			for _, j := range c.jobs {
				if j.end > p.began {
					bound += 25 // a new waiter looks often at first
				}
			}
		}
		if asked > min(bound, 10+2*len(t.blocks)+int(lasted*3/2/time.Second)) {
			t.addViolation("I6", "process %d asked %d times in %s", p.number, asked, lasted)
		}
	})
}

// checkPlanning checks I6 of a plan: it looks twice at most, and one without changes once unless a look must be confirmed.
func (t *terraform) checkPlanning(plans map[*resource]planned, all processes) {
	t.locked(func(now time.Duration) {
		among := func(is func(*chapter) bool) bool { return slices.ContainsFunc(t.chapters, is) }
		grows := len(t.windows) > 0 || among(func(c *chapter) bool { return c.deleted > 0 || c.first.Later })
		lags := len(t.windows)+len(t.Gets)+len(t.Replicas) > 0 || t.goesDown || among(func(c *chapter) bool {
			return c.deleted > 0 || c.lag() > 0 || c.first.Restored > 0 || c.first.ClockSkew < 0
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
			if slices.ContainsFunc(t.Rounds, func(r round) bool { return r.Serial }) { // Each block is planned after the one before.
				longest *= time.Duration(len(t.blocks))
			}
			if took > longest && !lags {
				t.addViolation("I6", "a plan took %s", took)
			}
		}
	})
}
