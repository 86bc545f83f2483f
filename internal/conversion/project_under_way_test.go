package conversion_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func (b *bubble) wantThreeConverted(outcome conversion.ProjectOutcome) {
	b.Helper()
	failed := failures(outcome)
	if outcome.Stopped != nil || len(failed) > 0 || len(outcome.Chapters) != 3 {
		b.Errorf("got %d chapters, failures %v, stopped by %v; want three converted", len(outcome.Chapters), failed, outcome.Stopped)
	}
	for _, chapter := range outcome.Chapters {
		left, _ := chapter.Chapter.Statistics.Unconverted()
		if left > 0 {
			b.Errorf("%s: %d characters left", chapter.Desired.ChapterID, left)
		}
	}
}

// TestTheWholeProjectIsConvertedForSomebodyElse: its chapters rest in a queue, and nothing may be requested for them
// meanwhile.
func TestTheWholeProjectIsConvertedForSomebodyElse(t *testing.T) {
	t.Parallel()
	for name, edited := range map[string]bool{"as it was": false, "edited meanwhile": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				b.service.ConvertProject(project, 10*time.Minute)
				if edited {
					b.service.EditChapter(project, "chapter-1", longer)
				}
				state, _ := b.engine.ProjectUnderWay(b.Context(), project)
				if state == nil || *state != "in_queue" {
					b.Errorf("got the state %v, want that of the project", state)
				}
				var states []audioprojects.Text
				book := wholeBook()
				book.UnderWay = func(state audioprojects.Text) { states = append(states, state) }
				b.wantThreeConverted(b.engine.ConvertProject(b.Context(), book))
				want := 0
				if edited {
					want = 1
				}
				got := b.service.Count(mockserver.ConvertChapter)
				if got != want {
					b.Errorf("got %d requests to convert, want %d", got, want)
				}
				if len(states) == 0 || states[0] != "in_queue" {
					b.Errorf("got the states %v, want those of the project", states)
				}
			}, many(3, time.Minute)...)
		})
	}
}

// TestAProjectThatIsCreated has no chapters yet. It is not a book of none.
func TestAProjectThatIsCreated(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.SetProjectState(project, "creating")
		time.AfterFunc(5*time.Minute, func() {
			for _, chapter := range many(3, time.Minute) {
				b.service.AddChapter(project, chapter)
			}
			b.service.SetProjectState(project, "default")
		})
		b.wantThreeConverted(b.engine.ConvertProject(b.Context(), wholeBook()))
		got := b.service.Count(mockserver.ConvertChapter)
		if got != 3 {
			b.Errorf("got %d requests to convert, want 3", got)
		}
	})
}

// TestAChapterWaitsForTheWholeProject, as a book does.
func TestAChapterWaitsForTheWholeProject(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.ConvertProject(project, 10*time.Minute)
		b.wantSuccess(b.convert(upToDate))
		b.wantRequests(0, 0)
	}, unconverted(oneMinute()))
	inBubble(t, func(b *bubble) {
		b.service.ConvertProject(project, 10*time.Minute)
		outcome, err := b.convertWithin(5*time.Minute, upToDate)
		if !errors.As(err, new(*conversion.ProjectBusyError)) || outcome.Pending != nil {
			b.Errorf("got %+v, %v; want the project's state, and nothing pending", outcome, err)
		}
		b.wantRequests(0, 0)
	}, unconverted(oneMinute()))
}

// TestOneOddRecordDoesNotEndTheWait: a replica that lags shows the project at rest once, and the record is refused
// for a moment.
func TestOneOddRecordDoesNotEndTheWait(t *testing.T) {
	t.Parallel()
	for name, odd := range map[string]mockserver.Fault{
		"at rest": {Body: `{"project_id":"book","state":"default","chapters":[{"chapter_id":"chapter-0"},{"chapter_id":"chapter-1"},{"chapter_id":"chapter-2"}]}`},
		"refused": {Status: 403},
		"failed":  {Status: 500, Times: 5}, // with the client's retries
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				b.service.ConvertProject(project, 10*time.Minute)
				odd.Operation, odd.Skip = mockserver.GetProject, 3
				b.service.Inject(odd)
				b.wantThreeConverted(b.engine.ConvertProject(b.Context(), wholeBook()))
				got := b.service.Count(mockserver.ConvertChapter)
				if got != 0 {
					b.Errorf("got %d requests to convert, want none", got)
				}
			}, many(3, time.Minute)...)
		})
	}
}

func TestAProjectThatIsUnderWayForTooLong(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.SetProjectState(project, "in_queue")
		ctx, cancel := context.WithTimeout(b.Context(), time.Hour)
		defer cancel()
		outcome := b.engine.ConvertProject(ctx, wholeBook())
		var busy *conversion.ProjectBusyError
		if !errors.As(outcome.Stopped, &busy) || busy.State != "in_queue" || !errors.Is(busy, context.DeadlineExceeded) {
			b.Errorf("stopped by %v, want the project's state", outcome.Stopped)
		}
		b.wantRequests(0, 0)
		looks := b.service.Count(mockserver.GetProject)
		if looks > 260 {
			b.Errorf("looked %d times in an hour", looks)
		}
	}, many(2, time.Minute)...)
}

// TestWhatSaysNothingOfTheWholeProject: a record that is refused, or a chapter that is busy itself.
func TestWhatSaysNothingOfTheWholeProject(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*bubble){
		"refused": func(b *bubble) {
			b.service.SetProjectState(project, "in_queue")
			b.service.Inject(mockserver.Fault{Operation: mockserver.GetProject, Status: 403, Times: -1})
		},
		"one chapter": func(b *bubble) { b.service.Convert(project, "chapter-0") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				prepare(b)
				began := time.Now()
				b.wantThreeConverted(b.engine.ConvertProject(b.Context(), wholeBook()))
				took := time.Since(began)
				if took > 90*time.Second {
					b.Errorf("took %s, want the chapters side by side", took)
				}
			}, many(3, time.Minute)...)
		})
	}
}
