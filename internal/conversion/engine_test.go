package conversion_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestConvertStartsAndWaits(t *testing.T) {
	t.Parallel()
	conversions := map[string]mockserver.Conversion{
		"ends at once":           {},
		"a minute":               {Takes: time.Minute},
		"queued first":           {Queued: 2 * time.Minute, Takes: time.Minute},
		"starts late":            {Lag: 25 * time.Second, Takes: time.Minute},
		"starts late, then ends": {Lag: 25 * time.Second},
		"half an hour":           {Takes: 30 * time.Minute},
	}
	habits := map[string]mockserver.Habits{
		"plain":         {},
		"stale lists":   {StaleLists: 4 * time.Second},
		"no dates":      {NoDates: true},
		"no statistics": {NoStatistics: true},
		"fractions":     {Progress: mockserver.Fractional},
		"no progress":   {Progress: mockserver.None},
		"absent fields": {OmitsUnset: true},
	}
	for conversionName, one := range conversions {
		for habitName, habit := range habits {
			t.Run(conversionName+"/"+habitName, func(t *testing.T) {
				t.Parallel()
				inBubble(t, func(b *bubble) {
					b.service.SetHabits(habit)
					began := time.Now()
					outcome, err := b.convert()
					b.wantSuccess(outcome, err)
					b.wantRequests(1, 1)
					if least := one.Lag + one.Queued + one.Takes; time.Since(began) < least {
						b.Errorf("returned after %s, before the conversion's end at %s", time.Since(began), least)
					}
					if !outcome.Requested || outcome.Joined || outcome.Reason == conversion.NoSign {
						b.Errorf("got outcome %+v, want one conversion started, without doubt", outcome)
					}
				}, unconverted(one))
			})
		}
	}
}

func TestConvertJoinsWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Convert(project, chapter)
		time.Sleep(20 * time.Second)
		outcome, err := b.convert()
		b.wantSuccess(outcome, err)
		b.wantRequests(0, 0)
		if !outcome.Joined || outcome.Requested {
			b.Errorf("got outcome %+v, want joined and nothing started", outcome)
		}
	}, unconverted(oneMinute()))
}

func TestConvertRequestsAnotherAfterAJoinedConversionThatBeganBeforeAnEdit(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Convert(project, chapter)
		time.Sleep(20 * time.Second)
		b.service.EditChapter(project, chapter, longer)
		b.wantSuccess(b.convert())
		b.wantRequests(1, 1)
	}, unconverted(oneMinute()))
}

func TestConvertReportsAJoinedConversionThatFails(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Convert(project, chapter)
		time.Sleep(20 * time.Second)
		_, err := b.convert()
		wantFailure(b, err, "voice not found")
		var failed *conversion.FailedError
		if errors.As(err, &failed) && !failed.Joined {
			b.Error("got a failure of our own, want one of a joined conversion")
		}
		b.wantRequests(0, 0)
	}, unconverted(mockserver.Conversion{Takes: time.Minute, Fails: "voice not found"}))
}

func TestConvertAdoptsWhatIsUpToDate(t *testing.T) {
	t.Parallel()
	converted := mockserver.Chapter{Text: text, Converted: true}
	t.Run("nothing left", func(t *testing.T) {
		t.Parallel()
		inBubble(t, func(b *bubble) {
			b.wantSuccess(b.convert(upToDate))
			b.wantRequests(0, 0)
		}, converted)
	})
	t.Run("text left", func(t *testing.T) {
		t.Parallel()
		inBubble(t, func(b *bubble) {
			b.service.EditChapter(project, chapter, longer)
			b.wantSuccess(b.convert(upToDate))
			b.wantRequests(1, 1)
		}, converted)
	})
	t.Run("no statistics", func(t *testing.T) {
		t.Parallel()
		inBubble(t, func(b *bubble) {
			b.service.SetHabits(mockserver.Habits{NoStatistics: true})
			b.wantSuccess(b.convert(upToDate))
			b.wantRequests(1, 1)
		}, converted)
	})
}

