package provider

import (
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestCreationsThatFailLeaveAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDoorway()
		var mu sync.Mutex
		left := map[time.Time][]string{}
		var all sync.WaitGroup
		send := func(what string, through func()) {
			all.Go(func() {
				through()
				mu.Lock()
				defer mu.Unlock()
				left[time.Now()] = append(left[time.Now()], what)
			})
		}
		for range 3 {
			send("failed", d.leaveAlone)
			send("done", d.leave)
		}
		all.Wait()
		if got := len(slices.Concat(slices.Collect(maps.Values(left))...)); got != 6 {
			t.Errorf("left: got %d, want 6", got)
		}
		for at, what := range left {
			for other := range left {
				if apart := at.Sub(other).Abs(); slices.Contains(what, "failed") && (len(what) > 1 || apart > 0 && apart < failurePause) {
					t.Errorf("%v left at %s, others %s apart", what, at.Format(time.StampMilli), apart)
				}
			}
		}
	})
}
