package conversion

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

const (
	// shortestInterval and longestInterval bound the time between two looks at a project.
	shortestInterval = time.Second
	longestInterval  = 16 * time.Second
	// intervalShare: a seventh of what the youngest waiter has waited passes between two
	// looks, so that an end is noticed within 15 % of the conversion's length.
	intervalShare = 7
	// jitter keeps several processes from asking in step.
	jitter = 0.05
)

// look is what one request for a project's chapters found: them, in the service's order, or an error.
type look struct {
	requestedAt, answeredAt time.Time
	chapters                []audioprojects.Chapter
	index                   map[string]int // of the chapters, by id
	err                     error
}

func (l *look) chapter(key chapterKey) (audioprojects.Chapter, error) {
	if l.err != nil {
		return audioprojects.Chapter{}, l.err
	}
	index, listed := l.index[key.chapterID]
	if !listed {
		return audioprojects.Chapter{}, &MissingChapterError{key.projectID, key.chapterID}
	}
	return l.chapters[index], nil
}

// feed serves everyone in this process who wants to know of one project's chapters,
// with as few requests as they can share.
type feed struct {
	// list asks for the chapters, and calls leaving when the request does leave.
	list func(ctx context.Context, leaving func()) ([]audioprojects.Chapter, error)

	mu           sync.Mutex
	latest       *look            // nil before the first
	flight       *flight          // the latest request while it is under way
	waiters      map[*waiter]bool // those who wait for a conversion to end
	youngest     time.Time        // when the last of them joined
	jitterFactor float64          // of the interval after the latest look: 1 ± jitter
	landed       chan struct{}    // closed, and made anew, when there is a new look
}

// flight is a request under way, for as long as somebody wants its result.
type flight struct {
	requestedAt time.Time // zero as long as the request has not left
	wanted      int
	cancel      context.CancelFunc
	landed      chan struct{} // closed when result is set
	result      *look
}

func newFeed(list func(context.Context, func()) ([]audioprojects.Chapter, error)) *feed {
	return &feed{list: list, waiters: map[*waiter]bool{}, landed: make(chan struct{})}
}

// look returns a look requested at or after the given time: the latest, the one under
// way, or a new one. Its error is in the result; the returned one is the context's.
func (f *feed) look(ctx context.Context, notBefore time.Time) (*look, error) {
	f.mu.Lock()
	if f.latest != nil && !f.latest.requestedAt.Before(notBefore) {
		defer f.mu.Unlock()
		return f.latest, nil
	}
	if f.flight == nil || f.flight.left() && f.flight.requestedAt.Before(notBefore) {
		f.depart(ctx)
	}
	current := f.flight
	current.wanted++
	f.mu.Unlock()

	select {
	case <-current.landed:
		return current.result, nil
	case <-ctx.Done():
		f.mu.Lock()
		defer f.mu.Unlock()
		if current.wanted--; current.wanted == 0 {
			current.cancel()
			if f.flight == current {
				f.flight = nil
			}
		}
		return nil, ctx.Err()
	}
}

// depart sends a request under a context of its own, so that nobody's cancellation breaks
// what others wait for; of the asker's context it keeps what a log needs. Needs f.mu.
func (f *feed) depart(asker context.Context) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(asker))
	departing := &flight{cancel: cancel, landed: make(chan struct{})}
	f.flight = departing
	go func() {
		defer cancel()
		chapters, err := f.list(ctx, func() { f.noteLeft(departing) })
		result := &look{answeredAt: time.Now(), chapters: chapters, err: err}
		result.index = make(map[string]int, len(chapters))
		for i, chapter := range chapters {
			result.index[chapter.ChapterID] = i
		}
		f.land(departing, result)
	}()
}

func (l *flight) left() bool { return !l.requestedAt.IsZero() }

// noteLeft is called again for every repetition: the answer is that to the last.
func (f *feed) noteLeft(leaving *flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	leaving.requestedAt = time.Now()
}

func (f *feed) land(landed *flight, result *look) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !landed.left() {
		landed.requestedAt = result.answeredAt
	}
	result.requestedAt = landed.requestedAt
	landed.result = result
	close(landed.landed)
	if f.flight == landed {
		f.flight = nil
	}
	abandoned := landed.wanted == 0
	overtaken := f.latest != nil && f.latest.requestedAt.After(result.requestedAt)
	if abandoned || overtaken {
		return
	}
	f.latest = result
	f.jitterFactor = 1 + jitter*(2*rand.Float64()-1)
	f.youngest = time.Time{}
	for w := range f.waiters {
		if w.since.After(f.youngest) {
			f.youngest = w.since
		}
	}
	close(f.landed)
	f.landed = make(chan struct{})
}

// waiter is one wait for the end of a conversion. All waiters of a feed watch the same
// clock, and whoever finds the next look due first asks for all.
type waiter struct {
	feed  *feed
	since time.Time
}

func (f *feed) addWaiter() *waiter {
	f.mu.Lock()
	defer f.mu.Unlock()
	w := &waiter{feed: f, since: time.Now()}
	f.waiters[w] = true
	f.youngest = w.since
	return w
}

func (w *waiter) leave() {
	w.feed.mu.Lock()
	defer w.feed.mu.Unlock()
	delete(w.feed.waiters, w)
}

// next waits for a look that was requested after the given time. The error is the context's.
func (w *waiter) next(ctx context.Context, after time.Time) (*look, error) {
	f := w.feed
	for {
		f.mu.Lock()
		latest, landed, due := f.latest, f.landed, f.due()
		f.mu.Unlock()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if latest != nil && latest.requestedAt.After(after) {
			return latest, nil
		}
		timer := time.NewTimer(time.Until(due))
		select {
		case <-ctx.Done():
		case <-landed:
		case <-timer.C:
			// The look is the latest now, or a later one is: the next round finds it.
			_, err := f.look(ctx, due)
			if err != nil {
				timer.Stop()
				return nil, err
			}
		}
		timer.Stop()
	}
}

// due is when the next look is: after an interval that grows with the wait of the
// youngest waiter, or when a service that asked to be left alone allows it. Needs f.mu.
func (f *feed) due() time.Time {
	if f.latest == nil {
		return time.Now()
	}
	interval := f.latest.answeredAt.Sub(f.youngest) / intervalShare
	interval = min(max(interval, shortestInterval), longestInterval)
	pause := time.Duration(float64(interval) * f.jitterFactor)

	var refused *audioprojects.Error
	if errors.As(f.latest.err, &refused) {
		pause = max(pause, refused.RetryAfter)
	}
	return f.latest.answeredAt.Add(pause)
}
