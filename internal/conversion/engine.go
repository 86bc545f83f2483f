// Package conversion converts chapters and waits for them, and never asks for the same
// conversion twice: it joins what is under way, watches instead of repeating a request
// whose answer was lost, and takes up what an earlier process left pending.
package conversion

import (
	"context"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

const (
	// refreshAge is how old a list may be that a refresh or a plan goes by, errors included.
	refreshAge = 10 * time.Second
	// requestAge is how old a list may be that a conversion is requested on.
	requestAge = time.Second
	// leadersTimeout is how long a wish that runs out of time waits for the end of the run that it follows, and how
	// little time is too little to go on after it.
	leadersTimeout = 50 * time.Millisecond
)

// Engine is what all conversions of one process share. It is safe for concurrent use.
type Engine struct {
	client  *audioprojects.Client
	reached atomic.Bool // the service has listed chapters
	clock   clock

	mu        sync.Mutex
	lists     map[string]*poller // by project: its chapters, as the list of section 4.2 has them
	records   map[string]*poller // by project: its chapters, as its own record has them (section 4.1)
	requested map[chapterKey]time.Time
	running   map[chapterKey]*run
	handover  map[chapterKey]Pending
	ended     map[chapterKey]*ended
}

type chapterKey struct{ projectID, chapterID string }

// Options are what an engine works with.
type Options struct {
	// Client asks the service.
	Client *audioprojects.Client
}

// NewEngine returns an engine that remembers nothing yet.
func NewEngine(options Options) *Engine {
	return &Engine{
		client:    options.Client,
		lists:     map[string]*poller{},
		records:   map[string]*poller{},
		requested: map[chapterKey]time.Time{},
		running:   map[chapterKey]*run{},
		handover:  map[chapterKey]Pending{},
		ended:     map[chapterKey]*ended{},
	}
}

// Wish is that a chapter be converted.
type Wish struct {
	ProjectID, ChapterID string
	// Pending is what is left of an earlier conversion; nil when nothing is.
	Pending *Pending
	// Triggers is a fingerprint of the triggers that the conversion is for; empty when there are none.
	Triggers string
	// UpToDate is content with a chapter that has nothing left to convert, beyond Leftover.
	UpToDate bool
	// Leftover is how much text our own last conversion has left unconverted.
	Leftover int64
	// LeftOnce is what it has left if the service dated it and it is not known to have converted anything; nil otherwise.
	LeftOnce *int64
	// Known: the chapter has been seen before, for the object whose wish this is.
	Known bool
	// Date is the date of the last conversion that was seen before: a list with an older one lags. Nil if none was.
	Date *audioprojects.Integer
	// Progress is told of every look at the chapter, and when a conversion has been requested
	// or joined. It must not block. May be nil.
	Progress func(Progress)

	madeAt time.Time // when its turn began
	ended  *ended    // what has ended for the chapter in this process; nil if nothing has
}

func (w Wish) key() chapterKey { return chapterKey{w.ProjectID, w.ChapterID} }

// Outcome is what has become of a wish, whether or not it ended in an error.
type Outcome struct {
	// Chapter is the chapter as last seen; without an id if it was not seen at all.
	Chapter audioprojects.Chapter
	// Pending is what the next apply takes up; nil when the wish is fulfilled or nothing was begun.
	Pending *Pending
	// Reason is why a wish is fulfilled: [Plain], [NothingLeft], [EndedBefore], [NoSign] or [Remainder].
	Reason Reason
	// Requested: a conversion was requested in this run.
	Requested bool
	// Joined: a conversion that was under way was waited for.
	Joined bool
	// Leftover and LeftOnce are those of the next [Wish].
	Leftover int64
	LeftOnce *int64
	// Superseded is what the service said of the conversion that was pending, if that had failed
	// and so another was wanted. It may be empty where SupersededBy is not [Plain].
	Superseded   string
	SupersededBy Reason
	// Waited is how long the run took.
	Waited time.Duration
	// Problem is why the latest look failed; nil when it did not.
	Problem error
	// Postponed is why the request for a conversion could not be made yet; nil when it could,
	// or was not tried.
	Postponed error
}

// ended is what has become of a conversion in this process. Whoever wishes one of the same chapter takes it over.
type ended struct {
	step    Step
	left    int64 // the text that the conversion has left, or that was open when one was requested that has failed
	outcome Outcome
	err     error
}

// outgrownBy tells whether there is more to convert than that conversion was about.
func (e *ended) outgrownBy(chapter audioprojects.Chapter) bool { return openIn(chapter, e.left) }

// Convert fulfils a wish: it requests, joins or takes up a conversion and waits until the
// chapter has left the converting state. An error is one of
//   - [*FailedError]: the conversion failed;
//   - [*UnconfirmedError]: the answer was lost and nothing shows a conversion;
//   - [*MissingChapterError];
//   - the context's error: interrupted or out of time;
//   - an [*audioprojects.Error]: the service could not be asked, or declined.
//
// Whatever the error, what is pending in the outcome must be kept and given to the next wish.
func (e *Engine) Convert(ctx context.Context, wish Wish) (Outcome, error) {
	wish.madeAt = e.clock.now()
	for {
		mine, other := e.enter(wish)
		if mine != nil {
			defer e.leave(mine)
			return mine.convert(ctx)
		}
		other.follow(ctx, wish.Progress)
		select {
		case <-other.left:
			if other.ended == nil && expires(ctx, leadersTimeout) {
				// There is no time left to look again, and to look is what has come to no end.
				<-ctx.Done()
			}
		case <-ctx.Done():
			// Most often the same ends both, and who leads knows a little more then.
			select {
			case <-other.left:
			case <-time.After(leadersTimeout):
			}
		}
		if ctx.Err() != nil {
			return other.soFar(wish), ctx.Err()
		}
	}
}

// expires tells whether a context has a deadline that is so close.
func expires(ctx context.Context, within time.Duration) bool {
	deadline, set := ctx.Deadline()
	return set && time.Until(deadline) <= within
}

// Await waits for what is pending and requests nothing, whatever becomes of it. What is pending
// in the outcome is what [Engine.Convert] is to be given then; the errors are the
// context's and those of the service.
func (e *Engine) Await(ctx context.Context, wish Wish) (Outcome, error) {
	wish.madeAt = e.clock.now()
	r := newRun(e, wish)
	r.onlyWaits = true
	return r.convert(ctx)
}

// enter makes the caller the only one who converts this chapter, or returns who is.
func (e *Engine) enter(wish Wish) (mine, other *run) {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := wish.key()
	if other := e.running[key]; other != nil {
		return nil, other
	}
	switch pending, left := e.handover[key]; {
	case !left:
	case pending.same(wish.Pending):
		// Another block has watched the same conversion.
		pending.Triggers = wish.Pending.Triggers
		wish.Pending = &pending
	case wish.Pending == nil:
		if !pending.since.IsZero() && pending.since.Before(wish.madeAt) {
			// Another block requested it before this one's turn, so that text may have been edited in between.
			pending.RequestedAtUnix = nil
		}
		wish.Pending = &pending
	}
	delete(e.handover, key)
	if wish.ended = e.ended[key]; wish.ended != nil {
		// Whatever was pending has ended with it.
		wish.Pending = nil
		if seen := wish.ended.outcome.Chapter.LastConversionDateUnix; later(seen, wish.Date) {
			wish.Date = seen
		}
	}
	mine = newRun(e, wish)
	e.running[key] = mine
	return mine, nil
}

// leave lets the next one convert the chapter, and leaves it what is known of this conversion.
func (e *Engine) leave(finished *run) {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := finished.wish.key()
	delete(e.running, key)
	switch pending := finished.outcome.Pending; {
	case finished.ended != nil:
		e.ended[key] = finished.ended
	case pending != nil && pending.Failure == nil:
		// One conversion is enough for all blocks of an apply, whatever their triggers are.
		forAnyone := *pending
		forAnyone.Triggers = ""
		if forAnyone.since.IsZero() {
			// An earlier process requested it, before anybody's turn here.
			forAnyone.since = time.Unix(forAnyone.SinceUnix, 0)
		}
		e.handover[key] = forAnyone
		delete(e.ended, key)
	}
	close(finished.left)
}

// HandOver leaves what is pending to whoever next asks this process to convert the chapter:
// to the creation that follows when Terraform replaces an object.
func (e *Engine) HandOver(projectID, chapterID string, pending Pending) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.handover[chapterKey{projectID, chapterID}] = pending
}

