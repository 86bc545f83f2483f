package mockserver_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// testProject has one chapter and one snapshot.
var testProject = mockserver.Project{
	ID:        "p",
	Chapters:  []mockserver.Chapter{{ID: "c"}},
	Snapshots: []mockserver.ProjectSnapshot{{ID: "s"}},
}

const convertPath = "/v1/projects/p/chapters/c/convert"

func TestWhatTheClientReceivesOfFaults(t *testing.T) {
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
			if got := s.Conversions("p", "c"); got != test.accepted {
				t.Errorf("accepted: got %d, want %d", got, test.accepted)
			}
			entry := s.Journal()[0]
			if entry.Status != test.status || entry.Accepted != (test.accepted == 1) {
				t.Errorf("journal: got %d, accepted %v", entry.Status, entry.Accepted)
			}
		})
	}
}

func TestTruncatedStream(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{}`, `{"convert_to_mpeg":true}`} {
		s := overTCP(t, testProject)
		s.Inject(mockserver.Fault{Truncate: 3000})
		got := s.request(http.MethodPost, "/v1/projects/p/snapshots/s/stream", body)
		if len(got.body) != 3000 || !errors.Is(got.err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: got %d bytes, %v", body, len(got.body), got.err)
		}
	}
}

func TestRateLimits(t *testing.T) {
	t.Parallel()
	moment := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	s := overTCP(t, testProject)
	s.Inject(mockserver.RateLimited(7 * time.Second))
	s.Inject(mockserver.RateLimitedUntil(moment))
	for _, want := range []string{"7", "Sat, 01 Mar 2025 12:00:00 GMT"} {
		reply := s.request(http.MethodPost, convertPath, "")
		if got := reply.header.Get("Retry-After"); reply.status != 429 || got != want {
			t.Errorf("got %d, Retry-After %q; want 429, %q", reply.status, got, want)
		}
	}
}

func TestWhichRequestsAreHit(t *testing.T) {
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
		if got, _ := s.ask(http.MethodGet, step.path, ""); got != step.status {
			t.Errorf("request %d, %s: got %d, want %d", i, step.path, got, step.status)
		}
	}
}

func TestARedirectAsAFault(t *testing.T) {
	t.Parallel()
	s, elsewhere := overTCP(t, testProject), overTCP(t, mockserver.Project{ID: "p", Name: "Elsewhere"})
	s.Inject(mockserver.Fault{Status: 307, Header: http.Header{"Location": {elsewhere.url + "/v1/projects/p"}}})
	if got := s.get("/v1/projects/p")["name"]; got != "Elsewhere" {
		t.Errorf("got %v", got)
	}
}

func TestHangDelaysTheAnswer(t *testing.T) {
	t.Parallel()
	for _, process := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := inMemory(t, testProject)
			s.client.Timeout = 10 * time.Second
			s.Inject(mockserver.Fault{Process: process, Hang: time.Minute})
			s.Inject(mockserver.Fault{Hang: 5 * time.Second})

			if got := s.request(http.MethodPost, convertPath, ""); !errors.Is(got.err, context.DeadlineExceeded) {
				t.Errorf("hanging longer than the client waits: got %v", got.err)
			}
			synctest.Wait()
			want := 0
			if process {
				want = 1
			}
			if got := s.Conversions("p", "c"); got != want {
				t.Errorf("conversions: got %d, want %d", got, want)
			}
			if entry := s.Journal()[0]; entry.Status != 0 || entry.Accepted != process {
				t.Errorf("journal: got %d, accepted %v", entry.Status, entry.Accepted)
			}
			start := time.Now()
			s.get("/v1/projects/p")
			if got := time.Since(start); got != 5*time.Second {
				t.Errorf("answered after %s, want 5s", got)
			}
		})
	}
}

func TestSlowBytes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := inMemory(t, mockserver.Project{ID: "p", Snapshots: []mockserver.ProjectSnapshot{
			{ID: "s", Length: time.Second},
		}})
		s.Inject(mockserver.Fault{SlowBytes: time.Second, Times: 2})
		start := time.Now()
		_, body := s.ask(http.MethodPost, "/v1/projects/p/snapshots/s/stream", "")
		if want := time.Duration(len(body)/64) * time.Second; time.Since(start) != want {
			t.Errorf("%d bytes took %s, want %s", len(body), time.Since(start), want)
		}

		s.client.Timeout = 3 * time.Second
		got := s.request(http.MethodGet, "/v1/projects/p", "")
		if got.status != http.StatusOK || !errors.Is(got.err, context.DeadlineExceeded) {
			t.Errorf("got %d, %v", got.status, got.err)
		}
	})
}

func TestFaultsInMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := inMemory(t, testProject)
		s.Inject(mockserver.Fault{Reset: true})
		s.Inject(mockserver.Fault{EOF: true})
		for _, want := range []error{syscall.ECONNRESET, io.EOF} {
			if got := s.request(http.MethodPost, convertPath, ""); !errors.Is(got.err, want) {
				t.Errorf("got %v, want %v", got.err, want)
			}
		}
	})
}
