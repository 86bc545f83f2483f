package mockserver_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver/contract"
)

// TestMain fails when a goroutine outlives the tests.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// service is a mock server and an HTTP client for it.
type service struct {
	*mockserver.Server
	t      *testing.T
	client *http.Client
	url    string
}

// inMemory starts a mock for a synctest bubble. Every request and answer must keep the contract.
func inMemory(t *testing.T, projects ...mockserver.Project) *service {
	t.Helper()
	s := newService(t, projects)
	network := mockserver.NewNetwork(contract.Check(s, func(err error) { t.Error(err) }))
	t.Cleanup(network.Close)
	s.client = &http.Client{Transport: &http.Transport{DialContext: network.DialContext}}
	s.url = "http://mock"
	return s
}

// overTCP starts a mock that may get any request, also one against the contract.
func overTCP(t *testing.T, projects ...mockserver.Project) *service {
	t.Helper()
	s := newService(t, projects)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.client = server.Client()
	s.url = server.URL
	return s
}

func newService(t *testing.T, projects []mockserver.Project) *service {
	s := &service{Server: mockserver.New(), t: t}
	for _, project := range projects {
		s.AddProject(project)
	}
	return s
}

// reply is an answer as the client receives it.
type reply struct {
	status int // 0: there was none
	header http.Header
	length int64 // of Content-Length; -1: none
	body   []byte
	err    error // of the request, or of reading the body
}

// request sends a request and reads the whole answer.
func (s *service) request(method, path, body string) reply {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		return reply{err: err}
	}
	request.Header.Set("xi-api-key", mockserver.Secret)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := s.client.Do(request)
	if err != nil {
		return reply{err: err}
	}
	defer response.Body.Close()
	received, err := io.ReadAll(response.Body)
	return reply{response.StatusCode, response.Header, response.ContentLength, received, err}
}

// ask sends a request that must be answered, and returns the status and the body.
func (s *service) ask(method, path string) (int, string) {
	s.t.Helper()
	reply := s.request(method, path, "")
	if reply.err != nil {
		s.t.Fatal(reply.err)
	}
	return reply.status, string(reply.body)
}

// get sends a GET that must succeed, and returns its JSON.
func (s *service) get(path string) record {
	s.t.Helper()
	status, body := s.ask(http.MethodGet, path)
	if status != http.StatusOK {
		s.t.Fatalf("GET %s: %d %s", path, status, body)
	}
	var fields record
	if err := json.Unmarshal([]byte(body), &fields); err != nil {
		s.t.Fatal(err)
	}
	return fields
}

// convert requests a conversion and returns the status of the answer.
func (s *service) convert(projectID, chapterID string) int {
	s.t.Helper()
	status, _ := s.ask(http.MethodPost, "/v1/projects/"+projectID+"/chapters/"+chapterID+"/convert")
	return status
}

// record is a JSON object.
type record map[string]any

// list returns the objects of a field.
func (r record) list(field string) []record {
	var records []record
	for _, element := range r[field].([]any) {
		records = append(records, element.(map[string]any))
	}
	return records
}
