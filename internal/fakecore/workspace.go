package fakecore

import (
	"maps"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Process is a running provider.
type Process struct {
	Provider
	// End closes the provider's connections, as the end of its process does.
	End func()
}

// Workspace is a configuration with one block, and its state.
type Workspace struct {
	*Core
	Instance
	CreateBeforeDestroy bool
	// Replaced is -replace, and Unrefreshed is -refresh=false.
	Replaced, Unrefreshed bool
	// Start starts a provider and configures it.
	Start func() *Process
	// Defaults are arguments of the block; Arguments overrides them.
	Defaults, Arguments map[string]any
	// SlowestReturn is the longest time that a call took to return after an interruption.
	SlowestReturn time.Duration
}

// Config is the block's configuration.
func (w *Workspace) Config() tftypes.Value {
	arguments := map[string]any{}
	maps.Copy(arguments, w.Defaults)
	maps.Copy(arguments, w.Arguments)
	return w.Value(arguments)
}

// Plan refreshes the object and plans.
func (w *Workspace) Plan() *Plan {
	w.t.Helper()
	p := w.Start()
	defer p.End()
	shown := &Screen{}
	if !w.Unrefreshed && w.Refresh(p, shown) {
		return &Plan{Screen: shown, Value: w.Null()}
	}
	return w.PlanChange(p, shown)
}

// Refresh refreshes the object, if there is one, and reports whether that failed.
func (w *Workspace) Refresh(provider Provider, shown *Screen) (failed bool) {
	w.t.Helper()
	if w.Object != nil {
		w.Object, failed = w.Core.Refresh(provider, w.Object, shown)
	}
	return failed
}

// PlanChange plans without a refresh.
func (w *Workspace) PlanChange(provider Provider, shown *Screen) *Plan {
	w.t.Helper()
	return w.Core.Plan(provider, w.Object, w.Config(), w.Replaced, shown)
}

// Import imports the object with an id into the state.
func (w *Workspace) Import(id string) {
	w.t.Helper()
	p := w.Start()
	defer p.End()
	w.Object = w.Core.Import(p, id, &Screen{})
}

// Interruption ends an apply early.
type Interruption struct {
	after time.Duration
	kills bool
}

// InterruptedAfter is a Ctrl-C so long after the beginning of the apply.
func InterruptedAfter(wait time.Duration) Interruption { return Interruption{after: wait} }

// KilledAfter is a SIGKILL so long after the beginning of the apply.
func KilledAfter(wait time.Duration) Interruption { return Interruption{after: wait, kills: true} }

// Apply plans, and applies the plan.
func (w *Workspace) Apply(interruptions ...Interruption) *Screen {
	w.t.Helper()
	plan := w.Plan()
	if len(plan.Errors) > 0 {
		return plan.Screen
	}
	return w.ApplyPlan(plan, interruptions...)
}

// ApplyPlan applies a plan without errors, in a process of its own.
func (w *Workspace) ApplyPlan(plan *Plan, interruptions ...Interruption) *Screen {
	w.t.Helper()
	p := w.Start()
	defer p.End()
	turn, run := w.turn(p, plan.Screen)
	for _, interruption := range interruptions {
		timer := time.AfterFunc(interruption.after, func() { run.interrupt(interruption) })
		defer timer.Stop()
	}
	turn.Apply(plan)
	return plan.Screen
}

// Destroy destroys the object without a plan, and reports whether it is gone.
func (w *Workspace) Destroy() (shown *Screen, gone bool) {
	w.t.Helper()
	p := w.Start()
	defer p.End()
	shown = &Screen{Action: Destroy}
	turn, _ := w.turn(p, shown)
	return shown, turn.Destroy(&w.Object, w.Object.Private)
}

func (w *Workspace) turn(p *Process, shown *Screen) (*Turn, *run) {
	r := &run{workspace: w, process: p, shown: shown}
	return &Turn{
		Core: w.Core, Provider: p, Instance: &w.Instance, CreateBeforeDestroy: w.CreateBeforeDestroy, Config: w.Config(), Watcher: r,
		Interrupted: func() bool { return r.interrupted.Load() != nil }, Killed: r.killed.Load,
	}, r
}

// run is an apply under way.
type run struct {
	workspace   *Workspace
	process     *Process
	shown       *Screen
	interrupted atomic.Pointer[time.Time]
	killed      atomic.Bool
}

func (r *run) interrupt(how Interruption) {
	now := time.Now()
	r.interrupted.Store(&now)
	if how.kills {
		r.killed.Store(true)
		r.process.End()
	}
	if _, err := r.process.StopProvider(r.workspace.t.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
		r.workspace.t.Errorf("%v", err)
	}
}

func (r *run) Called(string) {}

func (r *run) Answered(_ string, shown *Screen) {
	r.returned()
	r.shown.Print(shown.Diagnostics)
}

func (r *run) Lost(string) { r.returned() }

func (r *run) returned() {
	if interrupted := r.interrupted.Load(); interrupted != nil {
		r.workspace.SlowestReturn = max(r.workspace.SlowestReturn, time.Since(*interrupted))
	}
}
