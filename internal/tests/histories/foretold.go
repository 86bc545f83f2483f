package histories

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// foretold is what the plan of a resource says about chapters.
type foretold struct {
	unread bool         // the plan could not read the chapters
	most   map[int]int  // what their conversions cost at most, in paragraphs
	wait   map[int]bool // those of them that are requested only if one that is under way, or shows no sign, is not enough
}

var (
	estimated  = regexp.MustCompile(`(?m)^ +([\d,]+)  "Chapter (\w+)"`)
	onlyWaits  = regexp.MustCompile(`^A conversion is under way, or its end is not known[.,]`)
	looksFirst = regexp.MustCompile(`^The service shows no sign of a conversion that was requested\.`)
)

// readEstimate reads what a plan says.
func readEstimate(screens ...*fakecore.Screen) foretold {
	estimate := foretold{most: map[int]int{}, wait: map[int]bool{}}
	for _, shown := range screens {
		if shown == nil {
			continue
		}
		for _, box := range slices.Concat(shown.Estimate, shown.Warnings) {
			estimate.unread = estimate.unread || strings.HasPrefix(box, "Unable to")
			_, detail, _ := strings.Cut(box, "\n")
			if !strings.HasPrefix(box, "Conversions ") {
				continue
			}
			for _, part := range strings.Split(detail, "\n\n") {
				for _, line := range estimated.FindAllStringSubmatch(part, -1) {
					chapter := slices.Index(chapterIDs, line[2])
					characters, err := strconv.Atoi(strings.ReplaceAll(line[1], ",", ""))
					must(err)
					estimate.most[chapter] = max(estimate.most[chapter], characters/charactersEach)
					estimate.wait[chapter] = onlyWaits.MatchString(part) || looksFirst.MatchString(part)
				}
			}
		}
	}
	return estimate
}

// checkForetold is I3: if nothing changes at the service, a green apply requests what its plan has said, and leaves nothing.
func (t *terraform) checkForetold(u *turn) {
	estimate := readEstimate(u.plan.Screen)
	_, named := estimate.most[u.chapter]
	isCreatedAgain := u.plan.Action == fakecore.Replace || u.plan.renamed // Its plan says the most.
	isTold := named && !estimate.wait[u.chapter] && !estimate.unread && !u.action && !isCreatedAgain && t.isAlone(u.managed, u.chapter)
	isStill := t.stoodStill(u.chapter, u.plan.at, u.plan.at, u.ended, u.process)
	mayLeave := u.PerApply > 0 && (!named || t.choosesAgain(u.apply, u.managed, u.plan) && !t.allStoodStill(u.plan.at, u.ended, u.process))
	if isStill && u.left && !mayLeave {
		t.breaks("I3", "resource %d: nothing changed, and the apply left %s to the next plan", u.index+1, chapterIDs[u.chapter])
	}
	if isTold && isStill && u.green() && t.requests(u.process, u.chapter) == 0 {
		t.breaks("I3", "resource %d: the plan said that %s would be converted, nothing changed, and the apply requested nothing", u.index+1, chapterIDs[u.chapter])
	}
}

func (t *terraform) requests(process, chapter int) (count int) {
	for _, p := range t.posts {
		if p.process == process && p.chapter == chapter && p.received {
			count++
		}
	}
	return count
}

// checkNamed is I9: an apply requests no chapter that its plan has not named, none more often than resources have named it, and none for more
// than they have said. Where Terraform hands nothing over from a plan to its apply, that holds without an edit.
func (t *terraform) checkNamed(a *apply) {
	number := map[int]int{}
	for _, p := range t.posts {
		if p.process != a.process || !p.received {
			continue
		}
		number[p.chapter]++
		names, most, planned, isUpdate, choosesAgain := 0, 0, a.began, true, false
		for m, plan := range a.plans {
			planned = min(planned, plan.at)
			if !slices.Contains(plan.chapters, p.chapter) {
				continue
			}
			isUpdate = isUpdate && !m.Action && (plan.Action == fakecore.Update || plan.Action == fakecore.NoOp)
			choosesAgain = choosesAgain || t.choosesAgain(a, m, plan)
			estimate := readEstimate(plan.Screen)
			cost, isNamed := estimate.most[p.chapter]
			if isNamed || estimate.unread {
				names++
			}
			if m.Action {
				names++
				cost = count(t.chapters[p.chapter].textAt(p.at))
			}
			most = max(most, cost)
			if estimate.unread {
				most = 64
			}
		}
		if !isUpdate && !t.stoodStill(p.chapter, planned, planned-time.Minute, p.at, p.process) {
			continue
		}
		if choosesAgain && !t.allStoodStill(planned, p.at, p.process) {
			continue
		}
		shown := t.chapters[p.chapter].show(p.at - time.Nanosecond)
		cost := shown.unconverted
		if cost == 0 {
			cost = shown.converted
		}
		if names < number[p.chapter] || cost > most {
			t.breaks("I9", "%s was requested at %s for the %d. time, for %d paragraphs; %d resources have named it, for %d at most",
				chapterIDs[p.chapter], p.at, number[p.chapter], cost, names, most)
		}
	}
}

// choosesAgain says whether an apply chooses its portion itself: of a creation, or of a resource that somebody has changed.
func (t *terraform) choosesAgain(a *apply, m *managed, plan *planned) bool {
	isUpdate := plan.Action == fakecore.Update || plan.Action == fakecore.NoOp
	isChanged := slices.ContainsFunc(a.Changes, func(c Change) bool { return c.Resource == m.index })
	return m.PerApply > 0 && (!isUpdate || isChanged)
}

// allStoodStill says whether nothing has happened to any chapter, and nobody else's conversion has ended.
func (t *terraform) allStoodStill(planned, until time.Duration, process int) bool {
	for number, c := range t.chapters {
		endsLater := func(j *job) bool { return j.process != process && j.at <= planned && j.end > planned }
		if slices.ContainsFunc(c.jobs, endsLater) || !t.stoodStill(number, planned, planned-time.Minute, until, process) {
			return false
		}
	}
	return true
}

// stoodStill says whether nothing has happened to the chapter from a time on but what a process has requested. Edits count from since,
// conversions of others from planned.
func (t *terraform) stoodStill(chapter int, planned, since, until time.Duration, process int) bool {
	c := t.chapters[chapter]
	within := func(at time.Duration) bool { return at > since && at <= until }
	moved := !c.exists(since) || c.deleted > 0 || len(t.Replicas) > 0 ||
		slices.ContainsFunc(c.texts[1:], func(text text) bool { return within(text.at) }) ||
		slices.ContainsFunc(c.dismissals, within) ||
		slices.ContainsFunc(t.windows, func(w dueEvent) bool { return w.due <= until && w.due+w.For > since })
	for _, j := range c.jobs {
		begins := j.process != process && j.at > planned && j.at <= until
		lags := j.process != process && j.at <= planned && j.visible(j.end)+j.CountLag > planned && since == planned
		moved = moved || begins || lags
	}
	return !moved
}
