// Package rooms tests how the rooms of the code are built.
package rooms

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// inCircles is how many files of a room refer to each other in circles: to understand one of them, a reader must open all of its circle.
// Fewer is better; write the new number here.
var inCircles = map[string]int{
	"provider":   0,
	"forecast":   0,
	"conversion": 8,
}

func TestCircles(t *testing.T) {
	t.Parallel()
	for room, allowed := range inCircles {
		var found []string
		for _, circle := range circles(arrows(t, filepath.Join("..", "..", room))) {
			found = append(found, circle...)
		}
		if len(found) != allowed {
			t.Errorf("%s: %d files are in circles, want %d: %s", room, len(found), allowed, strings.Join(found, ", "))
		}
	}
}

// arrows are the files of a room, each with those whose declarations it uses.
func arrows(t *testing.T, room string) map[string]map[string]bool {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(room, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	positions, files := token.NewFileSet(), []*ast.File{}
	for _, name := range slices.DeleteFunc(names, func(name string) bool { return strings.HasSuffix(name, "_test.go") }) {
		file, err := parser.ParseFile(positions, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	// Other packages are not read, so that what is of them has errors. What is of this one has none that matter here.
	config := types.Config{Importer: noImports{}, Error: func(error) {}}
	checked, _ := config.Check(room, positions, files, info)
	uses := map[string]map[string]bool{}
	for _, file := range files {
		uses[fileOf(positions, file.Package)] = map[string]bool{}
	}
	for identifier, used := range info.Uses {
		from, to := fileOf(positions, identifier.Pos()), fileOf(positions, used.Pos())
		if used.Pkg() == checked && to != "" && from != to {
			uses[from][to] = true
		}
	}
	return uses
}

func fileOf(positions *token.FileSet, at token.Pos) string {
	name := positions.Position(at).Filename
	if name == "" {
		return ""
	}
	return filepath.Base(name)
}

type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not read") }

// circles are the largest sets of files of which each leads to each other one.
func circles(uses map[string]map[string]bool) (all [][]string) {
	reaches := map[string]map[string]bool{}
	for from := range uses {
		reached, todo := map[string]bool{}, []string{from}
		for len(todo) > 0 {
			next := todo[0]
			todo = todo[1:]
			for to := range uses[next] {
				if !reached[to] {
					reached[to] = true
					todo = append(todo, to)
				}
			}
		}
		reaches[from] = reached
	}
	done := map[string]bool{}
	for _, file := range slices.Sorted(maps.Keys(uses)) {
		if done[file] || !reaches[file][file] {
			continue
		}
		var circle []string
		for other := range reaches[file] {
			if reaches[other][file] {
				circle, done[other] = append(circle, other), true
			}
		}
		slices.Sort(circle)
		all = append(all, circle)
	}
	return all
}
