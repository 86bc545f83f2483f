package conversion_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// Faults by which the answer to the request for a conversion is lost.
var lostAnswers = map[string]mockserver.Fault{
	"reset":           {Reset: true},
	"closed":          {EOF: true},
	"hangs":           {Hang: time.Hour},
	"408":             {Status: 408},
	"500":             {Status: 500},
	"502":             {Status: 502, Body: "<html>bad gateway</html>"},
	"503":             {Status: 503},
	"504":             {Status: 504},
	"an HTML page":    {Body: "<!DOCTYPE html><html>welcome</html>"},
	"JSON broken off": {Body: `{"status":`},
	"a redirect":      {Status: 303},
}

func onConvert(fault mockserver.Fault, process bool) mockserver.Fault {
	fault.Operation, fault.Process = mockserver.ConvertChapter, process
	return fault
}

func TestALostAnswerIsNotARefusal(t *testing.T) {
	t.Parallel()
	for name, fault := range lostAnswers {
		for _, lag := range []time.Duration{0, 20 * time.Second} {
			t.Run(name+" after processing, begins after "+lag.String(), func(t *testing.T) {
				t.Parallel()
				inBubble(t, func(b *bubble) {
					b.service.Inject(onConvert(fault, true))
					b.wantSuccess(b.convert())
					b.wantRequests(1, 1)
				}, unconverted(mockserver.Conversion{Lag: lag, Takes: time.Minute}))
			})
		}
		t.Run(name+" before processing", func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				b.service.Inject(onConvert(fault, false))
				outcome, err := b.convert()
				var unconfirmed *conversion.UnconfirmedError
				if !errors.As(err, &unconfirmed) {
					b.Fatalf("got error %v, want one that says the request is unconfirmed", err)
				}
				if outcome.Pending == nil || outcome.Pending.Confirmed {
					b.Fatalf("got pending %+v, want it not confirmed", outcome.Pending)
				}
				b.wantRequests(1, 0)

				// There is still no sign of it, so the next apply asks again.
				b.restart()
				b.wantSuccess(b.convert(resuming(outcome.Pending)))
				b.wantRequests(2, 1)
			}, unconverted(oneMinute()))
		})
	}
}

func TestResumeFindsALateConversionBeforeItRequestsAnother(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Process: true, Reset: true})
		outcome, err := b.convertInterrupted(2 * time.Second)
		if !errors.Is(err, context.Canceled) || outcome.Pending == nil || outcome.Pending.Confirmed {
			b.Fatalf("got %+v and error %v, want it pending, and not confirmed", outcome, err)
		}
		b.restart()
		b.wantSuccess(b.convert(resuming(outcome.Pending)))
		b.wantRequests(1, 1)
	}, unconverted(mockserver.Conversion{Lag: 20 * time.Second, Takes: time.Minute}))
}

func TestResumeRequestsNothingAfterASuccess(t *testing.T) {
	t.Parallel()
	stops := map[string]func(*bubble) (conversion.Outcome, error){
		"interrupted": func(b *bubble) (conversion.Outcome, error) { return b.convertInterrupted(30 * time.Second) },
		"out of time": func(b *bubble) (conversion.Outcome, error) { return b.convertWithin(30 * time.Second) },
	}
	for name, stop := range stops {
		for _, pause := range []time.Duration{time.Second, time.Hour} {
			t.Run(name+", next apply after "+pause.String(), func(t *testing.T) {
				t.Parallel()
				inBubble(t, func(b *bubble) {
					outcome, err := stop(b)
					if err == nil || outcome.Pending == nil || !outcome.Pending.Confirmed || !outcome.Pending.SeenConverting {
						b.Fatalf("got %+v and error %v, want it pending, and confirmed", outcome, err)
					}
					time.Sleep(pause)
					b.restart()
					b.wantSuccess(b.convert(resuming(outcome.Pending)))
					b.wantRequests(1, 1)
				}, unconverted(oneMinute()))
			})
		}
	}
}

func TestResumeConvertsAgainAfterAFailure(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		outcome, _ := b.convertInterrupted(30 * time.Second)
		time.Sleep(time.Hour)
		b.restart()
		b.wantSuccess(b.convert(resuming(outcome.Pending)))
		b.wantRequests(2, 2)
	}, unconverted(mockserver.Conversion{Takes: time.Minute, Fails: "out of breath"}, oneMinute()))
}

func TestResumeReportsAFailureWhileItWaits(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		outcome, _ := b.convertInterrupted(30 * time.Second)
		b.restart()
		outcome, err := b.convert(resuming(outcome.Pending))
		wantFailure(b, err, "out of breath")
		b.wantRequests(1, 1)

		b.restart()
		b.wantSuccess(b.convert(resuming(outcome.Pending)))
		b.wantRequests(2, 2)
	}, unconverted(mockserver.Conversion{Takes: time.Minute, Fails: "out of breath"}, oneMinute()))
}

