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

// Project is the demand that many chapters of one project be converted.
type Project struct {
	ProjectID string
	// Demands are the demands for single chapters, at most one for each. Their ProjectID is the book's.
	Demands []Demand
	// Others is the demand for every other chapter that the project has when its turn comes; nil if those stay as they are.
	Others *Demand
	// Except has the ids of chapters that Others leaves out.
	Except map[string]bool
	// Known tells whether these are the ids of all chapters that the project had before, in any order; nil if that is not known. While
	// a list has the same, the project's own record is not asked for.
	Known func(ids []string) bool
	// ChapterTimeout is how long one chapter may take, from its own beginning; 0: as long as the context lasts.
	ChapterTimeout time.Duration
	// Progress is called with all chapters when it is known which need a turn, and then with each one whose turn begins, at which a look
	// was taken, or which has ended. It is called by one goroutine at a time, and must not block. May be nil.
	Progress func(...ProjectChapter)
}

// ProjectChapter is the result for one chapter, also if it failed or had no turn.
type ProjectChapter struct {
	ChapterID string
	Outcome
	// Err is as that of [Engine.Convert]. If the chapter had no turn, it is why.
	Err error
	// Begun: the chapter had its turn. Ended: its end is known; without a turn, that it needs none, or does not exist.
	Begun, Ended bool
	// Characters are those that its turn may cost, by the first list; 0 if it needs none, or if the service does not count them.
	Characters int64
}

// ProjectOutcome is the result for a book.
type ProjectOutcome struct {
	// Chapters are in the service's order. Those that it does not list come last. If none could be listed, they are only those of the
	// demands, and those of which something was handed over, which is to be kept.
	Chapters []ProjectChapter
	// Stopped is why chapters that had no turn did not get one: the chapters could not be listed, the service refused the key or
	// the account, or the context has ended. Nil if all had their turn.
	Stopped error
}

// ProjectPrediction is what [Engine.ConvertProject] would do now.
type ProjectPrediction struct {
	// Chapters are in the service's order. Those that it does not list come last.
	Chapters []Prediction
	// Missing are those of [Project].Except that the project does not have.
	Missing []string
	// RecordRefused is why the service does not show the project's own record, so that two lists stand for it; nil if it does.
	RecordRefused error
}

// PredictProject predicts every chapter of a book, as [Engine.Predict] does. The error is why the chapters could not be listed.
func (e *Engine) PredictProject(ctx context.Context, book Project) (ProjectPrediction, error) {
	demands, refused, err := e.demandsOf(ctx, book, foresees, e.clock.now().Add(-refreshAge))
	if err != nil {
		return ProjectPrediction{}, err
	}
	named := len(demands)
	for _, id := range slices.Sorted(maps.Keys(book.Except)) {
		demands = append(demands, Demand{ProjectID: book.ProjectID, ChapterID: id})
	}
	all := e.predictAll(ctx, demands)
	predicted := ProjectPrediction{Chapters: all[:named], RecordRefused: refused}
	for _, left := range all[named:] {
		if IsMissing(left.Err) {
			predicted.Missing = append(predicted.Missing, left.Demand.ChapterID)
		}
	}
	return predicted, ctx.Err()
}

func (e *Engine) predictAll(ctx context.Context, demands []Demand) []Prediction {
	predicted := make([]Prediction, len(demands))
	var all sync.WaitGroup
	for i, demand := range demands {
		all.Go(func() { predicted[i] = e.Predict(ctx, demand) })
	}
	all.Wait()
	return predicted
}

// projectRun converts the chapters of a book.
type projectRun struct {
	engine *Engine
	book   Project
	began  time.Time

	mu       sync.Mutex
	chapters []*chapterRun // in the service's order
	accepts  bool          // it has accepted a request for a conversion, or refused one for a reason that is the chapter's own
	// forbidden are the requests that it has refused with 401 or 403.
	forbidden int
}

// chapterRun is a chapter of a book. The run's mutex protects the result.
type chapterRun struct {
	demand Demand
	result ProjectChapter
}

