package simulation_test

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// foundSomething has the stories that once showed a mistake, one in each line. The whole story is kept, because the story of a seed
// changes when the code that draws stories changes.
//
//go:embed testdata/stories.jsonl
var foundSomething string

func TestStoriesThatFoundSomething(t *testing.T) {
	t.Parallel()
	schemas()
	for line := range strings.Lines(foundSomething) {
		kept := json.NewDecoder(strings.NewReader(line))
		kept.DisallowUnknownFields()
		var s story
		if err := kept.Decode(&s); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		t.Run(fmt.Sprint(s.Seed), func(t *testing.T) {
			t.Parallel()
			if o := play(t, &s, true); len(o.violations) > 0 {
				t.Errorf("the promise is broken:\n%s\n%s%s", compact(&s), o.timeline, o.said())
			}
		})
	}
}
