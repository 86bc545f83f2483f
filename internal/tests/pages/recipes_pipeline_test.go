package pages

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// checkout is a run of a pipeline: a folder with the example's files, estimate.jq, and nothing else. The state is in another folder, in
// the place of the bucket that the example's backend names.
func checkout(t *testing.T, service *clitest.Service, states string) *clitest.CLI {
	t.Helper()
	configuration := read(t, examplesFolder, pipelineExample)
	if !regexp.MustCompile(`(?ms)^  backend "s3" \{.*use_lockfile = true`).MatchString(configuration) {
		t.Errorf("no backend with a lock keeps the state:\n%s", configuration)
	}
	terraform := clitest.New(t, service.Address, configurationFile(t, configuration))
	terraform.WriteFile("estimate.jq", read(t, examplesFolder, totalExample))
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
		if err := os.Chmod(file, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return "PATH=" + folder + ":$PATH\n"
}

func readYAML(t *testing.T, text string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}

// afterThePlan is what happens between the plan and the apply of a book that is new, with 2,253 characters, and what the apply then does. Its
// limit is the plan's number, or the budget of the pipeline if that is smaller. Where nobody knows the number, it does not begin.
var afterThePlan = map[string]struct {
	happens func(*clitest.Service, *clitest.CLI)
	budget  string // instead of that of the example, if not empty
	says    string
	failed  bool
}{
	"more text":      {happens: writeMore, says: "would exceed the limit of 2,253 characters (AUDIOPROJECTS_MAX_CHARACTERS)", failed: true},
	"as it was":      {happens: func(*clitest.Service, *clitest.CLI) {}, says: "Apply complete! Resources: 2 added"},
	"a chapter more": {happens: writeChapter, says: "would exceed the limit of 2,253 characters (AUDIOPROJECTS_MAX_CHARACTERS)", failed: true},
	"less text": {happens: func(service *clitest.Service, _ *clitest.CLI) {
		service.EditChapter("audiobook", "chapter-3", "Wren rowed on.")
	}, says: "Apply complete! Resources: 2 added"},
	"the plan says more than the budget": {happens: func(service *clitest.Service, terraform *clitest.CLI) {
		writeMore(service, terraform)
		editPlan(terraform, func(text string) string { return strings.ReplaceAll(text, "2,253 characters", "92,253 characters") })
	}, budget: "2300", says: "would exceed the limit of 2,300 characters (AUDIOPROJECTS_MAX_CHARACTERS)", failed: true},
	"nobody knows what the plan costs": {happens: func(_ *clitest.Service, terraform *clitest.CLI) {
		editPlan(terraform, func(string) string { return "" })
	}, says: "cost unknown", failed: true},
}

func writeMore(service *clitest.Service, _ *clitest.CLI) {
	service.EditChapter("audiobook", "chapter-3", strings.Repeat("Wren rowed on, and the bell was silent. ", 20))
}

func writeChapter(service *clitest.Service, _ *clitest.CLI) {
	service.AddChapter("audiobook", mockserver.Chapter{ID: "epilogue", Text: "The end."})
}

// editPlan changes the lines of JSON that a pipeline keeps of its plan.
func editPlan(terraform *clitest.CLI, edit func(text string) string) {
	plans, _ := filepath.Glob(filepath.Join(terraform.Folder, "*.jsonl"))
	for _, plan := range plans {
		text, _ := os.ReadFile(plan)
		terraform.WriteFile(filepath.Base(plan), edit(string(text)))
	}
}

// playAfterThePlan plays each of them in a pipeline: apply runs that with a budget, and what happens after its plan.
func playAfterThePlan(t *testing.T, apply func(t *testing.T, service *clitest.Service, budget string, happens func(*clitest.CLI)) (screen string, failed bool)) {
	t.Helper()
	for name, test := range afterThePlan {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := clitest.NewService(t, mockserver.Audiobook(0))
			screen, failed := apply(t, service, test.budget, func(terraform *clitest.CLI) {
				service.WantCount(mockserver.ConvertChapter, 0)
				test.happens(service, terraform)
			})
			wantScreen(t, screen, test.says)
			requests := 5
			if test.failed {
				requests = 0
			}
			if failed != test.failed {
				t.Errorf("failed: %t", failed)
			}
			service.WantCount(mockserver.ConvertChapter, requests)
		})
	}
}

