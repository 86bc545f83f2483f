package conversion

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// Project is the desired state that many chapters of one project be converted.
type Project struct {
	ProjectID string
	// Desired are the desired states of single chapters, at most one for each. Their ProjectID is that of the project.
	Desired []Desired
	// Others is the desired state for every other chapter that the project has when the conversion begins; nil if those stay as they are.
	Others *Desired
	// Except has the ids of chapters that Others leaves out.
	Except map[string]bool
	// Unchanged reports whether these are the ids of all chapters that the project had before, in any order; nil if that is not known. While
	// a list has the same, the project's own record is not asked for.
	Unchanged func(ids []string) bool
	// ChapterTimeout is how long one chapter may take, from when the service has room for it; 0: as long as the context lasts.
	ChapterTimeout time.Duration
	// Progress is called with all chapters when it is known which need a slot, and then with each one that begins, at which a look
	// was taken, or which has ended. It is called by one goroutine at a time, and must not block.
	Progress func(...ChapterStatus)
}

// ChapterStatus is what is wanted of a chapter, what was seen and decided, and what has become of it.
type ChapterStatus struct {
	// Desired is what is wanted, with what was handed over for it if it is one of a [Project].
	Desired Desired
	// Outcome is that of looking, if nothing has begun; its Memory is what to keep if the decision is [Done].
	Outcome
	// Err is as that of [Engine.Convert]. If nothing has begun, it is why, or why the chapter cannot be seen; a [*MissingChapterError] is
	// confirmed by a second look and the project's record.
	Err error
	// Begun: the chapter had a slot. Ended: the engine is done with it, also because of a timeout or Ctrl-C; if it has not begun, it needs no
	// slot, or does not exist.
	Begun, Ended bool
	// TimedOut: [Project.ChapterTimeout] was over.
	TimedOut bool
	// Characters are those that its conversion may cost, by the first list; 0 if it needs none, or if the service does not count them.
	Characters int64
}

// ProjectOutcome is the result for a project.
type ProjectOutcome struct {
	// Chapters are in the service's order. Those that it does not list come last. If none could be listed, they are only those of the
	// desired states, and those of which something was handed over, which is to be kept.
	Chapters []ChapterStatus
	// Stopped is why chapters have not begun: the chapters could not be listed, the project is busy as a whole, the service refused the key or
	// the account, or has answered 429 for ten minutes, or the context has ended. Nil if all have.
	Stopped error
}

// ProjectPrediction is what [Engine.ConvertProject] would do now.
type ProjectPrediction struct {
	// Chapters are in the service's order. Those that it does not list come last.
	Chapters []ChapterStatus
	// Missing are those of [Project].Except that the project does not have.
	Missing []string
	// RecordRefused is why the service does not show the project's own record, so that two lists stand for it; nil if it does.
	RecordRefused error
}

// PredictProject predicts every chapter of a project, as [Engine.Predict] does. The error is why the chapters could not be listed.
func (e *Engine) PredictProject(ctx context.Context, project Project) (ProjectPrediction, error) {
	wanted, refused, err := e.desiredOf(ctx, project, plans)
	if err != nil {
		return ProjectPrediction{}, err
	}
	named := len(wanted)
	for _, id := range slices.Sorted(maps.Keys(project.Except)) {
		wanted = append(wanted, Desired{ProjectID: project.ProjectID, ChapterID: id})
	}
	all := e.Predict(ctx, wanted...)
	predicted := ProjectPrediction{Chapters: all[:named], RecordRefused: refused}
	for _, left := range all[named:] {
		if IsMissing(left.Err) {
			predicted.Missing = append(predicted.Missing, left.Desired.ChapterID)
		}
	}
	return predicted, ctx.Err()
}

// mayRequest reports whether a conversion may be requested for one of the chapters. A project without chapters may get some.
func mayRequest(chapters []ChapterStatus) bool {
	open := func(chapter ChapterStatus) bool {
		return chapter.Requests() || chapter.Err != nil && !IsMissing(chapter.Err)
	}
	return len(chapters) == 0 || slices.ContainsFunc(chapters, open)
}

// projectRun converts the chapters of a project.
type projectRun struct {
	engine  *Engine
	project Project

	mu       sync.Mutex
	chapters []*ChapterStatus // in the service's order
	accepts  bool             // it has accepted a request for a conversion, or refused one for a reason that is the chapter's own
	// forbidden are the requests that it has refused with 401 or 403.
	forbidden int
}

// ConvertProject brings a desired state about for every chapter of a project. Those with nothing to do end by one list; the others are
// converted, so many at a time as the engine allows for all projects. One that fails stops no other, unless the service refuses the key or
// the account.
func (e *Engine) ConvertProject(ctx context.Context, project Project) ProjectOutcome {
	r := &projectRun{engine: e, project: project}
	for _, desired := range project.Desired { // Others follow what this one continues, also before its chapters have slots.
		desired.ProjectID = project.ProjectID
		e.register(desired)
	}
	stopped := r.foresee(ctx)
	if stopped == nil {
		r.project.Progress(r.results()...)
		stopped = r.convertAll(ctx)
	}
	all := ProjectOutcome{Chapters: r.results(), Stopped: stopped}
	for i, chapter := range all.Chapters {
		if !chapter.Ended {
			all.Chapters[i].Err = stopped
			all.Chapters[i].Pending = e.lastKnown(chapter.Desired)
		}
	}
	return all
}

