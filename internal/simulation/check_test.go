package simulation_test

import (
	"regexp"
	"slices"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
)

// proven is I1: who says that a text has been converted says so of one that is.
func (t *terraform) proven(invariant string, b *resource, text uint64, since time.Duration, claim string) {
	t.locked(func(now time.Duration) {
		c := t.chapters[b.Chapter]
		open := text & c.openAt(now)
		if open == 0 || c.deleted > 0 {
			return
		}
		for _, excuse := range excuses {
			if excused := excuse.of(t.world, b.Chapter, since, now); open&excused != 0 {
				t.except(excuse.name)
				open &^= excused
			}
		}
		if open != 0 {
			t.blame(invariant, "block %d (%s): %s at %s, and %d paragraphs of the text it was about are not converted", b.index+1, chapterIDs[b.Chapter], claim, clock(now), count(open))
		}
	})
}

// refreshed is I5, nothing is forgotten whose chapter exists, and what I1 says of a conversion that a refresh settles.
func (t *terraform) refreshed(p *process, b *resource, before, after *fakecore.Object, began time.Duration) {
	if after == nil {
		t.locked(func(now time.Duration) {
			switch c := t.chapters[b.Chapter]; {
			case c.deleted > 0:
			case t.witnessed(p, b.Chapter, began):
				t.except("I5: two lists and the project's record lacked a chapter")
			default:
				t.blame("I5", "block %d: the object is forgotten at %s, and its chapter %s exists", b.index+1, clock(now), chapterIDs[b.Chapter])
			}
		})
		b.fresh = true
		return
	}
	_, own := pending(before)
	if text, _ := pending(after); own && text == "" {
		t.proven("I1", b, b.ticket, began, "a refresh has settled what was pending")
	}
}

