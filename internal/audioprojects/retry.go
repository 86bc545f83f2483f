package audioprojects

import (
	"context"
	"errors"
	"math"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"regexp"
	"strconv"
	"strings"
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

// mostRedirects is how many redirects a request follows.
const mostRedirects = 9

// followOnSameHost follows a redirect only for a GET and only to the same scheme, host and
// port, because net/http would send the API key to any other host as well. A redirect that is not
// followed is returned as the answer.
func followOnSameHost(next *http.Request, via []*http.Request) error {
	first := via[0]
	if first.Method != http.MethodGet || origin(next.URL) != origin(first.URL) || len(via) > mostRedirects {
		return http.ErrUseLastResponse
	}
	return nil
}

// origin is the scheme, host and port of an address, in one spelling.
func origin(address *url.URL) string {
	port := address.Port()
	switch {
	case port != "":
	case address.Scheme == "http":
		port = "80"
	case address.Scheme == "https":
		port = "443"
	}
	return address.Scheme + "://" + net.JoinHostPort(strings.ToLower(address.Hostname()), port)
}

// checkRetry repeats a request after every failure that may be temporary: no answer, a 5xx, 408 or 429. A certificate that
// nobody trusts is the same at the next attempt, and so is another protocol.
func checkRetry(ctx context.Context, response *http.Response, err error) (bool, error) {
	isHeldBack := errors.As(err, new(*pace.PauseError))
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

// retryAfter is the wait that an answer's Retry-After header asks for, in whole seconds, rounded up; 0 if none. At most a day.
func retryAfter(response *http.Response) time.Duration {
	const day = 24 * time.Hour
	given := strings.Trim(response.Header.Get("Retry-After"), `" `)
	wait := min(parseDuration(given), day)
	date, isDate := parseDate(given)
	if isDate {
		wait = min(date.Sub(clockOf(response)), day)
	}
	return max(0, (wait + time.Second - 1).Truncate(time.Second))
}

// unit is one of a duration, with its abbreviations.
var unit = regexp.MustCompile(`\s*(?:(h)(?:rs?|ours?)?|(m)(?:ins?|inutes?)?|(s)(?:ecs?|econds?)?)\b\s*`)

// parseDuration reads a number of seconds, or a duration with its units: 7, 6.5, 1m30s, 2 minutes; 0 if it is neither.
func parseDuration(given string) time.Duration {
	short := unit.ReplaceAllString(strings.ToLower(given), "$1$2$3")
	wait, err := time.ParseDuration(short)
	if err != nil {
		wait, _ = time.ParseDuration(short + "s")
	}
	return wait
}

// parseDate reads a date in the forms of the standard, in those of other standards, and as Unix seconds or milliseconds.
func parseDate(given string) (date time.Time, isDate bool) {
	const (
		year     = 365 * 24 * 60 * 60 // More seconds than that are no wait.
		year5138 = 100_000_000_000    // More than that are parts of seconds.
	)
	seconds, err := strconv.ParseFloat(given, 64)
	if err == nil && !math.IsInf(seconds, 0) {
		for seconds > year5138 {
			seconds /= 1000
		}
		return time.UnixMilli(int64(seconds * 1000)), seconds > year
	}
	given = strings.Replace(given, "UTC", "GMT", 1)
	for _, layout := range []string{http.TimeFormat, time.RFC850, time.ANSIC, time.RFC1123Z, time.RFC3339} {
		date, err = time.Parse(layout, given)
		if err == nil {
			return date, true
		}
	}
	return time.Time{}, false
}

// clockOf is what the clock of the service showed when it answered; this machine's if the answer has no date.
func clockOf(response *http.Response) time.Time {
	date, err := http.ParseTime(response.Header.Get("Date"))
	if err != nil {
		return time.Now()
	}
	return date
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
	connected atomic.Bool
	permit    *pace.Permit // of the request for a conversion; nil for all other operations, of which each attempt gets its own
}

type requestStateKey struct{}

func withRequestState(ctx context.Context, permit *pace.Permit) (context.Context, *requestState) {
	state := &requestState{permit: permit}
	ctx = context.WithValue(ctx, requestStateKey{}, state)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { state.connected.Store(true) },
	}), state
}

func requestStateOf(ctx context.Context) *requestState {
	state, _ := ctx.Value(requestStateKey{}).(*requestState)
	return state
}
