package provider_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
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

// process is a running provider.
type process struct {
	tfprotov6.ProviderServer
	framework *provider.Framework
	network   *mockserver.Network
}

const freshError = "voice not found"

var (
	aMinute = mockserver.Conversion{Takes: time.Minute}
	failing = mockserver.Conversion{Takes: time.Minute, Fails: freshError}
)

// inFakeTime runs a test with a core whose chapter is converted as given.
func inFakeTime(t *testing.T, chapter mockserver.Chapter, arguments map[string]any, test func(*core)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		service := mockserver.New()
		if chapter.Text == "" {
			chapter.Text = chapterText
		}
		service.AddProject(bookWith(chapter))
		test(&core{T: t, kind: chapterConversion, service: service, arguments: arguments})
	})
}

func going(conversions ...mockserver.Conversion) mockserver.Chapter {
	return mockserver.Chapter{Conversions: conversions}
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

func (c *core) wantPaid(want int) {
	c.Helper()
	if got := c.service.Conversions("book", "one"); got != want {
		c.Errorf("conversions paid for: got %d, want %d", got, want)
	}
}
