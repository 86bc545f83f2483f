package audioprojects_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

var redirects = []int{
	http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect,
}

func redirect(status int, target string) mockserver.Fault {
	return mockserver.Fault{Status: status, Header: http.Header{"Location": {target}}, Body: "Moved, mock-key."}
}

func TestRedirectsToAnotherHostAreNotFollowed(t *testing.T) {
	t.Parallel()
	for target, host := range map[string]string{
		"http://elsewhere/v1/projects/p":           "http://elsewhere",
		"//elsewhere/v1/projects/p":                "http://elsewhere",
		"http://localhost:8080/v1/projects/p":      "http://localhost:8080",
		"http://localhost:80/v1/projects/p":        "http://localhost:80",
		"https://localhost/v1/projects/p":          "https://localhost",
		"https://localhost:80/v1/projects/p":       "https://localhost:80",
		"ftp://localhost/v1/projects/p":            "ftp://localhost",
		"http://sub.localhost/v1/projects/p":       "http://sub.localhost",
		"http://localhost.elsewhere/v1/projects/p": "http://localhost.elsewhere",
		"http://localhost@elsewhere/v1/projects/p": "http://elsewhere",
		"http://me:hush@elsewhere/?key=mock-key":   "http://elsewhere",
		"http://mock-key.elsewhere/v1/projects/p":  "http://(the API key).elsewhere",
		"http://bW9jay1rZXk.elsewhere/":            "http://(the API key)k.elsewhere",
	} {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			for _, status := range redirects {
				for _, test := range operations {
					// Every address leads to the mock, so that a request to another host would be in its journal too.
					service, client := start(t)
					service.Inject(redirect(status, target))
					err := test.ask(t.Context(), client)
					if got := service.Journal(); len(got) != 1 {
						t.Errorf("%s: got requests %+v, want one", test.operation, got)
					}
					entry := service.Journal()[0]
					wantError(t, err, audioprojects.Ambiguous, fmt.Sprintf("%s %s: %d %s: a redirect to %s is not followed: the API key stays with the host of the base URL",
						entry.Method, entry.Path, status, http.StatusText(status), host))
				}
			}
		})
	}
}

func TestASecondRedirectToAnotherHostIsNotFollowed(t *testing.T) {
	t.Parallel()
	for _, status := range redirects {
		service, client := start(t)
		service.Inject(redirect(status, "/v1/projects"))
		service.Inject(redirect(status, "http://elsewhere/v1/projects/p"))
		wantError(t, getProject(t.Context(), client), audioprojects.Ambiguous, fmt.Sprintf("GET /v1/projects: %d %s: "+
			"a redirect to http://elsewhere is not followed: the API key stays with the host of the base URL", status, http.StatusText(status)))
		if got := len(service.Journal()); got != 2 {
			t.Errorf("%d: got %d requests, want 2", status, got)
		}
	}
}

func TestRedirectsWithinTheHost(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		location string
		ask      func(context.Context, *audioprojects.Client) error
		requests int
		want     string // empty: success
	}{
		{"followed for GET", "/v1/projects/p", getProject, 2, ""},
		{"followed for GET with an absolute address", "http://localhost/v1/projects/p", getProject, 2, ""},
		{"not followed for convert", "/v1/projects/p/chapters/c/convert", convert, 1,
			convertFailed + "307 Temporary Redirect: a redirect of a POST is not followed"},
		{"not followed for audio", "/v1/projects/p/snapshots/s/stream", stream, 1,
			streamFailed + "307 Temporary Redirect: a redirect of a POST is not followed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			service, client := start(t)
			service.Inject(mockserver.Fault{Status: http.StatusTemporaryRedirect, Header: http.Header{"Location": {test.location}}})
			err := test.ask(t.Context(), client)
			if got := service.Journal(); len(got) != test.requests || got[len(got)-1].Header.Get("xi-api-key") != mockserver.Secret {
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

func TestRedirectsWithoutEnd(t *testing.T) {
	t.Parallel()
	service, client := start(t)
	service.Inject(mockserver.Fault{
		Times: -1, Status: http.StatusFound, Header: http.Header{"Location": {"/v1/projects/p"}},
	})
	wantError(t, getProject(t.Context(), client), audioprojects.Ambiguous,
		"GET /v1/projects/p: 302 Found: a redirect is not followed after so many others")
	if got := len(service.Journal()); got != 10 {
		t.Errorf("got %d requests, want 10", got)
	}
}

func TestARedirectWithoutLocation(t *testing.T) {
	t.Parallel()
	service, client := start(t)
	service.Inject(mockserver.Fault{Status: http.StatusNotModified})
	wantError(t, getProject(t.Context(), client), audioprojects.Ambiguous,
		"GET /v1/projects/p: 304 Not Modified: a redirect that names no address")
}
