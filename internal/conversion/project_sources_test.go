package conversion_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// requested are the chapters that a plan says it will request, in the service's order.
func requested(b *bubble, predicted []conversion.ChapterStatus, err error) (ids []string) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
	for _, p := range predicted {
		if p.Decision.Step == conversion.Request {
			ids = append(ids, p.Desired.ChapterID)
		}
	}
	return ids
}

// The list of a book that has not changed is enough; both are asked at once for one that is new.
func TestASettledBookIsOneList(t *testing.T) {
	t.Parallel()
	chapters := many(3, time.Minute)
	for i := range chapters {
		chapters[i].Converted = true
	}
	inBubble(t, func(b *bubble) {
		_, err := b.engine.PredictProject(b.Context(), wholeBook())
		if err != nil {
			b.Fatal(err)
		}
		lists, records := b.service.Count(mockserver.ListChapters), b.service.Count(mockserver.GetProject)
		if lists != 1 || records != 1 {
			b.Errorf("a new book: got %d lists and %d records, want one of each", lists, records)
		}
		book := wholeBook()
		book.Unchanged = func(ids []string) bool { return len(ids) == len(chapters) }
		b.restart()
		b.service.ResetJournal()
		_, err = b.engine.PredictProject(b.Context(), book)
		if err != nil {
			b.Fatal(err)
		}
		outcome := b.engine.ConvertProject(b.Context(), book)
		if outcome.Stopped != nil || len(outcome.Chapters) != 3 {
			b.Errorf("got %+v", outcome)
		}
		lists, records = b.service.Count(mockserver.ListChapters), b.service.Count(mockserver.GetProject)
		if lists != 2 || records != 0 {
			b.Errorf("a plan and an apply of a book that has not changed: got %d lists and %d records, want a list each", lists, records)
		}
	}, chapters...)
}

// A key may be scoped by operation, and a record may leave its chapters out. Then two lists, five seconds apart, are the two witnesses.
func TestABookWorksWithoutTheProjectsRecord(t *testing.T) {
	t.Parallel()
	for name, record := range map[string]mockserver.Fault{
		"403":                   {Status: http.StatusForbidden},
		"404":                   {Status: http.StatusNotFound},
		"500":                   {Status: http.StatusInternalServerError},
		"a record without them": {Body: `{"project_id":"book"}`},
		"a record with null":    {Body: `{"project_id":"book","chapters":null}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				record.Operation, record.Times = mockserver.GetProject, -1
				b.service.Inject(record)
				b.service.Inject(mockserver.Fault{
					Operation: mockserver.ListChapters, Status: http.StatusOK,
					Body: `{"chapters":[{"chapter_id":"chapter-0","name":"chapter-0"}]}`,
				})
				predicted, err := b.engine.PredictProject(b.Context(), wholeBook())
				got := requested(b, predicted.Chapters, err)
				if len(got) != 3 {
					b.Errorf("a plan requests %v, want all three", got)
				}
				if predicted.RecordRefused == nil {
					b.Error("nobody is told that lists alone count")
				}
				b.restart()
				began := time.Now()
				outcome := b.engine.ConvertProject(b.Context(), wholeBook())
				if outcome.Stopped != nil || len(failures(outcome)) > 0 {
					b.Errorf("stopped by %v, failures %v", outcome.Stopped, failures(outcome))
				}
				b.wantPaid(3)
				took := time.Since(began)
				if record.Status == 0 && took > 90*time.Second {
					b.Errorf("took %s: a record that names no chapters is no failure, and is not asked for again", took)
				}
			}, many(3, time.Minute)...)
		})
	}
}

func TestAChapterIsGoneAlsoWithoutTheProjectsRecord(t *testing.T) {
	t.Parallel()
	for _, record := range []mockserver.Fault{{Status: http.StatusForbidden}, {Body: `{"project_id":"book"}`}} {
		inBubble(t, func(b *bubble) {
			record.Operation, record.Times = mockserver.GetProject, -1
			b.service.Inject(record)
			wantMissing(b, b.engine.Predict(b.Context(), conversion.Desired{ProjectID: project, ChapterID: "chapter-9"})[0].Err)
			got := b.service.Count(mockserver.ListChapters)
			if got != 2 {
				b.Errorf("got %d lists, want two", got)
			}
		}, many(3, time.Minute)...)
	}
}

// The second of these lists is asked for as patiently as any other.
func TestABookWithoutTheProjectsRecordOutlastsAnOutage(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Inject(mockserver.Fault{Operation: mockserver.GetProject, Times: -1, Status: http.StatusForbidden})
		b.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Skip: 1, Times: 6, Status: http.StatusServiceUnavailable})
		outcome := b.engine.ConvertProject(b.Context(), wholeBook())
		if outcome.Stopped != nil || len(failures(outcome)) > 0 {
			b.Errorf("stopped by %v, failures %v", outcome.Stopped, failures(outcome))
		}
		b.wantPaid(3)
	}, many(3, time.Minute)...)
}

// Pages overlap, and their copies of a chapter differ while it converts. Without the project's record, a later list is waited for.
func TestCopiesThatDifferEndNoWait(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.SetHabits(mockserver.Habits{Overlap: true, OverlapLag: 20 * time.Second})
		b.service.Inject(mockserver.Fault{Operation: mockserver.GetProject, Times: -1, Status: http.StatusForbidden})
		b.wantSuccess(b.convert())
		b.wantRequests(1, 1)
	}, unconverted(oneMinute()))
}
