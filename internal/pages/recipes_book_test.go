package pages

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// guideFolder builds, in an empty folder, what the guide tells: its files and nothing else.
func guideFolder(t *testing.T, service *clitest.Service) *clitest.CLI {
	t.Helper()
	terraform := clitest.New(t, service.Address, configurationFile(t, code(t, bookGuide, "The configuration", "terraform")[0]))
	install(t, terraform)
	return terraform
}

// TestAccRecipeBook follows the guide from an empty folder to an edit, with the commands as they stand there.
func TestAccRecipeBook(t *testing.T) {
	t.Parallel()
	service := clitest.NewService(t, mockserver.Audiobook(0))
	terraform := guideFolder(t, service)
	screen := runShell(t, terraform, code(t, bookGuide, "Plan and apply", "sh")...)
	clitest.WantScreen(t, []string{screen}, `Conversions that cost credits in project "audiobook": 5 chapters, 2,253 characters at most`,
		"Apply complete! Resources: 2 added")
	service.WantCount(mockserver.ConvertChapter, 5)

	commands := code(t, bookGuide, "When the text changes", "sh")
	edit := regexp.MustCompile(`^curl -d (\S+)=(\S+) http://127\.0\.0\.1:8787(/play/edit)\n$`).FindStringSubmatch(commands[0])
	if edit == nil {
		t.Fatalf("the guide edits no chapter: %s", commands[0])
	}
	answer, err := http.PostForm(clitest.Serve(t, service.Controls())+edit[3], url.Values{edit[1]: {edit[2]}})
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%+v %v", answer, err)
	}
	answer.Body.Close()
	screen = runShell(t, terraform, commands[1:]...)
	clitest.WantScreen(t, []string{screen}, `Conversions that cost credits in project "audiobook": 1 chapter,`, "2 changed, 0 destroyed")
	service.WantPaid("audiobook", "chapter-3", 2)
	service.WantCount(mockserver.ConvertChapter, 6)
	clitest.WantScreen(t, []string{terraform.Run("plan")}, "No changes.")
}

// TestAccRecipeSample: the first chapter, then the others, and each is paid for once.
func TestAccRecipeSample(t *testing.T) {
	t.Parallel()
	service := clitest.NewService(t, mockserver.Audiobook(0))
	sample := code(t, bookGuide, "A sample before the whole book", "terraform")[0]
	terraform := clitest.New(t, service.Address, configurationFile(t, sample))
	terraform.Run("apply", "-auto-approve")
	service.WantCount(mockserver.ConvertChapter, 1)
	terraform.WriteFile("main.tf", regexp.MustCompile(`(?m)^  chapter_ids .*\n`).ReplaceAllString(sample, ""))
	clitest.WantScreen(t, []string{terraform.Run("apply", "-auto-approve")}, "4 chapters,", "0 added, 1 changed")
	service.WantCount(mockserver.ConvertChapter, 5)
}

// TestAccRecipeLeaveOut: all chapters but one, also one that is added later.
func TestAccRecipeLeaveOut(t *testing.T) {
	t.Parallel()
	service := clitest.NewService(t, mockserver.Audiobook(0))
	terraform := clitest.New(t, service.Address, configurationFile(t, code(t, bookGuide, "Leave a chapter out", "terraform")[0]))
	terraform.Run("apply", "-auto-approve")
	service.WantCount(mockserver.ConvertChapter, 4)
	service.WantPaid("audiobook", "chapter-5", 0)
	clitest.WantScreen(t, []string{terraform.Run("plan")}, "No changes.")
}

// TestAccRecipeStop: a book that is no longer managed keeps its file, and nothing is left in the state.
func TestAccRecipeStop(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.ImportLoops) // as old as blocks `removed`
	service := clitest.NewService(t, convertedAudiobook())
	service.AddProjectSnapshot("audiobook", mockserver.ProjectSnapshot{ID: "whole", CreatedAt: time.Now()})
	terraform := clitest.New(t, service.Address, readmeConfiguration(t))
	terraform.Run("apply", "-auto-approve")
	terraform.WriteFile("main.tf", code(t, bookGuide, "Stop", "terraform")[0])
	terraform.Run("apply", "-auto-approve")
	if _, err := os.Stat(filepath.Join(terraform.Folder, "audiobook.mp3")); err != nil {
		t.Error(err)
	}
	if left := terraform.Run("state", "list"); left != "" {
		t.Errorf("left in the state: %s", left)
	}
	service.WantCount(mockserver.ConvertChapter, 0)
}

// TestAccRecipeOneChapterAgain: both ways convert a chapter that has nothing left, beside a book that stays as it is.
func TestAccRecipeOneChapterAgain(t *testing.T) {
	t.Parallel()
	blocks := code(t, bookGuide, "Convert one chapter again", "terraform")
	commands := code(t, bookGuide, "Convert one chapter again", "sh")
	for name, test := range map[string]struct {
		needs       []clitest.Feature
		block, runs string
		conversions int
	}{
		"action": {[]clitest.Feature{clitest.Actions}, blocks[0], commands[0], 1},
		"block":  {nil, blocks[1], "terraform apply\n" + commands[1], 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clitest.Needs(t, test.needs...)
			service := clitest.NewService(t, convertedAudiobook())
			service.AddProjectSnapshot("audiobook", mockserver.ProjectSnapshot{ID: "whole", CreatedAt: time.Now().Add(-time.Hour)})
			terraform := guideFolder(t, service)
			terraform.Run("init")
			terraform.Run("apply", "-auto-approve")
			downloads := service.Count(mockserver.StreamSnapshot)
			terraform.WriteFile("again.tf", test.block)
			runShell(t, terraform, test.runs)
			if service.Count(mockserver.StreamSnapshot) == downloads {
				t.Error("the new audio was not downloaded")
			}
			service.WantPaid("audiobook", "chapter-3", test.conversions)
			service.WantCount(mockserver.ConvertChapter, test.conversions)
			clitest.WantScreen(t, []string{terraform.Run("plan")}, "No changes.")
		})
	}
}

