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
	// shortestInterval and longestInterval bound the time between two looks at a project, and intervalShare sets it.
	shortestInterval = time.Second
	longestInterval  = 16 * time.Second
	intervalShare    = 7
)

const (
	// refreshAge is the greatest age of a list that a refresh or a plan uses, also of one that failed.
	refreshAge = 10 * time.Second
	// requestAge is the greatest age of a list on which a request for a conversion is based.
	requestAge = time.Second
)

// listing is the result of one request for a project's chapters: the chapters in the service's order, or an error.
type listing struct {
	requestedAt, answeredAt time.Time
	project                 audioprojects.Project // the project's own record if that was requested, without its chapters
	chapters                []audioprojects.Chapter
	index                   map[string]int  // of the chapters, by id
	differing               map[string]bool // chapters of which it has two copies that differ
	// incomplete is set if the answer says that it is not all: what it lacks may be there. Its chapters are as good
	// as those of another.
	incomplete error
	err        error
}

// newListing keeps the first copy of a chapter. The client makes equal copies one, so that copies differ.
func newListing(shown audioprojects.Project, err error) *listing {
	chapters := shown.Chapters
	shown.Chapters = nil
	l := &listing{
		answeredAt: time.Now(), project: shown, err: err,
		index: make(map[string]int, len(chapters)), differing: map[string]bool{},
	}
	for _, chapter := range chapters {
		id := norm.NFC.String(chapter.ChapterID) // as Terraform keeps it
		_, isListed := l.index[id]
		if isListed {
			l.differing[id] = true
			continue
		}
		l.index[id] = len(l.chapters)
		l.chapters = append(l.chapters, chapter)
	}
	return l
}

// beyond is why two answers together may not be all: one says that it is not, and the other does not show more; nil if they may be.
func beyond(one, other *listing) error {
	for _, pair := range [][2]*listing{{one, other}, {other, one}} {
		marked, shown := pair[0], pair[1]
		showsMore := slices.ContainsFunc(shown.chapters, func(c audioprojects.Chapter) bool {
			_, listed := marked.find(c.ChapterID)
			return !listed
		})
		if marked.incomplete != nil && (shown.incomplete != nil || !showsMore) {
			return marked.incomplete
		}
	}
	return nil
}

// errUnnamed means that the project's own record has no list of the chapters, or null there. It cannot tell then that one is missing.
var errUnnamed = errors.New("the project's own record does not list the chapters")

// saysNothing reports whether a list or a record says nothing of the chapters, although the other one may.
func saysNothing(err error) bool { return audioprojects.Refused(err) || errors.Is(err, errUnnamed) }

// find finds a chapter, by its id in any spelling.
func (l *listing) find(id string) (chapter audioprojects.Chapter, listed bool) {
	index, listed := l.index[norm.NFC.String(id)]
	if listed {
		chapter = l.chapters[index]
	}
	return chapter, listed
}

// poller requests the chapters of one project. Callers at the same time share one request.
type poller struct {
	clock *clock
	// ask requests the chapters, alone or in the project's own record. It calls sending when it sends the request, which may be later:
	// requests queue.
	ask func(ctx context.Context, sending func()) (audioprojects.Project, error)

	mu       sync.Mutex
	latest   *listing      // nil before the first
	answered bool          // one was without an error
	recent   []*listing    // young enough for a refresh; oldest first
	fetch    *fetch        // the latest request while it is under way
	youngest time.Time     // when the latest conversion began
	shortest time.Duration // all that have ended took longer
	updated  chan struct{} // closed at a new listing, and then replaced
}

// fetch is a request that is under way. It is cancelled when nobody waits for its result any more.
type fetch struct {
	wanted      int // how many wait for the result
	cancel      context.CancelFunc
	requestedAt time.Time     // zero until the request is sent
	done        chan struct{} // closed when result is set
	result      *listing
}

