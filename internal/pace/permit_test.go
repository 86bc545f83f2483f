package pace_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/pace"
)

// world is a pace in fake time.
type world struct {
	*testing.T
	*pace.Pace
}

func inFakeTime(t *testing.T, test func(world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(world{t, pace.New()}) })
}

// take waits for a permit, and checks for how long.
func (w world) take(kind pace.Kind, want time.Duration) *pace.Permit {
	w.Helper()
	began := time.Now()
	permit, err := w.Wait(w.Context(), kind, false, silently)
	if took := time.Since(began); err != nil || took != want {
		w.Fatalf("waited %s, with error %v, want %s", took, err, want)
	}
	return permit
}

// takeWithin waits for a permit for so long; nil if there is none.
func (w world) takeWithin(most time.Duration) *pace.Permit {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), most)
	defer cancel()
	permit, err := w.Wait(ctx, pace.Conversion, false, silently)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		w.Fatal(err)
	}
	return permit
}

// open lets so many conversions begin.
func (w world) open(count int) (running []*pace.Permit) {
	for range count {
		permit := w.take(pace.Conversion, 0)
		permit.Accepted()
		running = append(running, permit)
	}
	return running
}

// TestPace_noBurstWhileAnAnswerIsOut: a service that runs one conversion at a time answers its request only after ten
// seconds, and refuses all others meanwhile. Without a pause, that was a request each millisecond.
func TestPace_noBurstWhileAnAnswerIsOut(t *testing.T) {
	t.Parallel()
	for _, byNumber := range []bool{false, true} {
		inFakeTime(t, func(w world) {
			for _, ended := range w.open(2) {
				ended.Leave()
			}
			slow, sent := w.take(pace.Conversion, 0), 0
			for began := time.Now(); time.Since(began) < 10*time.Second; {
				permit := w.takeWithin(time.Until(began.Add(10 * time.Second)))
				if permit == nil {
					break
				}
				sent++
				permit.Refused(errBusy, 0, byNumber)
			}
			if sent > 8 {
				t.Errorf("by number: %t: %d requests in ten seconds", byNumber, sent)
			}
			slow.Accepted()
		})
	}
}

// TestPace_otherRequests pass freely, and count for nothing: one that is accepted opens no gate of conversions.
func TestPace_otherRequests(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(w world) {
		for range 3 {
			w.take(pace.Conversion, 0).Refused(errBusy, 0, false)
		}
		for range 20 {
			w.take(pace.Other, 0).Accepted()
		}
		w.take(pace.Conversion, time.Second).Refused(errBusy, 0, false)
		w.take(pace.Other, 0).Accepted()
		w.take(pace.Conversion, 2*time.Second).Accepted()
		w.take(pace.Other, 0).Accepted()
	})
}

// TestPace_otherRequestRefused: that closes everything, one request at a time, until anything is accepted. From then
// on, all keep to a rate.
func TestPace_otherRequestRefused(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(w world) {
		w.take(pace.Other, 0).Refused(errBusy, 0, false)
		w.take(pace.Conversion, time.Second).Return()
		w.take(pace.Other, 0).Refused(errBusy, 0, false)
		unused := w.take(pace.Conversion, 2*time.Second)
		w.take(pace.Other, 0).Refused(errBusy, 0, false)
		unused.Return()
		w.take(pace.Other, 4*time.Second).Accepted()
		began := time.Now()
		for range 20 {
			permit, err := w.Wait(w.Context(), pace.Other, false, silently)
			if err != nil {
				t.Fatal(err)
			}
			permit.Accepted()
		}
		if took := time.Since(began); took < 2*time.Second || took > 8*time.Second {
			t.Errorf("twenty took %s, want them at a rate that grows from 2.5 a second", took)
		}
	})
}

// TestPermit_ready: a gateway that lets no two requests through at once accepts the list that a request needs, and
// would refuse the request again and again if that came at once. While all is open, and where lists are never refused,
// it comes at once. Permits that have waited for the same list are used one after the other.
func TestPermit_ready(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(w world) {
		waits := func(what string, permit *pace.Permit, want time.Duration) {
			t.Helper()
			list, began := time.Now(), time.Now()
			for wait := permit.Ready(list); wait > 0; wait = permit.Ready(list) {
				time.Sleep(wait)
			}
			if wait := time.Since(began).Round(time.Millisecond); wait != want {
				t.Errorf("%s: it waits %s, want %s", what, wait, want)
			}
		}
		permit := w.take(pace.Conversion, 0)
		waits("open", permit, 0)
		permit.Refused(errBusy, 0, false)
		for range 2 {
			w.take(pace.Conversion, 0).Refused(errBusy, 0, false)
		}
		permit = w.take(pace.Conversion, time.Second)
		waits("closed", permit, 200*time.Millisecond)
		permit.Accepted()
		var held []*pace.Permit
		for range 3 {
			held = append(held, w.take(pace.Conversion, 200*time.Millisecond))
		}
		for i, permit := range held {
			waits("at a rate", permit, time.Duration(min(i, 1))*200*time.Millisecond)
		}
		time.Sleep(time.Second)
		for _, permit := range held {
			permit.Accepted()
		}
		w.take(pace.Other, 0).Refused(errBusy, 0, false)
		w.take(pace.Other, time.Second).Accepted()
		permit = w.takeWithin(time.Second)
		if wait := permit.Ready(time.Now()); wait < 150*time.Millisecond {
			t.Errorf("at a rate, where lists are refused: it waits %s", wait)
		}
	})
}

