package histories

import (
	"slices"
	"time"

	engine "github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// checkPaid is I2: each conversion of a chapter was needed when it was requested. Text was unconverted that nothing converted, or a
// resource desired one, and none had been requested for that, or all of these have failed.
func (t *terraform) checkPaid(chapter int) {
	c := t.chapters[chapter]
	for _, p := range t.posts {
		if p.chapter != chapter {
			continue
		}
		t.checkWhole(p)
		j := p.job
		if j == nil {
			continue
		}
		for _, other := range c.jobs {
			if other != j && other.at < j.at && other.end > j.at {
				t.breaks("I2", "%s was requested at %s, while it was converted", chapterIDs[chapter], j.at)
			}
		}
		open := c.openAt(j.at - 1) // It may end in that moment.
		d := t.unserved(chapter, j.at)
		if open == 0 && d == nil {
			t.breaks("I2", "%s was requested at %s, and paid for, but nothing needed that", chapterIDs[chapter], j.at)
		}
		if d != nil && (open == 0 || !t.isFollowed(chapter)) {
			d.by = j
		}
	}
}

// unserved is a desire of the chapter for which no conversion is under way, nor has ended well. One of text that was replaced since has not.
func (t *terraform) unserved(chapter int, at time.Duration) *desire {
	c := t.chapters[chapter]
	var first *desire
	for _, m := range t.resources {
		for _, d := range m.desires {
			isServed := d.served > 0 && d.served <= at
			isUnderWay := d.by != nil && (d.by.end > at || d.by.Ends == endsWell && c.textAt(d.by.start)&c.textAt(at) != 0)
			isEarlier := first == nil || d.served > 0 && (first.served == 0 || d.served < first.served)
			if d.chapter == chapter && d.since <= at && !isServed && !isUnderWay && isEarlier {
				first = d
			}
		}
	}
	return first
}

func (t *terraform) isFollowed(chapter int) bool {
	for _, m := range t.resources {
		if m.covers(chapter) && m.follows() {
			return true
		}
	}
	return false
}

// checkWhole is I2, too: nothing is requested while the project's state says that somebody else has all of it converted, or that it is still
// created, and its chapters rest.
func (t *terraform) checkWhole(p posted) {
	const recent = 1100 * time.Millisecond // A list may be so old.
	for _, c := range t.chapters {
		for _, j := range c.jobs {
			ours := j.process > 0 && j != p.job && j.at <= p.at && p.at < j.end+engine.Window
			if ours || j.visible(j.at) <= p.at && p.at-recent < j.end && j != p.job {
				return // It explains the state.
			}
		}
	}
	rests := t.isOpen("creating", 0, p.at) && t.isOpen("creating", 0, p.at-recent)
	for _, run := range t.whole {
		rests = rests || p.at-recent >= run.at && p.at < run.begins && run.ends > run.begins
	}
	if rests {
		t.breaks("I2", "%s was requested at %s, while the state of the project was %q", chapterIDs[p.chapter], p.at, t.projectState(p.at))
	}
}

// checkLimit is I7: what an apply has requested is within max_characters, and what it has requested for a resource
// within its characters_per_apply.
func (t *terraform) checkLimit(a *apply) {
	t.checkSpent(a, "a limit", a.limit, func(int) bool { return true })
	for m, plan := range a.plans {
		t.checkSpent(a, "portions", m.PerApply, func(chapter int) bool {
			return slices.Contains(plan.chapters, chapter) && t.isAlone(m, chapter)
		})
	}
}

func (t *terraform) checkSpent(a *apply, what string, most int, counts func(chapter int) bool) {
	spent := 0
	for _, p := range t.posts {
		if p.process != a.process || p.job == nil || !counts(p.chapter) {
			continue
		}
		c := t.chapters[p.chapter]
		shown := c.show(p.at - time.Nanosecond)
		if shown.unconverted > 0 {
			spent += shown.unconverted
		} else {
			spent += shown.converted
		}
	}
	isOddList := len(t.Replicas)+len(t.Gets) > 0
	if most > 0 && spent > most && !isOddList {
		t.breaks("I7", "an apply requested %d paragraphs, with %s of %d", spent, what, most)
	}
}
