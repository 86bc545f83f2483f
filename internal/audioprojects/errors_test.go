package audioprojects_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// wantError checks an error of the client: of this one kind, and with exactly this text.
func wantError(t *testing.T, err error, kind audioprojects.Kind, text string) {
	t.Helper()
	if err == nil {
		t.Fatalf("got no error, want %q (%s)", text, kind)
	}
	for _, other := range []audioprojects.Kind{
		audioprojects.NotFound, audioprojects.Unauthorized, audioprojects.Forbidden, audioprojects.RateLimited,
		audioprojects.Rejected, audioprojects.NotSent, audioprojects.Ambiguous,
	} {
		if got := errors.Is(err, other); got != (other == kind) {
			t.Errorf("errors.Is(err, %q): got %v; want kind %q", string(other), got, string(kind))
		}
	}
	if err.Error() != text {
		t.Errorf("got error  %q\nwant       %q", err, text)
	}
}

func once(config *audioprojects.Config) { config.MaxRetries = 0 }

// patient is for what takes a busy machine long, in real time.
func patient(config *audioprojects.Config) { config.RequestTimeout = time.Hour }

func TestStatusDecidesTheKind(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]struct {
		kind audioprojects.Kind
		text string
	}{
		400: {audioprojects.Rejected, "400 Bad Request"},
		401: {audioprojects.Unauthorized, "401 Unauthorized"},
		402: {audioprojects.Rejected, "402 Payment Required"},
		403: {audioprojects.Forbidden, "403 Forbidden"},
		404: {audioprojects.NotFound, "404 Not Found"},
		408: {audioprojects.Ambiguous, "408 Request Timeout"},
		409: {audioprojects.Rejected, "409 Conflict"},
		422: {audioprojects.Rejected, "422 Unprocessable Entity"},
		429: {audioprojects.RateLimited, "429 Too Many Requests"},
		499: {audioprojects.Rejected, "499"},
		500: {audioprojects.Ambiguous, "500 Internal Server Error"},
		503: {audioprojects.Ambiguous, "503 Service Unavailable"},
		599: {audioprojects.Ambiguous, "599"},
	} {
		t.Run(want.text, func(t *testing.T) {
			t.Parallel()
			service, client := start(t, once)
			service.Inject(mockserver.Fault{Status: status, Body: `{"detail":"No."}`})
			err := getProject(t.Context(), client)
			wantError(t, err, want.kind, getProjectFailed+want.text+": No.")

			var refused *audioprojects.Error
			if !errors.As(err, &refused) {
				t.Fatalf("got a %T", err)
			}
			if got, want := *refused, (audioprojects.Error{
				Kind: want.kind, Method: http.MethodGet, Path: "/v1/projects/p", Status: status, Words: "No.",
			}); got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func TestWordsOfTheService(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, body, want string }{
		{"detail, a text", `{"detail":"Not today."}`, "Not today."},
		{"detail, an object", `{"detail":{"status":"closed","message":"Not today."}}`, "Not today."},
		{"detail, an object with a status alone", `{"detail":{"status":"closed"}}`, "closed"},
		{"detail, validation errors",
			`{"detail":[{"loc":["body","text"],"msg":"Field required","type":"missing"},{"loc":["path",0],"msg":"Too short"}]}`,
			"body.text: Field required; path.0: Too short"},
		{"detail, texts", `{"detail":["One.","Two."]}`, "One; Two"},
		{"message", `{"message":"Not today."}`, "Not today."},
		{"error", `{"error":"Not today."}`, "Not today."},
		{"error, an object", `{"error":{"code":7,"message":"Not today."}}`, "Not today."},
		{"an empty detail before a message", `{"detail":"","message":"Not today."}`, "Not today."},
		{"JSON text", `"Not today."`, "Not today."},
		{"JSON that says nothing known", `{"code": 7}`, `{"code": 7}`},
		{"plain text", "Not today.\n", "Not today."},
		{"broken JSON", `{"detail":"Not`, `{"detail":"Not`},
		{"HTML", "<!DOCTYPE html><html><body>Not today.</body></html>", "(an HTML page)"},
		{"bytes", "\x00\x01\xff\xfe", "(binary data)"},
		{"another encoding", "Ung\xfcltig", "Ung�ltig"},
		{"control characters", "\x1b[2J\x1b[31mNot\x07 \u202etoday\u200b.\x7f", "[2J[31mNot today."},
		{"control characters in JSON", `{"detail":"Not\u001b[1A\u0000 today."}`, "Not[1A today."},
		{"white space", "Not\r\n\t  today.\u2028", "Not today."},
		{"500 characters", strings.Repeat("ü", 500), strings.Repeat("ü", 500)},
		{"501 characters", strings.Repeat("ü", 501), strings.Repeat("ü", 500) + "…"},
		{"the key", "The key mock-key is not welcome, mock-key.", "The key (the API key) is not welcome, (the API key)."},
		{"the key with control characters inside", "The key mock\x00-key.", "The key (the API key)."},
		{"the key where the text is cut", strings.Repeat("x", 495) + "mock-key", strings.Repeat("x", 495) + "(the …"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			service, client := start(t)
			service.Inject(mockserver.Fault{Status: http.StatusForbidden, Body: test.body})
			wantError(t, getProject(t.Context(), client), audioprojects.Forbidden, "GET /v1/projects/p: 403 Forbidden: "+test.want)
		})
	}
}

func TestAnErrorWithoutWords(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", " \n"} {
		service, client := start(t)
		service.Inject(mockserver.Fault{Status: http.StatusForbidden, Body: body})
		wantError(t, getProject(t.Context(), client), audioprojects.Forbidden, "GET /v1/projects/p: 403 Forbidden")
	}
}

