package audioprojects_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// gateway stands in front of the service, and speaks TLS with HTTP/2 or HTTP/1.1, as the client chooses. It drops requests: with HTTP/2 it
// resets the stream or goes away, and with HTTP/1.1 it ends the connection.
type gateway struct {
	service *mockserver.Server
	code    http2.ErrCode // of the reset
	goesAway,
	goesAwayAtOnce, // before there is a request
	passesOn bool // the service gets the request before the gateway drops it
	drops int // how many requests are dropped

	settings              *tls.Config
	connections, received atomic.Int32
	usesHTTP2             atomic.Bool
}

// start returns a client whose connections lead to the gateway, all of them through a proxy if there is one.
func (g *gateway) start(t *testing.T, change ...func(*audioprojects.Config)) *audioprojects.Client {
	t.Helper()
	server := httptest.NewTLSServer(nil) // for its certificate
	server.Close()
	g.service = mockserver.New()
	g.service.AddProject(testProject)
	g.settings = &tls.Config{Certificates: server.TLS.Certificates, NextProtos: []string{"h2", "http/1.1"}, SessionTicketsDisabled: true}
	return connect(t, g.service, append([]func(*audioprojects.Config){func(config *audioprojects.Config) {
		config.BaseURL = baseURL(t, "https://example.com")
		config.Transport.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
		config.Transport.ForceAttemptHTTP2 = true
		config.Transport.DialContext = func(_ context.Context, _, address string) (net.Conn, error) {
			near, far := net.Pipe()
			t.Cleanup(func() { _ = far.Close() })
			go g.serve(far, address == "proxy:80")
			return near, nil
		}
	}}, change...)...)
}

func throughProxy(config *audioprojects.Config) {
	config.Transport.Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: "proxy"})
}

func (g *gateway) serve(plain net.Conn, isProxy bool) {
	defer plain.Close()
	if isProxy {
		_, err := http.ReadRequest(bufio.NewReader(plain))
		if err != nil {
			return
		}
		_, _ = io.WriteString(plain, "HTTP/1.1 200 OK\r\n\r\n")
	}
	conn := tls.Server(plain, g.settings)
	if conn.Handshake() != nil {
		return
	}
	g.connections.Add(1)
	g.usesHTTP2.Store(conn.ConnectionState().NegotiatedProtocol == "h2")
	if g.usesHTTP2.Load() {
		g.serveHTTP2(conn)
		return
	}
	request, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return
	}
	answer, isDropped := g.receive(request)
	if !isDropped {
		_ = answer.Result().Write(conn)
	}
}

// receive counts a request, and passes it on unless it is dropped before that.
func (g *gateway) receive(request *http.Request) (answer *httptest.ResponseRecorder, isDropped bool) {
	count := int(g.received.Add(1))
	isDropped = count <= g.drops
	answer = httptest.NewRecorder()
	if !isDropped || g.passesOn {
		g.service.ServeHTTP(answer, request)
	}
	return answer, isDropped
}

func (g *gateway) serveHTTP2(conn *tls.Conn) {
	_, err := io.ReadFull(conn, make([]byte, len(http2.ClientPreface)))
	if err != nil {
		return
	}
	frames := http2.NewFramer(conn, conn)
	frames.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	outgoing := make(chan func(), 10) // The client may not read before it has written.
	defer close(outgoing)
	go func() {
		for write := range outgoing {
			write()
		}
	}()
	outgoing <- func() { _ = frames.WriteSettings() }
	if g.goesAwayAtOnce {
		outgoing <- func() { _ = frames.WriteGoAway(0, http2.ErrCodeNo, nil) }
	}
	for {
		frame, err := frames.ReadFrame()
		if err != nil {
			return
		}
		headers, isRequest := frame.(*http2.MetaHeadersFrame)
		if !isRequest {
			continue
		}
		request := httptest.NewRequest(headers.PseudoValue("method"), headers.PseudoValue("path"), http.NoBody)
		for _, field := range headers.RegularFields() {
			request.Header.Add(field.Name, field.Value)
		}
		answer, isDropped := g.receive(request)
		stream := headers.StreamID
		switch {
		case isDropped && g.goesAway:
			outgoing <- func() {
				_ = frames.WriteGoAway(0, http2.ErrCodeNo, nil)
				_ = conn.Close()
			}
		case isDropped:
			outgoing <- func() { _ = frames.WriteRSTStream(stream, g.code) }
		default:
			outgoing <- func() {
				var status bytes.Buffer
				_ = hpack.NewEncoder(&status).WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
				_ = frames.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: status.Bytes(), EndHeaders: true})
				_ = frames.WriteData(stream, true, answer.Body.Next(16<<10)) // Larger frames are not allowed.
			}
		}
	}
}

