package audioprojects_test

import (
	"encoding/base64"
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// keys are API keys of several shapes; every kind of escape changes the last. One has what reads like an escape of JSON.
var keys = []string{mockserver.Secret, "sk_0123456789abcdef0123456789abcdef", `sk+a/b=c&d<e>"f\g%h`, `sk_9a\b%Q&t"x`, `"<\+/sk-_.~!'()*,:;?@[]^{|}#$\` + "`"}

func withKey(key string) func(*audioprojects.Config) {
	return func(config *audioprojects.Config) { config.APIKey = key }
}

// forms are what the usual libraries make of a text.
func forms(t *testing.T, text string) map[string]string {
	t.Helper()
	forHTML := inJSON(t, text)
	plain := strings.NewReplacer(`\u003c`, `<`, `\u003e`, `>`, `\u0026`, `&`).Replace(forHTML)
	digits := regexp.MustCompile(`%[0-9A-F]{2}`)
	return map[string]string{
		"as it is":               text,
		"query":                  url.QueryEscape(text),
		"query, small digits":    digits.ReplaceAllStringFunc(url.QueryEscape(text), strings.ToLower),
		"query, by a browser":    strings.NewReplacer("%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*").Replace(url.QueryEscape(text)),
		"path":                   url.PathEscape(text),
		"JSON":                   plain,
		"JSON for HTML":          forHTML,
		"JSON, slashes escaped":  strings.ReplaceAll(plain, "/", `\/`),
		"HTML":                   html.EscapeString(text),
		"HTML, by Python":        strings.NewReplacer("&#34;", "&quot;", "&#39;", "&#x27;").Replace(html.EscapeString(text)),
		"base64":                 base64.StdEncoding.EncodeToString([]byte(text)),
		"base64 without padding": base64.RawStdEncoding.EncodeToString([]byte(text)),
		"base64 for URLs":        base64.URLEncoding.EncodeToString([]byte(text)),
		"base64 after one byte":  base64.StdEncoding.EncodeToString([]byte(":" + text + ":")),
		"base64 after two bytes": base64.StdEncoding.EncodeToString([]byte("u:" + text)),
		"base64 after a name":    base64.RawURLEncoding.EncodeToString([]byte("user:" + text + "\n")),
	}
}

func inJSON(t *testing.T, text string) string {
	t.Helper()
	encoded, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded[1 : len(encoded)-1])
}

// contains reports whether a text still has the key in the given form. It ignores the first and last digits of
// base64, which also depend on what is around the key.
func contains(text, form, name string) bool {
	if strings.HasPrefix(name, "base64") {
		form = form[2 : len(form)-6]
	}
	return strings.Contains(text, form)
}

func TestTheKeyIsHiddenInEveryForm(t *testing.T) {
	t.Parallel()
	for _, key := range keys {
		hide := audioprojects.HideKey(key)
		for name, form := range forms(t, key) {
			got := hide("The key " + form + " is not welcome.")
			if contains(got, form, name) || !strings.HasPrefix(name, "base64") && got != "The key (the API key) is not welcome." {
				t.Errorf("%s, %s: got %q", key, name, got)
			}
		}
	}
}

// What only resembles the key, or holds a short one, such as "book" for a mock server, is somebody's text.
func TestProseStaysAsItIs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ key, prose string }{
		{"16148410", "ISBN 978-3-16-148410-0, or 978 3 16 148410 0"},
		{"mock-key", "Mock-Key, mock - key & ｍｏｃｋ-ｋｅｙ"},
		{"book", "My book, e.g. Ym9vaw"},
	} {
		service, client := startWith(t, mockserver.Fault{Body: `{"project_id":"p","name":"` + test.prose + `"}`}, withKey(test.key), noRetries)
		project, err := client.GetProject(t.Context(), "p")
		if err != nil || string(*project.Name) != test.prose {
			t.Errorf("key %s: got %q, %v; want %q", test.key, *project.Name, err, test.prose)
		}
		service.Inject(mockserver.Fault{Status: http.StatusForbidden, Body: test.prose})
		wantError(t, getProject(t.Context(), client), audioprojects.Forbidden, getProjectFailed+"403 Forbidden: "+test.prose)
	}
}

func TestTheMediaTypeOfAudioIsReadWithoutTheKey(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ contentType, want, failure string }{
		{`audio/wav; key="mock-key"`, `audio/wav; key="(the API key)"`, ""},
		{"audio/\u009b2J\u202ewave", "audio/2J\u202ewave", ""},
		{"audio/bW9jay1rZXk", "audio/(the API key)k", ""},
	} {
		t.Run(test.contentType, func(t *testing.T) {
			t.Parallel()
			_, client := startWith(t, mockserver.Fault{Header: http.Header{"Content-Type": {test.contentType}}, Body: "\x00\x01noise"})
			var got string
			err := client.StreamProjectSnapshot(t.Context(), "p", "s", false, func(audio audioprojects.Audio) error {
				got = string(audio.ContentType)
				return nil
			})
			if test.failure != "" {
				wantError(t, err, audioprojects.Ambiguous, test.failure)
			}
			if got != test.want {
				t.Errorf("got media type %q, want %q", got, test.want)
			}
		})
	}
}
