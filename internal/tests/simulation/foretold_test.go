package simulation_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// foretold is what the plan of a block says about chapters.
type foretold struct {
	said    bool        // the plan has read the chapters
	convert map[int]int // what their conversions cost at most, in characters; -1: that is not counted
	wait    map[int]bool
	none    map[int]bool // of those that are waited for: nothing is requested, whatever comes of it
}

var (
	estimateOfBook = regexp.MustCompile(`^Conversions that cost credits in project "book": (\d+) chapters?, (?:([\d,]+) characters? at most|not all of them counted)\n`)
	estimated      = regexp.MustCompile(`(?m)^ +(?:([\d,]+|\?) |-) "Chapter (\w+)"`)
	converts       = regexp.MustCompile(`^(?:Characters at most|The chapter has no unconverted text|The .triggers. changed)|pplying requests (?:another|one for)|then requests one`)
	requestsNone   = regexp.MustCompile(`requests none`)
)

// readEstimate reads what a plan says about the chapters of a block, and checks that it adds up.
func (t *terraform) readEstimate(b *resource, shown *fakecore.Screen) foretold {
	estimate := foretold{said: true, convert: map[int]int{}, wait: map[int]bool{}, none: map[int]bool{}}
	for _, box := range slices.Concat(shown.Estimate, shown.Warnings) {
		estimate.said = estimate.said && !strings.HasPrefix(box, "Unable to read")
		if !strings.HasPrefix(box, "Conversions ") {
			continue
		}
		_, detail, _ := strings.Cut(box, "\n")
		together := 0
		for _, part := range strings.Split(detail, "\n\n") {
			words := strings.ReplaceAll(part, "\n  │ ", " ")
			for _, chapter := range estimated.FindAllStringSubmatch(part, -1) {
				number, most := slices.Index(chapterIDs, chapter[2]), characters(chapter[1])
				if !converts.MatchString(words) {
					estimate.wait[number], estimate.none[number] = true, requestsNone.MatchString(words)
					if chapter[1] == "" {
						continue
					}
				}
				estimate.convert[number] = most
				together += max(most, 0)
			}
		}
		summary := estimateOfBook.FindStringSubmatch(box)
		if summary == nil {
			continue
		}
		isOfAll := fmt.Sprint(len(estimate.convert)) == summary[1]
		addsUp := summary[2] == "" || together == characters(summary[2])
		if !isOfAll || !addsUp {
			t.addViolation("I3", "block %d: the estimate does not add up: %s", b.index+1, box)
		}
	}
	return estimate
}

// characters is a number as an estimate writes it; -1 if there is none.
func characters(text string) int {
	number, err := strconv.Atoi(strings.ReplaceAll(text, ",", ""))
	if err == nil {
		return number
	}
	return -1
}

// checkEstimateIsKept checks I3 for a chapter of a book: if nothing changes at the service, the apply requests what the plan
// has said, and that costs no more.
func (t *turn) checkEstimateIsKept(w *applyRun, green bool) {
	shown := t.plan.Screen
	if t.action {
		shown = t.plan.action
		green = false // The book of the block has been converted since the plan.
	}
	estimate := w.readEstimate(t.resource, shown)
	saysWhatItCosts := estimate.said && !estimate.wait[t.chapter]
	isToldAll := !t.keepsToItself() && !t.renamed && !w.NoRefresh && w.alone(t.resource, t.chapter)
	if !saysWhatItCosts || !isToldAll {
		return
	}
	most, converts := estimate.convert[t.chapter]
	handsOver := false
	for b, plan := range w.plans {
		handsOver = handsOver || b.Book && (plan.Action == fakecore.Replace || b.renamed)
	}
	w.locked(func(time.Duration) {
		if !w.stoodStill(t) {
			return
		}
		ofOthers := func(p posted) bool { return p.chapter != t.chapter || p.process != t.process || p.at < t.at }
		requested := slices.DeleteFunc(slices.Clone(w.posts), ofOthers)
		name := chapterIDs[t.chapter]
		savesAPayment := handsOver && (t.remembers(w) || w.chapters[t.chapter].left())
		switch {
		case !converts && len(requested) == 0, converts && len(requested) == 0 && !green:
		case !converts:
			w.addViolation("I3", "block %d: the plan said nothing of %s, nothing changed at the service, "+
				"but the apply requested a conversion", t.index+1, name)
		case len(requested) > 0:
			w.checkAmount(t, requested[0], most)
		case savesAPayment:
			w.except("I3: a book is replaced, and a plan estimates what a new book would pay for")
		default:
			w.addViolation("I3", "block %d: the plan said that %s would be converted, nothing changed at the service, "+
				"but the apply requested nothing", t.index+1, name)
		}
	})
}

// checkAmount checks that a conversion has cost no more than its plan has said, and just as much where that can be known.
func (w *applyRun) checkAmount(t *turn, request posted, most int) {
	c, least := w.chapters[t.chapter], w.leastCharacters(t.process, t.chapter, request.at)
	isCounted := c.first.Remainder == 0 && c.Counts == countsHonest
	onlyOpen := isCounted && t.after == nil && !t.All && !w.changes("always", "triggers")
	// A list of the moment in which a conversion ends may be of after it.
	atOnce := slices.ContainsFunc(c.jobs, func(j *job) bool { return j.end == request.at })
	isMore, isLess := most >= 0 && least > most, onlyOpen && !atOnce && least != most
	if isMore || isLess {
		w.addViolation("I3", "block %d: the plan said that %s would cost %d characters at most, and it cost %d",
			t.index+1, chapterIDs[t.chapter], most, least)
	}
}

