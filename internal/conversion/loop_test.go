package conversion_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// A chapter has one loop. Who is served beside others loses nothing by that.

// TestWhoIsServedBesideOthersHasATimeoutOfItsOwn: the service shows the conversion after the time of the first resource, and not of the
// second.
func TestWhoIsServedBesideOthersHasATimeoutOfItsOwn(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		var blocks sync.WaitGroup
		for _, timeout := range []time.Duration{time.Minute, time.Hour} {
			blocks.Go(func() {
				outcome, err := b.convertWithin(timeout)
				if timeout == time.Minute {
					if !errors.Is(err, context.DeadlineExceeded) || outcome.Pending == nil || outcome.Waited != timeout {
						b.Errorf("got %+v and error %v, want the end of its time", outcome, err)
					}
					return
				}
				b.wantSuccess(outcome, err)
			})
			time.Sleep(time.Nanosecond)
		}
		blocks.Wait()
		b.wantRequests(1, 1)
	}, unconverted(mockserver.Conversion{Lag: 3 * time.Minute, Takes: time.Minute}, oneMinute()))
}

// TestWhoIsOutOfTimeKeepsTheResumeToken, if its own time is over first: the next apply takes that conversion up.
func TestWhoIsOutOfTimeKeepsTheResumeToken(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		var blocks sync.WaitGroup
		blocks.Go(func() { b.wantSuccess(b.convert()) })
		time.Sleep(time.Nanosecond)
		began := time.Now()
		var shown []float64
		outcome, err := b.convertWithin(30*time.Second, func(d *conversion.Desired) {
			d.Progress = func(now conversion.Outcome) {
				if now.Chapter.ConversionProgress != nil && now.WaitedFor {
					shown = append(shown, *now.Chapter.ConversionProgress)
				}
			}
		})
		if !errors.Is(err, context.DeadlineExceeded) || outcome.Pending == nil || outcome.Pending.Phase != conversion.PhaseRunning {
			b.Errorf("got %+v and error %v, want the conversion of the first", outcome, err)
		}
		took := time.Since(began)
		if took > 31*time.Second {
			b.Errorf("the end came after %s", took)
		}
		if len(shown) < 5 || outcome.Chapter.ConversionProgress == nil || *outcome.Chapter.ConversionProgress < 30 {
			b.Errorf("got the progress %v, and in the end %+v; want what the first sees", shown, outcome.Chapter)
		}
		blocks.Wait()
		b.wantRequests(1, 1)
	}, unconverted(oneMinute()))
}

// TestWhoIsOutOfTimeKeepsWhatIsAskedForAnother, if its own time is over before a slow service answers: the next apply looks for it.
func TestWhoIsOutOfTimeKeepsWhatIsAskedForAnother(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Process: true, Hang: 20 * time.Second})
		var blocks sync.WaitGroup
		blocks.Go(func() { b.wantSuccess(b.convert()) })
		time.Sleep(time.Nanosecond)
		outcome, err := b.convertWithin(10 * time.Second)
		if !errors.Is(err, context.DeadlineExceeded) || outcome.Pending == nil || outcome.Pending.Phase != conversion.PhaseRequested {
			b.Errorf("got %+v and error %v, want what is asked for the first", outcome, err)
		}
		blocks.Wait()
		b.restart()
		b.wantSuccess(b.convert(remembering(outcome.Memory)))
		b.wantRequests(1, 1)
	}, unconverted(mockserver.Conversion{Lag: 30 * time.Second, Takes: time.Minute}, oneMinute()))
}

// TestWhoHasSeenNothingSaysNothingOfTheChapter, also if another one has seen it.
func TestWhoHasSeenNothingSaysNothingOfTheChapter(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Status: 402, Hang: time.Second})
		b.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Skip: 1, Times: -1, Status: 401})
		var blocks sync.WaitGroup
		blocks.Go(func() { _, _ = b.convert() })
		time.Sleep(time.Nanosecond)
		outcome, err := b.convert()
		isEmpty := outcome.Chapter.ChapterID == "" && !outcome.WaitedFor && outcome.Pending == nil
		if !errors.Is(err, audioprojects.Unauthorized) || !isEmpty {
			b.Errorf("got %+v, error %v; want only the error", outcome, err)
		}
		blocks.Wait()
		b.wantRequests(1, 0)
	}, unconverted(oneMinute()))
}

