package edges_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// wireAnswer is an answer of the service on its way to the client.
type wireAnswer struct {
	status int
	header http.Header
	body   []byte
	wireForm
}

// wireForm is how an answer is written.
type wireForm struct {
	interim    string // what comes before the answer
	version    string // of HTTP; empty: 1.1
	framing    wireFraming
	delay      time.Duration       // before the answer
	packet     int                 // bytes written at a time; 0: all
	pause      time.Duration       // between the packets
	headerName func(string) string // how the names of headers are written; nil: as usual
	closes     bool                // the connection is closed after the answer
	claims     int                 // added to the Content-Length, which is wrong then
	noTLS      string              // comes in its place, and is none of TLS
	cut        *wireCut
}

// wireFraming is how an answer shows where its body ends.
type wireFraming int

const (
	wireLength  wireFraming = iota // Content-Length
	wireChunks                     // Transfer-Encoding: chunked
	wireUnended                    // the end of the connection
)

// wireCut breaks an answer off.
type wireCut struct {
	at    func(head, all int) int // after how many bytes; head is how many come before the body
	reset bool                    // the connection is reset, and not closed
}

// wireServer passes requests to the service, and its answers through change.
type wireServer struct {
	service http.Handler
	secure  bool // TLS
	two     bool // HTTP/2, with TLS
	change  func(a *wireAnswer, r *http.Request)

	asks  sync.Mutex // one request at a time
	mu    sync.Mutex
	conns []net.Conn
	all   sync.WaitGroup
}

// dial connects a client.
func (s *wireServer) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	reset := new(atomic.Bool)
	s.mu.Lock()
	s.conns = append(s.conns, ours)
	s.mu.Unlock()
	s.all.Go(func() { s.serve(wireEnd{ours, reset}) })
	return wireEnd{theirs, reset}, nil
}

// close ends all connections.
func (s *wireServer) close() {
	s.mu.Lock()
	for _, conn := range s.conns {
		_ = conn.Close()
	}
	s.mu.Unlock()
	s.all.Wait()
}

// wireEnd is one end of a connection that can be reset: its other end does not read an end then, but an error.
type wireEnd struct {
	net.Conn
	reset *atomic.Bool
}

func (c wireEnd) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if errors.Is(err, io.EOF) && c.reset.Load() {
		err = &net.OpError{Op: "read", Net: "memory", Err: syscall.ECONNRESET}
	}
	return n, err
}

// serve answers the requests of a connection, one after the other.
func (s *wireServer) serve(raw wireEnd) {
	defer raw.Close()
	conn := net.Conn(raw)
	if s.secure {
		secured := tls.Server(raw, wireTLS(s.two))
		if secured.Handshake() != nil {
			return
		}
		conn = secured
		if secured.ConnectionState().NegotiatedProtocol == "h2" {
			s.serveTwo(secured)
			return
		}
	}
	from := bufio.NewReader(conn)
	for {
		request, err := http.ReadRequest(from)
		if err != nil {
			return
		}
		a := s.ask(request)
		goesOn := a.write(conn, raw)
		if !goesOn {
			return
		}
	}
}

// ask asks the service, and changes its answer.
func (s *wireServer) ask(request *http.Request) *wireAnswer {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		panic(err)
	}
	request.Body = io.NopCloser(bytes.NewReader(body))
	s.asks.Lock()
	defer s.asks.Unlock()
	recorder := httptest.NewRecorder()
	s.service.ServeHTTP(recorder, request)
	a := &wireAnswer{status: recorder.Code, header: recorder.Header().Clone(), body: recorder.Body.Bytes()}
	a.header.Del("Content-Length")
	a.header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	s.change(a, request)
	return a
}

// bodiless are the statuses whose answers have no body.
func bodiless(status int) bool {
	return status < 200 || status == http.StatusNoContent || status == http.StatusNotModified
}

