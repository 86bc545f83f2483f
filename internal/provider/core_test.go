package provider_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
)

// core does with one resource of the book's chapter what Terraform's core does: it refreshes,
// plans and applies over the plugin protocol, each walk in a process of its own, and holds the
// provider to the rules that core holds it to. Unlike core it lives in a synctest bubble, where
// an hour takes no time.
type core struct {
	*testing.T
	service             *mockserver.Server
	arguments           map[string]any
	createBeforeDestroy bool

	object  *object // what the state holds
	deposed *object // what create_before_destroy has yet to destroy
	// comeback is the longest that an apply took to return after it was interrupted.
	comeback time.Duration
}

// object is an object in the state.
type object struct {
	value    tftypes.Value
	private  []byte
	identity *tfprotov6.ResourceIdentityData
	tainted  bool
}

// screen is what a run of the CLI shows.
type screen struct {
	action   string // no-op, create, update or replace
	warnings []string
	errors   []string
}

func (s *screen) says(text string) bool {
	return slices.ContainsFunc(slices.Concat(s.warnings, s.errors), func(box string) bool { return strings.Contains(box, text) })
}

func (s *screen) print(diagnostics []*tfprotov6.Diagnostic) (failed bool) {
	for _, diagnostic := range diagnostics {
		box := diagnostic.Summary + "\n" + diagnostic.Detail
		if diagnostic.Severity == tfprotov6.DiagnosticSeverityError {
			s.errors = append(s.errors, box)
			failed = true
		} else {
			s.warnings = append(s.warnings, box)
		}
	}
	return failed
}

// process is a running provider.
type process struct {
	tfprotov6.ProviderServer
	network *mockserver.Network
}

// begin starts and configures the provider.
func (c *core) begin() *process {
	c.Helper()
	network := c.service.Network()
	serve := providerserver.NewProtocol6(provider.NewOver(&http.Transport{DialContext: network.DialContext}))
	p := &process{serve(), network}
	configured, err := p.ConfigureProvider(c.Context(), &tfprotov6.ConfigureProviderRequest{
		Config: c.wire(valueOf(schemas().provider, map[string]any{"base_url": "http://localhost", "api_key": mockserver.Secret})),
	})
	c.must(err, configured.Diagnostics...)
	return p
}

func (p *process) end() { p.network.Close() }

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
	read, err := p.ReadResource(c.Context(), &tfprotov6.ReadResourceRequest{
		TypeName: "audioprojects_chapter_conversion", CurrentState: c.wire(c.object.value),
		Private: c.object.private, CurrentIdentity: c.object.identity,
	})
	c.must(err)
	if shown.print(read.Diagnostics) {
		return true
	}
	c.object.value, c.object.private, c.object.identity = c.read(read.NewState), read.Private, read.NewIdentity
	if c.object.value.IsNull() {
		c.object = nil
	}
	return false
}

// change asks for the planned change. What is tainted is planned as if there were nothing.
func (c *core) change(p *process, shown *screen) planned {
	c.Helper()
	prior := &object{value: tftypes.NewValue(schemas().resource, nil)}
	if c.object != nil && !c.object.tainted {
		prior = c.object
	}
	config := c.config()
	response, err := p.PlanResourceChange(c.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: "audioprojects_chapter_conversion", PriorState: c.wire(prior.value), PriorPrivate: prior.private,
		PriorIdentity: prior.identity, Config: c.wire(config), ProposedNewState: c.wire(c.propose(prior.value, config)),
	})
	c.must(err)
	plan := planned{shown, c.read(response.PlannedState), response.PlannedPrivate, response.PlannedIdentity}
	if shown.print(response.Diagnostics) {
		return plan
	}
	for _, attribute := range schemas().attributes {
		if want := attributesOf(config)[attribute.Name]; !want.IsNull() || !attribute.Computed {
			c.wantEqual("planned "+attribute.Name, attributesOf(plan.value)[attribute.Name], want)
		}
	}
	switch {
	case c.object == nil:
		shown.action = "create"
	case c.object.tainted:
		shown.action = "replace"
	case plan.value.Equal(prior.value):
		shown.action = "no-op"
	default:
		shown.action = "update"
	}
	return plan
}

// disturbance is what befalls an apply; nothing if it is zero.
type disturbance struct{ interrupted, killed time.Duration }

