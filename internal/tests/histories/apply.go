package histories

import (
	"cmp"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// applying is an apply that is under way.
type applying struct {
	*terraform
	*apply
	process *process
	stops   atomic.Bool
	killed  atomic.Bool
}

// apply applies plans.
func (t *terraform) apply(r Run, plans map[*managed]*planned) {
	p := t.begin()
	defer p.end()
	a := &applying{terraform: t, process: p, apply: &apply{Run: r, process: p.number, began: t.now(), plans: plans}}
	if !t.closing {
		a.limit = t.Limit
	}
	t.applies = append(t.applies, a.apply)
	defer a.disturb()()
	tell := make([]*calls, len(t.resources))
	for i, m := range t.resources {
		tell[i] = &calls{applying: a, managed: m}
		tell[i].Turn = fakecore.Turn{
			Core: t.coreOf(m), Provider: p, Instance: &m.Instance, Config: m.config(t), CreateBeforeDestroy: m.CreateBeforeDestroy, Forgets: m.Forgets,
			Interrupted: a.stops.Load, Killed: a.killed.Load, Watcher: tell[i],
		}
	}
	gone := make([]bool, len(t.resources))
	var mu sync.Mutex
	t.each(r, func(m *managed) {
		isGone := tell[m.index].destroyFirst()
		mu.Lock()
		defer mu.Unlock()
		gone[m.index] = isGone
	})
	t.each(r, func(m *managed) {
		if gone[m.index] && !a.stops.Load() {
			tell[m.index].change()
		}
	})
}

// disturb interrupts or kills the apply at its time. callOff prevents that, or waits until it is done.
func (a *applying) disturb() (callOff func()) {
	after := cmp.Or(a.Kill, a.Interrupt)
	if after == 0 {
		return func() {}
	}
	ended := make(chan struct{})
	timer := time.AfterFunc(after, func() {
		defer close(ended)
		a.recording.Lock()
		a.stopped = a.now()
		a.recording.Unlock()
		a.killed.Store(a.Kill > 0)
		a.stops.Store(true)
		a.tell("stopped; killed: %t", a.Kill > 0)
		if a.Kill > 0 {
			a.process.network.Close()
		}
		_, err := a.process.StopProvider(a.ctx, &tfprotov6.StopProviderRequest{})
		must(err)
	})
	return func() {
		if !timer.Stop() {
			<-ended
		}
	}
}

// calls makes the calls of a resource's turn, and records them.
type calls struct {
	*applying
	*managed
	fakecore.Turn
	turns []*turn
}

// destroyFirst destroys what must be gone before anything is created.
func (c *calls) destroyFirst() (gone bool) {
	if c.stops.Load() {
		return false
	}
	if c.removed != nil && !c.Destroy(&c.removed, c.removed.Private) {
		return false
	}
	return c.DestroyFirst(c.plans[c.managed].Plan)
}

// change creates or updates, and invokes the action then.
func (c *calls) change() {
	plan := c.plans[c.managed]
	if plan.Action != fakecore.NoOp {
		c.begin(plan, false)
	}
	outcome := c.Apply(plan.Plan)
	changes := plan.Action == fakecore.Create || plan.Action == fakecore.Update
	if outcome == fakecore.Done && c.Action && changes && !c.stops.Load() {
		c.invoke(plan)
	}
}

// begin begins the turns of the resource's chapters.
func (c *calls) begin(plan *planned, action bool) {
	c.turns = nil
	for _, chapter := range c.covered(c.History) {
		_, own := c.pending(c.Object, chapter)
		c.turns = append(c.turns, &turn{
			managed: c.managed, apply: c.apply, chapter: chapter, action: action, plan: plan, converts: action || !plan.Value.IsFullyKnown(),
			continues: own, timeout: c.waitLimit(action),
		})
	}
}

// waitLimit is how long the resource, or its action, waits for one chapter. An action has a timeout of its own: the default.
func (m *managed) waitLimit(action bool) time.Duration {
	switch {
	case action && m.Book:
		return 24 * time.Hour
	case action:
		return time.Hour
	case m.Book:
		return min(cmp.Or(m.Timeout, 24*time.Hour), cmp.Or(m.ChapterTimeout, time.Hour))
	}
	return cmp.Or(m.Timeout, time.Hour)
}

// Called is called before a call to the provider.
func (c *calls) Called(action string) {
	if action != fakecore.Destroy {
		for _, turn := range c.turns {
			turn.at = c.now()
		}
	}
}

// Answered is called when the provider has answered.
func (c *calls) Answered(action string, shown *fakecore.Screen) {
	c.tell("apply of resource %d: %s: %s", c.index+1, action, shown)
	if action != fakecore.Destroy {
		c.returned(shown)
	}
}

// Lost is called instead if the process was killed before it answered.
func (c *calls) Lost(action string) {
	if action != fakecore.Destroy {
		c.returned(nil)
	}
}

// returned records how the turns ended.
func (c *calls) returned(shown *fakecore.Screen) {
	c.recording.Lock()
	defer c.recording.Unlock()
	for _, turn := range c.turns {
		turn.screen, turn.ended = shown, c.now()
	}
	c.terraform.turns = append(c.terraform.turns, c.turns...)
}

// invoke runs the action that converts the resource's chapters.
func (c *calls) invoke(plan *planned) {
	if !c.Book {
		c.want(c.terraform, desire{action: true})
	}
	c.begin(plan, true)
	c.Called("")
	actionType, config := c.actionConfig(c.terraform)
	shown := c.core.Invoke(c.process, actionType, config)
	c.tell("apply of resource %d: action: %s", c.index+1, shown)
	if c.killed.Load() {
		c.returned(nil)
		return
	}
	c.returned(shown.Screen)
}
