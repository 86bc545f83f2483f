package audioprojects_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/readback"
)

// each writes every character of a text in its own way.
func each(text, format string) string {
	var written strings.Builder
	for _, b := range []byte(text) {
		fmt.Fprintf(&written, format, b)
	}
	return written.String()
}

// spellings are ways to write a key that are read back, some of them only after the JSON around them has been read.
func spellings(t *testing.T, key string) map[string]string {
	inJSON := func(text string) string { return inJSON(t, text) }
	middle := len(key) / 2
	split := func(by string) string { return inJSON(key[:middle]) + by + inJSON(key[middle:]) }
	lines := base64.StdEncoding.EncodeToString([]byte("user:" + key))
	wide := strings.Map(func(r rune) rune { return r - '!' + '！' }, key)
	return map[string]string{
		"JSON escapes throughout":            each(key, `\u%04x`),
		"JSON escapes in JSON":               each(key, `\\u%04X`),
		"escapes of two digits":              each(key, `\\x%02x`),
		"octal escapes":                      each(key, `\\%03o`),
		"escapes in braces":                  each(key, `\\u{%x}`),
		"percent signs throughout":           each(key, `%%%02x`),
		"percent signs twice":                each(key, `%%25%02X`),
		"percent signs five times":           each(key, `%%25252525%02X`),
		"percent signs, escaped throughout":  inJSON(each(each(key, `%%%02x`), `\u%04x`)),
		"percent signs, percent signs again": each(each(key, `%%%02x`), `%%%02x`),
		"JSON escapes, with percent signs":   each(each(key, `\u%04x`), `%%%02x`),
		"HTML":                               each(key, `&#%d;`),
		"HTML, in digits of sixteen":         each(key, `&#x%x;`),
		"HTML twice":                         each(key, `&amp;#%d;`),
		"HTML with percent signs":            each(each(key, `&#%d;`), `%%%02X`),
		"a zero-width space":                 split("\u200b"),
		"a zero-width joiner":                split("\u200d"),
		"an escaped joiner":                  split(`\\u200d`),
		"a mark of direction":                split(`\u202e`),
		"a control character":                split(`\u0007`),
		"a NUL":                              split(`\u0000`),
		"a carriage return":                  split(`\r`),
		"a line break":                       split(`\n`),
		"an escaped line break":              split(`\\n`),
		"a soft hyphen":                      split("\u00ad"),
		"a variation selector":               split("\ufe0f"),
		"an invisible letter":                split("\u3164"),
		"an accent":                          split("\u0301"),
		"something before every character":   each(key, "\u2060\\u00%02x"),
		"wide characters":                    wide,
		"capitals":                           inJSON(strings.ToUpper(key)),
		"digits of sixteen":                  hex.EncodeToString([]byte(key)),
		"base64 in two lines":                lines[:9] + `\r\n` + lines[9:],
		"base64, escaped throughout":         each(lines, `\u%04x`),
		"base64, with percent signs":         each(lines, `%%%02x`),
		"an escape that seems to begin":      `%` + each(key, `%%%02x`),
		"a backslash and escapes":            `\\` + each(key, `\\u%04x`),
	}
}

