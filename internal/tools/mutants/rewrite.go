package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mutant is one small change.
type mutant struct {
	number       int
	file         string
	line, column int
	what         string
	reached      bool
	killer       *judge
}

// chooser is what the changed files call. With MUTANT=7 the seventh change is made, and no other.
const chooser = `package conversion

import (
	"cmp"
	"os"
	"strconv"
	"sync"
	"time"
)

var (
	mutantChosen, _ = strconv.Atoi(os.Getenv("MUTANT"))
	mutantsReached  = os.Getenv("MUTANTS_REACHED")
	mutantsSeen     sync.Map
)

func mutantOn(number int) bool {
	if mutantsReached != "" {
		_, before := mutantsSeen.LoadOrStore(number, true)
		if !before {
			file, err := os.OpenFile(mutantsReached, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err == nil {
				file.WriteString(strconv.Itoa(number) + "\n")
				file.Close()
			}
		}
	}
	return mutantChosen == number
}

func mutantNot(number int, holds bool) bool { return holds != mutantOn(number) }

func mutantForced(toFalse, toTrue int, holds bool) bool {
	never, always := mutantOn(toFalse), mutantOn(toTrue)
	return (holds || always) && !never
}

func mutantAnd(number int, a, b func() bool) bool {
	if mutantOn(number) {
		return a() || b()
	}
	return a() && b()
}

func mutantOr(number int, a, b func() bool) bool {
	if mutantOn(number) {
		return a() && b()
	}
	return a() || b()
}

func mutantOrder[T cmp.Ordered](number int, a T, how string, b T) bool {
	switch on := mutantOn(number); how {
	case "<":
		return a < b || on && a == b
	case "<=":
		return a < b || !on && a == b
	case ">":
		return a > b || on && a == b
	default:
		return a > b || !on && a == b
	}
}

func mutantWord(number int, word string) string {
	if mutantOn(number) {
		return "a word that nothing has"
	}
	return word
}

func mutantTime(twice, half int, d time.Duration) time.Duration {
	double, halved := mutantOn(twice), mutantOn(half)
	switch {
	case double:
		return 2 * d
	case halved:
		return d / 2
	}
	return d
}
`

// rewriter puts the mutants into one file, as insertions, so that lines stay where they are.
type rewriter struct {
	fset    *token.FileSet
	file    string
	source  []byte
	edits   []edit
	mutants *[]*mutant
	times   map[string]bool // constants that are durations
	loops   []ast.Node      // the loops and switches around
}

type edit struct {
	at    int
	text  string
	skips int // bytes of the source that go
}

// rewrite writes the changed files of the engine, and the overlay that has them compiled.
func rewrite(work, only string) (mutants []*mutant, overlay string, err error) {
	names, err := filepath.Glob(filepath.Join(engine, "*.go"))
	if err != nil {
		return nil, "", err
	}
	root, err := os.Getwd()
	if err != nil {
		return nil, "", err
	}
	wanted := strings.FieldsFunc(only, func(r rune) bool { return r == ',' })
	replaced := map[string]string{filepath.Join(root, engine, "mutants_chooser.go"): filepath.Join(work, "mutants_chooser.go")}
	err = os.WriteFile(filepath.Join(work, "mutants_chooser.go"), []byte(chooser), 0o600)
	if err != nil {
		return nil, "", err
	}
	fset := token.NewFileSet()
	parsed := map[string]*ast.File{}
	times := map[string]bool{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		parsed[name], err = parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			return nil, "", err
		}
		noteTimes(parsed[name], times)
	}
	for _, name := range names {
		base := filepath.Base(name)
		decidesNothing := base == "trace.go"
		isWanted := len(wanted) == 0 || slices.Contains(wanted, base)
		if parsed[name] == nil || decidesNothing || !isWanted {
			continue
		}
		r := &rewriter{fset: fset, file: base, mutants: &mutants, times: times}
		r.source, err = os.ReadFile(name)
		if err != nil {
			return nil, "", err
		}
		for _, declaration := range parsed[name].Decls {
			function, is := declaration.(*ast.FuncDecl)
			if is && function.Body != nil {
				r.walk(function.Body)
				r.endless(function.Body)
			}
		}
		changed := filepath.Join(work, base)
		err := os.WriteFile(changed, r.written(), 0o600)
		if err != nil {
			return nil, "", err
		}
		replaced[filepath.Join(root, name)] = changed
	}
	if len(mutants) == 0 {
		return nil, "", fmt.Errorf("nothing to change in %q", only)
	}
	overlay, err = writeOverlay(work, replaced)
	return mutants, overlay, err
}

// noteTimes finds constants such as window = 30 * time.Second.
func noteTimes(file *ast.File, times map[string]bool) {
	for _, declaration := range file.Decls {
		group, is := declaration.(*ast.GenDecl)
		if !is || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			value, is := spec.(*ast.ValueSpec)
			if !is {
				continue
			}
			for i, name := range value.Names {
				if i >= len(value.Values) {
					continue
				}
				ast.Inspect(value.Values[i], func(n ast.Node) bool {
					selector, is := n.(*ast.SelectorExpr)
					if is {
						of, is := selector.X.(*ast.Ident)
						if is && of.Name == "time" {
							times[name.Name] = true
						}
					}
					return true
				})
			}
		}
	}
}

func (r *rewriter) add(at token.Pos, what string) int {
	position := r.fset.Position(at)
	m := &mutant{number: len(*r.mutants) + 1, file: r.file, line: position.Line, column: position.Column, what: what}
	*r.mutants = append(*r.mutants, m)
	return m.number
}

func (r *rewriter) offset(at token.Pos) int { return r.fset.Position(at).Offset }

func (r *rewriter) insert(at token.Pos, text string) {
	r.edits = append(r.edits, edit{at: r.offset(at), text: text})
}

func (r *rewriter) replace(from, to token.Pos, text string) {
	r.edits = append(r.edits, edit{at: r.offset(from), text: text, skips: r.offset(to) - r.offset(from)})
}

func (r *rewriter) text(n ast.Node) string {
	text := string(r.source[r.offset(n.Pos()):r.offset(n.End())])
	return strings.Join(strings.Fields(text), " ")
}

// endless makes a function compile whose last loop has no end before it is changed: Go wants a return behind it then.
func (r *rewriter) endless(body *ast.BlockStmt) {
	last := len(body.List) - 1
	if last >= 0 {
		loop, is := body.List[last].(*ast.ForStmt)
		if is && loop.Cond == nil {
			r.insert(body.Rbrace, "panic(`a changed loop has ended`)\n")
		}
	}
}

// written is the source with all edits. Of several at one place, the one that was made first stands first.
func (r *rewriter) written() []byte {
	slices.SortStableFunc(r.edits, func(a, b edit) int { return a.at - b.at })
	var out []byte
	at := 0
	for _, e := range r.edits {
		out = append(out, r.source[at:e.at]...)
		out = append(out, e.text...)
		at = e.at + e.skips
	}
	return append(out, r.source[at:]...)
}
