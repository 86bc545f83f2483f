package edges_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// filesDiskless is what the code of audio files may use of these packages: nothing of it is a step at the disk.
var filesDiskless = map[string][]string{
	"os":            {"LinkError", "SameFile", "Geteuid"},
	"path/filepath": {"Split", "ToSlash", "Separator"},
	"syscall":       {"EINVAL", "ENOTDIR", "ELOOP", "EPERM", "Stat_t"},
	"io/ioutil":     nil,
	"os/exec":       nil,
}

// TestFiles_takeEachStepThroughTheDisk reads the code: what only disk.go does with the file system, the plays can refuse.
func TestFiles_takeEachStepThroughTheDisk(t *testing.T) {
	t.Parallel()
	var files []string
	for _, pattern := range []string{"../../audiofile/*.go", "../../provider/project_snapshot_audio_*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) < 3 {
			t.Fatal(pattern, found, err)
		}
		files = append(files, found...)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || filepath.Base(name) == "disk.go" {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		packages := map[string]string{}
		for _, imported := range file.Imports {
			path := strings.Trim(imported.Path.Value, `"`)
			packages[path[strings.LastIndex(path, "/")+1:]] = path
			if _, isDisk := filesDiskless[path]; isDisk && imported.Name != nil {
				t.Errorf("%s: import %s under its own name", set.Position(imported.Pos()), path)
			}
		}
		ast.Inspect(file, func(node ast.Node) bool {
			selector, isSelector := node.(*ast.SelectorExpr)
			if !isSelector {
				return true
			}
			of, isName := selector.X.(*ast.Ident)
			if !isName {
				return true
			}
			allowed, isDisk := filesDiskless[packages[of.Name]]
			if isDisk && !slices.Contains(allowed, selector.Sel.Name) {
				t.Errorf("%s: %s.%s is a step at the disk: add it to the interface Disk in disk.go", set.Position(node.Pos()), of.Name, selector.Sel.Name)
			}
			return true
		})
	}
}
