package conversion

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

// Reading is what the service shows of a project to a resource that remembers nothing of it. The chapters are in their list (section 4.2)
// and in the project's own record (section 4.1), and either may lack some.
type Reading struct {
	// Project is the record, without its chapters; empty if it is refused.
	Project audioprojects.Project
	// Chapters are all that the list or the record has, in the order of the list; those that it lacks come last. A chapter that both have
	// is as the list shows it. Nil if the record was to be read, and does not name the chapters.
	Chapters []audioprojects.Chapter
	// Unlisted are the chapters that the list lacks, and Unrecorded those that the record lacks, if it does not say
	// itself that it is not all. Unclear are those that are shown only in copies that differ; the first copy counts.
	// A second look has shown the same.
	Unlisted, Unrecorded, Unclear []audioprojects.Chapter
	// Refused is why the list or the record says nothing, so that two answers of the other stand for both; nil if both say something.
	Refused error
	// Incomplete is an [*audioprojects.IncompleteError] if one of the two answers says that it is not all, and the other does not show more.
	Incomplete error
}

// ReadChapters reads the chapters of a project. If one chapter alone is wanted, the read ends when the list or the record shows it;
// otherwise wanted is empty. The error is why the list or the record could not be asked for, or why the list is refused.
func (e *Engine) ReadChapters(ctx context.Context, projectID, wanted string) (Reading, error) {
	return e.read(ctx, feed{projectID: projectID}, wanted)
}

// ReadChapter reads like ReadChapters, with all that the service has sent of each chapter. It shares no list with what needs less.
func (e *Engine) ReadChapter(ctx context.Context, projectID, wanted string) (Reading, error) {
	return e.read(ctx, feed{projectID: projectID, raw: true}, wanted)
}

// ReadProject reads a project with its chapters. The error is why the record or the list could not be asked for, or why the record is
// refused.
func (e *Engine) ReadProject(ctx context.Context, projectID string) (Reading, error) {
	seen, err := e.read(ctx, feed{projectID: projectID, record: true}, "")
	if errors.Is(err, errUnnamed) {
		err = nil // What a record leaves out is not invented.
	}
	return seen, err
}

// read asks for the list and the record. One of them is needed. If the other one says nothing, a second answer of that one stands for it.
func (e *Engine) read(ctx context.Context, needed feed, wanted string) (Reading, error) {
	list, record, err := e.both(ctx, needed, e.clock.now())
	if err != nil {
		return Reading{}, err
	}
	first, other := list, record
	if needed.record {
		first, other = record, list
	}
	switch {
	case first.err != nil:
		return Reading{Project: first.project}, first.err
	case wanted != "" && (list.shows(wanted) || record.shows(wanted)):
		return Reading{Chapters: newReading(list, record).Chapters}, nil
	case other.err == nil:
		return e.confirmed(ctx, needed, list, record)
	case !saysNothing(other.err):
		return Reading{}, other.err
	}
	second, err := shared(ctx, e.poller(needed), first.requestedAt.Add(secondLook))
	if err == nil {
		err = second.err
	}
	if err != nil {
		return Reading{}, err
	}
	seen := newReading(second, first)
	return Reading{
		Project: second.project, Chapters: seen.Chapters, Unclear: seen.Unclear, Refused: other.err, Incomplete: seen.Incomplete,
	}, nil
}

// both asks for the list and the record at the same time. The error is the context's.
func (e *Engine) both(ctx context.Context, of feed, notBefore time.Time) (list, record *listing, err error) {
	lists, records := of, of
	lists.record, records.record = false, true
	var asking sync.WaitGroup
	asking.Go(func() { record, _ = shared(ctx, e.poller(records), notBefore) })
	list, _ = shared(ctx, e.poller(lists), notBefore)
	asking.Wait()
	return list, record, ctx.Err()
}

// shared returns what was requested at notBefore or later. Readers that begin together share one request.
func shared(ctx context.Context, p *poller, notBefore time.Time) (*listing, error) {
	return p.at(ctx, notBefore.Add(sharingDelay), notBefore, nil)
}

// confirmed is a reading of the list and the record, or of a second look at both if these differ.
func (e *Engine) confirmed(ctx context.Context, of feed, list, record *listing) (Reading, error) {
	seen := newReading(list, record)
	if len(seen.Unlisted)+len(seen.Unrecorded)+len(seen.Unclear) == 0 {
		return seen, nil
	}
	latest := slices.MaxFunc([]time.Time{list.requestedAt, record.requestedAt}, time.Time.Compare)
	list, record, err := e.both(ctx, of, latest.Add(secondLook))
	switch {
	case err != nil:
		return Reading{}, err
	case list.err != nil:
		return Reading{}, list.err
	case record.err != nil:
		return Reading{}, record.err
	}
	return newReading(list, record), nil
}

// newReading takes the chapters of two answers together.
func newReading(list, record *listing) Reading {
	seen := Reading{Project: record.project, Chapters: make([]audioprojects.Chapter, 0, len(list.chapters)), Incomplete: beyond(list, record)}
	for _, chapter := range list.chapters {
		recorded, isRecorded := record.find(chapter.ChapterID)
		if !isRecorded && record.incomplete == nil {
			seen.Unrecorded = append(seen.Unrecorded, chapter)
		}
		switch {
		case list.shows(chapter.ChapterID):
		case record.shows(chapter.ChapterID):
			chapter = recorded
		default:
			seen.Unclear = append(seen.Unclear, chapter)
		}
		seen.Chapters = append(seen.Chapters, chapter)
	}
	for _, chapter := range record.chapters {
		_, isListed := list.find(chapter.ChapterID)
		if isListed {
			continue
		}
		seen.Chapters = append(seen.Chapters, chapter)
		if list.incomplete == nil {
			seen.Unlisted = append(seen.Unlisted, chapter)
		}
		if !record.shows(chapter.ChapterID) {
			seen.Unclear = append(seen.Unclear, chapter)
		}
	}
	return seen
}

// shows reports whether the answer has the chapter, and no copies of it that differ.
func (l *listing) shows(chapterID string) bool {
	_, listed := l.find(chapterID)
	return listed && !l.differing[norm.NFC.String(chapterID)]
}
