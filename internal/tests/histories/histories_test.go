package histories_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
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
	only   = flag.String("only", "", "play only histories whose names contain this text; one that is alone is printed")
	update = flag.Bool("update", false, "record which histories with k oddities break a check, and the README's table of that")
	first  = flag.Bool("first", false, "stop at the first history that breaks a check, as is enough for a change that must be noticed")
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

// enumerate calls with all histories with so many oddities, in an order that is always the same: the scenarios take turns.
func enumerate(k int, with func(combination)) {
	all := oddities()
	matters := make([]map[string]bool, len(scenarios)) // Triggers do not matter to a project conversion, say.
	for i, s := range scenarios {
		matters[i] = map[string]bool{}
		usual := combination{s, nil}.history().String()
		for _, o := range all {
			matters[i][o.String()] = combination{s, []oddity{o}}.history().String() != usual
		}
	}
	var choose func(from int, odd []oddity)
	choose = func(from int, odd []oddity) {
		if len(odd) == k {
			for i, s := range scenarios {
				if !slices.ContainsFunc(odd, func(o oddity) bool { return !matters[i][o.String()] }) {
					with(combination{s, slices.Clone(odd)})
				}
			}
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

// TestHistories plays all histories with so many oddities, and without any.
func TestHistories(t *testing.T) {
	debug.SetGCPercent(800) // there is enough memory, and collecting garbage takes time
	if testing.Short() {
		*stride = max(*stride, 4)
	}
	s := &stage{known: readCases(t), breaks: map[string][]string{}}
	for _, k := range slices.Compact([]int{0, *most}) {
		number := 0
		enumerate(k, func(c combination) {
			number++
			if k == 0 || number%*stride == 0 && strings.Contains(c.String(), *only) {
				s.all = append(s.all, c)
			}
		})
	}
	began := time.Now()
	t.Run("all", func(t *testing.T) {
		for worker := range runtime.GOMAXPROCS(0) {
			t.Run(fmt.Sprint(worker), func(t *testing.T) {
				t.Parallel()
				s.work(t)
			})
		}
	})
	took := time.Since(began)
	t.Logf("%d histories in %s, %.0f a second", len(s.all), took.Round(time.Second), float64(len(s.all))/took.Seconds())
	switch {
	case *update:
		s.record(t)
	case !t.Failed():
		s.compare(t)
	}
}

// stage plays histories, several at a time.
type stage struct {
	all   []combination
	next  atomic.Int64
	known cases

	mu     sync.Mutex
	breaks map[string][]string // by name of a history, the checks that break only with all of its oddities
}

func (s *stage) work(t *testing.T) {
	for number := int(s.next.Add(1)) - 1; number < len(s.all); number = int(s.next.Add(1)) - 1 {
		c := s.all[number]
		isAlone := *only != "" && len(s.all) == len(scenarios)+1 && number == len(s.all)-1
		r := Play(t, c.history(), isAlone)
		s.mu.Lock()
		if isAlone {
			t.Log(r.Sheet)
		}
		for _, b := range s.known.ofAll(c, r.Broken) {
			s.breaks[c.String()] = append(s.breaks[c.String()], b.Check)
			tell := t.Errorf
			switch {
			case s.known.have(c, b.Check):
				continue
			case *update:
				tell = t.Logf
			case *first:
				s.next.Store(int64(len(s.all)))
			}
			tell("# %s\n# %s\n%s", c, strings.ReplaceAll(b.String(), "\n", "\n# "), c.history())
		}
		slices.Sort(s.breaks[c.String()])
		s.mu.Unlock()
	}
}

var (
	purpose  = regexp.MustCompile(`^(?:# .+\n)+`)
	expected = regexp.MustCompile(`(?m)^# It breaks (\w+)\.$`)
)

// TestKept plays the histories of testdata, or that of -play, and prints all of that. A kept one begins with a comment that says what it is
// for, and may name the check that it breaks.
func TestKept(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txt")
	if *file != "" {
		files = []string{*file}
	}
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no histories: %v", err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if *file == "" && !purpose.Match(text) {
				t.Errorf("it does not begin with a comment that says what it is for")
			}
			h, err := Parse(comment.ReplaceAllString(string(text), ""))
			if err != nil {
				t.Fatal(err)
			}
			r := Play(t, h, *file != "")
			if *file != "" {
				t.Logf("%s\n%s", h, r.Sheet)
			}
			var want, got []string
			for _, named := range expected.FindAllStringSubmatch(string(text), -1) {
				want = append(want, named[1])
			}
			for _, b := range r.Broken {
				got = append(got, b.Check)
			}
			if !slices.Equal(got, want) {
				t.Errorf("it breaks %q, want %q: %v", got, want, r.Broken)
			}
		})
	}
}

var comment = regexp.MustCompile(`(?m)^#.*\n`)
