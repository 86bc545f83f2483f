package provider_test

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// planned is a plan for the object.
type planned struct {
	*screen
	value    tftypes.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData
}

// plan refreshes the object and plans.
func (c *core) plan() planned {
	c.Helper()
	p := c.begin()
	defer p.end()
	shown := new(screen)
	if c.object != nil && c.refresh(p, shown) {
		return planned{screen: shown}
	}
	return c.change(p, shown)
}

func (c *core) refresh(p *process, shown *screen) (failed bool) {
	c.Helper()
	request := &tfprotov6.ReadResourceRequest{
		TypeName: c.name, CurrentState: c.wire(c.object.value),
		Private: c.object.private, CurrentIdentity: c.object.identity,
	}
	asked := p.framework.Reads.Load()
	read, err := p.ReadResource(c.Context(), request)
	c.must(err)
	if p.framework.Reads.Load() == asked {
		c.wantFrameworksRead(p, request, read)
	}
	if shown.print(read.Diagnostics) {
		return true
	}
	c.object.value, c.object.private, c.object.identity = c.read(read.NewState), read.Private, read.NewIdentity
	if c.object.value.IsNull() {
		c.object = nil
	}
	return false
}

// change asks for the planned change. What is tainted, or must be replaced, is planned as if
// there were nothing.
func (c *core) change(p *process, shown *screen) planned {
	c.Helper()
	nothing := &object{value: tftypes.NewValue(c.schema().ValueType(), nil)}
	if c.object == nil || c.object.tainted {
		shown.action = "create"
		if c.object != nil {
			shown.action = "replace"
		}
		plan, _ := c.changeFrom(p, nothing, shown)
		return plan
	}
	plan, replaces := c.changeFrom(p, c.object, shown)
	switch {
	case replaces:
		shown.action = "replace"
		plan, _ = c.changeFrom(p, nothing, shown)
	case plan.value.Equal(c.object.value):
		shown.action = "no-op"
	default:
		shown.action = "update"
	}
	return plan
}

func (c *core) changeFrom(p *process, prior *object, shown *screen) (plan planned, replaces bool) {
	c.Helper()
	config := c.config()
	request := &tfprotov6.PlanResourceChangeRequest{
		TypeName: c.name, PriorState: c.wire(prior.value), PriorPrivate: prior.private,
		PriorIdentity: prior.identity, Config: c.wire(config), ProposedNewState: c.wire(c.propose(prior.value, config)),
	}
	asked := p.framework.Plans.Load()
	response, err := p.PlanResourceChange(c.Context(), request)
	c.must(err)
	if p.framework.Plans.Load() == asked {
		c.wantFrameworksPlan(p, request, response)
	}
	plan = planned{shown, c.read(response.PlannedState), response.PlannedPrivate, response.PlannedIdentity}
	if shown.print(response.Diagnostics) {
		return plan, false
	}
	for _, attribute := range c.schema().Block.Attributes {
		if want := attributesOf(config)[attribute.Name]; !want.IsNull() || !attribute.Computed {
			c.wantEqual("planned "+attribute.Name, attributesOf(plan.value)[attribute.Name], want)
		}
	}
	return plan, len(response.RequiresReplace) > 0
}
