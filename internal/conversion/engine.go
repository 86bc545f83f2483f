// Package conversion converts chapters and waits for the end. It never requests the same conversion twice: see the README.
package conversion

import (
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

// Convert brings a desired state about: it requests, joins or resumes a conversion, and waits until it has ended. An error is one of
//   - [*FailedError]: the conversion failed;
//   - [*UnconfirmedError]: the answer to the request was lost, and the chapter shows no conversion;
//   - [*DateUnusableError]: the date of the conversion does not show that it is as new as wanted;
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
		queued.Verdict = desired.verdict(queued.Decision, queued.Memory, queued.Pending, queued.Chapter)
		return queued, inTurn.Err()
	}
	defer func() { <-c.session }()
	s := e.newSession(ctx, desired, mode)
	defer s.close()
	resumed := s.pending
	outcome, err := s.run()
	outcome.Verdict = s.desired.verdict(outcome.Decision, outcome.Memory, outcome.Pending, outcome.Chapter)
	if IsMissing(err) {
		outcome.Verdict = Verdict{Action: CannotFind}
	}
	left := s.pending.left(outcome.Pending)
	onlyAdopts := err == nil && desired.UpToDate && !desired.Known && !outcome.HasRequested()
	isHandedOver := desired.Pending == nil && resumed != nil && !resumed.startedHere
	if left == nil && onlyAdopts && isHandedOver {
		left = resumed // It may be that of another new resource, which wants one conversion and no second.
	}
	c.keep(left)
	if err == nil && mode == converts {
		c.leave(outcome.Remainder)
	}
	if err == nil && mode == converts && outcome.Decision.Reason != NothingLeft {
		c.converted(s.pending)
	}
	c.end(e.clock.now())
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

// HandOver keeps what a resource remembers of its chapters, by chapter, for whoever is next in this process: Terraform replaces a
// resource by destroying it and creating another. A failure is not kept: no plan of a new resource counts on what another one remembers,
// and each of them sees what failed as unconverted text. What another one has handed over stays then.
func (e *Engine) HandOver(projectID string, kept map[string]Memory) {
	for chapterID, memory := range kept {
		c := e.chapter(Desired{ProjectID: projectID, ChapterID: chapterID})
		left := operationOf(memory.Pending).left(memory.Pending)
		if left != nil { // Another resource may have handed over one before.
			c.keep(left)
		}
		if memory.Remainder != (Remainder{}) {
			c.leave(memory.Remainder)
		}
	}
}

// HandedOver are the ids of the chapters of a project of which this process knows a conversion without a known end.
func (e *Engine) HandedOver(projectID string) (ids []string) {
	p := e.project(projectID)
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, c := range p.chapters {
		c.mu.Lock()
		if c.operation != nil {
			ids = append(ids, id)
		}
		c.mu.Unlock()
	}
	slices.Sort(ids)
	return ids
}
