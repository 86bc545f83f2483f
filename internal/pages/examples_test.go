package pages

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const (
	examplesFolder   = "../../examples"
	conversionFolder = "resources/audioprojects_chapter_conversion/"
	audioFolder      = "resources/audioprojects_project_snapshot_audio/"
	workflowExample  = "pipeline/workflow.yml"
	atlantisExample  = "pipeline/atlantis.yaml"
	pipelineExample  = "pipeline/main.tf"
	bookFolder       = "resources/audioprojects_project_conversion/"
)

var queryExamples = []string{
	"list-resources/audioprojects_chapter_conversion/list-resource.tfquery.hcl",
	"list-resources/audioprojects_project_conversion/list-resource.tfquery.hcl",
}

// examples are the configurations that the documentation shows, and how many
// conversions an apply of each requests for a book of five chapters.
var examples = []struct {
	files       []string
	conversions int
	needs       []clitest.Feature
}{
	{[]string{"provider/provider.tf"}, 5, nil},
	{[]string{"data-sources/audioprojects_project/data-source.tf"}, 0, nil},
	{[]string{"data-sources/audioprojects_project_bill/data-source.tf"}, 0, nil},
	{[]string{"data-sources/audioprojects_projects/data-source.tf"}, 0, nil},
	{[]string{"data-sources/audioprojects_project_snapshots/data-source.tf"}, 0, nil},
	{[]string{"data-sources/audioprojects_project_snapshot/data-source.tf"}, 5, nil},
	{[]string{"data-sources/audioprojects_chapters/data-source.tf"}, 0, nil},
	{[]string{"data-sources/audioprojects_chapter/data-source.tf"}, 1, nil},
	{[]string{"data-sources/audioprojects_chapter_snapshots/data-source.tf"}, 0, nil},
	{[]string{conversionFolder + "resource.tf"}, 1, nil},
	{[]string{conversionFolder + "resource_book.tf"}, 5, nil},
	{[]string{conversionFolder + "resource.tf", conversionFolder + "import-by-identity.tf"}, 0, []clitest.Feature{clitest.Identities}},
	{[]string{bookFolder + "resource.tf"}, 5, nil},
	{[]string{bookFolder + "resource_again.tf"}, 5, nil},
	{[]string{bookFolder + "resource.tf", bookFolder + "import-by-identity.tf"}, 5, []clitest.Feature{clitest.Identities}},
	{[]string{audioFolder + "resource.tf"}, 5, nil},
	{[]string{"actions/audioprojects_convert_chapter/action.tf"}, 1, []clitest.Feature{clitest.Actions}},
	{[]string{"actions/audioprojects_convert_project/action.tf"}, 0, []clitest.Feature{clitest.Actions}},
	{[]string{"audiobook/main.tf"}, 5, nil},
	{[]string{costsFolder + "bounds.tf"}, 5, nil},
}

// exampleTests are the tests inside examples, and how many conversions each requests.
var exampleTests = map[string]int{
	"audiobook/tests/service.tftest.hcl": 5,
	"audiobook/tests/mocked.tftest.hcl":  0,
}

func TestAccExamples(t *testing.T) {
	t.Parallel()
	for _, example := range examples {
		t.Run(strings.Join(example.files, "+"), func(t *testing.T) {
			t.Parallel()
			clitest.Needs(t, example.needs...)
			service := clitest.NewService(t, mockserver.Audiobook(0))
			terraform := clitest.New(t, service.Address, inExamples(example.files)...)
			terraform.Run("apply", "-auto-approve")
			if screen := terraform.Run("plan"); !strings.Contains(screen, "No changes.") {
				t.Errorf("the second plan is not empty:\n%s", screen)
			}
			service.WantCount(mockserver.ConvertChapter, example.conversions)
		})
	}
}

// TestAccExampleImportCommands runs the commands that the files import.sh show, for a book that is converted already.
func TestAccExampleImportCommands(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{conversionFolder, bookFolder} {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			service := clitest.NewService(t, convertedAudiobook())
			terraform := clitest.New(t, service.Address, inExamples([]string{folder + "resource.tf"})...)
			script, err := os.ReadFile(filepath.Join(examplesFolder, folder, "import.sh"))
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(string(script)), "\n")
			command := strings.Fields(lines[len(lines)-1])
			if command[0] != "terraform" {
				t.Fatalf("the last line of import.sh is no command: %q", lines[len(lines)-1])
			}
			terraform.Run(command[1:]...)
			terraform.Run("apply", "-auto-approve")
			service.WantCount(mockserver.ConvertChapter, 0)
		})
	}
}

// TestAccExampleQueries adopts what the queries find: the generated configuration has an empty plan after the import.
func TestAccExampleQueries(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.Queries)
	for _, query := range queryExamples {
		t.Run(query, func(t *testing.T) {
			t.Parallel()
			service := clitest.NewService(t, convertedAudiobook())
			terraform := clitest.New(t, service.Address, inExamples([]string{query})...)
			terraform.Run("query", "-generate-config-out=generated.tf")
			terraform.Run("apply", "-auto-approve")
			clitest.WantScreen(t, []string{terraform.Run("plan")}, "No changes.")
			service.WantCount(mockserver.ConvertChapter, 0)
		})
	}
}

func convertedAudiobook() mockserver.Project {
	book := mockserver.Audiobook(0)
	for i := range book.Chapters {
		book.Chapters[i].Converted = true
	}
	return book
}

// TestAccExampleTests runs the tests inside the examples.
func TestAccExampleTests(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.MockedTests)
	for file, conversions := range exampleTests {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			service := clitest.NewService(t, mockserver.Audiobook(0))
			terraform := clitest.New(t, service.Address, inExamples([]string{"audiobook/main.tf"})...)
			if err := os.CopyFS(filepath.Join(terraform.Folder, "tests"), os.DirFS(filepath.Join(examplesFolder, "audiobook/tests"))); err != nil {
				t.Fatal(err)
			}
			if conversions == 0 {
				terraform.Environment = append(terraform.Environment, "AUDIOPROJECTS_BASE_URL=", "AUDIOPROJECTS_API_KEY=")
			}
			screen := terraform.Run("test", "-filter="+strings.TrimPrefix(file, "audiobook/"))
			clitest.WantScreen(t, []string{screen}, ` passed, 0 failed.`)
			service.WantCount(mockserver.ConvertChapter, conversions)
		})
	}
}

// TestAccReadmeWithMocks: values that nobody has given do for the README's configuration.
func TestAccReadmeWithMocks(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.MockedTests)
	service := clitest.NewService(t)
	terraform := clitest.New(t, service.Address, readmeConfiguration(t))
	terraform.WriteFile("mocked.tftest.hcl", `mock_provider "audioprojects" {}`+"\nrun \"applies\" {}\n")
	clitest.WantScreen(t, []string{terraform.Run("test")}, "1 passed, 0 failed.")
}

func TestEveryExampleIsTested(t *testing.T) {
	t.Parallel()
	// Those that are not in the table are tested as they stand on their pages.
	tested := inExamples(append([]string{conversionFolder + "import.sh", bookFolder + "import.sh", audioFolder + "resource_upload.tf",
		workflowExample, atlantisExample, pipelineExample, policyExample}, queryExamples...))
	for _, example := range examples {
		tested = append(tested, inExamples(example.files)...)
	}
	tested = append(tested, inExamples(slices.Collect(maps.Keys(exampleTests)))...)
	err := filepath.WalkDir(examplesFolder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !slices.Contains(tested, path) {
			t.Errorf("%s is not in any test", path)
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
