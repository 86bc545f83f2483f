// Package pace holds back the requests of a process as far as the service's refusals ask for that. A refusal (429) says one of two things:
// so many requests in a time are enough ([Rate]), or so many conversions at a time ([Concurrency]). The service's document gives no limits
// (section 8), so both are open until the service has refused something, and learn from it. Nothing else in the provider waits because of
// a refusal, or counts refusals.
package pace

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// minRate is the lowest rate, in requests a second, and firstLimit the lowest after the first refusal.
	minRate, firstLimit rate.Limit = 0.2, 2
	// With each accepted request, the rate grows by searchFactor between the first refusal and the second, and by recoveryFactor
	// until it is nearly (nearShare) the one that was refused. Below the first limit, it doubles: after a spell of refusals, it may be very low.
	searchFactor, recoveryFactor, doublingFactor, nearShare = 1.25, 1.5, 2, 0.97
	// probingTime is after how long the rate has grown beyond that by the share probeShare, or by minProbe requests a second. It grows with the
	// cube of the time: most of the time passes near a rate that is known to be accepted, and yet a spell of refusals is soon made up for.
	probingTime          = 30 * time.Second
	probeShare, minProbe = 0.03, 0.15
	// fewAccepted is with how few accepted requests since the first refusal a second one says only that the service is busy.
	fewAccepted = 4
	// overshoot is how much more than in all of the time between two refusals is accepted near its end.
	overshoot = 1.1
	// longestPause is the longest pause that a request without a deadline waits for.
	longestPause = time.Minute
)

// Rate limits how many requests a process sends in a second. It is open until the service refuses one. Then it halves the rate, recovers
// while requests are accepted to nearly the rate that was refused, and probes for more, first slowly and then ever faster. Where the service
// says how long to pause (Retry-After), nothing is sent until then. It is safe for concurrent use.
type Rate struct {
	next chan struct{} // taken by the request that is sent next; the others stand in line behind it

	mu            sync.Mutex
	limiter       *rate.Limiter // nil until the first refusal
	limit         rate.Limit    // the rate at which requests are refused, as far as is known; 0 after a single refusal
	halvedAt      time.Time     // when the rate was last halved
	accepted      int           // requests since then
	someUndelayed bool          // some of these did not wait, so that their number says nothing of the service's limit
	pausedUntil   time.Time     // until when the service asked for no request
	heldUntil     time.Time     // when the next request is sent that waits, or the latest that has waited was
	recentlySent  []time.Time   // when the requests of the last second were sent, since the latest pause
	refusal       error         // the latest
}

// NewRate returns a rate that is open.
func NewRate() *Rate { return &Rate{next: make(chan struct{}, 1)} }

// Permit is the right to send one request. Its holder tells it how the service has answered, if it has.
type Permit struct {
	rate   *Rate
	sent   time.Time
	limit  rate.Limit // the rate at which it was sent, after the one before; 0 if that was open
	waited bool
}

// PauseError means that the service's pause ends after the deadline of a request, or is longer than a minute and there is no deadline.
type PauseError struct{ Left time.Duration }

func (e *PauseError) Error() string {
	return fmt.Sprintf("the service accepts no requests for another %s", e.Left.Round(time.Second))
}

// ErrLate means that a request cannot be sent as early as its caller wants.
var ErrLate = errors.New("the service accepts this request only later")

