package pace_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/pace"
)

// gateway accepts requests at a rate, or refuses each so manieth one.
type gateway struct {
	perSecond float64
	burst     int
	refuses   int           // each such request; 0: none
	pause     time.Duration // that a refusal asks for
}

// TestRate_followsAGateway: so many requests, one after the other, take hardly longer than the gateway allows, with few refusals.
func TestRate_followsAGateway(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		gateway
		requests   int
		most       time.Duration
		mostRefuse int
	}{
		"five a second, one at once":                 {gateway{perSecond: 5, burst: 1, pause: time.Second}, 1000, 215 * time.Second, 10},
		"five a second, few requests":                {gateway{perSecond: 5, burst: 1, pause: time.Second}, 100, 24 * time.Second, 5},
		"five a second, one at once, names no pause": {gateway{perSecond: 5, burst: 1}, 1000, 215 * time.Second, 20},
		"five a second, five at once":                {gateway{perSecond: 5, burst: 5, pause: time.Second}, 1000, 205 * time.Second, 15},
		"one a second":                               {gateway{perSecond: 1, burst: 1, pause: time.Second}, 100, 135 * time.Second, 20},
		"fifty a second":                             {gateway{perSecond: 50, burst: 10, pause: time.Second}, 1000, 35 * time.Second, 10},
		"refuses each tenth, whatever the rate":      {gateway{refuses: 10}, 100, 8 * time.Second, 12},
		"refuses each tenth, and names a pause":      {gateway{refuses: 10, pause: time.Second}, 100, 45 * time.Second, 12},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				limiter, limit := rate.NewLimiter(rate.Limit(test.perSecond), test.burst), pace.NewRate()
				began, sent, refused := time.Now(), 0, 0
				for sent < test.requests+refused {
					permit, err := limit.Wait(t.Context(), time.Time{})
					if err != nil {
						t.Fatal(err)
					}
					sent++
					isRefused := test.perSecond > 0 && !limiter.Allow() || test.refuses > 0 && sent%test.refuses == 0
					if isRefused {
						refused++
						permit.Refused(errors.New("429"), test.pause)
					} else {
						permit.Accepted()
					}
				}
				took := time.Since(began)
				if took > test.most || refused > test.mostRefuse {
					t.Errorf("took %s with %d refusals, want %s and %d at most", took, refused, test.most, test.mostRefuse)
				}
			})
		})
	}
}

// limited is a rate that the service has refused at the beginning of the test, with a pause.
func limited(t *testing.T, pause time.Duration) *pace.Rate {
	t.Helper()
	limit := pace.NewRate()
	permit, err := limit.Wait(t.Context(), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	permit.Refused(errors.New("429"), pause)
	return limit
}

// TestRate_isOpenUntilARefusal, and nothing is held.
func TestRate_isOpenUntilARefusal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limit, began := pace.NewRate(), time.Now()
		for range 1000 {
			permit, err := limit.Wait(t.Context(), time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			permit.Accepted()
		}
		_, refusal := limit.Held()
		if time.Since(began) > 0 || limit.Interval() > 0 || refusal != nil {
			t.Errorf("took %s, then %s for each, held by %v", time.Since(began), limit.Interval(), refusal)
		}
	})
}

// TestRate_manyRefusalsAtOnce are one reason to slow down.
func TestRate_manyRefusalsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limit := pace.NewRate()
		var permits []pace.Permit
		for range 40 {
			permit, err := limit.Wait(t.Context(), time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			permits = append(permits, permit)
		}
		for _, permit := range permits {
			permit.Refused(errors.New("429"), 0)
		}
		if limit.Interval() != time.Second/20 {
			t.Errorf("got %s for each request, want half the rate of the last second", limit.Interval())
		}
	})
}

// TestRate_pause: whoever can waits for its end, and the others learn of it at once. Who waits knows why, and until when.
func TestRate_pause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limit, began := limited(t, 40*time.Second), time.Now()
		short, cancel := context.WithTimeout(t.Context(), 39*time.Second)
		defer cancel()
		_, err := limit.Wait(short, time.Time{})
		pause, isPause := errors.AsType[*pace.PauseError](err)
		if !isPause || pause.Left != 40*time.Second {
			t.Errorf("with a deadline before its end: got %v", err)
		}
		_, err = limit.Wait(t.Context(), began.Add(39*time.Second))
		if !errors.Is(err, pace.ErrLate) {
			t.Errorf("for a request that must be sent before its end: got %v", err)
		}
		time.AfterFunc(10*time.Second, func() {
			until, refusal := limit.Held()
			if refusal == nil || until.Sub(began) != 40*time.Second {
				t.Errorf("while one waits: held by %v until %s", refusal, until.Sub(began))
			}
		})
		_, err = limit.Wait(t.Context(), time.Time{})
		if err != nil || time.Since(began) != 40*time.Second {
			t.Errorf("got %v after %s, want a permit at its end", err, time.Since(began))
		}
		_, err = limited(t, 61*time.Second).Wait(t.Context(), time.Time{})
		if !errors.As(err, new(*pace.PauseError)) {
			t.Errorf("longer than a minute, without a deadline: got %v", err)
		}
	})
}

// TestRate_interruption ends a wait at once, in the line and at its head.
func TestRate_interruption(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limit, began := limited(t, 40*time.Second), time.Now()
		ctx, interrupt := context.WithCancel(t.Context())
		ended := make(chan error)
		for range 2 {
			go func() {
				_, err := limit.Wait(ctx, time.Time{})
				ended <- err
			}()
		}
		time.Sleep(time.Second)
		interrupt()
		for range 2 {
			err := <-ended
			if !errors.Is(err, context.Canceled) || time.Since(began) != time.Second {
				t.Errorf("got %v after %s", err, time.Since(began))
			}
		}
	})
}

// TestRate_timersFireLate: a real timer fires a little late, so that requests are a little slower than the rate. It grows nevertheless
// beyond the one that was refused.
func TestRate_timersFireLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const late = time.Millisecond
		limit := pace.NewRate()
		send := func() pace.Permit {
			time.Sleep(limit.Interval() + late)
			permit, isSent := limit.SendNow()
			if !isSent {
				t.Fatal("the request is not sent, although it has waited")
			}
			return permit
		}
		send().Refused(errFull, 0)
		for range 2 { // The limit is known after the second refusal.
			for range 8 {
				send().Accepted()
			}
			send().Refused(errFull, 0)
		}
		refused := limit.Interval() / 2
		for began := time.Now(); time.Since(began) < 2*time.Minute; {
			send().Accepted()
		}
		if limit.Interval() > refused/2 {
			t.Errorf("2 minutes later, there are still %s between two requests, want half of the %s that were refused", limit.Interval(), refused)
		}
	})
}
