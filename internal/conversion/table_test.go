package conversion

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"strings"
	"testing"
)

// TestTheReadmeShowsTheTable compares the rules in decide.go with those in the README, in their order.
func TestTheReadmeShowsTheTable(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	table := tableInCode(t)
	if !strings.Contains(string(readme), table) {
		t.Errorf("README.md does not have this table:\n%s", table)
	}
}

func tableInCode(t *testing.T) string {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "decide.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	source := func(node ast.Node) string {
		var text bytes.Buffer
		err := printer.Fprint(&text, files, node)
		if err != nil {
			t.Fatal(err)
		}
		return strings.NewReplacer("audioprojects.M", "m", "f.", "", "p.", "", "e.", "", "||", "or", "&&", "and", "!", "not ", " != nil", "", "Phase == Phase", "", "Confirmed()", "Confirmed").Replace(text.String())
	}
	var table strings.Builder
	ast.Inspect(file, func(node ast.Node) bool {
		function, is := node.(*ast.FuncDecl)
		if !is {
			return true
		}
		if function.Name.Name != "follow" {
			return false
		}
		ast.Inspect(function, func(node ast.Node) bool {
			rule, is := node.(*ast.CaseClause)
			if !is {
				return true
			}
			var facts []string
			for _, fact := range rule.List {
				facts = append(facts, source(fact))
			}
			if len(facts) == 0 {
				facts = []string{"otherwise"}
			}
			call := rule.Body[0].(*ast.ReturnStmt).Results[0].(*ast.CallExpr)
			end := source(call.Fun)
			if end == "conclude" {
				end = source(call.Args[0])
			}
			fmt.Fprintf(&table, "| %s | %s, %s | %s |\n", strings.Join(facts, "; "), end, source(call.Args[1]), source(call.Args[2]))
			return false
		})
		return false
	})
	return table.String()
}
