package clitest

import (
	"os"
	"testing"

	"github.com/hashicorp/go-version"
)

// Feature is something that not every CLI has.
type Feature struct {
	name string
	// since is the first version with the feature, by product.
	since map[string]string
}

// The features that tests need.
var (
	Actions         = Feature{"actions", map[string]string{"Terraform": "1.14"}}
	Queries         = Feature{"queries", map[string]string{"Terraform": "1.14"}}
	Identities      = Feature{"resource identity", map[string]string{"Terraform": "1.12", "OpenTofu": "1.12"}}
	ImportLoops     = Feature{"import blocks with for_each", map[string]string{"Terraform": "1.7", "OpenTofu": "1.7"}}
	EphemeralValues = Feature{"ephemeral values", map[string]string{"Terraform": "1.10", "OpenTofu": "1.11"}}
	StateLockFiles  = Feature{"lock files beside a state", map[string]string{"Terraform": "1.10", "OpenTofu": "1.10"}}
	MockedTests     = Feature{"tests with mocks", map[string]string{"Terraform": "1.7", "OpenTofu": "1.8"}}
)

// Needs skips an acceptance test on a CLI without the features.
func Needs(t testing.TB, features ...Feature) {
	t.Helper()
	for _, feature := range features {
		if os.Getenv("TF_ACC") != "" && !feature.There(t) {
			t.Skipf("%s %s has no %s.", testedCLI.product, testedCLI.version, feature.name)
		}
	}
}

// Version is the product that an acceptance test runs, Terraform or OpenTofu, and its version. A development build, whose version is
// 1.16.3-dev for example, has that of its release, and its features.
func Version(t testing.TB) (product string, running *version.Version) {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("acceptance tests run only where TF_ACC is set")
	}
	return testedCLI.product, testedCLI.version.Core()
}

// There reports whether the CLI of an acceptance test has the feature.
func (f Feature) There(t testing.TB) bool {
	t.Helper()
	product, running := Version(t)
	since, known := f.since[product]
	return known && running.GreaterThanOrEqual(version.Must(version.NewVersion(since)))
}
