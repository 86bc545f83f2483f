package provider_test

import (
	"context"
	"maps"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// schemas requests the schemas only once, as core does.
var schemas = sync.OnceValue(func() *tfprotov6.GetProviderSchemaResponse {
	server := provider.NewServer("test", provider.Machine{})()
	all, err := server.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		panic(err)
	}
	return all
})

// resourceType is a resource type with the default arguments of its blocks.
type resourceType struct {
	name     string
	defaults map[string]any
}

var chapterConversion = resourceType{"audioprojects_chapter_conversion", map[string]any{"project_id": "book", "chapter_id": "one"}}

// resourceTypes are all resource types.
var resourceTypes = []resourceType{chapterConversion, projectConversion, projectSnapshotAudio}

const (
	convertChapter  = "audioprojects_convert_chapter"
	convertProject  = "audioprojects_convert_project"
	keepUpToDate    = "keep_up_to_date"
	conversionError = "voice not found"
)

var (
	oneMinute = mockserver.Conversion{Takes: time.Minute}
	failing   = mockserver.Conversion{Takes: time.Minute, Fails: conversionError}
)

// core is a fake of Terraform's core with one block, and the service that its provider uses.
type core struct {
	*testing.T
	*fakecore.Workspace
	service *mockserver.Server
	ctx     context.Context // the context of every call to the provider
}

func newCore(t *testing.T, kind resourceType, service *mockserver.Server, arguments map[string]any) *core {
	c := &core{T: t, service: service, ctx: t.Context()}
	c.Workspace = &fakecore.Workspace{
		Core:     fakecore.New(c, schemas(), kind.name),
		Start:    c.begin,
		Defaults: kind.defaults, Arguments: arguments,
	}
	return c
}

// Context is the context of every call to the provider.
func (c *core) Context() context.Context { return c.ctx }

// inFakeTime runs a test in fake time, with one block for the given chapter.
func inFakeTime(t *testing.T, chapter mockserver.Chapter, arguments map[string]any, test func(*core)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		service := mockserver.New()
		if chapter.Text == "" {
			chapter.Text = acctest.ChapterText
		}
		service.AddProject(acctest.BookWith(chapter))
		test(newCore(t, chapterConversion, service, arguments))
	})
}

// withProcess does the same with a running process of the provider.
func withProcess(t *testing.T, chapter mockserver.Chapter, test func(*core, *fakecore.Process)) {
	t.Helper()
	inFakeTime(t, chapter, nil, func(c *core) {
		p := c.begin()
		defer p.End()
		test(c, p)
	})
}

// chapterWithConversions is a chapter whose conversions go as given, in this order.
func chapterWithConversions(conversions ...mockserver.Conversion) mockserver.Chapter {
	return mockserver.Chapter{Conversions: conversions}
}

// begin starts a provider and configures it.
func (c *core) begin() *fakecore.Process {
	c.Helper()
	return c.beginWith(atTheService(), nil)
}

func (c *core) beginWith(settings map[string]any, capabilities *tfprotov6.ConfigureProviderClientCapabilities) *fakecore.Process {
	c.Helper()
	p := c.connect(c.service)
	c.Configure(p, settings, capabilities)
	return p
}

// connect starts a provider that is not configured yet, whose requests go to a handler.
func (c *core) connect(service http.Handler) *fakecore.Process {
	network := mockserver.NewNetwork(fakecore.Paced(c, service))
	return process(network.DialContext, network.Close)
}

func process(dial func(ctx context.Context, network, address string) (net.Conn, error), end func()) *fakecore.Process {
	server := provider.NewServer("test", provider.Machine{Transport: &http.Transport{DialContext: dial}})()
	return &fakecore.Process{Provider: server.(fakecore.Provider), End: end}
}

// atTheService are the settings of a provider that uses the mock server.
func atTheService() map[string]any {
	return map[string]any{"base_url": "http://localhost", "api_key": mockserver.Secret}
}

// setVoice changes the triggers to those of a voice.
func (c *core) setVoice(name string) {
	if c.Arguments == nil {
		c.Arguments = map[string]any{}
	}
	c.Arguments["triggers"] = map[string]any{"voice": name}
}

// stop asks the provider to stop, as core does after Ctrl-C.
func (c *core) stop(p *fakecore.Process) {
	c.Helper()
	_, err := p.StopProvider(c.Context(), &tfprotov6.StopProviderRequest{})
	c.Must(err)
}

// pending is the resume resume token in the state; empty if there is none.
func (c *core) pending() string {
	c.Helper()
	return c.text("pending_conversion")
}

// text is a text of the object; empty if it is null.
func (c *core) text(attribute string) string {
	c.Helper()
	var text *string
	c.Must(fakecore.AttributesOf(c.Object.Value)[attribute].As(&text))
	if text == nil {
		return ""
	}
	return *text
}

// planAction plans the conversion of the book's chapter.
func (c *core) planAction(p *fakecore.Process, arguments map[string]any) *fakecore.Screen {
	c.Helper()
	return c.PlanAction(p, convertChapter, c.actionConfig(arguments))
}

// invoke invokes the action for the book's chapter.
func (c *core) invoke(p *fakecore.Process, arguments map[string]any) *fakecore.Invocation {
	c.Helper()
	return c.Invoke(p, convertChapter, c.actionConfig(arguments))
}

func (c *core) actionConfig(arguments map[string]any) tftypes.Value {
	config := map[string]any{"project_id": "book", "chapter_id": "one"}
	maps.Copy(config, arguments)
	return c.ActionConfig(convertChapter, config)
}

func (c *core) wantEqual(what string, got, want tftypes.Value) {
	c.Helper()
	if !got.Equal(want) {
		c.Errorf("%s: got %s, want %s", what, got, want)
	}
}

// wantPaid checks how many conversions of the book's chapter the service has accepted.
func (c *core) wantPaid(want int) {
	c.Helper()
	got := c.service.Conversions("book", "one")
	if got != want {
		c.Errorf("conversions paid for: got %d, want %d", got, want)
	}
}

// wantSent checks how many requests for a conversion have been sent.
func (c *core) wantSent(want int) {
	c.Helper()
	got := c.service.Count(mockserver.ConvertChapter)
	if got != want {
		c.Errorf("convert requests sent: got %d, want %d", got, want)
	}
}
