package audioprojects_test

import (
	"context"
	"io"
	"net/http"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver/contract"
)

// story is a project with one chapter and one snapshot.
var story = mockserver.Project{
	ID:        "p",
	Chapters:  []mockserver.Chapter{{ID: "c"}},
	Snapshots: []mockserver.ProjectSnapshot{{ID: "s", Length: time.Second}},
}

// start returns a mock service that holds the story, and a client of it.
func start(t *testing.T, change ...func(*audioprojects.Config)) (*mockserver.Server, *audioprojects.Client) {
	t.Helper()
	service := mockserver.New()
	service.AddProject(story)
	return service, connect(t, service, change...)
}

// connect returns a client of whatever answers the requests.
func connect(t testing.TB, handler http.Handler, change ...func(*audioprojects.Config)) *audioprojects.Client {
	t.Helper()
	network := mockserver.NewNetwork(handler)
	t.Cleanup(network.Close)
	config := audioprojects.Config{
		BaseURL:        baseURL(t, "http://localhost"),
		APIKey:         mockserver.Secret,
		UserAgent:      "tests/1.0",
		RequestTimeout: 30 * time.Second,
		MaxRetries:     4,
		Transport:      &http.Transport{DialContext: network.DialContext},
	}
	for _, apply := range change {
		apply(&config)
	}
	client, err := audioprojects.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	return client
}

// operations are the methods of the client, each asking for something the story has.
var operations = []struct {
	operation mockserver.Operation
	ask       func(context.Context, *audioprojects.Client) error
}{
	{mockserver.GetProject, getProject},
	{mockserver.ListChapters, func(ctx context.Context, client *audioprojects.Client) error {
		_, err := client.ListChapters(ctx, "p")
		return err
	}},
	{mockserver.ListChapterSnapshots, func(ctx context.Context, client *audioprojects.Client) error {
		_, err := client.ListChapterSnapshots(ctx, "p", "c")
		return err
	}},
	{mockserver.ConvertChapter, convert},
	{mockserver.StreamSnapshot, stream},
	{mockserver.ListProjects, func(ctx context.Context, client *audioprojects.Client) error {
		_, err := client.ListProjects(ctx)
		return err
	}},
	{mockserver.ListProjectSnapshots, func(ctx context.Context, client *audioprojects.Client) error {
		_, err := client.ListProjectSnapshots(ctx, "p")
		return err
	}},
}

func getProject(ctx context.Context, client *audioprojects.Client) error {
	_, err := client.GetProject(ctx, "p")
	return err
}

func convert(ctx context.Context, client *audioprojects.Client) error {
	return client.ConvertChapter(ctx, "p", "c", time.Time{})
}

// stream asks for the snapshot as MPEG and reads it to its end.
func stream(ctx context.Context, client *audioprojects.Client) error {
	return client.StreamProjectSnapshot(ctx, "p", "s", true, func(audio audioprojects.Audio) error {
		_, err := io.Copy(io.Discard, audio)
		return err
	})
}

func TestEveryOperationKeepsTheContract(t *testing.T) {
	t.Parallel()
	for _, test := range operations {
		t.Run(string(test.operation), func(t *testing.T) {
			t.Parallel()
			service := mockserver.New()
			service.AddProject(story)
			client := connect(t, contract.Check(service, func(err error) { t.Error(err) }))
			if err := test.ask(t.Context(), client); err != nil {
				t.Fatal(err)
			}
			if got := service.Journal(); len(got) != 1 || got[0].Operation != test.operation {
				t.Errorf("got journal %+v, want one %s", got, test.operation)
			}
		})
	}
}

func TestEveryRequestNamesTheCallerAndCarriesTheKey(t *testing.T) {
	t.Parallel()
	for _, test := range operations {
		t.Run(string(test.operation), func(t *testing.T) {
			t.Parallel()
			service, client := start(t)
			if err := test.ask(t.Context(), client); err != nil {
				t.Fatal(err)
			}
			header := service.Journal()[0].Header
			if got := header.Values("xi-api-key"); !reflect.DeepEqual(got, []string{mockserver.Secret}) {
				t.Errorf("xi-api-key: got %q, want the key once", got)
			}
			if got, want := header.Get("User-Agent"), "tests/1.0"; got != want {
				t.Errorf("User-Agent: got %q, want %q", got, want)
			}
		})
	}
}

func TestOnlyTheStreamHasABody(t *testing.T) {
	t.Parallel()
	for _, test := range operations {
		t.Run(string(test.operation), func(t *testing.T) {
			t.Parallel()
			service, client := start(t)
			if err := test.ask(t.Context(), client); err != nil {
				t.Fatal(err)
			}
			body, contentType := "", ""
			if test.operation == mockserver.StreamSnapshot {
				body, contentType = `{"convert_to_mpeg":true}`, "application/json"
			}
			entry := service.Journal()[0]
			if got := string(entry.Body); got != body {
				t.Errorf("body: got %q, want %q", got, body)
			}
			if got := entry.Header.Get("Content-Type"); got != contentType {
				t.Errorf("Content-Type: got %q, want %q", got, contentType)
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
			// The mock knows no prefix and no project. The error names the path of the document all the same.
			wantError(t, err, audioprojects.NotFound, "GET /v1/projects/p: 404 Not Found: "+notFoundAt(want))
		})
	}
}

// notFoundAt is what the mock says when it is asked for a project it does not have, or for another path.
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

func TestIdentifiersThatWouldWalkThePathAreNotSent(t *testing.T) {
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

func TestEveryAttemptIsLogged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log []audioprojects.Exchange
		service, client := start(t, func(config *audioprojects.Config) {
			config.Log = func(_ context.Context, exchange audioprojects.Exchange) { log = append(log, exchange) }
		})
		service.Inject(mockserver.Fault{EOF: true})
		service.Inject(mockserver.Fault{Hang: time.Second, Status: http.StatusBadGateway})
		if err := getProject(t.Context(), client); err != nil {
			t.Fatal(err)
		}
		const path = "/v1/projects/p"
		want := []audioprojects.Exchange{
			{Method: http.MethodGet, Path: path, Problem: "EOF"},
			{Method: http.MethodGet, Path: path, Status: http.StatusBadGateway, Took: time.Second},
			{Method: http.MethodGet, Path: path, Status: http.StatusOK},
		}
		if !reflect.DeepEqual(log, want) {
			t.Errorf("got %+v, want %+v", log, want)
		}
	})
}
