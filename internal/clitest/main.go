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

// Programs is the folder that holds the provider, built by [Main].
var Programs string

// theCLI is the one that the tests run, as it calls itself.
var theCLI struct {
	product string // Terraform or OpenTofu
	version *version.Version
}

// Main runs the tests of a package and returns the code to exit with, which is not 0 either if a goroutine outlives
// them. If acceptance tests are among them, it asks the CLI what it is and builds the provider before.
func Main(m *testing.M) int {
	// The namespace that configurations name.
	os.Setenv("TF_ACC_PROVIDER_NAMESPACE", "audioprojects")
	if os.Getenv("TF_ACC") != "" {
		if err := askCLI(); err != nil {
			fmt.Fprintln(os.Stderr, "Unable to use the CLI:", err)
			return 1
		}
		remove, err := buildProvider()
		if err != nil {
			fmt.Fprintln(os.Stderr, "Unable to build the provider:", err)
			return 1
		}
		defer remove()
		heedSignals()
	}
	code := m.Run()
	// The plugin library leaves it to the garbage collector to close what a provider under test prints to.
	if err := goleak.Find(goleak.IgnoreAnyFunction("github.com/hashicorp/go-plugin.copyChan")); err != nil {
		fmt.Fprintln(os.Stderr, "Goroutines outlive the tests:", err)
		code = max(code, 1)
	}
	return code
}

// heedSignals lets what this process starts be interrupted and hung up, also if nohup or a shell has made this
// process ignore that: a program inherits what is ignored, and not what is caught.
func heedSignals() {
	for _, each := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if signal.Ignored(each) {
			signal.Notify(make(chan os.Signal, 1), each)
		}
	}
}

// askCLI asks the CLI what it is: a version alone does not tell what it can do.
func askCLI() error {
	program := os.Getenv("TF_ACC_TERRAFORM_PATH")
	said, err := exec.Command(program, "version").Output()
	if err != nil {
		return fmt.Errorf("%s version: %w", program, err)
	}
	answer := regexp.MustCompile(`(?m)^(Terraform|OpenTofu) v(\S+)$`).FindSubmatch(said)
	if answer == nil {
		return fmt.Errorf("%s does not say what it is: %s", program, said)
	}
	theCLI.product = string(answer[1])
	theCLI.version, err = version.NewVersion(string(answer[2]))
	if theCLI.product == "OpenTofu" {
		// Where it looks for providers whose source names no host.
		os.Setenv("TF_ACC_PROVIDER_HOST", "registry.opentofu.org")
	}
	return err
}

func buildProvider() (remove func(), err error) {
	if Programs, err = os.MkdirTemp("", "audioprojects-provider-"); err != nil {
		return nil, err
	}
	remove = func() { os.RemoveAll(Programs) }
	return remove, Build(filepath.Join(Programs, ProviderName), "github.com/audioprojects/terraform-provider-audioprojects")
}

// Build builds the program of a package into a file.
func Build(file, source string, flags ...string) error {
	arguments := append(append([]string{"build"}, flags...), "-o", file, source)
	if screen, err := exec.Command("go", arguments...).CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", source, err, screen)
	}
	return nil
}
