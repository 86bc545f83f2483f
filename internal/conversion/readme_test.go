package conversion

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestReadme_showsTheTables compares the tables in README.md with the rules. With -rewrite, it writes them.
func TestReadme_showsTheTables(t *testing.T) {
	t.Parallel()
	const begin, end = "<!-- the tables, written by go test -rewrite -->\n", "<!-- the end of the tables -->\n"
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, hasBegin := strings.Cut(string(readme), begin)
	shown, after, hasEnd := strings.Cut(rest, end)
	if !hasBegin || !hasEnd {
		t.Fatalf("README.md lacks %q or %q", begin, end)
	}
	want := tablesInWords()
	switch {
	case shown == want:
	case Rewrites():
		if err := os.WriteFile("README.md", []byte(before+begin+want+end+after), 0o600); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("README.md shows other tables than the rules are; go test ./internal/conversion -rewrite writes these:\n%s", want)
	}
}

func tablesInWords() string {
	var b strings.Builder
	for _, table := range tables {
		fmt.Fprintf(&b, "\n### %s: %s\n\n", table.name, table.about)
		b.WriteString("| rule | if | then | an apply | a plan | the state keeps | situations |\n|---|---|---|---|---|---|---|\n")
		for _, each := range table.rules {
			var links []string
			for _, name := range each.situations {
				links = append(links, fmt.Sprintf("[%s](testdata/situations/%s.txt)", name, strings.ReplaceAll(name, " ", "-")))
			}
			fmt.Fprintf(&b, "| %d | %s | %s | %s | %s | %s |\n", each.number, each.when, thenInWords(each), each.sameFor, keptInWords(each), strings.Join(links, "; "))
		}
		rivals, _ := table.rivals()
		if len(rivals) > 0 {
			b.WriteString("\nWhy the order is so:\n\n")
		}
		for _, each := range table.rules {
			if each.before != "" {
				fmt.Fprintf(&b, "- %d before %d: %s.\n", each.number, rivals[each.number], each.before)
			}
		}
	}
	b.WriteString("\n### The facts\n\n| fact | what it means |\n|---|---|\n")
	for _, text := range factTexts {
		fmt.Fprintf(&b, "| %s | %s |\n", text.name, text.means)
	}
	b.WriteString("\n")
	return b.String()
}

func thenInWords(r rule) string {
	then := r.then.then()
	if r.reason != NoReason {
		then += ", " + string(r.reason)
	}
	return then
}

// keptInWords is what the state keeps after the step of a rule, if the apply ends with it, or is cut short then.
func keptInWords(r rule) string {
	switch {
	case r.then == Done:
		return "the remainder"
	case r.then == Join, r.then == Request:
		return "the new conversion"
	case r.then == Wait, r.then == Unknown:
		return "the conversion"
	case r.then == Failed && r.reason == Refused:
		return "what it kept before"
	case r.then == Failed:
		return "that it failed"
	default:
		return ""
	}
}

// ruleInProse is a number of rules in a text, such as "rule 210" or "rules 210 and 230".
var ruleInProse = regexp.MustCompile(`\brules? ((?:\d+)(?:(?:, | and | to |/)\d+)*)`)

// TestRules_inProse: a text that names a rule names one that exists.
func TestRules_inProse(t *testing.T) {
	t.Parallel()
	numbers := RulesWithSituations()
	found := 0
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		isHidden := strings.HasPrefix(entry.Name(), ".") && len(entry.Name()) > 2
		switch {
		case err != nil || isHidden && entry.IsDir():
			return cmpSkip(err)
		case entry.IsDir(), !slices.Contains([]string{".go", ".md", ".tmpl", ".txt"}, filepath.Ext(path)):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, match := range ruleInProse.FindAllStringSubmatch(string(text), -1) {
			for _, number := range regexp.MustCompile(`\d+`).FindAllString(match[1], -1) {
				found++
				n, _ := strconv.Atoi(number)
				if numbers[n] == nil {
					t.Errorf("%s: there is no rule %s", path, number)
				}
			}
		}
		return nil
	})
	if err != nil || found == 0 {
		t.Errorf("found %d rules in all texts: %v", found, err)
	}
}

// cmpSkip skips a folder, unless it cannot be read.
func cmpSkip(err error) error {
	if err != nil {
		return err
	}
	return filepath.SkipDir
}
