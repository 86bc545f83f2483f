package simulation_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// purpose is the comment with which the file of a kept story begins: what the story has found, or what it shows.
var purpose = regexp.MustCompile(`^(?:# .+\n)*# .*\w{3}.*\.\nstory\n`)

var sheets = flag.Bool("sheets", false, "whether a kept story must also give its sheet, and not only keep the promise")

// TestKeptStories plays the stories that once showed a mistake. Each is a file of testdata: what it is for, what happens, and
// what the engine saw and did. With -rewrite, the test records that again; read the difference.
//
// Goroutines of the provider that a list wakes at the same moment go on in any order, and hardly ever in another one on a single
// processor. So a story has that to itself, and is played some times before it counts as changed. On another machine the order may be
// another all the same, so that the sheets are compared only by who asks for it.
func TestKeptStories(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	compares := *sheets || flag.Lookup("rewrite").Value.String() == "true"
	schemas()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, file := range files {
		if !purpose.Match(contentOf(file)) {
			t.Errorf("%s does not begin with a comment of whole sentences that says what the story is for", file)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			datadriven.RunTest(t, file, func(t *testing.T, d *datadriven.TestData) string {
				s, err := parseStory(d.Input)
				if err != nil {
					d.Fatalf(t, "%v", err)
				}
				var sheet string
				for range 20 {
					o := play(t, s, true)
					if len(o.violations) > 0 {
						t.Errorf("the promise is broken: %s%s", o.said(), o.timeline)
					}
					sheet = o.sheet()
					if sheet == d.Expected || len(o.violations) > 0 {
						break
					}
					if !compares {
						return d.Expected
					}
				}
				return sheet
			})
		})
	}
}

func contentOf(file string) []byte {
	content, err := os.ReadFile(file)
	must(err)
	return content
}
