package audioprojects

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	// longestPause is the longest Retry-After that a request without a deadline waits for. If it
	// is longer, the request fails, and the caller sees why.
	longestPause = time.Minute
	// firstRate is the rate after the first 429, in requests a second: the document gives no
	// limit (section 8). The rate is never lower than slowestRate.
	firstRate, slowestRate = 2, 0.1
	// fastGrowth and slowGrowth bound the share by which the rate grows in a second.
	fastGrowth, slowGrowth = 0.3, 0.0005
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
	mu           sync.Mutex
	rate         float64   // in requests a second; 0 before the first 429
	growth       float64   // of the rate, as a share of it in a second
	pausedUntil  time.Time // the end of the pause that Retry-After asked for
	next         time.Time // when the next request may be sent
	lastCut      time.Time
	sentSinceCut int
	urgent       []*turn     // the queue of requests that are sent first
	others       []*turn     // the queue of all other requests
	timer        *time.Timer // runs until next
}

// turn is the place of a request in a queue.
type turn struct {
	ctx     context.Context
	granted chan error // receives nil when the request may be sent, else why it is not
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

// wait returns when the request may be sent. It fails at once if the pause is too long for the
// request, and later if its turn does not come in time.
func (p *pace) wait(ctx context.Context, urgent bool) error {
	mine, interval, err := p.enqueue(ctx, urgent)
	if mine == nil {
		return err
	}
	var overdue <-chan time.Time
	if latest, bound := sendDeadline(ctx); bound {
		delay := max(interval, min(mostDelayed*interval, longestDelay))
		timer := time.NewTimer(time.Until(latest.Add(delay)))
		defer timer.Stop()
		overdue = timer.C
	}
	select {
	case err := <-mine.granted:
		return err
	case <-ctx.Done():
		p.remove(mine)
		return ctx.Err()
	case <-overdue:
		p.remove(mine)
		return overdueError()
	}
}

// enqueue puts the request into a queue, and returns its turn and the interval between two requests.
// The turn is nil for a request that does not wait: it may be sent at once, or the error says why it
// cannot be sent any more.
func (p *pace) enqueue(ctx context.Context, urgent bool) (*turn, time.Duration, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if pause := time.Until(p.pausedUntil); !pauseFits(ctx, pause) {
		return nil, 0, pauseError(pause)
	}
	if p.rate == 0 {
		if latest, bound := sendDeadline(ctx); bound && time.Now().After(latest) {
			return nil, 0, overdueError()
		}
		return nil, 0, ctx.Err()
	}
	mine := &turn{ctx: ctx, granted: make(chan error, 1)}
	if urgent {
		p.urgent = append(p.urgent, mine)
	} else {
		p.others = append(p.others, mine)
	}
	p.serve()
	return mine, p.interval(), nil
}

// serve grants the turns that are due, and starts the timer for the next. Needs p.mu.
func (p *pace) serve() {
	for {
		queue := &p.urgent
		if len(*queue) == 0 {
			queue = &p.others
		}
		if len(*queue) == 0 {
			return
		}
		if left := time.Until(p.next); left > 0 {
			if p.timer != nil {
				p.timer.Stop()
			}
			p.timer = time.AfterFunc(left, func() {
				p.mu.Lock()
				defer p.mu.Unlock()
				p.serve()
			})
			return
		}
		first := (*queue)[0]
		*queue = (*queue)[1:]
		first.granted <- nil
		p.sentSinceCut++
		p.next = time.Now().Add(p.interval())
		if len(p.urgent)+len(p.others) > 0 {
			p.grow()
		}
	}
}

// interval is the time between two requests. Needs p.mu.
func (p *pace) interval() time.Duration {
	return time.Duration(float64(time.Second) / p.rate)
}

// grow raises the rate a little with every request. After a long time without a 429 it raises it
// faster, because the service may allow more by then. Needs p.mu.
func (p *pace) grow() {
	const growthTime = 3 * time.Minute
	interval := p.interval().Seconds()
	p.rate *= 1 + p.growth*interval
	p.growth = min(fastGrowth, p.growth*(1+interval/growthTime.Seconds()))
}

// slowDown lowers the rate after a 429 to a request that was sent at the given time, and begins the pause that
// Retry-After asks for. The rate is not lowered twice for requests that were sent before the last cut.
func (p *pace) slowDown(sent time.Time, pause time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	switch {
	case p.rate == 0:
		p.rate, p.growth, p.lastCut = firstRate, fastGrowth, now
	case sent.After(p.lastCut):
		cut := max(smallCut, p.growth)
		if p.sentSinceCut <= fewRequests {
			cut = max(bigCut, cut)
		}
		p.rate = max(slowestRate, p.rate*(1-cut))
		p.growth, p.lastCut, p.sentSinceCut = max(slowGrowth, p.growth/4), now, 0
	}
	ends := now.Add(pause)
	if !ends.After(p.pausedUntil) {
		return
	}
	p.pausedUntil = ends
	if ends.After(p.next) {
		p.next = ends
	}
	refused := func(waiting *turn) bool {
		fits := pauseFits(waiting.ctx, pause)
		if !fits {
			waiting.granted <- pauseError(pause)
		}
		return !fits
	}
	p.urgent = slices.DeleteFunc(p.urgent, refused)
	p.others = slices.DeleteFunc(p.others, refused)
}

// remove takes a turn out of its queue.
func (p *pace) remove(mine *turn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	same := func(waiting *turn) bool { return waiting == mine }
	p.urgent = slices.DeleteFunc(p.urgent, same)
	p.others = slices.DeleteFunc(p.others, same)
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