// TestPermit_changedRate: two hundred permits from before the service refused anything, all waiting for one list, are not
// used after that, whether the service has said a number before or not.
func TestPermit_changedRate(t *testing.T) {
	t.Parallel()
	for _, isNumbered := range []bool{false, true} {
		inFakeTime(t, func(w world) {
			running, want := w.open(200), 3
			if isNumbered {
				w.take(pace.Conversion, 0).Refused(errBusy, 0, true)
				want = 2 // more in a row
			}
			for _, ended := range running {
				ended.Leave()
			}
			var held []*pace.Permit
			for range 200 {
				held = append(held, w.take(pace.Conversion, 0))
			}
			unused := w.take(pace.Conversion, 0)
			time.Sleep(50 * time.Millisecond)
			list, ready := time.Now(), 0
			for _, permit := range held {
				for wait := permit.Ready(list); wait > 0; wait = permit.Ready(list) {
					time.Sleep(wait)
				}
				if !permit.IsUsed() {
					ready++
					permit.Refused(errBusy, 0, false)
				}
			}
			if ready != want {
				t.Errorf("%d requests were sent, want %d, after which all is closed", ready, want)
			}
			unused.Return()
			w.take(pace.Conversion, time.Second)
		})
	}
}

// TestPace_listOfConversion: while everything is closed, a conversion that needs a list leaves the turn to that list,
// however many stand in line.
func TestPace_listOfConversion(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(w world) {
		for _, wait := range []time.Duration{0, 1, 2, 4, 8} {
			w.take(pace.Other, wait*time.Second).Refused(errBusy, 0, false)
		}
		began := time.Now()
		lists := make(chan time.Duration, 50)
		for range cap(lists) {
			go func() {
				permit, conversionErr := w.Wait(w.Context(), pace.Conversion, false, silently)
				list, listErr := w.Wait(w.Context(), pace.Other, false, silently)
				if err := errors.Join(conversionErr, listErr); err != nil {
					t.Error(err)
				}
				lists <- time.Since(began)
				list.Accepted()
				permit.Accepted()
			}()
		}
		for i := range cap(lists) {
			if at := <-lists; i == 0 && at != 16*time.Second {
				t.Errorf("the first list was requested after %s", at)
			}
		}
	})
}

// TestPace_retryAfter holds what it was said about: that of a conversion all conversions, that of a list everything.
// Who cannot wait for its end learns of it at once, also if it waits already.
func TestPace_retryAfter(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(w world) {
		w.take(pace.Conversion, 0).Refused(errBusy, 40*time.Second, false)
		w.take(pace.Other, 0).Accepted()
		until, refusal := w.Held()
		if refusal != nil {
			t.Errorf("nothing waits, and it is held until %s", until)
		}
		time.AfterFunc(time.Second, func() {
			until, refusal := w.Held()
			if !errors.Is(refusal, errBusy) || time.Until(until) != 39*time.Second {
				t.Errorf("held for %s because of %v", time.Until(until), refusal)
			}
		})
		waits := make(chan error)
		go func() {
			_, err := w.Wait(w.Context(), pace.Conversion, false, silently)
			waits <- err
		}()
		time.Sleep(2 * time.Second)
		began := time.Now()
		w.take(pace.Other, 0).Refused(errBusy, time.Hour, false)
		for kind, wait := range map[pace.Kind]func() error{
			pace.Conversion: func() error { return <-waits },
			pace.Other: func() error {
				ctx, cancel := context.WithTimeout(w.Context(), 59*time.Minute)
				defer cancel()
				_, err := w.Wait(ctx, pace.Other, false, silently)
				return err
			},
		} {
			paused, isPaused := errors.AsType[*pace.PauseError](wait())
			if !isPaused || paused.Left != time.Hour || time.Since(began) > 0 {
				t.Errorf("%d: got %v after %s", kind, paused, time.Since(began))
			}
		}
		ctx, cancel := context.WithTimeout(w.Context(), 61*time.Minute)
		defer cancel()
		_, err := w.Wait(ctx, pace.Other, false, silently)
		if err != nil || time.Since(began) != time.Hour {
			t.Errorf("got %v after %s, want a permit at the end of the pause", err, time.Since(began))
		}
	})
}

