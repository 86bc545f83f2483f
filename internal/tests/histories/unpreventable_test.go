package histories_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/audioprojects/terraform-provider-audioprojects/internal/tests/histories"
)

// casesFile lists the histories that break a check, each below the case that says why nobody can prevent it: all that any list shows fits
// another course, too, in which the provider would be right. A history with two oddities is listed only if neither of them is enough.
const casesFile = "unpreventable.txt"

// notJudged is the case of what -update has found, until somebody has said why nobody can prevent it.
const notJudged = "NOT JUDGED YET"

// cases are those of the file, in its order.
type cases []*unpreventable

type unpreventable struct {
	name  string
	lines []line
}

// line is a history with the checks that it breaks.
type line struct {
	checks  []string
	history string
}

func (l line) oddities() int { return strings.Count(l.history, " + ") }

func readCases(t *testing.T) (all cases) {
	t.Helper()
	text, err := os.ReadFile(casesFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		checks, history, isLine := strings.Cut(strings.TrimPrefix(each, "\t"), ": ")
		switch {
		case !strings.HasPrefix(each, "\t"):
			all = append(all, &unpreventable{name: each})
		case isLine && len(all) > 0:
			of := all[len(all)-1]
			of.lines = append(of.lines, line{slices.Sorted(strings.FieldsSeq(checks)), history})
		default:
			t.Fatalf("%s has a line that is not read: %s", casesFile, each)
		}
	}
	return all
}

func (all cases) String() string {
	var text strings.Builder
	for _, u := range all {
		fmt.Fprintln(&text, u.name)
		for _, l := range u.lines {
			fmt.Fprintf(&text, "\t%s: %s\n", strings.Join(l.checks, " "), l.history)
		}
	}
	return text.String()
}

// have says whether a history is listed with a check.
func (all cases) have(c combination, check string) bool {
	name := c.String()
	return slices.ContainsFunc(all, func(u *unpreventable) bool {
		return slices.ContainsFunc(u.lines, func(l line) bool { return l.history == name && slices.Contains(l.checks, check) })
	})
}

// haveLess says whether fewer of a history's oddities are enough to break a check.
func (all cases) haveLess(c combination, check string) bool {
	for i := range c.odd {
		less := combination{c.scenario, slices.Delete(slices.Clone(c.odd), i, i+1)}
		if all.have(less, check) || all.haveLess(less, check) {
			return true
		}
	}
	return false
}

// ofAll are the checks that a history breaks only with all of its oddities.
func (all cases) ofAll(c combination, broken []Break) []Break {
	return slices.DeleteFunc(slices.Clone(broken), func(b Break) bool { return all.haveLess(c, b.Check) })
}

// mostPlays is how often a history is played until it breaks the checks with which it is listed: Terraform gives two resources their turns in
// either order, and so does an apply two chapters.
const mostPlays = 100

// compare says which histories of the file do not break their checks.
func (s *stage) compare(t *testing.T) {
	t.Helper()
	listed := map[string][]string{}
	for _, u := range s.known {
		for _, l := range u.lines {
			listed[l.history] = l.checks
		}
	}
	for _, c := range s.all {
		name := c.String()
		want, isListed := listed[name]
		got := s.breaks[name]
		for plays := 1; isListed && !slices.Equal(got, want) && plays < mostPlays; plays++ {
			got = nil
			for _, b := range s.known.ofAll(c, Play(t, c.history(), false).Broken) {
				got = append(got, b.Check)
			}
			slices.Sort(got)
		}
		if isListed && !slices.Equal(got, want) {
			t.Errorf("%s breaks %v, and %s says %v", name, got, casesFile, want)
		}
	}
}

// record writes the file anew, with what has been found below the case in which it was before.
func (s *stage) record(t *testing.T) {
	t.Helper()
	caseOf := map[string]*unpreventable{}
	isPlayed := func(l line) bool { return l.oddities() == 0 || l.oddities() == *most }
	for _, u := range s.known {
		for _, l := range u.lines {
			caseOf[l.history] = u
		}
		u.lines = slices.DeleteFunc(u.lines, isPlayed)
	}
	rest := &unpreventable{name: notJudged}
	for _, c := range s.all {
		checks := s.breaks[c.String()]
		if len(checks) == 0 {
			continue
		}
		of := caseOf[c.String()]
		if of == nil {
			of = rest
		}
		of.lines = append(of.lines, line{checks, c.String()})
	}
	if len(rest.lines) > 0 {
		s.known = append(s.known, rest)
	}
	for _, u := range s.known {
		slices.SortStableFunc(u.lines, func(a, b line) int { return a.oddities() - b.oddities() })
	}
	if err := os.WriteFile(casesFile, []byte(s.known.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

var readmeTable = regexp.MustCompile(`\| what happens \|.*\n(\|.*\n)+`)

// TestUnpreventable compares the README's table with the file.
func TestUnpreventable(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	table.WriteString("| what happens | checks | by one oddity | by two | such as |\n|---|---|---|---|---|\n")
	for _, u := range readCases(t) {
		if len(u.lines) == 0 || u.name == notJudged {
			t.Errorf("%s: a case without histories, or histories without a case: %s", casesFile, u.name)
			continue
		}
		var checks []string
		number := map[int]int{}
		for _, l := range u.lines {
			checks = append(checks, l.checks...)
			number[l.oddities()]++
		}
		slices.Sort(checks)
		fmt.Fprintf(&table, "| %s | %s | %d | %d | %s |\n", u.name, strings.Join(slices.Compact(checks), ", "), number[1], number[2], u.lines[0].history)
	}
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if now := readmeTable.ReplaceAllLiteralString(string(text), table.String()); now != string(text) {
		if !*update {
			t.Errorf("the README has another table of what nobody can prevent; -update records this one")
		}
		if err := os.WriteFile("README.md", []byte(now), 0o600); *update && err != nil {
			t.Fatal(err)
		}
	}
}

// TestTheReadmeHasTheNumbers counts the histories.
func TestTheReadmeHasTheNumbers(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for k := 1; k <= 2; k++ {
		number := 0
		enumerate(k, func(combination) { number++ })
		row := fmt.Sprintf("| %d | %d,%03d |", k, number/1000, number%1000)
		if !strings.Contains(string(text), row) {
			t.Errorf("the README lacks a row that begins with %q", row)
		}
	}
	for file, number := range map[string]int{"scenarios": len(scenarios), "oddities": len(oddities())} {
		row := fmt.Sprintf("| [%s](%s_test.go) | %d: ", file, file, number)
		if !strings.Contains(string(text), row) {
			t.Errorf("the README lacks a row that begins with %q", row)
		}
	}
}
