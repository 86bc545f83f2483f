package simulation_test

import (
	"net/http"
	"slices"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"

	engine "github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// checkPayments checks I2: every conversion that was paid for was wished for, or another one had failed, or one of the
// exceptions allows it. An exception counts only if nobody could know that the conversion was not needed.
func (t *terraform) checkPayments() {
	t.locked(func(time.Duration) {
		for _, p := range t.posts {
			t.checkJoin(p)
			t.checkWhole(p)
		}
		for number := range t.chapters {
			t.checkTurns(number)
			t.checkPaid(number)
		}
	})
}

// checkPaid is checkPayments for one chapter.
func (t *terraform) checkPaid(number int) {
	c := t.chapters[number]
	paid := slices.DeleteFunc(slices.Clone(c.jobs), func(j *job) bool { return j.process == 0 })
	budget := t.wishes[number]
	for _, text := range c.texts {
		unseen := func(j *job) bool { // Its end may show as one that converted nothing.
			return text.at >= j.at-time.Second && (text.at <= j.end+window || !t.sawEnd(number, j, text.at))
		}
		isWish := t.follows(number) || t.changes("replace") || text.at <= t.edits[number] || slices.ContainsFunc(paid, unseen)
		if text.opens && isWish {
			budget++
		}
	}
	if len(paid) <= budget {
		return
	}
	budget += c.failures() + t.tooOld(number)
	exceptions := slices.Clone(t.allowed[number])
	for i := range paid[1:] {
		if paid[i].Ends == endsWell && t.showedNothing(number, paid[i], paid[i+1]) {
			exceptions = append(exceptions, noSign)
		}
	}
	for _, what := range exceptions {
		if len(paid) > budget {
			t.except(what)
			budget++
		}
	}
	if len(paid) > budget {
		t.addViolation("I2", "%s was paid for %d times, with %d wishes, %d failures and exceptions",
			chapterIDs[number], len(paid), t.wishes[number], budget-t.wishes[number])
	}
}

// failures counts the conversions after which one more is allowed: they failed, or left text.
func (c *chapter) failures() (failures int) {
	for j, did := range c.effects() {
		open := c.textAt(j.start) &^ did.before
		leavesText := did.missed != 0 || j.Ends != endsWell || did.gain == 0 && open != 0
		if j.Ends == endsInError || j.process > 0 && leavesText {
			failures++
		}
	}
	return failures
}

// sawEnd says whether an apply has seen a conversion of the chapter end, before a time.
func (t *terraform) sawEnd(chapter int, j *job, until time.Duration) bool {
	return slices.ContainsFunc(t.decisions, func(d decision) bool {
		ended := d.Decision.Step == engine.Done || d.Decision.Step == engine.Failed
		return ended && d.chapter == chapter && d.at >= j.end && d.at < until
	})
}

// tooOld counts the conversions after which the date was before the time after which a book demanded one, before they were requested.
func (t *terraform) tooOld(chapter int) (count int) {
	c := t.chapters[chapter]
	for _, j := range c.jobs {
		date := c.show(j.visible(j.end)).date
		demanded := func(d demandedTime) bool { return date != 0 && d.since <= j.at && date < d.after }
		if slices.ContainsFunc(t.blocks, func(b *resource) bool { return slices.ContainsFunc(b.times, demanded) }) {
			count++
		}
	}
	return count
}

// checkJoin checks I2, too: nothing is requested while all lists of the last second, which may be used for that, show the
// chapter in a state in which the document's projects are busy. And nothing is requested if no list has shown open text, and nobody has
// asked for more.
func (t *terraform) checkJoin(p posted) {
	const recent = 1100 * time.Millisecond
	asksForMore := func(b block) bool { return b.Action || b.covers(p.chapter) && !b.keeps() }
	wanted := t.changes("triggers", "after", "always", "keep") || slices.ContainsFunc(t.Blocks, asksForMore)
	busy, rests := false, false
	for _, l := range t.lists {
		r := l.shown[p.chapter]
		if l.process != p.process || l.asked > p.at || r == nil {
			continue
		}
		wanted = wanted || r.unconverted != 0
		if l.asked > p.at-recent {
			busy, rests = busy || r.converting(), rests || !r.converting()
		}
	}
	if !wanted {
		t.addViolation("I2", "%s was requested at %s, although no list showed open text, and nobody has asked for more",
			chapterIDs[p.chapter], clock(p.at))
	}
	if busy && !rests {
		t.addViolation("I2", "%s was requested at %s, although it was shown as converting", chapterIDs[p.chapter], clock(p.at))
	}
}

// converting says whether the state of a record is one in which the document's projects are busy.
func (r *record) converting() bool {
	return r != nil && slices.Contains([]string{"converting", "in_queue", "creating"}, r.state)
}

// checkLimit checks I7: what a process has requested is within max_characters.
func (t *terraform) checkLimit(p *process) {
	if t.Limit == 0 || t.closing {
		return
	}
	t.locked(func(time.Duration) {
		spent := t.spent[p.number]
		if spent > t.maxCharacters() {
			t.addViolation("I7", "process %d requested %d characters, with a limit of %d", p.number, spent, t.maxCharacters())
		}
	})
}

// checkPlannedLimit is I7, too: a plan fails, and says so once, if its estimates have more characters together than the limit, without
// those for which it only waits, and only then. Of resources with the same name in messages, the one that was planned last counts.
func (t *terraform) checkPlannedLimit(plans map[*resource]planned) {
	for alias := range 2 {
		least, most := map[string]int{}, 0
		refused, known := 0, true
		for b, plan := range plans {
			if b.Alias != alias {
				continue
			}
			switch {
			case plan.Says("so it cannot check the limit"): // The service could not be asked.
				known = false
			case plan.Says("`max_characters`"):
				refused++
			}
			own, estimate := 0, t.readEstimate(b, plan.Screen)
			for chapter, characters := range estimate.convert {
				if !estimate.free[chapter] {
					own += characters
				}
			}
			most += own
			before, isNamed := least[b.thing()]
			if !isNamed || own < before {
				least[b.thing()] = own
			}
			// Terraform shows no estimate of an object that replaces another.
			known = known && plan.Action != fakecore.Replace && plan.Action != "" && plan.action == nil
		}
		surely := 0
		for _, own := range least {
			surely += own
		}
		mustFail, mayFail := surely > t.maxCharacters(), most > t.maxCharacters() || !known
		if mustFail && refused == 0 || !mayFail && refused > 0 || refused > 1 {
			t.addViolation("I7", "a plan has an estimate of %d to %d characters, with a limit of %d, and says %d times that it is exceeded",
				surely, most, t.maxCharacters(), refused)
		}
	}
}

// checkHeldBack is I7, too: a request is held back only if it may exceed the limit.
func (t *turn) checkHeldBack(w *applyRun, shown *fakecore.Screen) {
	// Otherwise another request of the same moment counts until the service has refused it.
	alone := w.Parallelism == 1 || len(w.blocks) == 1
	if t.Book || !alone || !shown.Says("`max_characters`") {
		return
	}
	w.locked(func(time.Duration) {
		together := w.mostCharacters(t.process, t.chapter)
		for _, p := range w.posts {
			mayBeReceived := p.status < 300 || p.status == http.StatusRequestTimeout || p.status >= 500
			if p.process == t.process && mayBeReceived {
				together += w.mostCharacters(t.process, p.chapter)
			}
		}
		if together <= w.maxCharacters() {
			w.addViolation("I7", "block %d: a request was held back, and would have made %d characters at most, with a limit of %d",
				t.index+1, together, w.maxCharacters())
		}
	})
}

// mostCharacters is what a conversion of a chapter costs at most, by any list that the process has got.
func (w *world) mostCharacters(process, chapter int) (most int) {
	for _, l := range w.lists {
		r := l.shown[chapter]
		if r != nil && l.process == process {
			most = max(most, charactersEach*(r.converted+r.unconverted))
		}
	}
	return most
}

func (s *story) maxCharacters() int { return charactersEach * (s.Limit - 1) }

// mayBeReceived says whether a request may be paid for, as far as the provider can know.
func (f fault) mayBeReceived(status int) bool {
	switch f.What {
	case "", "slow":
		return status == http.StatusOK
	case "status":
		return f.Status == http.StatusRequestTimeout || f.Status >= 500
	default:
		return f.What != "redirect"
	}
}

// checkTurns is I2, too: where conversions end well, are shown before the window is over, and nobody edits or converts beside them, an
// apply requests one for all resources that follow the text, and one for each other resource and action.
func (t *terraform) checkTurns(chapter int) {
	c := t.chapters[chapter]
	odd := t.odd(c) || c.first.Remainder > 0 || len(c.texts) > 1 || len(t.Posts) > 0 || t.changes("chapters", "keep", "after", "always")
	paid := map[int]int{} // by process
	for _, j := range c.jobs {
		odd = odd || j.Ends != endsWell || j.process == 0 || j.RestsFor > 0 || j.ShownLate+j.CountLag >= 20*time.Second
		paid[j.process]++
	}
	if odd {
		return
	}
	for process, times := range paid {
		follows, others := 0, 0
		for _, b := range t.Blocks {
			isAbout := b.Alias == t.aliases[process-1] && b.covers(chapter)
			if isAbout && b.keeps() {
				follows = 1
			} else if isAbout {
				others++
			}
			if isAbout && b.Action {
				others++
			}
		}
		if times > follows+others {
			t.addViolation("I2", "process %d paid for %s %d times, with %d resources and actions that do not follow the text",
				process, chapterIDs[chapter], times, others)
		}
	}
}

// odd says whether lists may show a chapter as it was before, or not all of it.
func (w *world) odd(c *chapter) bool {
	return len(w.Replicas) > 0 || c.first.Undated || c.deleted+c.added > 0 || c.Idles
}

func (j *job) odd() bool { return j.Ends != endsWell || j.unclear() }

// unclear says whether lists show a conversion late, or in a state that does not say that it runs.
func (j *job) unclear() bool { return j.ShownLate+j.CountLag+j.RestsFor > 0 || j.Busy != "" }

// follows says whether a block may follow the text of a chapter: somebody may have changed the chapters of a book, or
// turned keep_up_to_date on.
func (s *story) follows(number int) bool {
	mayFollow := func(b block) bool { return b.Book || b.covers(number) && b.keeps() }
	return slices.ContainsFunc(s.Blocks, mayFollow) || s.changes("keep")
}

// changes says whether somebody makes one of these changes to a block.
func (s *story) changes(what ...string) bool {
	return slices.ContainsFunc(s.Rounds, func(r round) bool {
		return slices.ContainsFunc(r.Changes, func(c change) bool { return slices.Contains(what, c.What) })
	})
}

// leastCharacters is what a conversion of a chapter costs at least, by any list that the process has got in the last
// minute.
func (w *world) leastCharacters(process, number int, now time.Duration) int {
	follows, least := w.follows(number), -1
	for _, l := range w.lists {
		r := l.shown[number]
		if r == nil || l.process != process || l.asked < now-time.Minute || l.asked > now {
			continue
		}
		paragraphs := r.converted + r.unconverted
		if follows && r.unconverted > 0 {
			paragraphs = r.unconverted
		}
		if least < 0 || paragraphs < least {
			least = paragraphs
		}
	}
	return charactersEach * max(least, 0)
}

const noSign = "I2: an answer was lost, or a request accepted, and no sign followed for as long as anybody looks"

// showedNothing says whether nobody could see, before the next request, that the conversion before it was running or had ended: no list of
// the window before that has shown it, and nobody has said that it ended well.
func (t *terraform) showedNothing(chapter int, before, next *job) bool {
	base, answered := t.shownBefore(chapter, before), false
	for _, l := range t.lists {
		r := l.shown[chapter]
		if r == nil || l.asked <= max(before.at, next.at-window) || l.asked >= next.at {
			continue
		}
		answered = true
		if r.busy || r.date > base.date || r.worked(base) {
			return false
		}
	}
	told := slices.ContainsFunc(t.decisions, func(d decision) bool {
		done := d.Decision.Step == engine.Done && d.Decision.Reason != engine.NothingLeft
		return d.chapter == chapter && d.at > before.at && d.at <= next.at && done
	})
	return answered && !told && next.at-before.at >= window
}

// shownBefore is the chapter as its process saw it right before it requested a conversion, or as the latest list did.
func (t *terraform) shownBefore(chapter int, j *job) *record {
	before := j.at - time.Millisecond // A list of that moment may be of after it.
	latest, own := t.lastShown(0, chapter, -time.Hour, before), t.lastShown(j.process, chapter, before, j.at)
	if own != nil || latest == nil {
		latest = own
	}
	if latest == nil {
		shown := t.chapters[chapter].show(before)
		latest = &shown
	}
	return latest
}

// worked says whether a record shows that text was converted after an earlier record. A shorter text does not show it:
// somebody may have deleted open text.
func (r *record) worked(since *record) bool {
	shrank := r.converted+r.unconverted < since.converted+since.unconverted
	return r.converted > since.converted ||
		r.unconverted < since.unconverted && (!shrank || r.unconverted == 0)
}
