package provider_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTheMapIsTrue compares the arrows of the map in CONTRIBUTING.md with what the rooms import.
func TestTheMapIsTrue(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	drawn, rooms := map[string]bool{}, map[string]bool{}
	for _, arrow := range regexp.MustCompile(`(?m)^  (\w+)(?:\[.*?\])? (-->|-\..*?\.->) (\w+)`).FindAllStringSubmatch(string(page), -1) {
		rooms[arrow[1]], rooms[arrow[3]] = true, true
		if arrow[2] == "-->" {
			drawn[arrow[1]+" → "+arrow[3]] = true
		}
	}
	if len(rooms) != 5 {
		t.Fatalf("the rooms on the map: %v", slices.Sorted(maps.Keys(rooms)))
	}

	list := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")
	list.Dir = root
	listed, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	room := func(importPath string) string {
		inside, ours := strings.CutPrefix(importPath, "github.com/audioprojects/terraform-provider-audioprojects")
		name, _, _ := strings.Cut(strings.TrimPrefix(inside, "/internal/"), "/")
		switch {
		case ours && inside == "":
			return "main"
		case ours && rooms[name]:
			return name
		default:
			return ""
		}
	}
	imported := map[string]bool{}
	for line := range strings.Lines(string(listed)) {
		packages := strings.Fields(line)
		from := room(packages[0])
		for _, imports := range packages[1:] {
			if to := room(imports); from != "" && to != "" && from != to {
				imported[from+" → "+to] = true
			}
		}
	}
	if !maps.Equal(drawn, imported) {
		t.Errorf("the map has %v, the code %v", slices.Sorted(maps.Keys(drawn)), slices.Sorted(maps.Keys(imported)))
	}
}