// ConvertProject fulfils a demand for every chapter of a book. Chapters with nothing to do are settled by one list; the others
// are converted, so many at a time as the engine allows for all books. A chapter that fails stops no other; but when the
// service refuses the key or the account, those that have not begun do not begin.
func (e *Engine) ConvertProject(ctx context.Context, book Project) ProjectOutcome {
	b := &projectRun{engine: e, book: book, began: e.clock.now()}
	if book.Progress == nil {
		b.book.Progress = func(...ProjectChapter) {}
	}
	stopped := b.survey(ctx)
	if stopped == nil {
		b.book.Progress(b.results()...)
		stopped = b.convertAll(ctx)
	}
	all := ProjectOutcome{Chapters: b.results(), Stopped: stopped}
	for i, chapter := range all.Chapters {
		if !chapter.Ended {
			all.Chapters[i].Err = stopped
		}
	}
	return all
}

func (b *projectRun) results() (all []ProjectChapter) {
	for _, c := range b.chapters {
		all = append(all, c.result)
	}
	return all
}

// note changes the result of a chapter, and reports it.
func (b *projectRun) note(c *chapterRun, change func(*ProjectChapter)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(&c.result)
	b.book.Progress(c.result)
}

// survey lists the chapters, as patiently as a single conversion does, and settles those that need no turn.
func (b *projectRun) survey(ctx context.Context) error {
	demands, _, err := b.engine.demandsOf(ctx, b.book, converts, b.began)
	for _, demand := range demands {
		result := ProjectChapter{ChapterID: demand.ChapterID, Outcome: Outcome{Memory: demand.Memory}}
		b.chapters = append(b.chapters, &chapterRun{demand, result})
	}
	if err == nil {
		for i, predicted := range b.engine.predictAll(ctx, demands) {
			b.settle(b.chapters[i], predicted)
		}
		err = ctx.Err()
	}
	return err
}

// settle notes the result of a chapter that needs no turn: it has nothing left, or does not exist. What another
// block converts at this moment, or has left pending, is for [Engine.Convert] to decide.
func (b *projectRun) settle(c *chapterRun, predicted Prediction) {
	known, unlock := b.engine.at(c.demand.key())
	engaged := known.latest != nil && known.latest.left == nil
	unlock()
	decided, shown := predicted.Decision, predicted.Chapter
	switch c.result.Chapter = shown; {
	case IsMissing(predicted.Err):
		c.result.Ended, c.result.Err = true, predicted.Err
	case predicted.Err == nil && decided.Reason == NothingLeft && !engaged:
		c.result.Ended = true
		c.result.Outcome = Outcome{Chapter: shown, Reason: NothingLeft, Memory: predicted.Memory}
		c.result.Pending = nil
	default:
		c.result.Characters = value(c.demand.Characters(shown))
	}
}

// convertAll gives every queued chapter its turn.
func (b *projectRun) convertAll(ctx context.Context) error {
	begins, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var all sync.WaitGroup
	defer all.Wait()
	for _, c := range b.chapters {
		if c.result.Ended {
			continue
		}
		select {
		case b.engine.slots <- struct{}{}:
		case <-begins.Done():
			return context.Cause(begins)
		}
		if begins.Err() != nil {
			<-b.engine.slots
			return context.Cause(begins)
		}
		b.note(c, func(r *ProjectChapter) { r.Begun = true })
		all.Go(func() {
			defer func() { <-b.engine.slots }()
			if err := b.convert(ctx, c); b.stopsAll(err) {
				stop(err)
			}
		})
	}
	return nil
}

func (b *projectRun) convert(ctx context.Context, c *chapterRun) error {
	if b.book.ChapterTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, b.book.ChapterTimeout)
		defer cancel()
	}
	demand := c.demand
	demand.Progress = func(p Outcome) {
		b.note(c, func(r *ProjectChapter) {
			r.Outcome = p
			b.accepts = b.accepts || p.Requested && !p.Unconfirmed()
		})
	}
	outcome, err := b.engine.Convert(ctx, demand)
	b.note(c, func(r *ProjectChapter) { r.Outcome, r.Err, r.Ended = outcome, err, true })
	return err
}

// stopsAll tells whether the error of one chapter is that of the key or of the account, so that other chapters would
// get it, too. A second chapter that is refused tells it of a key, unless the service has shown that it may convert.
func (b *projectRun) stopsAll(err error) bool {
	var refused *audioprojects.Error
	if !errors.As(err, &refused) {
		return false
	}
	quota := refused.ExceedsCredits()
	b.mu.Lock()
	defer b.mu.Unlock()
	switch refused.Kind {
	case audioprojects.Unauthorized, audioprojects.Forbidden:
		b.forbidden++
		return quota || b.forbidden > 1 && !b.accepts
	case audioprojects.Rejected:
		b.accepts = true
		return quota
	default:
		return refused.Kind == audioprojects.RateLimited
	}
}
