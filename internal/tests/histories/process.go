package histories

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sync"
	"syscall"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// process is a running provider.
type process struct {
	fakecore.Provider
	number    int
	network   *mockserver.Network
	transport *http.Transport
}

// begin starts and configures a provider.
func (t *terraform) begin() *process {
	t.processes++
	p := &process{number: t.processes}
	p.network = mockserver.NewNetwork(fakecore.Paced(coreT{t}, t.handler(p.number)))
	p.transport = &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if t.down() {
				return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
			}
			return p.network.DialContext(ctx, network, address)
		},
		// While the service is down, it refuses every request, also of clients that were connected before.
		DisableKeepAlives: t.goesDown,
	}
	server, isComplete := provider.NewServer("test", provider.Machine{Transport: p.transport})().(fakecore.Provider)
	if !isComplete {
		panic("the server lacks actions or list resources")
	}
	p.Provider = server
	settings := map[string]any{"base_url": "http://localhost", "api_key": "key"}
	if t.Limit > 0 && !t.closing {
		settings["max_characters"] = charactersEach * t.Limit
	}
	if t.Parallel > 0 {
		settings["parallel_conversions"] = t.Parallel
	}
	t.core.Configure(p, settings, nil)
	return p
}

func (p *process) end() {
	p.network.Close()
	p.transport.CloseIdleConnections()
}

// coreT receives the core's errors: if the provider breaks a rule of core, that is a break of the history.
type coreT struct{ *terraform }

func (coreT) Helper() {}

func (t coreT) Errorf(format string, arguments ...any) { t.breaks("protocol", format, arguments...) }

func (coreT) Fatalf(format string, arguments ...any) { panic(fmt.Sprintf(format, arguments...)) }

func (t coreT) Context() context.Context { return t.ctx }

const (
	resourceType  = "audioprojects_chapter_conversion"
	bookType      = "audioprojects_project_conversion"
	chapterAction = "audioprojects_convert_chapter"
	bookAction    = "audioprojects_convert_project"
)

// schemas are the provider's schemas. They are the same for all processes, so they are requested once.
var schemas = sync.OnceValue(func() *tfprotov6.GetProviderSchemaResponse {
	all, err := provider.NewServer("test", provider.Machine{})().GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	must(err)
	return all
})

// pending is what an object keeps of a chapter's conversion, its resume token, and whether we requested that conversion.
func (m *managed) pending(o *fakecore.Object, chapter int) (token string, own bool) {
	if o == nil {
		return "", false
	}
	if m.Book {
		var kept map[string]json.RawMessage
		text := attributeOf(o, "pending_conversions")
		if text != "" {
			must(json.Unmarshal([]byte(text), &kept))
		}
		token = string(kept[chapterIDs[chapter]])
	} else {
		token = attributeOf(o, "pending_conversion")
	}
	if token == "" {
		return "", false
	}
	var known struct {
		RequestedAtUnix *float64 `json:"requested_at_unix"`
	}
	must(json.Unmarshal([]byte(token), &known))
	return token, known.RequestedAtUnix != nil
}

// attributeOf is a text of an object; empty if it is null or not known.
func attributeOf(o *fakecore.Object, name string) (text string) {
	value := fakecore.AttributesOf(o.Value)[name]
	if value.IsNull() || !value.IsKnown() {
		return ""
	}
	must(value.As(&text))
	return text
}
