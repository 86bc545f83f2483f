package pages

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// gitlabJob is the part of a job of GitLab that its runs go by.
type gitlabJob struct {
	Timeout       string
	ResourceGroup string   `yaml:"resource_group"`
	BeforeScript  []string `yaml:"before_script"`
	Script        []string
	AfterScript   []string `yaml:"after_script"`
	Variables     map[string]string
	Artifacts     struct{ Paths []string }
}

// gitlabPipeline is the pipeline that the guide links to.
type gitlabPipeline struct {
	Variables            map[string]string
	Default, Plan, Apply gitlabJob
}

// play runs a job. afterThePlan happens before its apply.
func (p gitlabPipeline) play(t *testing.T, terraform *clitest.CLI, job gitlabJob, most string, afterThePlan func(*clitest.CLI)) (screen string, failed bool) {
	t.Helper()
	token := filepath.Join(t.TempDir(), "token")
	given := map[string]string{"AUDIOPROJECTS_PLAN_KEY": mockserver.Secret}
	for _, variables := range []map[string]string{p.Variables, job.Variables} {
		for name, value := range variables {
			// The test has its own service.
			if name != "AUDIOPROJECTS_BASE_URL" {
				terraform.Environment = append(terraform.Environment, name+"="+os.Expand(value, func(name string) string { return given[name] }))
			}
		}
	}
	terraform.Environment = append(terraform.Environment, "AWS_TOKEN=the-token", "AWS_WEB_IDENTITY_TOKEN_FILE="+token)
	if most != "" {
		terraform.Environment = append(terraform.Environment, "AUDIOPROJECTS_MAX_CHARACTERS="+most)
	}
	begin := onlyHere(t, map[string]string{"apk": `echo "apk $*"`})
	apply := slices.IndexFunc(job.Script, func(command string) bool { return strings.HasSuffix(command, ">plan.jsonl") }) + 1
	screen, err := shell(t, terraform, begin+strings.Join(slices.Concat(p.Default.BeforeScript, job.Script[:apply]), "\n"))
	if err == nil && apply < len(job.Script) {
		afterThePlan(terraform)
		var said string
		said, err = shell(t, terraform, strings.Join(job.Script[apply:], "\n"))
		screen += said
	}
	screen += runShell(t, terraform, begin+strings.Join(p.Default.AfterScript, "\n"))
	if read(t, token) != "the-token\n" {
		t.Error("the role is not given GitLab's token")
	}
	return screen, err != nil
}

func readGitLab(t *testing.T) (pipeline gitlabPipeline) {
	t.Helper()
	readYAML(t, read(t, examplesFolder, gitlabExample), &pipeline)
	return pipeline
}

// TestCLIRecipeGitLab plays the jobs: for a merge request, which may be refused, and for what has been merged.
func TestCLIRecipeGitLab(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.StateLockFiles)
	pipeline := readGitLab(t)
	if pipeline.Apply.ResourceGroup == "" || pipeline.Apply.Timeout != "150 minutes" {
		t.Errorf("two applies may meet, or the job ends before the book: %+v", pipeline.Apply)
	}
	service, states := clitest.NewService(t, mockserver.Audiobook(0)), t.TempDir()
	run := func(job gitlabJob, most string) (terraform *clitest.CLI, screen string, failed bool) {
		terraform = checkout(t, service, states)
		screen, failed = pipeline.play(t, terraform, job, most, func(*clitest.CLI) {})
		for _, path := range job.Artifacts.Paths {
			_, missing := os.Stat(filepath.Join(terraform.Folder, path))
			if missing != nil {
				t.Errorf("nothing to keep: %v", missing)
			}
		}
		return terraform, screen, failed
	}
	for most, refused := range map[string]bool{"": false, "2000": true} {
		terraform, screen, failed := run(pipeline.Plan, most)
		warnings := read(t, terraform.Folder, "plan.md")
		isRefused := strings.Contains(warnings, "    error: Too many characters to convert\n")
		if failed != refused || isRefused != refused || !strings.Contains(warnings, "\n             541  \"Crossing\" (chapter-3)\n") {
			t.Errorf("got the warnings\n%s\nof\n%s", warnings, screen)
		}
		service.WantCount(mockserver.ConvertChapter, 0)
	}
	terraform, screen, _ := run(pipeline.Apply, "")
	wantScreen(t, screen, "Apply complete! Resources: 2 added", "warning: Conversions that cost credits")
	service.WantCount(mockserver.ConvertChapter, 5)
	log := read(t, terraform.Folder, "spent.log")
	if strings.Count(log, "Conversion requested") != 5 {
		t.Errorf("got the log\n%s", log)
	}
	audio := read(t, terraform.Folder, "audio/audiobook.mp3")
	if audio == "" {
		t.Error("the audio is empty")
	}
}

func TestOneCLIRecipeGitLab_afterThePlan(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.StateLockFiles)
	pipeline := readGitLab(t)
	playAfterThePlan(t, func(t *testing.T, service *clitest.Service, budget string, happens func(*clitest.CLI)) (screen string, failed bool) {
		t.Helper()
		return pipeline.play(t, checkout(t, service, t.TempDir()), pipeline.Apply, budget, happens)
	})
}
