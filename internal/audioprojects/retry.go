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
func retrying(config Config, policy retryablehttp.CheckRetry, transport pacedTransport) *retryablehttp.Client {
	sender := retryablehttp.NewClient()
	sender.HTTPClient = &http.Client{
		Transport:     transport,
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
	if ctx.Err() != nil || unasked(err) || errors.As(err, &final) {
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

// neverRepeat is for what costs credits: whoever asked for it looks at the chapter first.
func neverRepeat(context.Context, *http.Response, error) (bool, error) { return false, nil }

// unasked tells whether the client itself has kept the request back.
func unasked(err error) bool {
	return errors.Is(err, RateLimited) || errors.Is(err, Overdue)
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
		if seconds, _ := strconv.ParseInt(response.Header.Get("Retry-After"), 10, 64); seconds > int64(day/time.Second) {
			return day
		}
	}
	return min(day, retryablehttp.DefaultBackoff(least, most, attempt, response))
}

// departure records whether, and by when, a request leaves.
type departure struct {
	// latest is when it must have left; zero: any time.
	latest time.Time
	// connected: a connection was made. Before that (dial, name lookup, TLS handshake) the
	// service cannot have received anything.
	connected atomic.Bool
}

type departureKey struct{}

func withDeparture(ctx context.Context, latest time.Time) context.Context {
	leaving := &departure{latest: latest}
	ctx = context.WithValue(ctx, departureKey{}, leaving)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { leaving.connected.Store(true) },
	})
}

func departureOf(ctx context.Context) *departure {
	leaving, _ := ctx.Value(departureKey{}).(*departure)
	return leaving
}

// leaveBy is when the context's request must have left, if there is such a time.
func leaveBy(ctx context.Context) (latest time.Time, bound bool) {
	leaving := departureOf(ctx)
	return leaving.latest, !leaving.latest.IsZero()
}

// loggingTransport tells the log of every attempt, and nothing of its headers.
type loggingTransport struct {
	patientTransport
	config Config
}

func (t loggingTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if t.config.Log == nil {
		return t.patientTransport.RoundTrip(request)
	}
	began := time.Now()
	response, err := t.patientTransport.RoundTrip(request)
	exchange := Exchange{Method: request.Method, Path: t.config.withoutKey(request.URL.EscapedPath()), Took: time.Since(began)}
	if err != nil {
		exchange.Problem = t.config.transportError(err).Error()
	} else {
		exchange.Status = response.StatusCode
	}
	t.config.Log(request.Context(), exchange)
	return response, err
}
