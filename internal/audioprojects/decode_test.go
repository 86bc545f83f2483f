package audioprojects_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestChapter_unknownFieldsAndLooseNumbers(t *testing.T) {
	t.Parallel()
	type chapter = audioprojects.Chapter
	for _, test := range []struct {
		name, body string
		want       chapter
	}{
		{"absent fields", `{"chapter_id":"c"}`, chapter{ChapterID: "c"}},
		{"null",
			`{"chapter_id":"c","name":null,"state":null,"can_be_downloaded":null,"conversion_progress":null,
			"last_conversion_date_unix":null,"last_conversion_error":null,"statistics":null}`,
			chapter{ChapterID: "c"}},
		{"empty", `{"chapter_id":"c","name":"","can_be_downloaded":false,"conversion_progress":0,"statistics":{}}`,
			chapter{ChapterID: "c", Name: textOf(""), CanBeDownloaded: lenient(false), ConversionProgress: lenient(0.0),
				Statistics: &audioprojects.ChapterStatistics{}}},
		{"unknown fields", `{"chapter_id":"c","mood":{"gloomy":[1,2]},"statistics":{"words":7}}`,
			chapter{ChapterID: "c", Statistics: &audioprojects.ChapterStatistics{}}},
		{"unknown state", `{"chapter_id":"c","state":"hibernating"}`, chapter{ChapterID: "c", State: plain("hibernating")}},
		{"fractional progress", `{"chapter_id":"c","conversion_progress":37.5}`, chapter{ChapterID: "c", ConversionProgress: lenient(37.5)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, client := startWith(t, mockserver.Fault{Body: `{"chapters":[` + test.body + `],"next":null}`})
			got, err := client.ListChapters(t.Context(), "p")
			if err != nil {
				t.Fatal(err)
			}
			want := []chapter{test.want}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

// TestRecords_haveEveryField: what is read and written again is what came, under the document's names.
func TestRecords_haveEveryField(t *testing.T) {
	t.Parallel()
	for body, ask := range map[string]func(*audioprojects.Client) (any, error){
		`{"project_id": "p", "name": "A book", "create_date_unix": 1700000001, "default_title_voice_id": "v1",
		"default_paragraph_voice_id": "v2", "default_model_id": "m", "can_be_downloaded": true, "volume_normalization": false,
		"state": "asleep", "access_level": "owner", "quality_check_on": true, "quality_check_on_when_bulk_convert": false,
		"quality_preset": "extreme", "apply_text_normalization": "perhaps", "experimental": {"b": [1.50], "a": null},
		"last_conversion_date_unix": 1700000002, "title": "T", "author": "A", "description": "D", "genres": ["g", null],
		"cover_image_url": "u", "target_audience": "cats", "language": "de", "content_type": "ct",
		"original_publication_date": "1900", "mature_content": false, "isbn_number": "i", "fiction": "both",
		"creation_meta": {"creation_progress": 0.5, "status": "pending", "type": "blank"},
		"pronunciation_dictionary_versions": [{"version_id": "v", "pronunciation_dictionary_id": "d", "dictionary_name": "dn",
			"version_name": "vn", "created_by": "me", "creation_time_unix": 1700000003}],
		"chapters": [{"chapter_id": "c", "name": "One", "last_conversion_date_unix": 1700000004, "conversion_progress": 5,
			"can_be_downloaded": true, "state": "default", "last_conversion_error": "e", "statistics": {"characters_unconverted": 6,
			"characters_converted": 7, "paragraphs_converted": 8, "paragraphs_unconverted": 9}}]}`: func(c *audioprojects.Client) (any, error) {
			project, err := c.GetProject(t.Context(), "p")
			return struct {
				audioprojects.Project
				Experimental json.RawMessage `json:"experimental"`
			}{project, json.RawMessage(*project.Experimental)}, err
		},
		`{"snapshots":[{"chapter_snapshot_id":"s2","project_id":"p","chapter_id":"c","created_at_unix":1700000007,"name":"N"},
			{"chapter_snapshot_id":"s1","project_id":null,"chapter_id":null,"created_at_unix":null,"name":null}]}`: func(c *audioprojects.Client) (any, error) {
			snapshots, err := c.ListChapterSnapshots(t.Context(), "p", "c")
			return map[string]any{"snapshots": snapshots}, err
		},
	} {
		_, client := startWith(t, mockserver.Fault{Body: body})
		answer, err := ask(client)
		if err != nil {
			t.Fatal(err)
		}
		encoded, err := json.Marshal(answer)
		if err != nil {
			t.Fatal(err)
		}
		var got, want any
		err = errors.Join(json.Unmarshal(encoded, &got), json.Unmarshal([]byte(body), &want))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %s\nwant %s", encoded, body)
		}
	}
}

func TestDecodeList_shapes(t *testing.T) {
	t.Parallel()
	const (
		first  = `{"project_snapshot_id":"s", "project_id":"p", "name":null, "more":{"x":[1.50,1e2]}}`
		sorted = `{"more":{"x":[1.50,1e2]},"name":null,"project_id":"p","project_snapshot_id":"s"}`
		second = `{"name":"N","project_id":"q","project_snapshot_id":"r"}`
	)
	for name, body := range map[string]string{
		"array":  " [" + first + ", " + second + "]\n",
		"object": `{"plan":true,"projects":[` + first + "," + second + `],"snapshots":[` + first + "," + second + `]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, client := startWith(t, mockserver.Fault{Times: 2, Body: body})
			projects, err := client.ListProjects(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			want := []audioprojects.ProjectRecord{
				{ProjectID: "p", Record: sorted},
				{ProjectID: "q", Name: textOf("N"), Record: second},
			}
			if !reflect.DeepEqual(projects, want) {
				t.Errorf("projects: got %+v, want %+v", projects, want)
			}
			snapshots, err := client.ListProjectSnapshots(t.Context(), "p")
			if err != nil {
				t.Fatal(err)
			}
			wanted := []audioprojects.ProjectSnapshotRecord{
				{ProjectSnapshotID: "s", Record: sorted},
				{ProjectSnapshotID: "r", Name: textOf("N"), Record: second},
			}
			if !reflect.DeepEqual(snapshots, wanted) {
				t.Errorf("snapshots: got %+v, want %+v", snapshots, wanted)
			}
		})
	}
}

// TestDecodeList_documentedShape: the document has these lists in an object. An empty array is what some languages make of an empty object.
func TestDecodeList_documentedShape(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`[]`, `[{"chapter_id":"c","chapter_snapshot_id":"s"}]`} {
		_, client := startWith(t, mockserver.Fault{Body: body, Times: -1}, noRetries)
		_, err := client.ListChapters(t.Context(), "p")
		wantError(t, err, audioprojects.Ambiguous, "GET /v1/projects/p/chapters: 200 OK: the answer has no list under chapters; it reads "+body)
		_, err = client.ListChapterSnapshots(t.Context(), "p", "c")
		wantError(t, err, audioprojects.Ambiguous, "GET /v1/projects/p/chapters/c/snapshots: 200 OK: the answer has no list under snapshots; it reads "+body)
	}
}

// TestProjectSnapshot_oddFields: the document gives a record no fields, so that no field is wrong.
func TestProjectSnapshot_oddFields(t *testing.T) {
	t.Parallel()
	date := audioprojects.Integer(1700000000)
	for fields, want := range map[string]audioprojects.ProjectSnapshotRecord{
		`"created_at_unix":1700000000,"name":"N"`:               {CreatedAtUnix: lenient(date), Name: textOf("N")},
		`"created_at_unix":1.7e9,"name":"N\n"`:                  {CreatedAtUnix: lenient(date), Name: textOf("N\n")},
		`"created_at_unix":null,"name":null`:                    {},
		`"created_at_unix":"2023-11-14T22:13:20Z","name":7`:     {},
		`"created_at_unix":{"seconds":1700000000},"name":["N"]`: {},
		`"created_at_unix":99999999999999999999,"name":true`:    {},
	} {
		t.Run(fields, func(t *testing.T) {
			t.Parallel()
			_, client := startWith(t, mockserver.Fault{Body: `[{"project_snapshot_id":"s",` + fields + `}]`})
			snapshots, err := client.ListProjectSnapshots(t.Context(), "p")
			if err != nil {
				t.Fatal(err)
			}
			got := snapshots[0]
			want.ProjectSnapshotID, want.Record = "s", got.Record
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func TestDecodeList_empty(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"project_id":"p","projects":[],"chapters":[],"snapshots":[]}`, `[]`} {
		for _, test := range operations {
			unspecified := test.operation == mockserver.ListProjects || test.operation == mockserver.ListProjectSnapshots
			if test.operation == mockserver.StreamSnapshot || body == `[]` && !unspecified {
				continue
			}
			_, client := startWith(t, mockserver.Fault{Body: body})
			if err := test.ask(t.Context(), client); err != nil {
				t.Errorf("%s of %s: %v", test.operation, body, err)
			}
		}
	}
}

func TestClient_unreadableAnswers(t *testing.T) {
	t.Parallel()
	const record, whole, nothing = `{"name":"x","project_id":7}`, "the answer", ""
	for _, test := range []struct {
		name      string
		operation mockserver.Operation
		body      string
		want      string // the beginning of the error
		quoted    string
	}{
		{"project without id", mockserver.GetProject, `{"name":"A book"}`, "the answer has no project_id", whole},
		{"project with empty id", mockserver.GetProject, `{"project_id":""}`, "the answer has no project_id", whole},
		{"number for an id", mockserver.GetProject, `{"project_id":7}`, "the answer has no project_id", whole},
		{"no project", mockserver.GetProject, `null`, "the answer is no JSON object", whole},
		{"array for a project", mockserver.GetProject, `[]`, "the answer is no JSON object", whole},
		{"text for a project", mockserver.GetProject, `"p"`, "the answer is no JSON object", whole},
		{"project's chapter without id", mockserver.GetProject, `{"project_id":"p","genres":7,"chapters":[{"chapter_id":"c"},{"name":"x"}]}`,
			`element 1 of the answer's chapters has no chapter_id; it reads {"name":"x"}`, nothing},
		{"object for a project's chapters", mockserver.GetProject, `{"project_id":"p","chapters":{}}`, "the answer has no list under chapters; it reads {}", nothing},
		{"null for a chapter", mockserver.ListChapters, `{"chapters":[null]}`, "element 0 of the answer's chapters has no chapter_id; it reads null", nothing},
		{"number for a chapter", mockserver.ListChapters, `{"chapters":[{"chapter_id":"c"},7]}`, "element 1 of the answer's chapters has no chapter_id; it reads 7", nothing},
		{"no list of chapters", mockserver.ListChapters, `{}`, "the answer has no list under chapters", whole},
		{"null for chapters", mockserver.ListChapters, `{"chapters":null}`, "the answer has no list under chapters", whole},
		{"object for a list", mockserver.ListChapters, `{"chapters":{}}`, "the answer has no list under chapters", whole},
		{"text for a list", mockserver.ListProjects, `{"projects":"none"}`, "the answer has no list under projects", whole},
		{"snapshot without id", mockserver.ListChapterSnapshots, `{"snapshots":[{}]}`, "element 0 of the answer's snapshots has no chapter_snapshot_id; it reads {}", nothing},
		{"no list of projects", mockserver.ListProjects, `{"items":[]}`, "the answer has no list under projects", whole},
		{"record of another type", mockserver.ListProjects, `[{"project_id":"p"}, ` + record + `]`,
			"element 1 of the answer's projects has no project_id; it reads " + record, nothing},
		{"record without id", mockserver.ListProjectSnapshots, `[{"project_snapshot_id":"s"}, ` + record + `]`,
			"element 1 of the answer's snapshots has no project_snapshot_id; it reads " + record, nothing},
		{"truncated", mockserver.ListChapters, `{"chapters":[{"chapter_id":"c"`, "the answer is not valid JSON: unexpected end of JSON input", whole},
		{"truncated array", mockserver.ListProjects, `[{"project_id":"c"`, "the answer is not valid JSON: unexpected end of JSON input", whole},
		{"two answers", mockserver.ListChapters, `{"chapters":[]}{}`, "the answer is not valid JSON: invalid character '{' after top-level value", whole},
		{"text", mockserver.GetProject, `Not today.`, "the answer is not valid JSON: invalid character 'N' looking for beginning of value", whole},
		{"HTML", mockserver.ListChapters, `<!DOCTYPE html><html>`, "the answer is an HTML page, not JSON", nothing},
		{"white space", mockserver.ListChapters, " \n", "the answer is empty", nothing},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			service, client := startWith(t, mockserver.Fault{Body: test.body}, longTimeout)
			err := operationOf(test.operation)(t.Context(), client)
			if test.quoted == whole {
				test.want += "; it reads " + test.body
			}
			wantError(t, err, audioprojects.Ambiguous, "GET "+service.Journal()[0].Path+": 200 OK: "+test.want)
			if !audioprojects.Unreadable(err) {
				t.Errorf("got %v, want that it cannot be read", err)
			}
		})
	}
}

func operationOf(wanted mockserver.Operation) func(context.Context, *audioprojects.Client) error {
	for _, test := range operations {
		if test.operation == wanted {
			return test.ask
		}
	}
	panic(wanted)
}

func lenient[T any](value T) audioprojects.Lenient[T] { return audioprojects.Lenient[T]{Value: &value} }

func textOf(text audioprojects.Text) audioprojects.Lenient[audioprojects.Text] { return lenient(text) }

// plain returns a pointer to a text without control characters.
func plain(text string) *audioprojects.Text { return new(audioprojects.Text(text)) }

// Who has the signature of an address has what is there.
func TestText_lineHasNoSignature(t *testing.T) {
	t.Parallel()
	const secret = "c2lnbmF0dXJl%2B7f3a"
	for _, came := range []string{
		"GET https://bucket.s3.amazonaws.com/a.mp3?X-Amz-Credential=AKIA%2F20261126&X-Amz-Signature=" + secret + " failed",
		"https://account.blob.core.windows.net/a?sv=2026&sig=" + secret,
		"https://storage.googleapis.com/a?X-Goog-Signature=" + secret + "&X-Goog-Date=1",
		"(https://cdn.example/a?Expires=1&Signature=" + secret + "&Key-Pair-Id=K7)",
		"https://cdn.example/a?" + secret, "https://cdn.example/a#access_token=" + secret, "s3://bucket/a?token=" + secret,
		`{"url":"https:\/\/s3.example\/a?x=1\u0026X-Amz-Signature=` + secret + `"}`,
		"https://s3.example/a?x=1&amp;X-Amz-Signature=" + secret, "/a.mp3?exp=1&hmac=" + secret, "a.mp3?st=" + secret,
		"https%3A%2F%2Fs3.example%2Fa%3FX-Amz-Signature%3D" + secret,
		"SignatureDoesNotMatch: Credential=AKIA, Signature=" + secret, "token=" + secret + " has expired", "X-Amz-Security-Token=" + secret,
	} {
		line := audioprojects.Text(came).Line()
		if strings.Contains(line, secret[:8]) || !strings.Contains(line, "…") {
			t.Errorf("%s is printed as %s", came, line)
		}
	}
	for _, prose := range []string{
		"Are you sure? Yes = no & more.", "https://example.com/a/b: 404", "See https://example.com/errors#quota.", "The key=(the API key) is not known.", "1 + 1 = 2", "C# and F#", "a=b", `{"state":"default"}`, "Why?", "https://example.com", "f(x)=y",
	} {
		got := audioprojects.Text(prose).Line()
		if got != prose {
			t.Errorf("%s is printed as %s", prose, got)
		}
	}
	location := http.Header{"Location": {"https://elsewhere.example:port/a?X-Amz-Signature=" + secret}}
	for want, fault := range map[string]mockserver.Fault{
		"500 Internal Server Error: Denied: https://s3.example/a?…":                                                                                         {Status: 500, Body: `{"detail":"Denied: https://s3.example/a?sig=` + secret + `"}`},
		`failed to parse Location header "https://elsewhere.example:port/a?…": parse "https://elsewhere.example:port/a?…": invalid port ":port" after host`: {Status: 302, Header: location},
		"307 Temporary Redirect: the provider does not follow a redirect to https://elsewhere.example: it sends a POST only once, and the API key only to the host of `base_url`": {
			Status: 307, Header: http.Header{"Location": {"https://elsewhere.example/a?sig=" + secret}}},
		`200 OK: the answer is no JSON object; it reads "https://s3.example/a?…"`: {Body: `"https://s3.example/a?sig=` + secret + `"`},
	} {
		_, client := startWith(t, fault, noRetries)
		wantError(t, getProject(t.Context(), client), audioprojects.Ambiguous, getProjectFailed+want)
	}
}

// The value is for the state, and what is printed is the line.
func TestText_staysAsItCameAndPrintsALine(t *testing.T) {
	t.Parallel()
	const same = "as it came"
	for _, test := range []struct{ name, came, want, line string }{
		{"plain", "Chapter One – “Ferry”", same, "Chapter One – “Ferry”"},
		{"empty", "", same, ""},
		{"paragraphs", "One.\n\n\tTwo.\r\nThree.\n", same, "One. Two. Three."},
		{"spaces", " One.  Two. \u2028 Three.\n ", same, "One. Two. Three."},
		{"rare ends of lines", "One\vTwo\fThree\u0085Four\rFive\r\r\n", "One\nTwo\nThree\nFour\nFive\n\r\n", "One Two Three Four Five"},
		{"escape sequences", "\x1b[2JOne\x1b]0;title\a.", "[2JOne]0;title.", "[2JOne]0;title."},
		{"back over what was there", "One\rTwo\b\b\x7f", "One\nTwo", "One Two"},
		{"what becomes the end of a line", "One\r\x00\nTwo", "One\n\nTwo", "One Two"},
		{"controls of one character", "\u009b2JOne\u0090", "2JOne", "2JOne"},
		{"NUL", "One\x00", "One", "One"},
		{"another direction", "\u202eOne\u202c \u2066two\u2069", same, "One two"},
		{"not to be seen", "O\u200bn\ufeffe\u2060\U000e0041", same, "One"},
		{"joined and directed characters", "👩\u200d🚀 \u200fשלום\u200e", same, "👩\u200d🚀 \u200fשלום\u200e"},
		{"a command of a runner", "##[error]no ##vso[x]", same, "# #[error]no # #vso[x]"},
		{"an address with a signature", "No audio at https://s3.example/a.mp3?X-Amz-Date=1&X-Amz-Signature=7f3a#t .", same, "No audio at https://s3.example/a.mp3?… ."},
		{"longer than is shown", strings.Repeat("ü ", 501), same, strings.Repeat("ü ", 250) + "…"},
		{"cut at the end of a line", strings.Repeat("x", 16_383) + "\r\nmore", strings.Repeat("x", 16_383) + "\n…", strings.Repeat("x", 500) + "…"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			encoded, err := json.Marshal(test.came)
			if err != nil {
				t.Fatal(err)
			}
			chapters, err := listChapters(t, `{"chapters":[{"chapter_id":"c","name":`+string(encoded)+`}]}`)
			if err != nil {
				t.Fatal(err)
			}
			if test.want == same {
				test.want = test.came
			}
			read := *chapters[0].Name.Value
			if string(read) != test.want {
				t.Errorf("got %q, want %q", string(read), test.want)
			}
			got := read.Line()
			if got != test.line {
				t.Errorf("got line %q, want %q", got, test.line)
			}
			got = fmt.Sprintf("%s|%v|%q", read, &read, read)
			if got != test.line+"|"+test.line+"|"+strconv.Quote(test.line) {
				t.Errorf("fmt prints %s, want the line %q", got, test.line)
			}
		})
	}
}

// TestClient_acceptsByteOrderMark: some libraries of Windows write one before JSON.
func TestClient_acceptsByteOrderMark(t *testing.T) {
	t.Parallel()
	const list = `{"chapters":[{"chapter_id":"c"}]}`
	_, client := startWith(t, mockserver.Fault{Body: "\ufeff" + list, Times: -1}, noRetries)
	chapters, err := client.ListChapters(t.Context(), "p")
	if err != nil || len(chapters) != 1 {
		t.Errorf("got %v, %v; want a chapter", chapters, err)
	}
	if err := convert(t.Context(), client); err != nil {
		t.Error(err)
	}
	_, client = startWith(t, mockserver.Fault{Body: "\ufeff{\"chapters\":\u200b[]}"}, noRetries)
	_, err = client.ListChapters(t.Context(), "p")
	wantError(t, err, audioprojects.Ambiguous, `GET /v1/projects/p/chapters: 200 OK: the answer is not valid JSON: invalid character 'â' looking for beginning of value; it reads {"chapters":[]}`)
}
