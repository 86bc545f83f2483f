package conversion

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// Book is the demand that many chapters of one project be converted.
type Book struct {
	ProjectID string
	// Wishes are the wishes for single chapters, at most one for each. Their ProjectID is the book's.
	Wishes []Wish
	// Others is the wish for every other chapter that the project has when its turn comes; nil if those stay as they are.
	Others *Wish
	// AtLeast is how many chapters an earlier list has shown, if the book is about all. A shorter list is not believed.
	AtLeast int
	// Known is the [Fingerprint] of the chapters that an earlier list has shown; empty if it is not known. A list with others is
	// not believed, either.
	Known string
	// ChapterTimeout is how long one chapter may take, from its own beginning; 0: as long as the context lasts.
	ChapterTimeout time.Duration
	// Progress is called at once, when something has changed, but then at most every 2 s, every 30 s, and at the end. It must not
	// block. May be nil.
	Progress func(BookProgress)
}

// BookChapter is the result for one chapter, also if it failed or had no turn.
type BookChapter struct {
	ChapterID string
	Outcome
	// Err is as that of [Engine.Convert]. If the chapter had no turn, it is why.
	Err error
	// Begun: the chapter had its turn. A chapter that is adopted needs none.
	Begun bool
}

// BookOutcome is the result for a book.
type BookOutcome struct {
	// Chapters are in the service's order. Those that it does not list come last.
	Chapters []BookChapter
	// Unlisted: the chapters could not be listed. Then Chapters are only those of the wishes, and those of which something was
	// handed over, which is to be kept.
	Unlisted bool
	// Stopped is why chapters that had no turn did not get one: the chapters could not be listed, the service refused the key or
	// the account, or the context has ended. Nil if all had their turn.
	Stopped error
}

// bookRun converts the chapters of a book.
type bookRun struct {
	engine *Engine
	book   Book
	began  time.Time

	mu       sync.Mutex
	chapters []*bookChapter // in the service's order
	unlisted bool
	changed  bool          // since the latest progress report
	ended    []BookChapter // since that
}

// bookChapter is a chapter of a book, and how far it is. The run's mutex protects percent and state.
type bookChapter struct {
	*forecast
	result     BookChapter
	characters int64 // that its conversion may cost, by the first list; 0 if it needs none
	state      chapterState
	percent    int
}

type chapterState int

const (
	adopted chapterState = iota
	queued
	converting
	converted
	failed
)

// ConvertBook fulfils a wish for every chapter of a book. Chapters with nothing to do are settled by one list; the others
// are converted, so many at a time as the engine allows for all books. A chapter that fails stops no other; but when the
// service refuses the key or the account, those that have not begun do not begin. After an error, keep what
// [BookChapter.Kept] returns of every chapter, and put it into the next wishes.
func (e *Engine) ConvertBook(ctx context.Context, book Book) BookOutcome {
	b := &bookRun{engine: e, book: book, began: e.clock.now()}
	stopped := b.survey(ctx)
	if stopped == nil {
		finish := b.reportProgress()
		stopped = b.convertAll(ctx)
		finish()
	}
	return b.outcome(stopped)
}

// survey lists the chapters, and settles those that need no turn.
func (b *bookRun) survey(ctx context.Context) error {
	forecasts, err := b.engine.forecastBook(ctx, b.book, b.began, b.began, func() error { return b.waitForList(ctx) })
	b.unlisted = err != nil && !slices.ContainsFunc(forecasts, func(f *forecast) bool { return f.predicted.Chapter.ChapterID != "" })
	for _, f := range forecasts {
		chapter := &bookChapter{forecast: f, state: queued}
		chapter.result = BookChapter{ChapterID: f.wish.ChapterID, Outcome: Outcome{
			Chapter: f.predicted.Chapter, Pending: f.wish.Pending,
			Leftover: f.wish.Leftover, LeftOnce: f.wish.LeftOnce, Behind: f.wish.Behind,
		}}
		if f.wish.Pending == nil {
			chapter.result.Pending = b.engine.HandedOver(b.book.ProjectID, f.wish.ChapterID)
		}
		b.chapters = append(b.chapters, chapter)
		if err == nil {
			b.settle(chapter)
		}
	}
	return err
}

// waitForList returns when the chapters have been listed since the book began, as patiently as a single conversion does.
func (b *bookRun) waitForList(ctx context.Context) error {
	lists := b.engine.listsOf(b.book.ProjectID)
	found, err := lists.listing(ctx, b.began)
	if err != nil || found.err == nil {
		return err
	}
	watch := newRun(b.engine, Wish{ProjectID: b.book.ProjectID})
	watch.failingSince = watch.began
	watch.waiter = lists.addWaiter(watch.began, false)
	defer watch.stopWaiting()
	for found.err != nil {
		if !watch.looksAgainAfter(ctx, found.err) {
			return found.err
		}
		if found, err = watch.waiter.next(ctx, found.requestedAt, time.Time{}); err != nil {
			return err
		}
	}
	return nil
}

