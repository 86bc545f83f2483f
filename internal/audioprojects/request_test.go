package audioprojects_test

import (
	"cmp"
	"context"
	"errors"
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

func TestPathsFollowTheBaseURL(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"http://localhost":           "/v1/projects/p",
		"http://localhost/":          "/v1/projects/p",
		"http://localhost/api":       "/api/v1/projects/p",
		"http://localhost/api/tts/":  "/api/tts/v1/projects/p",
		"http://localhost///":        "/v1/projects/p",
		"http://localhost/api//":     "/api/v1/projects/p",
		"http://localhost/a%2Fb%20c": "/a%2Fb%20c/v1/projects/p",
		"http://localhost/a%2F/":     "/a%2F/v1/projects/p",
		"http://localhost/a b/ü":     "/a%20b/%C3%BC/v1/projects/p",
		"http://localhost//a":        "//a/v1/projects/p",
		"http://localhost/%2e%2e/":   "/%2e%2e/v1/projects/p",
		"http://[::1]:8080/a%2Fb/":   "/a%2Fb/v1/projects/p",
	} {
		t.Run(base, func(t *testing.T) {
			t.Parallel()
			service := mockserver.New()
			client := connect(t, service, func(config *audioprojects.Config) { config.BaseURL = baseURL(t, base) })
			err := getProject(t.Context(), client)
			if got := service.Journal()[0].Path; got != want {
				t.Errorf("got path %s, want %s", got, want)
			}
			// The mock has no prefix and no project, so it answers 404. The error names the path without the prefix.
			wantError(t, err, audioprojects.NotFound, "GET /v1/projects/p: 404 Not Found: "+notFoundAt(want))
		})
	}
}

// TestEveryOperationBeginsAtTheAPIPath: in the request, in the log and in the error.
func TestEveryOperationBeginsAtTheAPIPath(t *testing.T) {
	t.Parallel()
	for apiPath, begins := range map[string]string{
		"": "/v1/projects", "/v1": "/v1/projects", "/v1/": "/v1/projects", "/v1/studio": "/v1/studio/projects", "/v1/studio/": "/v1/studio/projects", "/": "/projects",
	} {
		for _, test := range operations {
			t.Run(apiPath+" "+string(test.operation), func(t *testing.T) {
				t.Parallel()
				service := mockserver.New()
				service.AddProject(testProject)
				service.SetHabits(mockserver.Habits{APIPath: apiPath})
				var logged []string
				checked := contract.CheckAt(cmp.Or(apiPath, "/v1"), service, func(err error) { t.Error(err) })
				client := connect(t, http.StripPrefix("/prefix", checked), func(config *audioprojects.Config) {
					config.BaseURL, config.APIPath = baseURL(t, "http://localhost/prefix/"), apiPath
					config.Log = func(_ context.Context, exchange audioprojects.Exchange) { logged = append(logged, exchange.Path) }
				})
				if err := test.ask(t.Context(), client); err != nil {
					t.Fatal(err)
				}
				service.Inject(mockserver.Fault{Status: http.StatusTeapot})
				var refused *audioprojects.Error
				if err := test.ask(t.Context(), client); !errors.As(err, &refused) {
					t.Fatalf("got error %v", err)
				}
				if got := service.Journal()[0].Operation; got != test.operation {
					t.Errorf("got operation %q", got)
				}
				for what, path := range map[string]string{
					"request": service.Journal()[0].Path, "error": refused.Path, "log": strings.TrimPrefix(logged[0], "/prefix"),
				} {
					if rest, found := strings.CutPrefix(path, begins); !found || rest != "" && rest[0] != '/' {
						t.Errorf("%s: got path %s, want it to begin with %s", what, path, begins)
					}
				}
			})
		}
	}
}

// notFoundAt is the mock's message for a project that it does not have, or for a path that is no operation.
func notFoundAt(path string) string {
	if path == "/v1/projects/p" {
		return "Project p was not found."
	}
	return "Not Found"
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
			service.AddProject(mockserver.Project{
				ID:        id,
				Chapters:  []mockserver.Chapter{{ID: id}},
				Snapshots: []mockserver.ProjectSnapshot{{ID: id}},
			})
			client := connect(t, contract.Check(service, func(err error) { t.Error(err) }))

			if err := client.ConvertChapter(t.Context(), id, id, time.Time{}); err != nil {
				t.Error(err)
			}
			if err := client.StreamProjectSnapshot(t.Context(), id, id, false, new(receiver).receive); err != nil {
				t.Error(err)
			}
			converted, streamed := service.Journal()[0], service.Journal()[1]
			if converted.ProjectID != id || converted.ChapterID != id {
				t.Errorf("converted: got project %q, chapter %q; want %q", converted.ProjectID, converted.ChapterID, id)
			}
			if streamed.ProjectID != id || streamed.SnapshotID != id {
				t.Errorf("streamed: got project %q, snapshot %q; want %q", streamed.ProjectID, streamed.SnapshotID, id)
			}
		})
	}
}

func TestIdentifiersThatChangeThePathAreNotSent(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"":   `POST /v1/projects/p/chapters: "" is not an identifier: it must not be empty, "." or ".."`,
		".":  `POST /v1/projects/p/chapters: "." is not an identifier: it must not be empty, "." or ".."`,
		"..": `POST /v1/projects/p/chapters: ".." is not an identifier: it must not be empty, "." or ".."`,
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			service, client := start(t)
			wantError(t, client.ConvertChapter(t.Context(), "p", id, time.Time{}), audioprojects.NotSent, want)
			if got := service.Journal(); got != nil {
				t.Errorf("got requests %+v, want none", got)
			}
		})
	}
}
