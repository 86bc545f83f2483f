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
		for i, p := range t.posts {
			sameMoment := func(other posted) bool { // Blocks of one process that request at the same time are one.
				return other.chapter == p.chapter && other.process == p.process && other.at > p.at-1100*time.Millisecond
			}
			if !slices.ContainsFunc(t.posts[:i], sameMoment) {
				t.checkJoin(p)
				t.checkWhole(p)
			}
		}
		for number := range t.chapters {
			t.checkOneForAll(number)
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
		if text.opens && (t.follows(number) || t.changes("replace") || text.at <= t.edits[number]) {
			budget++
		}
	}
	if len(paid) <= budget {
		return
	}
	budget += c.failures()
	exceptions := slices.Clone(t.allowed[number])
	for i := range paid[1:] {
		exceptions = append(exceptions, t.whyAgain(number, paid[i], paid[i+1])...)
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

// failures counts the conversions after which one more is allowed: they failed, or looked so while they were tried again,
// or left text.
func (c *chapter) failures() (failures int) {
	for j, did := range c.effects() {
		open := c.textAt(j.start) &^ did.before
		looksFailed := j.Retries != 0 && j.RestsFor >= secondLook
		leavesText := did.missed != 0 || j.Ends != endsWell || did.gain == 0 && open != 0
		if j.Ends == endsInError || looksFailed || j.process > 0 && leavesText {
			failures++
		}
	}
	return failures
}

// whyAgain says why a conversion could be followed by the next one, although it has ended well.
func (t *terraform) whyAgain(number int, before, next *job) (reasons []string) {
	shown := max(before.at+time.Second, before.visible(before.end)+before.CountLag)
	if next.at < shown && t.aliases[before.process-1] != t.aliases[next.process-1] {
		reasons = append(reasons, twoAliases)
	}
	unseen := t.whyUnseen(number, before, next)
	if unseen != "" && before.Ends == endsWell {
		reasons = append(reasons, unseen)
	}
	return reasons
}

// checkJoin checks I2, too: nothing is requested while all lists of the last second, which may be used for that, show the
// chapter in a state in which the document's projects are busy; of five more if the service limits requests, because then
// they queue. And nothing is requested if no list has shown open text, and nobody has asked for more.
func (t *terraform) checkJoin(p posted) {
	recent := 1100 * time.Millisecond
	limits := func(f fault) bool { return f.Status == http.StatusTooManyRequests }
	if slices.ContainsFunc(slices.Concat(t.Posts, t.Gets), limits) {
		recent += 5 * time.Second
	}
	asksForMore := func(b block) bool { return b.Action || b.covers(p.chapter) && !b.keeps() }
	wanted := t.changes("triggers", "after", "always", "keep") || slices.ContainsFunc(t.Blocks, asksForMore)
	busy, rests, newest := false, false, int64(0)
	for _, l := range t.lists {
		r := l.shown[p.chapter]
		if l.process != p.process || l.asked > p.at || r == nil || r.date < newest {
			continue // A list with an older date comes from a replica that lags.
		}
		wanted = wanted || r.unconverted != 0
		if !l.project { // The project's record may be that of a newer replica.
			newest = r.date
		}
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

// checkPlannedLimit is I7, too: a plan fails, and its objects say so once, if its estimates have more characters together than
// the limit, and only then, or if some are not counted.
func (t *terraform) checkPlannedLimit(plans map[*resource]planned) {
	for alias := range 2 {
		estimate, refused, known, together := map[int]int{}, 0, true, 0
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
			for number, most := range t.readEstimate(b, plan.Screen).convert {
				known = known && most >= 0
				estimate[number] = max(estimate[number], most)
			}
			// Terraform shows no estimate of an object that replaces another.
			showsAll := plan.Action != fakecore.Replace && plan.Action != "" && plan.action == nil
			known = known && showsAll
		}
		for _, most := range estimate {
			together += most
		}
		exceeds := together > t.maxCharacters()
		saysOther := exceeds != (refused > 0)
		if saysOther && (exceeds || known) || refused > 1 {
			t.addViolation("I7", "a plan has an estimate of %d characters, with a limit of %d, and says %d times that it is exceeded",
				together, t.maxCharacters(), refused)
		}
	}
}

// checkHeldBack is I7, too: a request is held back only if it may exceed the limit.
func (t *turn) checkHeldBack(w *applyRun, shown *fakecore.Screen) {
	// Otherwise another request of the same moment counts until the service has refused it.
	alone := w.Parallelism == 1 || len(w.blocks) == 1
	counts := !t.Book && w.chapters[t.chapter].Counts == countsHonest
	if !counts || !alone || !shown.Says("`max_characters`") {
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

// checkOneForAll is I2, too: one conversion of a chapter is enough for all blocks of an apply, if it ends well and is shown
// in time, and nobody edits or converts beside it.
func (t *terraform) checkOneForAll(chapter int) {
	c := t.chapters[chapter]
	several := len(t.blocks) != 1 || t.blocks[0].Action // The turn of a second one may come after an edit.
	edited := slices.ContainsFunc(c.texts, func(t text) bool { return t.opens })
	odd := several && edited || t.odd(c)
	unknown := c.first.Remainder > 0 && len(c.texts) > 1 // what is left of an edited text
	paid := map[int]bool{}                               // by process
	for _, j := range c.jobs {
		odd = odd || j.odd() || j.process == 0
		oneIsEnough := !odd && !unknown || !several && j.process > 0
		if paid[j.process] && oneIsEnough {
			t.addViolation("I2", "%s was paid for again at %s, although a conversion of the same process had ended, or ran",
				chapterIDs[chapter], clock(j.at))
		}
		paid[j.process] = true
	}
}

// odd says whether lists may show a chapter as it was before, or not all of it.
func (w *world) odd(c *chapter) bool {
	return c.lag() > 0 ||
		len(w.Replicas) > 0 ||
		c.Counts != countsHonest ||
		c.first.DateAt != atEnd ||
		c.deleted+c.added > 0 ||
		c.WhenDone == doneIgnores
}

func (j *job) odd() bool { return j.Ends != endsWell || j.unclear() }

// unclear says whether lists show a conversion late, or in a state that does not say that it runs.
func (j *job) unclear() bool {
	return j.ShownLate+j.CountLag+j.RestsFor > 0 || j.NeverBusy || j.Queue+j.First+j.Busy != ""
}

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
		paragraphs := max(r.converted, 0) + max(r.unconverted, 0)
		if follows && r.unconverted > 0 {
			paragraphs = r.unconverted
		}
		if least < 0 || paragraphs < least {
			least = paragraphs
		}
	}
	return charactersEach * max(least, 0)
}

// whyUnseen says why nobody could see, at the next request, that the conversion before it was running or had ended well.
// It is empty if somebody could.
func (t *terraform) whyUnseen(chapter int, before, next *job) string {
	lagging := before.visible(before.end) + before.CountLag + t.oldest() + 6*time.Second
	toldByCountsAlone := before.CountLag > 0 || before.dated() < 0 || before.process != next.process && t.shared(chapter)
	showedOlder := next.at <= lagging || t.calledFailed(chapter, before.at, lagging)
	switch {
	case len(t.Replicas) > 0 && toldByCountsAlone && showedOlder:
		return "I2: a replica that lags showed text as open that a newer one had shown as converted, " +
			"beside the same date or none, or one that only another block knew"
	case next.at-before.at < window || t.toldWell(chapter, before, next):
		return ""
	}
	seen := t.seenBetween(chapter, before, next)
	lost := slices.ContainsFunc(t.Posts, func(f fault) bool { return f.Number == before.number })
	switch {
	case !seen.answered || seen.working:
		return ""
	case lost && seen.hints && !seen.signs && next.at-before.at < t.shortest(chapter): // It was received.
		return ""
	case seen.signs || seen.hints:
		return "I2: a conversion looked as if it had ended without converting anything"
	case lost:
		return "I2: an answer was lost, and the conversion showed no sign"
	}
	return ""
}

// toldWell says whether the provider has said before the next request that the conversion before it ended well.
func (t *terraform) toldWell(chapter int, before, next *job) bool {
	c := t.chapters[chapter]
	if c.lag()+before.CountLag > window { // Who does not see counts in time may doubt a good end.
		return false
	}
	return slices.ContainsFunc(t.decisions, func(d decision) bool {
		between := d.chapter == chapter && d.at > before.at && d.at <= next.at
		// A block that was not told cannot see it any more if the text is another one.
		editedSince := func(text text) bool { return text.at > d.at && text.at <= next.at }
		replaced := t.shared(chapter) && slices.ContainsFunc(c.texts, editedSince)
		done := d.Decision.Step == engine.Done && d.Decision.Reason != engine.NothingLeft
		return between && !replaced && (done || d.Decision.Reason == engine.UnconvertedText)
	})
}

// seen is what lists have shown of a conversion before the next request.
type seen struct {
	answered bool // there was a list in the window before the request
	working  bool // and it showed the conversion, or what that has converted
	signs    bool // of it: the state, the date or the counts have changed
	hints    bool // less than signs: the progress has changed, or an error is gone
}

// seenBetween says what lists have shown of a conversion before the next request.
func (t *terraform) seenBetween(chapter int, before, next *job) (seen seen) {
	c, base := t.chapters[chapter], t.shownBefore(chapter, before)
	newest, until := base.date, before.visible(before.end)+c.lag()+t.oldest()
	for _, l := range t.lists {
		r := l.shown[chapter]
		if r == nil || l.asked <= before.at || l.asked > next.at {
			continue
		}
		if r.busy && l.asked == next.at || r.date < newest {
			continue // It may be of after the request, or comes from a replica that lags.
		}
		newest = r.date
		// Other states may be those of a chapter at rest.
		isNamed := r.state != absent && r.state != empty && (!base.busy || r.state != base.state)
		works := r.busy && l.asked <= until && isNamed || r.worked(base)
		if l.asked > next.at-window {
			seen.answered = true
			seen.working = seen.working || works
		}
		seen.signs = seen.signs || works || r.date > base.date || r.state != base.state
		seen.hints = seen.hints || r.progress != base.progress || r.error == 0 && base.error != 0
	}
	return seen
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

// shortest is the shortest timeout of the chapter's blocks.
func (t *terraform) shortest(chapter int) time.Duration {
	shortest := time.Hour
	for _, b := range t.Blocks {
		for _, timeout := range []time.Duration{b.Timeout, b.ChapterTimeout} {
			if (b.Book || b.covers(chapter)) && timeout > 0 { // Somebody may have changed the chapters of a book.
				shortest = min(shortest, timeout)
			}
		}
	}
	return shortest
}
