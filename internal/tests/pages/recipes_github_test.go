package pages

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// workflow is the part of a workflow of GitHub that its runs go by.
type workflow struct {
	Env  map[string]string
	Jobs map[string]struct {
		TimeoutMinutes int `yaml:"timeout-minutes"`
		Env            map[string]string
		Steps          []struct {
			If, Uses, Run string
			Env, With     map[string]string
		}
	}
}

// workflowRun is a run of the workflow in GitHub Actions that the guide links to.
type workflowRun struct {
	*clitest.CLI
	*testing.T
	states, book string
	pullRequest  bool
	most         string // in place of AUDIOPROJECTS_MAX_CHARACTERS, if not empty
	afterThePlan func(*clitest.CLI)

	screen, summary string
	asked, comment  string // what `gh` was called with, and what it read
	failed          bool
}

// play runs the steps one after another. After one that has failed, only those run that say so.
func (r *workflowRun) play() *workflowRun {
	r.Helper()
	var flow workflow
	readYAML(r.T, read(r.T, examplesFolder, workflowExample), &flow)
	number := ""
	if r.pullRequest {
		number = "12"
	}
	values := map[string]string{
		"matrix.book": r.book, "github.event.number": number, "github.token": "the-token", "github.run_id": "7", "github.run_attempt": "1",
	}
	fill := func(text string) string {
		return regexp.MustCompile(`\$\{\{ (.*?) \}\}`).ReplaceAllStringFunc(text, func(expression string) string {
			value, known := values[strings.Trim(expression, "${} ")]
			if !known {
				r.Errorf("no value of %s", expression)
			}
			return value
		})
	}
	set := func(variables map[string]string) (environment []string) {
		for name, value := range variables {
			// The test has its own service.
			if name != "AUDIOPROJECTS_BASE_URL" && name != "AUDIOPROJECTS_API_KEY" {
				environment = append(environment, name+"="+fill(value))
			}
		}
		return environment
	}
	github := onlyHere(r.T, map[string]string{"gh": `echo "$GH_TOKEN $*" >>gh.txt && cat >comment.md`})
	job, summary := flow.Jobs["book"], filepath.Join(r.TempDir(), "summary.md")
	environment := slices.Concat(r.Environment, set(flow.Env), set(job.Env), []string{"GITHUB_STEP_SUMMARY=" + summary})
	if r.most != "" {
		environment = append(environment, "AUDIOPROJECTS_MAX_CHARACTERS="+r.most)
	}
	for _, step := range job.Steps {
		runs := !r.failed
		for _, condition := range strings.Split(step.If, " && ") {
			switch condition {
			case "":
			case "!cancelled()", "always()":
				runs = true
			case "github.event_name != 'pull_request'":
				runs = runs && !r.pullRequest
			default:
				r.Errorf("nobody knows whether %s", condition)
			}
		}
		if !runs {
			continue
		}
		if strings.Contains(step.Uses, "/upload-artifact@") {
			_, err := os.Stat(filepath.Join(r.Folder, step.With["path"]))
			isNotApplied := strings.Contains(r.screen, "cost unknown") // So there is no log.
			if err != nil && step.With["if-no-files-found"] == "" && !isNotApplied {
				r.Errorf("nothing to keep as %s: %v", fill(step.With["name"]), err)
			}
		}
		if r.afterThePlan != nil && strings.Contains(step.Run, "terraform apply") {
			r.afterThePlan(r.CLI)
		}
		command := strings.ReplaceAll(step.Run, `"key=$TF_VAR_project_id.tfstate"`, `"path=`+filepath.Join(r.states, r.book)+`"`)
		r.Environment = slices.Concat(environment, set(step.Env))
		screen, err := shell(r.T, r.CLI, github+command)
		r.screen += screen
		r.failed = r.failed || err != nil
	}
	r.summary = read(r.T, summary)
	asked, _ := os.ReadFile(filepath.Join(r.Folder, "gh.txt"))
	comment, _ := os.ReadFile(filepath.Join(r.Folder, "comment.md"))
	r.asked, r.comment = string(asked), string(comment)
	return r
}

// TestCLIRecipeEveryNight plays the steps of the workflow: for what has been merged, for a pull request, and every night. A second
// book has a state of its own.
func TestCLIRecipeEveryNight(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.StateLockFiles)
	second := mockserver.Audiobook(0)
	second.ID = "second"
	service, states := clitest.NewService(t, mockserver.Audiobook(0), second), t.TempDir()
	run := func(book string) *workflowRun {
		r := (&workflowRun{CLI: checkout(t, service, states), T: t, states: states, book: book}).play()
		if r.failed || r.asked != "" {
			t.Errorf("failed: %t, asked GitHub: %q\n%s", r.failed, r.asked, r.screen)
		}
		return r
	}
	first := run("audiobook")
	wantScreen(t, first.screen, "Apply complete! Resources: 2 added")
	service.WantCount(mockserver.ConvertChapter, 5)
	audio := read(t, first.Folder, "audio/audiobook.mp3")
	if len(audio) == 0 {
		t.Error("the audio is empty")
	}
	log := read(t, first.Folder, "spent.log")
	if strings.Count(log, "Conversion requested") != 5 || strings.Contains(log, mockserver.Secret) {
		t.Errorf("got the log\n%s", log)
	}
	wantScreen(t, run("audiobook").screen, "No changes.")
	service.EditChapter("audiobook", "chapter-3", "Wren rowed on, and the bell was silent.")
	third := run("audiobook")
	wantScreen(t, third.screen, "Apply complete! Resources: 0 added, 2 changed")
	service.WantCount(mockserver.ConvertChapter, 6)
	wantScreen(t, third.summary, `warning: Conversions that cost credits in project "audiobook": 1 chapter, 39 characters at most`, `39 "Crossing" (chapter-3)`)
	wantScreen(t, run("second").screen, `in project "second"`, "Apply complete! Resources: 2 added")
	service.WantCount(mockserver.ConvertChapter, 11)
}

