package conversion

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/text/unicode/norm"

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

// listing is what one request for a project's chapters found: them, in the service's order, or an error.
type listing struct {
	requestedAt, answeredAt time.Time
	chapters                []audioprojects.Chapter
	index                   map[string]int // of the chapters, by id
	err                     error
}

func newListing(chapters []audioprojects.Chapter, err error) *listing {
	l := &listing{answeredAt: time.Now(), chapters: chapters, err: err, index: make(map[string]int, len(chapters))}
	for i, chapter := range chapters {
		l.index[chapter.ChapterID] = i
	}
	return l
}

// chapter finds a chapter, and its place in the list. Terraform composes the characters of every text, so that an id
// may be spelled otherwise than the service spells it.
func (l *listing) chapter(key chapterKey) (chapter audioprojects.Chapter, place int, err error) {
	if l.err != nil {
		return audioprojects.Chapter{}, 0, l.err
	}
	index, listed := l.index[key.chapterID]
	if !listed {
		index = slices.IndexFunc(l.chapters, func(c audioprojects.Chapter) bool {
			return norm.NFC.String(c.ChapterID) == norm.NFC.String(key.chapterID)
		})
	}
	if index < 0 {
		return audioprojects.Chapter{}, 0, &MissingChapterError{key.projectID, key.chapterID}
	}
	return l.chapters[index], index + 1, nil
}

// poller serves everyone in this process who wants to know of one project's chapters,
// with as few requests as they can share.
type poller struct {
	clock *clock
	// list asks for the chapters, and calls leaving when the request does leave.
	list func(ctx context.Context, leaving func()) ([]audioprojects.Chapter, error)

	mu           sync.Mutex
	latest       *listing         // nil before the first
	recent       []*listing       // those that a second look may confirm, the latest last
	flight       *flight          // the latest request while it is under way
	waiters      map[*waiter]bool // those who wait for a conversion to end
	youngest     time.Time        // when the last of them joined
	jitterFactor float64          // of the interval after the latest look: 1 ± jitter
	landed       chan struct{}    // closed, and made anew, when there is a new listing
}

// flight is a request under way, for as long as somebody wants its result.
type flight struct {
	requestedAt time.Time // zero as long as the request has not left
	wanted      int
	cancel      context.CancelFunc
	landed      chan struct{} // closed when result is set
	result      *listing
}

func newPoller(clock *clock, list func(context.Context, func()) ([]audioprojects.Chapter, error)) *poller {
	return &poller{clock: clock, list: list, waiters: map[*waiter]bool{}, landed: make(chan struct{})}
}

// listing returns one requested at or after the given time: the latest, the one under
// way, or a new one. Its error is in the result; the returned one is the context's.
func (p *poller) listing(ctx context.Context, notBefore time.Time) (*listing, error) {
	p.mu.Lock()
	if p.latest != nil && !p.latest.requestedAt.Before(notBefore) {
		defer p.mu.Unlock()
		return p.latest, nil
	}
	if p.flight == nil || p.flight.left() && p.flight.requestedAt.Before(notBefore) {
		p.depart(ctx)
	}
	current := p.flight
	current.wanted++
	p.mu.Unlock()

	select {
	case <-current.landed:
		return current.result, nil
	case <-ctx.Done():
		p.mu.Lock()
		defer p.mu.Unlock()
		if current.wanted--; current.wanted == 0 {
			current.cancel()
			if p.flight == current {
				p.flight = nil
			}
		}
		return nil, ctx.Err()
	}
}

// depart sends a request under a context of its own, so that nobody's cancellation breaks
// what others wait for; of the asker's context it keeps what a log needs. Needs p.mu.
func (p *poller) depart(asker context.Context) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(asker))
	departing := &flight{cancel: cancel, landed: make(chan struct{})}
	p.flight = departing
	go func() {
		defer cancel()
		chapters, err := p.list(ctx, func() { p.noteLeft(departing) })
		p.land(departing, newListing(chapters, err))
	}()
}

