package conversion

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

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
	return Kept{Leftover: p.Decision.Leftover, LeftOnce: p.Decision.LeftOnce, Behind: p.Wish.behind(p.Chapter)}
}

// PredictBook predicts every chapter of a book, in the service's order, as [Engine.Predict] does: from one list, and from
// another one where that is not enough. Chapters that the service does not list come last. The error is why the chapters
// could not be listed.
func (e *Engine) PredictBook(ctx context.Context, book Book) ([]ChapterPrediction, error) {
	forecasts, err := e.forecastBook(ctx, book, e.notBeforeIn(book.ProjectID, refreshAge), time.Time{}, func() error { return nil })
	if err != nil {
		return nil, err
	}
	predictions := make([]ChapterPrediction, len(forecasts))
	for i, f := range forecasts {
		predictions[i] = ChapterPrediction{ChapterID: f.wish.ChapterID, Wish: f.wish, Prediction: f.predicted, Err: f.err}
		if characters, counted := f.wish.Characters(f.predicted.Chapter); counted && f.predicted.Decision.Step == Request {
			predictions[i].Characters = &characters
		}
	}
	return predictions, nil
}

// forecast collects what lists show of a chapter, until its prediction needs no other list.
type forecast struct {
	wish      Wish
	reader    *chapterReader
	seen      []observation
	predicted Prediction
	err       error
}

// forecastBook predicts the chapters of a book from lists requested at notBefore or later, for wishes that began at
// startedAt. Before the first list, it calls prepare. Without a list the chapters of the wishes are returned with the error.
func (e *Engine) forecastBook(ctx context.Context, book Book, notBefore, startedAt time.Time, prepare func() error) ([]*forecast, error) {
	all := make([]*forecast, 0, len(book.Wishes))
	for _, wish := range book.Wishes {
		all = append(all, e.forecast(book.ProjectID, wish, wish.ChapterID, startedAt))
	}
	if book.Others != nil {
		// A list may lack them.
		for _, id := range slices.Sorted(maps.Keys(e.HandedOverBook(book.ProjectID))) {
			if !slices.ContainsFunc(all, func(f *forecast) bool { return f.wish.ChapterID == id }) {
				all = append(all, e.forecast(book.ProjectID, *book.Others, id, startedAt))
			}
		}
	}
	if err := prepare(); err != nil {
		return all, err
	}
	lists := e.listsOf(book.ProjectID)
	latest, err := lists.listing(ctx, notBefore)
	if err == nil {
		err = latest.err
	}
	if err != nil {
		return all, err
	}
	if latest, err = e.wholeList(ctx, book, latest); err != nil {
		return all, err
	}
	all = e.inOrder(book, all, latest, startedAt)
	if all, err = e.addUnlisted(ctx, book, all, latest, startedAt); err != nil {
		return all, err
	}
	open := slices.Clone(all)
	for confirmations := 0; ; confirmations++ {
		recent := lists.since(notBefore)
		var again time.Time
		open = slices.DeleteFunc(open, func(f *forecast) bool {
			next := f.read(ctx, latest, recent)
			if next.After(again) {
				again = next
			}
			return next.IsZero()
		})
		if len(open) == 0 || confirmations == mostConfirmations {
			return all, nil
		}
		select {
		case <-time.After(time.Until(again)):
		case <-ctx.Done():
			return all, ctx.Err()
		}
		notBefore = again
		if latest, err = lists.listing(ctx, notBefore); err != nil {
			return all, err
		}
	}
}

