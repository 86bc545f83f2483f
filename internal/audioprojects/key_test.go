package audioprojects_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
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

// forms are the ways in which programs write one text into another: escaped, encoded, or both.
func forms(t *testing.T, text string) map[string]string {
	t.Helper()
	html := inJSON(t, text)
	plain := strings.NewReplacer(`\u003c`, `<`, `\u003e`, `>`, `\u0026`, `&`).Replace(html)
	large := regexp.MustCompile(`%[0-9A-F]{2}|\\u[0-9a-f]{4}`)
	return map[string]string{
		"as it is":               text,
		"query":                  url.QueryEscape(text),
		"query, small digits":    large.ReplaceAllStringFunc(url.QueryEscape(text), strings.ToLower),
		"query in a query":       url.QueryEscape(url.QueryEscape(text)),
		"path":                   url.PathEscape(text),
		"JSON":                   plain,
		"JSON for HTML":          html,
		"JSON, large digits":     strings.ReplaceAll(strings.ReplaceAll(html, "003c", "003C"), "003e", "003E"),
		"JSON, slashes escaped":  strings.ReplaceAll(plain, "/", `\/`),
		"JSON in JSON":           inJSON(t, html),
		"JSON with an entity":    inJSON(t, fmt.Sprintf("&#X%X;", text[0])+text[1:]),
		"JSON in JSON in JSON":   inJSON(t, inJSON(t, plain)),
		"base64":                 base64.StdEncoding.EncodeToString([]byte(text)),
		"base64 without padding": base64.RawStdEncoding.EncodeToString([]byte(text)),
		"base64 for URLs":        base64.URLEncoding.EncodeToString([]byte(text)),
		"base64 in a query":      url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(text))),
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
		for name, form := range forms(t, key) {
			t.Run(key+", "+name, func(t *testing.T) {
				t.Parallel()
				service, client := start(t, withKey(key))
				service.Inject(mockserver.Fault{Status: http.StatusForbidden, Body: "The key " + form + " is not welcome."})
				err := getProject(t.Context(), client)
				if contains(err.Error(), form, name) {
					t.Errorf("got %q, which holds %s", err, form)
				}
				if !strings.HasPrefix(name, "base64") {
					wantError(t, err, audioprojects.Forbidden, getProjectFailed+"403 Forbidden: The key (the API key) is not welcome.")
				}
			})
		}
	}
}

func TestAnAnswerThatRepeatsTheKeyIsReadWithoutIt(t *testing.T) {
	t.Parallel()
	const record = `{"project_id":"p","name":"%[1]s","title":"\"%[1]s\"","author":"\\%[1]s\\","experimental":{"%[1]s":["%[1]s", 1.50]}}`
	for _, key := range keys {
		for name, form := range forms(t, key) {
			t.Run(key+", "+name, func(t *testing.T) {
				t.Parallel()
				service, client := start(t, withKey(key))
				spliced := form
				if !strings.HasPrefix(name, "JSON") {
					spliced = inJSON(t, form)
				}
				service.Inject(mockserver.Fault{Body: fmt.Sprintf(record, spliced)})
				project, err := client.GetProject(t.Context(), "p")
				if err != nil {
					t.Fatal(err)
				}
				for _, text := range []string{string(*project.Name), string(*project.Title), string(*project.Author), string(project.Experimental)} {
					if contains(text, form, name) || strings.Contains(text, key) || !strings.Contains(text, "(the API key)") {
						t.Errorf("got %q", text)
					}
				}
				if !strings.HasSuffix(string(project.Experimental), `,1.50]}`) {
					t.Errorf("got experimental %s, want what is not the key as it came", project.Experimental)
				}
			})
		}
	}
}

// A short key, such as "book" for a mock server, may be part of a name by accident.
func TestAShortKeyIsHiddenInErrorsAlone(t *testing.T) {
	t.Parallel()
	service, client := start(t, withKey("book"), noRetries)
	service.Inject(mockserver.Fault{Body: `{"project_id":"p","name":"My book, e.g. Ym9vaw"}`})
	project, err := client.GetProject(t.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := *project.Name, "My book, e.g. Ym9vaw"; string(got) != want {
		t.Errorf("got name %q, want %q", got, want)
	}
	service.Inject(mockserver.Fault{Status: http.StatusForbidden, Body: "Not with book. Ym9vaw"})
	wantError(t, getProject(t.Context(), client), audioprojects.Forbidden, getProjectFailed+"403 Forbidden: Not with (the API key). Ym9vaw")
}

func TestTheMediaTypeOfAudioIsReadWithoutTheKey(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ contentType, want, failure string }{
		{`audio/wav; key="mock-key"`, `audio/wav; key="(the API key)"`, ""},
		{"audio/bW9jay1rZXk", "audio/(the API key)k", ""},
		{"application/MOCK-KEY+json", "", streamFailed + "200 OK: the answer is JSON, not audio; it reads noise"},
	} {
		t.Run(test.contentType, func(t *testing.T) {
			t.Parallel()
			service, client := start(t)
			service.Inject(mockserver.Fault{Header: http.Header{"Content-Type": {test.contentType}}, Body: "\x00\x01noise"})
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
