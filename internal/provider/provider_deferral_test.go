package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// whileUnknown runs a test with a process whose provider block has values that are unknown until the apply.
func whileUnknown(t *testing.T, mayDefer bool, test func(*core, *fakecore.Process)) {
	t.Helper()
	inFakeTime(t, mockserver.Chapter{Converted: true}, nil, func(c *core) {
		p := c.beginWith(map[string]any{"base_url": tftypes.UnknownValue}, &tfprotov6.ConfigureProviderClientCapabilities{DeferralAllowed: mayDefer})
		defer p.End()
		test(c, p)
		got := len(c.service.Journal())
		if got > 0 {
			c.Errorf("requests: got %d, want 0", got)
		}
	})
}

// adopted is the object that an import puts into the state.
func (c *core) adopted() *fakecore.Object {
	c.Helper()
	before := len(c.service.Journal())
	c.Import("book/one")
	after := len(c.service.Journal())
	if after != before+1 {
		c.Errorf("requests of the import: got %d, want 1", after-before)
	}
	c.service.ResetJournal()
	return c.Object
}

func TestUnknownProvider_defersEverything(t *testing.T) {
	t.Parallel()
	whileUnknown(t, true, func(c *core, p *fakecore.Process) {
		wantDeferred := func(what string, deferred *tfprotov6.Deferred) {
			c.Helper()
			if deferred == nil || deferred.Reason != tfprotov6.DeferredReasonProviderConfigUnknown {
				c.Errorf("%s: got %v, want it deferred until the provider is known", what, deferred)
			}
		}
		object := c.adopted()
		read, err := p.ReadResource(c.Context(), &tfprotov6.ReadResourceRequest{
			TypeName: c.TypeName, CurrentState: c.Encode(object.Value), Private: object.Private, CurrentIdentity: object.Identity,
			ClientCapabilities: &tfprotov6.ReadResourceClientCapabilities{DeferralAllowed: true},
		})
		c.Must(err, read.Diagnostics...)
		wantDeferred("refresh", read.Deferred)
		stays, err := p.PlanResourceChange(c.Context(), &tfprotov6.PlanResourceChangeRequest{
			TypeName: c.TypeName, PriorState: c.Encode(object.Value), Config: c.Encode(c.Config()), ProposedNewState: c.Encode(object.Value),
			PriorPrivate: object.Private, PriorIdentity: object.Identity,
			ClientCapabilities: &tfprotov6.PlanResourceChangeClientCapabilities{DeferralAllowed: true},
		})
		c.Must(err, stays.Diagnostics...)
		wantDeferred("plan of what stays", stays.Deferred)

		for _, kind := range resourceTypes {
			c.TypeName, c.Defaults = kind.name, kind.defaults
			nothing := tftypes.NewValue(c.Schema().ValueType(), nil)
			planned, err := p.PlanResourceChange(c.Context(), &tfprotov6.PlanResourceChangeRequest{
				TypeName: kind.name, PriorState: c.Encode(nothing), Config: c.Encode(c.Config()), ProposedNewState: c.Encode(c.Propose(nothing, c.Config())),
				ClientCapabilities: &tfprotov6.PlanResourceChangeClientCapabilities{DeferralAllowed: true},
			})
			c.Must(err, planned.Diagnostics...)
			wantDeferred("plan of "+kind.name, planned.Deferred)
		}
		imported, err := p.ImportResourceState(c.Context(), &tfprotov6.ImportResourceStateRequest{
			TypeName: chapterConversion.name, ID: "book/one",
			ClientCapabilities: &tfprotov6.ImportResourceStateClientCapabilities{DeferralAllowed: true},
		})
		c.Must(err, imported.Diagnostics...)
		wantDeferred("import", imported.Deferred)

		for name, schema := range schemas().DataSourceSchemas {
			read, err := p.ReadDataSource(c.Context(), &tfprotov6.ReadDataSourceRequest{
				TypeName: name, Config: c.Encode(fakecore.ValueOf(schema.ValueType(), map[string]any{})),
				ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{DeferralAllowed: true},
			})
			c.Must(err, read.Diagnostics...)
			wantDeferred(name, read.Deferred)
		}
		action, err := p.PlanAction(c.Context(), &tfprotov6.PlanActionRequest{
			ActionType: convertChapter, Config: c.Encode(c.actionConfig(nil)),
			ClientCapabilities: &tfprotov6.PlanActionClientCapabilities{DeferralAllowed: true},
		})
		c.Must(err, action.Diagnostics...)
		wantDeferred("action", action.Deferred)
	})
}

// TestUnknownProvider_sendsNoRequests: most clients do not allow deferral, so the provider must send nothing.
func TestUnknownProvider_sendsNoRequests(t *testing.T) {
	t.Parallel()
	whileUnknown(t, false, func(c *core, p *fakecore.Process) {
		object := c.adopted()
		value, identity := object.Value, object.Identity
		shown := &fakecore.Screen{}
		c.Refresh(p, shown)
		c.wantEqual("refreshed", c.Object.Value, value)
		if c.Object.Identity == nil || identity == nil {
			c.Errorf("identity: got %v after %v", c.Object.Identity, identity)
		}
		c.PlanChange(p, shown)
		c.Object, c.Arguments = nil, map[string]any{"chapter_id": "two"}
		c.PlanChange(p, shown)
		const unknown = "Conversions of an unknown cost in project \"book\""
		shown.Want(c, "create", []string{notAsked, unknown}, nil) // of both chapters, and of the action's

		c.planAction(p, nil).Want(c, "", nil, nil)
		c.invoke(p, nil).Want(c, "", nil, []string{"Unable to convert chapter \"one\" of project \"book\"\nThe provider block depends on values that are known only when the plan is applied"})
		_, listed := c.list(p, tfprotov6.ListResourceRequest{Limit: 1}, "book", 1)
		listed.Want(c, "", nil, []string{"Unable to list chapters of project \"book\"\nThe provider block depends on values"})
	})
}
