package provider_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/go-version"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
)

// providerFactories make the provider of an acceptance test. It takes its settings from the environment, where TestMain has put
// them, so that only a query needs a provider block. Its requests go to the mock server of the test, whatever the base URL is.
func (s *service) providerFactories() map[string]func() (tfprotov6.ProviderServer, error) {
	s.t.Helper()
	address, err := url.Parse(s.Address)
	if err != nil {
		s.t.Fatal(err)
	}
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address.Host)
	}
	return map[string]func() (tfprotov6.ProviderServer, error){
		"audioprojects": func() (tfprotov6.ProviderServer, error) {
			return provider.NewServer("test", &http.Transport{DialContext: dial})(), nil
		},
	}
}

// example is the configuration file of a published example.
func example(path string) config.TestStepConfigFunc {
	return config.StaticFile("../../examples/" + path)
}

// exampleQuery is the published query for a list resource. A query step takes no file, and needs a provider block.
func exampleQuery(t *testing.T, block string) string {
	t.Helper()
	text, err := os.ReadFile("../../examples/list-resources/" + block + "/list-resource.tfquery.hcl")
	if err != nil {
		t.Fatal(err)
	}
	return "provider \"audioprojects\" {}\n" + string(text)
}

// version1_16_0 is not among the versions that the library names.
var version1_16_0 = version.Must(version.NewVersion("1.16.0"))

// expectNoRequests checks that a plan has asked the service nothing.
func (s *service) expectNoRequests() plancheck.PlanCheck { return noRequests{s} }

type noRequests struct{ *service }

// CheckPlan is [plancheck.PlanCheck].
func (c noRequests) CheckPlan(_ context.Context, _ plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	sent := len(c.Journal())
	if sent > 0 {
		resp.Error = fmt.Errorf("got %d requests, want none", sent)
	}
}

// wantRequests checks the requests since the last check: so many for each operation, and no others.
func (s *service) wantRequests(want map[mockserver.Operation]int) {
	s.t.Helper()
	got := map[mockserver.Operation]int{}
	for _, entry := range s.Journal() {
		got[entry.Operation]++
	}
	for operation := range got {
		_, wanted := want[operation]
		if !wanted {
			s.t.Errorf("%s requests: got %d, want none", operation, got[operation])
		}
	}
	for operation, count := range want {
		if got[operation] != count {
			s.t.Errorf("%s requests: got %d, want %d", operation, got[operation], count)
		}
	}
	s.ResetJournal()
}

// TestEveryBlockHasAnAcceptanceTest: the file that a block's name leads to has a TestAcc… with a step for the block.
func TestEveryBlockHasAnAcceptanceTest(t *testing.T) {
	t.Parallel()
	all := schemas()
	want := map[string]string{"provider_test.go": `provider "audioprojects"`}
	for name := range all.ResourceSchemas {
		want[acceptanceFile(name, "resource")] = `resource "` + name + `"`
	}
	for name := range all.DataSourceSchemas {
		want[acceptanceFile(name, "data_source")] = `data "` + name + `"`
	}
	for name := range all.ActionSchemas {
		want[acceptanceFile(name, "action")] = `action "` + name + `"`
	}
	for name := range all.ListResourceSchemas {
		want[acceptanceFile(name, "list_resource")] = `list "` + name + `"`
	}
	begins := regexp.MustCompile(`(?m)^func TestAcc\w+\(t \*testing\.T\) \{$`)
	comment := regexp.MustCompile(`(?m)^\s*//.*$`)
	for file, step := range want {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
			continue
		}
		code := comment.ReplaceAllString(string(text), "")
		runs := begins.MatchString(code) && strings.Contains(code, "resource.ParallelTest(t, ")
		if !runs || !strings.Contains(code, step) || strings.Contains(code, "t.Skip") {
			t.Errorf("%s has no acceptance test with a step for %s, or skips it", file, step)
		}
	}
}

// acceptanceFile is the file that the name of a block leads to.
func acceptanceFile(block, kind string) string {
	return strings.TrimPrefix(block, "audioprojects_") + "_" + kind + "_test.go"
}
