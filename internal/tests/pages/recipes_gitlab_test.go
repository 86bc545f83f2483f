package pages

import (
	"os"
	"path/filepath"
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

// TestCLIRecipeGitLab plays the jobs of the pipeline that the guide links to: for a merge request, which may be refused, and for what has
// been merged.
func TestCLIRecipeGitLab(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.StateLockFiles)
	var pipeline struct {
		Variables            map[string]string
		Default, Plan, Apply gitlabJob
	}
	readYAML(t, read(t, examplesFolder, gitlabExample), &pipeline)
	if pipeline.Apply.ResourceGroup == "" || pipeline.Apply.Timeout != "150 minutes" {
		t.Errorf("two applies may meet, or the job ends before the book: %+v", pipeline.Apply)
	}
	service, states := clitest.NewService(t, mockserver.Audiobook(0)), t.TempDir()
	run := func(job gitlabJob, most string) (terraform *clitest.CLI, screen string, failed bool) {
		terraform = checkout(t, service, states)
		token := filepath.Join(t.TempDir(), "token")
		given := map[string]string{"AUDIOPROJECTS_PLAN_KEY": mockserver.Secret}
		for _, variables := range []map[string]string{pipeline.Variables, job.Variables} {
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
		screen, err := shell(t, terraform, begin+strings.Join(append(pipeline.Default.BeforeScript, job.Script...), "\n"))
		screen += runShell(t, terraform, begin+strings.Join(job.AfterScript, "\n"))
		if read(t, token) != "the-token\n" {
			t.Error("the role is not given GitLab's token")
		}
		for _, path := range job.Artifacts.Paths {
			_, missing := os.Stat(filepath.Join(terraform.Folder, path))
			if missing != nil {
				t.Errorf("nothing to keep: %v", missing)
			}
		}
		return terraform, screen, err != nil
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
	wantScreen(t, screen, "Apply complete! Resources: 2 added")
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
