package say_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/pace"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/say"
)

// TestAdvice_refusedConversion: what to do about a conversion that is refused, by what the service has accepted before. None is about an
// id, so no attribute is at fault.
func TestAdvice_refusedConversion(t *testing.T) {
	t.Parallel()
	const silent = `{"detail":"No."}`
	const accepted, listed, first = "the same operation", "another operation", "nothing"
	for _, test := range []struct {
		before string // what the service has accepted
		status int
		body   string
		want   string // the beginning of the advice
		not    string // is not in it
	}{
		{first, 402, silent, "The account's credits, or the credit quota of the API key, do not cover this. Add credits", ""},
		{accepted, 402, `{"detail":{"status":"payment_required","message":"This voice needs another plan."}}`,
			"The account's plan may not include something that this request needs, such as a voice, or a payment may be due.", "credits"},
		{listed, 404, `{"detail":{"status":"voice_not_found"}}`, "The service lists the chapter. So it does not find something that the conversion needs, such as a voice, ", "the id"},
		{first, 401, silent, "The service does not accept the API key. Check `api_key` in the provider block or the environment variable AUDIOPROJECTS_API_KEY, " +
			"and that `base_url` is the address that the key is for.", ""},
		{first, 401, `{"detail":{"status":"invalid_api_key"}}`, "The service does not accept the API key. Check `api_key`", "expired"},
		{listed, 401, silent, "The service knows the API key, so the key's scope probably does not include this operation.", "expired"},
		{accepted, 401, silent, "The service accepted the key for this operation before, so the key has most likely expired or been revoked.", "scope"},
		{listed, 401, `{"detail":{"status":"api_key_expired"}}`, "The service accepted the key before, so the key has most likely expired or been revoked.", "scope"},
		{listed, 403, silent, "The API key's scope does not include this operation, or the account has no access to projects.", ""},
		{accepted, 403, silent, "The service accepts this operation with this key for something else.", "scope"},
	} {
		service := mockserver.New()
		service.AddProject(mockserver.Project{ID: "book", Chapters: []mockserver.Chapter{{ID: "one"}, {ID: "two"}}})
		network := service.Network()
		defer network.Close()
		client := clientOf(t, network)
		var err error
		switch test.before {
		case listed:
			_, err = client.ListChapters(t.Context(), "book")
		case accepted:
			_, err = client.ConvertChapter(t.Context(), "book", "two", permit(t, client))
		}
		if err != nil {
			t.Fatal(err)
		}
		service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Status: test.status, Body: test.body})
		_, err = client.ConvertChapter(t.Context(), "book", "one", permit(t, client))
		got := say.Advice(err, "-parallelism")
		isUnwanted := test.not != "" && strings.Contains(got, test.not)
		if !strings.HasPrefix(got, test.want) || isUnwanted {
			t.Errorf("%d %s, after %s was accepted: got\n%s\nwant\n%s\nwithout %q", test.status, test.body, test.before, got, test.want, test.not)
		}
		_, isAtAttribute := say.Unable("convert", "a chapter", path.Root("chapter_id"), err).(interface{ Path() path.Path })
		if isAtAttribute || errors.Is(err, audioprojects.NotFound) {
			t.Errorf("%d %s: points at an attribute: %t", test.status, test.body, isAtAttribute)
		}
	}
}

// TestAdvice_notFound: before the service has accepted anything, a 404 may mean that its operations are elsewhere, which comes first. After
// that, only the id can be wrong.
func TestAdvice_notFound(t *testing.T) {
	t.Parallel()
	service := mockserver.New()
	service.SetHabits(mockserver.Habits{APIPath: "/v1/studio"})
	service.AddProject(mockserver.Project{ID: "book"})
	network := service.Network()
	defer network.Close()
	client := clientOf(t, network)
	for _, test := range []struct {
		before, apiPath, want, then string
	}{
		{"nothing accepted", "/v1/studio", "Check `base_url` and `api_path` first: ", "such as /v1/studio. If they are right, check that the id is correct"},
		{"projects listed", "/v1", "Check that the id is correct and belongs to the account of the API key.", ""},
	} {
		service.SetHabits(mockserver.Habits{APIPath: test.apiPath})
		if test.apiPath == "/v1" {
			_, err := client.ListProjects(t.Context())
			if err != nil {
				t.Fatal(err)
			}
		}
		_, err := client.GetProject(t.Context(), "none")
		got := say.Advice(err, "-parallelism")
		if !strings.HasPrefix(got, test.want) || !strings.Contains(got, test.then) || test.then == "" && got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s … %s", test.before, got, test.want, test.then)
		}
	}
}

// TestAdvice_repeatedAPIPath: vendors show a base URL that ends in the version.
func TestAdvice_repeatedAPIPath(t *testing.T) {
	t.Parallel()
	repeated := &audioprojects.Error{Kind: audioprojects.NotFound, Status: http.StatusNotFound, RepeatedAPIPath: "/v1"}
	got := say.Advice(repeated, "-parallelism")
	const want = "`base_url` ends in /v1, and `api_path` adds /v1 again. Remove it from one of them."
	if !strings.HasPrefix(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

func clientOf(t *testing.T, network *mockserver.Network) *audioprojects.Client {
	t.Helper()
	address, err := audioprojects.ParseBaseURL("http://localhost", false)
	if err != nil {
		t.Fatal(err)
	}
	return audioprojects.New(audioprojects.Config{
		BaseURL: address, APIKey: mockserver.Secret, RequestTimeout: time.Minute, Transport: &http.Transport{DialContext: network.DialContext},
	})
}

// TestAdvice_failedAnswer: what the service says is wrong is not the address.
func TestAdvice_failedAnswer(t *testing.T) {
	t.Parallel()
	failed := &audioprojects.Error{Kind: audioprojects.Ambiguous, Status: http.StatusOK, Err: &audioprojects.FailedAnswerError{Says: `"success": false`}}
	got := say.Advice(failed, "-parallelism")
	if !strings.HasPrefix(got, "This is the service's own error message.") {
		t.Errorf("got %s", got)
	}
}

// permit is one for the request for a conversion.
func permit(t *testing.T, client *audioprojects.Client) *pace.Permit {
	t.Helper()
	given, err := client.PermitConversion(t.Context(), "book", "one", false, func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	return given
}
