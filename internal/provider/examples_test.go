package provider_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const (
	examplesFolder   = "../../examples"
	conversionFolder = "resources/audioprojects_chapter_conversion/"
)

// examples are the configurations that the documentation shows, and how many
// conversions an apply of each requests for a book of five chapters.
var examples = []struct {
	files       []string
	conversions int
}{
	{[]string{"provider/provider.tf"}, 1},
	{[]string{"data-sources/audioprojects_project/data-source.tf"}, 0},
	{[]string{"data-sources/audioprojects_projects/data-source.tf"}, 0},
	{[]string{"data-sources/audioprojects_project_snapshots/data-source.tf"}, 1},
	{[]string{"data-sources/audioprojects_chapters/data-source.tf"}, 0},
	{[]string{"data-sources/audioprojects_chapter_snapshots/data-source.tf"}, 1},
	{[]string{conversionFolder + "resource.tf"}, 1},
	{[]string{conversionFolder + "resource.tf", conversionFolder + "import-by-identity.tf"}, 0},
	{[]string{"audiobook/main.tf", "audiobook/outputs.tf"}, 5},
}

func TestAccExamples(t *testing.T) {
	t.Parallel()
	for _, example := range examples {
		t.Run(strings.Join(example.files, "+"), func(t *testing.T) {
			t.Parallel()
			service := newService(t, mockserver.Audiobook(0))
			terraform := newCLI(t, service, inExamples(example.files)...)
			terraform.run("apply", "-auto-approve")
			if screen := terraform.run("plan"); !strings.Contains(screen, "No changes.") {
				t.Errorf("the second plan is not empty:\n%s", screen)
			}
			service.wantCount(mockserver.ConvertChapter, example.conversions)
		})
	}
}

// TestAccExampleImportCommand types what import.sh shows.
func TestAccExampleImportCommand(t *testing.T) {
	t.Parallel()
	service := newService(t, mockserver.Audiobook(0))
	terraform := newCLI(t, service, inExamples([]string{conversionFolder + "resource.tf"})...)
	script, err := os.ReadFile(filepath.Join(examplesFolder, conversionFolder, "import.sh"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(script)), "\n")
	command := strings.Fields(lines[len(lines)-1])
	if command[0] != "terraform" {
		t.Fatalf("the last line of import.sh is no command: %q", lines[len(lines)-1])
	}
	terraform.run(command[1:]...)
	terraform.run("apply", "-auto-approve")
	service.wantCount(mockserver.ConvertChapter, 0)
}

func TestEveryExampleIsApplied(t *testing.T) {
	t.Parallel()
	var applied []string
	for _, example := range examples {
		applied = append(applied, inExamples(example.files)...)
	}
	err := filepath.WalkDir(examplesFolder, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".tf") && !slices.Contains(applied, path) {
			t.Errorf("%s is not applied by any test", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func inExamples(files []string) []string {
	var paths []string
	for _, file := range files {
		paths = append(paths, filepath.Join(examplesFolder, file))
	}
	return paths
}