func (l *flight) left() bool { return !l.requestedAt.IsZero() }

// noteLeft is called again for every repetition: the answer is that to the last.
func (p *poller) noteLeft(leaving *flight) {
	p.mu.Lock()
	defer p.mu.Unlock()
	leaving.requestedAt = p.clock.now()
}

func (p *poller) land(landed *flight, result *listing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !landed.left() {
		landed.requestedAt = p.clock.now()
	}
	result.requestedAt = landed.requestedAt
	landed.result = result
	close(landed.landed)
	if p.flight == landed {
		p.flight = nil
	}
	abandoned := landed.wanted == 0
	overtaken := p.latest != nil && p.latest.requestedAt.After(result.requestedAt)
	if abandoned || overtaken {
		return
	}
	p.latest = result
	p.recent = append(slices.DeleteFunc(p.recent, func(old *listing) bool {
		return old.requestedAt.Before(result.requestedAt.Add(-2 * secondLook))
	}), result)
	// The fractions of a second are as good as dice, and in fake time they fall the same way again.
	p.jitterFactor = 1 + jitter*(2*float64(result.answeredAt.UnixMicro()%1000)/1000-1)
	p.youngest = time.Time{}
	for w := range p.waiters {
		if w.since.After(p.youngest) {
			p.youngest = w.since
		}
	}
	close(p.landed)
	p.landed = make(chan struct{})
}

// waiter is one wait for the end of a conversion. All waiters of a poller watch the same
// clock, and whoever finds the next look due first asks for all.
type waiter struct {
	poller *poller
	since  time.Time
}

func (p *poller) addWaiter() *waiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := &waiter{poller: p, since: time.Now()}
	p.waiters[w] = true
	p.youngest = w.since
	return w
}

func (w *waiter) leave() {
	w.poller.mu.Lock()
	defer w.poller.mu.Unlock()
	delete(w.poller.waiters, w)
}

// next waits for a listing that was requested after the given time. It is asked for when the next is due for
// all waiters, or at the time given by until, if that is earlier and not zero: but not twice within the shortest interval.
// The error is the context's.
func (w *waiter) next(ctx context.Context, after, until time.Time) (*listing, error) {
	p := w.poller
	for {
		p.mu.Lock()
		latest, landed, due := p.latest, p.landed, p.due(until)
		p.mu.Unlock()
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
			// The listing is the latest now, or a later one is: the next round finds it.
			_, err := p.listing(ctx, due)
			if err != nil {
				timer.Stop()
				return nil, err
			}
		}
		timer.Stop()
	}
}

// due is when the next listing is: after an interval that grows with the wait of the youngest waiter, or
// earlier, if one wants it; in any case not before a service that asked to be left alone allows it. Needs p.mu.
func (p *poller) due(until time.Time) time.Time {
	if p.latest == nil {
		return time.Now()
	}
	interval := p.latest.answeredAt.Sub(p.youngest) / intervalShare
	interval = min(max(interval, shortestInterval), longestInterval)
	pause := time.Duration(float64(interval) * p.jitterFactor)
	if wanted := until.Sub(p.latest.answeredAt); !until.IsZero() && wanted < pause {
		pause = max(wanted, min(pause, shortestInterval))
	}

	var refused *audioprojects.Error
	if errors.As(p.latest.err, &refused) {
		pause = max(pause, refused.RetryAfter)
	}
	return p.latest.answeredAt.Add(pause)
}

// since returns the recent listings that were requested at or after the given time, oldest first.
func (p *poller) since(notBefore time.Time) []*listing {
	p.mu.Lock()
	defer p.mu.Unlock()
	index := slices.IndexFunc(p.recent, func(l *listing) bool { return !l.requestedAt.Before(notBefore) })
	if index < 0 {
		return nil
	}
	return slices.Clone(p.recent[index:])
}
