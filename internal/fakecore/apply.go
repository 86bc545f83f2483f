package fakecore

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Block is one in the configuration, and what the state holds of it.
type Block struct {
	Object *Object
	// Deposed is what create_before_destroy has yet to destroy.
	Deposed             *Object
	CreateBeforeDestroy bool
}

// Turn is the turn of a block in an apply.
type Turn struct {
	Core     *Core
	Provider Provider
	Block    *Block
	Config   tftypes.Value
	// Interrupted reports whether nothing else is to begin, and Killed whether nobody hears answers any more.
	Interrupted, Killed func() bool
	Watcher             Watcher
}

// Watcher is told of each call that creates, updates or destroys an object.
type Watcher interface {
	Called(action string)
	// Answered comes when the block holds what the answer leaves in the state.
	Answered(action string, shown *Screen)
	// Lost comes instead if the process was killed meanwhile.
	Lost(action string)
}

// Outcome is how a turn has ended.
type Outcome int

// The outcomes.
const (
	// Done means that the change has succeeded, or that there was nothing to do.
	Done Outcome = iota
	// Failed means that the change has failed, or that its answer was lost.
	Failed
	// NotDestroyed means that what was to be destroyed first is still there.
	NotDestroyed
	// CutShort means that the object was neither created nor updated, because of an interruption or of a final plan that failed.
	CutShort
)

// Apply does what is planned.
func (t *Turn) Apply(plan *Plan) Outcome {
	t.Core.t.Helper()
	b := t.Block
	if b.Deposed != nil && !t.Destroy(&b.Deposed, b.Deposed.Private) {
		return NotDestroyed
	}
	createsFirst := plan.Action == Replace && b.CreateBeforeDestroy
	if createsFirst {
		b.Object, b.Deposed = nil, b.Object
	} else if plan.Action == Replace && !t.Destroy(&b.Object, plan.Private) {
		return NotDestroyed
	}
	outcome := t.change(plan)
	switch {
	case !createsFirst:
	case b.Object == nil:
		b.Object, b.Deposed = b.Deposed, nil
	case outcome == Done && !t.Interrupted() && !t.Destroy(&b.Deposed, plan.Private):
		return Failed
	}
	return outcome
}

// change creates or updates. Core plans again before it does, and what was known must not have changed.
func (t *Turn) change(plan *Plan) Outcome {
	t.Core.t.Helper()
	if plan.Action == NoOp {
		return Done
	}
	if t.Interrupted() {
		return CutShort
	}
	final := t.Core.Plan(t.Provider, t.Block.Object, t.Config, false, &Screen{})
	if len(final.Errors) > 0 {
		plan.Print(final.Diagnostics)
		return CutShort
	}
	if what := changed(plan.Value, final.Value); what != "" {
		t.Core.t.Errorf("the final plan is inconsistent: %s", what)
	}
	switch {
	case final.Action == NoOp:
		return Done
	case final.Action != plan.Action && (final.Action != Create || plan.Action != Replace):
		t.Core.t.Errorf("the final plan is inconsistent: %s became %s", plan.Action, final.Action)
		return Failed
	case t.Interrupted():
		return CutShort
	}

	prior := t.Core.Null()
	if t.Block.Object != nil {
		prior = t.Block.Object.Value
	}
	response := t.call(final.Action, &tfprotov6.ApplyResourceChangeRequest{
		PriorState: t.Core.Encode(prior), Config: t.Core.Encode(t.Config),
		PlannedState: t.Core.Encode(final.Value), PlannedPrivate: final.Private, PlannedIdentity: final.Identity,
	})
	if response == nil {
		return Failed
	}
	shown := &Screen{Action: final.Action}
	failed := shown.Print(response.Diagnostics)
	result := &Object{Value: t.Core.Decode(response.NewState), Private: response.Private, Identity: response.NewIdentity}
	if !failed {
		t.wantAsPlanned(final, result)
	}
	result.Tainted = failed && final.Action == Create
	if t.Block.Object = result; result.Value.IsNull() {
		t.Block.Object = nil
	}
	t.Watcher.Answered(final.Action, shown)
	if failed {
		return Failed
	}
	return Done
}

func (t *Turn) wantAsPlanned(plan *Plan, result *Object) {
	t.Core.t.Helper()
	if what := changed(plan.Value, result.Value); what != "" {
		t.Core.t.Errorf("the result is inconsistent with the plan: %s", what)
	}
	if !result.Value.IsFullyKnown() {
		t.Core.t.Errorf("the result has unknown values: %s", result.Value)
	}
}

// Destroy reports whether the object is gone, which is nil then; if not, it is still in the state. The private data is
// what was planned: for a replacement, with what comes after it.
func (t *Turn) Destroy(doomed **Object, private []byte) (gone bool) {
	t.Core.t.Helper()
	null := t.Core.Encode(t.Core.Null())
	response := t.call(Destroy, &tfprotov6.ApplyResourceChangeRequest{
		PriorState: t.Core.Encode((*doomed).Value), Config: null, PlannedState: null,
		PlannedPrivate: private, PlannedIdentity: (*doomed).Identity,
	})
	if response == nil {
		return false
	}
	shown := &Screen{Action: Destroy}
	failed := shown.Print(response.Diagnostics)
	if failed {
		(*doomed).Value, (*doomed).Private = t.Core.Decode(response.NewState), response.Private
	} else {
		*doomed = nil
	}
	t.Watcher.Answered(Destroy, shown)
	return !failed
}

// call returns nil if the process was killed before it had answered.
func (t *Turn) call(action string, request *tfprotov6.ApplyResourceChangeRequest) *tfprotov6.ApplyResourceChangeResponse {
	t.Core.t.Helper()
	t.Watcher.Called(action)
	request.TypeName = t.Core.TypeName
	response, err := t.Provider.ApplyResourceChange(t.Core.t.Context(), request)
	if t.Killed() {
		t.Watcher.Lost(action)
		return nil
	}
	t.Core.Must(err)
	return response
}