func TestOneCLIRecipeGitHub_afterThePlan(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.StateLockFiles)
	playAfterThePlan(t, func(t *testing.T, service *clitest.Service, budget string, happens func(*clitest.CLI)) (screen string, failed bool) {
		t.Helper()
		states := t.TempDir()
		r := (&workflowRun{CLI: checkout(t, service, states), T: t, states: states, book: "audiobook", most: budget, afterThePlan: happens}).play()
		return r.screen, r.failed
	})
}

// TestCLIRecipePullRequest plays the workflow for a pull request: nothing is converted, and a comment has the warnings of the plan, also
// if the limit refuses it. Without warnings it says so.
func TestCLIRecipePullRequest(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.StateLockFiles)
	const (
		asks     = "the-token pr comment 12 --body-file -\n"
		estimate = "\n             541  \"Crossing\" (chapter-3)\n"
		refusal  = "    error: Too many characters to convert\n"
	)
	for name, test := range map[string]struct {
		book    mockserver.Project
		most    string
		refused bool
	}{
		"first":       {mockserver.Audiobook(0), "", false},
		"refused":     {mockserver.Audiobook(0), "2000", true},
		"no warnings": {convertedAudiobook(0), "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			states, settled := t.TempDir(), name == "no warnings"
			service := clitest.NewService(t, test.book)
			if settled {
				(&workflowRun{CLI: checkout(t, service, states), T: t, states: states, book: "audiobook"}).play()
			}
			r := (&workflowRun{CLI: checkout(t, service, states), T: t, states: states, book: "audiobook", pullRequest: true, most: test.most}).play()
			if r.failed != test.refused || strings.Contains(r.comment, refusal) != test.refused {
				t.Errorf("refused: %t\n%s\n%s", r.failed, r.screen, r.comment)
			}
			if r.summary != r.comment || strings.Contains(r.comment, estimate) == settled || r.asked != asks {
				t.Errorf("asked %q: got the summary\n%s\nand the comment\n%s", r.asked, r.summary, r.comment)
			}
			if (r.comment == "The plan has no warnings.\n") != settled {
				t.Errorf("got the comment\n%s", r.comment)
			}
			service.WantCount(mockserver.ConvertChapter, 0)
		})
	}
}

// TestWorkflow_canSaveState: the book ends before the job, and the job before the session of the role. Actions are named
// by the hash that the project's own workflows have.
func TestWorkflow_canSaveState(t *testing.T) {
	t.Parallel()
	var flow workflow
	readYAML(t, read(t, examplesFolder, workflowExample), &flow)
	job := flow.Jobs["book"]
	for _, hours := range regexp.MustCompile(`(?:create|update) = "(\d+)h"`).FindAllStringSubmatch(read(t, examplesFolder, pipelineExample), -1) {
		book, err := strconv.Atoi(hours[1])
		if err != nil || book*60 >= job.TimeoutMinutes {
			t.Errorf("the book may take %sh, and the job %d minutes", hours[1], job.TimeoutMinutes)
		}
	}
	session, own := 0, read(t, root, ".github/workflows/test.yml")
	for _, step := range job.Steps {
		seconds := step.With["role-duration-seconds"]
		if seconds != "" {
			session, _ = strconv.Atoi(seconds)
		}
		name, hash, _ := strings.Cut(step.Uses, "@")
		hashed := step.Uses == "" || regexp.MustCompile(`^[0-9a-f]{40}$`).MatchString(hash)
		otherHere := strings.Contains(own, name+"@") && !strings.Contains(own, step.Uses)
		if !hashed || otherHere {
			t.Errorf("%s is not named by its hash, or not by the one here", step.Uses)
		}
		// After an error or a cancellation, the next run would not download the audio again.
		keeps := name == "actions/upload-artifact"
		if keeps && !strings.HasPrefix(step.If, "always() && ") {
			t.Errorf("%s is not kept after an error", step.With["path"])
		}
	}
	if session < 60*job.TimeoutMinutes {
		t.Errorf("the role's session ends after %d seconds, and the job after %d minutes", session, job.TimeoutMinutes)
	}
	if !strings.Contains(read(t, root, ".github/dependabot.yml"), "      - /examples/pipeline\n") {
		t.Error("Dependabot does not look at the example")
	}
}
