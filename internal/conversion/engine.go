// Package conversion converts chapters and waits for the end. It never requests the same conversion twice: see the README.
package conversion

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/pace"
)

// Engine has what all conversions of one process share: lists, and what is known of each chapter. It is safe for concurrent use.
type Engine struct {
	options     Options
	rules       *table
	clock       clock
	slots       chan struct{} // one for each conversion of a project that is under way
	hasAnswered atomic.Bool   // the service has listed chapters

	mu       sync.Mutex
	projects map[string]*project
}

// Options are the settings of an engine.
type Options struct {
	// Client asks the service.
	Client *audioprojects.Client
	// Reserve is asked before each request for a conversion, with the most characters that this may cost; nil if the service does not count
	// them. An error holds the request back. Otherwise answered is called with what
	// has become of it: nil if the service has accepted it.
	Reserve func(projectID string, chapter audioprojects.Chapter, most *int64) (answered func(context.Context, error), err error)
	// ParallelConversions is how many conversions of projects may be under way at a time.
	ParallelConversions int
	// Trace is told each decision about a chapter. It must not block. May be nil.
	Trace func(context.Context, Trace)
}

// NewEngine returns an engine that remembers nothing yet.
func NewEngine(options Options) *Engine {
	return &Engine{
		options:  options,
		rules:    start,
		slots:    make(chan struct{}, options.ParallelConversions),
		projects: map[string]*project{},
	}
}

// Convert brings a desired state about: it requests, joins or resumes a conversion, and waits until it has ended. Only
// one session of this process is about a chapter at a time; who waits for that decides by a fresh look then. An error
// is one of
//   - [*FailedError]: the conversion failed;
//   - [*UnconfirmedError]: the answer to the request was lost, and the chapter shows no conversion;
//   - [*OpenEndError]: this process has requested a conversion of the chapter already, and its end is not known;
//   - [*MissingChapterError];
//   - [*ProjectBusyError]: nothing was requested;
//   - what [Options].Reserve returns;
//   - the context's error: interrupted or out of time;
//   - an [*audioprojects.Error]: the service could not be asked, or refused.
func (e *Engine) Convert(ctx context.Context, desired Desired) (Outcome, error) {
	c := e.chapter(desired)
	queued := Outcome{Memory: desired.Memory, Decision: Decision{Step: Wait, Reason: InTurn}}
	if !c.isFree() {
		desired.refusals.leaveOut(desired.ChapterID)
		if desired.Progress != nil {
			desired.Progress(queued)
		}
	}
	inTurn, cancel := ctx, func() {}
	if desired.Timeout > 0 {
		inTurn, cancel = context.WithTimeout(ctx, desired.Timeout)
	}
	defer cancel()
	select {
	case c.session <- struct{}{}:
	case <-inTurn.Done():
		queued.TimedOut = ctx.Err() == nil
		queued.Verdict = desired.verdict(queued.Decision, queued.Memory, queued.Memory.Pending, queued.Chapter)
		return queued, inTurn.Err()
	}
	defer func() { <-c.session }()
	s := e.newSession(ctx, desired)
	defer s.close()
	outcome, err := s.run()
	outcome.Verdict = s.desired.verdict(outcome.Decision, outcome.Memory, outcome.Memory.Pending, outcome.Chapter)
	next := s.afterFailure()
	switch {
	case IsMissing(err):
		outcome.Verdict = Verdict{Action: CannotFind}
	case next.Step == Done:
		outcome.Memory, outcome.Verdict = Memory{Remainder: next.Remainder}, Verdict{}
	}
	c.end(e.clock.now(), s, outcome.Memory.Pending, err)
	return outcome, err
}

// Chapters returns all chapters of a project, in the service's order, from a list at most 10 s old.
func (e *Engine) Chapters(ctx context.Context, projectID string) ([]audioprojects.Chapter, error) {
	found, err := e.project(projectID).lists.get(ctx, time.Now().Add(-refreshAge))
	if err != nil {
		return nil, err
	}
	return found.value.chapters, found.err
}

// CachedFor is how old the latest list of a project was when it came, if a cache has kept it for longer than a plan may use a list; else 0.
func (e *Engine) CachedFor(projectID string) time.Duration {
	latest := e.project(projectID).lists.newest()
	if latest == nil || latest.age <= refreshAge {
		return 0
	}
	return latest.age
}

// pace is that of all requests of the process.
func (e *Engine) pace() *pace.Pace { return e.options.Client.Pace() }

// Held is when the next request is sent, if requests wait now, and the refusal because of which they do; nil if none waits.
func (e *Engine) Held() (until time.Time, refusal error) { return e.pace().Held() }

// LatestChapters returns what Chapters would, if it is known already; nil if not. It asks nothing of the service.
func (e *Engine) LatestChapters(projectID string) []audioprojects.Chapter {
	found := e.project(projectID).lists.newest()
	if found == nil || time.Since(found.askedAt) > refreshAge {
		return nil
	}
	return found.value.chapters
}
