package audioprojects_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const getProjectFailed = "GET /v1/projects/p: "

func TestRetry_reads(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		fault mockserver.Fault
		kind  audioprojects.Kind // of the error, if the fault does not end
		text  string
		each  time.Duration // how long one attempt takes
	}{
		{"500", mockserver.Fault{Status: 500}, audioprojects.Ambiguous, "500 Internal Server Error", 0},
		{"501", mockserver.Fault{Status: 501}, audioprojects.Ambiguous, "501 Not Implemented", 0},
		{"502 in HTML", mockserver.Fault{Status: 502, Body: "<html>"}, audioprojects.Ambiguous, "502 Bad Gateway: (an HTML page)", 0},
		{"503", mockserver.Fault{Status: 503}, audioprojects.Ambiguous, "503 Service Unavailable", 0},
		{"408", mockserver.Fault{Status: 408}, audioprojects.Ambiguous, "408 Request Timeout", 0},
		{"429", mockserver.Fault{Status: 429}, audioprojects.RateLimited, "429 Too Many Requests", 0},
		{"reset", mockserver.Fault{Reset: true}, audioprojects.Ambiguous, "read memory: connection reset by peer", 0},
		{"end", mockserver.Fault{EOF: true}, audioprojects.Ambiguous, "EOF", 0},
		{"truncated", mockserver.Fault{Truncate: 5}, audioprojects.Ambiguous, "the answer broke off after 5 bytes: unexpected EOF", 0},
		{"hang", mockserver.Fault{Hang: time.Hour}, audioprojects.Ambiguous,
			"no complete answer within 30s: i/o timeout", 30 * time.Second},
		{"hang in the body", mockserver.Fault{SlowBytes: time.Hour}, audioprojects.Ambiguous,
			"the answer broke off after 64 bytes: no complete answer within 30s: i/o timeout", 30 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service, client := start(t)
				passing := test.fault
				passing.Times = 2
				service.Inject(passing)
				began := time.Now()
				if err := getProject(t.Context(), client); err != nil {
					t.Errorf("a fault that passes: %v", err)
				}
				wantRequests(t, service, 3)
				between := (500 + 1000) * time.Millisecond
				if test.kind == audioprojects.RateLimited {
					between = (1 + 2) * time.Second // The pace is closed.
				}
				wantTook(t, began, 2*test.each+between)

				service, client = start(t)
				lasting := test.fault
				lasting.Times = -1
				service.Inject(lasting)
				began = time.Now()
				wantError(t, getProject(t.Context(), client), test.kind, getProjectFailed+test.text)
				wantRequests(t, service, 5)
				backoff := (500 + 1000 + 2000 + 4000) * time.Millisecond
				if test.kind == audioprojects.RateLimited {
					backoff = (1 + 2 + 4 + 8) * time.Second
				}
				wantTook(t, began, 5*test.each+backoff)
			})
		})
	}
}

// TestRetryAfter_forms: an early request begins the wait of some services anew.
func TestRetryAfter_forms(t *testing.T) {
	t.Parallel()
	const start = "Sat, 01 Jan 2000 00:00:00 GMT" // of the fake time
	for _, test := range []struct {
		retryAfter, date string // that of the service's clock; "none": it sends none
		want             time.Duration
	}{
		{"7", start, 7 * time.Second},
		{"7.0", start, 7 * time.Second},
		{"6.01", start, 7 * time.Second},
		{" 7s", start, 7 * time.Second},
		{"6.5 Seconds", start, 7 * time.Second},
		{"0m7s", start, 7 * time.Second},
		{"6200ms", start, 7 * time.Second},
		{"Sat, 01 Jan 2000 00:00:07 GMT", start, 7 * time.Second},
		{"Sat, 01 Jan 2000 01:00:07 GMT", "Sat, 01 Jan 2000 01:00:00 GMT", 7 * time.Second}, // an hour ahead
		{"Fri, 31 Dec 1999 23:00:07 GMT", "Fri, 31 Dec 1999 23:00:00 GMT", 7 * time.Second}, // an hour behind
		{"Saturday, 01-Jan-00 00:00:07 GMT", start, 7 * time.Second},
		{"Sat Jan  1 00:00:07 2000", start, 7 * time.Second},
		{"Sat, 01 Jan 2000 01:00:07 +0100", start, 7 * time.Second},
		{"2000-01-01T01:00:07+01:00", start, 7 * time.Second},
		{"946684807", start, 7 * time.Second},
		{"946684806.25", start, 7 * time.Second},
		{"946684807000", start, 7 * time.Second},
		{"+946684807", start, 7 * time.Second},
		{"Sat, 01 Jan 2000 00:00:07 UTC", start, 7 * time.Second},
		{`"Sat, 01 Jan 2000 00:00:07 GMT"`, start, 7 * time.Second},
		{"+7", start, 7 * time.Second},
		{`"7"`, start, 7 * time.Second},
		{"0.5 minutes", start, 30 * time.Second},
		{"1 Min", start, time.Minute},
		{"0 minutes 7 seconds", start, 7 * time.Second},
		{"Sat, 01 Jan 2000 00:00:07 GMT", "none", 7 * time.Second},
		{"Sat, 01 Jan 2000 00:00:07 GMT", "today", 7 * time.Second},
		{"99999d", start, 0},
		{"Fri, 31 Dec 1999 23:59:59 GMT", start, 0},
		{"0", start, 0}, {"0.0", start, 0}, {"-1", start, 0}, {"-7s", start, 0}, {"soon", start, 0}, {"", start, 0}, {"NaN", start, 0}, {"inf", start, 0},
		{"0x10", start, 0}, {"1e1", start, 0}, {"7,5", start, 0}, {"s", start, 0},
		{"++7", start, 0}, {`""`, start, 0}, {"7 7", start, 0}, {"2 moons", start, 0}, {"min", start, 0}, {"Infinity", start, 0},
		{"Sat, 01 Jan 2000 00:00:07 PST", start, 0}, {"946684799000", start, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			header := http.Header{"Retry-After": {test.retryAfter}, "Date": {test.date}}
			if test.date == "none" {
				header["Date"] = nil
			}
			_, client := startWith(t, mockserver.Fault{Status: 429, Header: header})
			began := time.Now()
			if err := getProject(t.Context(), client); err != nil {
				t.Error(err)
			}
			took := time.Since(began)
			if took != max(test.want, time.Second) {
				t.Errorf("%q at %s: took %s, want %s", test.retryAfter, test.date, took, test.want)
			}
		})
	}
}

