package audioprojects

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"os"
	"sync/atomic"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/pace"
)

// Exchange is one attempt of a request, or the end of an answer that broke off, for a log. Every text in it is free of the
// API key.
type Exchange struct {
	Method, Path string
	// Status is the HTTP status, 0 when no answer came.
	Status int
	// Problem says why no answer came, or why its body broke off; empty otherwise.
	Problem string
	// Answer is what the service says of a conversion that it has accepted, in a second entry; empty otherwise.
	Answer Text
	// Took is the time until the answer began, or until it broke off.
	Took time.Duration
}

// attemptTransport makes each attempt of a request: it waits until the attempt may be sent, cancels one that takes longer than the
// timeout, from the connection to the last byte of the answer, and logs it.
type attemptTransport struct {
	*http.Transport
	config Config
	pace   *pace.Pace
	// writes is how often an attempt may be written. Net/http by itself writes a request again on another connection or stream if
	// the first one was closed, or if HTTP/2 says that the request was not processed. It does so without end.
	writes int32
	// idleOnly is for audio, which takes as long as it is big: the timeout then limits the time
	// until the answer begins and the time between two of its bytes, not the whole answer.
	idleOnly bool
}

func (a attemptTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	permit := requestStateOf(request.Context()).permit
	isConversion := permit != nil
	if !isConversion {
		var err error
		permit, err = a.pace.Wait(request.Context(), pace.Other, false, func(error) {})
		if err != nil {
			return nil, err
		}
	}
	sent := time.Now()
	ctx, cancel := context.WithCancelCause(request.Context())
	timeout := a.config.RequestTimeout
	tooLong := "no complete answer within %s: %w"
	if a.idleOnly {
		tooLong = "no byte arrived for %s: %w"
	}
	timer := time.AfterFunc(timeout, func() { cancel(fmt.Errorf(tooLong, timeout, os.ErrDeadlineExceeded)) })
	response, err := a.Transport.RoundTrip(request.WithContext(a.limitWrites(ctx, cancel)))
	if err != nil {
		timer.Stop()
		err = brokenRecord(request.Context(), cmp.Or(context.Cause(ctx), err)) // That of net/http does not always say why the context ended.
		cancel(nil)
		a.log(request, sent, 0, err)
		return nil, err
	}
	a.log(request, sent, response.StatusCode, nil)
	switch {
	case isConversion: // [Client.ConvertChapter] reads what the answer means.
	case isRateLimited(response):
		permit.Refused(a.rateLimitedError(request, response), retryAfter(response), false)
	default:
		permit.Accepted()
	}
	body := &attemptBody{ReadCloser: response.Body, ctx: ctx, cancel: cancel, timer: timer}
	if a.idleOnly && succeeded(response) {
		timer.Stop()
		body.idle = timeout
	}
	body.onBreak = func(err error) {
		// After a cancellation the process that reads the log may have ended, and then SIGPIPE would kill ours before it
		// removes its unfinished file.
		if request.Context().Err() == nil {
			a.log(request, sent, response.StatusCode, err)
		}
	}
	response.Body = body
	return response, nil
}

// brokenRecord is an error about a TLS record that came when the connection was there already: a gateway or a tunnel breaks in. Before that,
// the same error means that the port speaks no TLS. Afterwards it says nothing of the port, and the service may have received the request.
func brokenRecord(ctx context.Context, err error) error {
	_, isNoRecord := errors.AsType[tls.RecordHeaderError](err)
	if isNoRecord && requestStateOf(ctx).connected.Load() {
		return fmt.Errorf("the TLS connection broke: %s", err.Error())
	}
	return err
}

// limitWrites ends an attempt that net/http is about to write once too often, before any of its bytes is sent.
func (a attemptTransport) limitWrites(ctx context.Context, cancel context.CancelCauseFunc) context.Context {
	var wanted, got atomic.Int32 // connections, or streams of one
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) {
			if wanted.Add(1) > a.writes {
				cancel(errDropped)
			}
		},
		GotConn: func(given httptrace.GotConnInfo) {
			if got.Add(1) <= a.writes {
				return
			}
			cancel(errDropped)
			if a.writes == 1 { // HTTP/1 writes also after a cancellation. A connection for reads may be that of others, too.
				_ = given.Conn.Close()
			}
		},
	})
}

var errDropped = errors.New("the service, or a gateway, dropped the request without an answer")

// isRateLimited reports whether the service answers fewer requests at a time: 429, or 503 with Retry-After.
func isRateLimited(response *http.Response) bool {
	isUnavailable := response.StatusCode == http.StatusServiceUnavailable && retryAfter(response) > 0
	return response.StatusCode == http.StatusTooManyRequests || isUnavailable
}

// rateLimitedError is a refusal because of the rate, before its body is read.
func (a attemptTransport) rateLimitedError(request *http.Request, response *http.Response) error {
	path := a.config.excerpt(request.URL.EscapedPath())
	return &Error{Kind: RateLimited, Method: request.Method, Path: path, Host: a.config.BaseURL.Host, Status: response.StatusCode}
}

func (a attemptTransport) log(request *http.Request, sent time.Time, status int, problem error) {
	exchange := Exchange{Status: status, Took: time.Since(sent)}
	if problem != nil {
		exchange.Problem = a.config.transportMessage(problem)
	}
	a.config.log(request, exchange)
}

// log logs no headers, because the API key is one.
func (c Config) log(request *http.Request, exchange Exchange) {
	if c.Log != nil {
		exchange.Method, exchange.Path = request.Method, c.excerpt(request.URL.EscapedPath())
		c.Log(request.Context(), exchange)
	}
}

// attemptBody is the body of an answer, whose reading the timeout limits.
type attemptBody struct {
	io.ReadCloser
	ctx     context.Context
	cancel  context.CancelCauseFunc
	timer   *time.Timer
	idle    time.Duration // the longest that one Read may take; 0 if the timer runs already
	onBreak func(error)
}

func (b *attemptBody) Read(p []byte) (int, error) {
	if b.idle > 0 {
		// The timer runs only during a Read, so that a slow caller, such as a slow disk, causes no timeout.
		b.timer.Reset(b.idle)
		defer b.timer.Stop()
	}
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = brokenRecord(b.ctx, cmp.Or(context.Cause(b.ctx), err))
		b.onBreak(err)
		b.onBreak = func(error) {} // Who drains the body meets the error again.
	}
	return n, err
}

func (b *attemptBody) Close() error {
	b.timer.Stop()
	b.cancel(nil)
	return b.ReadCloser.Close()
}
