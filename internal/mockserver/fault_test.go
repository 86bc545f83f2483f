package mockserver_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// testProject has one chapter and one snapshot.
var testProject = mockserver.Project{
	ID:        "p",
	Chapters:  []mockserver.Chapter{{ID: "c"}},
	Snapshots: []mockserver.ProjectSnapshot{{ID: "s"}},
}

const convertPath = "/v1/projects/p/chapters/c/convert"

func TestFault_whatTheClientReceives(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		fault    mockserver.Fault
		status   int    // 0: no answer
		body     string // its beginning
		err      error  // of the answer, or of its body
		accepted int
	}{
		{name: "reset", fault: mockserver.Fault{Reset: true}, err: syscall.ECONNRESET},
		{name: "reset after processing", fault: mockserver.Fault{Reset: true, Process: true},
			err: syscall.ECONNRESET, accepted: 1},
		{name: "end", fault: mockserver.Fault{EOF: true}, err: io.EOF},
		{name: "end after processing", fault: mockserver.Fault{EOF: true, Process: true}, err: io.EOF, accepted: 1},
		{name: "status", fault: mockserver.Fault{Status: 502, Body: "<html>"}, status: 502, body: "<html>"},
		{name: "status after processing", fault: mockserver.Fault{Status: 502, Process: true}, status: 502, accepted: 1},
		{name: "unreadable success", fault: mockserver.Fault{Body: "{", Process: true}, status: 200, body: "{", accepted: 1},
		{name: "truncated", fault: mockserver.Fault{Truncate: 5}, status: 200, body: `{"sta`,
			err: io.ErrUnexpectedEOF, accepted: 1},
		{name: "short promise", fault: mockserver.Fault{Status: 200, Header: http.Header{"Content-Length": {"9"}}},
			status: 200, err: io.ErrUnexpectedEOF},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := overTCP(t, testProject)
			s.Inject(test.fault)
			got := s.request(http.MethodPost, convertPath, "")
			if got.status != test.status || !strings.HasPrefix(string(got.body), test.body) || !errors.Is(got.err, test.err) {
				t.Errorf("got %d %q, %v; want %d %q, %v",
					got.status, got.body, got.err, test.status, test.body, test.err)
			}
			accepted := s.Conversions("p", "c")
			if accepted != test.accepted {
				t.Errorf("accepted: got %d, want %d", accepted, test.accepted)
			}
			entry := s.Journal()[0]
			if entry.Status != test.status || entry.Accepted != (test.accepted == 1) {
				t.Errorf("journal: got %d, accepted %v", entry.Status, entry.Accepted)
			}
		})
	}
}

func TestFault_whichRequestsAreHit(t *testing.T) {
	t.Parallel()
	s := overTCP(t, testProject, mockserver.Project{ID: "other"})
	s.Inject(mockserver.Fault{Operation: mockserver.ListChapters, ProjectID: "p", Skip: 1, Times: 2, Status: 500})
	s.Inject(mockserver.Fault{Operation: mockserver.ListChapters, ProjectID: "p", Status: 501})
	s.Inject(mockserver.Fault{ChapterID: "c", Times: -1, Status: 503})
	for i, step := range []struct {
		path   string
		status int
	}{
		{"/v1/projects/p/chapters", 501}, // the first fault lets one pass, the second does not
		{"/v1/projects/other/chapters", 200},
		{"/v1/projects/p/chapters", 500},
		{"/v1/projects/p", 200},
		{"/v1/projects/p/chapters", 500},
		{"/v1/projects/p/chapters", 200},
		{"/v1/projects/p/chapters/c/snapshots", 503},
		{"/v1/projects/p/chapters/c/snapshots", 503},
	} {
		got, _ := s.ask(http.MethodGet, step.path)
		if got != step.status {
			t.Errorf("request %d, %s: got %d, want %d", i, step.path, got, step.status)
		}
	}
}
