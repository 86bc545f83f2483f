package conversion

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// Book is the demand that many chapters of one project be converted.
type Book struct {
	ProjectID string
	// Wishes are the wishes for single chapters, at most one for each. Their ProjectID is the book's.
	Wishes []Wish
	// Others is the wish for every other chapter that the project has when its turn comes; nil if those stay as they are.
	Others *Wish
	// Known is the [Fingerprint] of the chapters that the project had before; empty if it is not known. While a list has the same,
	// the project's own record is not asked for.
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

// Keep is what to keep of the chapter; false if there is nothing. Nothing is kept of a chapter that the project does not have.
func (c BookChapter) Keep() (Kept, bool) {
	if missing(c.Err) {
		return Kept{}, false
	}
	return c.Kept, c.Kept != Kept{}
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
	// RecordRefused is why the service does not show the project's own record, so that two lists stand for it; nil if it does.
	RecordRefused error
}

// BookPrediction is what [Engine.ConvertBook] would do now.
type BookPrediction struct {
	// Chapters are in the service's order. Those that it does not list come last.
	Chapters []ChapterPrediction
	// RecordRefused is as in [BookOutcome].
	RecordRefused error
}

// ChapterPrediction is what [Engine.ConvertBook] would do for one chapter now.
type ChapterPrediction struct {
	ChapterID string
	// Wish is the chapter's, with what was handed over for it.
	Wish Wish
	Prediction
	// Err is as that of [Engine.Predict].
	Err error
	// Characters is what a [Request] may cost at most; nil if the chapter is not counted, or if nothing would be requested.
	Characters *int64
}

// Settled is what to keep of a chapter when its prediction is [Done].
func (p ChapterPrediction) Settled() Kept {
	return Kept{Leftover: p.Decision.Leftover, LeftOnce: p.Decision.LeftOnce, Behind: p.Wish.behind(p.Chapter, NothingLeft)}
}

// PredictBook predicts every chapter of a book, as [Engine.Predict] does. The error is why the chapters could not be listed.
func (e *Engine) PredictBook(ctx context.Context, book Book) (BookPrediction, error) {
	began := e.clock.now()
	oldest := began.Add(-refreshAge)
	wishes, refused, err := e.wishesOf(ctx, book, func(p *poller) (*listing, error) {
		found, err := p.listing(ctx, oldest)
		if err == nil {
			err = found.err
		}
		return found, err
	})
	if err != nil {
		return BookPrediction{}, err
	}
	predicted := BookPrediction{make([]ChapterPrediction, len(wishes)), refused}
	var all sync.WaitGroup
	for i, wish := range wishes {
		all.Go(func() {
			p := ChapterPrediction{ChapterID: wish.ChapterID, Wish: wish}
			p.Prediction, p.Err = e.Predict(ctx, wish)
			if p.Decision.Step == Request {
				p.Characters = wish.most(p.Chapter)
			}
			predicted.Chapters[i] = p
		})
	}
	all.Wait()
	return predicted, ctx.Err()
}

// wishesOf returns the wishes for all chapters of a book, in the service's order. Those that its list lacks come last: that proves
// nothing. The plan and the apply get them by the same rule, so that an apply pays for no chapter that its plan has not named. ask asks
// for a list. If that fails, the wishes that are known are returned with the error.
func (e *Engine) wishesOf(ctx context.Context, book Book, ask func(*poller) (*listing, error)) (wishes []Wish, refused, err error) {
	listed, refused, err := e.witnesses(ctx, book, ask)
	named, added := map[string]Wish{}, map[string]bool{}
	for _, wish := range book.Wishes {
		named[norm.NFC.String(wish.ChapterID)] = wish
	}
	for _, id := range slices.Concat(listed, slices.Sorted(maps.Keys(named)), slices.Sorted(maps.Keys(e.HandedOverBook(book.ProjectID)))) {
		id = norm.NFC.String(id) // Terraform writes ids in this form, so a chapter has one key whoever names it
		wish, isNamed := named[id]
		if added[id] || !isNamed && book.Others == nil {
			continue
		}
		if !isNamed {
			wish = *book.Others
		}
		wish.ProjectID, wish.ChapterID, wish.ofBook = book.ProjectID, id, true
		e.addHandedOver(&wish)
		wishes, added[id] = append(wishes, wish), true
	}
	return wishes, refused, err
}

// witnesses returns the ids of the chapters that a project has. If they are not the known ones, the list and the project's own record
// say so together, because a list may lack some; both are asked at once if nothing is known. If the service refuses the record, two
// lists do.
func (e *Engine) witnesses(ctx context.Context, book Book, ask func(*poller) (*listing, error)) (ids []string, refused, err error) {
	var record *listing
	asked := make(chan error, 1)
	askRecord := func() {
		var err error
		record, err = ask(e.recordsOf(book.ProjectID))
		asked <- err
	}
	if book.Others != nil && book.Known == "" {
		go askRecord()
	}
	list, err := ask(e.listsOf(book.ProjectID))
	if err != nil {
		return nil, nil, err
	}
	ids = list.ids()
	switch {
	case book.Others == nil, book.Known != "" && book.Known == Fingerprint(list.chapters):
		return ids, nil, nil
	case book.Known != "":
		go askRecord()
	}
	refused = <-asked
	switch {
	case refused == nil:
		return append(ids, record.ids()...), nil, nil
	case !refusesRecord(refused):
		return ids, nil, refused
	}
	again := list.requestedAt.Add(secondLook)
	second, err := e.listsOf(book.ProjectID).at(ctx, again, again)
	if err == nil {
		err = second.err
	}
	if err != nil {
		return ids, nil, err
	}
	return append(ids, second.ids()...), refused, nil
}

func (l *listing) ids() (ids []string) {
	for _, chapter := range l.chapters {
		ids = append(ids, chapter.ChapterID)
	}
	return ids
}

// Fingerprint tells sets of chapters apart, in 16 letters. So much fits where thousands of ids do not.
func Fingerprint(chapters []audioprojects.Chapter) string {
	ids := make([]string, 0, len(chapters))
	for _, chapter := range chapters {
		ids = append(ids, strconv.Quote(norm.NFC.String(chapter.ChapterID)))
	}
	slices.Sort(ids)
	sum := sha256.Sum256([]byte(strings.Join(ids, ",")))
	return hex.EncodeToString(sum[:8])
}

// addHandedOver gives a wish of a book what was handed over. A pending conversion is given by [Engine.Convert].
func (e *Engine) addHandedOver(wish *Wish) {
	c, unlock := e.at(wish.key())
	defer unlock()
	if own := wish.Pending; wish.Kept == (Kept{Pending: own}) {
		wish.Kept = c.handed
		wish.Pending = own
	}
}

// bookRun converts the chapters of a book.
type bookRun struct {
	engine *Engine
	book   Book
	began  time.Time

	mu       sync.Mutex
	chapters []*bookChapter // in the service's order
	changed  bool           // since the latest progress report
	ended    []BookChapter  // since that
	unlisted bool
	refused  error // why the service does not show the project's record
	// forbidden are the requests that it has refused with 401 or 403.
	forbidden atomic.Int32
}

// bookChapter is a chapter of a book, and how far it is. The run's mutex protects percent and state.
type bookChapter struct {
	wish       Wish
	rank       int // the queue's order: pending, busy, the others
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
// [BookChapter.Keep] returns of every chapter, and put it into the next wishes.
func (e *Engine) ConvertBook(ctx context.Context, book Book) BookOutcome {
	b := &bookRun{engine: e, book: book, began: e.clock.now()}
	stopped := b.survey(ctx)
	if stopped == nil {
		finish := b.reportProgress()
		stopped = b.convertAll(ctx)
		finish()
	}
	all := BookOutcome{Stopped: stopped, Unlisted: b.unlisted, RecordRefused: b.refused}
	for _, chapter := range b.chapters {
		if chapter.state == queued {
			chapter.result.Err = stopped
		}
		all.Chapters = append(all.Chapters, chapter.result)
	}
	return all
}

// survey lists the chapters, as patiently as a single conversion does, and settles those that need no turn.
func (b *bookRun) survey(ctx context.Context) error {
	wishes, refused, err := b.engine.wishesOf(ctx, b.book, func(p *poller) (*listing, error) { return b.engine.patiently(ctx, p, b.began) })
	b.refused = refused
	var all sync.WaitGroup
	for _, wish := range wishes {
		c := &bookChapter{wish: wish, state: queued, rank: 2, result: BookChapter{ChapterID: wish.ChapterID}}
		if c.result.Kept = wish.Kept; wish.Pending == nil {
			c.result.Pending = b.engine.HandedOver(wish.ProjectID, wish.ChapterID)
		}
		if b.chapters = append(b.chapters, c); err == nil {
			all.Go(func() { b.settle(ctx, c) })
		}
	}
	all.Wait()
	if err == nil {
		err = ctx.Err()
	}
	b.unlisted = err != nil && !slices.ContainsFunc(b.chapters, func(c *bookChapter) bool { return c.result.Chapter.ChapterID != "" })
	return err
}

// settle notes the result of a chapter that needs no turn: it has nothing left, or does not exist. What another
// block converts at this moment, or has left pending, is for [Engine.Convert] to decide.
func (b *bookRun) settle(ctx context.Context, c *bookChapter) {
	s := b.engine.newSession(c.wish, surveys, b.began)
	outcome, err := s.run(ctx)
	known, unlock := b.engine.at(c.wish.key())
	engaged := known.running != nil || known.handed.Pending != nil
	unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	shown := outcome.Chapter
	switch c.result.Chapter = shown; {
	case missing(err):
		c.state, c.result.Err = failed, err
		b.ended = append(b.ended, c.result)
		return
	case err == nil && s.decided.Reason == NothingLeft && !engaged:
		c.state = adopted
		c.result.Outcome = Outcome{Chapter: shown, Reason: NothingLeft, Kept: Kept{Leftover: s.decided.Leftover, Behind: c.wish.behind(shown, NothingLeft)}}
		return
	case c.result.Pending != nil:
		c.rank = 0
	case s.decided.Step == Join:
		c.rank = 1
	}
	c.characters, _ = c.wish.Characters(shown)
	c.wish.Date = s.reader.newest // What the lists have shown needs no proof again.
}

// convertAll gives every queued chapter its turn: those first whose conversion is under way already.
func (b *bookRun) convertAll(ctx context.Context) error {
	begins, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var all sync.WaitGroup
	defer all.Wait()
	queue := slices.DeleteFunc(slices.Clone(b.chapters), func(c *bookChapter) bool { return c.state != queued })
	slices.SortStableFunc(queue, func(x, y *bookChapter) int { return cmp.Compare(x.rank, y.rank) })
	for _, c := range queue {
		select {
		case b.engine.slots <- struct{}{}:
		case <-begins.Done():
			return context.Cause(begins)
		}
		if begins.Err() != nil {
			<-b.engine.slots
			return context.Cause(begins)
		}
		b.note(func() { c.state, c.result.Begun, b.changed = converting, true, true })
		all.Go(func() {
			defer func() { <-b.engine.slots }()
			if err := b.convert(ctx, c); b.concernsAll(err) {
				stop(err)
			}
		})
	}
	return nil
}

func (b *bookRun) convert(ctx context.Context, c *bookChapter) error {
	if b.book.ChapterTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, b.book.ChapterTimeout)
		defer cancel()
	}
	wish := c.wish
	wish.Progress = func(p Outcome) {
		b.note(func() {
			if percent := value(p.Percent); Busy(p.Chapter) && percent != c.percent {
				c.percent, b.changed = percent, true
			}
		})
		if c.wish.Progress != nil {
			c.wish.Progress(p)
		}
	}
	outcome, err := b.engine.Convert(ctx, wish)
	if ended := ctx.Err(); ended != nil && errors.Is(err, ended) {
		err = ended // It may be in the error of a request, which could not be sent for it.
	}
	state := converted
	if err != nil {
		outcome.Leftover, outcome.LeftOnce, outcome.Behind, state = wish.Leftover, wish.LeftOnce, wish.Behind, failed
	}
	b.note(func() {
		c.result.Outcome, c.result.Err, c.state = outcome, err, state
		b.ended, b.changed = append(b.ended, c.result), true
	})
	return err
}

// note changes what the progress reports.
func (b *bookRun) note(change func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change()
}

// concernsAll tells whether the error of one chapter is that of the key or of the account, so that other chapters would
// get it, too. A second chapter that is refused tells it of a key, unless the service has shown that it may convert. The document knows
// a key's credit quota, but not how a service refuses what exceeds it (sections 5 and 8): 402 and 429 without an end are usual, and
// words that name it.
func (b *bookRun) concernsAll(err error) bool {
	var refused *audioprojects.Error
	if !errors.As(err, &refused) {
		return false
	}
	words := strings.ToLower(refused.Words)
	quota := refused.Status == http.StatusPaymentRequired || strings.Contains(words, "quota") || strings.Contains(words, "credit")
	switch refused.Kind {
	case audioprojects.Unauthorized, audioprojects.Forbidden:
		return quota || b.forbidden.Add(1) > 1 && !b.engine.mayConvert.Load()
	case audioprojects.RateLimited:
		return true
	default:
		return refused.Kind == audioprojects.Rejected && quota
	}
}
