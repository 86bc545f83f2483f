package audioprojects

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// timeoutTransport cancels an attempt that takes longer than the timeout, from the connection to the
// last byte of the answer.
type timeoutTransport struct {
	*http.Transport
	timeout time.Duration
	// idleOnly is for audio, which takes as long as it is big: the timeout then bounds the time
	// until the answer begins and the time between two of its bytes, not the whole answer.
	idleOnly bool
}

func (t timeoutTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(request.Context())
	tooLong := &timeoutError{"no whole answer within", t.timeout}
	if t.idleOnly {
		tooLong.waited = "no byte came for"
	}
	timer := time.AfterFunc(t.timeout, func() { cancel(tooLong) })
	response, err := t.Transport.RoundTrip(request.WithContext(ctx))
	if err != nil {
		timer.Stop()
		err = causeOf(ctx, err)
		cancel(nil)
		return nil, err
	}
	// An error is short also in place of audio, so that the timeout bounds all of it.
	t.idleOnly = t.idleOnly && succeeded(response)
	if t.idleOnly {
		timer.Stop()
	}
	response.Body = &timeoutBody{ReadCloser: response.Body, transport: t, ctx: ctx, cancel: cancel, timer: timer}
	return response, nil
}

// timeoutError is an attempt that has taken longer than the timeout.
type timeoutError struct {
	waited  string
	timeout time.Duration
}

func (e *timeoutError) Error() string { return fmt.Sprintf("%s %s", e.waited, e.timeout) }

// Timeout is how [net.Error] tells a timeout.
func (e *timeoutError) Timeout() bool { return true }

// timeoutBody is the body of an answer, whose reading the transport's timeout bounds.
type timeoutBody struct {
	io.ReadCloser
	transport timeoutTransport
	ctx       context.Context
	cancel    context.CancelCauseFunc
	timer     *time.Timer
}

func (b *timeoutBody) Read(p []byte) (int, error) {
	if b.transport.idleOnly {
		// The timer runs only during a Read, so that a slow caller, such as a slow disk, causes no timeout.
		b.timer.Reset(b.transport.timeout)
		defer b.timer.Stop()
	}
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = causeOf(b.ctx, err)
	}
	return n, err
}

func (b *timeoutBody) Close() error {
	b.timer.Stop()
	b.cancel(nil)
	return b.ReadCloser.Close()
}

// causeOf is why the context ended, if it did. The error of net/http does not always say so.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}