// TestResumeWithNewTriggers: the resumed conversion was for the old triggers, so another one is requested for the new ones.
func TestResumeWithNewTriggers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		conversion mockserver.Conversion
		after      time.Duration
		pause      time.Duration
		then       string
		paid       int
	}{
		"still running":     {oneMinute(), 30 * time.Second, 0, "new", 2},
		"ended":             {oneMinute(), 30 * time.Second, time.Hour, "new", 2},
		"failed":            {mockserver.Conversion{Takes: time.Minute, Fails: "out of breath"}, 30 * time.Second, 0, "new", 2},
		"does not show yet": {mockserver.Conversion{Lag: 20 * time.Second, Takes: time.Minute}, 2 * time.Second, 0, "new", 2},
		"the same, running": {oneMinute(), 30 * time.Second, 0, "old", 1},
		"the same, ended":   {oneMinute(), 30 * time.Second, time.Hour, "old", 1},
		"none any more":     {oneMinute(), 30 * time.Second, time.Hour, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				outcome, err := b.convertInterrupted(test.after, withTriggers("old"))
				if !errors.Is(err, context.Canceled) || outcome.Pending == nil {
					b.Fatalf("got %+v and error %v, want something pending", outcome, err)
				}
				time.Sleep(test.pause)
				b.restart()
				b.wantSuccess(b.convert(resuming(outcome.Pending), withTriggers(test.then)))
				b.wantRequests(test.paid, test.paid)
			}, unconverted(test.conversion, oneMinute()))
		})
	}
}

func TestHandOverGivesThePendingConversionToTheNextCreation(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		outcome, _ := b.convertWithin(30 * time.Second)
		time.Sleep(time.Hour)
		b.restart()
		b.engine.HandOver(project, chapter, *outcome.Pending)
		b.wantSuccess(b.convert())
		b.wantRequests(1, 1)

		// It is handed over once: the demand of the next apply has nothing pending.
		b.restart()
		b.wantSuccess(b.convert())
		b.wantRequests(2, 2)
	}, unconverted(oneMinute()))
}

func TestAConversionHandedOverStaysPendingIfTheServiceIsDown(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		outcome, _ := b.convertWithin(30 * time.Second)
		b.restart()
		b.engine.HandOver(project, chapter, *outcome.Pending)
		b.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Times: 5, Status: 503})
		outcome, err := b.convert()
		if err == nil || outcome.Pending == nil {
			b.Fatalf("got %+v and error %v, want it pending again", outcome, err)
		}
		b.wantSuccess(b.convert(resuming(outcome.Pending)))
		b.wantRequests(1, 1)
	}, unconverted(oneMinute()))
}

// TestAcceptedWithoutASignIsWaitedFor: the service may be slow to show the conversion. After a whole timeout without a sign, the
// next apply looks for it for one more window before it requests another.
func TestAcceptedWithoutASignIsWaitedFor(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Body: `{"status":"ok"}`})
		outcome, err := b.convertWithin(20 * time.Minute)
		if !errors.Is(err, context.DeadlineExceeded) || outcome.Pending == nil || !outcome.Pending.TimedOut {
			b.Fatalf("got %+v and error %v, want it pending, after the whole timeout", outcome, err)
		}
		b.wantRequests(1, 0)

		b.restart()
		began := time.Now()
		outcome, err = b.convert(resuming(outcome.Pending))
		b.wantSuccess(outcome, err)
		if took := time.Since(began); took < 90*time.Second {
			b.Errorf("requested another and was done after %s, want a window of 30 s before it", took)
		}
		b.wantRequests(2, 1)
	}, unconverted(oneMinute()))
}

// TestAcceptedWithoutASignIsASuccessWithAWarning if nothing was open: there may have been nothing to do.
func TestAcceptedWithoutASignIsASuccessWithAWarning(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Body: `{"status":"ok"}`})
		outcome, err := b.convert()
		if err != nil || outcome.Reason != conversion.NoSign || outcome.Pending != nil {
			b.Errorf("got %+v and error %v, want a success without a sign", outcome, err)
		}
		b.wantRequests(1, 0)
	}, mockserver.Chapter{Text: text, Converted: true})
}

// TestAnUndocumentedState may mean a running conversion. After an hour without a change, it counts as at rest.
func TestAnUndocumentedState(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		outcome, _ := b.convertInterrupted(2 * time.Second)
		cancelled := mockserver.Fault{
			Operation: mockserver.ListChapters, Times: -1,
			Body: `{"chapters":[{"chapter_id":"one","state":"cancelled","statistics":{"characters_converted":0,"characters_unconverted":9}}]}`,
		}
		b.service.Inject(cancelled)
		b.restart()
		outcome, err := b.convertWithin(61*time.Minute, resuming(outcome.Pending))
		if !errors.Is(err, context.DeadlineExceeded) || !outcome.Pending.Rests(outcome.Chapter) {
			b.Fatalf("got %+v and error %v, want a state of rest, after an hour", outcome, err)
		}
		time.Sleep(time.Minute)
		b.restart()
		predicted, err := b.engine.Predict(b.Context(), demand(resuming(outcome.Pending)))
		if err != nil || predicted.Decision.Step != conversion.Wait || predicted.Decision.Reason != conversion.Watching {
			b.Errorf("got %+v and error %v, want a window, after which it is requested again", predicted, err)
		}
		b.wantRequests(1, 1)
	}, unconverted(mockserver.Conversion{Lag: 3 * time.Hour}))
}