// wholeList returns the longer of two lists, the second requested 5 s after the given one, if that is shorter than an earlier
// list was.
func (e *Engine) wholeList(ctx context.Context, book Book, latest *listing) (*listing, error) {
	if book.Others == nil || len(latest.chapters) >= max(book.AtLeast, 1) {
		return latest, nil
	}
	again := latest.requestedAt.Add(secondLook)
	select {
	case <-time.After(time.Until(again)):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	second, err := e.listsOf(book.ProjectID).listing(ctx, again)
	switch {
	case err != nil:
		return nil, err
	case second.err != nil:
		return nil, second.err
	case len(second.chapters) < len(latest.chapters):
		return latest, nil
	default:
		return second, nil
	}
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

// addUnlisted adds the chapters that the project's own record has and the list lacks. That a list lacks a chapter proves
// nothing. An apply always asks for the record, so that it does not leave out a chapter that it has never seen. A plan asks if
// the list has fewer chapters than an earlier one, or others.
func (e *Engine) addUnlisted(ctx context.Context, book Book, all []*forecast, latest *listing, startedAt time.Time) ([]*forecast, error) {
	alike := len(latest.chapters) >= max(book.AtLeast, 1) && (book.Known == "" || book.Known == Fingerprint(latest.chapters))
	if book.Others == nil || startedAt.IsZero() && alike {
		return all, nil
	}
	record, err := e.record(ctx, book, latest.requestedAt, !startedAt.IsZero())
	if err != nil {
		return all, err
	}
	known := map[string]bool{}
	for _, f := range all {
		known[norm.NFC.String(f.wish.ChapterID)] = true
	}
	for _, chapter := range record.chapters {
		if id := norm.NFC.String(chapter.ChapterID); !known[id] {
			known[id] = true
			all = append(all, e.forecast(book.ProjectID, *book.Others, id, startedAt))
		}
	}
	return all, nil
}

// record is the project's own record. An apply waits for it as patiently as for a list.
func (e *Engine) record(ctx context.Context, book Book, notBefore time.Time, patient bool) (*listing, error) {
	asking := newRun(e, Wish{ProjectID: book.ProjectID})
	asking.failingSince = asking.began
	for {
		found, err := e.recordsOf(book.ProjectID).listing(ctx, notBefore)
		switch {
		case err != nil:
			return nil, err
		case found.err == nil:
			return found, nil
		case !patient || !asking.looksAgainAfter(ctx, found.err):
			return nil, found.err
		}
		select {
		case <-time.After(shortestInterval):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		notBefore = e.clock.now()
	}
}

func (e *Engine) forecast(projectID string, wish Wish, chapterID string, startedAt time.Time) *forecast {
	wish.ProjectID, wish.ChapterID, wish.startedAt = projectID, chapterID, startedAt
	e.addHandedOver(&wish)
	f := &forecast{wish: wish, reader: e.chapterReader(wish)}
	if wish.Pending != nil {
		pending := *wish.Pending
		pending.resumedAt = time.Now()
		f.predicted.Pending = &pending
	}
	return f
}

// inOrder adds the other chapters of the book, if it asks for them, and puts all into the service's order.
func (e *Engine) inOrder(book Book, named []*forecast, latest *listing, startedAt time.Time) []*forecast {
	byPlace := make([]*forecast, len(latest.chapters))
	var unlisted []*forecast
	for _, f := range named {
		if chapter, err := latest.chapter(f.wish.key()); err == nil {
			byPlace[latest.index[chapter.ChapterID]] = f
		} else {
			unlisted = append(unlisted, f)
		}
	}
	for i, chapter := range latest.chapters {
		if byPlace[i] == nil && book.Others != nil {
			// Terraform writes ids in this form, so a chapter has one key whoever names it.
			byPlace[i] = e.forecast(book.ProjectID, *book.Others, norm.NFC.String(chapter.ChapterID), startedAt)
		}
	}
	return append(slices.DeleteFunc(byPlace, func(f *forecast) bool { return f == nil }), unlisted...)
}

// read reads the chapter from the recent lists, of which latest is the last, and predicts. It returns when another list is
// needed; zero if none is.
func (f *forecast) read(ctx context.Context, latest *listing, recent []*listing) (again time.Time) {
	for _, found := range recent {
		shown, believed, err := f.reader.read(ctx, found)
		if err != nil && found == latest {
			f.err = err
			return time.Time{}
		}
		if believed {
			f.predicted.Chapter, f.seen = shown.chapter, append(f.seen, shown)
			if f.predicted.Pending != nil {
				f.predicted.Pending.observe(shown)
			}
		}
	}
	f.predicted.Decision = decide(f.wish, f.predicted.Pending, f.seen)
	observe(ctx, true, f.wish, f.predicted.Pending, f.seen, f.predicted.Decision)
	again = f.reader.until()
	if plan := f.wish.startedAt.IsZero(); plan && again.IsZero() && f.predicted.Decision.Reason == Confirming {
		// In an apply the chapter gets its turn, and is looked at again then.
		again = f.predicted.Decision.Until
	}
	return again
}
