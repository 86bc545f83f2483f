// Package conversion converts chapters and waits for the end. It never requests the same conversion twice: see the README.
package conversion

import (
	"cmp"
	"context"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// Engine has what all conversions of one process share: lists, and what is known of each chapter. It is safe for concurrent use.
type Engine struct {
	options Options
	reached atomic.Bool // the service has listed chapters
	clock   clock
	slots   chan struct{} // one for each conversion of a project that is under way
	room    *room

	mu       sync.Mutex
	pollers  map[feed]*poller
	chapters map[chapterKey]*chapter
}

// Options are the settings of an engine.
type Options struct {
	// Client asks the service.
	Client *audioprojects.Client
	// Reserve is asked before each request for a conversion. An error holds the request back. Otherwise answered is called with what
	// has become of it: nil if the service has accepted it.
	Reserve func(Desired, audioprojects.Chapter) (answered func(context.Context, error), err error)
	// ParallelConversions is how many conversions of projects may be under way at a time.
	ParallelConversions int
	// Trace is told each decision about a chapter. It must not block. May be nil.
	Trace func(context.Context, Trace)
}

// NewEngine returns an engine that remembers nothing yet.
func NewEngine(options Options) *Engine {
	return &Engine{
		options:  options,
		slots:    make(chan struct{}, options.ParallelConversions),
		room:     &room{places: map[*place]bool{}},
		pollers:  map[feed]*poller{},
		chapters: map[chapterKey]*chapter{},
	}
}

// Convert brings a desired state about: it requests, joins or resumes a conversion, and waits until it has ended. An error is one of
//   - [*FailedError]: the conversion failed;
//   - [*UnconfirmedError]: the answer to the request was lost, and the chapter shows no conversion;
//   - [*MissingChapterError], or [*UnreadableError];
//   - [*ProjectBusyError]: nothing was requested;
//   - what [Options].Reserve returns;
//   - the context's error: interrupted or out of time;
//   - an [*audioprojects.Error]: the service could not be asked, or refused.
func (e *Engine) Convert(ctx context.Context, desired Desired) (Outcome, error) {
	return e.serve(ctx, e.withHandedOver(desired), converts)
}

// Await waits for the pending conversion and requests nothing. Outcome.Pending is what to hand over. The error is a [*FailedError] if the
// conversion fails meanwhile, the context's, or that of the service.
func (e *Engine) Await(ctx context.Context, desired Desired) (Outcome, error) {
	return e.serve(ctx, desired, awaits)
}

// Chapters returns all chapters of a project, in the service's order, from a list at most 10 s old. With an
// [*audioprojects.IncompleteError] come those that the list has.
func (e *Engine) Chapters(ctx context.Context, projectID string) ([]audioprojects.Chapter, error) {
	found, err := e.listsOf(projectID).listing(ctx, time.Now().Add(-refreshAge))
	if err != nil {
		return nil, err
	}
	return found.chapters, cmp.Or(found.err, found.incomplete)
}

// feed is what requests the chapters of a project again and again.
type feed struct {
	projectID string
	record    bool // the project's own record, which lists them, too (section 4.1), instead of their list (section 4.2)
	raw       bool // with all that the service has sent of each chapter
}

func (e *Engine) poller(of feed) *poller {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.pollers[of] == nil {
		e.pollers[of] = &poller{clock: &e.clock, updated: make(chan struct{}), ask: func(ctx context.Context, sending func()) (shown audioprojects.Project, err error) {
			client := e.options.Client
			if of.raw {
				client = client.WithRaw()
			}
			ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GetConn: func(string) { sending() }})
			if of.record {
				shown, err = client.GetProject(ctx, of.projectID)
			} else {
				shown.Chapters, err = client.ListChapters(ctx, of.projectID)
			}
			answered := err == nil
			if answered {
				e.reached.Store(true)
			}
			if answered && shown.Chapters == nil {
				err = errUnnamed
			}
			return shown, err
		}}
	}
	return e.pollers[of]
}

func (e *Engine) listsOf(projectID string) *poller { return e.poller(feed{projectID: projectID}) }
func (e *Engine) recordsOf(projectID string) *poller {
	return e.poller(feed{projectID: projectID, record: true})
}
