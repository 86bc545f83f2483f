package conversion_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// What a reader makes of short answers is shown by what data sources read: internal/provider/data_source_list_and_record_test.go.

const (
	composed   = "caf\u00e9"
	decomposed = "cafe\u0301"
)

func idsOf(chapters []audioprojects.Chapter) (ids []string) {
	for _, chapter := range chapters {
		ids = append(ids, chapter.ChapterID)
	}
	return ids
}

// Data sources of one project in one plan share what they may: nothing that was requested before one of them began.
func TestReadersShareWhatWasRequestedSinceTheyBegan(t *testing.T) {
	t.Parallel()
	const short = `{"chapters":[{"chapter_id":"chapter-0"}]}`
	for name, test := range map[string]struct {
		apart          time.Duration // between the beginnings of two readers
		faults         []mockserver.Fault
		lists, records int
	}{
		"at once":                {0, nil, 1, 1},
		"during the first":       {time.Second, []mockserver.Fault{{Operation: mockserver.ListChapters, Hang: 5 * time.Second, Process: true, Times: -1}}, 10, 10},
		"one after the other":    {10 * time.Second, nil, 10, 10},
		"a second look":          {0, []mockserver.Fault{{Operation: mockserver.ListChapters, Body: short}}, 2, 2},
		"a second look for each": {time.Second / 10, []mockserver.Fault{{Operation: mockserver.ListChapters, Body: short, Times: -1}}, 20, 20},
		"without the record":     {0, []mockserver.Fault{{Operation: mockserver.GetProject, Status: 403, Times: -1}}, 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				for _, fault := range test.faults {
					b.service.Inject(fault)
				}
				var readers sync.WaitGroup
				for i := range 10 {
					readers.Go(func() {
						<-time.After(time.Duration(i) * test.apart)
						seen, err := b.engine.ReadChapters(b.Context(), project, "")
						if err != nil || len(seen.Chapters) != 3 {
							b.Errorf("read %v, error %v", idsOf(seen.Chapters), err)
						}
					})
				}
				readers.Wait()
				lists, records := b.service.Count(mockserver.ListChapters), b.service.Count(mockserver.GetProject)
				if lists != test.lists || records != test.records {
					b.Errorf("got %d lists and %d records, want %d and %d", lists, records, test.lists, test.records)
				}
			}, many(3, time.Minute)...)
		})
	}
}

func TestAReaderSeesWhatHasJustChanged(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		for added := range 3 {
			seen, err := b.engine.ReadChapters(b.Context(), project, "")
			whole, failed := b.engine.ReadProject(b.Context(), project)
			if err != nil || failed != nil || len(seen.Chapters) != 1+added || len(whole.Chapters) != 1+added {
				b.Errorf("read %v and %v, want %d chapters; errors %v, %v", idsOf(seen.Chapters), idsOf(whole.Chapters), 1+added, err, failed)
			}
			b.service.AddChapter("book", mockserver.Chapter{ID: string(rune('a' + added))})
		}
	}, mockserver.Chapter{})
}

// The list and the record may spell an id in different forms of Unicode, which Terraform takes for the same.
func TestAReaderKnowsAChapterInEverySpelling(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Inject(mockserver.Fault{Operation: mockserver.GetProject, Times: -1, Body: `{"project_id":"book","chapters":[{"chapter_id":"` + composed + `"}]}`})
		seen, err := b.engine.ReadChapters(b.Context(), project, "")
		if err != nil || !slices.Equal(idsOf(seen.Chapters), []string{decomposed}) || len(seen.Unlisted)+len(seen.Unrecorded) > 0 {
			b.Errorf("got %+v, error %v", seen, err)
		}
		got := len(b.service.Journal())
		if got != 2 {
			b.Errorf("got %d requests, want 2", got)
		}
	}, mockserver.Chapter{ID: decomposed})
}

// Where pages overlap, a list has a chapter twice, and the copies may differ. They are one chapter.
func TestAReaderTakesCopiesOfAChapterForOne(t *testing.T) {
	t.Parallel()
	const (
		equal   = `"chapters":[{"chapter_id":"a","name":"same"},{"chapter_id":"b"},{"chapter_id":"a","name":"same"}]`
		differ  = `"chapters":[{"chapter_id":"a","name":"first"},{"chapter_id":"b"},{"chapter_id":"a","name":"second"}]`
		clear   = `"chapters":[{"chapter_id":"a","name":"clear"},{"chapter_id":"b"}]`
		another = `"chapters":[{"chapter_id":"a","name":"clear"},{"chapter_id":"b"},{"chapter_id":"c","name":"1"},{"chapter_id":"c","name":"2"}]`
		none    = ""
	)
	for name, test := range map[string]struct {
		list, record string
		wanted       string
		reads        audioprojects.Text // the name of a
		unclear      []string
		requests     int
	}{
		"equal copies":                      {equal, clear, "", "same", nil, 2},
		"clear in the record":               {differ, clear, "", "clear", nil, 2},
		"clear in the list":                 {clear, differ, "", "clear", nil, 2},
		"clear nowhere":                     {differ, differ, "", "first", []string{"a"}, 4},
		"no record":                         {differ, none, "", "first", []string{"a"}, 3},
		"one that only the record has":      {differ, another, "", "clear", []string{"c"}, 4},
		"wanted, and clear in the record":   {differ, clear, "a", "clear", nil, 2},
		"wanted, and clear nowhere":         {differ, differ, "a", "first", []string{"a"}, 4},
		"wanted, and another clear nowhere": {differ, another, "b", "clear", nil, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				b.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Times: -1, Body: "{" + test.list + "}"})
				record := mockserver.Fault{Operation: mockserver.GetProject, Times: -1, Body: `{"project_id":"book",` + test.record + "}"}
				if test.record == none {
					record.Status = http.StatusForbidden
				}
				b.service.Inject(record)
				seen, err := b.engine.ReadChapters(b.Context(), project, test.wanted)
				if err != nil || seen.Chapters[0].ChapterID != "a" || *seen.Chapters[0].Name != test.reads || !slices.Equal(idsOf(seen.Unclear), test.unclear) {
					b.Errorf("got %+v, error %v", seen, err)
				}
				got := len(b.service.Journal())
				if got != test.requests {
					b.Errorf("got %d requests, want %d", got, test.requests)
				}
			}, mockserver.Chapter{})
		})
	}
}

// A caller that is interrupted while it waits for a second look ends at once.
func TestAReaderThatIsInterruptedEndsAtOnce(t *testing.T) {
	t.Parallel()
	for name, record := range map[string]mockserver.Fault{
		"the record differs":    {Operation: mockserver.GetProject, Times: -1, Body: `{"project_id":"book","chapters":[]}`},
		"the record is refused": {Operation: mockserver.GetProject, Times: -1, Status: http.StatusForbidden},
		"the record hangs":      {Operation: mockserver.GetProject, Times: -1, Hang: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				b.service.Inject(record)
				ctx, cancel := context.WithCancel(b.Context())
				time.AfterFunc(time.Second, cancel)
				began := time.Now()
				_, err := b.engine.ReadChapters(ctx, project, "")
				took := time.Since(began)
				if !errors.Is(err, context.Canceled) || took != time.Second {
					b.Errorf("after %s: got error %v", took, err)
				}
			}, mockserver.Chapter{})
		})
	}
}
