package conversion

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// chapterReader reads one chapter from lists. It does not believe a list that lacks the chapter, has two copies of it that differ, or shows
// an older date than was seen before, until later lists and the project's own record show the same. A list that shows the chapter in a way
// that cannot be read is never believed.
type chapterReader struct {
	key         chapterKey
	records     *poller
	newest      *audioprojects.Integer // the newest date of a conversion that was seen
	doubt       doubt                  // about the latest lists; empty if the latest one was believed
	since       time.Time              // request time of the first of them
	recordDoubt doubt                  // about the project's record, when that was asked last
}

// doubt is why a list is not believed.
type doubt string

const (
	lacks   doubt = "lacks the chapter"
	lags    doubt = "shows an older date"
	differs doubt = "has two copies that differ"
	unread  doubt = "shows what cannot be read"
)

func newChapterReader(desired Desired, records *poller) chapterReader {
	return chapterReader{key: desired.key(), records: records, newest: desired.Date}
}

// expect notes the newest date that somebody has seen before.
func (r *chapterReader) expect(date *audioprojects.Integer) {
	if later(date, r.newest) {
		r.newest = date
	}
}

// read reads the chapter from a list. If the list is not believed yet, but may be after a second one, believed is false and the error nil.
func (r *chapterReader) read(ctx context.Context, found *listing) (seen observation, believed bool, err error) {
	chapter, doubted, err := r.in(found)
	switch {
	case err != nil:
		return observation{}, false, err
	case doubted == "":
		return r.believe(found, chapter), true, nil
	case doubted != r.doubt:
		r.doubt, r.since = doubted, found.requestedAt
	}
	if found.requestedAt.Sub(r.since) < r.doubt.lasts() {
		return observation{}, false, nil
	}
	if doubted == unread {
		return observation{}, false, &UnreadableError{chapter}
	}
	record, asked := r.records.listing(ctx, found.requestedAt)
	if asked != nil {
		return observation{}, false, asked
	}
	recorded, again, err := r.in(record)
	r.recordDoubt = again
	partly := beyond(found, record)
	if saysNothing(err) {
		partly = found.incomplete
	}
	switch {
	case again == unread:
		return observation{}, false, &UnreadableError{recorded}
	case doubted == lacks && partly != nil && (again == lacks || saysNothing(err)):
		return observation{}, false, partly // The chapter may be in what the service does not show.
	case doubted == lacks && (again == lacks || saysNothing(err)):
		return observation{}, false, &MissingChapterError{r.key.projectID, r.key.chapterID}
	case doubted == lags && (again == lags || saysNothing(err)):
		return r.believe(found, chapter), true, nil
	case saysNothing(err):
		return observation{}, false, nil // The copies of a later list may agree.
	case err != nil || again != "":
		return observation{}, false, err
	default:
		return r.believe(record, recorded), true, nil
	}
}

// in finds the chapter, and what there is to doubt.
func (r *chapterReader) in(found *listing) (audioprojects.Chapter, doubt, error) {
	chapter, listed := found.find(r.key.chapterID)
	switch {
	case found.err != nil:
		return chapter, "", found.err
	case !listed:
		return chapter, lacks, nil
	case found.differing[norm.NFC.String(chapter.ChapterID)]:
		return chapter, differs, nil
	case later(r.newest, chapter.LastConversionDateUnix):
		return chapter, lags, nil
	default:
		return chapter, "", nil
	}
}

func (r *chapterReader) believe(found *listing, chapter audioprojects.Chapter) observation {
	r.newest, r.doubt, r.since = chapter.LastConversionDateUnix, "", time.Time{}
	return observation{requestedAt: found.requestedAt, chapter: chapter}
}

// explain adds to an outcome what was not believed, if nothing else has been seen of the chapter.
func (r *chapterReader) explain(outcome *Outcome, err error) {
	unreadable, isUnreadable := errors.AsType[*UnreadableError](err)
	unclear := r.unclear()
	switch {
	case outcome.Chapter.ChapterID != "":
	case isUnreadable:
		outcome.Chapter = unreadable.Chapter
	case unclear.Twice != "" && outcome.Problem == nil:
		outcome.Problem = unclear
	}
}

func (r *chapterReader) unclear() *UnclearError {
	unclear := &UnclearError{ProjectID: r.key.projectID, ChapterID: r.key.chapterID}
	switch {
	case r.doubt == differs:
		unclear.Twice = "list of chapters"
	case r.recordDoubt == differs:
		unclear.Twice = "record"
	}
	return unclear
}

// again is when to look again because of a doubt; not later than after if that is of no use.
func (r *chapterReader) again(after time.Time) time.Time {
	return slices.MinFunc([]time.Time{r.since.Add(r.doubt.lasts()), after.Add(secondLook)}, time.Time.Compare)
}

// lasts is how long a doubt must last before another witness is asked. Most of a service's replicas may lag.
func (d doubt) lasts() time.Duration {
	if d == lags {
		return window
	}
	return secondLook
}

// IsUnreadable reports whether an error is an [*UnreadableError].
func IsUnreadable(err error) bool { return errors.As(err, new(*UnreadableError)) }

// IsMissing reports whether an error is a [*MissingChapterError].
func IsMissing(err error) bool { return errors.As(err, new(*MissingChapterError)) }
