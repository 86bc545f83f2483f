package audioprojects

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// retrying returns a sender that repeats a request so many times at most.
func retrying(transport attempts, times int) *retryablehttp.Client {
	sender := retryablehttp.NewClient()
	sender.HTTPClient = &http.Client{
		Transport:     transport,
		CheckRedirect: followOnSameHost,
	}
	sender.Logger = nil
	sender.RetryMax = times
	sender.RetryWaitMin = 500 * time.Millisecond
	sender.RetryWaitMax = 15 * time.Second
	sender.CheckRetry = repeatUnlessRefused
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

// repeatUnlessRefused repeats a request after every failure that may be temporary: no answer, a 5xx, 408, 429 or another refusal of the rate. A
// certificate that nobody trusts is the same at the next attempt, and so is another protocol.
func repeatUnlessRefused(ctx context.Context, response *http.Response, err error) (bool, error) {
	heldBack := errors.Is(err, RateLimited) || errors.Is(err, Overdue) // by the pace
	if ctx.Err() != nil || heldBack || Distrusted(err) {
		return false, nil
	}
	if err != nil {
		return true, nil
	}
	temporary := response.StatusCode == http.StatusRequestTimeout || limitsRate(response) || response.StatusCode >= 500
	return temporary && pauseFits(ctx, retryAfter(response)), nil
}

// limitsRate reports whether an answer asks for fewer requests: 429, or 403 beside a header that says that none is left.
func limitsRate(response *http.Response) bool {
	noneLeft := slices.ContainsFunc([]string{"X-RateLimit-Remaining", "RateLimit-Remaining", "X-Rate-Limit-Remaining"}, func(name string) bool {
		return response.Header.Get(name) == "0"
	})
	return response.StatusCode == http.StatusTooManyRequests || response.StatusCode == http.StatusForbidden && noneLeft
}

// retryAfter is the wait that an answer's Retry-After header asks for, in seconds, as a date, or as a moment since 1970; 0 if none.
func retryAfter(response *http.Response) time.Duration {
	return backoff(0, 0, 0, response)
}

// backoff is the wait before the next attempt: what Retry-After asks for, else twice as long as before. At most a day.
func backoff(least, most time.Duration, attempt int, response *http.Response) time.Duration {
	const day = 24 * time.Hour
	const years, millennia = 10 * 365 * 86_400, 1 << 36 // in seconds
	var asked int64
	if response != nil {
		asked, _ = strconv.ParseInt(response.Header.Get("Retry-After"), 10, 64)
	}
	moment := time.Unix(asked, 0)
	if asked > millennia {
		moment = time.UnixMilli(asked)
	}
	switch {
	case asked > years && time.Until(moment) > 0: // Nobody asks for a wait of years.
		return min(day, time.Until(moment))
	case asked > years:
		response = nil
	case asked > int64(day/time.Second): // The library's multiplication overflows if there are too many seconds.
		return day
	}
	return min(day, retryablehttp.DefaultBackoff(least, most, attempt, response))
}

// sendState goes with the context of a request: by when it must be sent, and whether that was possible.
type sendState struct {
	// sendBy is the latest time at which the request may be sent; zero: any time.
	sendBy time.Time
	sentAt time.Time // of the latest attempt that was answered
	// connected is true once there is a connection. Before that (name lookup, dial, TLS handshake) the
	// service cannot have received anything.
	connected atomic.Bool
}

type sendStateKey struct{}

func withSendState(ctx context.Context, sendBy time.Time) context.Context {
	state := &sendState{sendBy: sendBy}
	ctx = context.WithValue(ctx, sendStateKey{}, state)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { state.connected.Store(true) },
	})
}

func sendStateOf(ctx context.Context) *sendState {
	state, _ := ctx.Value(sendStateKey{}).(*sendState)
	return state
}

// sendDeadline is the latest time at which the context's request may be sent, if there is one.
func sendDeadline(ctx context.Context) (latest time.Time, isLimited bool) {
	state := sendStateOf(ctx)
	return state.sendBy, !state.sendBy.IsZero()
}