// TestPace_returned: fifty chapters that turn out to need nothing do not take 16 s each while the gate is closed.
func TestPace_returned(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(w world) {
		for _, wait := range []time.Duration{0, 0, 0, 1, 2, 4, 8} {
			w.take(pace.Conversion, wait*time.Second).Refused(errBusy, 0, false)
		}
		began := time.Now()
		w.take(pace.Conversion, 16*time.Second).Return()
		for range 50 {
			w.take(pace.Conversion, 0).Return()
		}
		w.take(pace.Conversion, 0).Refused(errBusy, 0, false)
		if time.Since(began) != 16*time.Second {
			t.Errorf("took %s", time.Since(began))
		}
		w.take(pace.Conversion, 16*time.Second).Return()
	})
}

// TestPace_line: what was refused comes before what was not asked yet, in the order of the calls, and who is interrupted leaves the line.
func TestPace_line(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(w world) {
		w.take(pace.Conversion, 0).Refused(errBusy, time.Minute, false)
		var order []string
		var reasons []error
		var mu sync.Mutex
		interrupted, interrupt := context.WithCancel(w.Context())
		for i, name := range []string{"first", "interrupted", "second", "refused", "refused, too"} {
			ctx := w.Context()
			if name == "interrupted" {
				ctx = interrupted
			}
			go func() {
				permit, err := w.Wait(ctx, pace.Conversion, i > 2, func(refusal error) {
					mu.Lock()
					defer mu.Unlock()
					reasons = append(reasons, refusal)
				})
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					order = append(order, name)
					permit.Accepted()
				}
			}()
			synctest.Wait()
		}
		interrupt()
		time.Sleep(2 * time.Minute)
		mu.Lock()
		defer mu.Unlock()
		if !slices.Equal(order, []string{"refused", "refused, too", "first", "second"}) || len(reasons) != 5 || !errors.Is(reasons[0], errBusy) {
			t.Errorf("got %q, with the reasons %v", order, reasons)
		}
	})
}

// TestPace_calm: what comes more slowly than the rate lets it come does not make the rate grow, because it does not
// show that more would be accepted. Nor does it grow without end.
func TestPace_calm(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(w world) {
		for range 3 {
			w.take(pace.Conversion, 0).Refused(errBusy, 0, false)
		}
		w.take(pace.Conversion, time.Second).Accepted()
		for range 1000 {
			time.Sleep(time.Second)
			w.take(pace.Conversion, 0).Accepted()
		}
		if w.Rate() > 5 {
			t.Errorf("the rate is %.1f", w.Rate())
		}
		for range 1000 {
			w.takeWithin(time.Second).Accepted()
		}
		if w.Rate() > 50 {
			t.Errorf("the rate is %.1f", w.Rate())
		}
	})
}

// TestPace_stuck: after ten minutes in which all conversions are refused and none of ours runs, none waits any more,
// and the next one is still requested at its turn. The time in which nothing is wanted does not count.
func TestPace_stuck(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(w world) {
		w.open(1)[0].Leave()
		time.Sleep(time.Hour)
		began := time.Now()
		var given []time.Duration
		var mu sync.Mutex
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				for again := false; !w.IsStuck(); again = true {
					permit, err := w.Wait(w.Context(), pace.Conversion, again, silently)
					if err != nil {
						break
					}
					permit.Refused(errBusy, 0, false)
					time.Sleep(time.Second)
				}
				mu.Lock()
				defer mu.Unlock()
				given = append(given, time.Since(began))
			})
		}
		all.Wait()
		if slices.Max(given) > 11*time.Minute || slices.Min(given) < 10*time.Minute {
			t.Errorf("they were given up after %s", given)
		}
		time.Sleep(16 * time.Second)
		w.take(pace.Conversion, 0).Accepted()
		if w.IsStuck() {
			t.Error("it is stuck, and one runs")
		}
	})
}

// TestPace_nothingAccepted: where all is refused, thousands of reads do not end one by one, each after its sixteen seconds.
func TestPace_nothingAccepted(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(w world) {
		for until := time.Now().Add(time.Minute); time.Now().Before(until); {
			permit, err := w.Wait(w.Context(), pace.Other, false, silently)
			if err != nil {
				t.Fatal(err)
			}
			permit.Refused(errBusy, 0, false)
		}
		_, err := w.Wait(w.Context(), pace.Other, false, silently)
		if refused, isPaused := errors.AsType[*pace.PauseError](err); !isPaused || refused.Stuck < time.Minute {
			t.Errorf("got %v", err)
		}
		time.Sleep(16 * time.Second)
		w.take(pace.Other, 0).Accepted()
		w.take(pace.Other, 2*time.Second).Accepted()
	})
}
