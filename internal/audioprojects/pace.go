package audioprojects

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// longestPause is the longest Retry-After that a request without a deadline waits for. If it
	// is longer, the request fails, and the caller sees why.
	longestPause = time.Minute
	// firstRate is the rate after the first 429, in requests a second: the document gives no
	// limit (section 8). The rate is never lower than slowestRate.
	firstRate, slowestRate = 2, 0.1
	// fastGrowth and slowGrowth bound the share by which the rate grows in a second.
	fastGrowth, slowGrowth = 0.3, 0.0004
	// smallCut is the share by which a 429 lowers the rate. It is bigCut if at most fewRequests were
	// sent since the last cut: then the rate is much too high.
	smallCut, bigCut, fewRequests = 0.03, 0.2, 4
	// mostDelayed is how many intervals a request may be sent later than its caller wants, but for longestDelay at most, and
	// one interval in any case: so that a queue of conversions needs one list for twenty of them, and the first is always sent.
	mostDelayed  = 20
	longestDelay = 4 * time.Second
)

// pace limits how fast a client sends requests. It limits nothing until the service answers 429.
// From then on every request waits until the pause that Retry-After asks for is over, and they are
// sent one by one. The rate grows until the next 429, which lowers it, and then grows more slowly.
// So it settles just below the limit of the service: few requests are refused, and little time is
// lost in pauses.
type pace struct {
	// urgent and others are taken by the request of each kind that is sent next. Behind it the others of its kind stand in line.
	urgent, others chan struct{}

	mu           sync.Mutex
	limiter      *rate.Limiter // nil before the first 429
	growth       float64       // of the rate, as a share of it in a second
	pausedUntil  time.Time     // the end of the pause that Retry-After asked for
	longer       chan struct{} // closed when it becomes much later
	lastCut      time.Time
	sentSinceCut int
	waiting      int // requests
	urgently     int // of them
}

func newPace() *pace {
	return &pace{urgent: make(chan struct{}, 1), others: make(chan struct{}, 1), longer: make(chan struct{})}
}

type pacedTransport struct {
	loggingTransport
	pace *pace
	// urgent requests are sent before all others, so that what the caller knows of the chapter is still fresh.
	urgent bool
}

func (t pacedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := t.pace.wait(request.Context(), t.urgent); err != nil {
		return nil, err
	}
	sent := time.Now()
	response, err := t.loggingTransport.RoundTrip(request)
	if err == nil && response.StatusCode == http.StatusTooManyRequests {
		t.pace.slowDown(sent, retryAfter(response))
	}
	return response, err
}

// wait returns when the request may be sent. It fails as soon as the pause is too long for the
// request, and later if its turn does not come in time.
func (p *pace) wait(ctx context.Context, urgent bool) error {
	interval, leave := p.enter(urgent)
	defer leave()
	latest, bound := sendDeadline(ctx)
	switch {
	case interval > 0:
	case bound && time.Now().After(latest):
		return overdueError()
	default:
		return ctx.Err()
	}
	var overdue <-chan time.Time
	if bound {
		timer := time.NewTimer(time.Until(latest.Add(max(interval, min(mostDelayed*interval, longestDelay)))))
		defer timer.Stop()
		overdue = timer.C
	}
	line := p.others
	if urgent {
		line = p.urgent
	}
	turn := line // nil once it is this request's
	defer func() {
		if turn == nil {
			<-line
		}
	}()
	for {
		longer, err := p.paused(ctx)
		if err != nil {
			return err
		}
		var again <-chan time.Time
		if turn == nil {
			left := p.take(urgent)
			if left == 0 {
				return nil
			}
			again = time.After(left)
		}
		select {
		case turn <- struct{}{}:
			turn = nil
		case <-again:
		case <-longer:
		case <-ctx.Done():
			return ctx.Err()
		case <-overdue:
			return overdueError()
		}
	}
}

