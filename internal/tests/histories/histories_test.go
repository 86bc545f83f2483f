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
	update = flag.Bool("update", false, "record the table of what nobody can prevent in the README; with -k 2 -stride 47")
	first  = flag.Bool("first", false, "stop at the first history that breaks a check, as is enough for a change that must be noticed")
	file   = flag.String("play", "", "play the history of this file, and print all of it")
)

// recorded is the stride of the histories that the README's table counts. All of them would take too long for whoever changes a case.
const recorded = 47

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
	var choose func(from int, odd []oddity)
	choose = func(from int, odd []oddity) {
		if len(odd) == k {
			for _, s := range scenarios {
				with(combination{s, slices.Clone(odd)})
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
	s := &stage{cases: map[*unpreventable][]found{}}
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
	s.tell(t)
}

// stage plays histories, several at a time.
type stage struct {
	all  []combination
	next atomic.Int64

	mu    sync.Mutex
	cases map[*unpreventable][]found
}

// found is a broken check.
type found struct {
	number int
	combination
	Break
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
		for _, b := range r.Broken {
			of := caseOf(c, b)
			s.cases[of] = append(s.cases[of], found{number, c, b})
			if of == nil {
				if *first {
					s.next.Store(int64(len(s.all)))
				}
				t.Errorf("# %s\n# %s\n%s", c, strings.ReplaceAll(b.String(), "\n", "\n# "), c.history())
			}
		}
		s.mu.Unlock()
	}
}

// tell says how often what nobody can prevent has happened, with the first history of each case. The README has that of the histories
// with two oddities.
func (s *stage) tell(t *testing.T) {
	var table strings.Builder
	table.WriteString("| what happens | check | histories | such as |\n|---|---|---|---|\n")
	for i := range unpreventables {
		u := &unpreventables[i]
		of := s.cases[u]
		slices.SortFunc(of, func(a, b found) int { return a.number - b.number })
		example := "not among these"
		if len(of) > 0 {
			example = of[0].combination.String()
		} else if *most == 2 && *only == "" && *stride == 1 {
			t.Errorf("no history needs the case %q", u.name)
		}
		fmt.Fprintf(&table, "| %s | %s | %d | %s |\n", u.name, strings.Join(u.checks, ", "), len(of), example)
	}
	t.Logf("what nobody can prevent:\n%s", &table)
	if *most == 2 && *only == "" && *stride == recorded {
		s.compare(t, table.String())
	}
}

// compare compares the table with that of the README, or records it.
func (s *stage) compare(t *testing.T, table string) {
	t.Helper()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	recorded := regexp.MustCompile(`\| what happens \|.*\n(\|.*\n)+`)
	now := recorded.ReplaceAllLiteralString(string(text), table)
	switch {
	case now == string(text):
	case *update:
		err := os.WriteFile("README.md", []byte(now), 0o600)
		if err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the README has another table of what nobody can prevent; -update records this one")
	}
}

// TestTheReadmeHasAllCases compares the names.
func TestTheReadmeHasAllCases(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range unpreventables {
		if !strings.Contains(string(text), "| "+u.name+" |") {
			t.Errorf("the README lacks the case %q", u.name)
		}
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
