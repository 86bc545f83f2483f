package audioprojects_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const convertFailed = "POST /v1/projects/p/chapters/c/convert: "

func TestConvertChapter_notRepeatedAfterAmbiguousError(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		fault mockserver.Fault
		text  string
	}{
		{"reset", mockserver.Fault{Reset: true}, "read memory: connection reset by peer"},
		{"end", mockserver.Fault{EOF: true}, "EOF"},
		{"502 in HTML", mockserver.Fault{Status: 502, Body: "<html>"}, "502 Bad Gateway: (an HTML page)"},
		{"408", mockserver.Fault{Status: 408}, "408 Request Timeout"},
		{"307", mockserver.Fault{Status: 307, Header: http.Header{"Location": {"/"}}}, "307 Temporary Redirect: the provider does not follow a redirect to http://localhost/: it sends a POST only once, and the API key only to the host of `base_url`"},
		{"HTML", mockserver.Fault{Body: "<html>"}, "200 OK: the answer is an HTML page, not JSON"},
		{"broken JSON", mockserver.Fault{Body: `{"status"`}, "200 OK: the answer is not valid JSON: unexpected end of JSON input; it reads {\"status\""},
		{"truncated", mockserver.Fault{Truncate: 5}, "the answer broke off after 5 bytes: unexpected EOF"},
		{"hang", mockserver.Fault{Hang: time.Hour}, "no complete answer within 30s: i/o timeout"},
	} {
		for name, process := range map[string]bool{" before processing": false, " after processing": true} {
			t.Run(test.name+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					service, client := start(t)
					fault := test.fault
					fault.Process = process
					service.Inject(fault)
					wantError(t, convert(t.Context(), client), audioprojects.Ambiguous, convertFailed+test.text)
					wantRequests(t, service, 1)
					accepted := 0
					if process || fault.Truncate > 0 { // A truncated answer comes after the request has taken effect.
						accepted = 1
					}
					got := service.Conversions("p", "c")
					if got != accepted {
						t.Errorf("conversions: got %d, want %d", got, accepted)
					}
				})
			})
		}
	}
}

// TestConvertChapter_acceptsAnyAnswer, also one that says no: the document describes none, so that the caller must look at the chapter.
func TestConvertChapter_acceptsAnyAnswer(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault mockserver.Fault
		want  audioprojects.Text
	}{
		"no content":          {mockserver.Fault{Status: 204}, ""},
		"empty":               {mockserver.Fault{Status: 200}, ""},
		"null":                {mockserver.Fault{Body: "null"}, "null"},
		"text":                {mockserver.Fault{Body: `"ok"`}, `"ok"`},
		"a byte order mark":   {mockserver.Fault{Body: "\ufeff[]"}, "[]"},
		"JSON called HTML":    {mockserver.Fault{Body: "{}", Header: http.Header{"Content-Type": {"text/html"}}}, "{}"},
		"no":                  {mockserver.Fault{Body: `{"success":false,"message":"Not today."}`}, `{"success":false,"message":"Not today."}`},
		"several lines":       {mockserver.Fault{Body: "{\n\t\"error\": \"\u202e##[error]\"\n}"}, `{ "error": "# #[error]" }`},
		"the key":             {mockserver.Fault{Body: `{"key":"mock-key"}`}, `{"key":"(the API key)"}`},
		"more than is quoted": {mockserver.Fault{Body: `"` + strings.Repeat("ü", 600) + `"`}, audioprojects.Text(`"` + strings.Repeat("ü", 499) + "…")},
	} {
		_, client := startWith(t, test.fault)
		got, err := client.ConvertChapter(t.Context(), "p", "c", permit(t.Context(), client))
		if err != nil || got != test.want {
			t.Errorf("%s: got %q, %v; want %q", name, string(got), err, string(test.want))
		}
	}
}

func TestConvertChapter_sentOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		down, dials := true, 0
		service, client := start(t, func(config *audioprojects.Config) {
			dial := config.Transport.DialContext
			config.Transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
				dials++
				if down {
					return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
				}
				return dial(ctx, network, address)
			}
		})
		began := time.Now()
		wantError(t, convert(t.Context(), client), audioprojects.NotSent, convertFailed+"dial tcp: connection refused")
		if dials != 1 {
			t.Errorf("got %d dials, want 1", dials)
		}
		down = false
		service.Inject(mockserver.RateLimited(7 * time.Second))
		wantError(t, convert(t.Context(), client), audioprojects.RateLimited, convertFailed+"429 Too Many Requests: too_many_requests: Too many requests.")
		wantRequests(t, service, 1)
		wantTook(t, began, 0)
	})
}

func TestConvertChapter_cancelledAfterSending(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service, client := startWith(t, mockserver.Fault{Process: true, Hang: time.Hour})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		wantError(t, convert(ctx, client), audioprojects.Ambiguous, convertFailed+"context canceled")
		wantRequests(t, service, 1)
	})
}

