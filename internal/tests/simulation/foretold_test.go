package simulation_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// foretold is what the plan of a block says about chapters.
type foretold struct {
	said    bool         // the plan has read the chapters
	convert map[int]int  // what their conversions cost at most, in characters
	wait    map[int]bool // those of them that are requested only if one that is under way, or shows no sign, is not enough
	free    map[int]bool // those of these whose conversion is only waited for: max_characters does not count them
}

var (
	estimateOfBook = regexp.MustCompile(`^Conversions that cost credits in project "book": (\d+) chapters?, ([\d,]+) characters? at most\n`)
	estimated      = regexp.MustCompile(`(?m)^ +([\d,]+)  "Chapter (\w+)"`)
	onlyWaits      = regexp.MustCompile(`^A conversion is under way, or its end is not known\.`)
	looksFirst     = regexp.MustCompile(`^The service shows no sign of a conversion that was requested\.`)
)

// readEstimate reads what a plan says about the chapters of a block, and checks that it adds up.
func (t *terraform) readEstimate(b *resource, shown *fakecore.Screen) foretold {
	estimate := foretold{said: true, convert: map[int]int{}, wait: map[int]bool{}, free: map[int]bool{}}
	for _, box := range slices.Concat(shown.Estimate, shown.Warnings) {
		estimate.said = estimate.said && !strings.HasPrefix(box, "Unable to read")
		if !strings.HasPrefix(box, "Conversions ") {
			continue
		}
		_, detail, _ := strings.Cut(box, "\n")
		together := 0
		for _, part := range strings.Split(detail, "\n\n") {
			for _, chapter := range estimated.FindAllStringSubmatch(part, -1) {
				number, most := slices.Index(chapterIDs, chapter[2]), characters(chapter[1])
				estimate.convert[number], estimate.free[number] = most, onlyWaits.MatchString(part)
				estimate.wait[number] = estimate.free[number] || looksFirst.MatchString(part)
				together += most
			}
		}
		summary := estimateOfBook.FindStringSubmatch(box)
		if summary == nil {
			continue
		}
		isOfAll := fmt.Sprint(len(estimate.convert)) == summary[1]
		addsUp := together == characters(summary[2])
		if !isOfAll || !addsUp {
			t.addViolation("I3", "block %d: the estimate does not add up: %s", b.index+1, box)
		}
	}
	return estimate
}

// characters is a number as an estimate writes it.
func characters(text string) int {
	number, err := strconv.Atoi(strings.ReplaceAll(text, ",", ""))
	must(err)
	return number
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
	w.locked(func(time.Duration) {
		if !w.stoodStill(t) {
			return
		}
		ofOthers := func(p posted) bool { return p.chapter != t.chapter || p.process != t.process || p.at < t.at }
		requested := slices.DeleteFunc(slices.Clone(w.posts), ofOthers)
		name := chapterIDs[t.chapter]
		switch {
		case !converts && len(requested) == 0, converts && len(requested) == 0 && !green:
		case !converts:
			w.addViolation("I3", "block %d: the plan said nothing of %s, nothing changed at the service, "+
				"but the apply requested a conversion", t.index+1, name)
		case len(requested) > 0:
			w.checkAmount(t, requested[0], most)
		default:
			w.addViolation("I3", "block %d: the plan said that %s would be converted, nothing changed at the service, "+
				"but the apply requested nothing", t.index+1, name)
		}
	})
}

// checkAmount checks that a conversion has cost no more than its plan has said, and just as much where that can be known.
func (w *applyRun) checkAmount(t *turn, request posted, most int) {
	c, least := w.chapters[t.chapter], w.leastCharacters(t.process, t.chapter, request.at)
	onlyOpen := c.first.Remainder == 0 && t.after == nil && !t.All && !w.changes("always", "triggers")
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
	changed := !c.exists(since) || c.deleted > 0 ||
		slices.ContainsFunc(c.texts, func(text text) bool { return text.at > since }) ||
		slices.ContainsFunc(c.dismissals, func(at time.Duration) bool { return at > since }) ||
		slices.ContainsFunc(w.windows, func(gap dueEvent) bool { return gap.due+gap.For > since })
	for _, j := range c.jobs {
		own := j.process == t.process && j.at >= t.at
		changed = changed || !own && j.visible(j.end)+j.CountLag > since
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

// checkForetold checks I9: without an edit in between, an apply requests no chapter that its plan has not named, none more often than
// resources have named it, and none for more characters than that.
func (w *applyRun) checkForetold() {
	if w.NoRefresh || slices.ContainsFunc(slices.Collect(maps.Values(w.plans)), planned.unread) {
		return
	}
	w.locked(func(time.Duration) {
		requests := map[[2]int]int{} // that may have been received, by process and chapter
		for _, p := range w.posts {
			isOfThisApply := func(b *resource) bool { return w.processes[b.Alias].number == p.process }
			if p.at < w.began || !slices.ContainsFunc(w.blocks, isOfThisApply) {
				continue
			}
			if p.status/100 != 4 {
				requests[[2]int{p.process, p.chapter}]++
			}
			w.checkForetoldOf(p, requests[[2]int{p.process, p.chapter}])
		}
	})
}

// checkForetoldOf is checkForetold for one request, which is that number one for the chapter.
func (w *applyRun) checkForetoldOf(p posted, number int) {
	names, most, planned, byHand := 0, 0, time.Duration(-1), false
	for b, plan := range w.plans {
		if !b.covers(p.chapter) {
			continue
		}
		byHand = byHand || b.replace
		isNamed, characters := w.named(b, plan, p.chapter)
		if isNamed {
			names++
			if b.Action {
				names++
			}
		}
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
		return
	}
	switch {
	case names == 0 && w.listLacked(p.chapter, planned-time.Minute, w.began):
		w.except("I9: a list lacked a chapter when it was planned")
		return
	case byHand && names < number:
		w.except("I9: -replace, of which Terraform shows what the plan says of an update, and not what it says of the creation")
		return
	}
	least := w.leastCharacters(p.process, p.chapter, p.at)
	if names < number || most >= 0 && least > most {
		w.addViolation("I9", "%s was requested at %s for the %d. time, for %d characters at least; %d resources have named it, for %d at most",
			chapterIDs[p.chapter], clock(p.at), number, least, names, most)
	}
}

// listLacked says whether a list lacked the chapter between two times.
func (w *world) listLacked(chapter int, since, until time.Duration) bool {
	return slices.ContainsFunc(w.lists, func(l listing) bool {
		return !l.project && l.asked >= since && l.asked <= until && l.shown[chapter] == nil
	})
}

// editedSince says whether somebody has changed the chapter since a plan, or had it converted, or so shortly before it that lists may not
// have shown it.
func (w *applyRun) editedSince(p posted, planned time.Duration) bool {
	c := w.chapters[p.chapter]
	since := planned - time.Minute - w.oldest()
	edited := !c.exists(since) || c.deleted > 0 ||
		slices.ContainsFunc(c.texts[1:], func(text text) bool { return text.at > since }) ||
		slices.ContainsFunc(c.dismissals, func(at time.Duration) bool { return at > since })
	for _, j := range c.jobs {
		isOwn := j.process > 0 && w.aliases[j.process-1] == w.aliases[p.process-1]
		edited = edited || j.at < p.at && (j.at >= planned || !isOwn && j.at > since)
	}
	return edited
}
