package audioprojects_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestError_message(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, body, want string }{
		{"detail, a text", `{"detail":"Not today."}`, "Not today."},
		{"detail, an object", `{"detail":{"status":"closed","message":"Not today."}}`, "closed: Not today."},
		{"detail, validation errors",
			`{"detail":[{"loc":["body","text"],"msg":"Field required","type":"missing"},{"loc":["path",0],"msg":"Too short"}]}`,
			"body.text: Field required; path.0: Too short"},
		{"detail, texts", `{"detail":["One.","Two."]}`, "One; Two"},
		{"error", `{"error":"Not today."}`, "Not today."},
		{"error, an object", `{"error":{"code":7,"message":"Not today."}}`, "Not today."},
		{"an empty detail before a message", `{"detail":"","message":"Not today."}`, "Not today."},
		{"JSON text", `"Not today."`, "Not today."},
		{"JSON that says nothing known", `{"code": 7}`, `{"code": 7}`},
		{"broken JSON", `{"detail":"Not`, `{"detail":"Not`},
		{"HTML", "<!DOCTYPE html><html><body>Not today.</body></html>", "(an HTML page)"},
		{"HTML, as lighttpd writes it", "<?xml version=\"1.0\"?>\n<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\">\n<html>Not today.", "(an HTML page)"},
		{"HTML, as IIS writes it", "\ufeff\r\n<html>Not today.", "(an HTML page)"},
		{"JSON about HTML", `{"detail":"No <html> in a text."}`, "No <html> in a text."},
		{"bytes", "\x00\x01\xff\xfe", "(binary data)"},
		{"another encoding", "Ung\xfcltig", "Ung�ltig"},
		{"control characters", "\x1b[2J\x1b[31mNot\x07 \u202etoday\u200b.\x7f", "[2J[31mNot today."},
		{"white space", "Not\r\n\t  today.\u2028", "Not today."},
		{"501 characters", strings.Repeat("ü", 501), strings.Repeat("ü", 500) + "…"},
		{"the key", "The key mock-key is not welcome, mock-key.", "The key (the API key) is not welcome, (the API key)."},
		{"the key with control characters inside", "The key mock\x00-key.", "The key (the API key)."},
		{"the key where the text is cut", strings.Repeat("x", 495) + "mock-key", strings.Repeat("x", 495) + "(the …"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, client := startWith(t, mockserver.Fault{Status: http.StatusForbidden, Body: test.body})
			wantError(t, getProject(t.Context(), client), audioprojects.Forbidden, "GET /v1/projects/p: 403 Forbidden: "+test.want)
		})
	}
}

func TestError_hostAndRequestID(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		header, sent, body string
		want               string
	}{
		"common":                     {"X-Request-Id", "7f3a", "", "7f3a"},
		"without X":                  {"request-id", "req_7", "", "req_7"},
		"too long":                   {"X-Request-Id", strings.Repeat("7", 501), "", strings.Repeat("7", 500) + "…"},
		"with the key":               {"X-Request-Id", "a mock-key\tb", "", "a (the API key) b"},
		"a stranger's":               {"X-Request-Id", "##[error]no", "", "# #[error]no"},
		"none":                       {"X-Requested", "7f3a", "", ""},
		"in the body":                {"X-Requested", "", `{"request_id":"7f3a","detail":"No."}`, "7f3a"},
		"inside":                     {"X-Requested", "", `{"detail":{"request_id":"7f3a","message":"No."}}`, "7f3a"},
		"no text":                    {"X-Requested", "", `{"request_id":7}`, ""},
		"the header counts for more": {"X-Request-Id", "8b", `{"request_id":"7f3a"}`, "8b"},
	} {
		_, client := startWith(t, mockserver.Fault{Status: 403, Body: test.body, Header: http.Header{test.header: {test.sent}}})
		var failed *audioprojects.Error
		err := getProject(t.Context(), client)
		if !errors.As(err, &failed) || failed.Host != "localhost" || failed.RequestID != test.want {
			t.Errorf("%s: got %+v, want the id %q", name, failed, test.want)
		}
	}
}

// What a proxy does is not the service's fault, nor that of the base URL.
func TestError_proxy(t *testing.T) {
	t.Parallel()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusProxyAuthRequired) }))
	defer proxy.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	for _, test := range []struct {
		base, proxy string
		kind        audioprojects.Kind
		want        string
	}{
		{"https://audio.example", proxy.URL, audioprojects.NotSent, "the proxy answered 407 Proxy Authentication Required"},
		{"http://localhost.example", proxy.URL, audioprojects.Rejected, "407 Proxy Authentication Required"},
		{"https://audio.example", gone.URL, audioprojects.NotSent, "proxyconnect tcp: "},
	} {
		client := connect(t, nil, noRetries, func(config *audioprojects.Config) {
			address, err := audioprojects.ParseBaseURL(test.base, true)
			if err != nil {
				t.Fatal(err)
			}
			proxy, err := url.Parse(test.proxy)
			if err != nil {
				t.Fatal(err)
			}
			config.BaseURL, config.Transport = address, audioprojects.NewTransport()
			config.Transport.Proxy = http.ProxyURL(proxy)
		})
		err := getProject(t.Context(), client)
		if !errors.Is(err, test.kind) || !strings.HasPrefix(text(err), getProjectFailed+test.want) {
			t.Errorf("%s by %s: got %v, want %s", test.base, test.proxy, err, test.want)
		}
	}
}

// The service may close a connection while it is idle. A request that then finds it closed has not been sent.
func TestClient_connectionClosedBefore(t *testing.T) {
	t.Parallel()
	for _, ask := range []func(context.Context, *audioprojects.Client) error{getProject, stream} {
		synctest.Test(t, func(t *testing.T) {
			service, client := start(t, noRetries)
			if err := getProject(t.Context(), client); err != nil {
				t.Fatal(err)
			}
			synctest.Wait() // The connection is idle now.
			service.Inject(mockserver.Fault{EOF: true})
			if err := ask(t.Context(), client); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestError_cause(t *testing.T) {
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

func TestError_transportHidesKey(t *testing.T) {
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
			client := raw(t, test.answer, strings.NewReader(""), func(config *audioprojects.Config) {
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

func TestError_bodyBreaksOff(t *testing.T) {
	t.Parallel()
	for _, test := range operations {
		service, client := startWith(t, mockserver.Fault{Status: http.StatusNotFound, Body: `No such thing, and so on`, Truncate: 13})
		err := test.ask(t.Context(), client)
		got := service.Journal()
		if len(got) != 1 {
			t.Errorf("%s: got requests %+v, want one", test.operation, got)
		}
		entry := service.Journal()[0]
		kind := audioprojects.NotFound
		if test.operation == mockserver.ConvertChapter { // It may be a voice that the service does not find.
			kind = audioprojects.Rejected
		}
		wantError(t, err, kind, entry.Method+" "+entry.Path+": 404 Not Found: No such thing")
	}
}
