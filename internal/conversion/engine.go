// Package conversion converts chapters and waits for the end. It never requests the same conversion twice. If a
// conversion is under way, it waits for that one. If the answer to a request was lost, it watches the chapter instead of
// sending the request again. If an earlier process left a conversion pending, it continues to wait for that one.
package conversion

import (
	"context"
	"net/http/httptrace"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

const (
	// refreshAge is the greatest age of a list that a refresh or a plan uses, also of one that failed.
	refreshAge = 10 * time.Second
	// requestAge is the greatest age of a list on which a request for a conversion is based.
	requestAge = time.Second
	// otherRunTimeout is how long a wish whose time is over still waits for the run that it depends on: that run
	// usually ends at the same moment, and its result is more complete. With less time than this, a wish does not begin a
	// run of its own.
	otherRunTimeout = 50 * time.Millisecond
	// defaultParallelConversions is how many conversions of books are under way at a time, if the options do not say.
	defaultParallelConversions = 50
)

// Engine has what all conversions of one process share: lists, runs and their results. It is safe for concurrent use.
type Engine struct {
	client  *audioprojects.Client
	reached atomic.Bool // the service has listed chapters
	clock   clock
	bill    *bill

	mu        sync.Mutex
	lists     map[string]*poller // by project: its chapters, as the list of section 4.2 has them
	records   map[string]*poller // by project: its chapters, as its own record has them (section 4.1)
	requested map[chapterKey]time.Time
	running   map[chapterKey]*run
	handover  map[chapterKey]Pending
	ended     map[chapterKey]*ended
	// replaced are the triggers of the pending conversions that were handed over: several objects of one chapter may be
	// replaced before the first of them is created again.
	replaced map[chapterKey][]string

	kept    map[chapterKey]Kept // handed over for the next wishes of a book
	planned map[chapterKey]Kept // remembered for the plan of a replacement
	slots   chan struct{}       // one for each conversion of a book that is under way
}

type chapterKey struct{ projectID, chapterID string }

// Options are the settings of an engine.
type Options struct {
	// Client asks the service.
	Client *audioprojects.Client
	// MaxCharacters is the most characters that the conversions of one plan or apply may have together. Nil: any number.
	MaxCharacters *int64
	// ParallelConversions is how many conversions of books may be under way at a time; 0 means 50.
	ParallelConversions int
}

// NewEngine returns an engine that remembers nothing yet.
func NewEngine(options Options) *Engine {
	parallel := options.ParallelConversions
	if parallel == 0 {
		parallel = defaultParallelConversions
	}
	return &Engine{
		client:    options.Client,
		bill:      newBill(options.MaxCharacters),
		lists:     map[string]*poller{},
		records:   map[string]*poller{},
		requested: map[chapterKey]time.Time{},
		running:   map[chapterKey]*run{},
		handover:  map[chapterKey]Pending{},
		ended:     map[chapterKey]*ended{},
		replaced:  map[chapterKey][]string{},
		kept:      map[chapterKey]Kept{},
		planned:   map[chapterKey]Kept{},
		slots:     make(chan struct{}, parallel),
	}
}

// Convert fulfils a wish: it requests, joins or resumes a conversion, and waits until it has ended. An error is one of
//   - [*FailedError]: the conversion failed;
//   - [*UnconfirmedError]: the answer to the request was lost, and the chapter shows no conversion;
//   - [*MissingChapterError];
//   - [*BoundError]: the request would exceed [Options].MaxCharacters;
//   - the context's error: interrupted or out of time;
//   - an [*audioprojects.Error]: the service could not be asked, or refused.
//
// After any error, keep Outcome.Pending and put it into the next wish. Otherwise the same conversion may be paid for twice.
func (e *Engine) Convert(ctx context.Context, wish Wish) (Outcome, error) {
	e.bill.beginApplying()
	wish.startedAt = e.clock.now()
	for {
		mine, other := e.claim(wish)
		if mine != nil {
			defer e.release(mine)
			return mine.convert(ctx)
		}
		other.addListener(ctx, wish.Progress)
		select {
		case <-other.over:
			if other.ended == nil && expires(ctx, otherRunTimeout) {
				// The other run has no result, and there is too little time for a run of our own.
				<-ctx.Done()
			}
		case <-ctx.Done():
			// Both usually end for the same reason, such as Ctrl-C. The other run knows more when it has ended.
			select {
			case <-other.over:
			case <-time.After(otherRunTimeout):
			}
		}
		if ctx.Err() != nil {
			return other.outcomeSoFar(wish), ctx.Err()
		}
	}
}

// expires tells whether the context's deadline, if it has one, is within the given time.
func expires(ctx context.Context, within time.Duration) bool {
	deadline, set := ctx.Deadline()
	return set && time.Until(deadline) <= within
}

// Await waits for the pending conversion and requests nothing. Put Outcome.Pending into the wish that you give to
// [Engine.Convert] next. The error is a [*FailedError] if the conversion fails meanwhile, the context's, or that of the service.
func (e *Engine) Await(ctx context.Context, wish Wish) (Outcome, error) {
	e.bill.beginApplying()
	wish.startedAt = e.clock.now()
	r := newRun(e, wish)
	r.onlyWaits = true
	return r.convert(ctx)
}

// claim makes a new run the only one for its chapter, or returns the run that is.
func (e *Engine) claim(wish Wish) (mine, other *run) {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := wish.key()
	if other := e.running[key]; other != nil {
		return nil, other
	}
	switch pending, found := e.handover[key]; {
	case !found:
	case pending.same(wish.Pending):
		// Another block has watched the same conversion, and so knows more of it.
		e.demand(wish, &pending)
		wish.Pending = &pending
	case wish.Pending == nil && pending.since.IsZero() && !wish.Known:
		// The wish is that of the object that replaces the one that handed it over.
		pending.Triggers = e.replacedTriggers(wish)
		wish.Pending = &pending
	case wish.Pending == nil:
		e.demand(wish, &pending)
		if pending.since.Before(wish.startedAt) {
			// It was requested for another block before this wish began. Text may have been edited in between, so it counts
			// as somebody else's: if text is open at its end, one of our own follows.
			pending.RequestedAtUnix = nil
		}
		wish.Pending = &pending
	}
	delete(e.handover, key)
	if wish.ended = e.ended[key]; wish.ended != nil {
		// The pending conversion has ended, too: one chapter has one conversion at a time.
		wish.earlier, wish.Pending = wish.Pending, nil
		if triggers := e.replacedTriggers(wish); triggers != "" && wish.earlier == nil && !wish.Known {
			wish.earlier = &Pending{Triggers: triggers}
		}
		if wish.newTriggers(wish.earlier) {
			wish.UpToDate = false
		}
		if seen := wish.ended.outcome.Chapter.LastConversionDateUnix; later(seen, wish.Date) {
			wish.Date = seen
		}
	}
	mine = newRun(e, wish)
	e.running[key] = mine
	return mine, nil
}

// requestedHere tells whether this process requested the conversion. The caller holds e.mu.
func (e *Engine) requestedHere(key chapterKey, pending *Pending) bool {
	requested := e.requested[key]
	return !requested.IsZero() && requested.Equal(pending.since) && pending.refusal == nil
}

// demand sets for what a pending conversion that another run has watched was requested, as the given wish keeps it. The caller
// holds e.mu.
func (e *Engine) demand(wish Wish, pending *Pending) {
	own := wish.Pending
	if own == nil {
		own = wish.earlier
	}
	pending.Triggers, pending.ConvertedAfter = wish.Triggers, nil
	switch {
	case e.requestedHere(wish.key(), pending):
		// One conversion is enough for all blocks of an apply, even if they demand it for different reasons.
		pending.ConvertedAfter = wish.ConvertedAfter
		return
	case own != nil && own.Triggers != "":
		pending.Triggers = own.Triggers
	case wish.retriggered() && !pending.ran():
		// It may have ended before the triggers changed.
		pending.Triggers = otherTriggers
	}
	if own != nil && own.SinceUnix == pending.SinceUnix {
		pending.ConvertedAfter = own.ConvertedAfter
	}
}

// otherTriggers stands for triggers that are not known, and others than those of the wish.
const otherTriggers = "other"

// replacedTriggers are the triggers for which the object was converted that a new one replaces, as far as the conversions tell
// that were handed over. The caller holds e.mu.
func (e *Engine) replacedTriggers(wish Wish) string {
	switch all := e.replaced[wish.key()]; {
	case len(all) == 0:
		return ""
	case slices.Contains(all, wish.Triggers):
		return wish.Triggers
	default:
		return all[0]
	}
}

// release lets the next wish convert the chapter, and keeps for it what this run knows.
func (e *Engine) release(finished *run) {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := finished.wish.key()
	delete(e.running, key)
	switch pending := finished.outcome.Pending; {
	case finished.ended != nil:
		e.ended[key] = finished.ended
	case pending != nil && pending.Failure == nil:
		// One conversion is enough for all blocks of an apply, even if their triggers differ.
		forAnyone := *pending
		forAnyone.Triggers = ""
		if forAnyone.since.IsZero() {
			// An earlier process requested it, so before any wish of this one.
			forAnyone.since = time.Unix(forAnyone.SinceUnix, 0)
		}
		e.handover[key] = forAnyone
		delete(e.ended, key)
	}
	close(finished.over)
}

// HandOver keeps a pending conversion for the next wish for the chapter in this process. When Terraform replaces an object,
// for example, Delete hands the pending conversion over to Create.
func (e *Engine) HandOver(projectID, chapterID string, pending Pending) {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := chapterKey{projectID, chapterID}
	e.handover[key] = pending
	if pending.Triggers != "" {
		e.replaced[key] = append(e.replaced[key], pending.Triggers)
	}
}

// HandedOver returns the pending conversion that the next wish for the chapter will get; nil if there is none.
func (e *Engine) HandedOver(projectID, chapterID string) *Pending {
	e.mu.Lock()
	defer e.mu.Unlock()
	if pending, found := e.handover[chapterKey{projectID, chapterID}]; found {
		return &pending
	}
	return nil
}

// Chapters returns all chapters of a project, in the service's order, from a list at most 10 s old.
func (e *Engine) Chapters(ctx context.Context, projectID string) ([]audioprojects.Chapter, error) {
	found, err := e.listsOf(projectID).listing(ctx, time.Now().Add(-refreshAge))
	if err != nil {
		return nil, err
	}
	return found.chapters, found.err
}

// listsOf returns the poller of the list of a project's chapters.
func (e *Engine) listsOf(projectID string) *poller {
	return e.poller(e.lists, projectID, e.client.ListChapters)
}

// recordsOf returns the poller of the project's own record, which also lists the chapters. It is asked if a list is
// not believed.
func (e *Engine) recordsOf(projectID string) *poller {
	return e.poller(e.records, projectID, func(ctx context.Context, projectID string) ([]audioprojects.Chapter, error) {
		project, err := e.client.GetProject(ctx, projectID)
		return project.Chapters, err
	})
}

func (e *Engine) poller(
	pollers map[string]*poller, projectID string, ask func(context.Context, string) ([]audioprojects.Chapter, error),
) *poller {
	e.mu.Lock()
	defer e.mu.Unlock()
	if pollers[projectID] == nil {
		pollers[projectID] = newPoller(&e.clock, func(ctx context.Context, sending func()) ([]audioprojects.Chapter, error) {
			ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GetConn: func(string) { sending() }})
			chapters, err := ask(ctx, projectID)
			if err == nil {
				e.reached.Store(true)
			}
			return chapters, err
		})
	}
	return pollers[projectID]
}

func (e *Engine) noteRequest(key chapterKey) time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requested[key] = e.clock.now()
	return e.requested[key]
}

// notBefore is the earliest request time of a list that may be used: the list has at most the given age, and was
// requested after this process's last request to convert the chapter.
func (e *Engine) notBefore(key chapterKey, age time.Duration) time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	oldest := e.clock.now().Add(-age)
	if requested := e.requested[key]; requested.After(oldest) {
		return requested
	}
	return oldest
}

// notBeforeIn is the same for all chapters of a project.
func (e *Engine) notBeforeIn(projectID string, age time.Duration) time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	oldest := e.clock.now().Add(-age)
	for key, requested := range e.requested {
		if key.projectID == projectID && requested.After(oldest) {
			oldest = requested
		}
	}
	return oldest
}
