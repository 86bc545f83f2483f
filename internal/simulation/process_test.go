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
	modest    func(*process)
}

// begin starts and configures a provider.
func (t *terraform) begin() *process {
	t.processes++
	p := &process{number: t.processes, network: mockserver.NewNetwork(t.handler(t.processes)), began: t.now(), modest: t.modest}
	p.transport = &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if t.down() {
				return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
			}
			return p.network.DialContext(ctx, network, address)
		},
		// A service that is down for a while refuses every request, also of those who were connected before.
		DisableKeepAlives: t.goesDown,
	}
	p.Provider = provider.NewServer("test", provider.WithTransport(p.transport))().(fakecore.Provider)
	t.core.Configure(p, map[string]any{"base_url": "http://localhost", "api_key": "key"}, nil)
	return p
}

func (p *process) end() {
	p.modest(p)
	p.network.Close()
	p.transport.CloseIdleConnections()
}

// processes are those of one run: one for each alias of the provider.
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

// coreT is told by the core what goes wrong: a rule that is broken is one more violation of the story.
type coreT struct{ *terraform }

func (coreT) Helper() {}

func (t coreT) Errorf(format string, arguments ...any) { t.blame("protocol", format, arguments...) }

func (coreT) Fatalf(format string, arguments ...any) { panic(fmt.Sprintf(format, arguments...)) }

func (t coreT) Context() context.Context { return t.ctx }
