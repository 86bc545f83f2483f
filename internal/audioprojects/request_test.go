package audioprojects_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver/contract"
)

func TestClient_sendsHeaders(t *testing.T) {
	t.Parallel()
	if len(operations) != len(mockserver.Operations()) {
		t.Errorf("%d operations are tested, want one each for %q", len(operations), mockserver.Operations())
	}
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
			body, contentType, accept, encoding, caching := "", "", "application/json", "gzip", "no-cache"
			if entry.Method == http.MethodPost {
				caching = ""
			}
			if test.operation == mockserver.StreamSnapshot {
				body, contentType, accept, encoding = `{"convert_to_mpeg":true}`, "application/json", "audio/*, application/octet-stream", "identity"
			}
			if entry.Operation != test.operation || string(entry.Body) != body {
				t.Errorf("got %s with body %q, want %q", entry.Operation, entry.Body, body)
			}
			for name, want := range map[string]string{
				"Xi-Api-Key": mockserver.Secret, "User-Agent": "tests/1.0", "Content-Type": contentType, "Accept": accept, "Accept-Encoding": encoding, "Cache-Control": caching,
			} {
				got := entry.Header.Values(name)
				if strings.Join(got, " and ") != want {
					t.Errorf("%s: got %q, want %q", name, got, want)
				}
			}
		})
	}
}

// TestClient_pathsFollowBaseURL: in the request, in the log and in the error, whether an answer comes or none.
func TestClient_pathsFollowBaseURL(t *testing.T) {
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
		want := test.prefix + test.path
		wantError(t, getProject(t.Context(), client), audioprojects.Rejected, "GET "+want+": 418 I'm a teapot")
		got := service.Journal()[0].Path
		if got != want || logged != want {
			t.Errorf("%s: got path %s, and %s in the log; want %s", test.base, got, logged, want)
		}
		interrupted, interrupt := context.WithCancel(t.Context())
		interrupt()
		wantError(t, getProject(interrupted, client), audioprojects.NotSent, "GET "+want+": context canceled")
	}
}

// TestClient_hidesKeyInBaseURL: gateways want one there.
func TestClient_hidesKeyInBaseURL(t *testing.T) {
	t.Parallel()
	for _, fault := range []mockserver.Fault{{Status: http.StatusTeapot}, {Reset: true}, {Body: "{"}, mockserver.RateLimited(time.Hour)} {
		fault.Times = -1
		_, client := startWith(t, fault, noRetries, func(config *audioprojects.Config) {
			config.BaseURL = baseURL(t, "http://localhost/"+mockserver.Secret)
		})
		for range 2 { // After a 429 with a pause, the second request is not sent.
			limited, cancel := context.WithTimeout(t.Context(), time.Minute)
			err := getProject(limited, client)
			if !strings.HasPrefix(text(err), "GET /(the API key)/v1/projects/p: ") {
				t.Errorf("got %v", err)
			}
			cancel()
		}
		got := client.Address()
		if got != "http://localhost/(the API key)/v1" {
			t.Errorf("got the address %s", got)
		}
	}
}

func TestError_repeatedAPIPath(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ base, apiPath, want string }{
		{"http://localhost/v1", "", "/v1"},
		{"http://localhost/api/v1/", "/v1/", "/v1"},
		{"http://localhost/v1", "/v1/studio", ""},
		{"http://localhost/v1/studio", "/v1/studio", "/v1/studio"},
		{"http://localhost/v1/studio", "/v1", ""},
		{"http://localhost/api", "", ""},
		{"http://localhost/apiv1", "", ""},
		{"http://localhost", "", ""},
		{"http://localhost/v1", "/", ""},
	} {
		_, client := startWith(t, mockserver.Fault{Status: http.StatusNotFound}, func(config *audioprojects.Config) {
			config.BaseURL, config.APIPath = baseURL(t, test.base), test.apiPath
		})
		var failed *audioprojects.Error
		err := getProject(t.Context(), client)
		if !errors.As(err, &failed) || failed.RepeatedAPIPath != test.want {
			t.Errorf("%s with %q: got %+v, want %q", test.base, test.apiPath, failed, test.want)
		}
	}
}

func TestClient_identifiersArriveAsGiven(t *testing.T) {
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
			_, err := client.ConvertChapter(t.Context(), id, id, permit(t.Context(), client))
			if err != nil {
				t.Error(err)
			}
			got := service.Journal()[0]
			if got.ProjectID != id || got.ChapterID != id {
				t.Errorf("got project %q, chapter %q; want %q", got.ProjectID, got.ChapterID, id)
			}
		})
	}
}

func TestClient_refusesIdentifiersThatChangeThePath(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", ".", ".."} {
		service, client := start(t)
		_, err := client.ConvertChapter(t.Context(), "p", id, permit(t.Context(), client))
		wantError(t, err, audioprojects.NotSent,
			fmt.Sprintf(`POST /v1/projects/p/chapters: %q is not an identifier: it must not be empty, "." or ".."`, id))
		wantRequests(t, service, 0)
	}
}

