package pages

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

const (
	examplesFolder   = "../../../examples"
	firstExample     = "provider/provider.tf"
	downloadExample  = "provider/download.tf"
	conversionFolder = "resources/audioprojects_chapter_conversion/"
	audioFolder      = "resources/audioprojects_project_snapshot_audio/"
	workflowExample  = "pipeline/workflow.yml"
	gitlabExample    = "pipeline/gitlab-ci.yml"
	atlantisExample  = "pipeline/atlantis.yaml"
	pipelineExample  = "pipeline/main.tf"
	bookFolder       = "resources/audioprojects_project_conversion/"
	moduleExample    = "module/main.tf"
	limitsExample    = "costs/limits.tf"
	spendingExample  = "costs/spending.jq"
	totalExample     = "costs/estimate.jq"
	policyExample    = "costs/policy.rego"
)

var queryExamples = []string{
	"list-resources/audioprojects_chapter_conversion/list-resource.tfquery.hcl",
	"list-resources/audioprojects_project_conversion/list-resource.tfquery.hcl",
}

// examples are the configurations that the documentation shows and that no acceptance test of a block applies, and how many
// conversions an apply of each requests for a book of five chapters.
var examples = []struct {
	files       []string
	conversions int
	needs       []clitest.Feature
}{
	{[]string{firstExample, downloadExample}, 5, nil},
	{[]string{conversionFolder + "resource.tf", conversionFolder + "import-by-identity.tf"}, 0, []clitest.Feature{clitest.Identities}},
	{[]string{conversionFolder + "import-by-string-id.tf"}, 0, nil},
	{[]string{bookFolder + "import-by-string-id.tf"}, 5, nil},
	{[]string{bookFolder + "resource_again.tf"}, 5, nil},
	{[]string{bookFolder + "resource.tf", bookFolder + "import-by-identity.tf"}, 5, []clitest.Feature{clitest.Identities}},
	{[]string{audioFolder + "resource.tf"}, 5, nil},
	{[]string{"audiobook/main.tf"}, 5, nil},
}

// exampleTests are the tests inside examples, and how many conversions each requests.
var exampleTests = map[string]int{
	"audiobook/tests/service.tftest.hcl": 5,
	"audiobook/tests/mocked.tftest.hcl":  0,
}

func TestCLIExamples_apply(t *testing.T) {
	t.Parallel()
	for _, example := range examples {
		t.Run(strings.Join(example.files, "+"), func(t *testing.T) {
			t.Parallel()
			clitest.Needs(t, example.needs...)
			r := followExample(t, example.files[0])
			for _, file := range example.files[1:] {
				r.WriteFile(filepath.Base(file), read(t, examplesFolder, file))
			}
			r.apply()
			r.wantSettled(example.conversions)
		})
	}
}

// TestCLIExamples_importCommands runs the commands that the files import.sh show, for a book that is converted already.
func TestCLIExamples_importCommands(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{conversionFolder, bookFolder} {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			r := followExample(t, folder+"resource.tf", convertedAudiobook(0))
			runShell(t, r.CLI, read(t, examplesFolder, folder, "import.sh"))
			r.apply()
			r.WantCount(mockserver.ConvertChapter, 0)
		})
	}
}

// TestCLIExamples_queries adopts what the queries find: the generated configuration has an empty plan after the import. A project
// with text left fails the import that must cost nothing.
func TestCLIExamples_queries(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.Queries)
	for name, project := range map[string]mockserver.Project{"converted": convertedAudiobook(0), "text left": mockserver.Audiobook(0)} {
		for _, query := range queryExamples {
			t.Run(name+" "+query, func(t *testing.T) {
				t.Parallel()
				r := follow(t, "", project)
				r.WriteFile(filepath.Base(query), read(t, examplesFolder, query))
				r.Environment = append(r.Environment, "AUDIOPROJECTS_MAX_CHARACTERS=0")
				r.Run("query", "-generate-config-out=generated.tf")
				book := query == queryExamples[1]
				if book && name == "text left" {
					wantScreen(t, r.RunFailing("apply", "-auto-approve"), `Too many characters`, `project "audiobook"`)
					r.WantCount(mockserver.ConvertChapter, 0)
					return
				}
				r.apply()
				r.wantSettled(0)
			})
		}
	}
}

// TestCLIExamples_tests runs the tests inside the examples.
func TestCLIExamples_tests(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.MockedTests)
	for file, conversions := range exampleTests {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			r := followExample(t, "audiobook/main.tf")
			err := os.CopyFS(filepath.Join(r.Folder, "tests"), os.DirFS(filepath.Join(examplesFolder, "audiobook/tests")))
			if err != nil {
				t.Fatal(err)
			}
			if conversions == 0 {
				r.Environment = append(r.Environment, "AUDIOPROJECTS_BASE_URL=", "AUDIOPROJECTS_API_KEY=")
			}
			wantScreen(t, r.Run("test", "-filter="+strings.TrimPrefix(file, "audiobook/")), ` passed, 0 failed.`)
			r.WantCount(mockserver.ConvertChapter, conversions)
		})
	}
	// The guide warns of this.
	t.Run("without a filter", func(t *testing.T) {
		t.Parallel()
		r := followExample(t, "audiobook/main.tf")
		err := os.CopyFS(filepath.Join(r.Folder, "tests"), os.DirFS(filepath.Join(examplesFolder, "audiobook/tests")))
		if err != nil {
			t.Fatal(err)
		}
		r.Run("test")
		r.WantCount(mockserver.ConvertChapter, 5)
	})
}

