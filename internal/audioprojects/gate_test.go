package audioprojects_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// spellings are JSON texts that hold the key once they have been decoded and cleaned.
func spellings(t *testing.T, key string) map[string]string {
	middle := len(key) / 2
	split := func(by string) string { return inJSON(t, key[:middle]) + by + inJSON(t, key[middle:]) }
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

func TestTheKeyIsLookedForInWhatIsLeft(t *testing.T) {
	t.Parallel()
	for _, key := range keys {
		for name, spelling := range spellings(t, key) {
			service, client := start(t, withKey(key), noRetries)
			service.Inject(mockserver.Fault{Body: `{"project_id":"p","name":"` + spelling + `","experimental":{"` + spelling + `":["` + spelling + `", 1.50]}}`})
			project, err := client.GetProject(t.Context(), "p")
			if want := `{"(the API key)":["(the API key)",1.50]}`; err != nil || *project.Name != "(the API key)" || string(project.Experimental) != want {
				t.Errorf("%s, %s: got %q, %s, %v", key, name, *project.Name, project.Experimental, err)
			}
			service.Inject(mockserver.Fault{Status: http.StatusForbidden, Body: `{"detail":"Not with ` + spelling + `."}`})
			wantError(t, getProject(t.Context(), client), audioprojects.Forbidden, getProjectFailed+"403 Forbidden: Not with (the API key).")
		}
	}
}

// texts are all that an answer holds, the JSON too.
func texts(t *testing.T, answer any) (found []string) {
	t.Helper()
	encoded, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	var decoded any
	if err := json.Unmarshal(encoded, &decoded); err != nil {
		t.Fatal(err)
	}
	var walk func(any)
	walk = func(value any) {
		switch value := value.(type) {
		case string:
			found = append(found, value)
		case []any:
			for _, element := range value {
				walk(element)
			}
		case map[string]any:
			for _, element := range value {
				walk(element)
			}
		}
	}
	walk(decoded)
	return found
}

// Every text of every answer is cleaned, and so passes the gate: what is added later as well.
func TestEveryTextPassesTheGate(t *testing.T) {
	t.Parallel()
	const dirty = `"\u200bmock\u0007-key\n"`
	for answer, ask := range map[string]func(*audioprojects.Client) (any, error){
		`{%s,"project_id":"p","experimental":{"x":%s},"chapters":[{"chapter_id":"c",%s}],"genres":[%s],"creation_meta":{%s},
			"pronunciation_dictionary_versions":[{%s}]}`: func(c *audioprojects.Client) (any, error) { return c.GetProject(t.Context(), "p") },
		`{"snapshots":[{"chapter_snapshot_id":"s",%s}]}`: func(c *audioprojects.Client) (any, error) { return c.ListChapterSnapshots(t.Context(), "p", "c") },
		`[{"project_id":"p",%s}]`:                        func(c *audioprojects.Client) (any, error) { return c.ListProjects(t.Context()) },
		`[{"project_snapshot_id":"p",%s}]`:               func(c *audioprojects.Client) (any, error) { return c.ListProjectSnapshots(t.Context(), "p") },
	} {
		for i := 0; ; i++ {
			at := strings.Index(answer, "%s")
			if at < 0 {
				break
			}
			fields := dirty
			if before := answer[at-1]; before == '{' || before == ',' {
				fields = fieldsOfEveryAnswer(dirty)
			}
			answer = answer[:at] + fields + answer[at+2:]
		}
		service, client := start(t)
		service.Inject(mockserver.Fault{Body: answer})
		got, err := ask(client)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range texts(t, got) {
			if len(text) > 1 && text != "(the API key)" {
				t.Errorf("keeps %q of %s", text, answer)
			}
		}
	}
}

// fieldsOfEveryAnswer gives each text that any answer has the value.
func fieldsOfEveryAnswer(value string) string {
	named := map[string]bool{}
	for _, answer := range []reflect.Type{
		reflect.TypeFor[audioprojects.Project](), reflect.TypeFor[audioprojects.Chapter](), reflect.TypeFor[audioprojects.ChapterSnapshot](),
		reflect.TypeFor[audioprojects.CreationMeta](), reflect.TypeFor[audioprojects.PronunciationDictionaryVersion](),
	} {
		for field := range answer.Fields() {
			if field.Type == reflect.TypeFor[*audioprojects.Text]() {
				named[field.Tag.Get("json")] = true
			}
		}
	}
	var fields []string
	for name := range named {
		// The identifiers of other answers are texts of a chapter's snapshot.
		if name != "project_id" && name != "chapter_id" {
			fields = append(fields, `"`+name+`":`+value)
		}
	}
	return strings.Join(fields, ",")
}

// An identifier that cannot be printed is refused: a changed one would name something else.
func TestAnIdentifierThatCannotBeShownIsRefusedUnseen(t *testing.T) {
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
			service, client := start(t)
			service.Inject(mockserver.Fault{Body: before + id + end})
			said := text(operationOf(operation)(t.Context(), client))
			if !strings.HasSuffix(said, " that holds the API key") && !strings.HasSuffix(said, " with control characters") {
				t.Errorf("%s: got %q", before+id, said)
			}
		}
	}
}

func TestExperimentalMayHoldAnyJSON(t *testing.T) {
	t.Parallel()
	nested := strings.Repeat(`{"a":[`, 2500) + strings.Repeat(`]}`, 2500)
	for _, test := range []struct{ name, json, want string }{
		{"null", `null`, ""},
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
			if got := string(project.Experimental); err != nil || got != test.want {
				t.Errorf("got %.200q, %v\nwant %.200q", got, err, test.want)
			}
		})
	}
}
