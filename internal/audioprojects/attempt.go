package audioprojects

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
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

// attempts makes each attempt of a request: it waits until the attempt may be sent, cancels one that takes longer than the
// timeout, from the connection to the last byte of the answer, and logs it.
type attempts struct {
	*http.Transport
	config Config
	pause  *pause
	// isConversion is for a request that costs credits. It waits for no pause, because the caller must look at the chapter after it.
	isConversion bool
	// idleOnly is for audio, which takes as long as it is big: the timeout then limits the time
	// until the answer begins and the time between two of its bytes, not the whole answer.
	idleOnly bool
}

func (a attempts) RoundTrip(request *http.Request) (*http.Response, error) {
	err := a.mayBeSent(request.Context())
	if err != nil {
		return nil, err
	}
	sent := time.Now()
	ctx, cancel := context.WithCancelCause(request.Context())
	timeout := a.config.RequestTimeout
	tooLong := "no complete answer within %s: %w"
	if a.idleOnly {
		tooLong = "no byte arrived for %s: %w"
	}
	timer := time.AfterFunc(timeout, func() { cancel(fmt.Errorf(tooLong, timeout, os.ErrDeadlineExceeded)) })
	response, err := a.Transport.RoundTrip(request.WithContext(ctx))
	if err != nil {
		timer.Stop()
		a.pause.pass(request.Context())
		err = causeOf(ctx, err)
		cancel(nil)
		a.log(request, sent, 0, err)
		return nil, err
	}
	a.log(request, sent, response.StatusCode, nil)
	isLimited := response.StatusCode == http.StatusTooManyRequests
	switch {
	case isLimited && !a.isConversion: // [Client.send] reads why a conversion was refused.
		a.pause.begin(sent, retryAfter(response))
	case succeeded(response):
		a.pause.accepted()
	}
	if !isLimited {
		a.pause.pass(request.Context())
	}
	body := &attemptBody{ReadCloser: response.Body, ctx: ctx, cancel: cancel, timer: timer}
	if a.idleOnly && succeeded(response) {
		timer.Stop()
		body.idle = timeout
	}
	body.brokeOff = func(err error) {
		// After a cancellation the process that reads the log may have ended, and then SIGPIPE would kill ours before it
		// removes its unfinished file.
		if request.Context().Err() == nil {
			a.log(request, sent, response.StatusCode, err)
		}
	}
	response.Body = body
	return response, nil
}

// mayBeSent returns when the request may be sent.
func (a attempts) mayBeSent(ctx context.Context) error {
	left := a.pause.left()
	switch {
	case !a.isConversion:
		return a.pause.wait(ctx)
	case left > 0:
		return pauseError(left)
	default:
		return nil
	}
}

// log logs no headers, because the API key is one.
func (a attempts) log(request *http.Request, sent time.Time, status int, problem error) {
	if a.config.Log == nil {
		return
	}
	exchange := Exchange{Method: request.Method, Path: a.config.excerpt(request.URL.EscapedPath()), Status: status, Took: time.Since(sent)}
	if problem != nil {
		exchange.Problem = a.config.transportWords(problem)
	}
	a.config.Log(request.Context(), exchange)
}

// logAnswer logs what the service says of a conversion that it has accepted.
func (c *Client) logAnswer(response *http.Response, answer Text) {
	if c.config.Log != nil {
		path := c.config.excerpt(response.Request.URL.EscapedPath())
		c.config.Log(response.Request.Context(), Exchange{Method: response.Request.Method, Path: path, Status: response.StatusCode, Answer: answer})
	}
}

// attemptBody is the body of an answer, whose reading the timeout limits.
type attemptBody struct {
	io.ReadCloser
	ctx      context.Context
	cancel   context.CancelCauseFunc
	timer    *time.Timer
	idle     time.Duration // the longest that one Read may take; 0 if the timer runs already
	brokeOff func(error)
}

func (b *attemptBody) Read(p []byte) (int, error) {
	if b.idle > 0 {
		// The timer runs only during a Read, so that a slow caller, such as a slow disk, causes no timeout.
		b.timer.Reset(b.idle)
		defer b.timer.Stop()
	}
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = causeOf(b.ctx, err)
		b.brokeOff(err)
		b.brokeOff = func(error) {} // Who drains the body meets the error again.
	}
	return n, err
}

func (b *attemptBody) Close() error {
	b.timer.Stop()
	b.cancel(nil)
	return b.ReadCloser.Close()
}

// causeOf is why the context ended, if it did. The error of net/http does not always say so.
func causeOf(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	if cause != nil {
		return cause
	}
	return err
}
