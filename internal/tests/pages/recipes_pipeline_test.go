package pages

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// checkout is a run of a pipeline: a folder with the example's files and nothing else. The state is in another folder, in
// the place of the bucket that the example's backend names.
func checkout(t *testing.T, service *clitest.Service, states string) *clitest.CLI {
	t.Helper()
	configuration := read(t, examplesFolder, pipelineExample)
	if !regexp.MustCompile(`(?ms)^  backend "s3" \{.*use_lockfile = true`).MatchString(configuration) {
		t.Errorf("no backend with a lock keeps the state:\n%s", configuration)
	}
	terraform := clitest.New(t, service.Address, configurationFile(t, configuration))
	terraform.WriteFile("estimate.sh", read(t, examplesFolder, estimateExample))
	terraform.WriteFile("backend_override.tf", fmt.Sprintf("terraform {\n  backend \"local\" {\n    path = %q\n  }\n}\n", filepath.Join(states, "audiobook.tfstate")))
	install(t, terraform)
	return terraform
}

// onlyHere makes programs that do what a script says, by their names, and returns the command that puts them before all others.
func onlyHere(t *testing.T, programs map[string]string) (begin string) {
	t.Helper()
	folder := t.TempDir()
	for name, script := range programs {
		file := filepath.Join(folder, name)
		writeFile(t, file, "#!/bin/sh\n"+script+"\n")
		err := os.Chmod(file, 0o700)
		if err != nil {
			t.Fatal(err)
		}
	}
	return "PATH=" + folder + ":$PATH\n"
}

func readYAML(t *testing.T, text string, into any) {
	t.Helper()
	err := yaml.Unmarshal([]byte(text), into)
	if err != nil {
		t.Fatal(err)
	}
}

// TestCLIRecipeAtlantis plays the workflow's steps as Atlantis does, and a limit that the book exceeds.
func TestCLIRecipeAtlantis(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.StateLockFiles)
	workflow := code(t, otherPipelinesGuide, "On Atlantis", "yaml")[0]
	steps := map[string]string{
		"init": "terraform init -input=false", "plan": "terraform plan -input=false -refresh -out=default.tfplan",
		"apply": "terraform apply -input=false default.tfplan",
	}
	var script strings.Builder
	for _, line := range strings.Split(workflow, "\n") {
		name, isName := strings.CutPrefix(line, "            name: ")
		value, isValue := strings.CutPrefix(line, "            value: ")
		step, isStep := strings.CutPrefix(line, "        - ")
		switch {
		case isName:
			script.WriteString("export " + name + "=")
		case isValue:
			script.WriteString(value + "\n")
		case isStep && step != "env:":
			script.WriteString(steps[step] + "\n")
		}
	}
	service := clitest.NewService(t, mockserver.Audiobook(0))
	terraform := checkout(t, service, t.TempDir())
	tight := strings.ReplaceAll(script.String(), "500000", "2000")
	if tight == script.String() {
		t.Fatalf("no limit in:\n%s", tight)
	}
	screen, _ := shell(t, terraform, tight)
	wantScreen(t, screen, "Too many characters to convert")
	service.WantCount(mockserver.ConvertChapter, 0)
	wantScreen(t, runShell(t, terraform, script.String()), "Apply complete! Resources: 2 added")
	service.WantCount(mockserver.ConvertChapter, 5)
}

// TestCLIRecipeRotateTheKey: with the page's ephemeral variable, a saved plan needs the key again, which may be another one by then.
func TestCLIRecipeRotateTheKey(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.EphemeralValues)
	settings := code(t, root+"/docs/index.md", "Settings", "terraform")[0]
	commands := section(t, pipelineGuide, "Rotate the key")
	const variable = "TF_VAR_audioprojects_api_key"
	for _, command := range []string{variable, "terraform plan -out=tfplan", "terraform apply tfplan"} {
		if !strings.Contains(commands, "`"+command+"`") {
			t.Errorf("the page does not name %s", command)
		}
	}
	r := follow(t, read(t, examplesFolder, bookFolder, "resource.tf"))
	r.WriteFile("provider.tf", strings.Replace(settings, "https://audio.example.com", r.Address, 1))
	r.Environment = append(r.Environment, "AUDIOPROJECTS_API_KEY=")
	with := func(key string) { r.Environment = append(r.Environment, variable+"="+key) }
	with(mockserver.Secret)
	r.Run("plan", "-out=tfplan")
	r.AddKey(mockserver.Key{Secret: "the-new-key"})
	r.AddKey(mockserver.Key{Secret: mockserver.Secret, NoAccess: true})
	without := r.Command("apply", "-input=false", "tfplan")
	without.Env = slices.DeleteFunc(slices.Clone(r.Environment), func(variable string) bool { return strings.HasPrefix(variable, "TF_VAR_") })
	screen, err := without.CombinedOutput()
	if err == nil || !strings.Contains(string(screen), "No value for required variable") {
		t.Errorf("%v\n%s", err, screen)
	}
	with("the-new-key")
	r.Run("apply", "tfplan")
	r.wantSettled(5)
}

// TestCLIRecipeLinters runs the guide's commands where tflint and conftest are installed: `make test-policies` builds them.
func TestCLIRecipeLinters(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.StateLockFiles)
	tflint, conftest := code(t, pipelineGuide, "With tflint", "sh")[0], code(t, costsGuide, "A policy for the JSON of a plan", "sh")[0]
	t.Run("tflint", func(t *testing.T) {
		t.Parallel()
		_, err := exec.LookPath("tflint")
		if err != nil {
			t.Skip("tflint is not installed")
		}
		for _, configuration := range []string{"audiobook/main.tf", pipelineExample, "provider/provider.tf"} {
			runShell(t, followExample(t, configuration).CLI, tflint)
		}
	})
	for name, test := range map[string]struct{ example, most, words string }{
		"within the limit": {costsFolder + "limits.tf", "2253", "0 failures"},
		"beyond it":        {costsFolder + "limits.tf", "2252", "the plan may convert 2253 characters, and 2252 are allowed"},
		"no estimate":      {bookFolder + "resource.tf", "2253", "audioprojects_project_conversion.book converts, and no estimate counts it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := exec.LookPath("conftest")
			if err != nil {
				t.Skip("conftest is not installed")
			}
			r := followExample(t, test.example)
			err = os.CopyFS(filepath.Join(r.Folder, "policy"), os.DirFS(filepath.Join(examplesFolder, costsFolder, "policy")))
			if err != nil {
				t.Fatal(err)
			}
			r.WriteFile("limit.yaml", "most_characters: "+test.most)
			screen, err := shell(t, r.CLI, strings.TrimSpace(conftest)+" --data=limit.yaml")
			refused := err != nil
			if refused == (test.words == "0 failures") {
				t.Errorf("refused: %t", refused)
			}
			wantScreen(t, screen, test.words)
		})
	}
}
