package audioprojects

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
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
	// fastGrowth and slowGrowth limit the share by which the rate grows in a second.
	fastGrowth, slowGrowth = 0.3, 0.0004
	// smallCut is the share by which a 429 lowers the rate. It is bigCut if at most fewRequests were
	// sent since the last cut: then the rate is much too high.
	smallCut, bigCut, fewRequests = 0.03, 0.2, 4
	// longestDelay is how much later than its caller wants a request may be sent, or one interval if that is longer: so
	// that a queue of conversions needs one list for several of them, and the first is always sent.
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

	// urgently counts the urgent requests that wait.
	urgently atomic.Int32

	mu           sync.Mutex
	limiter      *rate.Limiter // nil before the first 429
	growth       float64       // of the rate, as a share of it in a second
	pausedUntil  time.Time     // the end of the pause that Retry-After asked for
	lastCut      time.Time
	sentSinceCut int
}

// wait returns when the request may be sent. It fails as soon as the pause is too long for the
// request, and later if its turn does not come in time.
func (p *pace) wait(ctx context.Context, urgent bool) error {
	p.mu.Lock()
	interval, pause := p.interval(), time.Until(p.pausedUntil)
	p.mu.Unlock()
	latest, isLimited := sendDeadline(ctx)
	switch {
	case interval == 0 && isLimited && time.Now().After(latest):
		return overdueError()
	case interval == 0:
		return ctx.Err()
	case !pauseFits(ctx, pause):
		return pauseError(pause)
	}
	inTime, line := ctx, p.others
	if isLimited {
		var cancel context.CancelFunc
		inTime, cancel = context.WithDeadlineCause(ctx, latest.Add(max(interval, longestDelay)), overdueError())
		defer cancel()
	}
	if urgent {
		line = p.urgent
		p.urgently.Add(1)
		defer p.urgently.Add(-1)
	}
	select {
	case line <- struct{}{}:
		defer func() { <-line }()
	case <-inTime.Done():
		return context.Cause(inTime)
	}
	for waited := false; inTime.Err() == nil; waited = true {
		left, err := p.take(ctx, urgent, waited)
		if left == 0 {
			return err
		}
		select {
		case <-time.After(left):
		case <-inTime.Done():
		}
	}
	return context.Cause(inTime)
}

// take lets a request be sent, or returns after how long it may ask again. It fails if the pause is too long for the request.
func (p *pace) take(ctx context.Context, urgent, waited bool) (left time.Duration, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	pause := time.Until(p.pausedUntil)
	if !pauseFits(ctx, pause) {
		return 0, pauseError(pause)
	}
	if pause > 0 {
		return pause, nil
	}
	if !urgent && p.urgently.Load() > 0 {
		return p.interval(), nil
	}
	turn := p.limiter.Reserve()
	left = turn.Delay()
	if left > 0 {
		turn.Cancel()
		return left, nil
	}
	p.sentSinceCut++
	if waited {
		p.grow()
	}
	return 0, nil
}

// interval is the time between two requests, 0 before the first 429. Needs p.mu.
func (p *pace) interval() time.Duration {
	if p.limiter == nil {
		return 0
	}
	return time.Duration(float64(time.Second) / float64(p.limiter.Limit()))
}

// grow raises the rate a little with every request that had to wait. After a long time without a 429 it raises it
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
	ends := now.Add(pause)
	if ends.After(p.pausedUntil) {
		p.pausedUntil = ends
	}
}

func overdueError() error {
	return &Error{Kind: Overdue, Err: errors.New("other requests went first, and the last answer about the chapter is too old now")}
}

func pauseError(remaining time.Duration) error {
	return &Error{
		Kind:       RateLimited,
		RetryAfter: remaining,
		Err:        fmt.Errorf("the service accepts no requests for another %s", remaining.Round(time.Second)),
	}
}

// pauseFits reports whether the pause ends before the request's deadline: the time by which it must be sent,
// or the end of its context. If not, the request fails now: an error that names the pause helps
// more than one that names the deadline.
func pauseFits(ctx context.Context, pause time.Duration) bool {
	latest, isLimited := sendDeadline(ctx)
	deadline, set := ctx.Deadline()
	if set && (!isLimited || deadline.Before(latest)) {
		latest, isLimited = deadline, true
	}
	if !isLimited {
		return pause <= longestPause
	}
	return pause <= 0 || time.Now().Add(pause).Before(latest)
}
