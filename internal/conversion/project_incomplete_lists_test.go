package conversion_test

import (
	"errors"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const halfRecord = `{"project_id":"book","state":"default","has_more":true,"chapters":[{"chapter_id":"chapter-0","state":"default"}]}`

// sameRecord shows what the first page of the list does, and does not say that there is more.
const sameRecord = `{"project_id":"book","state":"default","chapters":[` +
	`{"chapter_id":"chapter-0","state":"default"},{"chapter_id":"chapter-1","state":"default"}]}`

// TestAListThatSaysThatItIsNotAll: with a record of the project that shows more, a book has all. Without it there is no
// book, and no chapter is missing.
func TestAListThatSaysThatItIsNotAll(t *testing.T) {
	t.Parallel()
	isIncomplete := func(err error) bool { return errors.As(err, new(*audioprojects.IncompleteError)) }
	for name, record := range map[string]mockserver.Fault{
		"with the record":      {},
		"the record, too":      {Body: halfRecord},
		"a record of the same": {Body: sameRecord},
		"the record is closed": {Status: 403},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				b.service.SetHabits(mockserver.Habits{PageSize: 2})
				isWhole := record.Status == 0 && record.Body == ""
				if !isWhole {
					record.Operation, record.Times = mockserver.GetProject, -1
					b.service.Inject(record)
				}
				predicted, err := b.engine.PredictProject(b.Context(), wholeBook())
				outcome := b.engine.ConvertProject(b.Context(), wholeBook())
				if isWhole {
					if err != nil || len(predicted.Chapters) != 3 {
						b.Errorf("got the prediction %+v, %v; want three chapters", predicted, err)
					}
					b.wantThreeConverted(outcome)
				} else if !isIncomplete(err) || !isIncomplete(outcome.Stopped) || b.service.Count(mockserver.ConvertChapter) > 0 {
					b.Errorf("got %v and %v, want no book", err, outcome.Stopped)
				}
				_, err = b.engine.Convert(b.Context(), conversion.Desired{ProjectID: project, ChapterID: "chapter-2", UpToDate: true})
				if conversion.IsMissing(err) || isWhole != (err == nil) || !isWhole && !isIncomplete(err) {
					b.Errorf("the last chapter: got %v, want it converted: %t", err, isWhole)
				}
				_, err = b.engine.Convert(b.Context(), conversion.Desired{ProjectID: project, ChapterID: "none", UpToDate: true})
				if conversion.IsMissing(err) != isWhole || !isWhole && !isIncomplete(err) {
					b.Errorf("no such chapter: got %v, want it missing: %t", err, isWhole)
				}
			}, many(3, time.Minute)...)
		})
	}
}

// TestAKnownBookWhoseListIsNotAll: the list has what was known, and says that there is more.
func TestAKnownBookWhoseListIsNotAll(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.SetHabits(mockserver.Habits{PageSize: 2})
		book := wholeBook()
		book.Unchanged = func(ids []string) bool { return len(ids) == 2 }
		b.wantThreeConverted(b.engine.ConvertProject(b.Context(), book))
	}, many(3, time.Minute)...)
}

// TestReadingListsThatAreNotAll is that of data sources.
func TestReadingListsThatAreNotAll(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		record     mockserver.Fault
		chapters   int
		incomplete bool
	}{
		"with the record":      {mockserver.Fault{}, 3, false},
		"the record, too":      {mockserver.Fault{Body: halfRecord}, 2, true},
		"a record of the same": {mockserver.Fault{Body: sameRecord}, 2, true},
		"the record is closed": {mockserver.Fault{Status: 403}, 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				b.service.SetHabits(mockserver.Habits{PageSize: 2})
				if test.incomplete {
					test.record.Operation, test.record.Times = mockserver.GetProject, -1
					b.service.Inject(test.record)
				}
				seen, err := b.engine.ReadChapters(b.Context(), project, "")
				if err != nil || len(seen.Chapters) != test.chapters || (seen.Incomplete != nil) != test.incomplete || len(seen.Unlisted)+len(seen.Unrecorded) > 0 {
					b.Errorf("got %+v, %v", seen, err)
				}
			}, many(3, time.Minute)...)
		})
	}
}

// TestARecordThatSaysThatItIsNotAll, beside a list that does not: a list of more chapters refutes it, and another one does not.
func TestARecordThatSaysThatItIsNotAll(t *testing.T) {
	t.Parallel()
	for chapters, isWhole := range map[int]bool{1: false, 2: true} {
		inBubble(t, func(b *bubble) {
			b.service.Inject(mockserver.Fault{Operation: mockserver.GetProject, Times: -1, Body: halfRecord})
			predicted, err := b.engine.PredictProject(b.Context(), wholeBook())
			if (err == nil) != isWhole || isWhole && len(predicted.Chapters) != chapters {
				b.Errorf("a list of %d: got %+v, %v; want a book: %t", chapters, predicted, err, isWhole)
			}
		}, many(chapters, time.Minute)...)
	}
}
