package pages

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// reader does what a page says, in a folder with a configuration and with a service.
type reader struct {
	*clitest.CLI
	*clitest.Service
	t *testing.T
}

// follow begins with the configuration of a page. Without projects, the service has the audiobook of the pages.
func follow(t *testing.T, configuration string, projects ...mockserver.Project) *reader {
	t.Helper()
	if projects == nil {
		projects = []mockserver.Project{mockserver.Audiobook(0)}
	}
	service := clitest.NewService(t, projects...)
	return &reader{clitest.New(t, service.Address, configurationFile(t, configuration)), service, t}
}

// followExample begins with one of the examples.
func followExample(t *testing.T, example string, projects ...mockserver.Project) *reader {
	t.Helper()
	return follow(t, read(t, examplesFolder, example), projects...)
}

func (r *reader) apply(says ...string) {
	r.t.Helper()
	wantScreen(r.t, r.Run("apply", "-auto-approve"), says...)
}

// wantSettled checks that nothing is left to do after so many conversions.
func (r *reader) wantSettled(conversions int) {
	r.t.Helper()
	wantScreen(r.t, r.Run("plan"), "No changes.")
	r.WantCount(mockserver.ConvertChapter, conversions)
}

func wantScreen(t *testing.T, screen string, messages ...string) {
	t.Helper()
	clitest.WantScreen(t, []string{screen}, messages...)
}

// convertedAudiobook is the audiobook of the pages, converted, with a snapshot of that age.
func convertedAudiobook(age time.Duration) mockserver.Project {
	book := mockserver.Audiobook(0)
	for i := range book.Chapters {
		book.Chapters[i].Converted = true
	}
	book.Snapshots = append(book.Snapshots, mockserver.ProjectSnapshot{ID: "whole", CreatedAt: time.Now().Add(-age)})
	return book
}

// readmeConfiguration is the README's, with the download that it adds.
func readmeConfiguration(t *testing.T) string {
	t.Helper()
	return strings.Join(configurations(t, filepath.Join(root, "README.md"))[0], "\n")
}

func configurationFile(t *testing.T, configuration string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "main.tf")
	writeFile(t, file, configuration)
	return file
}

func writeFile(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// install makes `terraform init` install the built provider, in the version that the pages ask for. With the overrides of
// other tests there is nothing to install, and whoever reads the page has none.
func install(t *testing.T, terraform *clitest.CLI) {
	t.Helper()
	mirror := exec.CommandContext(t.Context(), filepath.Join(root, "internal/tools/mirror.sh"), t.TempDir(), clitest.Programs)
	mirror.Stderr = os.Stderr
	settings, err := mirror.Output()
	if err != nil {
		t.Fatal(err)
	}
	terraform.Environment = append(terraform.Environment, "TF_CLI_CONFIG_FILE="+strings.TrimSpace(string(settings)))
}

// shell runs the commands of a page in the CLI's folder, where `terraform` is the CLI and asks nothing, and returns what they print.
// The lines that export an address and a key are left out: the test's are set already.
func shell(t *testing.T, terraform *clitest.CLI, commands string) (screen string, err error) {
	t.Helper()
	programs := t.TempDir()
	err = os.Symlink(os.Getenv("TF_ACC_TERRAFORM_PATH"), filepath.Join(programs, "terraform"))
	if err != nil {
		t.Fatal(err)
	}
	commands = regexp.MustCompile(`(?m)^export AUDIOPROJECTS_(BASE_URL|API_KEY)=.*\n`).ReplaceAllString(commands, "")
	commands = regexp.MustCompile(`(?m)^(\s*(?:\w+=\S+ )*(?:terraform|tofu)[-.\w]* apply)( -\S+)*$`).ReplaceAllString(commands, "$1 -auto-approve$2")
	command := exec.CommandContext(t.Context(), "bash", "-e", "-c", commands)
	command.Dir = terraform.Folder
	command.Env = slices.Concat(terraform.Environment, []string{"PATH=" + programs + ":" + os.Getenv("PATH"), "TF_INPUT=false"})
	said, err := command.CombinedOutput()
	return string(said), err
}

// runShell is shell for commands that must succeed.
func runShell(t *testing.T, terraform *clitest.CLI, commands ...string) (screen string) {
	t.Helper()
	screen, err := shell(t, terraform, strings.Join(commands, "\n"))
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, commands, screen)
	}
	return screen
}
