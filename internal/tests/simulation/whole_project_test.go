package simulation_test

import (
	"net/http"
	"slices"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// wholeRun is a conversion of the whole project for somebody else: its chapters rest until it begins.
type wholeRun struct{ at, begins, ends time.Duration }

// convertWhole has all chapters that are open converted, one after the other.
func (w *world) convertWhole(e dueEvent) {
	run := wholeRun{at: e.due, begins: e.due + e.Conversion.Queued}
	run.ends = run.begins
	for _, c := range w.chapters {
		if !c.exists(e.due) || c.busy(e.due) != nil || c.openAt(e.due) == 0 {
			continue
		}
		script := e.Conversion
		script.Queued = run.ends - run.at
		script.ShownLate = script.Queued
		c.accept(&job{conversion: script, habits: c.habits, at: e.due})
		run.ends += script.Takes
	}
	w.whole = append(w.whole, run)
}

// projectState is the state in the project's record.
func (w *world) projectState(now time.Duration) string {
	for _, run := range w.whole {
		switch {
		case now < run.at || now >= run.ends:
		case now < run.begins:
			return "in_queue"
		default:
			return "converting"
		}
	}
	if w.created(now) {
		return "creating"
	}
	if slices.ContainsFunc(w.chapters, func(c *chapter) bool { return c.exists(now) && c.busy(now) != nil }) {
		return "converting"
	}
	return "default"
}

// created says whether the service is still creating the project.
func (w *world) created(now time.Duration) bool {
	return !w.closing && slices.ContainsFunc(w.windows, func(window dueEvent) bool {
		return window.What == "creating" && now >= window.due && now < window.due+window.For
	})
}

// rests says whether something is under way in the whole project for somebody else, and its chapters rest.
func (w *world) rests(now time.Duration) bool {
	queued := slices.ContainsFunc(w.whole, func(run wholeRun) bool { return now >= run.at && now < run.begins && run.ends > run.begins })
	return queued || w.created(now)
}

// showsProject says whether every list and record is that of now, and answers.
func (w *world) showsProject() bool {
	down := slices.ContainsFunc(w.windows, func(window dueEvent) bool { return window.What == "down" })
	return len(w.Replicas)+len(w.Gets) == 0 && !down
}

// checkWhole is I2, too: nothing is requested while the project's state says that it is converted or created as a whole, and that is
// neither explained by a chapter that is shown busy, nor by one that the provider has converted itself.
func (t *terraform) checkWhole(p posted) {
	recent := 1100 * time.Millisecond
	limits := slices.ContainsFunc(t.Posts, func(f fault) bool { return f.Status == http.StatusTooManyRequests })
	if limits || !t.showsProject() || !t.rests(p.at) || !t.rests(p.at-recent) {
		return
	}
	justAsked := func(other posted) bool {
		return other.process == p.process && other.at < p.at && other.at > p.at-window
	}
	if slices.ContainsFunc(t.posts, justAsked) {
		return
	}
	for _, c := range t.chapters {
		ours := slices.ContainsFunc(c.jobs, func(j *job) bool { return j.process > 0 && j.at < p.at && p.at < j.end+window })
		busy := c.show(p.at).busy || c.show(p.at-recent).busy
		if c.exists(p.at) && busy || ours {
			return
		}
	}
	t.addViolation("I2", "%s was requested at %s, while the state of the project was %q and its chapters rested",
		chapterIDs[p.chapter], clock(p.at), t.projectState(p.at))
}

// checkCreated is I1: a project conversion is not done while the service is still creating the project.
func (t *turn) checkCreated(w *applyRun, green bool) {
	if !t.Book || t.lists() || !green || !w.showsProject() {
		return
	}
	now := w.now()
	w.locked(func(time.Duration) {
		c := w.chapters[t.chapter]
		isNew := t.plan.Action == fakecore.Create && w.existing(t.at) == 0 // Where nothing is requested, an apply does not ask for the state.
		if isNew && w.created(t.at-1100*time.Millisecond) && w.created(now) && !c.exists(t.at) {
			w.addViolation("I1", "block %d: it is green at %s, while the service is still creating the project", t.index+1, clock(now))
		}
	})
}

// checkSaysWhole is I8, too: an apply ends because of the whole project only while something is under way in it.
func (t *turn) checkSaysWhole(w *applyRun, shown *fakecore.Screen) {
	if !shown.Says("the project was in this state") || !w.showsProject() || t.greenOn(shown) {
		return
	}
	w.locked(func(now time.Duration) {
		inRun := slices.ContainsFunc(w.whole, func(run wholeRun) bool { return now >= run.at && t.at-2*time.Second < run.ends })
		inCreation := slices.ContainsFunc(w.windows, func(window dueEvent) bool {
			return window.What == "creating" && now >= window.due && t.at-2*time.Second < window.due+window.For
		})
		others := slices.ContainsFunc(w.chapters, func(c *chapter) bool { // Nobody knows whose conversion the project's state tells of.
			return slices.ContainsFunc(c.jobs, func(j *job) bool { return j.process != t.process && j.at <= now && t.at-2*time.Second < j.end })
		})
		isLate := func(c *chapter) bool {
			return slices.ContainsFunc(c.jobs, func(j *job) bool { return j.ShownLate > 20*time.Second })
		}
		isLost := len(w.Posts) > 0 && slices.ContainsFunc(w.chapters, isLate) // The project may tell of a request that no list shows.
		if !inRun && !inCreation && !others && !isLost {
			w.addViolation("I8", "block %d: it ended at %s because of the state of the project, and nothing was under way in it: %s",
				t.index+1, clock(now), shown)
		}
	})
}
