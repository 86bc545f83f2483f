package clitest

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver/contract"
)

// Service is the mock server of one test.
type Service struct {
	*mockserver.Server
	t       testing.TB
	Address string
}

// NewService starts a mock server. Every request and answer is checked against the OpenAPI description of the document.
func NewService(t testing.TB, projects ...mockserver.Project) *Service {
	t.Helper()
	mock := mockserver.New()
	return StartService(t, mock, contract.Check(mock, func(err error) { t.Error(err) }), projects...)
}

// NewFaultyService starts a mock server without that check, because its scripted faults may break the description.
func NewFaultyService(t testing.TB, projects ...mockserver.Project) *Service {
	t.Helper()
	mock := mockserver.New()
	return StartService(t, mock, mock, projects...)
}

// StartService serves a handler that passes requests to the mock server.
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

// WantCount checks the number of requests for an operation.
func (s *Service) WantCount(operation mockserver.Operation, want int) {
	s.t.Helper()
	got := s.Count(operation)
	if got != want {
		s.t.Errorf("%s requests: got %d, want %d", operation, got, want)
	}
}

// WantPaid checks how many conversions of a chapter the service has accepted.
func (s *Service) WantPaid(projectID, chapterID string, want int) {
	s.t.Helper()
	got := s.Conversions(projectID, chapterID)
	if got != want {
		s.t.Errorf("conversions of chapter %s accepted: got %d, want %d", chapterID, got, want)
	}
}