// apply plans, and applies the plan.
func (c *core) apply(disturbed disturbance) *screen {
	c.Helper()
	plan := c.plan()
	shown := plan.screen
	if len(shown.errors) > 0 {
		return shown
	}
	p := c.begin()
	defer p.end()
	if c.deposed != nil {
		c.destroy(p, c.deposed)
		c.deposed = nil
	}
	if shown.action == "no-op" {
		return shown
	}
	// Core plans again before it applies, and what was known must not have changed.
	final := c.change(p, &screen{})
	c.wantConforming("final plan", plan.value, final.value)

	old := c.object
	if shown.action == "replace" && !c.createBeforeDestroy {
		c.destroy(p, old)
		c.object = nil
	}
	if !c.applyChange(p, shown, plan, disturbed) {
		return shown
	}
	if shown.action == "replace" && c.createBeforeDestroy {
		switch {
		case c.object == nil || c.object == old:
			c.object = old
		case len(shown.errors) > 0:
			c.deposed = old
		default:
			c.destroy(p, old)
		}
	}
	return shown
}

// applyChange creates or updates. It reports whether the process has survived.
func (c *core) applyChange(p *process, shown *screen, plan planned, disturbed disturbance) bool {
	c.Helper()
	prior := tftypes.NewValue(schemas().resource, nil)
	if shown.action == "update" {
		prior = c.object.value
	}
	var stopped time.Time
	stop := func() {
		stopped = time.Now()
		_, err := p.StopProvider(c.Context(), &tfprotov6.StopProviderRequest{})
		c.must(err)
	}
	killed := false
	if after := disturbed.interrupted; after > 0 {
		defer time.AfterFunc(after, stop).Stop()
	}
	if after := disturbed.killed; after > 0 {
		defer time.AfterFunc(after, func() {
			killed = true
			p.network.Close()
			stop()
		}).Stop()
	}
	response, err := p.ApplyResourceChange(c.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: "audioprojects_chapter_conversion", PriorState: c.wire(prior), Config: c.wire(c.config()),
		PlannedState: c.wire(plan.value), PlannedPrivate: plan.private, PlannedIdentity: plan.identity,
	})
	if killed {
		// Nobody has heard the answer, and the state is what it was.
		return false
	}
	c.must(err)
	if !stopped.IsZero() {
		c.comeback = max(c.comeback, time.Since(stopped))
	}
	failed := shown.print(response.Diagnostics)
	result := &object{value: c.read(response.NewState), private: response.Private, identity: response.NewIdentity}
	switch {
	case !failed:
		c.wantConforming("result", plan.value, result.value)
		if !result.value.IsFullyKnown() {
			c.Errorf("the result has unknown values: %s", result.value)
		}
		c.object = result
	case shown.action == "update":
		c.object = result
	case !result.value.IsNull():
		result.tainted = true
		c.object = result
	}
	return true
}

func (c *core) destroy(p *process, doomed *object) {
	c.Helper()
	null := tftypes.NewValue(schemas().resource, nil)
	destroyed, err := p.ApplyResourceChange(c.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: "audioprojects_chapter_conversion", PriorState: c.wire(doomed.value), PlannedPrivate: doomed.private,
		PlannedState: c.wire(null), Config: c.wire(null), PlannedIdentity: doomed.identity,
	})
	c.must(err, destroyed.Diagnostics...)
}

// restore imports the object.
func (c *core) restore(id string) {
	c.Helper()
	p := c.begin()
	defer p.end()
	imported, err := p.ImportResourceState(c.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: "audioprojects_chapter_conversion", ID: id})
	c.must(err, imported.Diagnostics...)
	found := imported.ImportedResources[0]
	c.object = &object{value: c.read(found.State), private: found.Private, identity: found.Identity}
	c.refresh(p, &screen{})
}

// wantConforming checks that what was known before is the same now.
func (c *core) wantConforming(what string, before, now tftypes.Value) {
	c.Helper()
	for name, want := range attributesOf(before) {
		if want.IsFullyKnown() {
			c.wantEqual(what+" of "+name, attributesOf(now)[name], want)
		}
	}
}

func (c *core) wantEqual(what string, got, want tftypes.Value) {
	c.Helper()
	if !got.Equal(want) {
		c.Errorf("%s: got %s, want %s", what, got, want)
	}
}
