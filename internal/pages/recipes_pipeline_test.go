//go:build unix

package pages

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// checkout is a run of a pipeline: a folder with the guide's configuration and nothing else. The state is in another folder, in
// the place of the bucket that the guide's backend names.
func checkout(t *testing.T, service *clitest.Service, states string) *clitest.CLI {
	t.Helper()
	configuration := code(t, pipelineGuide, "Follow edits every night", "terraform")[0]
	if !regexp.MustCompile(`(?ms)^  backend "s3" \{.*use_lockfile = true`).MatchString(configuration) {
		t.Errorf("no backend with a lock keeps the state:\n%s", configuration)
	}
	terraform := clitest.New(t, service.Address, configurationFile(t, configuration))
	terraform.WriteFile("backend_override.tf", fmt.Sprintf("terraform {\n  backend \"local\" {\n    path = %q\n  }\n}\n", filepath.Join(states, "audiobook.tfstate")))
	install(t, terraform)
	return terraform
}

// TestAccRecipeEveryNight plays the steps of the workflow: for what has been merged, for a pull request, and every night. A second
// book has a state of its own.
func TestAccRecipeEveryNight(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.StateLockFiles)
	workflow := code(t, pipelineGuide, "Follow edits every night", "yaml")[0]
	second := mockserver.Audiobook(0)
	second.ID = "second"
	service, states := clitest.NewService(t, mockserver.Audiobook(0), second), t.TempDir()
	workflow = strings.ReplaceAll(strings.ReplaceAll(workflow, "run: >-\n          ", "run: "), "\n          |", " |")
	summary := filepath.Join(t.TempDir(), "summary")
	_, noJQ := exec.LookPath("jq")
	run := func(book string, pullRequest bool) string {
		terraform := checkout(t, service, states)
		for _, variable := range regexp.MustCompile(`(?m)^ +(AUDIOPROJECTS_MAX_CHARACTERS|TF_\w+): "?(.*?)"?$`).FindAllStringSubmatch(workflow, -1) {
			terraform.Environment = append(terraform.Environment, variable[1]+"="+strings.ReplaceAll(variable[2], "${{ matrix.book }}", book))
		}
		terraform.Environment = append(terraform.Environment, "GITHUB_STEP_SUMMARY="+summary)
		var screen strings.Builder
		for _, step := range regexp.MustCompile(`(?m)^      - (if: .*\n        )?run: (.*)$`).FindAllStringSubmatch(workflow, -1) {
			if noJQ != nil && strings.Contains(step[2], "jq") {
				t.Log("jq is not installed, so that the bill of the run is not written")
				continue
			}
			if step[1] == "" || !pullRequest {
				command := strings.ReplaceAll(step[2], `"key=${{ matrix.book }}`, `"path=`+filepath.Join(states, book))
				screen.WriteString(runShell(t, terraform, command))
			}
		}
		return screen.String()
	}
	run("audiobook", true)
	service.WantCount(mockserver.ConvertChapter, 0)
	clitest.WantScreen(t, []string{run("audiobook", false)}, "Apply complete! Resources: 1 added")
	service.WantCount(mockserver.ConvertChapter, 5)
	clitest.WantScreen(t, []string{run("audiobook", false)}, "No changes.")
	service.EditChapter("audiobook", "chapter-3", "Wren rowed on, and the bell was silent.")
	clitest.WantScreen(t, []string{run("audiobook", false)}, "1 chapter, 39 characters at most", "Apply complete! Resources: 0 added, 1 changed")
	service.WantCount(mockserver.ConvertChapter, 6)
	if bills, err := os.ReadFile(summary); noJQ == nil && (err != nil || !strings.HasSuffix(string(bills), ": 39 characters, edited\n")) {
		t.Errorf("got the bills %s, %v", bills, err)
	}
	clitest.WantScreen(t, []string{run("second", false)}, `in project "second"`, "Apply complete! Resources: 1 added")
	service.WantCount(mockserver.ConvertChapter, 11)
}

// TestAccRecipeAtlantis plays the workflow's steps as Atlantis does, and a bound that the book exceeds.
func TestAccRecipeAtlantis(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.StateLockFiles)
	workflow := code(t, pipelineGuide, "On Atlantis", "yaml")[0]
	steps := map[string]string{
		"init": "terraform init -input=false", "plan": "terraform plan -input=false -refresh -out=default.tfplan",
		"apply": "terraform apply -input=false default.tfplan",
	}
	var script strings.Builder
	for _, line := range strings.Split(workflow, "\n") {
		if name, found := strings.CutPrefix(line, "            name: "); found {
			script.WriteString("export " + name + "=")
		} else if value, found := strings.CutPrefix(line, "            value: "); found {
			script.WriteString(value + "\n")
		} else if step, found := strings.CutPrefix(line, "        - "); found && step != "env:" {
			script.WriteString(steps[step] + "\n")
		}
	}
	service := clitest.NewService(t, mockserver.Audiobook(0))
	terraform := checkout(t, service, t.TempDir())
	tight := strings.ReplaceAll(script.String(), "500000", "2000")
	if tight == script.String() {
		t.Fatalf("no bound in:\n%s", tight)
	}
	screen, err := terraformShell(t, terraform, tight)
	if err == nil {
		t.Error("the bound does not hold")
	}
	clitest.WantScreen(t, []string{screen}, "Too many characters to convert")
	service.WantCount(mockserver.ConvertChapter, 0)
	screen, err = terraformShell(t, terraform, script.String())
	if err != nil {
		t.Error(err)
	}
	clitest.WantScreen(t, []string{screen}, "Apply complete! Resources: 1 added")
	service.WantCount(mockserver.ConvertChapter, 5)
}

