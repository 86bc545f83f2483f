package conversion_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// The ways in which the request for a conversion can lose its answer.
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
				}, takes(mockserver.Conversion{Lag: lag, Takes: time.Minute}))
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
				if outcome.Ticket == nil || outcome.Ticket.Confirmed {
					b.Fatalf("got ticket %+v, want one that is not confirmed", outcome.Ticket)
				}
				b.wantRequests(1, 0)

				// There is still no sign of it, so the next apply asks again.
				b.restart()
				b.wantSuccess(b.convert(resuming(outcome.Ticket)))
				b.wantRequests(2, 1)
			}, takes(aMinute()))
		})
	}
}

func TestResumeFindsALateConversionBeforeItAsksAgain(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Process: true, Reset: true})
		outcome, err := b.convertInterrupted(2 * time.Second)
		if !errors.Is(err, context.Canceled) || outcome.Ticket == nil || outcome.Ticket.Confirmed {
			b.Fatalf("got %+v and error %v, want an unconfirmed ticket", outcome, err)
		}
		b.restart()
		b.wantSuccess(b.convert(resuming(outcome.Ticket)))
		b.wantRequests(1, 1)
	}, takes(mockserver.Conversion{Lag: 20 * time.Second, Takes: time.Minute}))
}

func TestResumeAsksForNothingWhatEndedWell(t *testing.T) {
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
					if err == nil || outcome.Ticket == nil || !outcome.Ticket.Confirmed || !outcome.Ticket.SeenConverting {
						b.Fatalf("got %+v and error %v, want a confirmed ticket", outcome, err)
					}
					time.Sleep(pause)
					b.restart()
					b.wantSuccess(b.convert(resuming(outcome.Ticket)))
					b.wantRequests(1, 1)
				}, takes(aMinute()))
			})
		}
	}
}

func TestResumeConvertsAnewWhatFailedMeanwhile(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		outcome, _ := b.convertInterrupted(30 * time.Second)
		time.Sleep(time.Hour)
		b.restart()
		b.wantSuccess(b.convert(resuming(outcome.Ticket)))
		b.wantRequests(2, 2)
	}, takes(mockserver.Conversion{Takes: time.Minute, Fails: "out of breath"}, aMinute()))
}

func TestResumeReportsWhatFailsWhileItWaits(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		outcome, _ := b.convertInterrupted(30 * time.Second)
		b.restart()
		outcome, err := b.convert(resuming(outcome.Ticket))
		wantFailure(b, err, "out of breath")
		b.wantRequests(1, 1)

		b.wantSuccess(b.convert(resuming(outcome.Ticket)))
		b.wantRequests(2, 2)
	}, takes(mockserver.Conversion{Takes: time.Minute, Fails: "out of breath"}, aMinute()))
}

func TestResumeWithNewTriggers(t *testing.T) {
	t.Parallel()
	t.Run("joins what is still running", func(t *testing.T) {
		t.Parallel()
		inBubble(t, func(b *bubble) {
			outcome, _ := b.convertInterrupted(30 * time.Second)
			b.restart()
			b.wantSuccess(b.convert(resuming(outcome.Ticket), again))
			b.wantRequests(1, 1)
		}, takes(aMinute()))
	})
	t.Run("follows what is still running, if there was an edit", func(t *testing.T) {
		t.Parallel()
		inBubble(t, func(b *bubble) {
			outcome, _ := b.convertInterrupted(30 * time.Second)
			b.service.EditChapter(project, chapter, longer)
			b.restart()
			b.wantSuccess(b.convert(resuming(outcome.Ticket), again))
			b.wantRequests(2, 2)
		}, takes(aMinute()))
	})
	t.Run("converts again what has ended", func(t *testing.T) {
		t.Parallel()
		inBubble(t, func(b *bubble) {
			outcome, _ := b.convertInterrupted(30 * time.Second)
			time.Sleep(time.Hour)
			b.restart()
			b.wantSuccess(b.convert(resuming(outcome.Ticket), again))
			b.wantRequests(2, 2)
		}, takes(aMinute()))
	})
}

func TestHandOverLeavesATicketToTheNextCreation(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		outcome, _ := b.convertWithin(30 * time.Second)
		time.Sleep(time.Hour)
		b.restart()
		b.engine.HandOver(project, chapter, *outcome.Ticket)
		b.wantSuccess(b.convert())
		b.wantRequests(1, 1)

		// It is left once: the wish after that is a new one.
		b.wantSuccess(b.convert())
		b.wantRequests(2, 2)
	}, takes(aMinute()))
}

func TestAHandedOverTicketSurvivesAServiceThatIsDown(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		outcome, _ := b.convertWithin(30 * time.Second)
		b.restart()
		b.engine.HandOver(project, chapter, *outcome.Ticket)
		b.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Times: 5, Status: 503})
		outcome, err := b.convert()
		if err == nil || outcome.Ticket == nil {
			b.Fatalf("got %+v and error %v, want the ticket back", outcome, err)
		}
		b.wantSuccess(b.convert(resuming(outcome.Ticket)))
		b.wantRequests(1, 1)
	}, takes(aMinute()))
}

func TestSettle(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		outcome, _ := b.convertInterrupted(30 * time.Second)
		if conversion.Settle(*outcome.Ticket, outcome.Chapter) == nil {
			b.Error("a running conversion was settled")
		}
		time.Sleep(time.Hour)
		ended, err := b.engine.Chapter(b.Context(), project, chapter)
		if err != nil {
			b.Fatal(err)
		}
		if left := conversion.Settle(*outcome.Ticket, ended); left != nil {
			b.Errorf("a conversion that ended well left %+v", left)
		}
	}, takes(aMinute()))
}

func TestAcceptedWithoutASignIsASuccessInDoubt(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Body: `{"status":"ok"}`})
		outcome, err := b.convert()
		if err != nil || outcome.Doubt == "" || outcome.Ticket != nil {
			b.Errorf("got %+v and error %v, want a success in doubt", outcome, err)
		}
		b.wantRequests(1, 0)
	}, takes(aMinute()))
}

// TestResumeWithNewTriggersConvertsTheRest: the conversion that is taken up does not show yet, and began before the edit.
func TestResumeWithNewTriggersConvertsTheRest(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		edit string
		paid int
	}{
		"edited since":     {"A text of its own.", 2},
		"not edited since": {"", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(b *bubble) {
				outcome, err := b.convertInterrupted(2 * time.Second)
				if !errors.Is(err, context.Canceled) || outcome.Ticket == nil || outcome.Ticket.SeenConverting {
					b.Fatalf("got %+v and error %v, want a ticket of a conversion that was not seen", outcome, err)
				}
				if test.edit != "" {
					b.service.EditChapter(project, chapter, test.edit)
				}
				b.restart()
				b.wantSuccess(b.convert(resuming(outcome.Ticket), again))
				b.wantRequests(test.paid, test.paid)
			}, takes(mockserver.Conversion{Lag: 20 * time.Second, Takes: time.Minute}, aMinute()))
		})
	}
}
