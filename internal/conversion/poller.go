package conversion

import (
	"context"
	"net/http/httptrace"
	"slices"
	"sync"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

const (
	// shortestInterval and longestInterval bound the time between two looks at a project, and intervalShare sets it. Responses take at most
	// one part of so many of the time: that of a long book takes half a second.
	shortestInterval = time.Second
	longestInterval  = 16 * time.Second
	intervalShare    = 7
	responsesShare   = 20
	queueShare       = 5
)

const (
	// refreshAge is the greatest age of a list that a refresh or a plan uses, also of one that failed.
	refreshAge = 10 * time.Second
	// requestAge is the greatest age of a list on which a request for a conversion is based, from when it was answered.
	requestAge = time.Second
	// lateAnswer is after how long an answer holds up no other request any more.
	lateAnswer = 4 * time.Second
	// sharingDelay is how long a look that needs a new list waits first, so that sessions share it: Terraform begins ten at once.
	sharingDelay = 20 * time.Millisecond
)

// response is the result of one request: what the service shows, or an error.
type response[T any] struct {
	askedAt, answeredAt time.Time
	// age is how old the value was when it came: a cache has answered, and not the service.
	age   time.Duration
	value T
	err   error
}

// poller requests the same thing of the service again and again. Callers at the same time share one request.
type poller[T any] struct {
	clock   *clock
	ask     func(context.Context) (T, error)
	isTight func() bool // the end of a conversion lets one that waits begin

	mu       sync.Mutex
	latest   *response[T]  // nil before the first
	earlier  *response[T]  // one from up to refreshAge before it; nil if there is none
	answered bool          // one was without an error
	fetch    *fetch[T]     // the latest request while it is under way
	youngest time.Time     // when the latest conversion that is waited for began
	shortest time.Duration // the shortest conversion that was seen to end; 0: none was
	updated  chan struct{}
}

// fetch is a request that is under way. It is cancelled when nobody waits for its result any more.
type fetch[T any] struct {
	began   time.Time
	wanted  int // how many wait for the result
	cancel  context.CancelFunc
	askedAt time.Time     // zero until the request is sent
	done    chan struct{} // closed when result is set
	result  *response[T]
}

func newPoller[T any](clock *clock, isTight func() bool, ask func(context.Context) (T, error)) *poller[T] {
	return &poller[T]{clock: clock, isTight: isTight, ask: ask, updated: make(chan struct{})}
}

// get returns a response that was requested at or after the given time: the latest, the one under way, or a new one.
// The returned error is the context's; an error of the service is in the response.
func (p *poller[T]) get(ctx context.Context, notBefore time.Time) (*response[T], error) {
	p.mu.Lock()
	if p.latest != nil && !p.latest.askedAt.Before(notBefore) {
		defer p.mu.Unlock()
		return p.latest, nil
	}
	if p.fetch == nil || !p.fetch.askedAt.IsZero() && p.fetch.askedAt.Before(notBefore) {
		// The request has a context of its own: if the caller is cancelled, others may still wait for the result. It keeps the
		// caller's values, which logging needs.
		asked, cancel := context.WithCancel(context.WithoutCancel(ctx))
		p.fetch = &fetch[T]{began: time.Now(), done: make(chan struct{}), cancel: cancel}
		go p.send(asked, p.fetch)
	}
	current := p.fetch
	current.wanted++
	p.mu.Unlock()
	select {
	case <-current.done:
		return current.result, nil
	case <-ctx.Done():
		p.mu.Lock()
		defer p.mu.Unlock()
		current.wanted--
		if current.wanted == 0 {
			current.cancel()
			if p.fetch == current {
				p.fetch = nil
			}
		}
		return nil, ctx.Err()
	}
}

func (p *poller[T]) send(ctx context.Context, current *fetch[T]) {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GetConn: func(string) {
		// It is sent again for every retry, and the response belongs to the last one.
		p.mu.Lock()
		defer p.mu.Unlock()
		current.askedAt = p.clock.now()
	}})
	var age time.Duration
	value, err := p.ask(audioprojects.WithAge(ctx, &age))
	p.mu.Lock()
	defer p.mu.Unlock()
	defer close(current.done)
	defer current.cancel()
	if current.askedAt.IsZero() {
		current.askedAt = p.clock.now()
	}
	current.result = &response[T]{askedAt: current.askedAt, answeredAt: time.Now(), age: age, value: value, err: err}
	p.answered = p.answered || err == nil
	if p.fetch == current {
		p.fetch = nil
	}
	if current.wanted == 0 || p.latest != nil && p.latest.askedAt.After(current.askedAt) {
		return
	}
	isTooOld := p.earlier == nil || p.earlier.askedAt.Before(current.askedAt.Add(-refreshAge))
	if isTooOld {
		p.earlier = p.latest
	}
	p.latest = current.result
	close(p.updated)
	p.updated = make(chan struct{})
}