// HandedOver returns what the next conversion of the chapter will take up, nil if there is nothing.
func (e *Engine) HandedOver(projectID, chapterID string) *Pending {
	e.mu.Lock()
	defer e.mu.Unlock()
	if pending, left := e.handover[chapterKey{projectID, chapterID}]; left {
		return &pending
	}
	return nil
}

// Chapters returns all chapters of a project, in the service's order, from a list at most
// 10 s old.
func (e *Engine) Chapters(ctx context.Context, projectID string) ([]audioprojects.Chapter, error) {
	found, err := e.listsOf(projectID).listing(ctx, time.Now().Add(-refreshAge))
	if err != nil {
		return nil, err
	}
	return found.chapters, found.err
}

// listsOf polls the list of a project's chapters.
func (e *Engine) listsOf(projectID string) *poller {
	return e.poller(e.lists, projectID, e.client.ListChapters)
}

// recordsOf polls the project's own record. It is asked where a list is in doubt.
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
		pollers[projectID] = newPoller(&e.clock, func(ctx context.Context, leaving func()) ([]audioprojects.Chapter, error) {
			ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GetConn: func(string) { leaving() }})
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

// notBefore is when a list may have been requested at the earliest: it is of the given age at most, and from
// after this process's own last request.
func (e *Engine) notBefore(key chapterKey, age time.Duration) time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	oldest := e.clock.now().Add(-age)
	if requested := e.requested[key]; requested.After(oldest) {
		return requested
	}
	return oldest
}
