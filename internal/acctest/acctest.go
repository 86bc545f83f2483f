// Package acctest is the harness of the acceptance tests: a mock server for each, the provider that talks to it, and what is checked of its
// requests.
package acctest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"testing"

	"github.com/hashicorp/go-version"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// Main runs the tests of a package. The provider of the acceptance tests is configured as most users do it.
func Main(m *testing.M) {
	os.Setenv("AUDIOPROJECTS_BASE_URL", "http://localhost")
	os.Setenv("AUDIOPROJECTS_API_KEY", mockserver.Secret)
	os.Exit(clitest.Main(m))
}

// ProviderFactories make the provider of an acceptance test. It takes its settings from the environment, where [Main] has put
// them, so that only a query needs a provider block. Its requests go to the mock server of the test, whatever the base URL is.
func (s *Service) ProviderFactories() map[string]func() (tfprotov6.ProviderServer, error) {
	s.T.Helper()
	address, err := url.Parse(s.Address)
	if err != nil {
		s.T.Fatal(err)
	}
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address.Host)
	}
	return map[string]func() (tfprotov6.ProviderServer, error){
		"audioprojects": func() (tfprotov6.ProviderServer, error) {
			return provider.NewServer("test", provider.Machine{Transport: &http.Transport{DialContext: dial}})(), nil
		},
	}
}

// Example is the configuration file of a published example.
func Example(path string) config.TestStepConfigFunc {
	return config.StaticFile("../../examples/" + path)
}

// ExampleQuery is the published query for a list resource. A query step takes no file, and needs a provider block.
func ExampleQuery(t *testing.T, block string) string {
	t.Helper()
	text, err := os.ReadFile("../../examples/list-resources/" + block + "/list-resource.tfquery.hcl")
	if err != nil {
		t.Fatal(err)
	}
	return "provider \"audioprojects\" {}\n" + string(text)
}

// Plan are checks of the plan that a step applies.
func Plan(checks ...plancheck.PlanCheck) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: checks}
}

// Then is what happens between a plan and its apply.
type Then func()

// CheckPlan is [plancheck.PlanCheck].
func (do Then) CheckPlan(context.Context, plancheck.CheckPlanRequest, *plancheck.CheckPlanResponse) {
	do()
}

// Version1_16_0 is not among the versions that the library names.
var Version1_16_0 = version.Must(version.NewVersion("1.16.0"))

// ExpectNoRequests checks that a plan has asked the service nothing.
func (s *Service) ExpectNoRequests() plancheck.PlanCheck { return noRequests{s} }

type noRequests struct{ *Service }

// CheckPlan is [plancheck.PlanCheck].
func (c noRequests) CheckPlan(_ context.Context, _ plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	sent := len(c.Journal())
	if sent > 0 {
		resp.Error = fmt.Errorf("got %d requests, want none", sent)
	}
}

// WantRequests checks the requests since the last check: so many for each operation, and no others.
func (s *Service) WantRequests(want map[mockserver.Operation]int) {
	s.T.Helper()
	got := map[mockserver.Operation]int{}
	for _, entry := range s.Journal() {
		got[entry.Operation]++
	}
	for operation := range got {
		_, wanted := want[operation]
		if !wanted {
			s.T.Errorf("%s requests: got %d, want none", operation, got[operation])
		}
	}
	for operation, count := range want {
		if got[operation] != count {
			s.T.Errorf("%s requests: got %d, want %d", operation, got[operation], count)
		}
	}
	s.ResetJournal()
}