// TestCLIReadme_build: with what the README says of a build, `init` installs the provider. The test has a build already.
func TestCLIReadme_build(t *testing.T) {
	t.Parallel()
	tools, err := filepath.Abs(filepath.Join(root, "internal", "tools"))
	if err != nil {
		t.Fatal(err)
	}
	r := follow(t, readmeConfiguration(t))
	commands := code(t, filepath.Join(root, "README.md"), "A build", "sh")[0]
	for here, there := range map[string]string{"make build\n": "", `"$PWD/.bin"`: t.TempDir() + " " + clitest.Programs, "internal/tools": tools} {
		if !strings.Contains(commands, here) {
			t.Fatalf("no %q in:\n%s", here, commands)
		}
		commands = strings.Replace(commands, here, there, 1)
	}
	runShell(t, r.CLI, commands, "terraform init", "terraform apply")
	wantScreen(t, read(t, r.Folder, ".terraform.lock.hcl"), "/audioprojects/audioprojects\" {")
	r.WantCount(mockserver.ConvertChapter, 5)
}

// TestCLIReadme_withoutSnapshots: at a service that makes a snapshot only of a whole project, the first step pays once
// and has an empty plan after it. What the second one cannot find costs nothing.
func TestCLIReadme_withoutSnapshots(t *testing.T) {
	t.Parallel()
	r := followExample(t, firstExample)
	habits := mockserver.LikeVendor()
	habits.WholeProjectOnly = true
	r.SetHabits(habits)
	r.apply()
	r.wantSettled(5)
	download := read(t, examplesFolder, downloadExample)
	impatient := strings.Replace(download, "  most_recent ", "  timeouts    = { read = \"1s\" }\n  most_recent ", 1)
	r.WriteFile("download.tf", impatient)
	wantScreen(t, r.RunFailing("apply", "-auto-approve"), "waiting for a snapshot made at")
	r.WantCount(mockserver.ConvertChapter, 5)
	r.WriteFile("download.tf", "")
	r.wantSettled(5)
}

// TestCLIReadme_withMocks: of the values that nobody has given, only random text for a timestamp does not do for the README's configuration.
func TestCLIReadme_withMocks(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.MockedTests)
	r := follow(t, readmeConfiguration(t))
	const run = "\nrun \"applies\" {}\n"
	r.WriteFile("mocked.tftest.hcl", `mock_provider "audioprojects" {}`+run)
	wantScreen(t, r.RunFailing("test"), "Invalid timestamp", "`not_before` takes the `last_conversion_date`")
	r.WriteFile("mocked.tftest.hcl", `mock_provider "audioprojects" {
  mock_resource "audioprojects_project_conversion" {
    defaults = { last_conversion_date = "2025-01-01T00:00:00Z" }
  }
}
`+run)
	wantScreen(t, r.Run("test"), "1 passed, 0 failed.")
}

func TestExamples_tested(t *testing.T) {
	t.Parallel()
	// Those that are not in the table are tested as they stand on their pages.
	tested := inExamples(append([]string{conversionFolder + "import.sh", bookFolder + "resource_portions.tf", bookFolder + "import.sh", audioFolder + "resource_upload.tf",
		workflowExample, gitlabExample, atlantisExample, pipelineExample, moduleExample, limitsExample, spendingExample, totalExample, policyExample}, queryExamples...))
	for _, example := range examples {
		tested = append(tested, inExamples(example.files)...)
	}
	tested = append(tested, inExamples(slices.Collect(maps.Keys(exampleTests)))...)
	tested = append(tested, inExamples(appliedByAcceptanceTests(t))...)
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

// TestExamples_documented: an example that says which provider it needs may be the source of a module. Then a linter, and whoever reads the
// module's page, want to know which versions it needs, and what its variables and outputs are.
func TestExamples_documented(t *testing.T) {
	t.Parallel()
	count := 0
	for _, file := range filesBelow(t, examplesFolder, ".tf") {
		example := read(t, file)
		if !strings.Contains(example, "required_providers") {
			continue
		}
		count++
		for _, pattern := range []string{`(?m)^  required_version = "`, `(?m)^      version = "`} {
			if !regexp.MustCompile(pattern).MatchString(example) {
				t.Errorf("%s does not say which version it needs: nothing like %s", file, pattern)
			}
		}
		for _, block := range regexp.MustCompile(`(?ms)^(?:variable|output) "\w+" \{$.*?^\}$`).FindAllString(example, -1) {
			if !regexp.MustCompile(`(?m)^  description += "[A-Z].*\."$`).MatchString(block) {
				t.Errorf("%s: without a description:\n%s", file, block)
			}
		}
	}
	if count < 4 {
		t.Errorf("only %d examples have required_providers", count)
	}
}

// appliedByAcceptanceTests are the examples that the acceptance tests of the blocks apply.
func appliedByAcceptanceTests(t *testing.T) (examples []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "internal", "provider", "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		for _, found := range regexp.MustCompile(`ConfigFile: +acctest\.Example\("([^"]+)"\)`).FindAllStringSubmatch(read(t, file), -1) {
			examples = append(examples, found[1])
		}
	}
	return examples
}

func inExamples(files []string) []string {
	var paths []string
	for _, file := range files {
		paths = append(paths, filepath.Join(examplesFolder, file))
	}
	return paths
}
