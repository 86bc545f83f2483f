package provider_test

import (
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// disturbance is what befalls an apply; nothing if it is zero.
type disturbance struct{ interrupted, killed time.Duration }

// walk is an apply on its way.
type walk struct {
	*process
	*screen
	plan    planned
	stopped atomic.Pointer[time.Time] // when the provider was asked to stop
	killed  atomic.Bool
}

// apply plans, and applies the plan.
func (c *core) apply(disturbed disturbance) *screen {
	c.Helper()
	plan := c.plan()
	if len(plan.errors) > 0 {
		return plan.screen
	}
	w := &walk{process: c.begin(), screen: plan.screen, plan: plan}
	defer w.end()
	defer c.disturb(w, disturbed)()
	if c.deposed != nil && c.destroy(w, c.deposed, c.deposed.private) {
		c.deposed = nil
	}
	if w.action == "no-op" {
		return w.screen
	}
	// Core plans again before it applies, and what was known must not have changed.
	final := c.change(w.process, &screen{})
	c.wantConforming("final plan", plan.value, final.value)

	old := c.object
	if w.action == "replace" && !c.createBeforeDestroy {
		if !c.destroy(w, old, plan.private) {
			return w.screen
		}
		c.object = nil
	}
	if w.stopped.Load() != nil || !c.applyChange(w) {
		return w.screen
	}
	if w.action == "replace" && c.createBeforeDestroy {
		switch {
		case c.object == old:
		case len(w.errors) > 0:
			c.deposed = old
		default:
			c.destroy(w, old, plan.private)
		}
	}
	return w.screen
}

// disturb interrupts or kills the apply when it is time, unless that is called off.
func (c *core) disturb(w *walk, disturbed disturbance) (callOff func()) {
	stop := func() {
		now := time.Now()
		w.stopped.Store(&now)
		if _, err := w.StopProvider(c.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
			c.Error(err)
		}
	}
	after := disturbed.interrupted
	if disturbed.killed > 0 {
		after = disturbed.killed
	}
	if after == 0 {
		return func() {}
	}
	timer := time.AfterFunc(after, func() {
		if disturbed.killed > 0 {
			w.killed.Store(true)
			w.network.Close()
		}
		stop()
	})
	return func() { timer.Stop() }
}

// answered notes how long an interrupted apply took to answer. It reports whether anybody
// has heard the answer: if the process was killed, the state is what it was.
func (c *core) answered(w *walk) bool {
	if stopped := w.stopped.Load(); stopped != nil {
		c.comeback = max(c.comeback, time.Since(*stopped))
	}
	return !w.killed.Load()
}

// applyChange creates or updates. It reports whether the process has survived.
func (c *core) applyChange(w *walk) bool {
	c.Helper()
	prior := tftypes.NewValue(c.schema().ValueType(), nil)
	if w.action == "update" {
		prior = c.object.value
	}
	response, err := w.ApplyResourceChange(c.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: c.name, PriorState: c.wire(prior), Config: c.wire(c.config()),
		PlannedState: c.wire(w.plan.value), PlannedPrivate: w.plan.private, PlannedIdentity: w.plan.identity,
	})
	if !c.answered(w) {
		return false
	}
	c.must(err)
	failed := w.print(response.Diagnostics)
	result := &object{value: c.read(response.NewState), private: response.Private, identity: response.NewIdentity}
	switch {
	case !failed:
		c.wantConforming("result", w.plan.value, result.value)
		if !result.value.IsFullyKnown() {
			c.Errorf("the result has unknown values: %s", result.value)
		}
		c.object = result
	case w.action == "update":
		c.object = result
	case !result.value.IsNull():
		result.tainted = true
		c.object = result
	}
	return true
}

// destroy reports whether the object is gone; if not, it is still in the state. The provider
// is given the private data of the plan, which for a replacement is that of the creation.
func (c *core) destroy(w *walk, doomed *object, private []byte) bool {
	c.Helper()
	null := tftypes.NewValue(c.schema().ValueType(), nil)
	response, err := w.ApplyResourceChange(c.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: c.name, PriorState: c.wire(doomed.value), PlannedPrivate: private,
		PlannedState: c.wire(null), Config: c.wire(null), PlannedIdentity: doomed.identity,
	})
	if !c.answered(w) {
		return false
	}
	c.must(err)
	if w.print(response.Diagnostics) {
		doomed.value, doomed.private = c.read(response.NewState), response.Private
		return false
	}
	return true
}