// write writes an answer, and reports whether another one may follow.
func (a *wireAnswer) write(conn net.Conn, raw wireEnd) (goesOn bool) {
	if a.noTLS != "" {
		_, _ = io.WriteString(raw, a.noTLS)
		return false
	}
	var text bytes.Buffer
	version := a.version
	if version == "" {
		version = "1.1"
	}
	closes := a.closes || version == "1.0" || a.framing == wireUnended
	fmt.Fprintf(&text, "HTTP/%s %d %s\r\n", version, a.status, http.StatusText(a.status))
	header := a.header.Clone()
	body := a.body
	switch {
	case bodiless(a.status):
		body = nil
	case a.framing == wireLength:
		header.Set("Content-Length", fmt.Sprint(len(body)+a.claims))
	case a.framing == wireChunks:
		header.Set("Transfer-Encoding", "chunked")
		body = inChunks(body)
	}
	if closes && version == "1.1" {
		header.Set("Connection", "close")
	}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		for _, value := range header[name] {
			written := name
			if a.headerName != nil {
				written = a.headerName(name)
			}
			fmt.Fprintf(&text, "%s: %s\r\n", written, value)
		}
	}
	text.WriteString("\r\n")
	head := text.Len()
	text.Write(body)
	all := append([]byte(a.interim), text.Bytes()...)
	if a.cut != nil {
		all = all[:len(a.interim)+a.cut.at(head, text.Len())]
	}
	time.Sleep(a.delay)
	const slowly = 2000 // bytes; the rest comes at once
	for len(all) > 0 {
		size := len(all)
		if a.packet > 0 && text.Len()-len(all) < slowly {
			size = min(a.packet, size)
		}
		_, err := conn.Write(all[:size])
		if err != nil {
			return false
		}
		all = all[size:]
		time.Sleep(a.pause)
	}
	switch {
	case a.cut != nil && a.cut.reset:
		raw.reset.Store(true)
		return false
	case a.cut != nil, a.claims != 0:
		return false
	case closes:
		_ = conn.Close() // With TLS, this says that it is the end.
		return false
	}
	return true
}

func inChunks(body []byte) []byte {
	var chunks bytes.Buffer
	const size = 100
	for chunk := range slices.Chunk(body, size) {
		fmt.Fprintf(&chunks, "%x\r\n%s\r\n", len(chunk), chunk)
	}
	chunks.WriteString("0\r\n\r\n")
	return chunks.Bytes()
}

// serveTwo answers the requests of a connection with HTTP/2. What breaks off there is a stream.
func (s *wireServer) serveTwo(conn net.Conn) {
	server := &http.Server{ErrorLog: log.New(io.Discard, "", 0), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := s.ask(r)
		maps.Copy(w.Header(), a.header)
		if a.framing == wireLength && !bodiless(a.status) {
			w.Header().Set("Content-Length", fmt.Sprint(len(a.body)))
		}
		body := a.body
		if a.cut != nil {
			body = body[:a.cut.at(0, len(body))]
		}
		w.WriteHeader(a.status)
		_, _ = w.Write(body)
		if a.cut != nil {
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
	})}
	server.Protocols = new(http.Protocols)
	server.Protocols.SetUnencryptedHTTP2(true) // net/http sees only a connection.
	listener := &wireListener{conn: make(chan net.Conn, 1), closed: make(chan struct{})}
	ended := make(chan struct{})
	listener.conn <- &wireConn{Conn: conn, ended: ended}
	go func() {
		<-ended
		_ = server.Close()
	}()
	_ = server.Serve(listener)
}

// wireConn notifies when a connection is closed.
type wireConn struct {
	net.Conn
	once  sync.Once
	ended chan struct{}
}

func (c *wireConn) Close() error {
	c.once.Do(func() { close(c.ended) })
	return c.Conn.Close()
}

// wireListener accepts one connection.
type wireListener struct {
	conn   chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *wireListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conn:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *wireListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *wireListener) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }

// wireTLS are the settings of the service.
func wireTLS(two bool) *tls.Config {
	settings := &tls.Config{Certificates: []tls.Certificate{wireCertificate()}}
	if two {
		settings.NextProtos = []string{"h2", "http/1.1"}
	}
	return settings
}

var wireCertificate = sync.OnceValue(func() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"}, NotBefore: time.Unix(0, 0), NotAfter: time.Unix(4e9, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		panic(err)
	}
	parsed, err := x509.ParseCertificate(signed)
	if err != nil {
		panic(err)
	}
	return tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: key, Leaf: parsed}
})

// transport is how the provider reaches the service.
func (s *wireServer) transport() *http.Transport {
	transport := &http.Transport{DialContext: s.dial}
	if s.secure {
		trusted := x509.NewCertPool()
		trusted.AddCert(wireCertificate().Leaf)
		transport.TLSClientConfig = &tls.Config{RootCAs: trusted}
		transport.ForceAttemptHTTP2 = s.two
	}
	return transport
}

// address is the base URL.
func (s *wireServer) address() string {
	if s.secure {
		return "https://localhost"
	}
	return "http://localhost"
}

// portWrittenOut is the address of a request with its port.
func (s *wireServer) portWrittenOut(path string) string {
	port := ":80"
	if s.secure {
		port = ":443"
	}
	return s.address() + port + path
}
