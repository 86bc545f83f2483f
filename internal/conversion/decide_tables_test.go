package conversion

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// tables are the functions of decide.go that are tables, in the order of the README.
var tables = []string{"begin", "follow", "ended", "hasFailed"}

// TestTheReadmeShowsTheTables compares the rules in decide.go with those in the README, in their order.
func TestTheReadmeShowsTheTables(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range tables {
		table := tableInCode(t, name)
		if !strings.Contains(string(readme), "|---|---|---|---|\n"+table+"\n") {
			t.Errorf("README.md does not have this table of %s:\n%s", name, table)
		}
	}
}

// TestTheReadmeExplainsTheFacts compares the comments of the facts in decide.go with the README.
func TestTheReadmeExplainsTheFacts(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "decide.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var explained strings.Builder
	ast.Inspect(file, func(node ast.Node) bool {
		declared, is := node.(*ast.TypeSpec)
		if !is || declared.Name.Name != "facts" {
			return true
		}
		for _, fact := range declared.Type.(*ast.StructType).Fields.List {
			fmt.Fprintf(&explained, "| %s | %s |\n", fact.Names[0].Name, strings.TrimSpace(fact.Comment.Text()))
		}
		return false
	})
	if !strings.Contains(string(readme), "| fact | what it means |\n|---|---|\n"+explained.String()+"\n") {
		t.Errorf("README.md does not have these facts:\n%s", explained.String())
	}
}

// situationNamed is how the comment of a rule names its situations: "31 It fails with the words of last time."
var situationNamed = regexp.MustCompile(`(\d\d) ([A-Z][^.]*)\.`)

// TestEachRuleHasASituation compares the situations that the rules name, in their order, with the files.
func TestEachRuleHasASituation(t *testing.T) {
	t.Parallel()
	var named []string
	for _, name := range tables {
		for row := range strings.Lines(tableInCode(t, name)) {
			situations := situationNamed.FindAllStringSubmatch(strings.Split(row, "|")[1], -1)
			if len(situations) == 0 {
				t.Errorf("%s has a rule without a situation: %s", name, row)
			}
			for _, of := range situations {
				file := of[1] + "-" + strings.ToLower(strings.NewReplacer(" ", "-", "'", "", ",", "").Replace(of[2])) + ".txt"
				if !slices.Contains(named, file) { // It may show two rules.
					named = append(named, file)
				}
			}
		}
	}
	files, err := filepath.Glob("testdata/situations/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for i := range files {
		files[i] = filepath.Base(files[i])
	}
	if !slices.Equal(files, named) {
		t.Errorf("the rules name the situations\n%s\nbut the files are\n%s", strings.Join(named, "\n"), strings.Join(files, "\n"))
	}
}

// tableInCode is a table of decide.go as the README has it: a row for each case of the function's switch.
func tableInCode(t *testing.T, name string) string {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "decide.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	source := func(node ast.Node) string {
		var text bytes.Buffer
		err := printer.Fprint(&text, files, node)
		if err != nil {
			t.Fatal(err)
		}
		return inWords.Replace(text.String())
	}
	var table strings.Builder
	for _, rule := range rulesOf(t, file, name) {
		var facts []string
		for _, fact := range rule.List {
			facts = append(facts, source(fact))
		}
		if len(facts) == 0 {
			facts = []string{"otherwise"}
		}
		if len(rule.Body) != 1 {
			t.Fatalf("a rule of %s does not only return: %s", name, strings.Join(facts, "; "))
		}
		then, needed := endOf(t, rule.Body[0].(*ast.ReturnStmt).Results[0], source)
		fmt.Fprintf(&table, "| %s | %s | %s | %s |\n", situationsOf(files, file, rule), strings.Join(facts, "; "), then, needed)
	}
	return table.String()
}

// inWords makes an expression of Go one of the README.
var inWords = strings.NewReplacer("audioprojects.M", "m", "chapter.Busy()", "named", "(&p.ResumeToken)", "", "(&look.pending.ResumeToken)", "", "f.", "", "p.", "", "e.", "",
	"desired.", "", "chapter.", "", "||", "or", "&&", "and", "!", "not ", " != nil", "", "()", "", "(chapter, look.requestedAt)", "", "(chapter)", "", "conclude(", "(")

// rulesOf are the cases of the switch in a function.
func rulesOf(t *testing.T, file *ast.File, name string) (rules []*ast.CaseClause) {
	t.Helper()
	for _, declared := range file.Decls {
		function, is := declared.(*ast.FuncDecl)
		if !is || function.Name.Name != name {
			continue
		}
		last, is := function.Body.List[len(function.Body.List)-1].(*ast.SwitchStmt)
		if !is {
			t.Fatalf("%s does not end with a switch", name)
		}
		for _, rule := range last.Body.List {
			rules = append(rules, rule.(*ast.CaseClause))
		}
		ast.Inspect(function, func(node ast.Node) bool {
			_, returns := node.(*ast.ReturnStmt)
			_, isOther := node.(*ast.FuncLit)
			if returns && node.Pos() < last.Pos() {
				t.Errorf("%s decides before its table", name)
			}
			return !isOther
		})
	}
	return rules
}

// endOf is what a rule returns, and how long looks must agree on it: the last two arguments of a call are the reason and the confirmation.
func endOf(t *testing.T, returned ast.Expr, source func(ast.Node) string) (then, needed string) {
	t.Helper()
	call := returned.(*ast.CallExpr)
	for {
		selected, isMethod := call.Fun.(*ast.SelectorExpr)
		if !isMethod || selected.Sel.Name != "leaving" && selected.Sel.Name != "saying" {
			break
		}
		call = selected.X.(*ast.CallExpr)
	}
	then = source(call.Fun)
	arguments := call.Args
	switch {
	case len(arguments) < 3:
		t.Fatalf("a rule returns %s", source(returned))
	case then == "conclude":
		then = source(arguments[0])
	}
	reason := source(arguments[len(arguments)-2])
	if reason != "NoReason" && reason != "reason" {
		then += ", " + reason
	}
	return then, source(arguments[len(arguments)-1])
}

// situationsOf are the names in the comment above a rule.
func situationsOf(files *token.FileSet, file *ast.File, rule *ast.CaseClause) string {
	for _, comment := range file.Comments {
		if files.Position(comment.End()).Line == files.Position(rule.Pos()).Line-1 {
			return strings.Join(strings.Fields(comment.Text()), " ")
		}
	}
	return ""
}