// Wait returns when a request may be sent, in the order of the calls. The error is a [*PauseError], as soon as that is known; [ErrLate] if
// the request cannot be sent by notAfter, unless that is zero; or the context's.
func (r *Rate) Wait(ctx context.Context, notAfter time.Time) (Permit, error) {
	if err := r.checkPause(ctx, notAfter); err != nil {
		return Permit{}, err
	}
	var late <-chan time.Time
	if !notAfter.IsZero() {
		timer := time.NewTimer(time.Until(notAfter))
		defer timer.Stop()
		late = timer.C
	}
	select {
	case r.next <- struct{}{}:
		defer func() { <-r.next }()
	case <-late:
		return Permit{}, ErrLate
	case <-ctx.Done():
		return Permit{}, context.Cause(ctx)
	}
	for waited := false; ctx.Err() == nil; waited = true {
		if err := r.checkPause(ctx, notAfter); err != nil {
			return Permit{}, err
		}
		permit, wait := r.take(waited)
		if wait <= 0 {
			return permit, nil
		}
		if late != nil && time.Now().Add(wait).After(notAfter) {
			return Permit{}, ErrLate
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
	}
	return Permit{}, context.Cause(ctx)
}

// checkPause is the error for a request that cannot be sent in time, because of the service's pause. An error that names the pause helps more
// than one that names the deadline.
func (r *Rate) checkPause(ctx context.Context, notAfter time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	left := time.Until(r.pausedUntil)
	isLate := !notAfter.IsZero() && left > 0 && r.pausedUntil.After(notAfter)
	switch {
	case isLate:
		return ErrLate
	case !Fits(ctx, left):
		return &PauseError{left}
	default:
		return nil
	}
}

// Fits reports whether a pause ends before the deadline of a context, or is no longer than a minute if that has none.
func Fits(ctx context.Context, pause time.Duration) bool {
	deadline, isLimited := ctx.Deadline()
	if !isLimited {
		return pause <= longestPause
	}
	return pause <= 0 || time.Now().Add(pause).Before(deadline)
}

// take takes the right to send a request now, or returns how long to wait before the next try.
func (r *Rate) take(waited bool) (permit Permit, wait time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	permit = Permit{rate: r, sent: now, waited: waited}
	switch {
	case r.pausedUntil.After(now):
		r.heldUntil = r.pausedUntil
		r.recentlySent = nil // What was sent before a pause says nothing of the rate.
		return Permit{}, r.heldUntil.Sub(now)
	case r.limiter != nil:
		permit.limit = r.limiter.Limit()
		if waited && len(r.recentlySent) > 0 { // It may have grown meanwhile.
			permit.limit = min(permit.limit, rate.Every(now.Sub(r.recentlySent[len(r.recentlySent)-1])))
		}
		reserved := r.limiter.ReserveN(now, 1)
		wait = reserved.DelayFrom(now)
		if wait > 0 {
			reserved.CancelAt(now) // The rate may change meanwhile.
			r.heldUntil = now.Add(wait)
			return Permit{}, wait
		}
	}
	for len(r.recentlySent) > 0 && now.Sub(r.recentlySent[0]) > time.Second {
		r.recentlySent = r.recentlySent[1:]
	}
	r.recentlySent = append(r.recentlySent, now)
	r.someUndelayed = r.someUndelayed || !waited
	return permit, 0
}

// Accepted notes that the service has not refused the request because of the rate. The rate grows only where requests wait for it.
func (p Permit) Accepted() {
	r := p.rate
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.limiter == nil || !p.sent.After(r.halvedAt) {
		return
	}
	r.accepted++
	if !p.waited {
		return
	}
	factor, known := rate.Limit(searchFactor), nearShare*r.limit
	switch {
	case p.limit < firstLimit:
		factor = doublingFactor
	case known > 0:
		factor = recoveryFactor
	}
	grown := p.limit * factor
	switch {
	case known == 0:
	case r.limiter.Limit() < known: // Not p.limit: timers fire late, so that requests are always a little slower than the limiter.
		grown = min(grown, known)
	default:
		probed := time.Since(r.halvedAt).Seconds() / probingTime.Seconds()
		grown = known + max(probeShare*known, minProbe)*rate.Limit(probed*probed*probed)
	}
	r.limiter.SetLimit(max(grown, r.limiter.Limit()))
}

// Refused notes that the service has refused the request because of the rate, with this error, and for how long it asks for no requests; 0
// if it does not say. Several requests that were under way together are one reason to slow down.
func (p Permit) Refused(refusal error, pause time.Duration) {
	r := p.rate
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	r.refusal = refusal
	if pause > 0 && now.Add(pause).After(r.pausedUntil) {
		r.pausedUntil = now.Add(pause)
	}
	switch {
	case r.limiter == nil:
		r.limiter = rate.NewLimiter(max(firstLimit, rate.Limit(len(r.recentlySent))/2), 1)
		r.limiter.AllowN(now, 1) // A limiter that is full would let the next one through at once.
	case !p.sent.After(r.halvedAt):
		return
	default:
		r.learn(p, now)
		r.limiter.SetLimitAt(now, max(minRate, p.limit/2))
	}
	r.halvedAt, r.accepted, r.someUndelayed = now, 0, false
}

// learn guesses at which rate the service refuses requests, by that of the refused one, and by what it has accepted since the latest refusal.
func (r *Rate) learn(p Permit, now time.Time) {
	isFirst, isSlow := r.limit == 0, p.limit <= doublingFactor*firstLimit
	switch {
	case r.someUndelayed, !p.waited: // It was not sent at the greatest rate.
	case r.accepted == 0, isFirst && !isSlow && r.accepted < fewAccepted: // It is busy, whatever the rate.
	case isFirst && isSlow:
		r.limit = p.limit / doublingFactor / nearShare
	case isFirst:
		r.limit = p.limit / searchFactor / nearShare
	default:
		r.limit = min(p.limit, overshoot*rate.Limit(float64(r.accepted)/now.Sub(r.halvedAt).Seconds()))
	}
}

// Interval is the time between two requests; 0 while the rate is open.
func (r *Rate) Interval() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.limiter == nil {
		return 0
	}
	return time.Duration(float64(time.Second) / float64(r.limiter.Limit()))
}

// Held is when the next request is sent, if requests wait now, and the refusal because of which they do; nil if none waits.
func (r *Rate) Held() (until time.Time, refusal error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.heldUntil.After(time.Now()) {
		return time.Time{}, nil
	}
	return r.heldUntil, r.refusal
}
