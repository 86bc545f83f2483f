package simulation_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
)

// process is a running provider.
type process struct {
	tfprotov6.ProviderServer
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
	p.ProviderServer = provider.NewServer("test", provider.WithTransport(p.transport))()
	configured, err := p.ConfigureProvider(t.ctx, &tfprotov6.ConfigureProviderRequest{
		Config: wire(valueOf(schemas().types.provider, map[string]any{"base_url": "http://localhost", "api_key": "key"})),
	})
	if err != nil || len(configured.Diagnostics) > 0 {
		panic("the provider cannot be configured")
	}
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

// screen is what a run shows of a block.
type screen struct {
	action           string // no-op, create, update, replace
	warnings, errors []string
}

func (s *screen) print(diagnostics []*tfprotov6.Diagnostic) (failed bool) {
	for _, d := range diagnostics {
		box := d.Summary + "\n" + d.Detail
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			s.errors = append(s.errors, box)
			failed = true
		} else {
			s.warnings = append(s.warnings, box)
		}
	}
	return failed
}

func (s *screen) String() string {
	lines := []string{s.action}
	for _, e := range s.errors {
		lines = append(lines, "Error: "+e)
	}
	for _, w := range s.warnings {
		lines = append(lines, "Warning: "+w)
	}
	return strings.Join(lines, "\n")
}

func (s *screen) says(text string) bool {
	for _, boxes := range [][]string{s.errors, s.warnings} {
		for _, box := range boxes {
			if strings.Contains(box, text) {
				return true
			}
		}
	}
	return false
}
