package conversion_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestLastLook: a conversion has its timeout, or the whole apply has. What the chapter shows after it decides; looks
// before it are seconds old.
func TestLastLook(t *testing.T) {
	t.Parallel()
	const timeout = time.Minute
	ofApply := func(b *bubble) (conversion.Outcome, error) {
		ctx, cancel := conversion.WithTimeout(b.Context(), timeout)
		defer cancel()
		return b.engine.Convert(ctx, desired(upToDate))
	}
	ofChapter := func(b *bubble) (conversion.Outcome, error) {
		return b.engine.Convert(b.Context(), desired(upToDate, func(d *conversion.Desired) { d.Timeout = timeout }))
	}
	for name, test := range map[string]struct {
		chapter  mockserver.Chapter
		happens  func(*bubble)
		want     error         // nil: it is converted
		most     time.Duration // that it takes
		requests int
	}{
		"it has ended since the latest look": {unconverted(mockserver.Conversion{Takes: 57 * time.Second}), nil, nil, timeout + time.Second, 1},
		"it still runs":                      {unconverted(mockserver.Conversion{Takes: time.Hour}), nil, context.DeadlineExceeded, timeout + time.Second, 1},
		"it ends, and leaves text": {unconverted(mockserver.Conversion{Takes: 57 * time.Second}), func(b *bubble) {
			b.service.SetHabits(mockserver.Habits{LeavesLast: true})
		}, nil, timeout + 36*time.Second, 1},
		"it has failed since": {unconverted(mockserver.Conversion{Takes: 57 * time.Second, Fails: "no voice"}), nil, &conversion.FailedError{}, timeout + 10*time.Second, 1},
		"the network comes back late": {unconverted(mockserver.Conversion{Takes: 40 * time.Second}), func(b *bubble) {
			time.AfterFunc(30*time.Second, func() { b.network.Down(true) })
			time.AfterFunc(timeout+20*time.Second, func() { b.network.Down(false) })
		}, nil, timeout + 40*time.Second, 1},
		"the network does not come back": {unconverted(mockserver.Conversion{Takes: 40 * time.Second}), func(b *bubble) {
			time.AfterFunc(30*time.Second, func() { b.network.Down(true) })
		}, context.DeadlineExceeded, 2*timeout + time.Second, 1},
		"it was edited meanwhile": {unconverted(mockserver.Conversion{Takes: 57 * time.Second}), func(b *bubble) {
			time.AfterFunc(58*time.Second, func() { b.service.EditChapter(project, chapter, longer) })
		}, nil, timeout + 36*time.Second, 1},
	} {
		for whose, convert := range map[string]func(*bubble) (conversion.Outcome, error){"the apply's": ofApply, "the chapter's": ofChapter} {
			t.Run(name+", "+whose, func(t *testing.T) {
				t.Parallel()
				inBubble(t, func(b *bubble) {
					if test.happens != nil {
						test.happens(b)
					}
					began := time.Now()
					outcome, err := convert(b)
					took := time.Since(began)
					failed := new(conversion.FailedError)
					isAsWanted := errors.Is(err, test.want) || errors.As(test.want, &failed) && errors.As(err, &failed)
					wasTimedOut := errors.Is(test.want, context.DeadlineExceeded)
					if !isAsWanted || (outcome.Memory.Pending != nil) != (err != nil) || outcome.TimedOut != (wasTimedOut && whose == "the chapter's") {
						b.Errorf("got %v, timed out: %t, pending: %v; want %v", err, outcome.TimedOut, outcome.Memory.Pending, test.want)
					}
					if took > test.most {
						b.Errorf("took %s, want %s at most", took, test.most)
					}
					if sent := b.service.Count(mockserver.ConvertChapter); sent != test.requests {
						b.Errorf("sent %d requests, want %d", sent, test.requests)
					}
				}, test.chapter)
			})
		}
	}
}

// TestLastLook_interrupted: Ctrl-C while the network is away after the timeout ends the wait at once, as an interruption.
func TestLastLook_interrupted(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		time.AfterFunc(30*time.Second, func() { b.network.Down(true) })
		interruptible, interrupt := context.WithCancel(b.Context())
		time.AfterFunc(70*time.Second, interrupt)
		ctx, cancel := conversion.WithTimeout(interruptible, time.Minute)
		defer cancel()
		began := time.Now()
		outcome, err := b.engine.Convert(ctx, desired())
		took := time.Since(began)
		if !errors.Is(err, context.Canceled) || outcome.Memory.Pending == nil || took > 71*time.Second {
			b.Errorf("got %v with %v pending after %s, want an interruption", err, outcome.Memory.Pending, took)
		}
	}, unconverted(mockserver.Conversion{Takes: time.Hour}))
}

// TestLastLook_requestsNothing: a chapter that waits for room at the service until its apply is out of time is not requested after that.
func TestLastLook_requestsNothing(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.limit(59 * time.Second)
		ctx, cancel := conversion.WithTimeout(b.Context(), time.Minute-time.Millisecond)
		defer cancel()
		b.service.Inject(refusing("", 429, `{"detail":{"status":"too_many_concurrent_requests"}}`))
		_, err := b.engine.Convert(ctx, desired())
		if !errors.Is(err, context.DeadlineExceeded) || b.service.Count(mockserver.ConvertChapter) > 2 {
			b.Errorf("got %v after %d requests", err, b.service.Count(mockserver.ConvertChapter))
		}
	}, unconverted(oneMinute()))
}