func TestNoSpellingOfTheKeyIsKept(t *testing.T) {
	t.Parallel()
	const record = `{"project_id":"p","name":"a %[1]s.","title":"%[1]s","description":"%[1]s","experimental":{"%[1]s":["%[1]s"]},"genres":["%[1]s"],
		"creation_meta":{"status":"%[1]s"},"pronunciation_dictionary_versions":[{"version_name":"%[1]s"}],
		"chapters":[{"chapter_id":"c","name":"%[1]s","state":"%[1]s","last_conversion_error":"%[1]s"}]}`
	for _, key := range keys {
		for name, spelling := range spellings(t, key) {
			t.Run(key+", "+name, func(t *testing.T) {
				t.Parallel()
				service, client := start(t, withKey(key), noRetries)
				service.Inject(mockserver.Fault{Body: fmt.Sprintf(record, spelling)})
				project, err := client.GetProject(t.Context(), "p")
				if err != nil {
					t.Fatal(err)
				}
				for _, text := range texts(t, project) {
					if readback.Key(text, key) || !strings.Contains(text, "(the API key)") && len(text) > 1 {
						t.Errorf("keeps %q", text)
					}
				}
				for _, body := range []string{"Not with " + spelling + ".", `{"detail":"Not with ` + spelling + `."}`, `{"x":["` + spelling + `"]}`, `{"x":["` + spelling} {
					service.Inject(mockserver.Fault{Status: http.StatusForbidden, Body: body})
					if err := getProject(t.Context(), client); readback.Key(err.Error(), key) {
						t.Errorf("%s: shows %q", body, err)
					}
					service.Inject(mockserver.Fault{Body: body})
					if err := getProject(t.Context(), client); readback.Key(err.Error(), key) {
						t.Errorf("%s: shows %q", body, err)
					}
				}
			})
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

func TestAnIdentifierThatHoldsTheKeyIsRefusedUnseen(t *testing.T) {
	t.Parallel()
	for name, spelling := range spellings(t, mockserver.Secret) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for before, ask := range map[string]func(*audioprojects.Client) error{
				`{"chapters":[{"chapter_id":"`: func(c *audioprojects.Client) error {
					_, err := c.ListChapters(t.Context(), "p")
					return err
				},
				`{"snapshots":[{"chapter_snapshot_id":"`: func(c *audioprojects.Client) error {
					_, err := c.ListChapterSnapshots(t.Context(), "p", "c")
					return err
				},
				`{"projects":[{"project_id":"`: func(c *audioprojects.Client) error {
					_, err := c.ListProjects(t.Context())
					return err
				},
				`{"snapshots":[{"project_snapshot_id":"`: func(c *audioprojects.Client) error {
					_, err := c.ListProjectSnapshots(t.Context(), "p")
					return err
				},
				`{"x":[{"project_id":"`: func(c *audioprojects.Client) error {
					service, client := start(t)
					service.Inject(mockserver.Fault{Body: `{"project_id":"` + spelling + `"}`})
					return getProject(t.Context(), client)
				},
			} {
				service, client := start(t)
				service.Inject(mockserver.Fault{Body: before + spelling + `"}]}`})
				err := ask(client)
				said := text(err)
				if !strings.HasSuffix(said, " that holds the API key") && !strings.HasSuffix(said, " with control characters") || strings.Contains(said, "it reads") {
					t.Errorf("%s: got %q", before+spelling, said)
				}
			}
		})
	}
}

func TestARefusalThatBreaksOffInTheKeyDoesNotShowIt(t *testing.T) {
	t.Parallel()
	const key = "sk_0123456789abcdef"
	for name, spelling := range spellings(t, key) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for end := range spelling {
				if end%8 != 0 && end < len(spelling)-4 {
					continue
				}
				for _, before := range []string{"Not with ", `{"detail":"Not with `, strings.Repeat(" ", 64<<10-end) + " "} {
					service, client := start(t, withKey(key), noRetries)
					service.Inject(mockserver.Fault{Status: http.StatusForbidden, Body: before + spelling[:end], Header: http.Header{"Content-Type": {"application/json"}}})
					if err := getProject(t.Context(), client); readback.Key(text(err), key[:8]) {
						t.Fatalf("%.20q broken off at %d: shows %q", before, end, err)
					}
				}
			}
		})
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

// BenchmarkHide looks for a key that repeats itself in texts that nearly have it everywhere.
func BenchmarkHide(b *testing.B) {
	for name, body := range map[string]string{
		"Dashes":      strings.Repeat("-", 60<<10),
		"NotQuite":    strings.Repeat(strings.Repeat("-", 63)+".", 60<<4),
		"Escapes":     strings.Repeat(`\u002d`, 10<<10),
		"Spaces":      strings.Repeat("- ", 30<<10),
		"Percent":     strings.Repeat("%25", 20<<10),
		"Entities":    strings.Repeat("&amp;", 12<<10),
		"Backslashes": strings.Repeat(`\`, 60<<10),
	} {
		b.Run(name, func(b *testing.B) {
			hide := audioprojects.HideKey(strings.Repeat("-", 64))
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				hide(body)
			}
		})
	}
}
