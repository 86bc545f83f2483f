package audioprojects_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// A value of another type than the document gives its field is a problem of its own chapter. The others are read as they are.
func TestAnOddFieldOfAChapterIsThatChaptersProblem(t *testing.T) {
	t.Parallel()
	const unread = true
	for _, test := range []struct {
		field, value string
		odd          string
		unread       bool
	}{
		{"name", `7`, "name contains a JSON number: 7", !unread},
		{"conversion_progress", `"half"`, `conversion_progress contains a JSON string: "half"`, !unread},
		{"conversion_progress", `1e400`, `conversion_progress contains a JSON number: 1e400`, !unread},
		{"can_be_downloaded", `"yes"`, `can_be_downloaded contains a JSON string: "yes"`, !unread},
		{"state", `{"word":"default","since":1}`, `state contains a JSON object: {"since":1,"word":"default"}`, unread},
		{"state", `1`, "state contains a JSON number: 1", unread},
		{"statistics", `"none"`, `statistics contains a JSON string: "none"`, unread},
		{"statistics", `[]`, "statistics contains a JSON array: []", unread},
		{"statistics", `{"characters_unconverted":"7"}`, `statistics.characters_unconverted contains a JSON string: "7"`, unread},
		{"last_conversion_date_unix", `"2026-11-26"`, `last_conversion_date_unix contains a JSON string: "2026-11-26"`, unread},
		{"last_conversion_date_unix", `9223372036854775808`, "last_conversion_date_unix contains a JSON number too big to be read exactly: 9223372036854775808", unread},
		{"STATE", `true`, "state contains a JSON bool: true", unread},
	} {
		t.Run(test.field+" "+test.value, func(t *testing.T) {
			t.Parallel()
			const before, after = `{"chapter_id":"a","state":"default"}`, `{"chapter_id":"c","statistics":{"characters_converted":1}}`
			odd := fmt.Sprintf(`{"last_conversion_error":"hoarse","-":"no field",%q:%s,"chapter_id":"b"}`, test.field, test.value)
			body := `{"project_id":"p","chapters":[` + before + `,` + odd + `,` + after + `]}`
			service, client := startWith(t, mockserver.Fault{Times: 2, Body: body})
			listed, err := client.ListChapters(t.Context(), "p")
			project, failed := client.GetProject(t.Context(), "p")
			if err != nil || failed != nil {
				t.Fatalf("got %v and %v", err, failed)
			}
			got := len(service.Journal())
			if got != 2 {
				t.Errorf("got %d requests, want 2", got)
			}
			want := []audioprojects.Chapter{
				{ChapterID: "a", State: plain("default")},
				{ChapterID: "b", LastConversionError: plain("hoarse"), Odd: audioprojects.Text(test.odd)},
				{ChapterID: "c", Statistics: &audioprojects.ChapterStatistics{CharactersConverted: new(audioprojects.Integer(1))}},
			}
			if test.unread {
				want[1].Problem = want[1].Odd
			}
			for source, got := range map[string][]audioprojects.Chapter{"list": listed, "record": project.Chapters} {
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s: got %+v\nwant %+v", source, got, want)
				}
			}
		})
	}
}

// TestATimeThatIsAText is read, in the list and in the record, because an apply needs it only after it has paid.
func TestATimeThatIsAText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]audioprojects.Integer{
		`"1795739473"`:                   1795739473,
		`" 1795739473.75"`:               1795739473,
		`"2026-11-26T20:31:13Z"`:         1795725073,
		`"2026-11-26T20:31:13.5+02:00"`:  1795717873,
		`"2026-11-26 20:31:13"`:          1795725073,
		`"2026-11-26T20:31:13.000000"`:   1795725073,
		`"2026-11-26T20:31:13.000+0000"`: 1795725073,
	} {
		_, client := startWith(t, mockserver.Fault{Times: 2, Body: `{"project_id":"p","last_conversion_date_unix":` + text +
			`,"chapters":[{"chapter_id":"c","last_conversion_date_unix":` + text + `}]}`})
		chapters, err := client.ListChapters(t.Context(), "p")
		project, failed := client.GetProject(t.Context(), "p")
		if err != nil || failed != nil {
			t.Fatalf("got %v and %v", err, failed)
		}
		chapter := audioprojects.Chapter{ChapterID: "c", LastConversionDateUnix: &want}
		if !reflect.DeepEqual(chapters[0], chapter) || !reflect.DeepEqual(project.Chapters[0], chapter) || *project.LastConversionDateUnix != want || project.Odd != "" {
			t.Errorf("%s: got %+v and %+v, want %d", text, chapters[0], project, want)
		}
	}
}

func TestSeveralOddFieldsOfAChapter(t *testing.T) {
	t.Parallel()
	chapters, err := listChapters(t, `{"chapters":[{"chapter_id":"c","name":[],"state":1,"statistics":2}]}`)
	if err != nil {
		t.Fatal(err)
	}
	const unread = "state contains a JSON number: 1; statistics contains a JSON number: 2"
	got := chapters[0]
	if got.Odd != "name contains a JSON array: []; "+unread || got.Problem != unread {
		t.Errorf("got %q and %q", got.Odd, got.Problem)
	}
}

