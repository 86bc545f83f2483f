package provider_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/hashicorp/go-version"
	"go.uber.org/goleak"
)

// TestMain gives the provider under test the namespace that configurations name, asks the
// CLI what it is, and builds the provider for the tests that use the CLI as a person does.
// It fails when a goroutine outlives the tests.
func TestMain(m *testing.M) {
	if served, err := serveSabotage(); served {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		return
	}
	os.Setenv("TF_ACC_PROVIDER_NAMESPACE", "audioprojects")
	os.Exit(func() int {
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
		}
		code := m.Run()
		// The plugin library leaves it to the garbage collector to close what a provider under test prints to.
		if err := goleak.Find(goleak.IgnoreAnyFunction("github.com/hashicorp/go-plugin.copyChan")); err != nil {
			fmt.Fprintln(os.Stderr, "Goroutines outlive the tests:", err)
			code = max(code, 1)
		}
		return code
	}())
}

// theCLI is the one that the tests run, as it calls itself.
var theCLI struct {
	product string // Terraform or OpenTofu
	version *version.Version
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

// programs is the folder that holds the provider, built by TestMain.
var programs string

func buildProvider() (remove func(), err error) {
	if programs, err = os.MkdirTemp("", "audioprojects-provider-"); err != nil {
		return nil, err
	}
	remove = func() { os.RemoveAll(programs) }
	build := exec.Command("go", "build", "-o", filepath.Join(programs, "terraform-provider-audioprojects"), "../..")
	build.Stderr = os.Stderr
	return remove, build.Run()
}