// playAtlantis plays the steps of the workflow that the page links to as Atlantis does. Its shell goes on after a failed command.
func playAtlantis(t *testing.T, terraform *clitest.CLI, workflow, stage string) (screen string, failed bool) {
	t.Helper()
	var configuration struct {
		Workflows map[string]map[string]struct{ Steps []any }
	}
	readYAML(t, workflow, &configuration)
	environment := append(slices.Clone(terraform.Environment), "PLANFILE="+filepath.Join(terraform.Folder, "default.tfplan"))
	given := terraform.Environment
	defer func() { terraform.Environment = given }()
	run := func(command string) (said string) {
		terraform.WriteFile("step.sh", command)
		terraform.Environment = environment
		said, err := shell(t, terraform, "exec sh step.sh")
		failed = err != nil
		return said
	}
	for _, step := range configuration.Workflows["audiobook"][stage].Steps {
		if failed {
			break
		}
		fields, _ := step.(map[string]any)
		variable, _ := fields["env"].(map[string]any)
		command, isRun := fields["run"].(string)
		switch {
		case step == "init":
			screen += run("terraform init -input=false")
		case isRun:
			screen += run(command)
		case variable["value"] != nil:
			environment = append(environment, fmt.Sprintf("%s=%s", variable["name"], variable["value"]))
		case variable["command"] != nil:
			value := run(variable["command"].(string))
			screen += value
			environment = append(environment, fmt.Sprintf("%s=%s", variable["name"], strings.TrimSuffix(value, "\n")))
		default:
			t.Fatalf("nobody knows the step %v", step)
		}
	}
	return screen, failed
}

// TestCLIRecipeAtlantis: the comment has the plan and its warnings, or the error of a limit that the book exceeds.
func TestCLIRecipeAtlantis(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.StateLockFiles)
	workflow := read(t, examplesFolder, atlantisExample)
	service := clitest.NewService(t, mockserver.Audiobook(0))
	terraform := checkout(t, service, t.TempDir())
	tight := strings.ReplaceAll(workflow, "500000", "2000")
	if tight == workflow {
		t.Fatalf("no limit in:\n%s", workflow)
	}
	screen, failed := playAtlantis(t, terraform, tight, "plan")
	wantScreen(t, screen, "error: Too many characters to convert")
	if !failed {
		t.Error("the limit fails no plan")
	}
	screen, failed = playAtlantis(t, terraform, workflow, "plan")
	wantScreen(t, screen, "warning: Conversions that cost credits", "541  \"Crossing\" (chapter-3)", "Plan: 2 to add")
	service.WantCount(mockserver.ConvertChapter, 0)
	if failed {
		t.Error("the plan failed")
	}
	screen, _ = playAtlantis(t, terraform, workflow, "apply")
	wantScreen(t, screen, "Apply complete! Resources: 2 added")
	service.WantCount(mockserver.ConvertChapter, 5)
}

func TestOneCLIRecipeAtlantis_afterThePlan(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.StateLockFiles)
	workflow := read(t, examplesFolder, atlantisExample)
	playAfterThePlan(t, func(t *testing.T, service *clitest.Service, budget string, happens func(*clitest.CLI)) (screen string, failed bool) {
		t.Helper()
		workflow, terraform := strings.ReplaceAll(workflow, "500000", cmp.Or(budget, "500000")), checkout(t, service, t.TempDir())
		screen, failed = playAtlantis(t, terraform, workflow, "plan")
		if failed {
			t.Fatal(screen)
		}
		happens(terraform)
		return playAtlantis(t, terraform, workflow, "apply")
	})
}

// TestCLIRecipeRotateTheKey: with the page's ephemeral variable, a saved plan needs the key again, which may be another one by then.
func TestCLIRecipeRotateTheKey(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.EphemeralValues)
	settings := code(t, root+"/docs/index.md", "Settings", "terraform")[0]
	const variable = "TF_VAR_audioprojects_api_key"
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

// TestOneCLIPages_severalAccounts: with the page's second provider block, each project is converted, and paid for, with its own key.
func TestOneCLIPages_severalAccounts(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.EphemeralValues)
	second := mockserver.Audiobook(0)
	second.ID = "second"
	r := follow(t, read(t, examplesFolder, bookFolder, "resource.tf")+code(t, root+"/docs/index.md", "Settings", "terraform")[1], mockserver.Audiobook(0), second)
	const secondKey = "the-second-key"
	r.AddKey(mockserver.Key{Secret: secondKey})
	r.Environment = append(r.Environment, "TF_VAR_second_api_key="+secondKey)
	r.apply("2 added")
	r.WantCount(mockserver.ConvertChapter, 10)
	for _, entry := range r.Journal() {
		isSecond := entry.Header.Get("xi-api-key") == secondKey
		if isSecond != (entry.ProjectID == "second") {
			t.Errorf("%s of project %q with the key of the other account", entry.Operation, entry.ProjectID)
		}
	}
}

