package simulation_test

import (
	"slices"
	"time"
)

// checkBill checks I2: every conversion that was paid for was wished for, or another one had failed, or one of the exceptions
// allows it. An exception counts only if nobody could know that the conversion was not needed.
func (t *terraform) checkBill() {
	t.locked(func(now time.Duration) {
		for number, c := range t.chapters {
			var paid []*job
			for _, j := range c.jobs {
				if j.process > 0 {
					paid = append(paid, j)
				}
			}
			budget := t.wishes[number]
			for _, text := range c.texts {
				if text.opens {
					budget++
				}
			}
			if len(paid) <= budget {
				continue
			}
			failures := 0
			converted := (uint64(1)<<c.first.Converted - 1) << remainders
			for _, j := range c.jobs {
				gain, missed := c.gain(j, converted)
				open := c.textAt(j.start) &^ converted
				converted |= gain
				// After a failure, or with text left over, one more conversion is allowed.
				if j.Ends == endsInError || j.process > 0 && (missed != 0 || j.Ends != endsWell || gain == 0 && open != 0) {
					failures++
				}
			}
			budget += failures
			excepted := func(what string, times int) {
				for ; times > 0 && len(paid) > budget; times-- {
					t.except(what)
					budget++
				}
			}
			excepted("I2: killed, and the state was lost", t.kills[number])
			excepted("I2: ended between the halves of a replacement", t.cut[number])
			excepted("I2: create_before_destroy", t.orders[number])
			excepted("I2: two provider aliases asked for one chapter in one apply", t.aliases[number])
			excepted("I2: a provisioner failed, and Terraform tainted the object", t.tainted[number])
			for i := range paid[1:] {
				if what := t.whyUnseen(number, paid[i], paid[i+1]); what != "" && paid[i].Ends == endsWell {
					excepted(what, 1)
				}
			}
			if len(paid) > budget {
				t.addViolation("I2", "%s was paid for %d times, with %d wishes, %d failures and exceptions", chapterIDs[number], len(paid), t.wishes[number], budget-t.wishes[number])
			}
		}
	})
}

// whyUnseen says why nobody could see, at the next request, that the conversion before it was running or had ended well. It is
// empty if somebody could.
func (t *terraform) whyUnseen(chapter int, before, next *job) string {
	const window = 30 * time.Second
	if next.at-before.at < window {
		return ""
	}
	base := t.lastShown(0, chapter, -time.Hour, before.at)
	if base == nil {
		shown := t.chapters[chapter].show(before.at - time.Millisecond)
		base = &shown
	}
	answered, signs := false, false
	for _, l := range t.lists {
		r := l.shown[chapter]
		if r == nil || l.asked <= before.at || l.asked > next.at {
			continue
		}
		work := r.worked(base)
		if l.asked > next.at-window {
			answered = true
			if r.busy || work {
				return ""
			}
		}
		signs = signs || r.busy || work || r.date > base.date || r.state != base.state || r.progress != base.progress
	}
	lost := slices.ContainsFunc(t.Posts, func(f fault) bool { return f.Number == before.number })
	switch {
	case !answered:
		return ""
	case signs:
		return "I2: a conversion looked as if it had ended without converting anything"
	case lost && t.chapters[chapter].showsNothing(before):
		return "I2: an answer was lost at a service that shows nothing"
	case lost:
		return "I2: an answer was lost, and the conversion showed no sign"
	case base.error != 0 || base.converted < 0 || next.at-before.at >= t.shortest(chapter):
		return "I2: a conversion was accepted, and showed no sign for a whole timeout, or beside an error"
	}
	return ""
}

// showsNothing says whether neither counts nor dates nor states of the chapter show a conversion.
func (c *chapter) showsNothing(j *job) bool {
	return c.first.Counts == countsMissing && j.dated() < 0 && j.NeverBusy
}

// worked says whether a record shows that text was converted after an earlier record. A shorter text does not show it: somebody
// may have deleted open text.
func (r *record) worked(since *record) bool {
	shrank := r.converted+r.unconverted < since.converted+since.unconverted
	return r.converted > since.converted || r.unconverted < since.unconverted && (!shrank || r.unconverted == 0)
}

// shortest is the shortest timeout of the chapter's blocks.
func (t *terraform) shortest(chapter int) time.Duration {
	shortest := time.Hour
	for _, b := range t.blocks {
		if b.Chapter == chapter && b.Timeout > 0 {
			shortest = min(shortest, b.Timeout)
		}
	}
	return shortest
}
