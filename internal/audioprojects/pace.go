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
	// longestPause is how long a request that nobody has set a deadline for obeys Retry-After.
	// Longer than that, its sender would rather know.
	longestPause = time.Minute
	// firstRate is what is tried first after a 429, in requests a second: the document gives no
	// limit (section 8). Below slowestRate it is never cut.
	firstRate, slowestRate = 2, 0.1
	// fastGrowth and slowGrowth bound the share by which the rate grows in a second.
	fastGrowth, slowGrowth = 0.3, 0.001
	// smallCut is the share that a 429 cuts off the rate, and bigCut if so few requests have left
	// since the last cut that the rate must be far off.
	smallCut, bigCut, fewRequests = 0.05, 0.2, 4
)

// pace is how fast a client's requests leave. It holds none of them up until the service answers
// 429. From then on all of them keep the silence that Retry-After asks for, and leave one by one,
// at a rate that grows until the next 429, ever more slowly: so it settles just below what the
// service allows, where neither time is lost to silences nor requests to refusals.
type pace struct {
	mu           sync.Mutex
	rate         float64   // in requests a second; 0 before the first 429
	growth       float64   // of the rate, as a share of it in a second
	silentUntil  time.Time // no request leaves before
	next         time.Time // when the next request may leave
	lastCut      time.Time
	sentSinceCut int
	urgent       []*turn // those who wait; these go first
	others       []*turn
	timer        *time.Timer // until the next may leave
}

// turn is a request's place in the queue.
type turn struct {
	ctx     context.Context
	granted chan error // holds the result
}

type pacedTransport struct {
	loggingTransport
	pace *pace
	// urgent requests leave before all others: what is known of a chapter is fresh then.
	urgent bool
}

func (t pacedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := t.pace.wait(request.Context(), t.urgent); err != nil {
		return nil, err
	}
	left := time.Now()
	response, err := t.loggingTransport.RoundTrip(request)
	if err == nil && response.StatusCode == http.StatusTooManyRequests {
		t.pace.slowDown(left, retryAfter(response))
	}
	return response, err
}

// wait returns when the request may leave, or says at once that this would take too long.
func (p *pace) wait(ctx context.Context, urgent bool) error {
	mine, interval, err := p.enqueue(ctx, urgent)
	if mine == nil {
		return err
	}
	var overdue <-chan time.Time
	if latest, bound := leaveBy(ctx); bound {
		// Whoever is next always leaves, however slow the pace is.
		timer := time.NewTimer(time.Until(latest.Add(interval)))
		defer timer.Stop()
		overdue = timer.C
	}
	select {
	case err := <-mine.granted:
		return err
	case <-ctx.Done():
		p.giveUp(mine)
		return ctx.Err()
	case <-overdue:
		p.giveUp(mine)
		return tooLate()
	}
}

// enqueue returns a place in the queue and the time that one request takes, or no place to
// those who may leave at once (then without an error) or cannot any more.
func (p *pace) enqueue(ctx context.Context, urgent bool) (*turn, time.Duration, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if silent := time.Until(p.silentUntil); !pauseFits(ctx, silent) {
		return nil, 0, tooSilent(silent)
	}
	if p.rate == 0 {
		if latest, bound := leaveBy(ctx); bound && time.Now().After(latest) {
			return nil, 0, tooLate()
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

// serve lets those go whose turn it is. Needs p.mu.
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

// grow tries a little more with every request, and after a long time without a 429 more than
// a little: the service may allow more by then. Needs p.mu.
func (p *pace) grow() {
	const timeToTrust = time.Minute
	interval := p.interval().Seconds()
	p.rate *= 1 + p.growth*interval
	p.growth = min(fastGrowth, p.growth*(1+interval/timeToTrust.Seconds()))
}

// slowDown takes in a 429. Those of requests that left before the rate was last cut do not cut it again.
func (p *pace) slowDown(left time.Time, silence time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	switch {
	case p.rate == 0:
		p.rate, p.growth, p.lastCut = firstRate, fastGrowth, now
	case left.After(p.lastCut):
		cut := max(smallCut, p.growth)
		if p.sentSinceCut <= fewRequests {
			cut = max(bigCut, cut)
		}
		p.rate = max(slowestRate, p.rate*(1-cut))
		p.growth, p.lastCut, p.sentSinceCut = max(slowGrowth, p.growth/4), now, 0
	}
	ends := now.Add(silence)
	if !ends.After(p.silentUntil) {
		return
	}
	p.silentUntil = ends
	if ends.After(p.next) {
		p.next = ends
	}
	impatient := func(waiting *turn) bool {
		fits := pauseFits(waiting.ctx, silence)
		if !fits {
			waiting.granted <- tooSilent(silence)
		}
		return !fits
	}
	p.urgent = slices.DeleteFunc(p.urgent, impatient)
	p.others = slices.DeleteFunc(p.others, impatient)
}

// giveUp leaves the queue.
func (p *pace) giveUp(mine *turn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	same := func(waiting *turn) bool { return waiting == mine }
	p.urgent = slices.DeleteFunc(p.urgent, same)
	p.others = slices.DeleteFunc(p.others, same)
}

func tooLate() error {
	return &Error{Kind: Overdue, Err: errors.New("other requests left first, and what was known of the chapter is too old by now")}
}

func tooSilent(left time.Duration) error {
	return &Error{
		Kind:       RateLimited,
		RetryAfter: left,
		Err:        fmt.Errorf("the service has asked for no requests for another %s", left.Round(time.Second)),
	}
}

// pauseFits tells whether the pause ends before the request must have left, or its context ends.
// If not, saying why nothing was achieved is worth more than the pause.
func pauseFits(ctx context.Context, pause time.Duration) bool {
	latest, bound := leaveBy(ctx)
	if deadline, set := ctx.Deadline(); set && (!bound || deadline.Before(latest)) {
		latest, bound = deadline, true
	}
	if !bound {
		return pause <= longestPause
	}
	return pause <= 0 || time.Now().Add(pause).Before(latest)
}