// TestAFailureIsToldToAll: the next resource gets the same error, and requests nothing; a resource that comes later asks afresh.
func TestAFailureIsToldToAll(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		var blocks sync.WaitGroup
		for range 3 {
			blocks.Go(func() {
				outcome, err := b.convert()
				failed, is := errors.AsType[*conversion.FailedError](err)
				if !is || failed.Reason != conversion.Error || !outcome.Pending.Failed() || outcome.Waited > 90*time.Second {
					b.Errorf("got %+v and error %v, want the failure, for all at once", outcome, err)
				}
			})
		}
		blocks.Wait()
		b.wantRequests(1, 1)
	}, unconverted(mockserver.Conversion{Takes: time.Minute, Fails: "no voice"}, oneMinute()))
}

// TestAnEditIsTheDemandOfWhoComesLater: text that is written while the first resource waits is wanted by one that begins later.
func TestAnEditIsTheDemandOfWhoComesLater(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		var blocks sync.WaitGroup
		blocks.Go(func() {
			_, err := b.convert()
			if err != nil {
				b.Error(err)
			}
		})
		time.Sleep(20 * time.Second)
		b.service.EditChapter(project, chapter, longer)
		blocks.Go(func() { b.wantSuccess(b.convert(upToDate)) })
		blocks.Wait()
		b.wantRequests(2, 2)
	}, unconverted(oneMinute(), oneMinute()))
}

// TestAConversionOutlivesWhoRequestedIt: a resource is interrupted, and a book goes on with its conversion.
func TestAConversionOutlivesWhoRequestedIt(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		var blocks sync.WaitGroup
		blocks.Go(func() { _, _ = b.convertInterrupted(20 * time.Second) })
		time.Sleep(time.Second)
		outcome := b.engine.ConvertProject(b.Context(), wholeBook())
		failed := failures(outcome)
		if len(failed) > 0 {
			b.Errorf("got failures %v", failed)
		}
		blocks.Wait()
		b.wantRequests(1, 1)
	}, unconverted(oneMinute()))
}

// TestAChapterThatHasNoSlotInTimeIsNotLost: another book has it converted meanwhile, and the next apply does not pay again.
func TestAChapterThatHasNoSlotInTimeIsNotLost(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.parallel = 1
		b.restart()
		book := wholeBook(conversion.Desired{ChapterID: chapter})
		book.Others = nil
		var books sync.WaitGroup
		books.Go(func() { b.engine.ConvertProject(b.Context(), book) })
		time.Sleep(time.Nanosecond)
		ctx, cancel := context.WithTimeout(b.Context(), 30*time.Second)
		defer cancel()
		late := b.engine.ConvertProject(ctx, book)
		if !errors.Is(late.Stopped, context.DeadlineExceeded) || len(late.Chapters) != 1 || late.Chapters[0].Begun {
			b.Fatalf("got %+v, want that it has not begun", late)
		}
		books.Wait()
		b.restart()
		b.wantSuccess(b.convert(remembering(late.Chapters[0].Memory)))
		b.wantRequests(1, 1)
	}, unconverted(oneMinute(), oneMinute()))
}

// TestTheLoopKnowsTheNewestDateOfAll: lists that are older than what the second resource has seen are from a replica that lags, for 30 s.
func TestTheLoopKnowsTheNewestDateOfAll(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		seen := audioprojects.Integer(time.Now().Add(time.Hour).Unix())
		var resources sync.WaitGroup
		resources.Go(func() { b.wantSuccess(b.convert()) })
		time.Sleep(50 * time.Second)
		resources.Go(func() {
			outcome, err := b.convert(upToDate, func(d *conversion.Desired) { d.Known, d.Date = true, &seen })
			if err != nil || outcome.Waited < 30*time.Second {
				b.Errorf("got error %v after %s, want that a list from before its date is not believed at once", err, outcome.Waited)
			}
		})
		resources.Wait()
		b.wantRequests(1, 1)
	}, unconverted(oneMinute()))
}

// TestAWaitBeforeAReplacementKeepsItsOwn, also if its time is over and another resource has requested a later conversion: that one is not
// for the triggers of the resource that is replaced.
func TestAWaitBeforeAReplacementKeepsItsOwn(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		before, _ := b.convertInterrupted(20*time.Second, withTriggers("old"))
		b.restart()
		time.Sleep(time.Hour)
		var resources sync.WaitGroup
		resources.Go(func() { b.wantSuccess(b.convert(withTriggers("new"))) })
		time.Sleep(5 * time.Second)
		ctx, cancel := context.WithTimeout(b.Context(), 10*time.Millisecond)
		defer cancel()
		outcome, err := b.engine.Await(ctx, desired(remembering(before.Memory), withTriggers("old")))
		if !errors.Is(err, context.DeadlineExceeded) || outcome.Pending.SinceUnix != before.Pending.SinceUnix {
			b.Errorf("got %+v and error %v, want %+v", outcome.Pending, err, before.Pending)
		}
		resources.Wait()
	}, unconverted(oneMinute(), oneMinute()))
}
