// Package conversion converts chapters and waits for the end. It never requests the same conversion twice: see the README.
package conversion

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/pace"
)

// Engine has what all conversions of one process share: lists, and what is known of each chapter. It is safe for concurrent use.
type Engine struct {
	options  Options
	clock    clock
	slots    chan struct{}     // one for each conversion of a project that is under way
	running  *pace.Concurrency // conversions that the service runs for this process
	requests pace.Turns        // of the request that takes its list, and is sent next
	reached  atomic.Bool       // the service has listed chapters

	mu       sync.Mutex
	projects map[string]*project
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
		running:  pace.NewConcurrency(),
		projects: map[string]*project{},
	}
}

// Convert brings a desired state about: it requests, joins or resumes a conversion, and waits until it has ended. An error is one of
//   - [*FailedError]: the conversion failed;
//   - [*UnconfirmedError]: the answer to the request was lost, and the chapter shows no conversion;
//   - [*UndatedError]: the date of the conversion does not show that it is as new as wanted;
//   - [*MissingChapterError];
//   - [*ProjectBusyError]: nothing was requested;
//   - what [Options].Reserve returns;
//   - the context's error: interrupted or out of time;
//   - an [*audioprojects.Error]: the service could not be asked, or refused.
func (e *Engine) Convert(ctx context.Context, desired Desired) (Outcome, error) {
	return e.serve(ctx, desired, converts)
}

// Await waits for the pending conversion and requests nothing. Outcome.Pending is what to hand over. The error is a [*FailedError] if the
// conversion fails meanwhile, a [*MissingChapterError], the context's, or that of the service.
func (e *Engine) Await(ctx context.Context, desired Desired) (Outcome, error) {
	return e.serve(ctx, desired, awaits)
}

// serve runs a session while no other one in this process is about the chapter. Who waits for that decides by a fresh look then.
func (e *Engine) serve(ctx context.Context, desired Desired, mode mode) (Outcome, error) {
	c := e.chapter(desired.key())
	queued := Outcome{Memory: desired.Memory, Decision: Decision{Step: Wait, Reason: InTurn}}
	if desired.Progress != nil && !c.isFree() {
		desired.Progress(queued)
	}
	inTurn, cancel := ctx, func() {}
	if desired.Timeout > 0 {
		inTurn, cancel = context.WithTimeout(ctx, desired.Timeout)
	}
	defer cancel()
	select {
	case c.turn <- struct{}{}:
	case <-inTurn.Done():
		queued.TimedOut = ctx.Err() == nil
		return queued, inTurn.Err()
	}
	defer func() { <-c.turn }()
	if mode == converts {
		desired = c.continueFrom(desired)
	}
	s := e.newSession(ctx, desired, mode)
	defer s.close()
	outcome, err := s.run()
	c.keep(outcome.Pending, s.pending)
	c.end(e.clock.now())
	return outcome, err
}

// Chapters returns all chapters of a project, in the service's order, from a list at most 10 s old.
func (e *Engine) Chapters(ctx context.Context, projectID string) ([]audioprojects.Chapter, error) {
	found, err := e.project(projectID).lists.at(ctx, time.Now().Add(-refreshAge))
	if err != nil {
		return nil, err
	}
	return found.shows.chapters, found.err
}

// Held is when the next request is sent, if requests wait now, and the refusal because of which they do; nil if none waits.
func (e *Engine) Held() (until time.Time, refusal error) { return e.options.Client.Rate().Held() }

// LatestChapters returns what Chapters would, if it is known already; nil if not. It asks nothing of the service.
func (e *Engine) LatestChapters(projectID string) []audioprojects.Chapter {
	found := e.project(projectID).lists.known()
	if found == nil || time.Since(found.requestedAt) > refreshAge {
		return nil
	}
	return found.shows.chapters
}

// HandOver keeps what a resource remembers of its chapters, by chapter, for whoever is next in this process: Terraform replaces a
// resource by destroying it and creating another. A failure is not kept: no plan of a new resource counts on what another one remembers,
// and each of them sees what failed as unconverted text.
func (e *Engine) HandOver(projectID string, kept map[string]Memory) {
	for chapterID, memory := range kept {
		c := e.chapter(chapterKey{projectID, chapterID})
		if memory.Pending != nil {
			c.keep(memory.Pending, nil)
		}
		c.mu.Lock()
		c.remainder = memory.Remainder
		c.mu.Unlock()
	}
}

