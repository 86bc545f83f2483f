package pages

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
)

// install makes `terraform init` install the built provider, in the version that the pages ask for. With the overrides of
// other tests there is nothing to install, and whoever reads the page has none.
func install(t *testing.T, terraform *clitest.CLI) {
	t.Helper()
	version := regexp.MustCompile(`(?m)^## \[(\d\S*)\]`).FindStringSubmatch(read(t, root, "CHANGELOG.md"))[1]
	mirror := t.TempDir()
	for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		folder := filepath.Join(mirror, host, "audioprojects/audioprojects", version, runtime.GOOS+"_"+runtime.GOARCH)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		program := filepath.Join(clitest.Programs, clitest.ProviderName)
		if err := os.Symlink(program, filepath.Join(folder, clitest.ProviderName+"_v"+version)); err != nil {
			t.Fatal(err)
		}
	}
	settings := filepath.Join(mirror, "mirror.tfrc")
	if err := os.WriteFile(settings, []byte(`provider_installation { filesystem_mirror { path = "`+mirror+`" } }`), 0o600); err != nil {
		t.Fatal(err)
	}
	terraform.Environment = append(terraform.Environment, "TF_CLI_CONFIG_FILE="+settings)
}

// shell runs the commands of a page in the CLI's folder, where `terraform` is the CLI and asks nothing, and returns what they print.
// The lines that export an address and a key are left out: the test's are set already.
func shell(t *testing.T, terraform *clitest.CLI, commands string) (screen string, err error) {
	t.Helper()
	programs := t.TempDir()
	if err := os.Symlink(os.Getenv("TF_ACC_TERRAFORM_PATH"), filepath.Join(programs, "terraform")); err != nil {
		t.Fatal(err)
	}
	commands = regexp.MustCompile(`(?m)^export .*\n`).ReplaceAllString(commands, "")
	commands = regexp.MustCompile(`(?m)^((?:\w+=\S+ )*terraform apply)( -\S+)*$`).ReplaceAllString(commands, "$1 -auto-approve$2")
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
