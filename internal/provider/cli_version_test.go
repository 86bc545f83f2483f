package provider_test

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"testing"

	"github.com/hashicorp/go-version"
)

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

// feature is what not every CLI has.
type feature struct {
	name string
	// since are the first versions that have it, by product.
	since map[string]string
}

var (
	actions      = feature{"actions", map[string]string{"Terraform": "1.14"}}
	queries      = feature{"queries", map[string]string{"Terraform": "1.14"}}
	identities   = feature{"resource identity", map[string]string{"Terraform": "1.12", "OpenTofu": "1.12"}}
	importLoops  = feature{"import blocks with for_each", map[string]string{"Terraform": "1.7", "OpenTofu": "1.7"}}
	ephemerality = feature{"ephemeral values", map[string]string{"Terraform": "1.10", "OpenTofu": "1.11"}}
	mocking      = feature{"tests with mocks", map[string]string{"Terraform": "1.7", "OpenTofu": "1.8"}}
)

// needs skips an acceptance test on a CLI that lacks what the test is about.
func needs(t *testing.T, features ...feature) {
	t.Helper()
	for _, feature := range features {
		if os.Getenv("TF_ACC") != "" && !feature.there() {
			t.Skipf("%s %s has no %s.", theCLI.product, theCLI.version, feature.name)
		}
	}
}

// there tells whether the CLI has the feature. A development build, which calls itself
// 1.16.3-dev, has what its release has.
func (f feature) there() bool {
	since, known := f.since[theCLI.product]
	return known && theCLI.version.Core().GreaterThanOrEqual(version.Must(version.NewVersion(since)))
}
