package fakecore

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Instance is what the state has of a block.
type Instance struct {
	Object *Object
	// Deposed is the old object that create_before_destroy has not destroyed yet.
	Deposed *Object
}

// Turn is the turn of a block in an apply.
type Turn struct {
	Core     *Core
	Provider Provider
	Instance *Instance
	Config   tftypes.Value

	// CreateBeforeDestroy is that of the block, or of a block that depends on it. The provider is not told of either.
	CreateBeforeDestroy bool
	// Forgets is `lifecycle { destroy = false }`: an object that is replaced leaves the state, and the provider is not called.
	Forgets bool
	// Interrupted reports whether nothing else may begin. Killed reports whether nobody receives answers any more.
	Interrupted, Killed func() bool
	// Provision reports whether the provisioners of a new object succeed; nil if it has none.
	Provision func() bool
	Watcher   Watcher
}

// Watcher is notified of each call that creates, updates or destroys an object.
type Watcher interface {
	Called(action string)
	// Answered is called after the answer has changed the instance.
	Answered(action string, shown *Screen)
	// Lost is called instead if the process was killed meanwhile.
	Lost(action string)
}

// Outcome is how a turn ended.
type Outcome int

// The outcomes.
const (
	// Done means that the change has succeeded, or that there was nothing to do.
	Done Outcome = iota
	// Failed means that the change has failed, or that its answer was lost.
	Failed
	// NotDestroyed means that the old object, which must be destroyed first, still exists.
	NotDestroyed
	// CutShort means that the object was neither created nor updated, because of an interruption or of a final plan that failed.
	CutShort
)

// DestroyFirst destroys what must be gone before anything is created, and reports whether it is gone. Of an apply with
// several objects, core destroys all of these before it creates one.
func (t *Turn) DestroyFirst(plan *Plan) (gone bool) {
	t.Core.t.Helper()
	i := t.Instance
	if i.Deposed != nil && !t.Destroy(&i.Deposed, i.Deposed.Private) {
		return false
	}
	if plan.Action != Replace || t.CreateBeforeDestroy || i.Object == nil {
		return true
	}
	return t.destroyReplaced(&i.Object, plan.Private)
}

// destroyReplaced destroys an object that is replaced, or forgets it.
func (t *Turn) destroyReplaced(doomed **Object, private []byte) (gone bool) {
	t.Core.t.Helper()
	if t.Forgets {
		*doomed = nil
		return true
	}
	return t.Destroy(doomed, private)
}

// Apply applies a plan. What DestroyFirst has destroyed already, it takes for gone.
func (t *Turn) Apply(plan *Plan) Outcome {
	t.Core.t.Helper()
	if !t.DestroyFirst(plan) {
		return NotDestroyed
	}
	i := t.Instance
	createsFirst := plan.Action == Replace && t.CreateBeforeDestroy
	if createsFirst {
		i.Object, i.Deposed = nil, i.Object
	}
	outcome := t.change(plan)
	switch {
	case !createsFirst:
	case i.Object == nil:
		i.Object, i.Deposed = i.Deposed, nil
	case outcome == Done && !t.Interrupted() && !t.destroyReplaced(&i.Deposed, plan.Private):
		return Failed
	}
	return outcome
}

// change creates or updates. Core plans again before that, and values that were known must not have changed.
func (t *Turn) change(plan *Plan) Outcome {
	t.Core.t.Helper()
	if plan.Action == NoOp {
		return Done
	}
	if t.Interrupted() {
		return CutShort
	}
	final := t.Core.Plan(t.Provider, t.Instance.Object, t.Config, false, &Screen{})
	if len(final.Errors) > 0 {
		plan.Print(final.Diagnostics)
		return CutShort
	}
	what := changedAttribute(plan.Value, final.Value)
	if what != "" {
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
	if t.Instance.Object != nil {
		prior = t.Instance.Object.Value
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
	t.Instance.Object = result
	if result.Value.IsNull() {
		t.Instance.Object = nil
	}
	t.Watcher.Answered(final.Action, shown)
	if !failed && final.Action == Create && !t.Interrupted() && t.Provision != nil && !t.Provision() {
		result.Tainted, failed = true, true
	}
	if failed {
		return Failed
	}
	return Done
}

func (t *Turn) wantAsPlanned(plan *Plan, result *Object) {
	t.Core.t.Helper()
	what := changedAttribute(plan.Value, result.Value)
	if what != "" {
		t.Core.t.Errorf("the result is inconsistent with the plan: %s", what)
	}
	if !result.Value.IsFullyKnown() {
		t.Core.t.Errorf("the result has unknown values: %s", result.Value)
	}
}

// Destroy reports whether the object is gone. If it is, doomed is nil afterwards; if not, it stays in the state. The
// private data is the planned one: for a replacement, that of the plan that includes the creation.
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
		left := **doomed
		left.Value, left.Private = t.Core.Decode(response.NewState), response.Private
		*doomed = &left
	} else {
		*doomed = nil
	}
	t.Watcher.Answered(Destroy, shown)
	return !failed
}

// call returns nil if the process was killed before it answered.
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
