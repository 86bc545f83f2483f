package conversion_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
)

// fileOf is the file of a situation that a rule names.
func fileOf(situation string) string {
	return filepath.Join("testdata", "situations", strings.ReplaceAll(situation, " ", "-")+".txt")
}

// playSituation plays a situation with a rule that is asked after its rival, unless that is nil. It returns what happens, what should happen, and the
// numbers of the rules that looks have led to.
func playSituation(t *testing.T, name string, moved *conversion.RuleOrder) (record, want string, decidedBy map[string]bool) {
	t.Helper()
	text, err := os.ReadFile(fileOf(name))
	if err != nil {
		t.Errorf("a rule names a situation without a file: %v", err)
		return "", "", nil
	}
	_, script, _ := bytes.Cut(text, []byte("situation\n"))
	script, recorded, _ := bytes.Cut(script, []byte("----\n"))
	synctest.Test(t, func(t *testing.T) {
		s, err := newSituation(t, string(script))
		if err != nil {
			t.Fatal(err)
		}
		s.moved = moved
		record, decidedBy = s.play(), s.decidedBy
	})
	return record, string(recorded), decidedBy
}

// TestRules_haveSituations: the situations that a rule names are files, and in each of them the rule decides. Each file is named by a rule.
func TestRules_haveSituations(t *testing.T) {
	t.Parallel()
	named := map[string]bool{}
	for number, situations := range conversion.RulesWithSituations() {
		for _, name := range situations {
			named[fileOf(name)] = true
			_, _, decidedBy := playSituation(t, name, nil)
			if !decidedBy[strconv.Itoa(number)] {
				t.Errorf("in %q, rule %d never decides: %v", name, number, slices.Sorted(maps.Keys(decidedBy)))
			}
		}
	}
	files, err := filepath.Glob("testdata/situations/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !named[file] {
			t.Errorf("no rule names %s", file)
		}
	}
}

// TestRules_orderMatters: a situation of a rule, or of its rival, ends in another way if the rule is asked after it.
func TestRules_orderMatters(t *testing.T) {
	t.Parallel()
	for _, order := range conversion.RuleOrders() {
		t.Run(fmt.Sprintf("%d before %d", order.Number, order.Rival), func(t *testing.T) {
			t.Parallel()
			differs := slices.ContainsFunc(order.Situations, func(name string) bool {
				record, want, _ := playSituation(t, name, &order)
				return record != want
			})
			if !differs {
				t.Errorf("no situation of the two noticed it: %q", order.Situations)
			}
		})
	}
}