// listing returns a listing that was requested at or after the given time: the latest, the one under way, or a new one.
// The returned error is the context's; an error of the service is in the listing.
func (p *poller) listing(ctx context.Context, notBefore time.Time) (*listing, error) {
	p.mu.Lock()
	if p.latest != nil && !p.latest.requestedAt.Before(notBefore) {
		defer p.mu.Unlock()
		return p.latest, nil
	}
	if p.fetch == nil || !p.fetch.requestedAt.IsZero() && p.fetch.requestedAt.Before(notBefore) {
		asked, cancel := context.WithCancel(context.WithoutCancel(ctx))
		p.fetch = &fetch{done: make(chan struct{}), cancel: cancel}
		// The request has a context of its own: if the caller is cancelled, others may still wait for the result. It keeps the
		// caller's values, which logging needs.
		go p.request(asked, p.fetch)
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

func (p *poller) request(ctx context.Context, current *fetch) {
	shown, err := p.ask(ctx, func() {
		// It is sent again for every retry, and the answer belongs to the last one.
		p.mu.Lock()
		defer p.mu.Unlock()
		current.requestedAt = p.clock.now()
	})
	result := newListing(shown, err)
	p.mu.Lock()
	defer p.mu.Unlock()
	defer close(current.done)
	defer current.cancel()
	result.requestedAt = current.requestedAt
	if result.requestedAt.IsZero() {
		result.requestedAt = p.clock.now()
	}
	current.result = result
	p.answered = p.answered || result.err == nil
	if p.fetch == current {
		p.fetch = nil
	}
	if current.wanted == 0 || p.latest != nil && p.latest.requestedAt.After(result.requestedAt) {
		return
	}
	p.latest = result
	p.recent = append(slices.DeleteFunc(p.recent, func(old *listing) bool {
		return old.requestedAt.Before(result.requestedAt.Add(-refreshAge))
	}), result)
	close(p.updated)
	p.updated = make(chan struct{})
}

// hasAnswered reports whether the service has answered a request of this poller with the chapters.
func (p *poller) hasAnswered() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.answered
}

// at waits until the given time for a listing that was requested at notBefore or later.
func (p *poller) at(ctx context.Context, at, notBefore time.Time, newcomer <-chan struct{}) (*listing, error) {
	err := sleepUntil(ctx, at, newcomer)
	if err != nil {
		return nil, err
	}
	return p.listing(ctx, notBefore)
}

// errNewcomer ends a wait for the next look, because a session has arrived that may need one at once.
var errNewcomer = errors.New("a session has arrived")

func sleepUntil(ctx context.Context, at time.Time, newcomer <-chan struct{}) error {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-newcomer:
		return errNewcomer
	case <-ctx.Done():
		return ctx.Err()
	}
}

// noteStart notes when a conversion began, or a wait for one.
func (p *poller) noteStart(began time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if began.After(p.youngest) {
		p.youngest = began
	}
}

// noteLength notes that a conversion has taken longer than this; 0 if it had ended at the first look.
func (p *poller) noteLength(over time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	over = max(over, shortestInterval)
	if p.shortest == 0 || over < p.shortest {
		p.shortest = over
	}
}

// next waits for a listing that was requested after the given time. The list is requested when the next look is due, or at the time
// until, if that is earlier and not zero; but not twice within the shortest interval. If the service has asked for a pause that is longer
// than the wait, that answer is returned. The error is the context's.
func (p *poller) next(ctx context.Context, after, until time.Time, newcomer <-chan struct{}) (*listing, error) {
	for {
		p.mu.Lock()
		latest, updated, due := p.latest, p.updated, p.due(until)
		p.mu.Unlock()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		deadline, set := ctx.Deadline()
		tooLate := set && due.After(deadline) && latest != nil && audioprojects.RetryAfter(latest.err) > 0
		if latest != nil && (latest.requestedAt.After(after) || tooLate) {
			return latest, nil
		}
		if !time.Now().Before(due) {
			// The next round of the loop finds the result in p.latest.
			_, err := p.listing(ctx, due)
			if err != nil {
				return nil, err
			}
			continue
		}
		timer := time.NewTimer(time.Until(due))
		select {
		case <-ctx.Done():
		case <-updated:
		case <-newcomer:
			timer.Stop()
			return nil, errNewcomer
		case <-timer.C: // Meanwhile the next look may be due at another time.
		}
		timer.Stop()
	}
}

// due is when to request the next list: a seventh of the youngest conversion's age after the last answer, 1 to 16 s, or at the time until
// if that is earlier, and never before Retry-After. So an end is noticed within 15 % of the conversion's length. The age counts as at least
// the length of the shortest conversion: otherwise chapters that begin one after the other would keep the looks frequent. The caller holds
// p.mu.
func (p *poller) due(until time.Time) time.Time {
	if p.latest == nil {
		return time.Now()
	}
	answered := p.latest.answeredAt
	age := min(max(answered.Sub(p.youngest), p.shortest), longestInterval*intervalShare)
	pause := max(age/intervalShare, shortestInterval)
	early := until.Sub(answered)
	if !until.IsZero() && early < pause {
		pause = max(early, min(pause, shortestInterval))
	}
	return answered.Add(max(pause, audioprojects.RetryAfter(p.latest.err)))
}

// between returns the recent listings that were requested at or after the given time, oldest first, and at last the latest.
func (p *poller) between(notBefore time.Time, latest *listing) (all []*listing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.recent {
		if !l.requestedAt.Before(notBefore) && l.requestedAt.Before(latest.requestedAt) {
			all = append(all, l)
		}
	}
	return append(all, latest)
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
