package simulation_test

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// applyRun is one apply.
type applyRun struct {
	*terraform
	round
	processes
	plans   map[*resource]planned
	number  int
	began   time.Duration
	stopped atomic.Pointer[time.Duration] // when the provider was asked to stop
	killed  atomic.Bool
	failed  atomic.Bool
}

// order is the order in which the blocks begin.
func (t *terraform) order(r round) []*resource {
	var order []*resource
	for _, b := range t.blocks {
		if b.written {
			order = append(order, b)
		}
	}
	if r.Backwards && !slices.ContainsFunc(order, func(b *resource) bool { return b.Depends }) {
		slices.Reverse(order)
	}
	return order
}

// apply applies plans.
func (t *terraform) apply(r round, plans map[*resource]planned, number int) *applyRun {
	w := &applyRun{terraform: t, round: r, processes: t.beginAll(), plans: plans, number: number, began: t.now()}
	defer w.end()
	defer w.disturb()()
	order := w.order(r)
	turns := map[*resource]*blockTurn{}
	done := map[*resource]chan bool{}
	for _, b := range order {
		turns[b] = w.newTurn(b)
		done[b] = make(chan bool, 1)
	}
	if !r.OneByOne {
		w.destroyFirst(order, turns)
	}
	var before *resource
	var group sync.WaitGroup
	turn := make(chan struct{}, cmp.Or(r.Parallelism, len(t.blocks)))
	for _, b := range order {
		after := before
		before = b
		do := func() {
			green := true
			if b.Depends && after != nil {
				green = <-done[after]
				done[after] <- green
			}
			if r.Parallelism > 1 {
				inTurn(b.index)
			}
			turn <- struct{}{}
			if green {
				green = turns[b].apply()
			} else {
				turns[b].neverCame()
			}
			<-turn
			done[b] <- green
			if !green {
				w.failed.Store(true)
			}
		}
		if r.Parallelism == 1 {
			do()
		} else {
			group.Go(do)
		}
	}
	group.Wait()
	w.checkForetold()
	return w
}

// destroyFirst destroys the old objects of all replacements, so many at a time: what depends on another block goes before that.
func (w *applyRun) destroyFirst(order []*resource, turns map[*resource]*blockTurn) {
	depends := slices.ContainsFunc(order, func(b *resource) bool { return b.Depends })
	var group sync.WaitGroup
	places := make(chan struct{}, cmp.Or(w.Parallelism, len(order), 1))
	for i := range order {
		b := order[i]
		if depends {
			b = order[len(order)-1-i]
		}
		if depends || w.Parallelism == 1 {
			turns[b].destroyFirst()
			continue
		}
		group.Go(func() {
			if w.Parallelism > 1 {
				inTurn(b.index)
			}
			places <- struct{}{}
			turns[b].destroyFirst()
			<-places
		})
	}
	group.Wait()
}

// disturb interrupts or kills the apply at the story's time. callOff prevents that, or waits until it is done.
func (w *applyRun) disturb() (callOff func()) {
	after := w.Interrupt
	if w.Kill > 0 {
		after = w.Kill
	}
	if after == 0 {
		return func() {}
	}
	ended := make(chan struct{})
	timer := time.AfterFunc(after, func() {
		defer close(ended)
		now := w.now()
		w.stopped.Store(&now)
		w.killed.Store(w.Kill > 0)
		w.trace.at(now, "TERRAFORM", "%s", map[bool]string{false: "Ctrl-C", true: "killed"}[w.Kill > 0])
		for _, p := range w.processes {
			if w.Kill > 0 {
				p.network.Close()
			}
			_, err := p.StopProvider(w.ctx, &tfprotov6.StopProviderRequest{})
			if err != nil {
				panic(err)
			}
		}
	})
	return func() {
		if !timer.Stop() {
			<-ended
		}
	}
}

// blockTurn is the turn of a block in an apply.
type blockTurn struct {
	*calls
	fakecore.Turn
	plan planned
	old  *fakecore.Object // as it was before the apply
	// destroyed and kept: what must be destroyed before the creation is gone, or could not be destroyed.
	destroyed, kept bool
	// hasty: it was destroyed while its chapter was shown as converting. The Delete of a single chapter waits for that.
	hasty bool
}

func (w *applyRun) newTurn(b *resource) *blockTurn {
	calls := &calls{applyRun: w, resource: b}
	return &blockTurn{calls: calls, plan: w.plans[b], old: b.Object, Turn: fakecore.Turn{
		Core: w.coreOf(b), Provider: w.processes[b.Alias], Instance: &b.Instance, Config: w.config(b), CreateBeforeDestroy: b.CreateBeforeDestroy, Forgets: b.Forgets,
		Interrupted: func() bool { return w.stopped.Load() != nil }, Killed: w.killed.Load, Watcher: calls,
		Provision: func() bool { return w.provision(b) },
	}}
}

// replaces says whether the old object is destroyed before the new one is created.
func (t *blockTurn) replaces() bool {
	return t.plan.Action == fakecore.Replace && !t.resource.CreateBeforeDestroy
}

// destroyFirst destroys what is to be gone before anything is created.
func (t *blockTurn) destroyFirst() {
	b := t.resource
	if t.stopped.Load() != nil {
		return
	}
	inTurn(b.index)
	if b.removed != nil && !t.Backwards && !t.Destroy(&b.removed, b.removed.Private) || !t.DestroyFirst(t.plan.Plan) {
		t.kept = true
		return
	}
	t.destroyed = t.replaces()
	waits := t.destroyed && !b.Book && !b.Forgets
	t.locked(func(now time.Duration) { t.hasty = waits && t.chapters[b.Chapter].show(now).busy })
}