// TestConvertDistinguishesOldErrorsFromNewOnes goes through every combination of an error from
// before, the result, a late start, and what the service does with errors and dates.
func TestConvertDistinguishesOldErrorsFromNewOnes(t *testing.T) {
	t.Parallel()
	for _, before := range []string{"", "out of breath"} {
		for _, ends := range []string{"", "out of breath", "voice not found"} {
			for _, lag := range []time.Duration{0, 10 * time.Second} {
				for _, keeps := range []bool{false, true} {
					for _, dates := range []bool{false, true} {
						name := fmt.Sprintf("before %q, ends with %q, lag %s, keeps old %t, dates failures %t", before, ends, lag, keeps, dates)
						t.Run(name, func(t *testing.T) {
							t.Parallel()
							inBubble(t, func(b *bubble) {
								b.service.SetHabits(mockserver.Habits{KeepsOldError: keeps, DatesFailures: dates})
								outcome, err := b.convert()
								if ends == "" {
									b.wantSuccess(outcome, err)
								} else {
									wantFailure(b, err, ends)
								}
								b.wantRequests(1, 1)
							}, mockserver.Chapter{
								Text:        text,
								Error:       before,
								ConvertedAt: time.Date(1999, 12, 24, 0, 0, 0, 0, time.UTC),
								Conversions: []mockserver.Conversion{{Lag: lag, Takes: time.Minute, Fails: ends}},
							})
						})
					}
				}
			}
		}
	}
}

func TestConvertNamesAMissingChapter(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		_, err := b.convert(func(r *conversion.Demand) { r.ChapterID = "nine" })
		var missing *conversion.MissingChapterError
		if !errors.As(err, &missing) || missing.ChapterID != "nine" {
			b.Errorf("got error %v, want the missing chapter nine", err)
		}
		b.wantRequests(0, 0)
	}, unconverted(oneMinute()))
}

func TestConvertRequestsOnceForTwoWishesAtTheSameTime(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		second := make(chan error)
		go func() {
			_, err := b.convert()
			second <- err
		}()
		b.wantSuccess(b.convert())
		if err := <-second; err != nil {
			b.Errorf("the second one: got error %v", err)
		}
		b.wantRequests(1, 1)
	}, unconverted(mockserver.Conversion{Lag: 10 * time.Second, Takes: time.Minute}))
}

func wantFailure(b *bubble, err error, words string) {
	b.Helper()
	var failed *conversion.FailedError
	if !errors.As(err, &failed) {
		b.Fatalf("got error %v, want the conversion's failure", err)
	}
	if failed.Words != words {
		b.Errorf("the service's words: got %q, want %q", failed.Words, words)
	}
}

// TestAnOlderListDoesNotEndTheWait: one of several servers may lag behind the others.
func TestAnOlderListDoesNotEndTheWait(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.SetHabits(mockserver.Habits{NoStatistics: true, OmitsUnset: true})
		for _, skip := range []int{5, 12, 20} {
			b.service.Inject(mockserver.Fault{
				Operation: mockserver.ListChapters, Skip: skip,
				Body: `{"chapters":[{"chapter_id":"one","state":"default"}]}`,
			})
		}
		began := time.Now()
		b.wantSuccess(b.convert())
		if took := time.Since(began); took < 10*time.Minute {
			b.Errorf("returned after %s, before the end", took)
		}
	}, unconverted(mockserver.Conversion{Takes: 10 * time.Minute}))
}

func TestWhoFollowsIsInterruptedWithinASecond(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		led := make(chan error, 1)
		go func() {
			_, err := b.convert()
			led <- err
		}()
		synctest.Wait()
		began := time.Now()
		outcome, err := b.convertInterrupted(10 * time.Second)
		if took := time.Since(began) - 10*time.Second; took > time.Second {
			b.Errorf("returned %s after the interruption, want a second at most", took)
		}
		if !errors.Is(err, context.Canceled) || outcome.Pending == nil {
			b.Errorf("got pending %+v, error %v; want what the leader waits for, and an interruption", outcome.Pending, err)
		}
		if err := <-led; err != nil {
			b.Errorf("who leads: %v", err)
		}
	}, unconverted(oneMinute()))
}