// TestAccRecipeWholeBookAgain: the voice was changed after the conversion of all chapters but the last.
func TestAccRecipeWholeBookAgain(t *testing.T) {
	t.Parallel()
	book := convertedAudiobook()
	for i := range book.Chapters {
		book.Chapters[i].ConvertedAt = time.Date(2026, time.November, 22, 7+i/4*2, 0, 0, 0, time.UTC)
	}
	service := clitest.NewService(t, book)
	recipe := code(t, bookGuide, "Convert the whole book again", "terraform")[0]
	terraform := clitest.New(t, service.Address, configurationFile(t, recipe))
	terraform.Run("apply", "-auto-approve")
	service.WantCount(mockserver.ConvertChapter, 4)
	service.WantPaid("audiobook", "chapter-5", 0)
	clitest.WantScreen(t, []string{terraform.Run("plan")}, "No changes.")
}

// TestAccRecipeAllProjects: each project that has something left has a bill.
func TestAccRecipeAllProjects(t *testing.T) {
	t.Parallel()
	second := convertedAudiobook()
	second.ID = "second"
	service := clitest.NewService(t, mockserver.Audiobook(0), second)
	terraform := clitest.New(t, service.Address, configurationFile(t, code(t, bookGuide, "Convert all my projects", "terraform")[0]))
	clitest.WantScreen(t, []string{terraform.Run("plan")}, "Plan: 2 to add", `Conversions that cost credits in project "audiobook"`)
	terraform.Run("apply", "-auto-approve")
	service.WantCount(mockserver.ConvertChapter, 5)
	clitest.WantScreen(t, []string{terraform.Run("plan")}, "No changes.")
}

// TestAccRecipeHowFar: the action prints lines like the one in the guide, and the log of an apply has them as well.
func TestAccRecipeHowFar(t *testing.T) {
	t.Parallel()
	shown := regexp.MustCompile("`(\\d of \\d chapters converted, [^`]*)`").FindStringSubmatch(section(t, bookGuide, "See how far it is"))
	if shown == nil {
		t.Fatal("the guide shows no line")
	}
	line := regexp.MustCompile(regexp.MustCompile(`\d+`).ReplaceAllString(regexp.QuoteMeta(shown[1]), `\d+`))
	commands := code(t, bookGuide, "See how far it is", "sh")
	for name, test := range map[string]struct {
		needs         []clitest.Feature
		file, command string
	}{
		"action": {[]clitest.Feature{clitest.Actions}, "actions/audioprojects_convert_project/action.tf", commands[0]},
		"log":    {nil, bookFolder + "resource.tf", commands[1] + strings.Replace(commands[2], "tail -F", "cat", 1)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clitest.Needs(t, test.needs...)
			service := clitest.NewService(t, mockserver.Audiobook(0))
			terraform := clitest.New(t, service.Address, inExamples([]string{test.file})...)
			if screen := runShell(t, terraform, test.command); !line.MatchString(screen) {
				t.Errorf("no line like %q in:\n%s", shown[1], screen)
			}
			service.WantCount(mockserver.ConvertChapter, 5)
		})
	}
}

// TestAccRecipeModule: the example is a module without a warning, with a provider block in the root and without one.
func TestAccRecipeModule(t *testing.T) {
	t.Parallel()
	root := fromHere(t, code(t, bookGuide, "Use it as a module", "terraform")[0])
	for name, provider := range map[string]string{"environment": "", "provider block": "\nprovider \"audioprojects\" {\n  max_retries = 2\n}\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := clitest.NewService(t, convertedAudiobook())
			service.AddProjectSnapshot("audiobook", mockserver.ProjectSnapshot{ID: "whole", CreatedAt: time.Now()})
			terraform := clitest.New(t, service.Address, configurationFile(t, root+provider))
			terraform.WriteFile("versions.tf", clitest.RequiredProviders)
			install(t, terraform)
			screen := runShell(t, terraform, "terraform init\nterraform validate\nterraform apply\nterraform output -json audio")
			clitest.WantScreen(t, []string{screen}, "2 added", `"path":"audio/audiobook.mp3"`)
			for _, warning := range regexp.MustCompile(`Warning: .*`).FindAllString(screen, -1) {
				// The lock file is incomplete because the provider comes from a folder.
				if !strings.HasPrefix(warning, "Warning: Adopted at no cost") && !strings.HasPrefix(warning, "Warning: Incomplete lock file") {
					t.Errorf("got %q in:\n%s", warning, screen)
				}
			}
		})
	}
}