// drops are the ways in which a gateway drops a request.
func drops() map[string]*gateway {
	ways := map[string]*gateway{"GOAWAY": {goesAway: true}}
	for _, code := range []http2.ErrCode{
		http2.ErrCodeNo, http2.ErrCodeProtocol, http2.ErrCodeInternal, http2.ErrCodeRefusedStream, http2.ErrCodeCancel,
		http2.ErrCodeEnhanceYourCalm, http2.ErrCodeHTTP11Required,
	} {
		ways[code.String()] = &gateway{code: code}
	}
	return ways
}

// TestConvertChapter_writtenOnce, also where net/http by itself would write it again because HTTP/2 says that it was not processed: the
// gateway that says so may have passed it on. HTTP/1.1 is one reason, and the client's own limit is another.
func TestConvertChapter_writtenOnce(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name      string
		change    func(*audioprojects.Config)
		usesHTTP2 bool
	}{
		{"", noRetries, false},
		{" through a proxy", throughProxy, false},
		{" over HTTP/2", noRetries, true},
	} {
		for _, passesOn := range []bool{false, true} {
			for way, front := range drops() {
				t.Run(way+test.name, func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						front.drops, front.passesOn = 20, passesOn
						client := front.start(t, test.change)
						if test.usesHTTP2 {
							client = client.ConvertsOverSharedTransport()
						}
						err := convert(t.Context(), client)
						received, usesHTTP2 := front.received.Load(), front.usesHTTP2.Load()
						if !errors.Is(err, audioprojects.Ambiguous) || received != 1 || usesHTTP2 != test.usesHTTP2 {
							t.Errorf("got %v after %d requests, HTTP/2: %t; want a lost answer after one", err, received, usesHTTP2)
						}
					})
				})
			}
		}
	}
}

// TestConvertChapter_notWrittenToAnotherIdleConnection: net/http takes one when it could write nothing to the first.
func TestConvertChapter_notWrittenToAnotherIdleConnection(t *testing.T) {
	t.Parallel()
	for range 10 { // Whether net/http goes on although the request has been cancelled is chance.
		synctest.Test(t, func(t *testing.T) {
			breaks := new(atomic.Bool)
			service, client := startWith(t, mockserver.Fault{Hang: time.Second, Times: 2}, func(config *audioprojects.Config) {
				dial := config.Transport.DialContext
				config.Transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
					conn, err := dial(ctx, network, address)
					return breakingConn{conn, breaks}, err
				}
			})
			client = client.ConvertsOverSharedTransport()
			var reads sync.WaitGroup
			for range 2 {
				reads.Go(func() { _ = getProject(t.Context(), client) })
			}
			reads.Wait()
			synctest.Wait() // Both connections are idle now.
			breaks.Store(true)
			wantError(t, convert(t.Context(), client), audioprojects.Ambiguous, convertFailed+"the service, or a gateway, dropped the request without an answer")
			synctest.Wait()
			wantRequests(t, service, 2) // those for the project
		})
	}
}

// breakingConn is one of several connections, of which the first one that is written to breaks.
type breakingConn struct {
	net.Conn
	breaks *atomic.Bool
}

func (c breakingConn) Write(p []byte) (int, error) {
	if c.breaks.CompareAndSwap(true, false) {
		return 0, errors.New("broken pipe")
	}
	return c.Conn.Write(p)
}

// Close takes so long that what is about to be written is written before.
func (c breakingConn) Close() error {
	for range 1000 {
		runtime.Gosched()
	}
	return c.Conn.Close()
}

// TestClient_readsAreRepeatedByNetHTTP when a gateway drops them, a few times.
func TestClient_readsAreRepeatedByNetHTTP(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name                  string
		front                 *gateway
		connections, received int32 // at most
		kind                  audioprojects.Kind
	}{
		{"a stream reset once", &gateway{code: http2.ErrCodeRefusedStream, drops: 1}, 1, 2, ""},
		{"GOAWAY once", &gateway{goesAway: true, drops: 1}, 2, 2, ""},
		{"each stream reset", &gateway{code: http2.ErrCodeRefusedStream, drops: 20}, 1, 3, audioprojects.Ambiguous},
		{"GOAWAY for each request", &gateway{goesAway: true, drops: 20}, 3, 3, audioprojects.Ambiguous},
		{"GOAWAY before each request", &gateway{goesAwayAtOnce: true, goesAway: true, drops: 20}, 3, 3, ""},
	} {
		for way, ask := range map[string]func(context.Context, *audioprojects.Client) error{"project": getProject, "audio": stream} {
			t.Run(test.name+", "+way, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					front := &gateway{code: test.front.code, goesAway: test.front.goesAway, goesAwayAtOnce: test.front.goesAwayAtOnce, drops: test.front.drops}
					err := ask(t.Context(), front.start(t, noRetries))
					connections, received := front.connections.Load(), front.received.Load()
					if connections > test.connections || received > test.received || test.kind != "" && !errors.Is(err, test.kind) {
						t.Errorf("got %v after %d connections and %d requests; want %q after %d and %d", err, connections, received, test.kind, test.connections, test.received)
					}
					if test.front.drops == 1 && err != nil {
						t.Errorf("got %v, want an answer", err)
					}
				})
			})
		}
	}
}
