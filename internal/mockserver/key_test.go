package mockserver_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestAKeyAllowsOnlyItsScopes(t *testing.T) {
	t.Parallel()
	s := overTCP(t, mockserver.Project{ID: "p", Chapters: []mockserver.Chapter{{ID: "c"}}})
	s.AddKey(mockserver.Key{Secret: "reader", Scopes: []mockserver.Operation{mockserver.ListChapters}})
	s.AddKey(mockserver.Key{Secret: "nothing", Scopes: []mockserver.Operation{}})
	s.AddKey(mockserver.Key{Secret: "stranger", NoAccess: true})
	for _, test := range []struct {
		key, path string
		status    int
		detail    string
	}{
		{mockserver.Secret, "/v1/projects", 200, ""},
		{"", "/v1/projects", 401, "needs_authorization"},
		{"wrong", "/v1/projects", 401, "invalid_api_key"},
		{"reader", "/v1/projects/p/chapters", 200, ""},
		{"reader", "/v1/projects", 403, "missing_permissions"},
		{"nothing", "/v1/projects", 403, "missing_permissions"},
		{"stranger", "/v1/projects", 403, "projects_access_not_granted"},
	} {
		s.key = test.key
		status, body := s.ask(http.MethodGet, test.path, "")
		if status != test.status || !strings.Contains(body, test.detail) {
			t.Errorf("%s with %q: got %d %s, want %d %s", test.path, test.key, status, body, test.status, test.detail)
		}
	}
}

func TestAConversionBeyondTheQuotaIsRefused(t *testing.T) {
	t.Parallel()
	s := overTCP(t, mockserver.Project{ID: "p", Chapters: []mockserver.Chapter{
		{ID: "long", Text: "a text of 21 letters."},
		{ID: "short", Text: "9 letters"},
	}})
	s.AddKey(mockserver.Key{Secret: "poor", Credits: new(20)})
	s.key = "poor"
	for i, step := range []struct {
		chapter string
		status  int
	}{
		{"long", http.StatusPaymentRequired},
		{"short", http.StatusOK},
		{"short", http.StatusOK}, // all of it once more, as nothing is left to convert
		{"short", http.StatusPaymentRequired},
	} {
		if got := s.convert("p", step.chapter); got != step.status {
			t.Errorf("step %d: got %d, want %d", i, got, step.status)
		}
	}
	if got := s.Conversions("p", "long") + s.Conversions("p", "short"); got != 2 {
		t.Errorf("conversions: got %d, want 2", got)
	}
	s.EditChapter("p", "short", "9 letters\n\nee")
	if got := s.convert("p", "short"); got != http.StatusOK {
		t.Errorf("what changed is within the quota: got %d", got)
	}
}
