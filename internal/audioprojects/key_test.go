package audioprojects_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// keys are API keys of several shapes; every kind of escape changes the last. One has what reads like an escape of JSON.
var keys = []string{mockserver.Secret, "sk_~~~~~~~~>>>???", "sk_0123456789abcdef0123456789abcdef", `sk+a/b=c&d<e>"f\g%h`, `sk_9a\b%Q&t"x`, `"<\+/sk-_.~!'()*,:;?@[]^{|}#$\` + "`"}

func withKey(key string) func(*audioprojects.Config) {
	return func(config *audioprojects.Config) { config.APIKey = key }
}

// forms are what a service or a gateway makes of a key that it repeats.
func forms(t *testing.T, key string) map[string]string {
	t.Helper()
	return map[string]string{
		"as it is":        key,
		"query":           url.QueryEscape(key),
		"path":            url.PathEscape(key),
		"JSON":            jsonEscaped(t, key, false),
		"JSON in HTML":    jsonEscaped(t, key, true),
		"base64":          base64.StdEncoding.EncodeToString([]byte(key)),
		"base64 for URLs": base64.RawURLEncoding.EncodeToString([]byte(key)),
	}
}

// jsonEscaped is a text between the quotes of JSON.
func jsonEscaped(t *testing.T, text string, inHTML bool) string {
	t.Helper()
	var quoted strings.Builder
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(inHTML)
	if err := encoder.Encode(text); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(quoted.String()[1:], "\"\n")
}

func TestKeyMask_everyForm(t *testing.T) {
	t.Parallel()
	for _, key := range keys {
		for name, form := range forms(t, key) {
			_, client := startWith(t, mockserver.Fault{Status: http.StatusForbidden, Body: "The key " + form + " is not welcome."}, withKey(key))
			got := text(getProject(t.Context(), client))
			padding := strings.Repeat("=", strings.Count(form, "=")) // which any text of that length has
			if name != "base64" {
				padding = ""
			}
			if got != getProjectFailed+"403 Forbidden: The key (the API key)"+padding+" is not welcome." {
				t.Errorf("%s, %s: got %q", key, name, got)
			}
		}
	}
}

// What only resembles the key, or holds a short one, such as "book" for a mock server, is somebody's text.
func TestKeyMask_keepsProse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ key, prose string }{
		{"16148410", "ISBN 978-3-16-148410-0, or 978 3 16 148410 0"},
		{"mock-key", "Mock-Key, mock - key & ｍｏｃｋ-ｋｅｙ"},
		{"book", "My book, e.g. Ym9vaw"},
	} {
		service, client := startWith(t, mockserver.Fault{Body: `{"project_id":"p","name":"` + test.prose + `"}`}, withKey(test.key), noRetries)
		project, err := client.GetProject(t.Context(), "p")
		if err != nil || string(*project.Name.Value) != test.prose {
			t.Errorf("key %s: got %q, %v; want %q", test.key, *project.Name.Value, err, test.prose)
		}
		service.Inject(mockserver.Fault{Status: http.StatusForbidden, Body: test.prose})
		wantError(t, getProject(t.Context(), client), audioprojects.Forbidden, getProjectFailed+"403 Forbidden: "+test.prose)
	}
}

func TestKeyMask_mediaType(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ contentType, want string }{
		{`audio/wav; key="mock-key"`, `audio/wav; key="(the API key)"`},
		{"audio/\u009b2J\u202ewave", "audio/2J\u202ewave"},
		{"audio/bW9jay1rZXk", "audio/(the API key)"},
	} {
		t.Run(test.contentType, func(t *testing.T) {
			t.Parallel()
			_, client := startWith(t, mockserver.Fault{Header: http.Header{"Content-Type": {test.contentType}}, Body: "\x00\x01noise"})
			var got string
			err := client.StreamProjectSnapshot(t.Context(), "p", "s", false, func(audio audioprojects.Audio) error {
				got = string(audio.ContentType)
				return nil
			})
			if err != nil || got != test.want {
				t.Errorf("got media type %q and error %v, want %q", got, err, test.want)
			}
		})
	}
}
