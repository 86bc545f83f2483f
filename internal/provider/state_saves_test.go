package provider

import (
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestCreationsThatFailAreAnsweredAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStateSaves()
		var mu sync.Mutex
		answered := map[time.Time][]string{}
		var all sync.WaitGroup
		send := func(what string, through func()) {
			all.Go(func() {
				through()
				mu.Lock()
				defer mu.Unlock()
				answered[time.Now()] = append(answered[time.Now()], what)
			})
		}
		for range 3 {
			send("failed", s.alone)
			send("done", s.inTurn)
		}
		all.Wait()
		if got := len(slices.Concat(slices.Collect(maps.Values(answered))...)); got != 6 {
			t.Errorf("answered: got %d, want 6", got)
		}
		for at, what := range answered {
			for other := range answered {
				if apart := at.Sub(other).Abs(); slices.Contains(what, "failed") && (len(what) > 1 || apart > 0 && apart < failurePause) {
					t.Errorf("%v answered at %s, others %s apart", what, at.Format(time.StampMilli), apart)
				}
			}
		}
	})
}
