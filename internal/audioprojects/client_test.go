package audioprojects_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/pace"
)

// testProject has one chapter and one snapshot.
var testProject = mockserver.Project{
	ID:        "p",
	Chapters:  []mockserver.Chapter{{ID: "c"}},
	Snapshots: []mockserver.ProjectSnapshot{{ID: "s", Length: time.Second}},
}

// start returns a mock service with testProject, and a client of it.
func start(t *testing.T, change ...func(*audioprojects.Config)) (*mockserver.Server, *audioprojects.Client) {
	t.Helper()
	service := mockserver.New()
	service.AddProject(testProject)
	return service, connect(t, service, change...)
}

// startWith is start with a fault in the first answer.
func startWith(t *testing.T, fault mockserver.Fault, change ...func(*audioprojects.Config)) (*mockserver.Server, *audioprojects.Client) {
	t.Helper()
	service, client := start(t, change...)
	service.Inject(fault)
	return service, client
}

// connect returns a client whose requests the handler answers.
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
	client := audioprojects.New(config)
	t.Cleanup(client.CloseIdleConnections)
	return client
}

func baseURL(t testing.TB, text string) *url.URL {
	t.Helper()
	address, err := audioprojects.ParseBaseURL(text, false)
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// operations are the methods of the client, each called for something that testProject has.
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
	permit, err := client.PermitConversion(context.WithoutCancel(ctx), "p", "c", false, func(error) {})
	if err == nil {
		_, err = client.ConvertChapter(ctx, "p", "c", permit)
	}
	return err
}

// stream requests the snapshot as MPEG and reads it to its end.
func stream(ctx context.Context, client *audioprojects.Client) error {
	return client.StreamProjectSnapshot(ctx, "p", "s", true, func(audio audioprojects.Audio) error {
		_, err := io.Copy(io.Discard, audio)
		return err
	})
}

func noRetries(config *audioprojects.Config) { config.MaxRetries = 0 }

// longTimeout is for tests without fake time, so that a busy machine causes no timeout.
func longTimeout(config *audioprojects.Config) { config.RequestTimeout = time.Hour }

// wantError checks that an error is of this kind and of no other, and has exactly this text.
func wantError(t *testing.T, err error, kind audioprojects.Kind, text string) {
	t.Helper()
	if err == nil {
		t.Fatalf("got no error, want %q (%s)", text, kind)
	}
	for _, other := range []audioprojects.Kind{
		audioprojects.NotFound, audioprojects.Unauthorized, audioprojects.Forbidden, audioprojects.RateLimited,
		audioprojects.Rejected, audioprojects.NotSent, audioprojects.Ambiguous,
	} {
		got := errors.Is(err, other)
		if got != (other == kind) {
			t.Errorf("errors.Is(err, %q): got %v; want kind %q", string(other), got, string(kind))
		}
	}
	if err.Error() != text {
		t.Errorf("got error  %q\nwant       %q", err, text)
	}
}

func wantTook(t *testing.T, began time.Time, want time.Duration) {
	t.Helper()
	got := time.Since(began)
	if got != want {
		t.Errorf("took %s, want %s", got, want)
	}
}

func wantRequests(t *testing.T, service *mockserver.Server, want int) {
	t.Helper()
	got := len(service.Journal())
	if got != want {
		t.Errorf("got %d requests, want %d", got, want)
	}
}

func TestLog_everyAttempt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log []audioprojects.Exchange
		service, client := start(t, func(config *audioprojects.Config) {
			config.Log = func(_ context.Context, exchange audioprojects.Exchange) { log = append(log, exchange) }
		})
		service.Inject(mockserver.Fault{EOF: true})
		service.Inject(mockserver.Fault{Hang: time.Second, Status: http.StatusBadGateway})
		service.Inject(mockserver.Fault{Truncate: 5})
		if err := getProject(t.Context(), client); err != nil {
			t.Fatal(err)
		}
		const path = "/v1/projects/p"
		want := []audioprojects.Exchange{
			{Method: http.MethodGet, Path: path, Problem: "EOF"},
			{Method: http.MethodGet, Path: path, Status: http.StatusBadGateway, Took: time.Second},
			{Method: http.MethodGet, Path: path, Status: http.StatusOK},
			{Method: http.MethodGet, Path: path, Status: http.StatusOK, Problem: "unexpected EOF"},
			{Method: http.MethodGet, Path: path, Status: http.StatusOK},
		}
		if !reflect.DeepEqual(log, want) {
			t.Errorf("got %+v, want %+v", log, want)
		}
	})
}

// TestLog_answerToConversion: if nothing is converted, it is all that says why.
func TestLog_answerToConversion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log []audioprojects.Exchange
		_, client := startWith(t, mockserver.Fault{Body: `{"success":false,"why":"mock-key"}`}, func(config *audioprojects.Config) {
			config.Log = func(_ context.Context, exchange audioprojects.Exchange) { log = append(log, exchange) }
		})
		if err := convert(t.Context(), client); err != nil {
			t.Fatal(err)
		}
		const path = "/v1/projects/p/chapters/c/convert"
		want := []audioprojects.Exchange{
			{Method: http.MethodPost, Path: path, Status: http.StatusOK},
			{Method: http.MethodPost, Path: path, Status: http.StatusOK, Answer: `{"success":false,"why":"(the API key)"}`},
		}
		if !reflect.DeepEqual(log, want) {
			t.Errorf("got %+v, want %+v", log, want)
		}
	})
}

// permit is one for the request for a conversion; nil if the service asks for a pause.
func permit(ctx context.Context, client *audioprojects.Client) *pace.Permit {
	given, _ := client.PermitConversion(ctx, "p", "c", false, func(error) {})
	return given
}
