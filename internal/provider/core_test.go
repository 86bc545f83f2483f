package provider_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
)

// core does with one object what Terraform's core does: it refreshes,
// plans and applies over the plugin protocol, each walk in a process of its own, and holds the
// provider to the rules that core holds it to. Unlike core it lives in a synctest bubble, where
// an hour takes no time.
type core struct {
	*testing.T
	kind
	service             *mockserver.Server
	arguments           map[string]any
	createBeforeDestroy bool
	logged              context.Context // what the provider is called with; nil: what the test has

	object  *object // what the state holds
	deposed *object // what create_before_destroy has yet to destroy
	// comeback is the longest that an apply took to return after it was interrupted.
	comeback time.Duration
}

// Context is what the provider is called with.
func (c *core) Context() context.Context {
	if c.logged != nil {
		return c.logged
	}
	return c.T.Context()
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
	// diagnostics are those that the boxes were made of.
	diagnostics []*tfprotov6.Diagnostic
}

func (s *screen) says(text string) bool {
	return slices.ContainsFunc(slices.Concat(s.warnings, s.errors), func(box string) bool { return strings.Contains(box, text) })
}

func (s *screen) print(diagnostics []*tfprotov6.Diagnostic) (failed bool) {
	s.diagnostics = append(s.diagnostics, diagnostics...)
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
	framework *provider.Framework
	network   *mockserver.Network
}

// begin starts and configures the provider.
func (c *core) begin() *process {
	c.Helper()
	return c.beginWith(map[string]any{"base_url": "http://localhost", "api_key": mockserver.Secret}, nil)
}

func (c *core) beginWith(settings map[string]any, capabilities *tfprotov6.ConfigureProviderClientCapabilities) *process {
	c.Helper()
	network := c.service.Network()
	server, framework := provider.NewServerOver(&http.Transport{DialContext: network.DialContext})
	p := &process{server, framework, network}
	configured, err := p.ConfigureProvider(c.Context(), &tfprotov6.ConfigureProviderRequest{
		Config: c.wire(valueOf(schemas().Provider.ValueType(), settings)), ClientCapabilities: capabilities,
	})
	c.must(err, configured.Diagnostics...)
	return p
}

func (p *process) end() { p.network.Close() }

// disturbance is what befalls an apply; nothing if it is zero.
type disturbance struct{ interrupted, killed time.Duration }

// walk is an apply on its way.
type walk struct {
	*process
	*screen
	plan    planned
	stopped atomic.Pointer[time.Time] // when the provider was asked to stop
	killed  atomic.Bool
}

// apply plans, and applies the plan.
func (c *core) apply(disturbed disturbance) *screen {
	c.Helper()
	plan := c.plan()
	if len(plan.errors) > 0 {
		return plan.screen
	}
	w := &walk{process: c.begin(), screen: plan.screen, plan: plan}
	defer w.end()
	defer c.disturb(w, disturbed)()
	if c.deposed != nil && c.destroy(w, c.deposed, c.deposed.private) {
		c.deposed = nil
	}
	if w.action == "no-op" {
		return w.screen
	}
	// Core plans again before it applies, and what was known must not have changed.
	final := c.change(w.process, &screen{})
	c.wantConforming("final plan", plan.value, final.value)

	old := c.object
	if w.action == "replace" && !c.createBeforeDestroy {
		if !c.destroy(w, old, plan.private) {
			return w.screen
		}
		c.object = nil
	}
	if w.stopped.Load() != nil || !c.applyChange(w) {
		return w.screen
	}
	if w.action == "replace" && c.createBeforeDestroy {
		switch {
		case c.object == old:
		case len(w.errors) > 0:
			c.deposed = old
		default:
			c.destroy(w, old, plan.private)
		}
	}
	return w.screen
}

// disturb interrupts or kills the apply when it is time, unless that is called off.
func (c *core) disturb(w *walk, disturbed disturbance) (callOff func()) {
	stop := func() {
		now := time.Now()
		w.stopped.Store(&now)
		_, err := w.StopProvider(c.Context(), &tfprotov6.StopProviderRequest{})
		c.must(err)
	}
	after := disturbed.interrupted
	if disturbed.killed > 0 {
		after = disturbed.killed
	}
	if after == 0 {
		return func() {}
	}
	timer := time.AfterFunc(after, func() {
		if disturbed.killed > 0 {
			w.killed.Store(true)
			w.network.Close()
		}
		stop()
	})
	return func() { timer.Stop() }
}

// answered notes how long an interrupted apply took to answer. It reports whether anybody
// has heard the answer: if the process was killed, the state is what it was.
func (c *core) answered(w *walk) bool {
	if stopped := w.stopped.Load(); stopped != nil {
		c.comeback = max(c.comeback, time.Since(*stopped))
	}
	return !w.killed.Load()
}

// applyChange creates or updates. It reports whether the process has survived.
func (c *core) applyChange(w *walk) bool {
	c.Helper()
	prior := tftypes.NewValue(c.schema().ValueType(), nil)
	if w.action == "update" {
		prior = c.object.value
	}
	response, err := w.ApplyResourceChange(c.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: c.name, PriorState: c.wire(prior), Config: c.wire(c.config()),
		PlannedState: c.wire(w.plan.value), PlannedPrivate: w.plan.private, PlannedIdentity: w.plan.identity,
	})
	if !c.answered(w) {
		return false
	}
	c.must(err)
	failed := w.print(response.Diagnostics)
	result := &object{value: c.read(response.NewState), private: response.Private, identity: response.NewIdentity}
	switch {
	case !failed:
		c.wantConforming("result", w.plan.value, result.value)
		if !result.value.IsFullyKnown() {
			c.Errorf("the result has unknown values: %s", result.value)
		}
		c.object = result
	case w.action == "update":
		c.object = result
	case !result.value.IsNull():
		result.tainted = true
		c.object = result
	}
	return true
}

// destroy reports whether the object is gone; if not, it is still in the state. The provider
// is given the private data of the plan, which for a replacement is that of the creation.
func (c *core) destroy(w *walk, doomed *object, private []byte) bool {
	c.Helper()
	null := tftypes.NewValue(c.schema().ValueType(), nil)
	response, err := w.ApplyResourceChange(c.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: c.name, PriorState: c.wire(doomed.value), PlannedPrivate: private,
		PlannedState: c.wire(null), Config: c.wire(null), PlannedIdentity: doomed.identity,
	})
	if !c.answered(w) {
		return false
	}
	c.must(err)
	if w.print(response.Diagnostics) {
		doomed.value, doomed.private = c.read(response.NewState), response.Private
		return false
	}
	return true
}

// restore imports the object.
func (c *core) restore(id string) {
	c.Helper()
	p := c.begin()
	defer p.end()
	imported, err := p.ImportResourceState(c.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: c.name, ID: id})
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
