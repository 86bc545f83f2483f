// Package histories plays what may happen to some chapters of the service, with the real provider in a stand-in for Terraform's core, in fake
// time. It knows the truth about the service, and judges by it what the provider has paid for and reported. The tests of this
// package play all histories with few oddities, and those of simulation some with many chapters.
//
// Read it in this order:
//
//   - history: what can happen. It is the whole vocabulary. text writes and reads it.
//   - chapter, service and answers: the service, and the truth about it.
//   - play, terraform, apply and process: Terraform.
//   - judge, paid, ends and foretold: the checks.
package histories

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// Break is a broken check.
type Break struct{ Check, Text string }

func (b Break) String() string { return b.Check + ": " + b.Text }

// Result is what has become of a history.
type Result struct {
	Broken   []Break
	Requests int
	Sheet    string // all that people saw and the service did, if that was asked for
}

// mostRuns is after how many further applies the plan must be empty, beside one for each chapter of portions: a service may have to show that it converts nothing, and one apply
// may end at a failure that no refresh has seen.
const mostRuns = 4

// Play plays a history in a synctest bubble.
func Play(t *testing.T, h *History, traced bool) (r Result) {
	t.Helper()
	defer watch(h)()
	defer func() {
		trouble := recover()
		if trouble != nil {
			r.Broken = append(r.Broken, Break{"panic", fmt.Sprint(trouble)})
		}
	}()
	synctest.Test(t, func(t *testing.T) { r = playIn(t.Context(), h, traced) })
	return r
}

func playIn(ctx context.Context, h *History, traced bool) Result {
	t := &terraform{service: newService(h), ctx: ctx, trace: traced}
	t.core, t.books = fakecore.New(coreT{t}, schemas(), resourceType), fakecore.New(coreT{t}, schemas(), bookType)
	for i, r := range h.Resources {
		m := &managed{Resource: r, index: i, triggers: 1}
		if r.Untriggered {
			m.triggers = 0
		}
		t.resources = append(t.resources, m)
		if !m.follows() {
			m.want(t, desire{})
		}
	}
	for _, r := range h.Runs {
		t.goesDown = t.goesDown || slices.ContainsFunc(r.Events, func(e Event) bool { return e.What == "down" })
	}
	for _, r := range h.Runs {
		t.run(r)
	}
	t.settle()
	t.judge()
	result := Result{Broken: t.broken, Requests: len(t.posts)}
	if traced {
		result.Sheet = t.sheet()
	}
	return result
}

// settle makes the service as usual, and applies until nothing changes.
func (t *terraform) settle() {
	<-time.After(time.Minute)
	t.locked(func(time.Duration) {
		t.closing = true
		for _, c := range t.chapters {
			c.becomeUsual()
		}
	})
	t.goesDown = false
	for _, m := range t.resources {
		if m.Timeout < time.Hour { // Then it is an oddity, and not what long conversions need.
			m.Timeout, m.ChapterTimeout = 0, 0
		}
	}
	t.tell("the service is as usual from now on")
	runs := mostRuns
	if slices.ContainsFunc(t.resources, func(m *managed) bool { return m.PerApply > 0 }) {
		runs += len(t.chapters)
	}
	for number := range runs {
		plans := t.run(Run{Pause: time.Minute})
		if isEmpty(plans) {
			return
		}
		if number == runs-1 {
			t.breaks("I4", "after %d applies at a usual service, a plan is not empty: %s", number, told(plans))
		}
	}
}

func told(plans map[*managed]*planned) string {
	var b strings.Builder
	for m, plan := range plans {
		fmt.Fprintf(&b, "resource %d: %s; ", m.index+1, plan.Screen)
	}
	return b.String()
}

// isEmpty says whether plans show neither changes nor errors.
func isEmpty(plans map[*managed]*planned) bool {
	for m, plan := range plans {
		if plan.Action != fakecore.NoOp || len(plan.Errors) > 0 || m.removed != nil || m.Deposed != nil {
			return false
		}
	}
	return true
}

// run is one run of terraform apply. It returns the plans.
func (t *terraform) run(r Run) map[*managed]*planned {
	<-time.After(r.Pause)
	for _, m := range t.resources {
		m.replace = false
	}
	for _, change := range r.Changes {
		t.make(change)
	}
	t.schedule(r.Events)
	saved := t.state()
	plans := t.plan(r)
	for _, plan := range plans {
		if len(plan.Errors) > 0 {
			for m, was := range saved { // A plan with errors saves nothing.
				m.Instance, m.removed = was.Instance, was.removed
			}
			return plans
		}
	}
	<-time.After(r.Think)
	if !isEmpty(plans) {
		t.apply(r, plans)
	}
	return plans
}

