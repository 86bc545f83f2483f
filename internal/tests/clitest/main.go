package clitest

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"

	"github.com/hashicorp/go-version"
	"go.uber.org/goleak"
)

// ProviderName is the name of the provider's program.
const ProviderName = "terraform-provider-audioprojects"

// Programs is the folder with the provider's program, which [Main] builds.
var Programs string

// testedCLI is the product and version of the CLI that the tests run.
var testedCLI struct {
	product string // Terraform or OpenTofu
	version *version.Version
}

// Main runs the tests of a package and returns the exit code. The code is not 0 if a test fails, or if a goroutine is left after
// them. If acceptance tests are enabled, it first asks the CLI for its version and builds the provider.
func Main(m *testing.M) int {
	if os.Getenv("TF_ACC") != "" {
		if err := detectCLI(); err != nil {
			fmt.Fprintln(os.Stderr, "Unable to use the CLI:", err)
			return 1
		}
		remove, err := buildProvider()
		if err != nil {
			fmt.Fprintln(os.Stderr, "Unable to build the provider:", err)
			return 1
		}
		defer remove()
		catchSignals()
	}
	code := m.Run()
	// The plugin library does not end the goroutines that copy a provider's output; the garbage collector closes their pipes.
	err := goleak.Find(goleak.IgnoreAnyFunction("github.com/hashicorp/go-plugin.copyChan"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "Goroutines are left after the tests:", err)
		code = max(code, 1)
	}
	return code
}

// catchSignals makes SIGHUP and SIGINT work in the processes that this one starts, also if nohup or a shell has made this
// process ignore them. A started process inherits ignored signals, but not caught ones.
func catchSignals() {
	for _, each := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if signal.Ignored(each) {
			signal.Notify(make(chan os.Signal, 1), each)
		}
	}
}

// detectCLI asks the CLI for its product and version, which together tell its features. If no CLI is named, it is the Terraform of the
// PATH, which terraform-plugin-testing takes as well. That library also has to know where the configurations find the provider.
func detectCLI() error {
	program := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if program == "" {
		found, err := exec.LookPath("terraform")
		if err != nil {
			return err
		}
		program = found
		os.Setenv("TF_ACC_TERRAFORM_PATH", program)
	}
	said, err := exec.Command(program, "version").Output()
	if err != nil {
		return fmt.Errorf("%s version: %w", program, err)
	}
	answer := regexp.MustCompile(`(?m)^(Terraform|OpenTofu) v(\S+)$`).FindSubmatch(said)
	if answer == nil {
		return fmt.Errorf("%s does not say what it is: %s", program, said)
	}
	testedCLI.product = string(answer[1])
	if testedCLI.product == "OpenTofu" {
		os.Setenv("TF_ACC_PROVIDER_HOST", "registry.opentofu.org")
	}
	testedCLI.version, err = version.NewVersion(string(answer[2]))
	return err
}

func buildProvider() (remove func(), err error) {
	Programs, err = os.MkdirTemp("", "audioprojects-provider-")
	if err != nil {
		return nil, err
	}
	remove = func() { os.RemoveAll(Programs) }
	return remove, Build(filepath.Join(Programs, ProviderName), "github.com/audioprojects/terraform-provider-audioprojects", "-ldflags", "-s -w")
}

// Build builds the program of the package source.
func Build(file, source string, flags ...string) error {
	arguments := append(append([]string{"build", "-trimpath"}, flags...), "-o", file, source)
	screen, err := exec.Command("go", arguments...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("go build %s: %w\n%s", source, err, screen)
	}
	return nil
}
