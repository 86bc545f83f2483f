package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// whileUnknown runs a test with a process whose provider block depends on what only an apply will tell.
func whileUnknown(t *testing.T, mayDefer bool, test func(*core, *process)) {
	t.Helper()
	inFakeTime(t, mockserver.Chapter{Converted: true}, nil, func(c *core) {
		p := c.beginWith(map[string]any{"base_url": tftypes.UnknownValue}, &tfprotov6.ConfigureProviderClientCapabilities{DeferralAllowed: mayDefer})
		defer p.end()
		test(c, p)
		if got := len(c.service.Journal()); got > 0 {
			c.Errorf("requests: got %d, want 0", got)
		}
	})
}

// adopted is the object that an import leaves in the state.
func (c *core) adopted() *object {
	c.Helper()
	before := len(c.service.Journal())
	c.restore("book/one")
	if after := len(c.service.Journal()); after != before+1 {
		c.Errorf("requests of the import: got %d, want 1", after-before)
	}
	c.service.ResetJournal()
	return c.object
}

func TestEverythingIsDeferredWhileTheProviderIsUnknown(t *testing.T) {
	t.Parallel()
	whileUnknown(t, true, func(c *core, p *process) {
		wantDeferred := func(what string, deferred *tfprotov6.Deferred) {
			c.Helper()
			if deferred == nil || deferred.Reason != tfprotov6.DeferredReasonProviderConfigUnknown {
				c.Errorf("%s: got %v, want it deferred until the provider is known", what, deferred)
			}
		}
		object := c.adopted()
		read, err := p.ReadResource(c.Context(), &tfprotov6.ReadResourceRequest{
			TypeName: c.name, CurrentState: c.wire(object.value), Private: object.private, CurrentIdentity: object.identity,
			ClientCapabilities: &tfprotov6.ReadResourceClientCapabilities{DeferralAllowed: true},
		})
		c.must(err, read.Diagnostics...)
		wantDeferred("refresh", read.Deferred)
		stays, err := p.PlanResourceChange(c.Context(), &tfprotov6.PlanResourceChangeRequest{
			TypeName: c.name, PriorState: c.wire(object.value), Config: c.wire(c.config()), ProposedNewState: c.wire(object.value),
			PriorPrivate: object.private, PriorIdentity: object.identity,
			ClientCapabilities: &tfprotov6.PlanResourceChangeClientCapabilities{DeferralAllowed: true},
		})
		c.must(err, stays.Diagnostics...)
		wantDeferred("plan of what stays", stays.Deferred)

		for name, kind := range map[string]kind{"conversion": chapterConversion, "audio": projectSnapshotAudio} {
			c.kind = kind
			nothing := tftypes.NewValue(c.schema().ValueType(), nil)
			planned, err := p.PlanResourceChange(c.Context(), &tfprotov6.PlanResourceChangeRequest{
				TypeName: kind.name, PriorState: c.wire(nothing), Config: c.wire(c.config()), ProposedNewState: c.wire(c.propose(nothing, c.config())),
				ClientCapabilities: &tfprotov6.PlanResourceChangeClientCapabilities{DeferralAllowed: true},
			})
			c.must(err, planned.Diagnostics...)
			wantDeferred("plan of "+name, planned.Deferred)
		}
		imported, err := p.ImportResourceState(c.Context(), &tfprotov6.ImportResourceStateRequest{
			TypeName: chapterConversion.name, ID: "book/one",
			ClientCapabilities: &tfprotov6.ImportResourceStateClientCapabilities{DeferralAllowed: true},
		})
		c.must(err, imported.Diagnostics...)
		wantDeferred("import", imported.Deferred)

		for name, schema := range schemas().DataSourceSchemas {
			read, err := p.ReadDataSource(c.Context(), &tfprotov6.ReadDataSourceRequest{
				TypeName: name, Config: c.wire(valueOf(schema.ValueType(), map[string]any{})),
				ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{DeferralAllowed: true},
			})
			c.must(err, read.Diagnostics...)
			wantDeferred(name, read.Deferred)
		}
		action, err := c.actions(p).PlanAction(c.Context(), &tfprotov6.PlanActionRequest{
			ActionType: convertChapter, Config: c.wire(actionConfig(nil)),
			ClientCapabilities: &tfprotov6.PlanActionClientCapabilities{DeferralAllowed: true},
		})
		c.must(err, action.Diagnostics...)
		wantDeferred("action", action.Deferred)
	})
}

// TestNothingIsAskedWhileTheProviderIsUnknown: most clients do not allow deferral.
func TestNothingIsAskedWhileTheProviderIsUnknown(t *testing.T) {
	t.Parallel()
	whileUnknown(t, false, func(c *core, p *process) {
		object := c.adopted()
		value, identity := object.value, object.identity
		shown := &screen{}
		c.refresh(p, shown)
		c.wantEqual("refreshed", c.object.value, value)
		if c.object.identity == nil || identity == nil {
			c.Errorf("identity: got %v after %v", c.object.identity, identity)
		}
		c.change(p, shown)
		c.object = nil
		c.change(p, shown)
		shown.want(c, "create", nil, nil)

		c.planAction(p, nil).want(c, "", nil, nil)
		c.invoke(p, nil).want(c, "", nil, []string{"Unable to convert chapter \"one\" of project \"book\"\nThe provider block depends on values that are known only after an apply"})
		_, listed := c.list(p, tfprotov6.ListResourceRequest{Limit: 1}, "book", 1)
		listed.want(c, "", nil, []string{"Unable to list chapters of project \"book\"\nThe provider block depends on values"})
	})
}