// earlierSince returns an earlier response that was requested at or after the given time; nil if there is none. Beside the latest it saves many a
// second look: those of a thousand resources in one plan.
func (p *poller[T]) earlierSince(notBefore time.Time) *response[T] {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.earlier == nil || p.earlier.askedAt.Before(notBefore) {
		return nil
	}
	return p.earlier
}

// isInTrouble reports whether the latest response is an error, or the next one has not come for long. Who needs one should hold up nobody else.
func (p *poller[T]) isInTrouble() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	isLate := p.fetch != nil && time.Since(p.fetch.began) >= lateAnswer
	return isLate || p.latest != nil && p.latest.err != nil
}

// newest returns the latest response; nil before the first.
func (p *poller[T]) newest() *response[T] {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.latest
}

// hasAnswered reports whether the service has answered a request of this poller without an error.
func (p *poller[T]) hasAnswered() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.answered
}

// beginWait tells the poller when a conversion began, or a wait for one.
func (p *poller[T]) beginWait(began time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if began.After(p.youngest) {
		p.youngest = began
	}
}

// endWait tells the poller how long a conversion took that has ended.
func (p *poller[T]) endWait(took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shortest == 0 || took < p.shortest {
		p.shortest = took
	}
}

// next waits for a response that was requested after the given time. It is requested when the next look is due, or at the time until, if
// that is earlier and not zero. The error is the context's.
func (p *poller[T]) next(ctx context.Context, after, until time.Time) (*response[T], error) {
	for {
		p.mu.Lock()
		latest, updated, due := p.latest, p.updated, p.due(until)
		p.mu.Unlock()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case latest != nil && latest.askedAt.After(after):
			return latest, nil
		case !time.Now().Before(due):
			// The next round of the loop finds the result in latest.
			_, err := p.get(ctx, due)
			if err != nil {
				return nil, err
			}
			continue
		}
		timer := time.NewTimer(time.Until(due))
		select {
		case <-ctx.Done():
		case <-updated:
		case <-timer.C: // Meanwhile the next look may be due at another time.
		}
		timer.Stop()
	}
}

// due is when to request the next response: a seventh of the youngest conversion's age after the last one, 1 to 16 s, or at the time until
// if that is earlier, and never before Retry-After. So an end is noticed within 15 % of the conversion's length, and
// while others begin all the time, within a fifth of that of the shortest. The caller holds p.mu.
func (p *poller[T]) due(until time.Time) time.Time {
	if p.latest == nil {
		return time.Now()
	}
	answered := p.latest.answeredAt
	waited := answered.Sub(p.youngest)
	between := interval(waited)
	switch {
	case waited >= p.shortest/2:
	case p.isTight():
		between = interval(p.shortest)
	default: // It is not expected to end much sooner than all others did.
		between = max(shortestInterval, min(p.shortest/queueShare, longestInterval))
	}
	if p.latest.err == nil {
		ofItsTime := min(responsesShare*answered.Sub(p.latest.askedAt), longestInterval)
		between = max(between, ofItsTime)
	}
	due := answered.Add(between)
	if !until.IsZero() && until.Before(due) {
		due = slices.MaxFunc([]time.Time{until, answered.Add(shortestInterval)}, time.Time.Compare)
	}
	return slices.MaxFunc([]time.Time{due, answered.Add(audioprojects.RetryAfter(p.latest.err))}, time.Time.Compare)
}

// interval is the time until the next look, or the next request, after a wait of this length.
func interval(waited time.Duration) time.Duration {
	return min(max(waited/intervalShare, shortestInterval), longestInterval)
}

func sleepUntil(ctx context.Context, at time.Time) error {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// clock gives every moment only once, so that the order of a request and a list is known, also where the system's clock is coarse.
type clock struct {
	mu   sync.Mutex
	last time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = slices.MaxFunc([]time.Time{time.Now(), c.last.Add(1)}, time.Time.Compare)
	return c.last
}