var redirects = []int{
	http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect,
}

func redirect(status int, target string) mockserver.Fault {
	return mockserver.Fault{Status: status, Header: http.Header{"Location": {target}}, Body: "Moved, mock-key."}
}

func TestClient_followsNoRedirectToAnotherHost(t *testing.T) {
	t.Parallel()
	for target, host := range map[string]string{
		"http://elsewhere/v1/projects/p":           "http://elsewhere",
		"//elsewhere/v1/projects/p":                "http://elsewhere",
		"http://localhost:8080/v1/projects/p":      "http://localhost:8080",
		"https://localhost/v1/projects/p":          "https://localhost",
		"https://localhost:80/v1/projects/p":       "https://localhost:80",
		"ftp://localhost/v1/projects/p":            "ftp://localhost",
		"http://sub.localhost/v1/projects/p":       "http://sub.localhost",
		"http://localhost.elsewhere/v1/projects/p": "http://localhost.elsewhere",
		"http://localhost@elsewhere/v1/projects/p": "http://elsewhere",
		"http://me:hush@elsewhere/?key=mock-key":   "http://elsewhere",
		"http://mock-key.elsewhere/v1/projects/p":  "http://(the API key).elsewhere",
		"http://bW9jay1rZXk.elsewhere/":            "http://(the API key).elsewhere",
	} {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			for _, status := range redirects {
				for _, test := range operations {
					// Every address leads to the mock, so that a request to another host would be in its journal too.
					service, client := startWith(t, redirect(status, target))
					err := test.ask(t.Context(), client)
					got := service.Journal()
					if len(got) != 1 {
						t.Errorf("%s: got requests %+v, want one", test.operation, got)
					}
					entry := service.Journal()[0]
					wantError(t, err, audioprojects.Ambiguous, fmt.Sprintf("%s %s: %d %s: the provider does not follow a redirect to %s: it sends a POST only once, and the API key only to the host of `base_url`",
						entry.Method, entry.Path, status, http.StatusText(status), host))
				}
			}
		})
	}
}

func TestClient_redirectsWithinTheHost(t *testing.T) {
	t.Parallel()
	const project, convertPath, streamPath = "/v1/projects/p", "/v1/projects/p/chapters/c/convert", "/v1/projects/p/snapshots/s/stream"
	forever := redirect(302, project)
	forever.Times = -1
	for _, test := range []struct {
		name     string
		faults   []mockserver.Fault
		ask      func(context.Context, *audioprojects.Client) error
		requests int
		want     string // empty: success
	}{
		{"followed for GET", []mockserver.Fault{redirect(307, project)}, getProject, 2, ""},
		{"followed for GET with an absolute address", []mockserver.Fault{redirect(308, "http://localhost"+project)}, getProject, 2, ""},
		{"followed for GET with its port", []mockserver.Fault{redirect(307, "http://LocalHost:80"+project)}, getProject, 2, ""},
		{"not followed for convert", []mockserver.Fault{redirect(307, convertPath)}, convert, 1,
			convertFailed + "307 Temporary Redirect: the provider does not follow a redirect to http://localhost" + convertPath + ": it sends a POST only once, and the API key only to the host of `base_url`"},
		{"not followed for audio", []mockserver.Fault{redirect(307, streamPath)}, stream, 1,
			streamFailed + "307 Temporary Redirect: the provider does not follow a redirect to http://localhost" + streamPath + ": it sends a POST only once, and the API key only to the host of `base_url`"},
		{"to another host after one that is followed", []mockserver.Fault{redirect(301, "/v1/projects"), redirect(301, "http://elsewhere"+project)}, getProject, 2,
			"GET /v1/projects: 301 Moved Permanently: the provider does not follow a redirect to http://elsewhere: it sends a POST only once, and the API key only to the host of `base_url`"},
		{"without end", []mockserver.Fault{forever}, getProject, 10, getProjectFailed + "302 Found: the provider has followed 9 redirects, and does not follow another one to http://localhost" + project},
		{"with a query, which may be signed", []mockserver.Fault{redirect(307, "/v2/convert?signature=hush")}, convert, 1,
			convertFailed + "307 Temporary Redirect: the provider does not follow a redirect to http://localhost/v2/convert: it sends a POST only once, and the API key only to the host of `base_url`"},
		{"without an address", []mockserver.Fault{{Status: 304}}, getProject, 1, getProjectFailed + "304 Not Modified: the redirect names no address"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			service, client := start(t)
			for _, fault := range test.faults {
				service.Inject(fault)
			}
			err := test.ask(t.Context(), client)
			got := service.Journal()
			if len(got) != test.requests || got[len(got)-1].Header.Get("xi-api-key") != mockserver.Secret {
				t.Errorf("got requests %+v, want %d with the key", got, test.requests)
			}
			if test.want != "" {
				wantError(t, err, audioprojects.Ambiguous, test.want)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}