// What is quoted of an odd value is short, on one line, and without the key.
func TestWhatIsQuotedOfAnOddValue(t *testing.T) {
	t.Parallel()
	quoted := map[string]string{
		`"` + strings.Repeat("x", 10_000) + `"`: `array: ["` + strings.Repeat("x", 198) + "…",
		strings.Repeat("9", 800_000):            "array: [" + strings.Repeat("9", 199) + "…",
		`"one\n\u001b[2J::error::two##[group]"`: `array: ["one\n[2J::error::two# #[group]"]`,
		`{"b": 1.50, "a": null}`:                `array: [{"a":null,"b":1.50}]`,
	}
	for _, spelling := range spellings(t, mockserver.Secret) {
		quoted[`{"`+spelling+`":"`+spelling+`"}`] = `array: [{"(the API key)":"(the API key)"}]`
	}
	for value, want := range quoted {
		for body, begins := range map[string]string{
			`{"chapters":[{"chapter_id":"c","state":[%s]}]}`: "state",
			`{"chapters":[{"chapter_id":[%s]}]}`:             "GET /v1/projects/p/chapters: 200 OK: the answer's field chapters.0.chapter_id",
		} {
			chapters, err := listChapters(t, fmt.Sprintf(body, value))
			got := text(err)
			if err == nil {
				got = string(chapters[0].Problem)
			}
			want := begins + " contains a JSON " + want
			if got != want {
				t.Errorf("%.100s: got %.600q\nwant %.600q", value, got, want)
			}
		}
	}
}

// The error of a conversion is shown as it came, whatever type it has.
func TestAnErrorOfAConversionOfEveryType(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		`{"message":"Voice not found.","code":7}`:         "Voice not found.",
		`{"error":{"detail":"Voice not found."}}`:         "Voice not found.",
		`{"message":"It is gone.","code":"no_voice"}`:     "no_voice: It is gone.",
		`[{"msg":"Too long.","loc":["text",0]},"Or so."]`: "text.0: Too long; Or so",
		`{"since":1.50,"code":"E7"}`:                      `{"code":"E7","since":1.50}`,
		`["E7\u001b[2J"]`:                                 "E7[2J",
		`7`:                                               "7",
		`true`:                                            "true",
		// Nothing is said.
		`{}`: "", `[]`: "", `false`: "", `0`: "", `""`: "",
		`{"code":0,"message":""}`: "", `{"message":null,"details":[]}`: "", `[{"error":{"code":null}},false]`: "",
	} {
		chapters, err := listChapters(t, `{"chapters":[{"chapter_id":"c","state":"default","last_conversion_error":`+value+`}]}`)
		if err != nil {
			t.Fatal(err)
		}
		want := []audioprojects.Chapter{{ChapterID: "c", State: plain("default"), LastConversionError: plain(want)}}
		if !reflect.DeepEqual(chapters, want) {
			t.Errorf("%s: got %+v, error %q", value, chapters, value)
		}
	}
}

// What a project has of another type does not stop the reader of its chapters. An identifier or the list of the chapters does.
func TestOddFieldsOfAProject(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ field, value, odd string }{
		{"genres", `"Adventure"`, `genres contains a JSON string: "Adventure"`},
		{"genres", `["Adventure",7]`, "genres.1 contains a JSON number: 7"},
		{"state", `1`, "state contains a JSON number: 1"},
		{"can_be_downloaded", `"no"`, `can_be_downloaded contains a JSON string: "no"`},
		{"create_date_unix", `"in 2026"`, `create_date_unix contains a JSON string: "in 2026"`},
		{"creation_meta", `{"status":"done","creation_progress":"all"}`, `creation_meta.creation_progress contains a JSON string: "all"`},
		{"pronunciation_dictionary_versions", `[{},{"version_id":7}]`, "pronunciation_dictionary_versions.1.version_id contains a JSON number: 7"},
		{"pronunciation_dictionary_versions", `{}`, "pronunciation_dictionary_versions contains a JSON object: {}"},
	} {
		t.Run(test.field+" "+test.value, func(t *testing.T) {
			t.Parallel()
			_, client := startWith(t, mockserver.Fault{Body: fmt.Sprintf(
				`{"title":"T",%q:%s,"experimental":{"b":1},"chapters":[{"chapter_id":"c"}],"project_id":"p"}`, test.field, test.value)})
			got, err := client.GetProject(t.Context(), "p")
			if err != nil {
				t.Fatal(err)
			}
			got.Raw = ""
			want := audioprojects.Project{
				ProjectID: "p", Title: plain("T"), Experimental: new(audioprojects.JSON(`{"b":1}`)),
				Chapters: []audioprojects.Chapter{{ChapterID: "c"}}, Odd: audioprojects.Text(test.odd),
			}
			if test.field == "state" {
				want.Problem = want.Odd
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v\nwant %+v", got, want)
			}
		})
	}
}
