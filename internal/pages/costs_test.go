package pages

import (
	"encoding/json"
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

// TestAccCostRecipes plans each recipe with a bound that the audiobook exceeds.
func TestAccCostRecipes(t *testing.T) {
	t.Parallel()
	for file, refuses := range map[string]bool{"check.tf": false, "precondition.tf": true} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			service := clitest.NewService(t, mockserver.Audiobook(0))
			terraform := clitest.New(t, service.Address, filepath.Join(examplesFolder, costsFolder, file))
			plan := terraform.Run
			if refuses {
				plan = terraform.RunFailing
			}
			clitest.WantScreen(t, []string{plan("plan", "-var", "most_characters=2000")}, "The book has 2253 characters to convert", "2000")
			service.WantCount(mockserver.ConvertChapter, 0)
		})
	}
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
	terraform := clitest.New(t, service.Address, inExamples([]string{costsFolder + "check.tf"})...)
	terraform.Run("plan", "-var", "most_characters=2000", "-out=tfplan")
	text, err := terraform.Command("show", "-json", "tfplan").Output()
	if err != nil {
		t.Fatal(err)
	}
	var plan struct {
		ResourceChanges []struct {
			Type   string
			Change struct {
				Actions []string
				After   struct {
					ProjectID string `json:"project_id"`
				}
			}
		} `json:"resource_changes"`
		PriorState struct {
			Values struct {
				RootModule struct {
					Resources []struct {
						Address, Mode, Type string
						Values              struct {
							ProjectID             string `json:"project_id"`
							CharactersConverted   *int   `json:"characters_converted"`
							CharactersUnconverted *int   `json:"characters_unconverted"`
						}
					}
				} `json:"root_module"`
			}
		} `json:"prior_state"`
		Checks []struct {
			Address struct {
				ToDisplay string `json:"to_display"`
			}
			Status    string
			Instances []struct{ Problems []struct{ Message string } }
		}
	}
	if err := json.Unmarshal(text, &plan); err != nil {
		t.Fatal(err)
	}
	if len(plan.ResourceChanges) != 1 || len(plan.PriorState.Values.RootModule.Resources) != 1 || len(plan.Checks) != 1 {
		t.Fatalf("got %+v", plan)
	}
	change, source, check := plan.ResourceChanges[0], plan.PriorState.Values.RootModule.Resources[0], plan.Checks[0]
	if change.Type != "audioprojects_project_conversion" || change.Change.Actions[0] != "create" || change.Change.After.ProjectID != "audiobook" {
		t.Errorf("got the change %+v", change)
	}
	if values := source.Values; source.Mode != "data" || source.Type != "audioprojects_project" || values.ProjectID != "audiobook" ||
		values.CharactersConverted == nil || *values.CharactersConverted != 0 || values.CharactersUnconverted == nil || *values.CharactersUnconverted != 2253 {
		t.Errorf("got the data source %+v", source)
	}
	if check.Status != "fail" || check.Address.ToDisplay != "check.costs" || len(check.Instances) != 1 || len(check.Instances[0].Problems) != 1 {
		t.Errorf("got the check %+v", check)
	}

	conftest, err := exec.LookPath("conftest")
	if err != nil {
		t.Log("conftest is not installed, so that the policy itself is not run")
		return
	}
	terraform.WriteFile("tfplan.json", string(text))
	terraform.WriteFile("bound.yaml", "most_characters: 1000\n")
	for _, test := range []struct{ arguments, words string }{
		{"", "check.costs: The book has 2253 characters to convert"},
		{"--data=bound.yaml", "the plan may convert 2253 characters, and 1000 are allowed"},
	} {
		policy, err := filepath.Abs(filepath.Join(examplesFolder, costsFolder, "policy"))
		if err != nil {
			t.Fatal(err)
		}
		command := exec.CommandContext(t.Context(), conftest, "test", "--no-color", "--policy="+policy, "tfplan.json")
		if test.arguments != "" {
			command.Args = append(command.Args, test.arguments)
		}
		command.Dir = terraform.Folder
		said, err := command.CombinedOutput()
		if err == nil {
			t.Error("conftest does not refuse the plan")
		}
		clitest.WantScreen(t, []string{string(said)}, test.words)
	}
}
