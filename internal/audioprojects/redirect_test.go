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
					service, client := startWith(t, redirect(status, target))
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

func TestRedirectsWithinTheHost(t *testing.T) {
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
		{"not followed for convert", []mockserver.Fault{redirect(307, convertPath)}, convert, 1,
			convertFailed + "307 Temporary Redirect: a redirect of a POST is not followed"},
		{"not followed for audio", []mockserver.Fault{redirect(307, streamPath)}, stream, 1,
			streamFailed + "307 Temporary Redirect: a redirect of a POST is not followed"},
		{"to another host after one that is followed", []mockserver.Fault{redirect(301, "/v1/projects"), redirect(301, "http://elsewhere"+project)}, getProject, 2,
			"GET /v1/projects: 301 Moved Permanently: a redirect to http://elsewhere is not followed: the API key stays with the host of the base URL"},
		{"without end", []mockserver.Fault{forever}, getProject, 10, getProjectFailed + "302 Found: a redirect is not followed after so many others"},
		{"without an address", []mockserver.Fault{{Status: 304}}, getProject, 1, getProjectFailed + "304 Not Modified: a redirect that names no address"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			service, client := start(t)
			for _, fault := range test.faults {
				service.Inject(fault)
			}
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
