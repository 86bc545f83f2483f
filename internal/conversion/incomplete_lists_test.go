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

// TestAListThatSaysThatItIsNotAll: with the project's record, a book has all. Without it there is no book, and no
// chapter is missing.
func TestAListThatSaysThatItIsNotAll(t *testing.T) {
	t.Parallel()
	isIncomplete := func(err error) bool { return errors.As(err, new(*audioprojects.IncompleteError)) }
	for name, record := range map[string]mockserver.Fault{
		"with the record":      {},
		"the record, too":      {Body: halfRecord},
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
				_, err = b.engine.Convert(b.Context(), conversion.Demand{ProjectID: project, ChapterID: "chapter-2", UpToDate: true})
				if conversion.IsMissing(err) || isWhole != (err == nil) || !isWhole && !isIncomplete(err) {
					b.Errorf("the last chapter: got %v, want it converted: %t", err, isWhole)
				}
				_, err = b.engine.Convert(b.Context(), conversion.Demand{ProjectID: project, ChapterID: "none", UpToDate: true})
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
		record               mockserver.Fault
		chapters             int
		incomplete, unlisted bool
	}{
		"with the record":      {mockserver.Fault{}, 3, false, false},
		"the record, too":      {mockserver.Fault{Body: halfRecord}, 2, true, false},
		"the record is closed": {mockserver.Fault{Status: 403}, 2, true, false},
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
