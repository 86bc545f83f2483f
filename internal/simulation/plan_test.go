package simulation_test

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// terraform is Terraform's core with the objects of a story. It plans and applies over the plugin protocol, each in processes of
// their own, and holds the provider to the rules that the real one holds it to.
type terraform struct {
	*world
	*ledger
	ctx       context.Context
	blocks    []*resource
	processes int
	goesDown  bool
}

// resource is a block, and what the state holds of it.
type resource struct {
	block
	index    int
	object   *object
	removed  *object // what it was called before
	triggers int
	replace  bool // this time, because somebody said so
	written  bool

	wish
}

// object is one in the state.
type object struct {
	value    tftypes.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData
	tainted  bool
}

func (o *object) copy() *object {
	if o == nil {
		return nil
	}
	same := *o
	return &same
}

// planned is a plan for a block.
type planned struct {
	*screen
	value    tftypes.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData
	at       time.Duration
}

func (t *terraform) config(r *resource) tftypes.Value {
	arguments := map[string]any{"project_id": "book", "chapter_id": chapterIDs[r.Chapter], "keep_up_to_date": r.Keep}
	if r.triggers > 0 {
		arguments["triggers"] = map[string]any{"voice": fmt.Sprint(r.triggers)}
	}
	if r.Timeout > 0 && !t.behaving {
		arguments["timeouts"] = map[string]any{"create": r.Timeout.String(), "update": r.Timeout.String()}
	}
	return valueOf(schemas().types.resource, arguments)
}

// plan refreshes and plans every block.
func (t *terraform) plan(r round) map[*resource]planned {
	all := t.beginAll()
	defer all.end()
	plans := map[*resource]planned{}
	var mu sync.Mutex
	t.each(r, func(b *resource) {
		p := all[b.Alias]
		shown := &screen{}
		at := t.now()
		failed := false
		if !r.NoRefresh {
			for _, o := range []**object{&b.object, &b.removed} {
				failed = *o != nil && t.refresh(p, b, o, shown) || failed
			}
		}
		var plan planned
		if failed {
			plan = planned{screen: shown}
		} else {
			plan = t.change(p, b, shown)
		}
		plan.at = at
		if b.Action && len(shown.errors) == 0 && (shown.action == "create" || shown.action == "update") {
			t.planAction(p, b, shown)
		}
		t.trace.at(t.now(), "PLAN", "block %d (%s, process %d): %s", b.index+1, chapterIDs[b.Chapter], p.number, shown)
		mu.Lock()
		defer mu.Unlock()
		plans[b] = plan
	})
	return plans
}

// each does something with every block that is written: with all at a time, or one after the other.
func (t *terraform) each(r round, do func(*resource)) {
	var group sync.WaitGroup
	for _, b := range t.order(r) {
		if r.Serial {
			do(b)
		} else {
			group.Go(func() { do(b) })
		}
	}
	group.Wait()
}

// refresh reports whether it failed.
func (t *terraform) refresh(p *process, b *resource, o **object, shown *screen) (failed bool) {
	began := t.now()
	response, err := p.ReadResource(t.ctx, &tfprotov6.ReadResourceRequest{
		TypeName: resourceType, CurrentState: wire((*o).value), Private: (*o).private, CurrentIdentity: (*o).identity,
	})
	if err != nil {
		panic(err)
	}
	if shown.print(response.Diagnostics) {
		return true
	}
	now := read(response.NewState)
	t.refreshed(p, b, (*o).value, now, began)
	if now.IsNull() {
		*o = nil
		return false
	}
	*o = &object{now, response.Private, response.NewIdentity, (*o).tainted}
	return false
}

// change asks for the planned change. What is tainted, or must be replaced, is planned as if there were nothing.
func (t *terraform) change(p *process, b *resource, shown *screen) (plan planned) {
	nothing := &object{value: null()}
	replaces := false
	switch {
	case b.object == nil:
		shown.action = "create"
		plan, _ = t.changeFrom(p, b, nothing, shown)
	case b.object.tainted:
		shown.action = "replace"
		plan, _ = t.changeFrom(p, b, nothing, shown)
	default:
		plan, replaces = t.changeFrom(p, b, b.object, shown)
		switch {
		case len(shown.errors) > 0:
		case replaces || b.replace:
			shown.action = "replace"
			nothing.private = plan.private
			again := &screen{action: "replace"}
			plan, _ = t.changeFrom(p, b, nothing, again)
			shown.warnings, shown.errors = again.warnings, again.errors
			plan.screen = shown
		case plan.value.Equal(b.object.value):
			shown.action = "no-op"
		default:
			shown.action = "update"
		}
	}
	return plan
}

func (t *terraform) changeFrom(p *process, b *resource, prior *object, shown *screen) (plan planned, replaces bool) {
	config := t.config(b)
	response, err := p.PlanResourceChange(t.ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: resourceType, PriorState: wire(prior.value), PriorPrivate: prior.private, PriorIdentity: prior.identity,
		Config: wire(config), ProposedNewState: wire(propose(prior.value, config)),
	})
	if err != nil {
		panic(err)
	}
	plan = planned{screen: shown, value: read(response.PlannedState), private: response.PlannedPrivate, identity: response.PlannedIdentity}
	if shown.print(response.Diagnostics) {
		return plan, false
	}
	planned, configured := attributesOf(plan.value), attributesOf(config)
	for _, attribute := range schemas().resource.Block.Attributes {
		if want := configured[attribute.Name]; (!want.IsNull() || !attribute.Computed) && !want.Equal(planned[attribute.Name]) {
			t.blame("protocol", "planned %s is %s, not %s", attribute.Name, planned[attribute.Name], want)
		}
	}
	return plan, len(response.RequiresReplace) > 0
}

func (t *terraform) planAction(p *process, b *resource, shown *screen) {
	actions, has := p.ProviderServer.(tfprotov6.ActionServer)
	if !has {
		panic("the provider has no actions")
	}
	response, err := actions.PlanAction(t.ctx, &tfprotov6.PlanActionRequest{ActionType: actionType, Config: wire(t.actionConfig(b))})
	if err != nil {
		panic(err)
	}
	shown.print(response.Diagnostics)
}

func (t *terraform) actionConfig(b *resource) tftypes.Value {
	arguments := map[string]any{"project_id": "book", "chapter_id": chapterIDs[b.Chapter]}
	if b.Timeout > 0 && !t.behaving {
		arguments["timeout"] = b.Timeout.String()
	}
	return valueOf(schemas().types.action, arguments)
}

// state is what is in the state of every block.
func (t *terraform) state() map[*resource][2]*object {
	saved := map[*resource][2]*object{}
	for _, b := range t.blocks {
		saved[b] = [2]*object{b.object.copy(), b.removed.copy()}
	}
	return maps.Clone(saved)
}

// restore is what a run does that saves nothing.
func (t *terraform) restore(saved map[*resource][2]*object) {
	for b, objects := range saved {
		b.object, b.removed = objects[0], objects[1]
	}
}