// neverCame records that the block's turn did not begin: what it depends on has failed, or somebody has interrupted the apply.
func (t *blockTurn) neverCame() {
	if !t.destroyed {
		return
	}
	for _, wish := range t.covered() {
		wish.fresh = wish.fresh || t.replace // its creation will be a wish
		t.cutShort(t.begins(wish, t.plan, t.old))
	}
}

// cutShort records that what an old object kept is lost, because it is destroyed and there is no new one.
func (t *blockTurn) cutShort(turn *turn) {
	kept := turn.ticketed || turn.remembers()
	if t.replaces() && kept && !t.hasty {
		t.allow(turn.chapter, "I2: ended between the halves of a replacement")
		turn.forgot = turn.Book
	}
}

// apply applies the plan of one block. It reports whether the blocks that depend on it may begin.
func (t *blockTurn) apply() bool {
	w, b, plan := t.applyRun, t.resource, t.plan
	b.settled.ended = 0
	if plan.Action != fakecore.Update && plan.Action != fakecore.NoOp {
		b.settled.created = w.began
	}
	if w.stopped.Load() != nil {
		t.neverCame()
		return false
	}
	w.turn(w.Events, b.index)
	if w.OneByOne {
		t.destroyFirst()
	}
	if t.kept && b.removed != nil && !w.Backwards {
		return false
	}
	var byHand []*wish // are wishes only because somebody used -replace
	if plan.Action != fakecore.NoOp {
		for _, wish := range b.covered() {
			if b.replace && !wish.fresh {
				byHand = append(byHand, wish)
			}
			wish.fresh = wish.fresh || b.replace
			t.turns = append(t.turns, w.begins(wish, plan, t.old))
		}
	}
	outcome := fakecore.NotDestroyed
	if !t.kept {
		outcome = t.Apply(plan.Plan)
	}
	switch outcome {
	case fakecore.NotDestroyed:
		// A replacement that did not happen must be requested again, unless the object is tainted.
		for _, wish := range byHand {
			wish.fresh = false
		}
	case fakecore.CutShort:
		w.trace.at(w.now(), "APPLY", "block %d: cut short: %s", b.index+1, plan.Screen)
		for _, turn := range t.turns {
			t.cutShort(turn)
		}
	}
	green := outcome == fakecore.Done
	if green && plan.Action != fakecore.NoOp && b.Object != nil && !b.Object.Tainted {
		looked := plan.at
		if w.NoRefresh {
			looked = max(b.settled.began, b.settled.created) // A new object has not seen what was before.
		}
		b.settled = span{b.settled.created, looked, w.now(), w.stopped.Load() != nil}
	}
	if green && b.Action && (plan.Action == fakecore.Create || plan.Action == fakecore.Update) {
		green = w.invoke(b)
	}
	if b.removed != nil && w.stopped.Load() == nil && !t.Destroy(&b.removed, b.removed.Private) {
		return false
	}
	return green
}

// calls records in the ledger the calls to the provider in a block's turn.
type calls struct {
	*applyRun
	*resource
	turns []*turn // none if nothing is to be created or updated
	began time.Duration
}

// Called is called before a call to the provider.
func (c *calls) Called(action string) {
	c.began = c.now()
	if action != fakecore.Destroy {
		inTurn(c.index)
		for _, turn := range c.turns {
			turn.at = c.now()
		}
	}
}

// Answered is called when the provider has answered.
func (c *calls) Answered(action string, shown *fakecore.Screen) {
	c.trace.at(c.now(), "APPLY", "block %d: %s", c.index+1, shown)
	if action == fakecore.Destroy || len(c.turns) == 0 { // A story that is made smaller may leave a block without chapters.
		c.checkDuration(c.resource, "destroying", c.began, c.now())
		return
	}
	inTurn(c.index)
	c.checkDuration(c.resource, "applying", c.turns[0].at, c.now())
	for _, turn := range c.turns {
		turn.returned(c.applyRun, shown, c.Object)
	}
}

// Lost is called if the process was killed before it answered.
func (c *calls) Lost(action string) {
	if action == fakecore.Destroy {
		c.checkDuration(c.resource, "destroying", c.began, c.now())
		return
	}
	for _, turn := range c.turns {
		turn.lost(c.applyRun)
	}
}

// invoke runs the action that converts the block's chapters.
func (w *applyRun) invoke(b *resource) bool {
	if w.stopped.Load() != nil {
		return false
	}
	var turns []*turn
	for _, wish := range b.covered() {
		turns = append(turns, w.invokes(wish))
	}
	inTurn(b.index)
	for _, turn := range turns {
		turn.at = w.now()
	}
	shown := w.core.Invoke(w.processes[b.Alias], b.actionType(), w.actionConfig(b))
	w.trace.at(w.now(), "APPLY", "block %d: action: %s", b.index+1, shown)
	for _, turn := range turns {
		if w.killed.Load() {
			turn.lost(w)
		}
	}
	if w.killed.Load() {
		return false
	}
	inTurn(b.index)
	w.checkDuration(b, "the action", turns[0].at, w.now())
	for _, turn := range turns {
		turn.returned(w, shown.Screen, nil)
	}
	return shown.Completed && len(shown.Errors) == 0
}
