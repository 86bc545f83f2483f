package provider_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"go.uber.org/goleak"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver/contract"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
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

// requiredProviders says where configurations find the provider.
const requiredProviders = `
terraform {
  required_providers {
    audioprojects = {
      source = "audioprojects/audioprojects"
    }
  }
}
`

// service is a mock server of a test's own. Every request and answer is checked against
// the description of the document.
type service struct {
	*mockserver.Server
	t       *testing.T
	address string
}

func newService(t *testing.T, projects ...mockserver.Project) *service {
	t.Helper()
	mock := mockserver.New()
	return start(t, mock, contract.Check(mock, func(err error) { t.Error(err) }), projects)
}

// newFaultyService is a mock server whose scripted faults may break the document.
func newFaultyService(t *testing.T, projects ...mockserver.Project) *service {
	t.Helper()
	mock := mockserver.New()
	return start(t, mock, mock, projects)
}

func start(t *testing.T, mock *mockserver.Server, handler http.Handler, projects []mockserver.Project) *service {
	t.Helper()
	for _, project := range projects {
		mock.AddProject(project)
	}
	return &service{Server: mock, t: t, address: serve(t, handler)}
}

func serve(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// config is a configuration that uses this service, with the given blocks.
func (s *service) config(blocks ...string) string {
	return configFor(s.address, mockserver.Secret, blocks...)
}

func configFor(address, key string, blocks ...string) string {
	return requiredProviders + `
provider "audioprojects" {
  base_url    = "` + address + `"
  api_key     = "` + key + `"
  max_retries = 1
}
` + strings.Join(blocks, "\n")
}

// run applies the steps with a real Terraform.
func run(t *testing.T, steps ...resource.TestStep) {
	t.Helper()
	resource.Test(t, testCase(steps...))
}

func testCase(steps ...resource.TestStep) resource.TestCase {
	return resource.TestCase{
		ProtoV6ProviderFactories: map[string]func() (tfprotov6.ProviderServer, error){
			"audioprojects": func() (tfprotov6.ProviderServer, error) { return provider.NewServer("test")(), nil },
		},
		Steps: steps,
	}
}

// screens applies a configuration that must fail, and returns the errors that Terraform prints.
func screens(t *testing.T, config string) []string {
	t.Helper()
	var printed []string
	failing := testCase(resource.TestStep{Config: config})
	failing.ErrorCheck = func(err error) error {
		printed = strings.Split(err.Error(), "\n\nError: ")[1:]
		return nil
	}
	resource.Test(t, failing)
	return printed
}

// wantScreen checks that one of the screens says all of that, however its lines are broken.
func wantScreen(t *testing.T, screens []string, messages ...string) {
	t.Helper()
	for _, screen := range screens {
		if !slices.ContainsFunc(messages, func(message string) bool { return !says(message).MatchString(screen) }) {
			return
		}
	}
	t.Errorf("got %d errors:\n\n%s\nwant one that says %q", len(screens), strings.Join(screens, "\n"), messages)
}

// wantCount checks how often an operation has been asked for.
func (s *service) wantCount(operation mockserver.Operation, want int) {
	s.t.Helper()
	if got := s.Count(operation); got != want {
		s.t.Errorf("%s requests: got %d, want %d", operation, got, want)
	}
}

// wantPaid checks how many conversions of a chapter the service has accepted.
func (s *service) wantPaid(projectID, chapterID string, want int) {
	s.t.Helper()
	if got := s.Conversions(projectID, chapterID); got != want {
		s.t.Errorf("conversions of chapter %s accepted: got %d, want %d", chapterID, got, want)
	}
}
