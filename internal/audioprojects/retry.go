package audioprojects

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/pace"
)

// newRetryClient returns a sender that repeats a request so many times at most.
func newRetryClient(transport attemptTransport, times int) *retryablehttp.Client {
	sender := retryablehttp.NewClient()
	sender.HTTPClient = &http.Client{
		Transport:     transport,
		CheckRedirect: followOnSameHost,
	}
	sender.Logger = nil
	sender.RetryMax = times
	sender.RetryWaitMin = 500 * time.Millisecond
	sender.RetryWaitMax = 15 * time.Second
	sender.CheckRetry = checkRetry
	sender.Backoff = backoff
	sender.ErrorHandler = retryablehttp.PassthroughErrorHandler
	return sender
}

// followOnSameHost follows a redirect only for a GET and only to the same scheme, host and
// port, because net/http would send the API key to any other host as well. A redirect that is not
// followed is returned as the answer.
func followOnSameHost(next *http.Request, via []*http.Request) error {
	first := via[0]
	isElsewhere := next.URL.Scheme != first.URL.Scheme || next.URL.Host != first.URL.Host
	if first.Method != http.MethodGet || isElsewhere || len(via) >= 10 {
		return http.ErrUseLastResponse
	}
	return nil
}

// checkRetry repeats a request after every failure that may be temporary: no answer, a 5xx, 408 or 429. A certificate that
// nobody trusts is the same at the next attempt, and so is another protocol.
func checkRetry(ctx context.Context, response *http.Response, err error) (bool, error) {
	isHeldBack := errors.Is(err, pace.ErrLate) || errors.As(err, new(*pace.PauseError))
	if ctx.Err() != nil || isHeldBack || HandshakeFailed(err) {
		return false, nil
	}
	if err != nil {
		return true, nil
	}
	status := response.StatusCode
	isTemporary := status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= 500
	return isTemporary && pace.Fits(ctx, retryAfter(response)), nil
}

// retryAfter is the wait that an answer's Retry-After header asks for, in seconds or as a date; 0 if none. At most a day.
func retryAfter(response *http.Response) time.Duration {
	const day = 24 * time.Hour
	given := response.Header.Get("Retry-After")
	seconds, err := strconv.ParseInt(given, 10, 64)
	if err == nil {
		return time.Duration(max(0, min(seconds, int64(day/time.Second)))) * time.Second
	}
	date, err := http.ParseTime(given)
	if err != nil {
		return 0
	}
	return max(0, min(time.Until(date), day))
}

// backoff is the wait before the next attempt: twice as long as before. After a refusal because of the rate, the attempt itself waits.
func backoff(least, most time.Duration, attempt int, response *http.Response) time.Duration {
	if response != nil && isRateLimited(response) {
		return 0
	}
	return retryablehttp.DefaultBackoff(least, most, attempt, nil)
}

// requestState goes with the context of a request.
type requestState struct {
	// connected is true once there is a connection. Before that (name lookup, dial, TLS handshake) the
	// service cannot have received anything.
	connected  atomic.Bool
	conversion *Conversion // nil for all other operations
	permit     pace.Permit // of the latest attempt
}

type requestStateKey struct{}

func withRequestState(ctx context.Context, conversion *Conversion) (context.Context, *requestState) {
	state := &requestState{conversion: conversion}
	ctx = context.WithValue(ctx, requestStateKey{}, state)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { state.connected.Store(true) },
	}), state
}

func requestStateOf(ctx context.Context) *requestState {
	state, _ := ctx.Value(requestStateKey{}).(*requestState)
	return state
}

// notAfter is when the request must have been sent; zero if it may be sent at any time.
func (s *requestState) notAfter() time.Time {
	if s.conversion == nil {
		return time.Time{}
	}
	return s.conversion.NotAfter
}

// attemptSent notes that an attempt is sent now.
func (s *requestState) attemptSent(permit pace.Permit) {
	s.permit = permit
	if s.conversion != nil && s.conversion.Sent != nil {
		s.conversion.Sent()
	}
}