// settle notes the result of a chapter that needs no turn: it has nothing left, or does not exist. What another
// block converts at this moment, or has left pending, is for [Engine.Convert] to decide.
func (b *bookRun) settle(chapter *bookChapter) {
	decided, shown := chapter.predicted.Decision, chapter.predicted.Chapter
	switch {
	case missing(chapter.err):
		chapter.state, chapter.result.Err = failed, chapter.err
		b.ended = append(b.ended, chapter.result)
	case chapter.err == nil && decided.Step == Done && decided.Reason == NothingLeft && !b.engine.engaged(chapter.wish.key()):
		chapter.state = adopted
		chapter.result.Outcome = Outcome{Chapter: shown, Reason: NothingLeft, Leftover: decided.Leftover, Behind: chapter.wish.behind(shown)}
	default:
		chapter.characters, _ = chapter.wish.Characters(shown)
		chapter.wish.Date = chapter.reader.newest // What the lists have shown needs no proof again.
	}
}

// engaged tells whether a conversion of the chapter runs in this process, or was handed over in it.
func (e *Engine) engaged(key chapterKey) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, handedOver := e.handover[key]
	return handedOver || e.running[key] != nil
}

// convertAll gives every queued chapter its turn: those first whose conversion is under way already.
func (b *bookRun) convertAll(ctx context.Context) error {
	begins, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var all sync.WaitGroup
	defer all.Wait()
	for _, chapter := range b.queue() {
		select {
		case b.engine.slots <- struct{}{}:
		case <-begins.Done():
			return context.Cause(begins)
		}
		if begins.Err() != nil {
			<-b.engine.slots
			return context.Cause(begins)
		}
		b.begin(chapter)
		all.Go(func() {
			defer func() { <-b.engine.slots }()
			if err := b.convert(ctx, chapter); concernsAll(err) {
				stop(err)
			}
		})
	}
	return nil
}

func (b *bookRun) queue() []*bookChapter {
	queue := slices.DeleteFunc(slices.Clone(b.chapters), func(c *bookChapter) bool { return c.state != queued })
	rank := func(c *bookChapter) int {
		switch {
		case c.result.Pending != nil:
			return 0
		case c.predicted.Decision.Step == Join:
			return 1
		default:
			return 2
		}
	}
	slices.SortStableFunc(queue, func(x, y *bookChapter) int { return cmp.Compare(rank(x), rank(y)) })
	return queue
}

func (b *bookRun) convert(ctx context.Context, chapter *bookChapter) error {
	if b.book.ChapterTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, b.book.ChapterTimeout)
		defer cancel()
	}
	wish := chapter.wish
	wish.Progress = func(p Progress) {
		b.observe(chapter, p)
		if chapter.wish.Progress != nil {
			chapter.wish.Progress(p)
		}
	}
	outcome, err := b.engine.Convert(ctx, wish)
	if ended := ctx.Err(); ended != nil && errors.Is(err, ended) {
		err = ended // It may be in the error of a request, which could not be sent for it.
	}
	if err != nil {
		outcome.Leftover, outcome.LeftOnce, outcome.Behind = wish.Leftover, wish.LeftOnce, wish.Behind
	}
	b.end(chapter, outcome, err)
	return err
}

func (b *bookRun) outcome(stopped error) BookOutcome {
	all := BookOutcome{Stopped: stopped, Unlisted: b.unlisted}
	for _, chapter := range b.chapters {
		if chapter.state == queued {
			chapter.result.Err = stopped
		}
		all.Chapters = append(all.Chapters, chapter.result)
	}
	return all
}

// concernsAll tells whether the error of one chapter is that of the key or of the account, so that other chapters would
// get it, too. The document knows a key's credit quota, but not how a service refuses what exceeds it (sections 5 and
// 8): 402 and 429 without an end are usual, and words that name it.
func concernsAll(err error) bool {
	var refused *audioprojects.Error
	if !errors.As(err, &refused) {
		return false
	}
	switch refused.Kind {
	case audioprojects.Unauthorized, audioprojects.Forbidden, audioprojects.RateLimited:
		return true
	case audioprojects.Rejected:
		words := strings.ToLower(refused.Words)
		return refused.Status == http.StatusPaymentRequired || strings.Contains(words, "quota") || strings.Contains(words, "credit")
	default:
		return false
	}
}
