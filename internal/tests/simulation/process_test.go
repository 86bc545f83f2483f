package simulation_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

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
	began     time.Duration
	check     func(*process)
}

// begin starts and configures a provider.
func (t *terraform) begin(alias int) *process {
	t.aliases = append(t.aliases, alias)
	number := len(t.aliases)
	service := fakecore.Paced(coreT{t}, t.handler(number))
	p := &process{number: number, network: mockserver.NewNetwork(service), began: t.now()}
	p.check = func(p *process) { t.checkRequests(p); t.checkLimit(p) }
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
	p.Provider = provider.NewServer("test", p.transport)().(fakecore.Provider)
	settings := map[string]any{"base_url": "http://localhost", "api_key": "key"}
	if t.Limit > 0 && !t.closing {
		settings["max_characters"] = t.maxCharacters()
	}
	if t.Parallel > 0 {
		settings["parallel_conversions"] = t.Parallel
	}
	t.core.Configure(p, settings, nil)
	return p
}

func (p *process) end() {
	p.check(p)
	p.network.Close()
	p.transport.CloseIdleConnections()
}

// processes are the providers of one run: one for each alias.
type processes map[int]*process

func (t *terraform) beginAll() processes {
	all := processes{}
	for _, b := range t.blocks {
		if all[b.Alias] == nil {
			all[b.Alias] = t.begin(b.Alias)
		}
	}
	return all
}

func (p processes) end() {
	for _, process := range p {
		process.end()
	}
}

// coreT receives the core's errors: if the provider breaks a rule of core, that is a violation of the story.
type coreT struct{ *terraform }

func (coreT) Helper() {}

func (t coreT) Errorf(format string, arguments ...any) {
	t.addViolation("protocol", format, arguments...)
}

func (coreT) Fatalf(format string, arguments ...any) { panic(fmt.Sprintf(format, arguments...)) }

func (t coreT) Context() context.Context { return t.ctx }

const (
	resourceType = "audioprojects_chapter_conversion"
	bookType     = "audioprojects_project_conversion"
	actionType   = "audioprojects_convert_chapter"
	bookAction   = "audioprojects_convert_project"
)

// schemas are the provider's schemas. They are the same for all processes, so they are requested once.
var schemas = sync.OnceValue(func() *tfprotov6.GetProviderSchemaResponse {
	all, err := provider.NewServer("test", nil)().GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	must(err)
	return all
})

// pending is what an object keeps of a chapter's conversion, and whether we requested that conversion.
func (w *wish) pending(o *fakecore.Object) (text string, own bool) {
	if o == nil {
		return "", false
	}
	if w.Book {
		text = keptOf(o, w.chapter)
	} else {
		text = attributeOf(o, "pending_conversion")
	}
	if text == "" {
		return "", false
	}
	var known struct {
		RequestedAtUnix *float64 `json:"requested_at_unix"`
	}
	must(json.Unmarshal([]byte(text), &known))
	return text, known.RequestedAtUnix != nil
}

// keptOf is what a book keeps of a chapter's conversion.
func keptOf(o *fakecore.Object, chapter int) string {
	var kept map[string]json.RawMessage
	text := attributeOf(o, "pending_conversions")
	if text != "" {
		must(json.Unmarshal([]byte(text), &kept))
	}
	return string(kept[chapterIDs[chapter]])
}

// chapterCount is how many chapters a book has been about.
func chapterCount(o *fakecore.Object) int {
	if o == nil {
		return 0
	}
	count := new(big.Float)
	must(fakecore.AttributesOf(o.Value)["chapter_count"].As(&count))
	whole, _ := count.Int64()
	return int(whole)
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
