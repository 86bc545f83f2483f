package histories_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/audioprojects/terraform-provider-audioprojects/internal/tests/histories"
)

var (
	most   = flag.Int("k", 1, "the number of oddities in a history")
	stride = flag.Int("stride", 1, "of so many histories with k oddities, only one is played")
	only   = flag.String("only", "", "play only histories whose names contain this text")
	file   = flag.String("play", "", "play the history of this file, and print all of it")
)

// combination is a scenario with some oddities.
type combination struct {
	scenario
	odd []oddity
}

func (c combination) String() string {
	name := c.name
	for _, o := range c.odd {
		name += " + " + o.String()
	}
	return name
}

func (c combination) history() *History {
	h := c.make()
	for _, o := range c.odd {
		o.do(h)
	}
	return h
}

// enumerate calls with all histories with so many oddities, in an order that is always the same.
func enumerate(k int, with func(combination)) {
	all := oddities()
	for _, s := range scenarios {
		var choose func(from int, odd []oddity)
		choose = func(from int, odd []oddity) {
			if len(odd) == k {
				with(combination{s, slices.Clone(odd)})
				return
			}
			for i := from; i < len(all); i++ {
				excludes := func(o oddity) bool { return o.slot != "" && o.slot == all[i].slot }
				if !slices.ContainsFunc(odd, excludes) {
					choose(i+1, append(odd, all[i]))
				}
			}
		}
		choose(0, nil)
	}
}

// TestHistories plays all histories with at most one oddity, or all with k.
func TestHistories(t *testing.T) {
	if *file != "" {
		t.Skip("one history is played")
	}
	debug.SetGCPercent(800) // there is enough memory, and collecting garbage takes time
	var all []combination
	for k := min(*most, 1) - 1; k <= *most; k++ {
		number := 0
		if k < *most && *most > 1 {
			continue
		}
		enumerate(max(k, 0), func(c combination) {
			number++
			if number%*stride == 0 && strings.Contains(c.String(), *only) {
				all = append(all, c)
			}
		})
	}
	began := time.Now()
	found := map[string][]found{}
	var mu sync.Mutex
	var next atomic.Int64
	t.Run("all", func(t *testing.T) {
		for worker := range runtime.GOMAXPROCS(0) {
			t.Run(fmt.Sprint(worker), func(t *testing.T) {
				t.Parallel()
				for number := next.Add(1) - 1; int(number) < len(all); number = next.Add(1) - 1 {
					c := all[number]
					r := Play(t, c.history(), false)
					for _, b := range r.Broken {
						mu.Lock()
						key := b.Check
						found[key] = append(found[key], foundIn(c, b))
						mu.Unlock()
					}
				}
			})
		}
	})
	took := time.Since(began)
	t.Logf("%d histories in %s, %.0f a second", len(all), took.Round(time.Second), float64(len(all))/took.Seconds())
	for _, check := range slices.Sorted(maps.Keys(found)) {
		t.Logf("%s: %d", check, len(found[check]))
		for _, f := range found[check] {
			t.Logf("   %s\n      %s", f.combination, f.Text)
		}
	}
}

type found struct {
	combination
	Break
}

func foundIn(c combination, b Break) found { return found{c, b} }

// TestPlay plays the history of a file.
func TestPlay(t *testing.T) {
	if *file == "" {
		t.Skip("no -play")
	}
	text, err := os.ReadFile(*file)
	if err != nil {
		t.Fatal(err)
	}
	h, err := Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	r := Play(t, h, true)
	t.Logf("%s\n%s", h, r.Sheet)
	for _, b := range r.Broken {
		t.Errorf("%s", b)
	}
}
