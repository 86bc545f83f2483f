package fakecore

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Plan is the plan for an object.
type Plan struct {
	*Screen
	Value    tftypes.Value
	Private  []byte
	Identity *tfprotov6.ResourceIdentityData
}

// Refresh reads the object as it is now; nil if it is gone. If that fails, it returns the object unchanged.
func (c *Core) Refresh(provider Provider, object *Object, shown *Screen) (now *Object, failed bool) {
	c.t.Helper()
	response, err := provider.ReadResource(c.t.Context(), &tfprotov6.ReadResourceRequest{
		TypeName: c.TypeName, CurrentState: c.Encode(object.Value), Private: object.Private, CurrentIdentity: object.Identity,
	})
	c.Must(err)
	if shown.Print(response.Diagnostics) {
		return object, true
	}
	now = &Object{Value: c.Decode(response.NewState), Private: response.Private, Identity: response.NewIdentity, Tainted: object.Tainted}
	if now.Value.IsNull() {
		return nil, false
	}
	return now, false
}

// Plan plans the change of an object, or the creation of a new one if the object is nil. Its result is shown
// below what the screen shows already. With replace it plans a replacement, whatever the provider says.
func (c *Core) Plan(provider Provider, object *Object, config tftypes.Value, replace bool, shown *Screen) *Plan {
	c.t.Helper()
	nothing := &Object{Value: c.Null()}
	if object == nil || object.Tainted {
		shown.Action = Create
		if object != nil {
			shown.Action = Replace
		}
		plan, _ := c.planFrom(provider, nothing, config, shown)
		return plan
	}
	plan, mustReplace := c.planFrom(provider, object, config, shown)
	switch {
	case len(shown.Errors) > 0:
	case mustReplace || replace:
		shown.Action = Replace
		nothing.Private = plan.Private
		again := &Screen{}
		plan, _ = c.planFrom(provider, nothing, config, again)
		plan.Screen = shown
		// Its warnings mostly repeat those of the first plan.
		if len(again.Errors) > 0 {
			shown.Print(again.Diagnostics)
		}
	case plan.Value.Equal(object.Value):
		shown.Action = NoOp
	default:
		shown.Action = Update
	}
	return plan
}

func (c *Core) planFrom(provider Provider, prior *Object, config tftypes.Value, shown *Screen) (plan *Plan, replaces bool) {
	c.t.Helper()
	valid, err := provider.ValidateResourceConfig(c.t.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: c.TypeName, Config: c.Encode(config)})
	c.Must(err)
	if shown.Print(valid.Diagnostics) {
		return &Plan{Screen: shown, Value: c.Null()}, false
	}
	response, err := provider.PlanResourceChange(c.t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: c.TypeName, PriorState: c.Encode(prior.Value), PriorPrivate: prior.Private, PriorIdentity: prior.Identity,
		Config: c.Encode(config), ProposedNewState: c.Encode(c.Propose(prior.Value, config)),
	})
	c.Must(err)
	plan = &Plan{shown, c.Decode(response.PlannedState), response.PlannedPrivate, response.PlannedIdentity}
	if shown.Print(response.Diagnostics) {
		return plan, false
	}
	planned, configured := AttributesOf(plan.Value), AttributesOf(config)
	for _, attribute := range c.Schema().Block.Attributes {
		want := configured[attribute.Name]
		if (!want.IsNull() || !attribute.Computed) && !want.Equal(planned[attribute.Name]) {
			c.t.Errorf("planned %s: got %s, want %s", attribute.Name, planned[attribute.Name], want)
		}
	}
	return plan, len(response.RequiresReplace) > 0
}

// Propose is what core proposes for a plan: the configuration, with the prior values of attributes that it does not set.
func (c *Core) Propose(prior, config tftypes.Value) tftypes.Value {
	proposed := maps.Clone(AttributesOf(config))
	for _, attribute := range c.Schema().Block.Attributes {
		if attribute.Computed && proposed[attribute.Name].IsNull() && !prior.IsNull() {
			proposed[attribute.Name] = AttributesOf(prior)[attribute.Name]
		}
	}
	return tftypes.NewValue(c.Schema().ValueType(), proposed)
}
