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

// listing is the result of one request for a project's chapters: the chapters in the service's order, or an error.
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

// chapter finds a chapter. Terraform changes every text to Unicode's composed form
// (NFC), so an id from Terraform may differ from the service's in its bytes.
func (l *listing) chapter(key chapterKey) (audioprojects.Chapter, error) {
	if l.err != nil {
		return audioprojects.Chapter{}, l.err
	}
	index, listed := l.index[key.chapterID]
	if !listed {
		index = slices.IndexFunc(l.chapters, func(c audioprojects.Chapter) bool {
			return norm.NFC.String(c.ChapterID) == norm.NFC.String(key.chapterID)
		})
	}
	if index < 0 {
		return audioprojects.Chapter{}, &MissingChapterError{key.projectID, key.chapterID}
	}
	return l.chapters[index], nil
}

// poller requests the chapters of one project. Callers at the same time share one request.
type poller struct {
	clock *clock
	// list requests the chapters. It calls sending when it sends the request, which may be later: requests queue.
	list func(ctx context.Context, sending func()) ([]audioprojects.Chapter, error)

	mu           sync.Mutex
	latest       *listing         // nil before the first
	recent       []*listing       // young enough to be confirmed by a second look; oldest first
	fetch        *fetch           // the latest request while it is under way
	waiters      map[*waiter]bool // those who wait for a conversion to end
	lengths      []duration       // of the project's latest conversions, oldest first
	planned      time.Time        // when the next list is to be requested; zero if that must be computed anew
	jitterFactor float64          // of the interval after the latest look: 1 ± jitter
	updated      chan struct{}    // closed at a new listing, and then replaced
	scale        progressScale    // of all listings
}

// fetch is a request that is under way. It is cancelled when nobody waits for its result any more.
type fetch struct {
	requestedAt time.Time // zero until the request is sent
	wanted      int       // how many wait for the result
	cancel      context.CancelFunc
	done        chan struct{} // closed when result is set
	result      *listing
}

func newPoller(clock *clock, list func(context.Context, func()) ([]audioprojects.Chapter, error)) *poller {
	return &poller{clock: clock, list: list, waiters: map[*waiter]bool{}, updated: make(chan struct{})}
}

// listing returns a listing that was requested at or after the given time: the latest, the one under way, or a new one.
// The returned error is the context's; an error of the service is in the listing.
func (p *poller) listing(ctx context.Context, notBefore time.Time) (*listing, error) {
	p.mu.Lock()
	if p.latest != nil && !p.latest.requestedAt.Before(notBefore) {
		defer p.mu.Unlock()
		return p.latest, nil
	}
	if p.fetch == nil || p.fetch.sent() && p.fetch.requestedAt.Before(notBefore) {
		p.startFetch(ctx)
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
		if current.wanted--; current.wanted == 0 {
			current.cancel()
			if p.fetch == current {
				p.fetch = nil
			}
		}
		return nil, ctx.Err()
	}
}

// startFetch sends a request with a context of its own: if the caller is cancelled, others may still wait for the result.
// The new context keeps the caller's values, which logging needs. The caller holds p.mu.
func (p *poller) startFetch(asker context.Context) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(asker))
	started := &fetch{cancel: cancel, done: make(chan struct{})}
	p.fetch = started
	go func() {
		defer cancel()
		chapters, err := p.list(ctx, func() { p.noteSent(started) })
		p.finish(started, newListing(chapters, err))
	}()
}

func (l *fetch) sent() bool { return !l.requestedAt.IsZero() }

// noteSent sets the time of the request. It is called again for every retry, because the answer belongs to the last one.
func (p *poller) noteSent(sending *fetch) {
	p.mu.Lock()
	defer p.mu.Unlock()
	sending.requestedAt = p.clock.now()
}

func (p *poller) finish(finished *fetch, result *listing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !finished.sent() {
		finished.requestedAt = p.clock.now()
	}
	result.requestedAt = finished.requestedAt
	finished.result = result
	close(finished.done)
	if p.fetch == finished {
		p.fetch = nil
	}
	p.scale.observe(result.chapters)
	abandoned := finished.wanted == 0
	overtaken := p.latest != nil && p.latest.requestedAt.After(result.requestedAt)
	if abandoned || overtaken {
		return
	}
	p.latest = result
	p.recent = append(slices.DeleteFunc(p.recent, func(old *listing) bool {
		return old.requestedAt.Before(result.requestedAt.Add(-2 * secondLook))
	}), result)
	// The microseconds of the answer's time serve as a random number. In fake time they are the same in every run.
	p.jitterFactor = 1 + jitter*(2*float64(result.answeredAt.UnixMicro()%1000)/1000-1)
	p.planned = time.Time{}
	close(p.updated)
	p.updated = make(chan struct{})
}

// percent returns a chapter's progress from 0 to 100; nil for nil.
func (p *poller) percent(progress *float64) *int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.scale.percent(progress)
}

// waiter is one wait for the end of a conversion. The next look is due at the same time for all waiters of a poller; the
// first one that finds it due requests the list, and all get it.
type waiter struct {
	poller    *poller
	since     time.Time
	fromStart bool // since is when the conversion was requested, and not when somebody began to wait for it
}

func (p *poller) addWaiter(since time.Time, fromStart bool) *waiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := &waiter{p, since, fromStart}
	p.waiters[w], p.planned = true, time.Time{}
	return w
}

func (w *waiter) leave() {
	w.poller.mu.Lock()
	defer w.poller.mu.Unlock()
	delete(w.poller.waiters, w)
	w.poller.planned = time.Time{}
}

// next waits for a listing that was requested after the given time. The list is requested when the next look is due for all
// waiters, or at the time until, if that is earlier and not zero; but not twice within the shortest interval. The error
// is the context's.
func (w *waiter) next(ctx context.Context, after, until time.Time) (*listing, error) {
	p := w.poller
	for {
		p.mu.Lock()
		latest, updated, due := p.latest, p.updated, p.due(until)
		p.mu.Unlock()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if latest != nil && latest.requestedAt.After(after) {
			return latest, nil
		}
		if !time.Now().Before(due) {
			// The next round of the loop finds the result in p.latest.
			if _, err := p.listing(ctx, due); err != nil {
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

// due is when to request the next list: as planned, or at the time until if that is earlier; but never during a pause that
// the service asked for (429). The caller holds p.mu.
func (p *poller) due(until time.Time) time.Time {
	if p.latest == nil {
		return time.Now()
	}
	pause := p.nextLook().Sub(p.latest.answeredAt)
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