func TestTheCauseOfAnErrorIsKept(t *testing.T) {
	t.Parallel()
	_, client := start(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := convert(ctx, client)
	wantError(t, err, audioprojects.NotSent, convertFailed+"context canceled")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want it to be context.Canceled", err)
	}
}

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
					// In memory every address leads to the service: a request to another host would be in its journal.
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

func TestARedirectWithinTheHostLeadsToNoOther(t *testing.T) {
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

func TestARedirectToNowhere(t *testing.T) {
	t.Parallel()
	service, client := start(t)
	service.Inject(mockserver.Fault{Status: http.StatusNotModified})
	wantError(t, getProject(t.Context(), client), audioprojects.Ambiguous,
		"GET /v1/projects/p: 304 Not Modified: a redirect that names no address")
}

func TestErrorsOfTheTransportDoNotRepeatTheKey(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, answer, want string }{
		{"address of a redirect that cannot be read", "HTTP/1.1 302 Found\r\nLocation: http://%zz/mock-key\r\nContent-Length: 0\r\n\r\n",
			`failed to parse Location header "http://%zz/(the API key)": parse "http://%zz/(the API key)": invalid URL escape "%zz"`},
		{"status", "HTTP/1.1 mock-key\r\n\r\n",
			`net/http: HTTP/1.x transport connection broken: malformed HTTP status code "(the API key)"`},
		{"header with control characters", "HTTP/1.1 200 OK\r\n\x1b[2J mock-key\r\n\r\n",
			`net/http: HTTP/1.x transport connection broken: malformed MIME header: missing colon: "\x1b[2J (the API key)"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client := connect(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				conn, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					panic(err)
				}
				defer conn.Close()
				// The client may hang up before it has read to the end.
				_, _ = io.WriteString(conn, test.answer)
			}), func(config *audioprojects.Config) {
				config.Log = func(_ context.Context, exchange audioprojects.Exchange) {
					if strings.Contains(exchange.Problem, mockserver.Secret) {
						t.Errorf("logged %q", exchange.Problem)
					}
				}
			})
			wantError(t, convert(t.Context(), client), audioprojects.Ambiguous, convertFailed+test.want)
		})
	}
}

func TestRetryAfterIsInTheError(t *testing.T) {
	t.Parallel()
	service, client := start(t, once)
	service.Inject(mockserver.RateLimited(7 * time.Second))
	var refused *audioprojects.Error
	if err := convert(t.Context(), client); !errors.As(err, &refused) || refused.RetryAfter != 7*time.Second {
		t.Errorf("got %+v, want RetryAfter 7s", err)
	}
}

func TestARefusalThatBreaksOff(t *testing.T) {
	t.Parallel()
	for _, test := range operations {
		service, client := start(t)
		service.Inject(mockserver.Fault{Status: http.StatusNotFound, Body: `No such thing, and so on`, Truncate: 13})
		err := test.ask(t.Context(), client)
		if got := service.Journal(); len(got) != 1 {
			t.Errorf("%s: got requests %+v, want one", test.operation, got)
		}
		entry := service.Journal()[0]
		wantError(t, err, audioprojects.NotFound, entry.Method+" "+entry.Path+": 404 Not Found: No such thing")
	}
}
