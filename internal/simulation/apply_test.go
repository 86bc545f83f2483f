package simulation_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// walk is an apply on its way.
type walk struct {
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

// order is that in which blocks begin.
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
func (t *terraform) apply(r round, plans map[*resource]planned, number int) *walk {
	w := &walk{terraform: t, round: r, processes: t.beginAll(), plans: plans, number: number, began: t.now()}
	defer w.end()
	defer w.disturb()()
	done := map[*resource]chan bool{}
	for _, b := range t.blocks {
		done[b] = make(chan bool, 1)
	}
	var before *resource
	var group sync.WaitGroup
	turn := make(chan struct{}, len(t.blocks)) // parallelism
	if r.Serial {
		turn = make(chan struct{}, 1)
	}
	for _, b := range w.order(r) {
		after := before
		before = b
		do := func() {
			green := true
			if b.Depends && after != nil {
				green = <-done[after]
				done[after] <- green
			}
			turn <- struct{}{}
			green = green && w.block(b)
			<-turn
			done[b] <- green
			if !green {
				w.failed.Store(true)
			}
		}
		if r.Serial {
			do()
		} else {
			group.Go(do)
		}
	}
	group.Wait()
	return w
}

// disturb interrupts or kills the apply when it is time, unless that is called off.
func (w *walk) disturb() (callOff func()) {
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
			if _, err := p.StopProvider(w.ctx, &tfprotov6.StopProviderRequest{}); err != nil {
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

// block does what is planned with one. It reports whether what depends on it may begin.
func (w *walk) block(b *resource) bool {
	if w.stopped.Load() != nil {
		return false
	}
	plan := w.plans[b]
	w.turn(w.Events, b.index)
	if b.removed != nil && !w.Backwards && !w.destroy(b, &b.removed, b.removed.private) {
		return false
	}
	green := plan.action == "no-op" || w.resource(b, plan)
	if green && b.Action && (plan.action == "create" || plan.action == "update") {
		green = w.invoke(b)
	}
	if b.removed != nil && w.stopped.Load() == nil && !w.destroy(b, &b.removed, b.removed.private) {
		return false
	}
	return green
}

// resource creates, updates or replaces.
func (w *walk) resource(b *resource, plan planned) bool {
	b.fresh = b.fresh || b.replace
	turn := w.begins(b, plan)
	old := b.object
	if plan.action == "replace" {
		if b.CreateBeforeDestroy {
			b.object = nil
		} else if !w.destroy(b, &b.object, plan.private) {
			// Who wishes for a replacement that did not happen has to say so again, unless the object is tainted.
			b.fresh = b.fresh && !b.replace
			return false
		}
	}
	if w.stopped.Load() != nil {
		w.cutShort(b, plan, old, turn)
		return false
	}
	// Core plans again before it applies, and what was known must not have changed.
	again := w.change(w.processes[b.Alias], b, &screen{})
	if len(again.errors) > 0 {
		w.cutShort(b, plan, old, turn)
		w.trace.at(w.now(), "APPLY", "block %d: %s", b.index+1, again.screen)
		return false
	}
	if changed := differs(plan.value, again.value); changed != "" {
		w.blame("protocol", "block %d: the final plan is inconsistent: %s", b.index+1, changed)
	}
	if again.action == "no-op" {
		return true
	}
	if w.stopped.Load() != nil {
		w.cutShort(b, plan, old, turn)
		return false
	}
	green := w.applyChange(b, again, turn)
	if again.action != "update" && green && w.stopped.Load() == nil && b.unprovisioned {
		w.provision(b)
		green = false
	}
	if plan.action == "replace" && b.CreateBeforeDestroy && !w.killed.Load() {
		switch {
		case b.object == nil:
			b.object = old
		case !green || w.stopped.Load() != nil:
			b.removed = old
		default:
			green = w.destroy(b, &old, plan.private)
		}
	}
	return green
}

// cutShort is a replacement that ends between its halves.
func (w *walk) cutShort(b *resource, plan planned, old *object, turn *turn) {
	if plan.action != "replace" {
		return
	}
	if b.CreateBeforeDestroy {
		b.object = old
	} else if turn.ticketed {
		w.add(w.cut, b.Chapter)
	}
}

// applyChange is the one call that changes an object.
func (w *walk) applyChange(b *resource, plan planned, turn *turn) bool {
	prior := null()
	if b.object != nil {
		prior = b.object.value
	}
	p := w.processes[b.Alias]
	turn.called(w)
	response, err := p.ApplyResourceChange(w.ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: resourceType, PriorState: wire(prior), Config: wire(w.config(b)),
		PlannedState: wire(plan.value), PlannedPrivate: plan.private, PlannedIdentity: plan.identity,
	})
	if err != nil {
		panic(err)
	}
	if w.killed.Load() {
		turn.lost(w)
		return false
	}
	shown := &screen{action: plan.action}
	failed := shown.print(response.Diagnostics)
	result := &object{value: read(response.NewState), private: response.Private, identity: response.NewIdentity}
	w.trace.at(w.now(), "APPLY", "block %d: %s", b.index+1, shown)
	switch {
	case !failed:
		if changed := differs(plan.value, result.value); changed != "" {
			w.blame("protocol", "block %d: the result is inconsistent with the plan: %s", b.index+1, changed)
		}
		if !result.value.IsFullyKnown() {
			w.blame("protocol", "block %d: the result has unknown values: %s", b.index+1, result.value)
		}
		b.object = result
	case plan.action == "update":
		b.object = result
	case !result.value.IsNull():
		result.tainted = true
		b.object = result
	}
	turn.returned(w, shown, b.object)
	// What Terraform was interrupted in, it counts as done; but nothing else begins.
	return !failed
}

// destroy reports whether the object is gone; if not, it is still in the state. For a replacement the provider is given the
// private data that was planned for what comes after it.
func (w *walk) destroy(b *resource, doomed **object, private []byte) bool {
	began := w.now()
	response, err := w.processes[b.Alias].ApplyResourceChange(w.ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: resourceType, PriorState: wire((*doomed).value), PlannedPrivate: private,
		PlannedState: wire(null()), Config: wire(null()), PlannedIdentity: (*doomed).identity,
	})
	if err != nil {
		panic(err)
	}
	w.bounded(b, "destroying", began, w.now())
	if w.killed.Load() {
		return false
	}
	shown := &screen{action: "destroy"}
	failed := shown.print(response.Diagnostics)
	w.trace.at(w.now(), "APPLY", "block %d: %s", b.index+1, shown)
	if failed {
		(*doomed).value, (*doomed).private = read(response.NewState), response.Private
		return false
	}
	*doomed = nil
	return true
}

// invoke has the action convert the block's chapter.
func (w *walk) invoke(b *resource) bool {
	if w.stopped.Load() != nil {
		return false
	}
	p := w.processes[b.Alias]
	actions, has := p.ProviderServer.(tfprotov6.ActionServer)
	if !has {
		panic("the provider has no actions")
	}
	turn := w.invokes(b)
	turn.called(w)
	stream, err := actions.InvokeAction(w.ctx, &tfprotov6.InvokeActionRequest{ActionType: actionType, Config: wire(w.actionConfig(b))})
	if err != nil {
		panic(err)
	}
	shown, completed := &screen{action: "action"}, false
	for event := range stream.Events {
		if end, ends := event.Type.(tfprotov6.CompletedInvokeActionEventType); ends {
			shown.print(end.Diagnostics)
			completed = true
		}
	}
	w.trace.at(w.now(), "APPLY", "block %d: %s", b.index+1, shown)
	if w.killed.Load() {
		turn.lost(w)
		return false
	}
	turn.returned(w, shown, nil)
	return completed && len(shown.errors) == 0
}