// HandedOver are the ids of the chapters of a project of which this process knows a conversion without a known end.
func (e *Engine) HandedOver(projectID string) (ids []string) {
	p := e.project(projectID)
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, c := range p.chapters {
		c.mu.Lock()
		if c.pending != nil {
			ids = append(ids, id)
		}
		c.mu.Unlock()
	}
	slices.Sort(ids)
	return ids
}

// project is what the process knows of a project.
type project struct {
	lists   *feed[chapterList]
	records *feed[audioprojects.Project] // the project's own (section 4.1)

	mu       sync.Mutex
	chapters map[string]*chapter
	followed time.Time // when this process last saw a conversion of its own under way
}

func (e *Engine) project(projectID string) *project {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.projects[projectID] == nil {
		e.projects[projectID] = &project{
			chapters: map[string]*chapter{},
			lists: newFeed(&e.clock, e.queue, func(ctx context.Context) (chapterList, error) {
				chapters, err := e.options.Client.ListChapters(ctx, projectID)
				if err == nil {
					e.reached.Store(true)
				}
				return newChapterList(chapters), err
			}),
			records: newFeed(&e.clock, e.queue, func(ctx context.Context) (audioprojects.Project, error) {
				return e.options.Client.GetProject(ctx, projectID)
			}),
		}
	}
	return e.projects[projectID]
}

// chapterList is a list of the chapters of a project (section 4.2), in the service's order.
type chapterList struct {
	chapters []audioprojects.Chapter
	index    map[string]int // of the chapters, by id
}

func newChapterList(chapters []audioprojects.Chapter) chapterList {
	l := chapterList{chapters: chapters, index: make(map[string]int, len(chapters))}
	for i, chapter := range chapters {
		l.index[chapter.ChapterID] = i
	}
	return l
}

func (l chapterList) find(id string) (chapter audioprojects.Chapter, listed bool) {
	index, listed := l.index[id]
	if listed {
		chapter = l.chapters[index]
	}
	return chapter, listed
}

// chapter is what this process knows of a chapter.
type chapter struct {
	turn chan struct{} // has one element while a session is about the chapter

	mu      sync.Mutex
	pending *ResumeToken // of a conversion without a known end; nil if there is none
	ours    bool         // this process requested or joined it
	answer  error        // to its request; nil if that was good, or if another process has requested it
	since   time.Time    // when the latest session ended: lists from before say nothing to the next one
	// remainder is that of a destroyed resource, for the one that replaces it.
	remainder int64
}

// isFree reports whether no session is about the chapter.
func (c *chapter) isFree() bool { return len(c.turn) == 0 }

func (e *Engine) chapter(key chapterKey) *chapter {
	p := e.project(key.projectID)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.chapters[key.chapterID] == nil {
		p.chapters[key.chapterID] = &chapter{turn: make(chan struct{}, 1)}
	}
	return p.chapters[key.chapterID]
}

// continueFrom is a desired state with the conversion that this process knows, if the resource knows none, or an older one; and that of a
// new resource with the remainder that this process knows.
func (c *chapter) continueFrom(desired Desired) Desired {
	c.mu.Lock()
	defer c.mu.Unlock()
	own := desired.Pending
	isOlder := own == nil || own.Failed() || value(own.RequestedAtUnix) < value(value(c.pending).RequestedAtUnix)
	if c.pending != nil && isOlder {
		// A new resource continues with what the one that it replaces has left.
		desired.Pending, desired.anothers = c.pending, c.ours || desired.Known
		desired.ours, desired.answer = c.ours, c.answer
	}
	desired.afterAnother = !c.since.IsZero()
	if !desired.Known {
		desired.Remainder = cmp.Or(desired.Remainder, c.remainder)
	}
	return desired
}

// keep notes what a session, or a destroyed resource, has left, and what the session knew of it. What has failed is known to have ended.
func (c *chapter) keep(pending *ResumeToken, followed *operation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if pending.Failed() {
		pending = nil
	}
	c.pending, c.ours, c.answer = pending, false, nil
	if followed != nil {
		c.ours = followed.ours
	}
	if followed != nil && !followed.refused() {
		c.answer = followed.answer
	}
}

// end notes when a session has ended.
func (c *chapter) end(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.since = at
}

// oldestList is the earliest request time of the lists that a new session may use.
func (c *chapter) oldestList(now time.Time, age time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.MaxFunc([]time.Time{now.Add(-age), c.since}, time.Time.Compare)
}
