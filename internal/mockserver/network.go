package mockserver

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
)

// Network connects clients with a handler in memory, so that both can run in one testing/synctest bubble. Every address
// leads to the handler.
type Network struct {
	server   *http.Server
	incoming chan net.Conn
	closed   chan struct{}
	close    sync.Once
	served   chan struct{}
	down     atomic.Bool
}

// Network starts serving the service in memory. Close it before the bubble ends.
func (s *Server) Network() *Network { return NewNetwork(s) }

// NewNetwork starts serving a handler in memory, such as one that wraps a [Server].
func NewNetwork(handler http.Handler) *Network {
	n := &Network{
		server:   &http.Server{Handler: handler},
		incoming: make(chan net.Conn),
		closed:   make(chan struct{}),
		served:   make(chan struct{}),
	}
	go func() {
		defer close(n.served)
		err := n.server.Serve(listener{n})
		if !errors.Is(err, http.ErrServerClosed) {
			panic(err)
		}
	}()
	return n
}

// DialContext connects to the handler; it fits [http.Transport.DialContext].
func (n *Network) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	refused := &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
	if n.down.Load() {
		return nil, refused
	}
	ours, theirs := net.Pipe()
	var reset atomic.Bool
	select {
	case n.incoming <- serverEnd{ours, &reset}:
		return clientEnd{theirs, &reset}, nil
	case <-n.closed:
		return nil, refused
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Down refuses new connections, and closes each old one after its current request is answered. Down(false) accepts
// connections again.
func (n *Network) Down(down bool) {
	n.down.Store(down)
	n.server.SetKeepAlivesEnabled(!down)
}

// Close stops serving and closes all connections.
func (n *Network) Close() {
	if err := n.server.Close(); err != nil {
		panic(err)
	}
	<-n.served
}

// listener lets [http.Server] accept the connections of a Network.
type listener struct{ *Network }

func (l listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.incoming:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l listener) Close() error {
	l.close.Do(func() { close(l.closed) })
	return nil
}

func (l listener) Addr() net.Addr { return memory{} }

type memory struct{}

func (memory) Network() string { return "memory" }
func (memory) String() string  { return "memory" }

// serverEnd has the SetLinger of a TCP connection, so that its Close can be a reset.
type serverEnd struct {
	net.Conn
	reset *atomic.Bool
}

func (c serverEnd) SetLinger(int) error {
	c.reset.Store(true)
	return nil
}

// clientEnd returns ECONNRESET after a reset, and io.EOF after a normal close. A pipe alone returns io.EOF for both.
type clientEnd struct {
	net.Conn
	reset *atomic.Bool
}

func (c clientEnd) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if errors.Is(err, io.EOF) && c.reset.Load() {
		err = &net.OpError{Op: "read", Net: "memory", Err: syscall.ECONNRESET}
	}
	return n, err
}
