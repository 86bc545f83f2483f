package conversion_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// A request for a conversion is sent again later if the service has not begun it. Meanwhile
// somebody else may have requested one.

// limit makes the service refuse the next request for a conversion with 429, or all of them, and ask for such a pause.
func (b *bubble) limit(pause time.Duration, times int) {
	limited := mockserver.RateLimited(pause)
	limited.Operation, limited.Times = mockserver.ConvertChapter, times
	b.service.Inject(limited)
}

func TestAPostponedConversionJoinsWhatHasBegunMeanwhile(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.limit(40*time.Second, 1)
		time.AfterFunc(30*time.Second, func() { b.service.Convert(project, chapter) })
		outcome, err := b.convert()
		b.wantSuccess(outcome, err)
		if !outcome.Joined || outcome.Requested || outcome.Postponed != nil {
			b.Errorf("got %+v, want it joined", outcome)
		}
		b.wantRequests(1, 0)
	}, unconverted(oneMinute()))
}

func TestAPostponedRequestIsNotSentIfSomebodyElseConverts(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		// The running conversion is joined. Text was edited after it began, so another one is needed, but the service answers 429.
		b.service.Convert(project, chapter)
		time.Sleep(20 * time.Second)
		b.service.EditChapter(project, chapter, longer)
		b.limit(10*time.Minute, 1)
		time.AfterFunc(5*time.Minute, func() { b.service.Convert(project, chapter) })
		b.wantSuccess(b.convert())
		b.wantRequests(1, 0)
	}, unconverted(oneMinute()))
}

// A service that has never answered this process probably has another address, and is not waited for.
func TestAConversionThatWasNeverSentIsRequestedWhenItCanBe(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reached        bool
		outage, within time.Duration
		sent           int
	}{{true, 20 * time.Second, 2 * time.Minute, 1}, {true, 10 * time.Minute, 90 * time.Second, 0}, {false, 10 * time.Minute, 10 * time.Second, 0}} {
		inBubble(t, func(b *bubble) {
			if test.reached {
				b.reach()
			}
			b.network.Down(true)
			time.AfterFunc(test.outage, func() { b.network.Down(false) })
			outcome, err := b.convert()
			if outcome.Waited > test.within {
				b.Errorf("%+v: waited %s", test, outcome.Waited)
			}
			b.wantRequests(test.sent, test.sent)
			if test.sent > 0 {
				b.wantSuccess(outcome, err)
			} else if !errors.Is(err, audioprojects.NotSent) || !errors.Is(err, syscall.ECONNREFUSED) || outcome.Pending != nil {
				b.Errorf("%+v: got %+v and error %v, want connection refused", test, outcome, err)
			}
		}, unconverted(oneMinute()))
	}
}

// Lists come by one connection, and no other can be made. The next one would meet the same certificate: for a list, and for the
// request itself.
func TestAConversionThatCannotBeSentIsGivenUp(t *testing.T) {
	t.Parallel()
	distrust := &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}
	for _, test := range []struct {
		failure     error
		listed      bool
		least, most time.Duration
	}{{syscall.ECONNREFUSED, true, 10 * time.Minute, 11 * time.Minute}, {distrust, true, 0, 10 * time.Second}, {distrust, false, time.Minute, 70 * time.Second}} {
		inBubble(t, func(b *bubble) {
			connections := 0
			b.restartWith(func(ctx context.Context, network, address string) (net.Conn, error) {
				if connections++; connections > 1 {
					return nil, test.failure
				}
				return b.network.DialContext(ctx, network, address)
			})
			b.reach()
			if !test.listed {
				b.network.Down(true) // It closes the connection that the list came by.
				time.Sleep(time.Minute)
			}
			began := time.Now()
			outcome, err := b.convert()
			if !errors.Is(err, audioprojects.NotSent) || !errors.Is(err, test.failure) || outcome.Pending != nil {
				b.Errorf("got %+v and error %v, want %v", outcome, err, test.failure)
			}
			if waited := time.Since(began); waited < test.least || waited > test.most {
				b.Errorf("%+v: waited %s", test, waited)
			}
		}, unconverted(oneMinute()))
	}
}

func TestAConversionThatIsRefusedForTooLong(t *testing.T) {
	t.Parallel()
	for pause, want := range map[time.Duration]time.Duration{
		0:                10 * time.Minute,
		90 * time.Second: 10 * time.Minute,
		30 * time.Minute: 30 * time.Minute,
		2 * time.Hour:    0, // It would end after the deadline.
	} {
		inBubble(t, func(b *bubble) {
			b.limit(pause, -1)
			outcome, err := b.convert()
			if !errors.Is(err, audioprojects.RateLimited) || outcome.Pending != nil {
				b.Errorf("Retry-After %s: got %+v and error %v, want the refusal", pause, outcome, err)
			}
			if late := outcome.Waited - want; late < 0 || late > 2*time.Minute {
				b.Errorf("Retry-After %s: gave up after %s, want %s", pause, outcome.Waited, want)
			}
		}, unconverted(oneMinute()))
	}
}

func TestAPostponedConversionSaysWhyAndCanBeInterrupted(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.limit(5*time.Minute, 1)
		said := false
		outcome, err := b.convertWithin(6*time.Minute, func(r *conversion.Demand) {
			r.Progress = func(p conversion.Outcome) { said = said || errors.Is(p.Problem, audioprojects.RateLimited) }
		})
		if !said || !errors.Is(err, context.DeadlineExceeded) || outcome.Postponed != nil {
			b.Errorf("got %+v and error %v, want the reason, and none after the conversion was requested", outcome, err)
		}

		time.Sleep(time.Hour)
		b.restart()
		b.limit(5*time.Minute, 1)
		outcome, err = b.convertInterrupted(30 * time.Second)
		if !errors.Is(outcome.Postponed, audioprojects.RateLimited) {
			b.Errorf("got %+v, want why nothing was requested", outcome)
		}
		if !errors.Is(err, context.Canceled) || outcome.Pending != nil || outcome.Waited != 30*time.Second {
			b.Errorf("got %+v and error %v, want it interrupted at once and nothing pending", outcome, err)
		}
		b.wantRequests(3, 1)
	}, unconverted(mockserver.Conversion{Takes: 2 * time.Minute}))
}