// enter counts a request that waits, until it leaves, and returns the interval between two of them; 0 if they are not limited.
func (p *pace) enter(urgent bool) (interval time.Duration, leave func()) {
	count := func(one int) {
		p.waiting += one
		if urgent {
			p.urgently += one
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if count(1); p.limiter != nil {
		interval = p.interval()
	}
	return interval, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		count(-1)
	}
}

// paused fails if the pause is too long for the request. The channel is closed when the pause becomes much longer.
func (p *pace) paused(ctx context.Context) (longer <-chan struct{}, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if pause := time.Until(p.pausedUntil); !pauseFits(ctx, pause) {
		return nil, pauseError(pause)
	}
	return p.longer, nil
}

// take lets a request be sent, or returns after how long it may ask again.
func (p *pace) take(urgent bool) (left time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if pause := time.Until(p.pausedUntil); pause > 0 {
		return pause
	}
	if !urgent && p.urgently > 0 {
		return p.interval()
	}
	turn := p.limiter.Reserve()
	if left := turn.Delay(); left > 0 {
		turn.Cancel()
		return left
	}
	p.sentSinceCut++
	if p.waiting > 1 {
		p.grow()
	}
	return 0
}

// interval is the time between two requests. Needs p.mu.
func (p *pace) interval() time.Duration {
	return time.Duration(float64(time.Second) / float64(p.limiter.Limit()))
}

// grow raises the rate a little with every request. After a long time without a 429 it raises it
// faster, because the service may allow more by then. Needs p.mu.
func (p *pace) grow() {
	const growthTime = 3 * time.Minute
	interval := p.interval().Seconds()
	p.limiter.SetLimit(p.limiter.Limit() * rate.Limit(1+p.growth*interval))
	p.growth = min(fastGrowth, p.growth*(1+interval/growthTime.Seconds()))
}

// slowDown lowers the rate after a 429 to a request that was sent at the given time, and begins the pause that
// Retry-After asks for. The rate is not lowered twice for requests that were sent before the last cut.
func (p *pace) slowDown(sent time.Time, pause time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	switch {
	case p.limiter == nil:
		p.limiter, p.growth, p.lastCut = rate.NewLimiter(firstRate, 1), fastGrowth, now
	case sent.After(p.lastCut):
		cut := max(smallCut, p.growth)
		if p.sentSinceCut <= fewRequests {
			cut = max(bigCut, cut)
		}
		p.limiter.SetLimit(max(slowestRate, p.limiter.Limit()*rate.Limit(1-cut)))
		p.growth, p.lastCut, p.sentSinceCut = max(slowGrowth, p.growth/4), now, 0
	}
	if ends := now.Add(pause); ends.After(p.pausedUntil) {
		p.pausedUntil = ends
		// Who is woken loses its place in the line, which is not worth it for a pause that is soon over.
		if pause > longestDelay {
			close(p.longer)
			p.longer = make(chan struct{})
		}
	}
}

func overdueError() error {
	return &Error{Kind: Overdue, Err: errors.New("other requests left first, and what was known of the chapter is too old by now")}
}

func pauseError(remaining time.Duration) error {
	return &Error{
		Kind:       RateLimited,
		RetryAfter: remaining,
		Err:        fmt.Errorf("the service has asked for no requests for another %s", remaining.Round(time.Second)),
	}
}

// pauseFits reports whether the pause ends before the request's deadline: the time by which it must be sent,
// or the end of its context. If not, the request fails now: an error that names the pause helps
// more than one that names the deadline.
func pauseFits(ctx context.Context, pause time.Duration) bool {
	latest, bound := sendDeadline(ctx)
	if deadline, set := ctx.Deadline(); set && (!bound || deadline.Before(latest)) {
		latest, bound = deadline, true
	}
	if !bound {
		return pause <= longestPause
	}
	return pause <= 0 || time.Now().Add(pause).Before(latest)
}
