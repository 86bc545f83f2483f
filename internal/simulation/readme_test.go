package simulation_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheReadmeNamesEveryKeptStory: it is the evidence.
func TestTheReadmeNamesEveryKeptStory(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, file := range files {
		if !strings.Contains(string(readme), "("+filepath.ToSlash(file)+")") {
			t.Errorf("%s is not in the README", file)
		}
	}
}
