package pages

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const (
	costsFolder   = "costs/"
	policyExample = costsFolder + "policy/characters.rego"
)

// TestAccCostRecipes plans the bounds for an audiobook that exceeds both, and one.
func TestAccCostRecipes(t *testing.T) {
	t.Parallel()
	service := clitest.NewService(t, mockserver.Audiobook(0))
	bounds := code(t, costsGuide, "precondition and check", "terraform")[0]
	terraform := clitest.New(t, service.Address, configurationFile(t, bounds))
	clitest.WantScreen(t, []string{terraform.RunFailing("plan", "-var", "most_characters=2000")}, "The plan may convert 2253 characters.")
	terraform.WriteFile("main.tf", strings.Replace(bounds, "10000", "2000", 1))
	clitest.WantScreen(t, []string{terraform.Run("plan")}, "Check block assertion failed", "2253 characters, which is more than usual")
	service.WantCount(mockserver.ConvertChapter, 0)
}

// TestAccRecipeMoney: the log sums up what was spent.
func TestAccRecipeMoney(t *testing.T) {
	t.Parallel()
	service := clitest.NewService(t, mockserver.Audiobook(0))
	terraform := clitest.New(t, service.Address, inExamples([]string{bookFolder + "resource.tf"})...)
	clitest.WantScreen(t, []string{runShell(t, terraform, code(t, costsGuide, "What was spent", "sh")...)}, "5 requests, 2253 characters")
	service.WantCount(mockserver.ConvertChapter, 5)
}

// TestAccMaxCharacters: the guide's bound holds in the plan, and in the apply of a plan whose text has grown since.
func TestAccMaxCharacters(t *testing.T) {
	t.Parallel()
	bound := func(most string) string {
		return strings.Replace(code(t, costsGuide, "max_characters", "terraform")[0], "50000", most, 1) + read(t, examplesFolder, bookFolder, "resource.tf")
	}
	service := clitest.NewService(t, mockserver.Audiobook(0))
	terraform := clitest.New(t, service.Address)
	terraform.Write(bound("2252"))
	clitest.WantScreen(t, []string{terraform.RunFailing("plan")}, "Too many characters to convert")
	terraform.Write(bound("2253"))
	terraform.Run("plan", "-out=book.tfplan")
	service.EditChapter("audiobook", "chapter-3", strings.Repeat("Wren rowed on, and the bell was silent. ", 20))
	clitest.WantScreen(t, []string{terraform.RunFailing("apply", "book.tfplan")}, "Too many characters to convert")
	if service.Count(mockserver.ConvertChapter) == 5 {
		t.Error("the apply has converted more than the bound")
	}
}

// TestAccPolicyReadsThePlan looks in a plan's JSON for what the policy reads there, and runs the policy
// where conftest is installed: `make test-policies` builds it.
func TestAccPolicyReadsThePlan(t *testing.T) {
	t.Parallel()
	service := clitest.NewService(t, mockserver.Audiobook(0))
	billed := planInJSON(t, service, costsFolder+"bounds.tf")
	for _, part := range []string{
		`"type":"audioprojects_project_conversion"`, `"actions":["create"]`, `"type":"audioprojects_project_bill"`, `"characters":2253`, `"reason":"never converted"`,
	} {
		if !strings.Contains(billed, part) {
			t.Errorf("the plan's JSON has no %s", part)
		}
	}
	conftest, err := exec.LookPath("conftest")
	if err != nil {
		t.Log("conftest is not installed, so that the policy itself is not run")
		return
	}
	policy, err := filepath.Abs(filepath.Join(examplesFolder, costsFolder, "policy"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ plan, most, words string }{
		{billed, "2253", "2 tests, 2 passed"},
		{billed, "1000", "the plan may convert 2253 characters, and 1000 are allowed"},
		{planInJSON(t, service, bookFolder+"resource.tf"), "1000", "audioprojects_project_conversion.book converts, and no bill counts what"},
	} {
		folder := t.TempDir()
		for name, content := range map[string]string{"tfplan.json": test.plan, "bound.yaml": "most_characters: " + test.most} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		command := exec.CommandContext(t.Context(), conftest, "test", "--no-color", "--policy="+policy, "--data=bound.yaml", "tfplan.json")
		command.Dir = folder
		said, err := command.CombinedOutput()
		if refused := err != nil; refused == strings.Contains(test.words, "passed") {
			t.Errorf("%s: refused %t", test.words, refused)
		}
		clitest.WantScreen(t, []string{string(said)}, test.words)
	}
}

func planInJSON(t *testing.T, service *clitest.Service, example string) string {
	t.Helper()
	terraform := clitest.New(t, service.Address, inExamples([]string{example})...)
	terraform.Run("plan", "-out=tfplan")
	text, err := terraform.Command("show", "-json", "tfplan").Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