// TestCLIPages_warningsOfAPlan: the page's commands write the warnings of a plan, and the error of one that the limit refuses, as code. The
// pipelines have the same command. The name of a chapter would be Markdown otherwise.
func TestCLIPages_warningsOfAPlan(t *testing.T) {
	t.Parallel()
	commands := code(t, costsGuide, "Review a saved plan", "sh")
	plan, write := commands[0], strings.TrimSpace(commands[1])
	for _, example := range []string{workflowExample, gitlabExample} {
		if !strings.Contains(read(t, examplesFolder, example), write) {
			t.Errorf("%s has not the command of the page", example)
		}
	}
	book := mockserver.Audiobook(0)
	book.Chapters[0].Name = "[Dark](http://127.0.0.1) @reader\n```\n# Größe <b>&</b> \\"
	r := followExample(t, limitsExample, book)
	for most, refused := range map[string]bool{"2253": false, "2252": true} {
		r.Environment = append(r.Environment, "AUDIOPROJECTS_MAX_CHARACTERS="+most)
		_, err := shell(t, r.CLI, plan)
		if (err != nil) != refused {
			t.Errorf("with a limit of %s: %v", most, err)
		}
		runShell(t, r.CLI, write)
		written := read(t, r.Folder, "plan.md")
		for _, line := range []string{
			`    warning: Conversions that cost credits in project "audiobook": 5 chapters, 2,253 characters at most`,
			"             509  \"[Dark](http://127.0.0.1) @reader ``` # Größe <b>&</b> \\\\\" (chapter-1)",
			"           2,253  in total",
		} {
			if !strings.Contains(written, "\n"+line+"\n") {
				t.Errorf("no %q in:\n%s", line, written)
			}
		}
		if strings.Contains(written, "    error: Too many characters to convert\n") != refused {
			t.Errorf("with a limit of %s:\n%s", most, written)
		}
		for _, line := range strings.Split(strings.TrimSuffix(written, "\n"), "\n") {
			if !strings.HasPrefix(line, "    ") {
				t.Errorf("%q is no code", line)
			}
		}
	}
	r.WantCount(mockserver.ConvertChapter, 0)
}

// TestCLIRecipeAlert: the page's plan has the exit status 2 after an edit, and 0 before.
func TestCLIRecipeAlert(t *testing.T) {
	t.Parallel()
	commands := code(t, pipelineGuide, "Be alerted", "sh")
	plan := commands[len(commands)-1]
	r := followExample(t, bookFolder+"resource.tf", convertedAudiobook(0))
	r.apply()
	runShell(t, r.CLI, plan)
	r.EditChapter("audiobook", "chapter-3", "Wren rowed on.")
	screen, _ := shell(t, r.CLI, strings.TrimSpace(plan)+` || echo "exit status $?"`)
	wantScreen(t, screen, "1 chapter, 14 characters at most", "exit status 2")
	r.WantCount(mockserver.ConvertChapter, 0)
}

// TestCLIRecipeWhereTheAudioGoes has a new folder for each run, and one state. A run without new audio downloads and uploads nothing. An
// edit is converted, downloaded and uploaded by one apply. A folder is in the place of the bucket.
func TestCLIRecipeWhereTheAudioGoes(t *testing.T) {
	t.Parallel()
	kept := t.TempDir()
	bucket := filepath.Join(kept, "book.mp3")
	upload := fmt.Sprintf(`resource "terraform_data" "bucket" {
  triggers_replace = audioprojects_project_snapshot_audio.book.content_base64sha256

  provisioner "local-exec" {
    command = "cp '${audioprojects_project_snapshot_audio.book.filename}' %s"
  }
}
`, bucket)
	const example = audioFolder + "resource_upload.tf"
	if !strings.Contains(section(t, bookGuide, "The file in CI, and in a bucket"), "/examples/"+example+")") {
		t.Error("the page does not name the example")
	}
	configuration := fromHere(t, read(t, examplesFolder, example)) // with a set of values in the place of the upload
	service := clitest.NewService(t, mockserver.Audiobook(0))
	machine := func() *reader {
		r := &reader{clitest.New(t, service.Address, configurationFile(t, configuration+upload)), service, t}
		r.WriteFile("backend.tf", fmt.Sprintf("terraform {\n  backend \"local\" {\n    path = %q\n  }\n}\n", filepath.Join(kept, "terraform.tfstate")))
		install(t, r.CLI)
		r.Run("init")
		return r
	}
	oldest := machine()
	oldest.apply("3 added")
	machine().wantSettled(5)
	first := read(t, bucket)

	service.EditChapter("audiobook", "chapter-3", "Wren rowed on.")
	machine().apply("1 added, 2 changed, 1 destroyed")
	if read(t, bucket) == first {
		t.Error("the bucket has the old audio")
	}
	machine().wantSettled(6)

	// The folder of an earlier run has the old audio. Without the page's `overwrite`, the plan says so before anything is paid for.
	without := strings.Replace(configuration, "  overwrite ", "  # overwrite ", 1)
	if without == configuration {
		t.Error("the page does not allow to replace a file")
	}
	oldest.Write(without + upload)
	wantScreen(t, oldest.RunFailing("plan"), "File exists already")
	oldest.Write(configuration + upload)
	oldest.apply("2 added")
	oldest.wantSettled(6)

	// The last apply could not upload.
	machine().Run("state", "rm", "terraform_data.bucket")
	lost := machine()
	lost.RunFailing("apply", "-auto-approve")
	lost = machine()
	lost.Run("apply", "-auto-approve", "-replace=audioprojects_project_snapshot_audio.book")
	lost.wantSettled(6)
}
