package conversion

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/pace"
)

// Project is the desired state that many chapters of one project be converted.
type Project struct {
	ProjectID string
	// Desired are the desired states of single chapters, at most one for each. Their ProjectID is that of the project.
	Desired []Desired
	// Template is the desired state of each chapter, without what is remembered of it.
	Template Desired
	// All: every other chapter that the project has when the conversion begins has the template's desired state, but
	// those of Except, by id.
	All    bool
	Except map[string]bool
	// Had reports whether the resource in the state has a chapter. One that it does not have is new to the resource,
	// and no changed triggers are about it. Nil: it has all.
	Had func(chapterID string) bool
	// Least is the least number of chapters: if the service lists fewer, nothing is requested, because changed triggers
	// would be forgotten for the others.
	Least int
	// Allowed returns the chapters that the plan has named, with the [Desired.Most] of each; the others are left as they
	// are. It gets what would be done about each chapter now. Nil, or a nil map: no plan says which.
	Allowed func([]ChapterStatus) map[string]*int64
	// ChapterTimeout is the [Desired.Timeout] of each chapter.
	ChapterTimeout time.Duration
	// Progress is called with all chapters when it is known which need a slot, and then with each one that begins, at which a look
	// was taken, or which has ended. It is called by one goroutine at a time, and must not block.
	Progress func(...ChapterStatus)
}

// ProjectOutcome is the result for a project.
type ProjectOutcome struct {
	// Chapters are in the service's order. Those that it does not list come last. If none could be listed, they are only those of the
	// desired states.
	Chapters []ChapterStatus
	// Appeared are the other chapters that the latest list has, and that need a conversion: the list with which it all
	// began lacked them. None without All.
	Appeared []audioprojects.Chapter
	// Stopped is why chapters have not begun: the chapters could not be listed, the project is busy as a whole, a [*StoppedError], or the
	// context has ended. Nil if all have.
	Stopped error
}

// ProjectPrediction is what [Engine.ConvertProject] would do now.
type ProjectPrediction struct {
	// Chapters are in the service's order. Those that it does not list come last.
	Chapters []ChapterStatus
	// Missing are those of [Project].Except that the project does not have.
	Missing []string
}

// PredictProject predicts every chapter of a project, as [Engine.Predict] does. The error is why the chapters could not be listed.
func (e *Engine) PredictProject(ctx context.Context, wanted Project) (ProjectPrediction, error) {
	all, _, err := e.desiredOf(ctx, wanted, plans)
	if err != nil {
		return ProjectPrediction{}, err
	}
	named := len(all)
	for _, id := range slices.Sorted(maps.Keys(wanted.Except)) {
		all = append(all, Desired{ProjectID: wanted.ProjectID, ChapterID: id})
	}
	statuses := e.Predict(ctx, all...)
	predicted := ProjectPrediction{Chapters: statuses[:named]}
	for _, left := range statuses[named:] {
		if IsMissing(left.Err) {
			predicted.Missing = append(predicted.Missing, left.Desired.ChapterID)
		}
	}
	return predicted, ctx.Err()
}

// desiredOf returns the desired states of all chapters of a project, in the service's order; those that its list lacks come last. A plan
// and its apply get them by the same rule, so that an apply pays for no chapter that its plan has not named. If the list fails, the known
// ones come with the error. listed is how many of them the list has.
func (e *Engine) desiredOf(ctx context.Context, project Project, mode mode) (wanted []Desired, listed int, err error) {
	chapters, err := e.listPatiently(ctx, project.ProjectID, mode)
	named, added := map[string]Desired{}, map[string]bool{}
	for _, desired := range project.Desired {
		named[desired.ChapterID] = desired
	}
	ids := make([]string, 0, len(chapters))
	for _, chapter := range chapters {
		ids = append(ids, chapter.ChapterID)
	}
	for i, id := range slices.Concat(ids, slices.Sorted(maps.Keys(named))) {
		desired, isNamed := named[id]
		if added[id] || project.Except[id] || !isNamed && !project.All {
			continue
		}
		if !isNamed {
			desired = project.Template
		}
		desired.ProjectID, desired.ChapterID, desired.Timeout = project.ProjectID, id, project.ChapterTimeout
		if project.Had != nil && !project.Had(id) {
			desired.New, desired.Memory.ForTriggers = true, false
		}
		wanted, added[id] = append(wanted, desired), true
		if i < len(ids) {
			listed = len(wanted)
		}
	}
	return wanted, listed, err
}