// TestConvertChapter_noTLSAfterIt: the service has received the request when a gateway, or a broken tunnel, sends what is no TLS.
func TestConvertChapter_noTLSAfterIt(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n", "\x17\x03\x03\xff\xff", "\x17\x11\xe1\x00\x10"} {
		t.Run(fmt.Sprintf("%.9q", answer), func(t *testing.T) {
			certified := httptest.NewTLSServer(http.NotFoundHandler())
			defer certified.Close()
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			ended := make(chan error)
			go func() {
				raw, err := listener.Accept()
				if err == nil {
					_, err = http.ReadRequest(bufio.NewReader(tls.Server(raw, &tls.Config{Certificates: certified.TLS.Certificates})))
				}
				if err == nil {
					_, err = io.WriteString(raw, answer)
				}
				ended <- errors.Join(err, raw.Close())
			}()
			trusted := x509.NewCertPool()
			trusted.AddCert(certified.Certificate())
			client := connect(t, mockserver.New(), func(config *audioprojects.Config) {
				config.BaseURL = baseURL(t, "https://"+listener.Addr().String())
				config.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}}
			})
			err = convert(t.Context(), client)
			if !errors.Is(err, audioprojects.Ambiguous) || audioprojects.HandshakeFailed(err) || !strings.Contains(fmt.Sprint(err), "the TLS connection broke: ") {
				t.Errorf("%q: got %v, want that it is not clear, and what broke", answer, err)
			}
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

func TestConvertChapter_newConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dials := 0
		_, client := start(t, func(config *audioprojects.Config) {
			dial := config.Transport.DialContext
			config.Transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
				dials++
				return dial(ctx, network, address)
			}
		})
		for i, step := range []struct {
			ask   func(context.Context, *audioprojects.Client) error
			dials int
		}{
			{getProject, 1}, {getProject, 1}, {convert, 2}, {convert, 3}, {getProject, 3},
		} {
			if err := step.ask(t.Context(), client); err != nil {
				t.Fatal(err)
			}
			synctest.Wait() // The connection is idle now.
			if dials != step.dials {
				t.Errorf("after request %d: got %d dials, want %d", i, dials, step.dials)
			}
		}
	})
}

// TestChapter_state: a chapter that tries again after a failure is at work, whatever else its state says.
func TestChapter_state(t *testing.T) {
	t.Parallel()
	const busy, ownWord, failed, rests = "busy", "a word of its own", "failed", "rests"
	for state, want := range map[audioprojects.Text]string{
		"default": rests, "": ownWord, "converting": busy, "in_queue": busy, "rendering": ownWord, "completed": ownWord,
		"failed": failed, "Conversion Error": failed, "cancelled_by_user": failed, "retryable_error": failed, "failed_after_2_retries": failed,
		"retrying_after_error": busy, "Retrying (2 of 3)": busy, "RetryingFailedParts": busy,
		"error_retry_pending": ownWord, "failed, pending": ownWord, "retry": ownWord, "pending": ownWord,
	} {
		chapter := audioprojects.Chapter{State: &state}
		got := rests
		switch {
		case chapter.Busy() && !chapter.HasOwnWord() && !chapter.SaysFailed():
			got = busy
		case chapter.HasOwnWord() && !chapter.SaysFailed():
			got = ownWord
		case chapter.SaysFailed():
			got = failed
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", string(state), got, want)
		}
	}
}

// TestListChapters_listedTwice is one where pages overlap. Of records that differ, nobody knows which is true.
func TestListChapters_listedTwice(t *testing.T) {
	t.Parallel()
	const twice = `{"project_id":"p","chapters":[{"chapter_id":"a","state":"default","seen":1},{"chapter_id":"b"},{"chapter_id":"a","seen":2,"state":%s}]}`
	for state, differs := range map[string]bool{`"default"`: false, `"converting"`: true, `null`: true} {
		_, client := startWith(t, mockserver.Fault{Body: fmt.Sprintf(twice, state), Times: 2})
		chapters, err := client.WithRaw().ListChapters(t.Context(), "p")
		project, failed := client.GetProject(t.Context(), "p")
		if differs {
			const says = `200 OK: the answer contains chapter "a" twice, with different contents`
			wantError(t, err, audioprojects.Ambiguous, "GET /v1/projects/p/chapters: "+says)
			wantError(t, failed, audioprojects.Ambiguous, getProjectFailed+says)
			if !audioprojects.Unreadable(err) || len(chapters) > 0 || len(project.Chapters) > 0 {
				t.Errorf("got %v and %v, want an answer that cannot be read", chapters, project)
			}
			continue
		}
		if err != nil || failed != nil || len(chapters) != 2 || len(project.Chapters) != 2 {
			t.Errorf("got %v with %v, and %v with %v; want two chapters", chapters, err, project.Chapters, failed)
		}
	}
}

// Services add fields, and nobody should need another version of the client to read them.
func TestListChapters_raw(t *testing.T) {
	t.Parallel()
	const (
		more    = `{"voices":["a"],"chapter_id":"c", "credits": 12.50, "key":"mock\u0000-key","name":"One"}`
		shown   = `{"chapter_id":"c","credits":12.50,"key":"(the API key)","name":"One","voices":["a"]}`
		project = `{"plan":{"b":1,"a":2},"project_id":"p","chapters":[{"chapter_id":"a"},` + more + `]}`
	)
	wantShown := func(client *audioprojects.Client, raw audioprojects.Raw, want audioprojects.JSON) {
		t.Helper()
		got := client.SanitizedJSON(raw)
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	_, client := startWith(t, mockserver.Fault{Body: `{"chapters":[{"chapter_id":"a"},` + more + `]}`, Times: 2})
	chapters, err := client.WithRaw().ListChapters(t.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	wantShown(client, chapters[0].Raw, `{"chapter_id":"a"}`)
	wantShown(client, chapters[1].Raw, shown)
	chapters, err = client.ListChapters(t.Context(), "p")
	if err != nil || chapters[1].Raw != "" {
		t.Errorf("got %s, %v; want no record, which takes memory", chapters[1].Raw, err)
	}
	_, client = startWith(t, mockserver.Fault{Body: project})
	read, err := client.WithRaw().GetProject(t.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	wantShown(client, read.Raw, `{"plan":{"a":2,"b":1},"project_id":"p"}`)
	wantShown(client, read.Chapters[1].Raw, shown)
	wantShown(client, audioprojects.Chapter{}.Raw, "null")
}