// state is a copy of the state. The copy stays as it is, because a refresh and an apply replace objects and change none.
func (t *terraform) state() map[*managed]managed {
	saved := map[*managed]managed{}
	for _, m := range t.resources {
		saved[m] = *m
	}
	return saved
}

// make applies a change that somebody makes to a resource.
func (t *terraform) make(change Change) {
	m := t.resources[change.Resource]
	t.tell("%s: resource %d", change.What, m.index+1)
	exists := m.Object != nil && !m.Object.Tainted
	switch change.What {
	case "taint", "replace":
		if !exists {
			return
		}
		if change.What == "taint" {
			tainted := *m.Object
			tainted.Tainted = true
			m.Object = &tainted
		}
		m.replace = change.What == "replace"
		m.wantAnew(t)
	case "untaint":
		untainted := *m.Object
		untainted.Tainted = false
		m.Object = &untainted
	case "triggers":
		isFirst := m.triggers == 0
		m.triggers++
		_, own := m.pending(m.Object, m.Chapter)
		if !isFirst && (exists || own && !m.follows()) {
			m.want(t, desire{triggers: true})
		}
	case "untrigger":
		m.triggers = 0
		m.dropTriggers(t, func(int) bool { return true })
	case "chapters":
		m.Chapters = change.Chapters
		m.dropTriggers(t, func(chapter int) bool { return !m.covers(chapter) })
	case "keep":
		m.Keep = !m.Keep
	case "timeout":
		m.Timeout = change.For
	case "rename":
		if m.Object != nil && m.removed == nil {
			m.wantAnew(t)
			m.Object, m.removed = nil, m.Object
		}
	default:
		panic("no such change: " + change.What)
	}
}

// dropTriggers drops the desires for changed triggers that nobody has any more.
func (m *managed) dropTriggers(t *terraform, leaves func(chapter int) bool) {
	for _, d := range m.desires {
		if d.triggers && d.served == 0 && leaves(d.chapter) {
			d.served = t.now()
		}
	}
}

// wantAnew adds the desires of a resource that is replaced. It waits for what is pending, and wants no other conversion then.
func (m *managed) wantAnew(t *terraform) {
	if m.follows() {
		return
	}
	_, own := m.pending(m.Object, m.Chapter)
	if !own {
		m.want(t, desire{})
	}
}

// sheet is what people saw and the service did, in the order of time.
func (t *terraform) sheet() string {
	var b strings.Builder
	moments := slices.Clone(t.screens)
	for i, c := range t.chapters {
		for _, j := range c.jobs {
			who := "somebody's"
			if j.process > 0 {
				who = "the provider's"
			}
			moments = append(moments, screen{j.at, fmt.Sprintf("%s conversion of %s is accepted", who, chapterIDs[i])},
				screen{j.end, fmt.Sprintf("%s conversion of %s ends: %s", who, chapterIDs[i], []string{"well", "in error", "cancelled"}[j.Ends])})
		}
		for _, text := range c.texts[1:] {
			moments = append(moments, screen{text.at, fmt.Sprintf("the text of %s is edited: %d paragraphs", chapterIDs[i], count(text.paragraphs))})
		}
	}
	var before listing
	for _, l := range t.lists {
		if l.process != before.process || l.json() != before.json() {
			moments = append(moments, screen{l.asked, fmt.Sprintf("process %d is shown %s", l.process, l.json())})
		}
		before = l
	}
	for _, p := range t.posts {
		moments = append(moments, screen{p.at, fmt.Sprintf("PROCESS %d REQUESTS %s: %d", p.process, chapterIDs[p.chapter], p.status)})
	}
	slices.SortStableFunc(moments, func(a, b screen) int { return cmp.Compare(a.at, b.at) })
	for _, m := range moments {
		fmt.Fprintf(&b, "%9s  %s\n", m.at.Truncate(time.Millisecond), m.what)
	}
	for i, c := range t.chapters {
		fmt.Fprintf(&b, "in the end: %s has %d paragraphs, of which %d are not converted\n", chapterIDs[i], count(c.textAt(t.now())), count(c.openAt(t.now())))
	}
	return b.String()
}