// anyMayRequest reports whether a conversion may be requested for one of the chapters. A project without chapters may get some.
func anyMayRequest(chapters []ChapterStatus) bool {
	isMissing := func(chapter ChapterStatus) bool { return IsMissing(chapter.Err) }
	present := slices.DeleteFunc(slices.Clone(chapters), isMissing)
	return len(present) == 0 || slices.ContainsFunc(present, func(chapter ChapterStatus) bool { return chapter.Verdict.Action.mayRequest() })
}

// projectRun converts the chapters of a project.
type projectRun struct {
	engine *Engine
	wanted Project

	mu       sync.Mutex
	chapters []*ChapterStatus // in the service's order
	refusals *refusals
}

// ConvertProject brings a desired state about for every chapter of a project. Those with nothing to do end by one list; the others are
// converted, so many at a time as the engine allows for all projects. One that fails stops no other, unless the service refuses the key or
// the account.
func (e *Engine) ConvertProject(ctx context.Context, wanted Project) ProjectOutcome {
	r := &projectRun{engine: e, wanted: wanted}
	stopped := r.foresee(ctx)
	if stopped == nil {
		wanted.Progress(r.results()...)
		stopped = r.convertAll(ctx)
	}
	all := ProjectOutcome{Chapters: r.results(), Stopped: stopped}
	for i, chapter := range all.Chapters {
		if !chapter.Ended {
			all.Chapters[i].Err = stopped
		}
	}
	all.Appeared = r.appeared()
	return all
}

// appeared are the chapters that the latest list has, that are none of the run's, and that need a conversion.
func (r *projectRun) appeared() []audioprojects.Chapter {
	latest := r.engine.project(r.wanted.ProjectID).lists.newest()
	if latest == nil || latest.err != nil || !r.wanted.All {
		return nil
	}
	own := maps.Clone(r.wanted.Except)
	if own == nil {
		own = map[string]bool{}
	}
	for _, c := range r.chapters {
		own[c.Desired.ChapterID] = true
	}
	desired := r.wanted.Template
	desired.New = true
	e := evidence{rules: r.engine.rules, desired: desired}
	isSettled := func(shown audioprojects.Chapter) bool { return e.conclude(observation{chapter: shown}).Step == Done }
	return slices.DeleteFunc(slices.Clone(latest.value.chapters), func(shown audioprojects.Chapter) bool {
		return own[shown.ChapterID] || isSettled(shown)
	})
}

func (r *projectRun) results() (all []ChapterStatus) {
	for _, c := range r.chapters {
		all = append(all, *c)
	}
	return all
}

// update changes the status of a chapter, and reports it.
func (r *projectRun) update(c *ChapterStatus, change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
	r.wanted.Progress(*c)
}

// foresee lists the chapters, and ends those that need no slot. While something is under way in the whole project, none begins.
func (r *projectRun) foresee(ctx context.Context) error {
	e := r.engine
	wanted, listed, err := e.desiredOf(ctx, r.wanted, converts)
	if err == nil && listed < r.wanted.Least { // One list may lack a chapter for a moment.
		_ = sleepUntil(ctx, time.Now().Add(SecondLook)) // If the context ends, so does the list.
		wanted, listed, err = e.desiredOf(ctx, r.wanted, converts)
	}
	if err == nil && listed < r.wanted.Least {
		err = &FewerChaptersError{listed, r.wanted.Least}
	}
	if err != nil {
		for _, desired := range wanted {
			r.chapters = append(r.chapters, &ChapterStatus{Desired: desired, Outcome: Outcome{Memory: desired.Memory}})
		}
		return err
	}
	predicted := e.Predict(ctx, wanted...)
	var allowed map[string]*int64
	if r.wanted.Allowed != nil {
		allowed = r.wanted.Allowed(predicted)
	}
	for i, desired := range wanted {
		most, isAllowed := allowed[desired.ChapterID]
		desired.Most = most
		c := r.begins(desired, predicted[i])
		if allowed != nil && !isAllowed && !c.Ended {
			c.Err, c.Ended = &BeyondPlanError{c.Verdict.Characters}, true
		}
		r.chapters = append(r.chapters, c)
	}
	if ctx.Err() != nil || !anyMayRequest(predicted) {
		return ctx.Err()
	}
	return e.refuseBusyProject(ctx, e.project(r.wanted.ProjectID))
}

