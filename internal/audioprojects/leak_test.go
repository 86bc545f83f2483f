package audioprojects_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestMain fails when a goroutine outlives the tests.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// longBody is longer than what the client reads of an error, and than what fits into the buffers of a connection.
// So a connection stays in use if the client neither reads such a body to its end nor closes it.
var longBody = strings.Repeat("0123456789", 50_000)

// ends are the ways in which a request can end. "cancelled …" are cancelled by the caller.
var ends = map[string]mockserver.Fault{
	"well":                   {},
	"well, after two resets": {Reset: true, Times: 2},
	"well, after a 503":      {Status: 503, Body: longBody, Times: 1},
	"400":                    {Status: 400, Body: longBody},
	"401":                    {Status: 401, Body: longBody},
	"404 that breaks off":    {Status: 404, Body: longBody, Truncate: 100},
	"404 without end":        {Status: 404, Body: longBody, SlowBytes: time.Hour},
	"408":                    {Status: 408, Body: longBody},
	"429":                    {Status: 429, Body: longBody, Header: http.Header{"Retry-After": {"7"}}},
	"429 for long":           {Status: 429, Body: longBody, Header: http.Header{"Retry-After": {"3600"}}},
	"500":                    {Status: 500, Body: longBody},
	"redirect elsewhere":     {Status: 302, Body: longBody, Header: http.Header{"Location": {"https://example.com/"}}},
	"redirect in a circle":   {Status: 302, Body: longBody, Header: http.Header{"Location": {"/v1/projects/p"}}},
	"redirect to nowhere":    {Status: 302, Body: longBody},
	"empty":                  {Status: 200},
	"not what was asked for": {Body: `{"wrong":"` + longBody + `"}`},
	"HTML":                   {Body: "<html>" + longBody},
	"HTML that hangs":        {Body: "<html>" + longBody, SlowBytes: time.Hour},
	"an unknown encoding":    {Body: longBody, Header: http.Header{"Content-Encoding": {"br"}}},
	"a false encoding":       {Body: longBody, Header: http.Header{"Content-Encoding": {"gzip"}}},
	"torn":                   {Truncate: 70},
	"reset":                  {Reset: true},
	"closed":                 {EOF: true},
	"no answer":              {Hang: time.Hour},
	"no end":                 {SlowBytes: time.Hour},
	"cancelled":              {Hang: 5 * cancelAfter},
	"cancelled half-way":     {SlowBytes: 5 * cancelAfter},
}

// cancelAfter is when the caller cancels.
const cancelAfter = time.Second

// receivers stop before the end of audio that arrives without a fault.
var receivers = map[string]func(audioprojects.Audio) error{
	"is not received": func(audioprojects.Audio) error { return errors.New("no room") },
	"is enough before its end": func(audio audioprojects.Audio) error {
		_, err := io.CopyN(io.Discard, audio, 100)
		return err
	},
}

func TestClient_leavesNoConnection(t *testing.T) {
	t.Parallel()
	for name, fault := range ends {
		for _, test := range operations {
			t.Run(name+"/"+string(test.operation), func(t *testing.T) {
				t.Parallel()
				ask := test.ask
				if strings.HasPrefix(name, "cancelled") {
					ask = func(ctx context.Context, client *audioprojects.Client) error {
						ctx, cancel := context.WithTimeout(ctx, cancelAfter)
						defer cancel()
						return test.ask(ctx, client)
					}
				}
				wantNoConnectionLeft(t, fault, ask)
			})
		}
	}
	for name, receive := range receivers {
		t.Run("audio "+name, func(t *testing.T) {
			t.Parallel()
			wantNoConnectionLeft(t, mockserver.Fault{}, func(ctx context.Context, client *audioprojects.Client) error {
				return client.StreamProjectSnapshot(ctx, "p", "s", false, receive)
			})
		})
	}
}

// wantNoConnectionLeft calls ask twice. It checks that at most one connection stays open for the next
// request, and none after idle connections are closed.
func wantNoConnectionLeft(t *testing.T, fault mockserver.Fault, ask func(context.Context, *audioprojects.Client) error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var open atomic.Int64
		service, client := start(t, func(config *audioprojects.Config) { countConnections(config.Transport, &open) })
		if fault.Times == 0 {
			fault.Times = -1
		}
		for range 2 {
			service.Inject(fault)
			// Other tests check whether it fails.
			_ = ask(t.Context(), client)
			synctest.Wait()
			got := open.Load()
			if got > 1 {
				t.Fatalf("got %d open connections between two requests, want one at most", got)
			}
		}
		if len(service.Journal()) == 0 {
			t.Error("no request arrived")
		}
		client.CloseIdleConnections()
		synctest.Wait()
		got := open.Load()
		if got != 0 {
			t.Errorf("got %d open connections after all idle ones were closed, want none", got)
		}
	})
}

// countConnections keeps count of the transport's open connections.
func countConnections(transport *http.Transport, open *atomic.Int64) {
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		open.Add(1)
		return &countedConn{Conn: conn, open: open}, nil
	}
}

type countedConn struct {
	net.Conn
	open   *atomic.Int64
	closed atomic.Bool
}

func (c *countedConn) Close() error {
	if c.closed.CompareAndSwap(false, true) {
		c.open.Add(-1)
	}
	return c.Conn.Close()
}
