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
	// shortestInterval and longestInterval bound the time between two looks at a project, and intervalShare sets it. Answers take at most
	// one part of so many of the time: that of a long book takes half a second.
	shortestInterval = time.Second
	longestInterval  = 16 * time.Second
	intervalShare    = 7
	answersShare     = 20
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

// answer is the result of one request: what the service shows, or an error.
type answer[T any] struct {
	requestedAt, answeredAt time.Time
	shows                   T
	err                     error
}

// feed requests the same thing of the service again and again. Callers at the same time share one request.
type feed[T any] struct {
	clock *clock
	ask   func(context.Context) (T, error)
	queue func() queue // what waits beside this

	mu       sync.Mutex
	latest   *answer[T]    // nil before the first
	earlier  *answer[T]    // one from up to refreshAge before it; nil if there is none
	reached  bool          // one was without an error
	fetch    *fetch[T]     // the latest request while it is under way
	youngest time.Time     // when the latest conversion that is waited for began
	shortest time.Duration // the shortest conversion that was seen to end; 0: none was
	updated  chan struct{}
}

// fetch is a request that is under way. It is cancelled when nobody waits for its result any more.
type fetch[T any] struct {
	began       time.Time
	wanted      int // how many wait for the result
	cancel      context.CancelFunc
	requestedAt time.Time     // zero until the request is sent
	done        chan struct{} // closed when result is set
	result      *answer[T]
}

// queue is what waits for lists, or because of them.
type queue struct {
	isTight bool          // the end of a conversion lets one that waits begin
	least   time.Duration // the shortest interval, because requests wait that have lists of their own
}

func newFeed[T any](clock *clock, queue func() queue, ask func(context.Context) (T, error)) *feed[T] {
	return &feed[T]{clock: clock, queue: queue, ask: ask, updated: make(chan struct{})}
}

// at returns an answer that was requested at or after the given time: the latest, the one under way, or a new one.
// The returned error is the context's; an error of the service is in the answer.
func (f *feed[T]) at(ctx context.Context, notBefore time.Time) (*answer[T], error) {
	f.mu.Lock()
	if f.latest != nil && !f.latest.requestedAt.Before(notBefore) {
		defer f.mu.Unlock()
		return f.latest, nil
	}
	if f.fetch == nil || !f.fetch.requestedAt.IsZero() && f.fetch.requestedAt.Before(notBefore) {
		// The request has a context of its own: if the caller is cancelled, others may still wait for the result. It keeps the
		// caller's values, which logging needs.
		asked, cancel := context.WithCancel(context.WithoutCancel(ctx))
		f.fetch = &fetch[T]{began: time.Now(), done: make(chan struct{}), cancel: cancel}
		go f.request(asked, f.fetch)
	}
	current := f.fetch
	current.wanted++
	f.mu.Unlock()
	select {
	case <-current.done:
		return current.result, nil
	case <-ctx.Done():
		f.mu.Lock()
		defer f.mu.Unlock()
		current.wanted--
		if current.wanted == 0 {
			current.cancel()
			if f.fetch == current {
				f.fetch = nil
			}
		}
		return nil, ctx.Err()
	}
}

func (f *feed[T]) request(ctx context.Context, current *fetch[T]) {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GetConn: func(string) {
		// It is sent again for every retry, and the answer belongs to the last one.
		f.mu.Lock()
		defer f.mu.Unlock()
		current.requestedAt = f.clock.now()
	}})
	shows, err := f.ask(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	defer close(current.done)
	defer current.cancel()
	if current.requestedAt.IsZero() {
		current.requestedAt = f.clock.now()
	}
	current.result = &answer[T]{requestedAt: current.requestedAt, answeredAt: time.Now(), shows: shows, err: err}
	f.reached = f.reached || err == nil
	if f.fetch == current {
		f.fetch = nil
	}
	if current.wanted == 0 || f.latest != nil && f.latest.requestedAt.After(current.requestedAt) {
		return
	}
	isTooOld := f.earlier == nil || f.earlier.requestedAt.Before(current.requestedAt.Add(-refreshAge))
	if isTooOld {
		f.earlier = f.latest
	}
	f.latest = current.result
	close(f.updated)
	f.updated = make(chan struct{})
}

// since returns an earlier answer that was requested at or after the given time; nil if there is none. Beside the latest it saves many a
// second look: those of a thousand resources in one plan.
func (f *feed[T]) since(notBefore time.Time) *answer[T] {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.earlier == nil || f.earlier.requestedAt.Before(notBefore) {
		return nil
	}
	return f.earlier
}

// isInTrouble reports whether the latest answer is an error, or the next one has not come for long. Who needs one should hold up nobody else.
func (f *feed[T]) isInTrouble() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	isLate := f.fetch != nil && time.Since(f.fetch.began) >= lateAnswer
	return isLate || f.latest != nil && f.latest.err != nil
}

// known returns the latest answer; nil before the first.
func (f *feed[T]) known() *answer[T] {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.latest
}

// wasReached reports whether the service has answered a request of this feed without an error.
func (f *feed[T]) wasReached() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.reached
}

// noteStart notes when a conversion began, or a wait for one.
func (f *feed[T]) noteStart(began time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if began.After(f.youngest) {
		f.youngest = began
	}
}

// noteEnd notes how long a conversion took that has ended.
func (f *feed[T]) noteEnd(took time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.shortest == 0 || took < f.shortest {
		f.shortest = took
	}
}

// next waits for an answer that was requested after the given time. It is requested when the next look is due, or at the time until, if
// that is earlier and not zero. The error is the context's.
func (f *feed[T]) next(ctx context.Context, after, until time.Time) (*answer[T], error) {
	for {
		f.mu.Lock()
		latest, updated, due := f.latest, f.updated, f.due(until)
		f.mu.Unlock()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case latest != nil && latest.requestedAt.After(after):
			return latest, nil
		case !time.Now().Before(due):
			// The next round of the loop finds the result in latest.
			_, err := f.at(ctx, due)
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

// due is when to request the next answer: a seventh of the youngest conversion's age after the last one, 1 to 16 s, or at the time until
// if that is earlier, and never before Retry-After. So an end is noticed within 15 % of the conversion's length, and
// while others begin all the time, within a fifth of that of the shortest. The caller holds f.mu.
func (f *feed[T]) due(until time.Time) time.Time {
	if f.latest == nil {
		return time.Now()
	}
	answered := f.latest.answeredAt
	waited, waiting := answered.Sub(f.youngest), f.queue()
	between := interval(waited)
	switch {
	case waited >= f.shortest/2:
	case waiting.isTight:
		between = interval(f.shortest)
	default: // It is not expected to end much sooner than all others did.
		between = max(shortestInterval, min(f.shortest/queueShare, longestInterval))
	}
	if f.latest.err == nil {
		ofItsTime := min(answersShare*answered.Sub(f.latest.requestedAt), longestInterval)
		between = max(between, ofItsTime, waiting.least)
	}
	due := answered.Add(between)
	if !until.IsZero() && until.Before(due) {
		due = slices.MaxFunc([]time.Time{until, answered.Add(shortestInterval)}, time.Time.Compare)
	}
	return slices.MaxFunc([]time.Time{due, answered.Add(audioprojects.RetryAfter(f.latest.err))}, time.Time.Compare)
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