// begins is the status with which a chapter begins. It has ended if it needs no slot: it has nothing left, or does not exist. What another
// resource converts at this moment is for [Engine.Convert] to decide.
func (r *projectRun) begins(desired Desired, predicted ChapterStatus) *ChapterStatus {
	c := &ChapterStatus{Desired: desired, Outcome: Outcome{Chapter: predicted.Chapter, Decision: predicted.Decision, Verdict: predicted.Verdict}}
	isFree := r.engine.chapter(desired).isFree()
	switch {
	case IsMissing(predicted.Err):
		c.Memory, c.Err, c.Ended = desired.Memory, predicted.Err, true
	case predicted.Err == nil && predicted.Decision.Reason == NothingLeft && isFree:
		c.Memory, c.Ended = predicted.Memory, true
	default:
		c.Memory = desired.Memory
	}
	return c
}

// convertAll gives a slot to every chapter that has not ended, first to those whose conversions may run already.
func (r *projectRun) convertAll(ctx context.Context) error {
	begins, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var all sync.WaitGroup
	defer all.Wait()
	waiting, candidates := r.inTurn()
	r.refusals = newRefusals(candidates, func(stopped *StoppedError) { stop(stopped) })
	for len(waiting) > 0 {
		select {
		case r.engine.slots <- struct{}{}:
		case <-begins.Done():
			return context.Cause(begins)
		}
		next, changed := r.refusals.next(waiting)
		if next < 0 || begins.Err() != nil {
			<-r.engine.slots
			select {
			case <-changed:
			case <-begins.Done():
				return context.Cause(begins)
			}
			continue
		}
		c := waiting[next]
		waiting = slices.Delete(waiting, next, next+1)
		r.update(c, func() { c.Begun = true })
		all.Go(func() {
			defer func() { <-r.engine.slots }()
			r.convert(ctx, c)
		})
	}
	return nil
}

// inTurn are the chapters that have not ended, in the order in which they begin, and the ids of those that may be requested.
func (r *projectRun) inTurn() (waiting []*ChapterStatus, candidates []string) {
	for _, c := range r.chapters {
		if !c.Ended {
			waiting = append(waiting, c)
		}
	}
	slices.SortStableFunc(waiting, func(a, b *ChapterStatus) int {
		switch {
		case a.mayRun() == b.mayRun():
			return 0
		case a.mayRun():
			return -1
		default:
			return 1
		}
	})
	for _, c := range waiting {
		if c.Verdict.Action.mayRequest() {
			candidates = append(candidates, c.Desired.ChapterID)
		}
	}
	return waiting, candidates
}

// mayRun reports whether a conversion of the chapter may run before anything has begun.
func (c *ChapterStatus) mayRun() bool { return c.Memory.Pending != nil || c.Decision.Step == Join }

func (r *projectRun) convert(ctx context.Context, c *ChapterStatus) {
	desired := c.Desired
	desired.refusals = r.refusals
	desired.Progress = func(now Outcome) { r.update(c, func() { c.Outcome = now }) }
	outcome, err := r.engine.Convert(ctx, desired)
	r.update(c, func() { c.Outcome, c.Err, c.Ended = outcome, err, true })
	r.refusals.leaveOut(desired.ChapterID)
	refused, isRequest := errors.AsType[*audioprojects.Error](err)
	isOfChapter := errors.As(err, new(*RefusedTwiceError))
	if isRequest && !isOfChapter && stopsAll(ctx, refused) {
		r.refusals.stopAll(refused)
	}
}

// stopsAll reports whether what has ended the desired state of one chapter ends those of the others, too. Refusals of the requests for
// conversions are for [refusals] to judge. ctx is that of the project.
func stopsAll(ctx context.Context, failed *audioprojects.Error) bool {
	isOfList := failed.Method == http.MethodGet
	if failed.Kind == audioprojects.RateLimited {
		// A request is given up after ten minutes, or if the pause is longer than the project may take. A list is given up already if
		// the pause is longer than the time of one chapter.
		return !isOfList || !pace.Fits(ctx, failed.RetryAfter)
	}
	return isOfList && (failed.Kind == audioprojects.Rejected || audioprojects.Permanent(failed))
}
