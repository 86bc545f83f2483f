package pages

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// CONTRIBUTING: an assignment has a line of its own.
func TestNoAssignmentIsInAHeader(t *testing.T) {
	t.Parallel()
	files := token.NewFileSet()
	err := filepath.WalkDir(filepath.Join("..", "..", ".."), func(name string, entry fs.DirEntry, err error) error {
		isHidden := strings.HasPrefix(filepath.Base(name), ".") && filepath.Base(name) != ".."
		switch {
		case err != nil:
			return err
		case entry.IsDir() && isHidden:
			return filepath.SkipDir
		case !strings.HasSuffix(name, ".go"):
			return nil
		}
		file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			assignment := beforeTheCondition(node)
			if assignment != nil {
				t.Errorf("%s: give the assignment a line of its own", files.Position(assignment.Pos()))
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// beforeTheCondition is the statement that the header of an if or a switch begins with; nil if there is none.
func beforeTheCondition(node ast.Node) ast.Stmt {
	switch statement := node.(type) {
	case *ast.IfStmt:
		return statement.Init
	case *ast.SwitchStmt:
		return statement.Init
	case *ast.TypeSwitchStmt:
		return statement.Init
	default:
		return nil
	}
}