// stoodStill says whether nothing but the turn's own request has happened to the chapter since its plan, as far as any list
// shows.
func (w *world) stoodStill(t *turn) bool {
	c := w.chapters[t.chapter]
	since := t.plan.at - time.Minute - w.oldest()
	lag := c.first.StateLag + c.first.ProgressLag + c.first.DateLag + c.first.ErrorLag + c.first.CountsLag
	changed := !c.exists(since) || c.deleted > 0 ||
		slices.ContainsFunc(c.texts, func(text text) bool { return text.at > since-lag }) ||
		slices.ContainsFunc(c.dismissals, func(at time.Duration) bool { return at > since-lag }) ||
		slices.ContainsFunc(w.windows, func(gap dueEvent) bool { return gap.due+gap.For > since })
	for _, j := range c.jobs {
		own := j.process == t.process && j.at >= t.at
		changed = changed || !own && j.visible(j.end)+j.CountLag+lag > since
	}
	return !changed
}

// named says whether the plan of a block has said that a chapter may be converted, and for how many characters at most; -1: it
// does not say. A plan that could not read the chapters names all.
func (t *terraform) named(b *resource, plan planned, chapter int) (named bool, most int) {
	if b.Action || b.Book && b.keepsToItself() || b.renamed {
		return true, -1
	}
	estimate := t.readEstimate(b, plan.Screen)
	most, named = estimate.convert[chapter]
	if !named {
		most = -1
	}
	return named || b.Book && !estimate.said, most
}

// unread says whether a plan could not read the chapters. That is said once for all blocks.
func (p planned) unread() bool {
	return slices.ContainsFunc(p.Warnings, func(box string) bool { return strings.HasPrefix(box, "Unable to") })
}

// checkForetold checks I9: without an edit in between, an apply requests no chapter that its plan has not named, and none for more
// characters than that. Lists may lag, page and hide chapters.
func (w *applyRun) checkForetold() {
	if w.NoRefresh {
		return
	}
	for _, plan := range w.plans {
		if plan.unread() {
			return
		}
	}
	w.locked(func(time.Duration) {
		for _, p := range w.posts {
			isOfThisApply := func(b *resource) bool { return w.processes[b.Alias].number == p.process }
			if p.at < w.began || !slices.ContainsFunc(w.blocks, isOfThisApply) {
				continue
			}
			somebody, most, planned, byHand, replaced := false, 0, time.Duration(-1), false, false
			for b, plan := range w.plans {
				if !b.covers(p.chapter) {
					continue
				}
				if plan.Action == fakecore.Replace {
					forOthers := b.triggers > 0 && !w.alone(b, p.chapter)
					byHand = byHand || replaced || b.replace || forOthers
					replaced = true
				}
				named, characters := w.named(b, plan, p.chapter)
				somebody = somebody || named
				if characters < 0 || most < 0 {
					most = -1
				} else {
					most = max(most, characters)
				}
				if planned < 0 || plan.at < planned {
					planned = plan.at
				}
			}
			if planned < 0 || w.editedSince(p, planned) {
				continue
			}
			lackedByBoth := w.witnessesLacked(p.chapter, planned-time.Minute, w.began)
			lackedByTheListSince := w.witnessesLacked(p.chapter, 0, planned) && w.lackedBy(p.chapter, planned, w.began)[false]
			switch {
			case !somebody && (lackedByBoth || lackedByTheListSince):
				w.except("I9: the list and the project's record lacked a chapter when it was planned")
				continue
			case byHand && !somebody:
				w.except("I9: -replace, of which Terraform shows what the plan says of an update, and not what it says of the creation; " +
					"or two replaced blocks, of which no plan knows whose conversion was for which")
				continue
			}
			least := w.leastCharacters(p.process, p.chapter, p.at)
			if !somebody || most >= 0 && least > most {
				w.addViolation("I9", "%s was requested at %s, for %d characters at least; a plan that named it: %t, for %d at most",
					chapterIDs[p.chapter], clock(p.at), least, somebody, most)
			}
		}
	})
}

// witnessesLacked says whether a list and the project's record lacked the chapter between two times.
func (w *world) witnessesLacked(chapter int, since, until time.Duration) bool {
	lacks := w.lackedBy(chapter, since, until)
	return lacks[true] && lacks[false]
}

// lackedBy says whether the project's record lacked the chapter between two times (true), and whether a list did (false).
func (w *world) lackedBy(chapter int, since, until time.Duration) map[bool]bool {
	lacks := map[bool]bool{}
	for _, l := range w.lists {
		if l.asked >= since && l.asked <= until && !l.partial && l.shown[chapter] == nil {
			lacks[l.project] = true
		}
	}
	return lacks
}

// editedSince says whether somebody has changed the chapter since a plan, or had it converted, or so shortly before it that lists may not
// have shown it.
func (w *applyRun) editedSince(p posted, planned time.Duration) bool {
	c := w.chapters[p.chapter]
	since := planned - time.Minute - w.oldest() - c.lag() - c.TwiceLag
	edited := !c.exists(since) || c.deleted > 0 ||
		slices.ContainsFunc(c.texts[1:], func(text text) bool { return text.at > since }) ||
		slices.ContainsFunc(c.dismissals, func(at time.Duration) bool { return at > since })
	for _, j := range c.jobs {
		isOwn := j.process > 0 && w.aliases[j.process-1] == w.aliases[p.process-1]
		edited = edited || j.at < p.at && (j.at >= planned || !isOwn && j.at > since)
	}
	return edited
}
