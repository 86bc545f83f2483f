package provider_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver/contract"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/provider"
)

// TestMain gives the provider under test the namespace that configurations name.
func TestMain(m *testing.M) {
	os.Setenv("TF_ACC_PROVIDER_NAMESPACE", "audioprojects")
	os.Exit(m.Run())
}

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
	return `
terraform {
  required_providers {
    audioprojects = {
      source = "audioprojects/audioprojects"
    }
  }
}

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
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: map[string]func() (tfprotov6.ProviderServer, error){
			"audioprojects": providerserver.NewProtocol6WithError(provider.New("test")()),
		},
		Steps: steps,
	})
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
