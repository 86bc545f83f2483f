package simulation_test

import (
	"flag"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	stories   = flag.Int("stories", 150, "how many stories are played")
	seed      = flag.Uint64("seed", 6000, "the seed of the first story; 0: another one each time")
	small     = flag.Bool("smallest", true, "whether stories that broke the promise are made smaller, and told")
	odds      = flag.Float64("odds", 0.015, "the most that the odds of any one oddity are in a story; 0.3: some stories have a dozen")
	strangers = flag.Float64("strangers", 0, "the odds of a service that pages, counts in two ways, or refuses what others answer")
	tolerated = flag.Int("tolerated", 0, "how many stories may break the promise: they are listed, and only more of them fail the test")
	most      = flag.Int("failures", 10, "after how many more failing stories the others are left out")
)

// TestSimulation plays stories: the same ones each time, or with new seeds. If one breaks the promise, its smallest form is
// printed as a timeline.
func TestSimulation(t *testing.T) {
	first := *seed
	if first == 0 {
		first = uint64(time.Now().UnixNano() / 1000)
	}
	if testing.Short() {
		*stories = min(*stories, 100)
	}
	schemas()
	debug.SetGCPercent(800) // there is enough memory, and collecting garbage takes time
	s := &stage{first: first, exceptions: map[string]int{}, found: map[string]int{}, rules: rules{}}
	began := time.Now()
	t.Run("stories", func(t *testing.T) {
		for worker := range runtime.GOMAXPROCS(0) {
			t.Run(fmt.Sprint(worker), func(t *testing.T) {
				t.Parallel()
				s.work(t)
			})
		}
	})
	took := time.Since(began)
	perSecond := float64(s.played) / took.Seconds()
	t.Logf("%d stories from seed %d in %s, %.0f a second; %d of them broke the promise",
		s.played, first, took.Round(time.Second), perSecond, s.failed)
	for _, what := range slices.Sorted(maps.Keys(s.found)) {
		t.Logf("%7d  broke %s", s.found[what], what)
	}
	for _, what := range slices.Sorted(maps.Keys(s.exceptions)) {
		t.Logf("%7d  %s", s.exceptions[what], what)
	}
	t.Logf("what the engine decided:\n%s", s.rules.table())
}

// stage plays the stories of a test, several at a time.
type stage struct {
	mu             sync.Mutex
	first          uint64
	next           int
	played, failed int
	exceptions     map[string]int
	found          map[string]int
	rules          rules
}

func (s *stage) work(t *testing.T) {
	for {
		one := s.draw()
		if one == nil {
			return
		}
		o := play(t, one, *stories == 1)
		tell := t.Logf
		if s.count(o) > *tolerated {
			tell = t.Errorf
		}
		if *stories == 1 {
			t.Logf("seed %d:\n%s----\n%s\nall of it:\n%s", one.Seed, one.text(), o.sheet(), o.timeline)
		}
		switch {
		case len(o.violations) == 0:
		case *small:
			tell("%s", report(t, one, o.violations[0].invariant))
		default:
			tell("seed %d: %s", one.Seed, o.said())
		}
	}
}

// draw makes the next story; nil if there are enough.
func (s *stage) draw() *story {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next >= *stories || s.failed >= *tolerated+*most {
		return nil
	}
	s.next++
	return draw(s.first + uint64(s.next-1))
}

// count counts a story, and says how many have broken the promise.
func (s *stage) count(o outcome) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.played++
	for rule, times := range o.rules {
		s.rules[rule] += times
	}
	for what, times := range o.exceptions {
		s.exceptions[what] += times
	}
	if len(o.violations) > 0 {
		s.failed++
		s.found[o.violations[0].invariant]++
	}
	return s.failed
}

// report is a story that broke the promise, in its smallest form.
func report(t *testing.T, s *story, invariant string) string {
	t.Helper()
	least, runs := shrink(s, func(candidate *story) bool { return breaks(play(t, candidate, false), invariant) })
	var o outcome
	for range 5 {
		o = play(t, least, true)
		if breaks(o, invariant) {
			break
		}
	}
	return fmt.Sprintf("seed %d broke %s; the story was made smaller in %d plays. To keep it, put this into a file of testdata, "+
		"below a comment that says what the story is for:\nstory\n%s----\n%s",
		s.Seed, invariant, runs, least.text(), o.sheet())
}

func (o outcome) said() string {
	var b strings.Builder
	for _, v := range o.violations {
		fmt.Fprintf(&b, "%s: %s\n", v.invariant, v.text)
	}
	return b.String()
}

func breaks(o outcome, invariant string) bool {
	return slices.ContainsFunc(o.violations, func(v violation) bool { return v.invariant == invariant })
}
