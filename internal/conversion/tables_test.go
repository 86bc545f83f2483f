package conversion

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// impossible are combinations of facts that no look shows. TestImpossible asks that of many looks.
var impossible = []condition{
	allOf{not{pending}, failedBefore}, allOf{not{pending}, unconfirmed}, allOf{failedBefore, unconfirmed},
	allOf{documentedBusy, not{busy}}, allOf{newError, not{errorShown}},
	allOf{convertedText, not{proof}}, allOf{noneConverted, not{textLeft}}, allOf{convertedText, failureShown},
	allOf{proof, not{convertedText}, not{dateMoved}}, allOf{proof, not{convertedText}, not{seenBusy}}, allOf{proof, not{convertedText}, noneConverted},
	allOf{pending, not{failedBefore}, busy, not{seenBusy}}, allOf{pending, newError, not{failedBefore}, not{convertedText}, not{failureShown}},
	allOf{refused, not{unconfirmed}, not{seenBusy}}, allOf{unconfirmed, seenBusy},
	allOf{unconfirmed, not{refused}, anyOf{newError, dateMoved}},
	allOf{wantsNothing, followsText}, allOf{wantsNothing, forTriggers}, allOf{satisfied, forTriggers}, allOf{wantsNothing, not{satisfied}},
	allOf{satisfied, not{wantsNothing}, not{textConverted}}, allOf{satisfied, not{wantsNothing}, not{followsText}}, allOf{followsText, textConverted, not{forTriggers}, not{satisfied}},
	allOf{neverConverted, anyOf{wasUnconverted, hadDate}}, allOf{dateMoved, not{convertedBefore}},
}

// always are the facts that each look has, or has not, that leads to a table.
var always = map[*table]map[fact]bool{follow: {pending: true, failedBefore: false}, ended: {pending: true, failedBefore: false}}

// walk calls seen with each possible combination of the facts that the rules of a table ask for.
func (t *table) walk(seen func(facts)) {
	var asked []fact
	for _, each := range t.rules {
		asked = append(asked, factsIn(each.when)...)
	}
	slices.Sort(asked)
	asked = slices.Compact(asked)
	var given facts
	for f, is := range always[t] {
		given.set(f, is)
	}
	isKnown := func(f fact) bool { _, isGiven := always[t][f]; return isGiven || slices.Contains(asked, f) }
	relevant := slices.DeleteFunc(slices.Clone(impossible), func(c condition) bool {
		return slices.ContainsFunc(factsIn(c), func(f fact) bool { return !isKnown(f) })
	})
	for combination := range 1 << len(asked) {
		s := given
		for i, f := range asked {
			s.set(f, combination&(1<<i) != 0)
		}
		if !slices.ContainsFunc(relevant, func(c condition) bool { return c.holds(s) }) {
			seen(s)
		}
	}
}

func factsIn(c condition) (all []fact) {
	switch c := c.(type) {
	case fact:
		return []fact{c}
	case not:
		return factsIn(c.condition)
	case allOf:
		for _, each := range c {
			all = append(all, factsIn(each)...)
		}
	case anyOf:
		for _, each := range c {
			all = append(all, factsIn(each)...)
		}
	}
	return all
}

// rivals are, for each rule, the next one that fits some of the facts for which it is the first, and that leads elsewhere: their order decides.
// That it stands before otherwise is plain. first has, for each rule that is ever the first that fits, some of these facts.
func (t *table) rivals() (rivals map[int]int, first map[int]facts) {
	rivals, first = map[int]int{}, map[int]facts{}
	t.walk(func(s facts) {
		i := slices.IndexFunc(t.rules, func(each rule) bool { return each.when.holds(s) })
		each := t.rules[i]
		first[each.number] = s
		for _, later := range t.rules[i+1:] {
			isSame := later.then == each.then && later.reason == each.reason && later.sameFor == each.sameFor
			if known := rivals[each.number]; !isSame && later.when != (otherwise{}) && later.when.holds(s) && (known == 0 || later.number < known) {
				rivals[each.number] = later.number
			}
		}
	})
	return rivals, first
}

