package acctest

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// Service is the mock server of one test.
type Service struct {
	*clitest.Service
	T *testing.T
}

// NewService starts a mock server. Every request and answer is checked against the OpenAPI description of the document.
func NewService(t *testing.T, projects ...mockserver.Project) *Service {
	t.Helper()
	return &Service{clitest.NewService(t, projects...), t}
}

// NewFaultyService starts a mock server without that check, because its scripted faults may break the description.
func NewFaultyService(t *testing.T, projects ...mockserver.Project) *Service {
	t.Helper()
	return &Service{clitest.NewFaultyService(t, projects...), t}
}

// NewSilentService never answers requests for the path. The channel is closed when the first of them arrives.
func NewSilentService(t *testing.T, path string, projects ...mockserver.Project) (silent *Service, asked <-chan struct{}) {
	t.Helper()
	mock, arrived := mockserver.New(), make(chan struct{})
	arrive := sync.OnceFunc(func() { close(arrived) })
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == path {
			arrive()
			<-r.Context().Done()
			return
		}
		mock.ServeHTTP(w, r)
	})
	return StartService(t, mock, handler, projects...), arrived
}

// StartService serves a handler that passes requests to the mock server.
func StartService(t *testing.T, mock *mockserver.Server, handler http.Handler, projects ...mockserver.Project) *Service {
	t.Helper()
	return &Service{clitest.StartService(t, mock, handler, projects...), t}
}

// EndConversion ends the conversion of the book's chapter with success. It replaces the project;
// the count of paid conversions stays.
func (s *Service) EndConversion() {
	s.AddProject(BookWith(mockserver.Chapter{Text: LongerText, Converted: true, ConvertedAt: time.Now()}))
}

// EndConversionDuringWait ends the conversion while an apply waits for it. The refresh, the plan, the apply's own plan and the
// look that decides may each ask for a list; where the machine is slow, none of them serves another.
func (s *Service) EndConversionDuringWait() {
	before := s.Count(mockserver.ListChapters)
	var once sync.Once
	s.Watch(func(mockserver.Entry) {
		if s.Count(mockserver.ListChapters) == before+5 {
			once.Do(s.EndConversion)
		}
	})
}