func (r *projectRun) results() (all []ChapterStatus) {
	for _, c := range r.chapters {
		all = append(all, *c)
	}
	return all
}

// note changes the status of a chapter, and reports it.
func (r *projectRun) note(c *ChapterStatus, change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
	r.project.Progress(*c)
}

// foresee lists the chapters, as patiently as a single conversion does, and ends those that need no slot. While something is under way in
// the whole project, none begins.
func (r *projectRun) foresee(ctx context.Context) error {
	wanted, _, err := r.engine.desiredOf(ctx, r.project, converts)
	for _, desired := range wanted {
		r.chapters = append(r.chapters, &ChapterStatus{Desired: desired, Outcome: Outcome{Memory: desired.Memory}})
	}
	if err != nil {
		return err
	}
	predicted := r.engine.Predict(ctx, wanted...)
	for i, c := range predicted {
		r.chapters[i] = r.begins(c)
	}
	if ctx.Err() != nil || !mayRequest(predicted) {
		return ctx.Err()
	}
	return r.engine.refuseBusyProject(ctx, chapterKey{projectID: r.project.ProjectID})
}

// begins is the status with which a chapter begins. It has ended if it needs no slot: it has nothing left, or does not exist. What another
// resource converts at this moment, or has left pending, is for [Engine.Convert] to decide.
func (r *projectRun) begins(predicted ChapterStatus) *ChapterStatus {
	underWay := r.engine.chapter(predicted.Desired.key()).isFollowed()
	c := &ChapterStatus{Desired: predicted.Desired, Outcome: Outcome{Chapter: predicted.Chapter, Decision: predicted.Decision}}
	switch {
	case IsMissing(predicted.Err):
		c.Memory, c.Err, c.Ended = predicted.Desired.Memory, predicted.Err, true
	case predicted.Err == nil && predicted.Decision.Reason == NothingLeft && !underWay:
		c.Memory, c.Pending, c.Ended = predicted.Memory, nil, true
	default:
		c.Memory, c.Characters = predicted.Desired.Memory, value(predicted.Desired.Characters(predicted.Chapter))
	}
	return c
}

// convertAll gives a slot to every chapter that has not ended.
func (r *projectRun) convertAll(ctx context.Context) error {
	begins, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var all sync.WaitGroup
	defer all.Wait()
	for _, c := range r.chapters {
		if c.Ended {
			continue
		}
		select {
		case r.engine.slots <- struct{}{}:
		case <-begins.Done():
			return context.Cause(begins)
		}
		err := begins.Err()
		if err == nil && c.Requests() { // Its own time begins when the service has room for it.
			c.Desired.place, _, err = r.engine.room.take(begins, false, func(error) {})
		}
		if err != nil {
			<-r.engine.slots
			return context.Cause(begins)
		}
		r.note(c, func() { c.Begun = true })
		all.Go(func() {
			defer func() { <-r.engine.slots }()
			err := r.convert(ctx, c)
			if r.stopsAll(err) {
				stop(err)
			}
		})
	}
	return nil
}

func (r *projectRun) convert(ctx context.Context, c *ChapterStatus) error {
	desired := c.Desired
	if r.project.ChapterTimeout > 0 {
		own, cancel := withOwnTime(ctx, r.project.ChapterTimeout)
		defer cancel()
		ctx, desired.ownTime = own, own
	}
	desired.projectAtRest = true // [projectRun.foresee] has looked.
	desired.Progress = func(p Outcome) {
		r.note(c, func() {
			c.Outcome = p
			r.accepts = r.accepts || p.Requested && p.Pending.Confirmed()
		})
	}
	outcome, err := r.engine.Convert(ctx, desired)
	r.note(c, func() {
		c.Outcome, c.Err, c.Ended = outcome, err, true
		c.TimedOut = desired.ownTime.isOver()
	})
	return err
}

// stopsAll reports whether the error of one chapter is that of the key or of the account, so that other chapters would
// get it, too. A second chapter that is refused tells it of a key, unless the service has shown that it may convert.
func (r *projectRun) stopsAll(err error) bool {
	var refused *audioprojects.Error
	if !errors.As(err, &refused) {
		return false
	}
	if refused.ExceedsCredits() || refused.RefusesKey() {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch refused.Kind {
	case audioprojects.Unauthorized, audioprojects.Forbidden:
		r.forbidden++
		return r.forbidden > 1 && !r.accepts
	case audioprojects.Rejected:
		r.accepts = true
		return false
	default:
		return refused.Kind == audioprojects.RateLimited
	}
}
