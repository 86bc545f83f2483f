package conversion_test

import (
	"errors"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// The service's pause ends after the wait. To wait for it would end in a failure that says less.
func TestLookout_pauseLongerThanTheWait(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		paused := mockserver.RateLimited(24 * time.Hour)
		paused.Operation, paused.Skip = mockserver.ListChapters, 2
		b.service.Inject(paused)
		outcome, err := b.convert()
		var limited *audioprojects.Error
		if !errors.As(err, &limited) || limited.Kind != audioprojects.RateLimited || limited.RetryAfter < 23*time.Hour {
			b.Errorf("got error %v, want the service's pause", err)
		}
		if b.took > time.Minute || outcome.Memory.Pending == nil || outcome.Memory.Pending.Phase == conversion.PhaseUnconfirmed {
			b.Errorf("after %s: got pending %+v, want the conversion, at once", b.took, outcome.Memory.Pending)
		}
		b.restart()
		b.wantSuccess(b.convert(resuming(outcome.Memory.Pending)))
		b.wantRequests(1, 1)
	}, unconverted(mockserver.Conversion{Takes: 20 * time.Second}))
}

// Two chapters that the key may not convert are no reason to leave out the others, if it has converted one.
func TestConvertProject_forbiddenChapter(t *testing.T) {
	t.Parallel()
	for _, parallel := range []int{1, 2, 50} {
		inBubble(t, func(b *bubble) {
			b.parallel = parallel
			b.restart()
			for _, id := range []string{"chapter-0", "chapter-5"} {
				b.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, ChapterID: id, Times: -1, Status: 403})
			}
			outcome := b.engine.ConvertProject(b.Context(), wholeBook())
			failed := failures(outcome)
			if len(failed) != 2 || !errors.Is(failed["chapter-0"], audioprojects.Forbidden) || outcome.Stopped != nil {
				b.Errorf("%d at a time: stopped by %v, failures %v, want those of the two", parallel, outcome.Stopped, failed)
			}
			b.wantPaid(18)
		}, many(20, 10*time.Second)...)
	}
}

func wantMissing(b *bubble, err error) {
	b.Helper()
	if !conversion.IsMissing(err) {
		b.Errorf("got error %v, want that of a missing chapter", err)
	}
}

// TestConvert_failureThatOnlyTheStateSays is told within a minute of the end, and the next apply requests another at once.
func TestConvert_failureThatOnlyTheStateSays(t *testing.T) {
	t.Parallel()
	for _, takes := range []time.Duration{0, time.Minute} {
		inBubble(t, func(b *bubble) {
			b.service.SetHabits(mockserver.Habits{FailureState: "Conversion-Failed"})
			outcome, err := b.convert()
			var failed *conversion.FailedError
			if !errors.As(err, &failed) || err.Error() != "The conversion failed: Conversion-Failed" {
				b.Fatalf("got %v, want the state as a failure", err)
			}
			if b.took > takes+time.Minute {
				b.Errorf("told after %s", b.took)
			}
			b.restart()
			began := time.Now()
			b.wantSuccess(b.convert(resuming(outcome.Memory.Pending)))
			took := time.Since(began)
			if took > 75*time.Second {
				b.Errorf("the next apply took %s, want no window", took)
			}
			b.wantRequests(2, 2)
		}, unconverted(mockserver.Conversion{Takes: takes, Fails: "unseen"}, oneMinute()))
	}
}

// TestConvert_stateOfAFailureBefore: it stays until a late conversion begins, so that the apply cannot tell. The next one finds the conversion.
func TestConvert_stateOfAFailureBefore(t *testing.T) {
	t.Parallel()
	late := mockserver.Conversion{Lag: 45 * time.Second, Takes: time.Minute}
	inBubble(t, func(b *bubble) {
		b.service.SetHabits(mockserver.Habits{FailureState: "failed"})
		outcome, err := b.convert()
		for errors.As(err, new(*conversion.FailedError)) || errors.As(err, new(*conversion.UnconfirmedError)) {
			b.restart()
			outcome, err = b.convert(resuming(outcome.Memory.Pending))
		}
		b.wantSuccess(outcome, err)
		b.wantRequests(2, 2)
	}, unconverted(mockserver.Conversion{Takes: time.Minute, Fails: "unseen"}, late, oneMinute()))
}
