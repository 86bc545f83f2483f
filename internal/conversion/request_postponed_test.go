package conversion_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// A request for a conversion is sent again later if the service has not begun it. Meanwhile
// somebody else may have requested one.

// limit makes the service refuse the next request for a conversion with 429, and ask for such a pause.
func (b *bubble) limit(pause time.Duration) {
	limited := mockserver.RateLimited(pause)
	limited.Operation = mockserver.ConvertChapter
	b.service.Inject(limited)
}

func TestPostponedRequest_somebodyElseConverts(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		// The running conversion is joined. Text was edited after it began, so another one is needed, but the service answers 429.
		b.service.Convert(project, chapter)
		time.Sleep(20 * time.Second)
		b.service.EditChapter(project, chapter, longer)
		b.limit(10 * time.Minute)
		time.AfterFunc(5*time.Minute, func() { b.service.Convert(project, chapter) })
		b.wantSuccess(b.convert())
		b.wantRequests(1, 0)
	}, unconverted(oneMinute()))
}

// Lists come by one connection, and no other can be made. The next one would meet the same certificate: for a list, and for the
// request itself.
func TestPostponedRequest_isGivenUp(t *testing.T) {
	t.Parallel()
	distrust := &tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}
	for _, test := range []struct {
		failure     error
		listed      bool
		least, most time.Duration
	}{{syscall.ECONNREFUSED, true, 10 * time.Minute, 11 * time.Minute}, {distrust, true, 0, 10 * time.Second}, {distrust, false, 0, 10 * time.Second}} {
		inBubble(t, func(b *bubble) {
			connections := 0
			b.restartWith(func(ctx context.Context, network, address string) (net.Conn, error) {
				connections++
				if connections > 1 {
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
			if !errors.Is(err, audioprojects.NotSent) || !errors.Is(err, test.failure) || outcome.Memory.Pending != nil {
				b.Errorf("got %+v and error %v, want %v", outcome, err, test.failure)
			}
			waited := time.Since(began)
			if waited < test.least || waited > test.most {
				b.Errorf("%+v: waited %s", test, waited)
			}
		}, unconverted(oneMinute()))
	}
}

func TestPostponedRequest_saysWhy(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.limit(5 * time.Minute)
		said := false
		outcome, err := b.convertWithin(6*time.Minute, func(r *conversion.Desired) {
			r.Progress = func(p conversion.Outcome) { said = said || errors.Is(p.Problem, audioprojects.RateLimited) }
		})
		if !said || !errors.Is(err, context.DeadlineExceeded) || outcome.Postponed != nil {
			b.Errorf("got %+v and error %v, want the reason, and none after the conversion was requested", outcome, err)
		}

		time.Sleep(time.Hour)
		b.restart()
		b.limit(5 * time.Minute)
		outcome, err = b.convertInterrupted(30 * time.Second)
		if !errors.Is(outcome.Postponed, audioprojects.RateLimited) {
			b.Errorf("got %+v, want why nothing was requested", outcome)
		}
		if !errors.Is(err, context.Canceled) || outcome.Memory.Pending != nil || b.took != 30*time.Second {
			b.Errorf("got %+v and error %v, want it interrupted at once and nothing pending", outcome, err)
		}
		b.wantRequests(3, 1)
	}, unconverted(mockserver.Conversion{Takes: 2 * time.Minute}))
}

// TestPostponedRequest_eachMayBe: the ten minutes for which a service may postpone a request are those of one conversion.
func TestPostponedRequest_eachMayBe(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		b.limit(5 * time.Second)
		time.AfterFunc(3*time.Second, func() { b.service.Convert(project, chapter) })
		time.AfterFunc(10*time.Second, func() { b.service.EditChapter(project, chapter, longer) })
		time.AfterFunc(time.Minute, func() { b.limit(5 * time.Second) })
		b.wantSuccess(b.convert())
		b.wantRequests(3, 1)
	}, unconverted(mockserver.Conversion{Takes: 20 * time.Minute}))
}

// TestWait_withoutLists: after two minutes of a conversion the service is gone, or its certificate is not trusted any
// more. The second ends in a minute, because another look would show the same; the first goes on for a minute after its
// timeout. What is pending is kept, and the outcome has since when no list came.
func TestWait_withoutLists(t *testing.T) {
	t.Parallel()
	expired := func() error {
		return &tls.CertificateVerificationError{Err: fmt.Errorf("certificate has expired: current time %s", time.Now())}
	}
	for _, test := range []struct {
		failure     func() error
		want        error
		least, most time.Duration
	}{
		{expired, audioprojects.NotSent, time.Minute, 90 * time.Second},
		{func() error { return syscall.ECONNREFUSED }, context.DeadlineExceeded, 19 * time.Minute, 19*time.Minute + 10*time.Second},
	} {
		inBubble(t, func(b *bubble) {
			var isGone atomic.Bool
			b.restartWith(func(ctx context.Context, network, address string) (net.Conn, error) {
				if isGone.Load() {
					return nil, test.failure()
				}
				return b.network.DialContext(ctx, network, address)
			})
			gone := time.Now().Add(2 * time.Minute)
			time.AfterFunc(2*time.Minute, func() {
				b.network.Down(true)
				isGone.Store(true)
			})
			outcome, err := b.convertWithin(20 * time.Minute)
			ended := time.Since(gone)
			if !errors.Is(err, test.want) || outcome.Memory.Pending == nil || ended < test.least || ended > test.most {
				b.Errorf("got %+v and error %v after %s, want %v", outcome, err, ended, test.want)
			}
			since := gone.Sub(outcome.ListedAt)
			if since < 0 || since > 20*time.Second {
				b.Errorf("no list since %s, want it since a look before %s", outcome.ListedAt, gone)
			}
		}, unconverted(mockserver.Conversion{Takes: time.Hour}))
	}
}

// TestPostponedRequest_isReceivedNevertheless: the service begins, and answers 429, with or without a pause. The next request would be for
// a second conversion, so it goes by a list from after that answer.
func TestPostponedRequest_isReceivedNevertheless(t *testing.T) {
	t.Parallel()
	for _, pause := range []time.Duration{0, time.Second} {
		inBubble(t, func(b *bubble) {
			refused := mockserver.RateLimited(pause)
			refused.Operation, refused.Process = mockserver.ConvertChapter, true
			b.service.Inject(refused)
			b.wantSuccess(b.convert())
			b.wantRequests(1, 1)
		}, unconverted(oneMinute()))
	}
}
