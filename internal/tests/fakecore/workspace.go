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
	CreateBeforeDestroy, Forgets bool
	// Replaced is -replace, and Unrefreshed is -refresh=false.
	Replaced, Unrefreshed bool
	// Start starts a provider and configures it.
	Start func() *Process
	// Defaults are arguments of the block; Arguments overrides them.
	Defaults, Arguments map[string]any
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

// Interruption is a Ctrl-C so long after the beginning of an apply.
type Interruption time.Duration

// InterruptedAfter is such a Ctrl-C.
func InterruptedAfter(wait time.Duration) Interruption { return Interruption(wait) }

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
	var interrupted atomic.Bool
	turn := w.Turn(p, plan.Screen)
	turn.Interrupted = interrupted.Load
	for _, after := range interruptions {
		timer := time.AfterFunc(time.Duration(after), func() {
			interrupted.Store(true)
			_, err := p.StopProvider(w.t.Context(), &tfprotov6.StopProviderRequest{})
			if err != nil {
				w.t.Errorf("%v", err)
			}
		})
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
	return shown, w.Turn(p, shown).Destroy(&w.Object, w.Object.Private)
}

// Turn is the block's turn in an apply that nobody interrupts. What it shows is printed on the screen.
func (w *Workspace) Turn(provider Provider, shown *Screen) *Turn {
	never := func() bool { return false }
	return &Turn{
		Core: w.Core, Provider: provider, Instance: &w.Instance, CreateBeforeDestroy: w.CreateBeforeDestroy, Forgets: w.Forgets, Config: w.Config(),
		Watcher: printer{shown}, Interrupted: never, Killed: never,
	}
}

// printer prints what each call shows.
type printer struct{ *Screen }

func (printer) Called(string) {}

func (p printer) Answered(_ string, shown *Screen) { p.Print(shown.Diagnostics) }

func (printer) Lost(string) {}