// witnessed says whether two lists that confirm each other, and the project, lacked a chapter.
func (w *world) witnessed(p *process, chapter int, since time.Duration) bool {
	first, second, project := time.Duration(-1), false, false
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

// bounded is I6: nothing outlasts its timeout, or Ctrl-C.
func (w *walk) bounded(b *resource, what string, began, now time.Duration) {
	limit := time.Hour
	if b.Timeout > 0 && !w.behaving {
		limit = b.Timeout
	}
	if took := now - began; took > limit+time.Second {
		w.blame("I6", "block %d: %s took %s, with a timeout of %s", b.index+1, what, took, limit)
	}
	if stopped := w.stopped.Load(); stopped != nil && now-*stopped > time.Second+time.Duration(len(w.blocks)-1)*500*time.Millisecond {
		w.blame("I6", "block %d: %s returned %s after Ctrl-C", b.index+1, what, now-*stopped)
	}
}

// modest is I6, too: a process asks as often as it must.
func (t *terraform) modest(p *process) {
	t.locked(func(now time.Duration) {
		asked, lasted := t.asked[p.number], now-p.began
		bound := 100 + int(8*lasted/time.Minute)
		for _, c := range t.chapters {
			for _, j := range c.jobs {
				if j.end > p.began {
					bound += 25 // whoever begins to wait looks often
				}
			}
		}
		if asked > bound {
			t.blame("I6", "process %d asked %d times in %s", p.number, asked, lasted)
		}
	})
}

// toldFailure checks that who has waited for a conversion of their own that failed, and could see it, says so in the service's words.
func (t *turn) toldFailure(w *walk, shown *fakecore.Screen, now time.Duration) {
	if w.stopped.Load() != nil {
		return
	}
	w.locked(func(time.Duration) {
		c := w.chapters[t.Chapter]
		if len(c.jobs) == 0 || c.deleted > 0 {
			return
		}
		j := c.jobs[len(c.jobs)-1]
		if j.process != t.process || j.at < t.at || j.Ends != endsInError || j.end > now {
			return
		}
		before, after := w.lastShown(t.process, t.Chapter, -time.Hour, j.at), w.lastShown(t.process, t.Chapter, j.at, now)
		if before == nil || after == nil || after.busy || after.error != j.Error || before.error.normal() == j.Error.normal() {
			return
		}
		if len(shown.Errors) == 0 || !shown.Says(j.Error.text()) && !shown.Says(j.Error.normal()) {
			w.blame("told", "block %d: the conversion failed with %q, the list showed it, and the screen says: %s", t.index+1, j.Error.normal(), shown)
		}
	})
}

// lastShown is the last that a process was shown of a chapter in a while.
func (w *world) lastShown(process, chapter int, after, until time.Duration) (last *record) {
	for _, l := range w.lists {
		if (process == 0 || l.process == process) && l.asked > after && l.asked <= until && l.shown[chapter] != nil {
			last = l.shown[chapter]
		}
	}
	return last
}

var requestsNone = regexp.MustCompile(`requests? none|requests? nothing|requested nothing|without requesting`)

// foretold is I3: a plan that says that nothing will be requested is kept if the world stood still.
func (t *turn) foretold(w *walk) {
	if t.action || t.plan.Plan == nil || t.CreateBeforeDestroy || t.renamed {
		// The plan of a block under a new name does not know whether what is pending is its own.
		return
	}
	promised := false
	for _, warning := range t.plan.Warnings {
		promised = promised || requestsNone.MatchString(warning)
	}
	if !promised {
		return
	}
	w.locked(func(time.Duration) {
		c := w.chapters[t.Chapter]
		since := t.plan.at - time.Minute - w.oldest()
		for _, text := range c.texts {
			if text.at > since {
				return
			}
		}
		requested := false
		for _, j := range c.jobs {
			switch ours := j.process == t.process && j.at >= t.at; {
			case ours:
				requested = true
			case j.at >= t.plan.at:
				return
			case j.end > since && (j.Ends != endsWell || j.CountLag > 0 || j.ShownLate > 0 || c.first.Remainder > 0):
				return
			}
		}
		if requested && w.alone(t.resource) {
			w.blame("I3", "block %d: the plan said that nothing would be requested, the world stood still, and the apply requested a conversion", t.index+1)
		}
	})
}

// alone says whether a block is the only one for its chapter.
func (t *terraform) alone(b *resource) bool {
	for _, other := range t.blocks {
		if other != b && other.Chapter == b.Chapter {
			return false
		}
	}
	return !b.Action
}

// settled is I4: once the service behaves, two applies are enough.
func (t *terraform) settled(plans map[*resource]planned) {
	for b := range plans {
		if t.chapters[b.Chapter].deleted > 0 || slices.ContainsFunc(t.blocks, func(b *resource) bool { return b.Depends }) && t.nothingToDo(b.Chapter) {
			return // nothing can be applied any more
		}
	}
	for b, plan := range plans {
		if (plan.Action != fakecore.NoOp || len(plan.Errors) > 0) && t.nothingToDo(b.Chapter) {
			t.except("I4: the service accepts requests and does nothing, where it counts text as unconverted or shows an error")
			continue
		}
		if plan.Action != fakecore.NoOp || len(plan.Errors) > 0 {
			t.blame("I4", "block %d: after two applies of a service that behaves, the plan is: %s", b.index+1, plan.Screen)
			continue
		}
		if text, _ := pending(b.Object); text != "" || b.Object.Tainted {
			t.blame("I4", "block %d: after two applies of a service that behaves, it is tainted: %t, or pending: %s", b.index+1, b.Object.Tainted, text)
		}
		t.voiced(b)
		if b.Keep {
			var text uint64
			t.locked(func(now time.Duration) { text = t.counted(b.Chapter, now) })
			t.proven("I4", b, text, 0, "the plan is empty")
		}
	}
}

// voiced is I4, too: new triggers have been followed by a conversion that ended well, or that looks so.
func (t *terraform) voiced(b *resource) {
	t.locked(func(now time.Duration) {
		c := t.chapters[b.Chapter]
		if b.voiced == 0 || c.WhenDone == doneIgnores {
			return
		}
		unknowable := false
		for _, j := range c.jobs {
			if j.end < b.voiced {
				continue
			}
			switch j.Ends {
			case endsWell:
				return
			case endsCancelled:
				unknowable = true
			case endsInError:
				unknowable = unknowable || !t.freshError(b.Chapter, j) || c.dismissed(j, now)
			}
		}
		switch {
		case unknowable:
			t.except("I4: a conversion of a chapter without open text was cancelled, or failed with words that stood there all the time or were dismissed")
			return
		case b.early:
			t.except("I4: a conversion of a chapter without open text failed after it had looked as if it had ended, or had nothing to do")
			return
		}
		if text, _ := pending(b.Object); text == "" {
			t.blame("I4", "block %d: the plan is empty at %s, and no conversion has ended well since its triggers changed", b.index+1, clock(now))
		}
	})
}

// nothingToDo says whether the service does nothing, without a word, and all that a chapter counts as open is what it never
// converts, or an error stands there from before.
func (t *terraform) nothingToDo(chapter int) (nothing bool) {
	t.locked(func(now time.Duration) {
		c := t.chapters[chapter]
		nothing = c.WhenDone == doneIgnores && c.openAt(now) == 0 && (c.textAt(now)&neverConverted != 0 || c.errorAt(now) != 0)
	})
	return nothing
}

// counted is the text of which can be known whether it is converted: what was replaced by as much, or less, while it was converted
// cannot be told from what the service left.
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
			w.trace.at(j.end, "TRUTH", "the text was replaced by no more while it was converted")
			text &^= after &^ before
		}
	}
	return text
}
