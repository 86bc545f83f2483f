package audioprojects_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver/contract"
)

func TestWhatEveryOperationSends(t *testing.T) {
	t.Parallel()
	for _, test := range operations {
		t.Run(string(test.operation), func(t *testing.T) {
			t.Parallel()
			service := mockserver.New()
			service.AddProject(testProject)
			client := connect(t, contract.Check(service, func(err error) { t.Error(err) }))
			if err := test.ask(t.Context(), client); err != nil {
				t.Fatal(err)
			}
			wantRequests(t, service, 1)
			entry := service.Journal()[0]
			body, contentType, encoding := "", "", "gzip"
			if test.operation == mockserver.StreamSnapshot {
				body, contentType, encoding = `{"convert_to_mpeg":true}`, "application/json", "identity"
			}
			if entry.Operation != test.operation || string(entry.Body) != body {
				t.Errorf("got %s with body %q, want %q", entry.Operation, entry.Body, body)
			}
			for name, want := range map[string]string{
				"Xi-Api-Key": mockserver.Secret, "User-Agent": "tests/1.0", "Content-Type": contentType, "Accept-Encoding": encoding,
			} {
				if got := entry.Header.Values(name); strings.Join(got, " and ") != want {
					t.Errorf("%s: got %q, want %q", name, got, want)
				}
			}
		})
	}
}

// TestPathsFollowTheBaseURL: in the request and in the log. The error names the path without the base URL's.
func TestPathsFollowTheBaseURL(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ base, apiPath, prefix, path string }{
		{"http://localhost", "", "", "/v1/projects/p"},
		{"http://localhost/", "/v1", "", "/v1/projects/p"},
		{"http://localhost/", "/", "", "/projects/p"},
		{"http://localhost/api", "/v1/", "/api", "/v1/projects/p"},
		{"http://localhost/api//", "/v1/studio", "/api", "/v1/studio/projects/p"},
		{"http://localhost/api/tts/", "/v1/studio/", "/api/tts", "/v1/studio/projects/p"},
		{"http://localhost/a%2Fb%20c", "", "/a%2Fb%20c", "/v1/projects/p"},
		{"http://localhost/a b/ü", "", "/a%20b/%C3%BC", "/v1/projects/p"},
		{"http://localhost//a", "", "//a", "/v1/projects/p"},
		{"http://[::1]:8080/%2e%2e/", "", "/%2e%2e", "/v1/projects/p"},
	} {
		service := mockserver.New()
		service.Inject(mockserver.Fault{Status: http.StatusTeapot})
		logged := ""
		client := connect(t, service, func(config *audioprojects.Config) {
			config.BaseURL, config.APIPath = baseURL(t, test.base), test.apiPath
			config.Log = func(_ context.Context, exchange audioprojects.Exchange) { logged = exchange.Path }
		})
		wantError(t, getProject(t.Context(), client), audioprojects.Rejected, "GET "+test.path+": 418 I'm a teapot")
		if got, want := service.Journal()[0].Path, test.prefix+test.path; got != want || logged != want {
			t.Errorf("%s: got path %s, and %s in the log; want %s", test.base, got, logged, want)
		}
	}
}

func TestIdentifiersArriveAsGiven(t *testing.T) {
	t.Parallel()
	for _, id := range []string{
		"plain", "a/b", "/", "../..", "a b", "+", "100%", "%", "a%2Fb", "%2e%2e", "?", "a?b=c", "#", "a#b",
		"Überschrift", "🎧", "a..b", "...", ".a", ";a=b", "a:b@c", `"\`, "a\nb",
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			service := mockserver.New()
			service.AddProject(mockserver.Project{ID: id, Chapters: []mockserver.Chapter{{ID: id}}})
			client := connect(t, contract.Check(service, func(err error) { t.Error(err) }))
			if err := client.ConvertChapter(t.Context(), id, id, time.Time{}); err != nil {
				t.Error(err)
			}
			if got := service.Journal()[0]; got.ProjectID != id || got.ChapterID != id {
				t.Errorf("got project %q, chapter %q; want %q", got.ProjectID, got.ChapterID, id)
			}
		})
	}
}

func TestIdentifiersThatChangeThePathAreNotSent(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", ".", ".."} {
		service, client := start(t)
		wantError(t, client.ConvertChapter(t.Context(), "p", id, time.Time{}), audioprojects.NotSent,
			fmt.Sprintf(`POST /v1/projects/p/chapters: %q is not an identifier: it must not be empty, "." or ".."`, id))
		wantRequests(t, service, 0)
	}
}
