package pace_test

import (
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/pace"
)

// TestPace_byNumber: after a refusal because so many run, the next waits for an end of ours, whatever the rate, or
// tries once a minute: the number may be another by now, and an end may not come. If none of ours runs, others use all
// places: then it waits for its turn alone.
func TestPace_byNumber(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(w world) {
		running := w.open(2)
		w.take(pace.Conversion, 0).Refused(errBusy, 0, true)
		if w.takeWithin(59*time.Second) != nil || !w.AwaitsEnd() {
			t.Error("another one begins while as many run as before")
		}
		running[0].Leave()
		w.take(pace.Conversion, 0).Return()                  // It does not need the place.
		w.take(pace.Conversion, 0).Refused(errBusy, 0, true) // Somebody else has taken the place.
		w.take(pace.Conversion, time.Minute).Return()
		w.take(pace.Conversion, 0).Refused(errBusy, 0, true)
		running[1].Leave()
		if w.AwaitsEnd() {
			t.Error("it waits for an end, and none runs")
		}
		w.takeWithin(2 * time.Second).Accepted()
		if !w.AwaitsEnd() {
			t.Error("another one begins while as many run as the service has said")
		}
		w.takeWithin(2 * time.Minute).Accepted()
		another := w.takeWithin(time.Second)
		if another == nil {
			t.Error("more run than the number, and no other is tried")
		}
		another.Accepted()
	})
}

// TestPace_byNumberAndBusy: a place of one that has ended is one request, also where that is refused for another
// reason. It was 724 in a second.
func TestPace_byNumberAndBusy(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(w world) {
		running := w.open(20)
		w.take(pace.Conversion, 0).Refused(errBusy, 0, true)
		for _, ended := range running[:9] {
			ended.Leave()
		}
		sent := 0
		for until := time.Now().Add(time.Minute); time.Now().Before(until); sent++ {
			permit := w.takeWithin(time.Until(until))
			if permit == nil {
				break
			}
			permit.Refused(errBusy, 0, false)
		}
		if sent > 9+8 {
			t.Errorf("%d requests in a minute", sent)
		}
	})
}

// TestPace_oneMore: after ten ends without a refusal, one more than the service has said is tried, and after each that
// is accepted another one. All that waited were sent at once.
func TestPace_oneMore(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(w world) {
		running := w.open(2)
		w.take(pace.Conversion, 0).Refused(errBusy, 0, true)
		for range 10 {
			running[0].Leave()
			running[0] = w.take(pace.Conversion, 0)
			running[0].Accepted()
		}
		for range 3 {
			more := w.take(pace.Conversion, 0)
			if w.takeWithin(time.Second) != nil {
				t.Fatal("two are tried at once")
			}
			more.Accepted()
		}
		w.take(pace.Conversion, 0).Refused(errBusy, 0, true)
		if w.takeWithin(time.Second) != nil {
			t.Error("another one is tried at once after a refusal")
		}
		running[0].Leave()
		w.take(pace.Conversion, 0).Accepted()
		if w.takeWithin(time.Second) != nil {
			t.Error("one more is tried after one end")
		}
	})
}

// TestPace_joinedAfterTheNumber: what an interrupted apply has requested is joined only after the service has refused
// one more. It ran then, too.
func TestPace_joinedAfterTheNumber(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(w world) {
		running := w.open(1)
		w.take(pace.Conversion, 0).Refused(errBusy, 0, true)
		running = append(running, w.Join(), w.Join())
		for _, ended := range running {
			ended.Leave()
		}
		for range running {
			w.take(pace.Conversion, 0).Accepted()
		}
		if w.takeWithin(59*time.Second) != nil {
			t.Error("one more than ran is requested")
		}
	})
}

// TestPace_oneMoreBesideAnEnd: the one more was accepted also if one of ours has ended before its answer, so that as few
// run as before.
func TestPace_oneMoreBesideAnEnd(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(w world) {
		running := w.open(2)
		w.take(pace.Conversion, 0).Refused(errBusy, 0, true)
		more := w.take(pace.Conversion, time.Minute)
		running[0].Leave()
		more.Accepted()
		for _, what := range []string{"in the place of the one that has ended", "beyond the new number"} {
			permit := w.takeWithin(time.Second)
			if permit == nil {
				t.Errorf("none is requested %s", what)
			}
			permit.Accepted()
		}
	})
}

// TestPace_places: an end is one request, whatever the rate, but all of them together are no more than the number has room for.
func TestPace_places(t *testing.T) {
	t.Parallel()
	refusedInASecond := func(w world) (sent int) {
		for until := time.Now().Add(time.Second); time.Now().Before(until); sent++ {
			permit := w.takeWithin(time.Until(until))
			if permit == nil {
				break
			}
			permit.Refused(errBusy, 0, true)
		}
		return sent
	}
	for name, test := range map[string]struct {
		most int // requests in a second
		ends func(w world)
	}{
		"of conversions that were joined": {2, func(w world) {
			running := w.open(2)
			w.take(pace.Conversion, 0).Refused(errBusy, 0, true)
			for range 200 {
				w.Join().Leave()
			}
			running[0].Leave()
		}},
		"that nobody has wanted for an hour": {3, func(w world) {
			running := w.open(50)
			w.take(pace.Conversion, 0).Refused(errBusy, 0, true)
			for _, ended := range running {
				ended.Leave()
			}
			time.Sleep(time.Hour)
			for range 3 {
				w.takeWithin(time.Minute).Refused(errBusy, 0, false)
			}
		}},
		"of permits that were not used": {1, func(w world) {
			running := w.open(2)
			w.take(pace.Conversion, 0).Refused(errBusy, 0, true)
			for range 5 {
				running[0].Leave()
				w.take(pace.Conversion, 0).Return()
				running[0] = w.take(pace.Conversion, 0)
				running[0].Accepted()
				if w.takeWithin(time.Second) != nil {
					w.Fatal("one more than the number is tried")
				}
			}
			running[0].Leave()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, func(w world) {
				test.ends(w)
				if sent := refusedInASecond(w); sent > test.most {
					t.Errorf("%d requests in a second, want at most %d", sent, test.most)
				}
			})
		})
	}
}

// TestPermit_readyByNumber: permits that have waited for one list keep to the rate also where the service has said a number before.
func TestPermit_readyByNumber(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(w world) {
		running := w.open(20)
		w.take(pace.Conversion, 0).Refused(errBusy, 0, true)
		for _, ended := range running {
			ended.Leave()
		}
		for range running {
			w.takeWithin(time.Minute).Rejected() // So no place is left.
		}
		for range 3 {
			w.takeWithin(time.Minute).Refused(errBusy, 0, false)
		}
		w.takeWithin(time.Minute).Accepted()
		var held []*pace.Permit
		for range 10 {
			held = append(held, w.takeWithin(time.Minute))
		}
		list, began := time.Now(), time.Now()
		for _, permit := range held {
			for wait := permit.Ready(list); wait > 0; wait = permit.Ready(list) {
				time.Sleep(wait)
			}
		}
		if took := time.Since(began); took < time.Second {
			t.Errorf("ten are sent within %s", took)
		}
	})
}
