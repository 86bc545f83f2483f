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

func TestAPostponedConversionJoinsWhatHasBegunMeanwhile(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		limited := mockserver.RateLimited(40 * time.Second)
		limited.Operation = mockserver.ConvertChapter
		b.service.Inject(limited)
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
		limited := mockserver.RateLimited(10 * time.Minute)
		limited.Operation = mockserver.ConvertChapter
		b.service.Inject(limited)
		time.AfterFunc(5*time.Minute, func() { b.service.Convert(project, chapter) })
		b.wantSuccess(b.convert())
		b.wantRequests(1, 0)
	}, unconverted(oneMinute()))
}

func TestAConversionThatWasNeverSentIsRequestedWhenItCanBe(t *testing.T) {
	t.Parallel()
	for outage, want := range map[time.Duration]bool{20 * time.Second: true, 10 * time.Minute: false} {
		inBubble(t, func(b *bubble) {
			if _, err := b.engine.Chapters(b.Context(), project); err != nil {
				b.Fatal(err)
			}
			b.network.Down(true)
			time.AfterFunc(outage, func() { b.network.Down(false) })
			began := time.Now()
			outcome, err := b.convert()
			if want {
				b.wantSuccess(outcome, err)
				b.wantRequests(1, 1)
				return
			}
			var refused *net.OpError
			if !errors.As(err, &refused) || !errors.Is(err, syscall.ECONNREFUSED) || outcome.Pending != nil {
				b.Errorf("got %+v and error %v, want connection refused", outcome, err)
			}
			if waited := time.Since(began); waited > 90*time.Second {
				b.Errorf("waited %s for a service that is down, want about a minute", waited)
			}
			b.wantRequests(0, 0)
		}, unconverted(oneMinute()))
	}
}

func TestAConversionThatCannotBeSentIsGivenUpThoughListsCome(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		connections := 0
		b.restartWith(func(ctx context.Context, network, address string) (net.Conn, error) {
			if connections++; connections > 1 {
				return nil, syscall.ECONNREFUSED
			}
			return b.network.DialContext(ctx, network, address)
		})
		outcome, err := b.convert()
		if !errors.Is(err, audioprojects.NotSent) || outcome.Pending != nil {
			b.Errorf("got %+v and error %v, want one of kind not sent", outcome, err)
		}
		if outcome.Waited < time.Minute || outcome.Waited > 90*time.Second {
			b.Errorf("waited %s, want a minute", outcome.Waited)
		}
	}, unconverted(oneMinute()))
}

// The next connection would meet the same certificate: for a list, and for the request itself.
func TestACertificateThatNobodyTrustsIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	distrust := &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}
	for _, listed := range []bool{false, true} {
		inBubble(t, func(b *bubble) {
			connections := 0
			b.restartWith(func(ctx context.Context, network, address string) (net.Conn, error) {
				if connections++; connections > 1 {
					return nil, distrust
				}
				return b.network.DialContext(ctx, network, address)
			})
			if _, err := b.engine.Chapters(b.Context(), project); err != nil {
				b.Fatal(err)
			}
			if !listed {
				b.network.Down(true) // It closes the connection that the list came by.
				time.Sleep(time.Minute)
			}
			began := time.Now()
			if _, err := b.convert(); !errors.Is(err, distrust) {
				b.Errorf("got error %v, want that of the certificate", err)
			}
			if waited := time.Since(began); waited > 10*time.Second {
				b.Errorf("listed %t: waited %s", listed, waited)
			}
		}, unconverted(oneMinute()))
	}
}

// A service that has never answered this process probably has another address.
func TestAServiceThatWasNeverReachedIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.network.Down(true)
		began := time.Now()
		if _, err := b.convert(); !errors.Is(err, audioprojects.NotSent) {
			b.Errorf("got error %v, want one of kind not sent", err)
		}
		if waited := time.Since(began); waited > 10*time.Second {
			b.Errorf("waited %s", waited)
		}
	}, unconverted(oneMinute()))
}

func TestAConversionThatIsRefusedForTooLong(t *testing.T) {
	t.Parallel()
	for retryAfter, want := range map[time.Duration]time.Duration{
		0:                10 * time.Minute,
		90 * time.Second: 10 * time.Minute,
		30 * time.Minute: 30 * time.Minute,
		2 * time.Hour:    0, // It would end after the deadline.
	} {
		inBubble(t, func(b *bubble) {
			limited := mockserver.RateLimited(retryAfter)
			limited.Operation, limited.Times = mockserver.ConvertChapter, -1
			b.service.Inject(limited)
			outcome, err := b.convert()
			if !errors.Is(err, audioprojects.RateLimited) || outcome.Pending != nil {
				b.Errorf("Retry-After %s: got %+v and error %v, want the refusal", retryAfter, outcome, err)
			}
			if late := outcome.Waited - want; late < 0 || late > 2*time.Minute {
				b.Errorf("Retry-After %s: gave up after %s, want %s", retryAfter, outcome.Waited, want)
			}
		}, unconverted(oneMinute()))
	}
}

func TestAPostponedConversionSaysWhy(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		limited := mockserver.RateLimited(5 * time.Minute)
		limited.Operation = mockserver.ConvertChapter
		b.service.Inject(limited)
		said := false
		outcome, err := b.convertWithin(6*time.Minute, func(r *conversion.Demand) {
			r.Progress = func(p conversion.Outcome) { said = said || errors.Is(p.Problem, audioprojects.RateLimited) }
		})
		if !said || !errors.Is(err, context.DeadlineExceeded) || outcome.Postponed != nil {
			b.Errorf("got %+v and error %v, want the reason, and none after the conversion was requested", outcome, err)
		}

		time.Sleep(time.Hour)
		b.restart()
		b.service.Inject(limited)
		outcome, err = b.convertInterrupted(time.Minute)
		if !errors.Is(outcome.Postponed, audioprojects.RateLimited) {
			b.Errorf("got %+v and error %v, want why nothing was requested", outcome, err)
		}
	}, unconverted(mockserver.Conversion{Takes: 2 * time.Minute}))
}

func TestAPostponedConversionCanBeInterrupted(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		limited := mockserver.RateLimited(10 * time.Minute)
		limited.Operation = mockserver.ConvertChapter
		b.service.Inject(limited)
		outcome, err := b.convertInterrupted(30 * time.Second)
		if !errors.Is(err, context.Canceled) || outcome.Pending != nil || outcome.Waited != 30*time.Second {
			b.Errorf("got %+v and error %v, want it interrupted at once and nothing pending", outcome, err)
		}
		b.wantRequests(1, 0)
	}, unconverted(oneMinute()))
}
