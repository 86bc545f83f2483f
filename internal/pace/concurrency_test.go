package pace_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/pace"
)

var errFull = errors.New("429")

// enter takes a place within a time; nil if there is none.
func enter(t *testing.T, limit *pace.Concurrency, within time.Duration) *pace.Place {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	place, err := limit.Enter(ctx, func(error) {})
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	return place
}

// run requests a conversion that the service accepts.
func run(t *testing.T, limit *pace.Concurrency) *pace.Place {
	t.Helper()
	place := enter(t, limit, time.Minute)
	if place == nil {
		t.Fatal("there is no place")
	}
	place.Sent()
	place.Accepted()
	return place
}

// refuse requests a conversion that the service refuses.
func refuse(t *testing.T, limit *pace.Concurrency) {
	t.Helper()
	place := enter(t, limit, time.Minute)
	if place == nil {
		t.Fatal("there is no place")
	}
	place.Sent()
	place.Refused(errFull)
}

// TestConcurrency_waitsForAnEnd after a refusal, and tries one more after some ends: first after four, then ever more rarely, and never
// more rarely than after thirty-two.
func TestConcurrency_waitsForAnEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limit := pace.NewConcurrency()
		running := []*pace.Place{run(t, limit), run(t, limit)}
		refuse(t, limit)
		for _, want := range []int{4, 8, 16, 32, 32, 32} {
			ends := 0
			for {
				place := enter(t, limit, time.Hour)
				if place != nil {
					place.Sent()
					place.Refused(errFull)
					break
				}
				running[0].Leave()
				ends++
				running = append(running[1:], run(t, limit))
			}
			if ends != want {
				t.Errorf("one more was tried after %d ends, want %d", ends, want)
			}
		}
		if limit.Running() != 2 {
			t.Errorf("got %d that run, want 2", limit.Running())
		}
	})
}

// TestConcurrency_placeThatIsNotUsed is given back at once, and does not hold up the others.
func TestConcurrency_placeThatIsNotUsed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limit := pace.NewConcurrency()
		first := enter(t, limit, time.Millisecond)
		if enter(t, limit, 900*time.Millisecond) != nil {
			t.Error("before the first answer, a second request has a place at once")
		}
		first.Leave()
		first.Leave()
		second := enter(t, limit, time.Millisecond)
		if second == nil {
			t.Fatal("there is no place after the first was given back")
		}
		second.Sent()
		third := enter(t, limit, 2*time.Second)
		if third == nil {
			t.Error("a service that answers slowly gets one request at a time")
		}
		var none *pace.Place
		none.Leave()
	})
}

// TestConcurrency_others: others use all of what the service runs, and no end of ours can be waited for. It is tried again more and more
// slowly, and told why.
func TestConcurrency_others(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limit := pace.NewConcurrency()
		for _, want := range []time.Duration{0, 1, 2, 4, 8, 16, 16} {
			began, why := time.Now(), error(nil)
			place, err := limit.Enter(t.Context(), func(refusal error) { why = refusal })
			if err != nil {
				t.Fatal(err)
			}
			waited := time.Since(began)
			if waited != want*time.Second || want > 0 && !errors.Is(why, errFull) {
				t.Errorf("waited %s because of %v, want %s", waited, why, want*time.Second)
			}
			place.Sent()
			place.Refused(errFull)
		}
	})
}

// TestConcurrency_waitIsExplained to who began to wait before the service refused one: no reason was known then.
func TestConcurrency_waitIsExplained(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limit := pace.NewConcurrency()
		run(t, limit)
		first, second := enter(t, limit, time.Minute), enter(t, limit, time.Minute)
		first.Sent()
		second.Sent()
		var told []error
		ctx, stop := context.WithCancel(t.Context())
		go func() {
			_, _ = limit.Enter(ctx, func(refusal error) { told = append(told, refusal) })
		}()
		synctest.Wait()
		first.Accepted()
		second.Refused(errFull)
		synctest.Wait()
		stop()
		synctest.Wait()
		if len(told) == 0 || !errors.Is(told[len(told)-1], errFull) {
			t.Errorf("told %v, want the refusal at last", told)
		}
	})
}

// TestConcurrency_refusalBeforeAcceptances: the answers to requests that were sent together come in any order. A refusal that is noted
// first is not followed by another request for one more.
func TestConcurrency_refusalBeforeAcceptances(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limit := pace.NewConcurrency()
		running := []*pace.Place{run(t, limit), run(t, limit)}
		refuse(t, limit)
		for range 2 { // Four ends.
			running[0].Leave()
			running[1].Leave()
			running = []*pace.Place{run(t, limit), run(t, limit)}
		}
		running[0].Leave()
		running[1].Leave()
		first, second, third := enter(t, limit, time.Minute), enter(t, limit, time.Minute), enter(t, limit, time.Minute)
		for _, place := range []*pace.Place{first, second, third} {
			place.Sent()
		}
		third.Refused(errFull)
		first.Accepted()
		second.Accepted()
		if enter(t, limit, time.Minute) != nil {
			t.Error("one more is tried at once after a refusal")
		}
	})
}