// TestTables: each rule is the first that fits for some facts, and the last one of a table fits always. A rule says why it stands before its
// rival exactly if it has one.
func TestTables(t *testing.T) {
	t.Parallel()
	numbers := map[int]bool{}
	for _, table := range tables {
		rivals, first := table.rivals()
		for i, each := range table.rules {
			_, isFirst := first[each.number]
			rival := rivals[each.number]
			switch {
			case numbers[each.number]:
				t.Errorf("two rules have the number %d", each.number)
			case i > 0 && each.number <= table.rules[i-1].number:
				t.Errorf("%d stands after %d", each.number, table.rules[i-1].number)
			case len(each.situations) == 0:
				t.Errorf("%d has no situation", each.number)
			case !isFirst:
				t.Errorf("%d is never the first that fits", each.number)
			case rival != 0 && each.before == "":
				t.Errorf("%d does not say why it stands before %d, which fits some of its facts, too", each.number, rival)
			case rival == 0 && each.before != "":
				t.Errorf("%d says why it stands before the others, but none that leads elsewhere fits its facts", each.number)
			}
			numbers[each.number] = true
		}
		if table.rules[len(table.rules)-1].when != (otherwise{}) {
			t.Errorf("the last rule of %s does not fit always", table.name)
		}
	}
	var asked []fact
	for _, table := range tables {
		for _, each := range table.rules {
			asked = append(asked, factsIn(each.when)...)
		}
	}
	for f := range factCount {
		if !slices.Contains(asked, f) || factTexts[f].means == "" {
			t.Errorf("no rule asks for %s, or nobody knows what it means", f)
		}
	}
}

// TestImpossible: no look of many shows what the table test takes for impossible.
func TestImpossible(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2)) // the same each time
	shown := map[string]string{}
	for range 30_000 {
		e, p := someEvidence(r)
		look := observation{askedAt: noon.Add(time.Minute), chapter: someChapter(r), pending: p}
		if p != nil {
			look.pending = p.observed(look.chapter)
		}
		s := e.factsOf(look, e.desired.Memory.Remainder)
		for _, c := range impossible {
			if c.holds(s) {
				shown[c.String()] = fmt.Sprintf("%+v %+v: %s", look.chapter, look.pending, s)
			}
		}
	}
	for _, c := range slices.Sorted(maps.Keys(shown)) {
		t.Errorf("a look shows %s: %s", c, shown[c])
	}
}

func one[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func someChapter(r *rand.Rand) audioprojects.Chapter {
	chapter := record(one(r, "default", "default", "default", "converting", "rendering", "failed"), one(r, 0, 100, 100, 200, 300),
		one(r, "", "", "", "no voice", "no credits"), one(r, 0, 50, 80, 100), one(r, 0, 0, 50, 20))
	if r.IntN(12) == 0 {
		chapter.Statistics = nil
	}
	return chapter
}

// someEvidence is a desired state, and what may be pending of a chapter that was at rest before.
func someEvidence(r *rand.Rand) (evidence, *operation) {
	yes := func() bool { return r.IntN(2) == 0 }
	desired := Desired{
		Wish: one(r, WantsNothing, WantsText, WantsConversion), New: yes(), Triggers: one(r, "", "a", "b"),
		Memory: Memory{Remainder: one(r, Remainder{}, Remainder{20, 80}), ForTriggers: yes()},
	}
	e := evidence{rules: start, desired: desired, applies: yes(), began: noon}
	before := someChapter(r)
	for before.Busy() {
		before = someChapter(r)
	}
	p := &operation{startedHere: yes(), ResumeToken: ResumeToken{
		Phase: one(r, PhaseUnconfirmed, PhaseAccepted), Origin: Requested, RequestedAtUnix: noon.Unix(), Baseline: baselineOf(before), Triggers: one(r, "", "a"), ForCreation: yes(),
	}}
	switch r.IntN(8) {
	case 0:
		return e, nil
	case 1:
		p.Origin, p.Baseline.State, p.Phase = Joined, nil, PhaseRunning
	case 2:
		p.Phase, p.Origin, p.startedHere = PhaseUnconfirmed, Joined, true
		p.answer = &audioprojects.Error{Kind: audioprojects.Rejected, Status: one(r, http.StatusConflict, http.StatusPaymentRequired)}
	case 3:
		p.startedHere = false
		p.ResumeToken = *p.asFailed("no voice", before, time.Unix(int64(one(r, 50, 150, 250)), 0))
	default:
		for range r.IntN(3) {
			p = p.observed(someChapter(r))
		}
	}
	return e, p
}