// terraformShell is shell for variables that the page itself exports.
func terraformShell(t *testing.T, terraform *clitest.CLI, script string) (string, error) {
	t.Helper()
	return shell(t, terraform, strings.ReplaceAll(script, "export ", "declare -x "))
}

// requested is closed when the service has got so many requests for conversions.
func requested(service *clitest.Service, count int) <-chan struct{} {
	all := make(chan struct{})
	var mutex sync.Mutex
	service.Watch(func(entry mockserver.Entry) {
		mutex.Lock()
		defer mutex.Unlock()
		if entry.Operation == mockserver.ConvertChapter {
			if count--; count == 0 {
				close(all)
			}
		}
	})
	return all
}

// TestAccRecipeParallelism: in one of Terraform's slots, all chapters are requested before the first has ended.
func TestAccRecipeParallelism(t *testing.T) {
	t.Parallel()
	service := clitest.NewService(t, mockserver.Audiobook(time.Hour))
	terraform := clitest.New(t, service.Address)
	terraform.WriteFile("book.tf", `
resource "audioprojects_project_conversion" "book" {
  project_id = "audiobook"
  timeouts = {
    create = "1m" # if they are requested one after the other, this ends the apply
  }
}
`)
	all := requested(service, 5)
	apply := terraform.Start("apply", "-auto-approve", "-parallelism=1")
	apply.When(all, (*clitest.Running).Interrupt)
	if screen, err := apply.Wait(); err == nil {
		t.Errorf("the apply was not interrupted:\n%s", screen)
	}
	service.WantCount(mockserver.ConvertChapter, 5)
}

// TestAccRecipeSpacelift: what looks for drift by the exit status finds an edit, and nothing else.
func TestAccRecipeSpacelift(t *testing.T) {
	t.Parallel()
	service := clitest.NewService(t, mockserver.Audiobook(0))
	terraform := clitest.New(t, service.Address, inExamples([]string{bookFolder + "resource.tf"})...)
	terraform.Environment = append(terraform.Environment, "TF_CLI_ARGS_apply=-parallelism=50")
	terraform.Run("apply", "-auto-approve")
	terraform.Run("plan", "-detailed-exitcode")
	service.EditChapter("audiobook", "chapter-3", "Wren rowed on, and the bell was silent.")
	drift := terraform.Command("plan", "-detailed-exitcode")
	if screen, err := drift.CombinedOutput(); drift.ProcessState.ExitCode() != 2 {
		t.Errorf("%v\n%s", err, screen)
	}
	terraform.Run("apply", "-auto-approve")
	terraform.Run("plan", "-detailed-exitcode")
	service.WantCount(mockserver.ConvertChapter, 6)
}

// TestAccRecipeStopPayingTwice: an apply is killed and its state is lost, a chapter is renamed, and nothing is paid for again.
func TestAccRecipeStopPayingTwice(t *testing.T) {
	t.Parallel()
	service := clitest.NewService(t, mockserver.Audiobook(time.Second))
	terraform := clitest.New(t, service.Address, inExamples([]string{bookFolder + "resource.tf"})...)
	all := requested(service, 5)
	apply := terraform.Start("apply", "-auto-approve")
	apply.When(all, (*clitest.Running).Kill)
	if screen, err := apply.Wait(); err == nil {
		t.Fatalf("the apply was not killed:\n%s", screen)
	}
	for _, state := range []string{"terraform.tfstate", ".terraform.tfstate.lock.info"} {
		if err := os.Remove(filepath.Join(terraform.Folder, state)); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	terraform.Run("apply", "-auto-approve")
	service.WantCount(mockserver.ConvertChapter, 5)
	terraform.Write(strings.ReplaceAll(read(t, examplesFolder, bookFolder, "resource.tf"), `"book"`, `"novel"`),
		"moved {\n  from = audioprojects_project_conversion.book\n  to   = audioprojects_project_conversion.novel\n}\n")
	if err := os.Remove(filepath.Join(terraform.Folder, "resource.tf")); err != nil {
		t.Fatal(err)
	}
	terraform.Run("apply", "-auto-approve")
	service.WantCount(mockserver.ConvertChapter, 5)
}

// TestAccRecipeLinters runs the guide's commands where tflint and conftest are installed: `make test-policies` builds them.
func TestAccRecipeLinters(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.StateLockFiles)
	commands := code(t, pipelineGuide, "With tflint and conftest", "sh")
	service := clitest.NewService(t, mockserver.Audiobook(0))
	t.Run("tflint", func(t *testing.T) {
		t.Parallel()
		if _, err := exec.LookPath("tflint"); err != nil {
			t.Skip("tflint is not installed")
		}
		for _, configuration := range []string{"audiobook/main.tf", pipelineExample, "provider/provider.tf"} {
			terraform := clitest.New(t, service.Address, inExamples([]string{configuration})...)
			runShell(t, terraform, commands[0])
		}
	})
	t.Run("conftest", func(t *testing.T) {
		t.Parallel()
		if _, err := exec.LookPath("conftest"); err != nil {
			t.Skip("conftest is not installed")
		}
		terraform := clitest.New(t, service.Address, inExamples([]string{costsFolder + "bounds.tf"})...)
		if err := os.CopyFS(filepath.Join(terraform.Folder, "policy"), os.DirFS(filepath.Join(examplesFolder, costsFolder, "policy"))); err != nil {
			t.Fatal(err)
		}
		clitest.WantScreen(t, []string{runShell(t, terraform, commands[1])}, "0 failures")
		terraform.Environment = append(terraform.Environment, "TF_VAR_most_characters=2000")
		if screen, err := shell(t, terraform, commands[1]); err == nil {
			t.Errorf("conftest does not refuse the plan:\n%s", screen)
		}
	})
}
