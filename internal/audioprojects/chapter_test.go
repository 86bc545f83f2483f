package audioprojects_test

import (
	"context"
	"net"
	"net/http"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const convertFailed = "POST /v1/projects/p/chapters/c/convert: "

func TestAConversionThatMayHaveBegunIsNotAskedForAgain(t *testing.T) {
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

func TestAnyBodyOfASuccessfulConversionIsAccepted(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		fault mockserver.Fault
	}{
		{"no content", mockserver.Fault{Status: 204}},
		{"empty", mockserver.Fault{Status: 200}},
		{"null", mockserver.Fault{Body: "null"}},
		{"text", mockserver.Fault{Body: `"ok"`}},
		{"array", mockserver.Fault{Body: "[]"}},
		{"JSON called HTML", mockserver.Fault{Body: "{}", Header: http.Header{"Content-Type": {"text/html"}}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, client := startWith(t, test.fault)
			err := convert(t.Context(), client)
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAConversionIsSentOnce(t *testing.T) {
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

func TestAConversionCancelledAfterSendingIsAmbiguous(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service, client := startWith(t, mockserver.Fault{Process: true, Hang: time.Hour})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		wantError(t, convert(ctx, client), audioprojects.Ambiguous, convertFailed+"context canceled")
		wantRequests(t, service, 1)
	})
}

func TestAConversionUsesANewConnection(t *testing.T) {
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
			err := step.ask(t.Context(), client)
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait() // The connection is idle now.
			if dials != step.dials {
				t.Errorf("after request %d: got %d dials, want %d", i, dials, step.dials)
			}
		}
	})
}

// Where pages overlap, a list has a chapter twice. Totals and imports would count it twice.
func TestAChapterThatIsListedTwiceIsOne(t *testing.T) {
	t.Parallel()
	const twice = `{"chapters":[{"chapter_id":"a","can_be_downloaded":true,"seen":1},{"chapter_id":"b","state":"default"},{"chapter_id":"a","can_be_downloaded":false,"seen":2},{"chapter_id":"b","state":"converting"}]}`
	_, client := startWith(t, mockserver.Fault{Body: twice})
	chapters, err := client.WithRaw().ListChapters(t.Context(), "p")
	if err != nil || len(chapters) != 3 {
		t.Errorf("got %d chapters, error %v; want one a, and both b, which differ", len(chapters), err)
	}
}

// TestWhatMakesTwoChaptersOfCopies: a field decides that two records with one id are two chapters, or is only shown. A new one must be
// here.
func TestWhatMakesTwoChaptersOfCopies(t *testing.T) {
	t.Parallel()
	decides := map[string]bool{
		"chapter_id": true, "name": true, "state": true, "conversion_progress": true, "last_conversion_date_unix": true,
		"last_conversion_error": true, "statistics": true, "can_be_downloaded": false,
	}
	values := map[reflect.Kind]string{
		reflect.String: `"other"`, reflect.Bool: "true", reflect.Float64: "7", reflect.Int64: "7", reflect.Struct: `{"characters_converted":7}`,
	}
	fields := reflect.TypeFor[audioprojects.Chapter]()
	for i := range fields.NumField() {
		field := fields.Field(i)
		name, kind := field.Tag.Get("json"), field.Type
		if name == "-" {
			continue
		}
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		decided, known := decides[name]
		_, client := startWith(t, mockserver.Fault{Body: `{"chapters":[{"chapter_id":"a"},{"chapter_id":"a","` + name + `":` + values[kind.Kind()] + `}]}`})
		chapters, err := client.ListChapters(t.Context(), "p")
		if !known || err != nil || (len(chapters) == 2) != decided {
			t.Errorf("%s: got %d chapters of two copies that differ in it, error %v; is it only shown?", name, len(chapters), err)
		}
	}
}

// Services add fields, and nobody should need another version of the client to read them.
func TestWhatTheDocumentDoesNotHave(t *testing.T) {
	t.Parallel()
	const (
		more    = `{"voices":["a"],"chapter_id":"c", "credits": 12.50, "key":"mock\u0000-key","name":"One"}`
		shown   = `{"chapter_id":"c","credits":12.50,"key":"(the API key)","name":"One","voices":["a"]}`
		project = `{"plan":{"b":1,"a":2},"project_id":"p","Chapters":[{"chapter_id":"a"},` + more + `]}`
	)
	wantShown := func(client *audioprojects.Client, raw audioprojects.Raw, want audioprojects.JSON) {
		t.Helper()
		got, err := client.Shown(raw)
		if got != want || err != nil {
			t.Errorf("got %s, %v; want %s", got, err, want)
		}
	}
	for _, list := range []string{`{"chapters":[{"chapter_id":"a"},` + more + `]}`, `{"plan":1,"CHAPTERS":[{"chapter_id":"a"},` + more + `]}`, `[{"chapter_id":"a"},` + more + `]`} {
		_, client := startWith(t, mockserver.Fault{Body: list})
		chapters, err := client.WithRaw().ListChapters(t.Context(), "p")
		if err != nil {
			t.Fatal(err)
		}
		wantShown(client, chapters[0].Raw, `{"chapter_id":"a"}`)
		wantShown(client, chapters[1].Raw, shown)
	}
	_, client := startWith(t, mockserver.Fault{Body: project})
	read, err := client.WithRaw().GetProject(t.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	wantShown(client, read.Raw, `{"plan":{"a":2,"b":1},"project_id":"p"}`)
	wantShown(client, read.Chapters[1].Raw, shown)
	wantShown(client, audioprojects.Chapter{}.Raw, "null")

	// What is shown is bounded. What nobody shows is no reason to refuse an answer.
	_, client = startWith(t, mockserver.Fault{
		Body: `{"chapters":[{"chapter_id":"c","more":["` + strings.Repeat(strings.Repeat("x", 10_000)+`","`, 1700) + `"]}]}`, Header: http.Header{"Content-Type": {"application/json"}},
	}, longTimeout)
	chapters, err := client.WithRaw().ListChapters(t.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Shown(chapters[0].Raw)
	want := "the answer has more than 16 MiB of text, which is the largest amount that the provider reads"
	if text(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
