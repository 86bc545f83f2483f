package conversion

import (
	"cmp"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// usedOnlyIn are the functions that may use what leads back to the table begin.
var usedOnlyIn = map[string][]string{
	"begin": {"conclude", "beginAfter", "beginAgain"}, "beginAfter": {"ended"}, "beginAgain": {"conclude", "follow", "hasFailed"},
}

// TestOnlyTheTablesRequest reads the whole package. The step Request comes from a table, and elsewhere it is only compared. Only a few
// functions lead back to the table begin. What leads to the request of a conversion is called only where the step is Request. So no rule
// that pays stands beside the tables.
func TestOnlyTheTablesRequest(t *testing.T) {
	t.Parallel()
	source := map[string]string{}
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, "_test.go") {
			source[name] = string(text)
		}
	}
	for _, problem := range paysBeside(t, source, "") {
		t.Error(problem)
	}
	if t.Failed() {
		return
	}
	for _, test := range []struct{ beside, want string }{
		{"func retry(e evidence) Decision { return Decision{Step: Request} }", "retry: the step Request is more than compared"},
		{"func retry(d Decision) Decision { d.Step = Request; return d }", "retry: the step Request is more than compared"},
		{`func retry(e evidence) Decision { return Decision{Step: "request"} }`, "retry: the step Request is more than compared"},
		{"var retry = conclude(Request, Error, atOnce)", "a declaration: the step Request is more than compared"},
		{"func (e evidence) retry(c conclusion) conclusion { return e.beginAgain(c) }", "retry: uses beginAgain"},
		{"func (e *Engine) Retry() { e.options.Client.ConvertChapter() }", "whatever the step is: ConvertChapter, Retry"},
		{
			"func (e *Engine) Retry(d Decision) { if d.Step == Failed || d.Step == Request { e.retry() } }; func (e *Engine) retry() { e.options.Client.ConvertChapter() }",
			"whatever the step is: ConvertChapter, retry, Retry",
		},
	} {
		got := paysBeside(t, source, test.beside)
		if !slices.Equal(got, []string{test.want}) {
			t.Errorf("%s: got %q, want %q", test.beside, got, test.want)
		}
	}
}

// paysBeside are the functions that request a conversion beside the tables, with one more file in the package.
func paysBeside(t *testing.T, source map[string]string, beside string) (problems []string) {
	t.Helper()
	all, positions := []*ast.File{}, token.NewFileSet()
	for name, text := range source {
		all = append(all, parsed(t, positions, name, text))
	}
	all = append(all, parsed(t, positions, "beside.go", "package conversion\n"+beside))
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	// Other packages are not read, so that what is of them has errors. What is of this one has none that matter here.
	config := types.Config{Importer: noImports{}, Error: func(error) {}}
	_, err := config.Check("conversion", positions, all, info)
	if err == nil {
		t.Fatal("the package was checked without its imports")
	}
	users := map[types.Object][]types.Object{} // of a function: those that use it without asking for the step
	var leads []types.Object
	for _, file := range all {
		for _, declared := range file.Decls {
			name, user := "a declaration", types.Object(nil)
			function, is := declared.(*ast.FuncDecl)
			if is {
				name, user = function.Name.Name, info.Defs[function.Name]
			}
			walk(declared, nil, func(node ast.Node, above []ast.Node) {
				if isRequest(node, above) && !isCompared(above) && !slices.Contains(tables, name) {
					problems = append(problems, name+": the step Request is more than compared")
				}
				used, is := node.(*ast.Ident)
				if !is || info.Uses[used] == nil && used.Name != "ConvertChapter" {
					return
				}
				allowed, isLimited := usedOnlyIn[used.Name]
				if isLimited && !slices.Contains(allowed, name) {
					problems = append(problems, name+": uses "+used.Name)
				}
				switch {
				case isAsked(above):
				case used.Name == "ConvertChapter" && user == nil:
					problems = append(problems, name+": requests a conversion")
				case used.Name == "ConvertChapter":
					leads = append(leads, user)
				case user != nil:
					users[info.Uses[used]] = append(users[info.Uses[used]], user)
				}
			})
		}
	}
	if len(leads) == 0 {
		t.Error("nothing in this package requests a conversion")
	}
	paths := map[types.Object]string{}
	for i := 0; i < len(leads); i++ {
		lead := leads[i]
		path := cmp.Or(paths[lead], "ConvertChapter") + ", " + lead.Name()
		for _, user := range users[lead] {
			if !slices.Contains(leads, user) {
				leads, paths[user] = append(leads, user), path
			}
		}
		if lead.Exported() {
			return append(problems, "whatever the step is: "+path)
		}
	}
	return problems
}

func parsed(t *testing.T, positions *token.FileSet, name, text string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(positions, name, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not read") }

// walk calls seen for a node and all in it, with what is above each, the nearest last.
func walk(node ast.Node, above []ast.Node, seen func(node ast.Node, above []ast.Node)) {
	seen(node, above)
	for child := range childrenOf(node) {
		walk(child, append(above[:len(above):len(above)], node), seen)
	}
}

func childrenOf(node ast.Node) func(yield func(ast.Node) bool) {
	return func(yield func(ast.Node) bool) {
		ast.Inspect(node, func(child ast.Node) bool {
			if child == node {
				return true
			}
			if child != nil {
				yield(child)
			}
			return false
		})
	}
}

// isRequest reports whether a node is the step Request, but not where that is declared, or where a field has that name.
func isRequest(node ast.Node, above []ast.Node) bool {
	switch node := node.(type) {
	case *ast.Ident:
		selected, isSelector := above[len(above)-1].(*ast.SelectorExpr)
		spec, isSpec := above[len(above)-1].(*ast.ValueSpec)
		isOther := isSelector && selected.Sel == node || isSpec && slices.Contains(spec.Names, node)
		return node.Name == "Request" && !isOther
	case *ast.BasicLit:
		spec, isSpec := above[len(above)-1].(*ast.ValueSpec)
		isDeclared := isSpec && spec.Names[0].Name == "Request"
		return node.Value == `"request"` && !isDeclared
	default:
		return false
	}
}

// isCompared reports whether the nearest node above compares.
func isCompared(above []ast.Node) bool {
	switch nearest := above[len(above)-1].(type) {
	case *ast.BinaryExpr:
		return nearest.Op == token.EQL || nearest.Op == token.NEQ
	case *ast.CaseClause:
		return true
	default:
		return false
	}
}

// isAsked reports whether a node is only reached where the step is Request.
func isAsked(above []ast.Node) bool {
	return slices.ContainsFunc(above, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.CaseClause:
			others := slices.ContainsFunc(node.List, func(fits ast.Expr) bool { return !wantsRequest(fits) })
			return len(node.List) > 0 && !others
		case *ast.IfStmt:
			return wantsRequest(node.Cond)
		default:
			return false
		}
	})
}

// wantsRequest reports whether a condition, or a case of a switch on the step, holds only where the step is Request.
func wantsRequest(condition ast.Expr) bool {
	switch condition := condition.(type) {
	case *ast.Ident:
		return condition.Name == "Request"
	case *ast.BinaryExpr:
		return condition.Op == token.EQL && wantsRequest(condition.Y) ||
			condition.Op == token.LAND && (wantsRequest(condition.X) || wantsRequest(condition.Y))
	default:
		return false
	}
}