func TestRetryAfter_notBeyondDeadline(t *testing.T) {
	t.Parallel()
	for _, wait := range []string{"60", "9999999999", "18446744074", "9223372036854775807"} {
		for _, test := range operations {
			synctest.Test(t, func(t *testing.T) {
				service, client := start(t)
				fault := mockserver.RateLimited(0)
				fault.Header.Set("Retry-After", wait)
				service.Inject(fault)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				began := time.Now()
				err := test.ask(ctx, client)
				wantTook(t, began, 0)
				wantRequests(t, service, 1)
				entry := service.Journal()[0]
				wantError(t, err, audioprojects.RateLimited, entry.Method+" "+entry.Path+": 429 Too Many Requests: too_many_requests: Too many requests.")
				var refused *audioprojects.Error
				if !errors.As(err, &refused) || refused.RetryAfter < time.Minute {
					t.Errorf("got %+v, want RetryAfter of a minute or more", err)
				}
			})
		}
	}
}

// Another attempt would meet the same certificate, or the same protocol.
func TestRetry_notAfterFailedConnection(t *testing.T) {
	t.Parallel()
	secure, plain := httptest.NewUnstartedServer(mockserver.New()), httptest.NewUnstartedServer(mockserver.New())
	silent, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { // speaks TLS, and no words to those who do not
		for {
			connection, err := silent.Accept()
			if err != nil {
				return
			}
			_, _ = connection.Read(make([]byte, 1))
			_, _ = connection.Write([]byte("\x15\x03\x01\x00\x02\x02\x16"))
			_ = connection.Close()
		}
	}()
	for _, server := range []*httptest.Server{secure, plain} {
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
	}
	secure.StartTLS()
	plain.Start()
	defer secure.Close()
	defer plain.Close()
	defer silent.Close()
	for address, speaks := range map[string]string{
		secure.URL: "",
		strings.Replace(plain.URL, "http:", "https:", 1): "plain HTTP",
		"http://" + silent.Addr().String():               "TLS",
	} {
		testNoSecondConnection(t, address, speaks)
	}
}

func testNoSecondConnection(t *testing.T, address, speaks string) {
	t.Helper()
	dials := 0
	client := connect(t, mockserver.New(), func(config *audioprojects.Config) {
		config.BaseURL = baseURL(t, address)
		config.Transport = &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			dials++
			return new(net.Dialer).DialContext(ctx, network, address)
		}}
	})
	for _, ask := range []func(context.Context, *audioprojects.Client) error{getProject, stream} {
		dials = 0
		err := ask(t.Context(), client)
		if !errors.Is(err, audioprojects.NotSent) || dials != 1 || audioprojects.WrongProtocol(err) != speaks {
			t.Errorf("%s: got %v after %d connections, want NotSent after one, and that it speaks %s", address, err, dials, speaks)
		}
	}
}

// Another attempt would end in the same way.
func TestRetry_notWithoutTLS(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string]*tls.Config{
		"it wants a certificate":          {ClientAuth: tls.RequireAnyClientCert},
		"it wants a certificate, TLS 1.2": {ClientAuth: tls.RequireAnyClientCert, MaxVersion: tls.VersionTLS12},
		"it speaks only TLS 1.0":          {MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewUnstartedServer(mockserver.New())
			server.Config.ErrorLog = log.New(io.Discard, "", 0)
			server.TLS = settings
			server.StartTLS()
			defer server.Close()
			trusted := server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
			dials := 0
			client := connect(t, mockserver.New(), func(config *audioprojects.Config) {
				config.BaseURL = baseURL(t, server.URL)
				config.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
					dials++
					return new(net.Dialer).DialContext(ctx, network, address)
				}}
			})
			err := getProject(t.Context(), client)
			if !audioprojects.TLSIncompatible(err) || dials != 1 {
				t.Errorf("got %v after %d connections, want the error after one", err, dials)
			}
		})
	}
}
