package audioprojects_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// spellings are JSON texts that hold the key once they have been decoded and cleaned.
func spellings(t *testing.T, key string) map[string]string {
	middle := len(key) / 2
	split := func(by string) string {
		return jsonEscaped(t, key[:middle], false) + by + jsonEscaped(t, key[middle:], false)
	}
	var escaped strings.Builder
	for _, b := range []byte(key) {
		fmt.Fprintf(&escaped, `\u%04x`, b)
	}
	return map[string]string{
		"JSON escapes throughout": escaped.String(),
		"a zero-width space":      split("\u200b"),
		"a mark of direction":     split(`\u202e`),
		"a control character":     split(`\u0007`),
		"a NUL":                   split(`\u0000`),
	}
}

func TestSanitizer_masksKeyInWhatIsLeft(t *testing.T) {
	t.Parallel()
	for _, key := range keys {
		for name, spelling := range spellings(t, key) {
			service, client := startWith(t, mockserver.Fault{Body: `{"project_id":"p","name":"` + spelling + `","experimental":{"` + spelling + `":["` + spelling + `", 1.50]}}`}, withKey(key), noRetries)
			project, err := client.GetProject(t.Context(), "p")
			want := `{"(the API key)":["(the API key)",1.50]}`
			if err != nil || *project.Name.Value != "(the API key)" || string(*project.Experimental) != want {
				t.Errorf("%s, %s: got %q, %s, %v", key, name, *project.Name.Value, *project.Experimental, err)
			}
			service.Inject(mockserver.Fault{Status: http.StatusForbidden, Body: `{"detail":"Not with ` + spelling + `."}`})
			wantError(t, getProject(t.Context(), client), audioprojects.Forbidden, getProjectFailed+"403 Forbidden: Not with (the API key).")
		}
	}
}

// An identifier that cannot be printed is refused: a changed one would name something else.
func TestDecodeRecord_refusesInvisibleIdentifier(t *testing.T) {
	t.Parallel()
	ids := []string{mockserver.Secret, `\u001b[2J`, `a\nb`, `a\r\nb`, `\u009b`, `\u202e`}
	for _, spelling := range spellings(t, mockserver.Secret) {
		ids = append(ids, spelling)
	}
	for _, id := range ids {
		for operation, before := range map[mockserver.Operation]string{
			mockserver.GetProject: `{"chapters":[],"project_id":"`, mockserver.ListProjects: `{"projects":[{"project_id":"`,
			mockserver.ListChapters: `{"chapters":[{"chapter_id":"`, mockserver.ListChapterSnapshots: `{"snapshots":[{"chapter_snapshot_id":"`,
			mockserver.ListProjectSnapshots: `{"snapshots":[{"project_snapshot_id":"`,
		} {
			end := `"}]}`
			if operation == mockserver.GetProject {
				end = `"}`
			}
			_, client := startWith(t, mockserver.Fault{Body: before + id + end})
			said := text(operationOf(operation)(t.Context(), client))
			if !strings.HasSuffix(said, " that contains the API key") && !strings.HasSuffix(said, " with control characters") {
				t.Errorf("%s: got %q", before+id, said)
			}
		}
	}
}

func TestProject_experimentalHoldsAnyJSON(t *testing.T) {
	t.Parallel()
	nested := strings.Repeat(`{"a":[`, 2500) + strings.Repeat(`]}`, 2500)
	for _, test := range []struct{ name, json, want string }{
		{"5,000 levels", nested, nested},
		{"no UTF-8", "{\"a\xff\":\"\xff\"}", "{\"a\ufffd\":\"\ufffd\"}"},
		{"half of a surrogate pair", `{"a":"\ud800"}`, "{\"a\":\"\ufffd\"}"},
		{"numbers that no float64 holds", `[1e1000000,-0,9223372036854775808,0.10]`, `[1e1000000,-0,9223372036854775808,0.10]`},
		{"a key that comes twice", `{"b":{"x":1},"a":0,"b":{"y":2}}`, `{"a":0,"b":{"y":2}}`},
		{"control characters, which are left out", `{"a":"\u0000\u001b<&>"}`, `{"a":"<&>"}`},
		{"keys that are the same when read", `{"a":1,"a\u0000":2,"\u0000a":3}`, `{"a":2}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client := connect(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write([]byte(`{"project_id":"p","experimental":` + test.json + `}`))
			}))
			project, err := client.GetProject(t.Context(), "p")
			if err != nil {
				t.Fatal(err)
			}
			got := *project.Experimental
			if string(got) != test.want {
				t.Errorf("got %.200q\nwant %.200q", got, test.want)
			}
		})
	}
}
