package audioprojects

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// Exchange is one attempt of a request, for a log. Every text in it is free of the API key.
type Exchange struct {
	Method, Path string
	// Status is 0 when no answer came; Problem then says why.
	Status  int
	Problem string
	Took    time.Duration
}

// retrying returns a sender whose repetitions are decided by the given policy.
func retrying(config Config, transport http.RoundTripper, policy retryablehttp.CheckRetry) *retryablehttp.Client {
	sender := retryablehttp.NewClient()
	sender.HTTPClient = &http.Client{
		Transport:     &loggingTransport{next: transport, config: config},
		CheckRedirect: stayHere,
	}
	sender.Logger = nil
	sender.RetryMax = config.MaxRetries
	sender.RetryWaitMin = 500 * time.Millisecond
	sender.RetryWaitMax = 15 * time.Second
	sender.CheckRetry = policy
	sender.Backoff = backoff
	sender.ErrorHandler = retryablehttp.PassthroughErrorHandler
	return sender
}

// stayHere follows a redirect only for a GET and only to the same scheme, host and
// port: net/http would send the API key along to any other. The redirect then is the answer.
func stayHere(next *http.Request, via []*http.Request) error {
	first := via[0]
	if first.Method != http.MethodGet || !sameHost(next.URL, first.URL) || len(via) >= 10 {
		return http.ErrUseLastResponse
	}
	return nil
}

func sameHost(a, b *url.URL) bool { return a.Scheme == b.Scheme && a.Host == b.Host }

// finalError is what the reader of an answer says that another attempt would not change.
type finalError struct{ cause error }

func (e *finalError) Error() string { return e.cause.Error() }

// repeatUnlessRefused repeats a request that changes nothing after any failure that may pass.
func repeatUnlessRefused(ctx context.Context, response *http.Response, err error) (bool, error) {
	var final *finalError
	if ctx.Err() != nil || errors.Is(err, RateLimited) || errors.As(err, &final) {
		return false, nil
	}
	if err != nil {
		return true, nil
	}
	passing := response.StatusCode == http.StatusRequestTimeout ||
		response.StatusCode == http.StatusTooManyRequests ||
		response.StatusCode >= 500
	return passing && pauseFits(ctx, retryAfter(response)), nil
}

// repeatIfNotReceived repeats a request only where the service cannot have begun what it
// asks for: no connection was made, or the service declined to look at it (429).
func repeatIfNotReceived(ctx context.Context, response *http.Response, err error) (bool, error) {
	if ctx.Err() != nil || errors.Is(err, RateLimited) {
		return false, nil
	}
	if err != nil {
		return !connected(ctx), nil
	}
	if response.StatusCode == http.StatusTooManyRequests && pauseFits(ctx, retryAfter(response)) {
		forgetConnection(ctx)
		return true, nil
	}
	return false, nil
}

// retryAfter is the wait that an answer's Retry-After header asks for, in seconds or as a date; 0 if none.
func retryAfter(response *http.Response) time.Duration {
	if response.Header.Get("Retry-After") == "" {
		return 0
	}
	return backoff(0, 0, 0, response)
}

// backoff doubles the wait from attempt to attempt, or obeys Retry-After.
func backoff(least, most time.Duration, attempt int, response *http.Response) time.Duration {
	const day = 24 * time.Hour
	if response != nil {
		// The library's multiplication overflows where there are too many seconds.
		if seconds, err := strconv.ParseInt(response.Header.Get("Retry-After"), 10, 64); err == nil && seconds > int64(day/time.Second) {
			return day
		}
	}
	return retryablehttp.DefaultBackoff(least, most, attempt, response)
}

type connectionKey struct{}

// traceConnection notes in the context whether a connection was made. Before that
// (dial, name lookup, TLS handshake) the service cannot have received anything.
func traceConnection(ctx context.Context) context.Context {
	made := new(atomic.Bool)
	ctx = context.WithValue(ctx, connectionKey{}, made)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { made.Store(true) },
	})
}

func connected(ctx context.Context) bool {
	made, ok := ctx.Value(connectionKey{}).(*atomic.Bool)
	return ok && made.Load()
}

func forgetConnection(ctx context.Context) {
	if made, ok := ctx.Value(connectionKey{}).(*atomic.Bool); ok {
		made.Store(false)
	}
}

// loggingTransport tells the log of every attempt, and nothing of its headers.
type loggingTransport struct {
	next   http.RoundTripper
	config Config
}

func (t *loggingTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if t.config.Log == nil {
		return t.next.RoundTrip(request)
	}
	began := time.Now()
	response, err := t.next.RoundTrip(request)
	exchange := Exchange{Method: request.Method, Path: t.config.withoutKey(request.URL.EscapedPath()), Took: time.Since(began)}
	if err != nil {
		exchange.Problem = t.config.transportError(err).Error()
	} else {
		exchange.Status = response.StatusCode
	}
	t.config.Log(request.Context(), exchange)
	return response, err
}

// CloseIdleConnections is what [http.Client.CloseIdleConnections] looks for.
func (t *loggingTransport) CloseIdleConnections() {
	if closer, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}
