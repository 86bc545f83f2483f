package simulation_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
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
func (t *terraform) begin() *process {
	t.processes++
	p := &process{number: t.processes, network: mockserver.NewNetwork(t.handler(t.processes)), began: t.now(), check: func(p *process) { t.checkRequests(p); t.checkBound(p) }}
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
	p.Provider = provider.NewServer("test", provider.WithTransport(p.transport))().(fakecore.Provider)
	settings := map[string]any{"base_url": "http://localhost", "api_key": "key"}
	if t.Bound > 0 && !t.closing {
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
			all[b.Alias] = t.begin()
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
