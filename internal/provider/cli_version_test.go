package provider_test

import (
	"os"
	"testing"

	"github.com/hashicorp/go-version"
)

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
