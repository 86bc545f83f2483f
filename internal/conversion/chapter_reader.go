package conversion

import (
	"context"
	"errors"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// chapterReader reads one chapter from listings. It does not believe a listing that lacks the chapter, nor one from a
// replica that lags, which shows an older date than was seen before, or none. It believes such a listing only when a second
// one and the project's own record show the same.
type chapterReader struct {
	key     chapterKey
	records *poller
	newest  *audioprojects.Integer // the newest date of a conversion that was seen
	// doubtedSince is the request time of the first listing that was not believed; zero if the latest one was believed.
	doubtedSince time.Time
	lacking      bool // those listings lack the chapter
}

func (e *Engine) chapterReader(wish Wish) *chapterReader {
	w := &chapterReader{key: wish.key(), records: e.recordsOf(wish.ProjectID), newest: wish.Date}
	if wish.Pending != nil && later(wish.Pending.Baseline.Date, w.newest) {
		w.newest = wish.Pending.Baseline.Date
	}
	return w
}

// read reads the chapter from a listing. If the listing is not believed yet, but may be after a second one, believed is
// false and the error nil.
func (w *chapterReader) read(ctx context.Context, found *listing) (seen observation, believed bool, err error) {
	chapter, err := found.chapter(w.key)
	if err != nil && !missing(err) {
		return observation{}, false, err
	}
	if err == nil && !w.lags(chapter) {
		return w.believe(found, chapter), true, nil
	}
	if w.doubtedSince.IsZero() || w.lacking != missing(err) {
		w.doubtedSince, w.lacking = found.requestedAt, missing(err)
	}
	if found.requestedAt.Sub(w.doubtedSince) < secondLook {
		return observation{}, false, nil
	}
	record, asked := w.records.listing(ctx, found.requestedAt)
	if asked != nil {
		return observation{}, false, asked
	}
	recorded, inRecord := record.chapter(w.key)
	switch {
	case missing(inRecord) && missing(err):
		return observation{}, false, err
	case missing(inRecord):
		return observation{}, false, nil
	case inRecord != nil:
		return observation{}, false, inRecord
	case err == nil && w.lags(recorded):
		return w.believe(found, chapter), true, nil
	case w.lags(recorded):
		return observation{}, false, nil
	default:
		return w.believe(record, recorded), true, nil
	}
}

func (w *chapterReader) believe(found *listing, chapter audioprojects.Chapter) observation {
	w.newest, w.doubtedSince = chapter.LastConversionDateUnix, time.Time{}
	return observation{found.requestedAt, chapter}
}

func (w *chapterReader) lags(chapter audioprojects.Chapter) bool {
	return later(w.newest, chapter.LastConversionDateUnix)
}

// until is the earliest request time of a listing that can confirm the one that is not believed; zero if there is none.
func (w *chapterReader) until() time.Time {
	if w.doubtedSince.IsZero() {
		return time.Time{}
	}
	return w.doubtedSince.Add(secondLook)
}

func missing(err error) bool {
	var absent *MissingChapterError
	return errors.As(err, &absent)
}
