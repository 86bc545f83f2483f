// Package simulation plays random histories with what the enumeration of histories cannot hold: many chapters, long times, and rates. The
// checks are the same.
package simulation_test

import (
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/histories"
)

var (
	stories   = flag.Int("stories", 10, "how many stories are played")
	seed      = flag.Uint64("seed", 6000, "the seed of the first story; 0: another one each time")
	tolerated = flag.Int("tolerated", 0, "how many stories may break the promise: they are printed, and only more of them fail the test")
)

// TestSimulation plays stories: the same ones each time, or with new seeds.
func TestSimulation(t *testing.T) {
	first := *seed
	if first == 0 {
		first = uint64(time.Now().UnixNano() / 1000)
	}
	if testing.Short() {
		*stories = min(*stories, 8)
	}
	debug.SetGCPercent(800) // there is enough memory, and collecting garbage takes time
	var next, broken atomic.Int64
	began := time.Now()
	t.Run("stories", func(t *testing.T) {
		for worker := range runtime.GOMAXPROCS(0) {
			t.Run(fmt.Sprint(worker), func(t *testing.T) {
				t.Parallel()
				for number := next.Add(1) - 1; number < int64(*stories); number = next.Add(1) - 1 {
					playOne(t, first+uint64(number), &broken)
				}
			})
		}
	})
	took := time.Since(began)
	t.Logf("%d stories from seed %d in %s, %.0f a second; %d of them broke the promise",
		*stories, first, took.Round(time.Second), float64(*stories)/took.Seconds(), broken.Load())
}

// playOne plays the story of a seed. One that breaks the promise is printed as a history, which TestKept of the other package plays again.
func playOne(t *testing.T, seed uint64, broken *atomic.Int64) {
	t.Helper()
	h := draw(seed)
	r := histories.Play(t, h, *stories == 1)
	if *stories == 1 {
		t.Logf("seed %d:\n%s\n%s", seed, h, r.Sheet)
	}
	if len(r.Broken) == 0 {
		return
	}
	tell := t.Logf
	if broken.Add(1) > int64(*tolerated) {
		tell = t.Errorf
	}
	var said strings.Builder
	for _, b := range r.Broken {
		fmt.Fprintf(&said, "# %s\n", strings.ReplaceAll(b.String(), "\n", "\n# "))
	}
	tell("# seed %d\n%s%s", seed, &said, h)
}
