package clitest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver/contract"
)

// Service is a mock server of a test's own.
type Service struct {
	*mockserver.Server
	t       testing.TB
	Address string
}

// NewService is a mock server whose every request and answer is checked against the description of the document.
func NewService(t testing.TB, projects ...mockserver.Project) *Service {
	t.Helper()
	mock := mockserver.New()
	return StartService(t, mock, contract.Check(mock, func(err error) { t.Error(err) }), projects...)
}

// NewFaultyService is a mock server whose scripted faults may break the document.
func NewFaultyService(t testing.TB, projects ...mockserver.Project) *Service {
	t.Helper()
	mock := mockserver.New()
	return StartService(t, mock, mock, projects...)
}

// StartService serves a handler that leads to the mock server.
func StartService(t testing.TB, mock *mockserver.Server, handler http.Handler, projects ...mockserver.Project) *Service {
	t.Helper()
	for _, project := range projects {
		mock.AddProject(project)
	}
	return &Service{Server: mock, t: t, Address: Serve(t, handler)}
}

// Serve serves a handler until the test ends, and returns its address.
func Serve(t testing.TB, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// Config is a configuration that uses this service, with the given blocks.
func (s *Service) Config(blocks ...string) string {
	return ConfigFor(s.Address, mockserver.Secret, blocks...)
}

// ConfigFor is a configuration that uses the service at the address with a key, with the given blocks.
func ConfigFor(address, key string, blocks ...string) string {
	return RequiredProviders + `
provider "audioprojects" {
  base_url    = "` + address + `"
  api_key     = "` + key + `"
  max_retries = 1
}
` + strings.Join(blocks, "\n")
}

// WantCount checks how often an operation has been asked for.
func (s *Service) WantCount(operation mockserver.Operation, want int) {
	s.t.Helper()
	if got := s.Count(operation); got != want {
		s.t.Errorf("%s requests: got %d, want %d", operation, got, want)
	}
}

// WantPaid checks how many conversions of a chapter the service has accepted.
func (s *Service) WantPaid(projectID, chapterID string, want int) {
	s.t.Helper()
	if got := s.Conversions(projectID, chapterID); got != want {
		s.t.Errorf("conversions of chapter %s accepted: got %d, want %d", chapterID, got, want)
	}
}
