package audioprojects_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestChapter_oddField: what decides nothing is left out. What a conversion depends on refuses the answer, in the list and in the
// record.
func TestChapter_oddField(t *testing.T) {
	t.Parallel()
	const isNull = ""
	for _, test := range []struct{ field, value, quoted string }{
		{"name", `7`, isNull},
		{"conversion_progress", `"half"`, isNull},
		{"conversion_progress", `1e400`, isNull},
		{"can_be_downloaded", `"yes"`, isNull},
		{"state", `{"word":"default","since":1}`, `{"since":1,"word":"default"}`},
		{"state", `1`, `1`},
		{"statistics", `"none"`, `"none"`},
		{"statistics", `{"characters_unconverted":"7"}`, `{"characters_unconverted":"7"}`},
		{"last_conversion_date_unix", `"2026-11-26"`, `"2026-11-26"`},
		{"last_conversion_date_unix", `9223372036854775808`, `9223372036854775808`},
	} {
		t.Run(test.field+" "+test.value, func(t *testing.T) {
			t.Parallel()
			odd := fmt.Sprintf(`{"last_conversion_error":"hoarse","-":"no field",%q:%s,"chapter_id":"b"}`, test.field, test.value)
			_, client := startWith(t, mockserver.Fault{Times: 2, Body: `{"project_id":"p","chapters":[{"chapter_id":"a"},` + odd + `]}`})
			listed, err := client.ListChapters(t.Context(), "p")
			project, failed := client.GetProject(t.Context(), "p")
			if test.quoted != isNull {
				says := "200 OK: the field " + test.field + ` of chapter_id "b" has another type than documented: ` + test.quoted
				wantError(t, err, audioprojects.Ambiguous, "GET /v1/projects/p/chapters: "+says)
				wantError(t, failed, audioprojects.Ambiguous, getProjectFailed+says)
				return
			}
			want := []audioprojects.Chapter{{ChapterID: "a"}, {ChapterID: "b", LastConversionError: textOf("hoarse")}}
			if !reflect.DeepEqual(listed, want) || !reflect.DeepEqual(project.Chapters, want) {
				t.Errorf("got %+v with %v, and %+v with %v; want %+v", listed, err, project.Chapters, failed, want)
			}
		})
	}
}

// What is quoted of an odd value is short, on one line, and without the key.
func TestChapter_quotesOddValue(t *testing.T) {
	t.Parallel()
	quoted := map[string]string{
		`"` + strings.Repeat("x", 10_000) + `"`: `["` + strings.Repeat("x", 498) + "…",
		strings.Repeat("9", 800_000):            "[" + strings.Repeat("9", 499) + "…",
		`"one\n\u001b[2J::error::two##[group]"`: `["one\n[2J::error::two# #[group]"]`,
	}
	for _, spelling := range spellings(t, mockserver.Secret) {
		quoted[`{"`+spelling+`":"`+spelling+`"}`] = `[{"(the API key)":"(the API key)"}]`
	}
	for value, want := range quoted {
		_, err := listChapters(t, `{"chapters":[{"chapter_id":"c","state":[`+value+`]}]}`)
		wantError(t, err, audioprojects.Ambiguous,
			`GET /v1/projects/p/chapters: 200 OK: the field state of chapter_id "c" has another type than documented: `+want)
	}
}

// The error of a conversion is shown as it came, whatever type it has.
func TestChapter_lastConversionErrorOfEveryType(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		`{"message":"Voice not found.","code":7}`:     "Voice not found.",
		`{"error":{"detail":"Voice not found."}}`:     "Voice not found.",
		`{"message":"It is gone.","code":"no_voice"}`: "no_voice: It is gone.",
		`["Too long.","Or so."]`:                      "Too long; Or so",
		`{"since":1.50,"code":"E7"}`:                  `{"code":"E7","since":1.50}`,
		`["E7\u001b[2J"]`:                             "E7[2J",
		`[{"message":"mock\u0000-key"}]`:              "(the API key)",
		`7`:                                           "7",
		`true`:                                        "true",
		// Nothing is said.
		`{}`: "", `[]`: "", `false`: "", `0`: "", `""`: "",
	} {
		chapters, err := listChapters(t, `{"chapters":[{"chapter_id":"c","state":"default","last_conversion_error":`+value+`}]}`)
		if err != nil {
			t.Fatal(err)
		}
		want := []audioprojects.Chapter{{ChapterID: "c", State: plain("default"), LastConversionError: textOf(audioprojects.Text(want))}}
		if !reflect.DeepEqual(chapters, want) {
			t.Errorf("%s: got %+v, error %q", value, chapters, value)
		}
	}
}

// Of a project, its state alone decides something. Whoever reads the rest is not stopped by a field that has changed.
func TestProject_oddFields(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ field, value string }{
		{"genres", `"Adventure"`},
		{"genres", `["Adventure",7]`},
		{"can_be_downloaded", `"no"`},
		{"create_date_unix", `"in 2026"`},
		{"last_conversion_date_unix", `{}`},
		{"creation_meta", `"done"`},
		{"pronunciation_dictionary_versions", `[{},7]`},
		{"pronunciation_dictionary_versions", `{}`},
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
				ProjectID: "p", Title: textOf("T"), Experimental: new(audioprojects.JSON(`{"b":1}`)), Chapters: []audioprojects.Chapter{{ChapterID: "c"}},
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v\nwant %+v", got, want)
			}
		})
	}
	_, client := startWith(t, mockserver.Fault{Body: `{"project_id":"p","state":1}`})
	_, err := client.GetProject(t.Context(), "p")
	wantError(t, err, audioprojects.Ambiguous, getProjectFailed+`200 OK: the field state of project_id "p" has another type than documented: 1`)
}

// The fields of a snapshot of a chapter are only shown.
func TestChapterSnapshot_oddFields(t *testing.T) {
	t.Parallel()
	_, client := startWith(t, mockserver.Fault{Body: `{"snapshots":[{"chapter_snapshot_id":"s","created_at_unix":"soon","name":7,"chapter_id":"c"}]}`})
	got, err := client.ListChapterSnapshots(t.Context(), "p", "c")
	want := []audioprojects.ChapterSnapshot{{ChapterSnapshotID: "s", ChapterID: textOf("c")}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

// TestInteger_notKnown: services write numbers in place of null. Whoever goes by them would take a chapter for converted.
func TestInteger_notKnown(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ date, count string }{{"0", "-1"}, {"-1", "-1.0"}, {"31535999", "-9223372036854775808"}, {"-62135596800", "-7"}} {
		record := strings.NewReplacer("DATE", test.date, "COUNT", test.count).Replace(`{"project_id":"p","create_date_unix":DATE,"last_conversion_date_unix":DATE,
			"pronunciation_dictionary_versions":[{"creation_time_unix":DATE}],
			"snapshots":[{"chapter_snapshot_id":"s","project_snapshot_id":"s","created_at_unix":DATE}],
			"chapters":[{"chapter_id":"c","last_conversion_date_unix":DATE,"conversion_progress":-1,"statistics":{"characters_unconverted":COUNT,
			"characters_converted":COUNT,"paragraphs_unconverted":COUNT,"paragraphs_converted":COUNT}}]}`)
		_, client := startWith(t, mockserver.Fault{Body: record, Times: -1})
		project, err := client.GetProject(t.Context(), "p")
		chapterSnapshots, failed := client.ListChapterSnapshots(t.Context(), "p", "c")
		projectSnapshots, refused := client.ListProjectSnapshots(t.Context(), "p")
		if err != nil || failed != nil || refused != nil {
			t.Fatal(err, failed, refused)
		}
		project.Raw, projectSnapshots[0].Record = "", ""
		want := []any{
			audioprojects.Project{
				ProjectID:                       "p",
				PronunciationDictionaryVersions: lenient([]audioprojects.PronunciationDictionaryVersion{{}}),
				Chapters:                        []audioprojects.Chapter{{ChapterID: "c", ConversionProgress: lenient(-1.0), Statistics: &audioprojects.ChapterStatistics{}}},
			},
			[]audioprojects.ChapterSnapshot{{ChapterSnapshotID: "s"}},
			[]audioprojects.ProjectSnapshotRecord{{ProjectSnapshotID: "s"}},
		}
		got := []any{project, chapterSnapshots, projectSnapshots}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v: got %+v, want %+v", test, got, want)
		}
	}
	chapters, err := listChapters(t, `{"chapters":[{"chapter_id":"c","last_conversion_date_unix":31536000,"statistics":{"characters_unconverted":0}}]}`)
	if err != nil || chapters[0].LastConversionDateUnix == nil || chapters[0].Statistics.CharactersUnconverted == nil {
		t.Errorf("got %+v, %v; want a date and a count", chapters, err)
	}
}

// TestDecodeRecord_nameTwice: nobody knows which of two values that decide something is true. Of others, the last one is shown.
func TestDecodeRecord_nameTwice(t *testing.T) {
	t.Parallel()
	for fields, where := range map[string]string{
		`"chapter_id":"d"`:                          `chapter_id`,
		`"state":"converting"`:                      `state`,
		`"state":null`:                              `state`,
		`"last_conversion_date_unix":1700000001`:    `last_conversion_date_unix`,
		`"statistics":{"characters_unconverted":8}`: `statistics`,
		`"statistics":{"characters_unconverted":7,"characters_unconverted":8}`: `statistics`,
	} {
		const first = `"chapter_id":"c","state":"default","last_conversion_date_unix":1700000000,"statistics":{"characters_unconverted":7}`
		for record, id := range map[string]string{first + "," + fields: "c", fields + "," + first: "c"} {
			if where == "chapter_id" && strings.HasSuffix(record, fields) {
				id = "d"
			}
			_, err := listChapters(t, `{"chapters":[{`+record+`}]}`)
			wantError(t, err, audioprojects.Ambiguous, fmt.Sprintf(
				"GET /v1/projects/p/chapters: 200 OK: element 0 of the answer's chapters %q has the field %s twice, with different contents", id, where))
		}
	}
	_, err := listChapters(t, `{"chapters":[],"chapters":[{"chapter_id":"c"}]}`)
	wantError(t, err, audioprojects.Ambiguous, "GET /v1/projects/p/chapters: 200 OK: the answer has chapters twice, with different contents")
	_, err = listChapters(t, `{"chapters":[{"chapter_id":"c","statistics":{"characters_unconverted":7,"characters_unconverted":8}}]}`)
	wantError(t, err, audioprojects.Ambiguous,
		`GET /v1/projects/p/chapters: 200 OK: element 0 of the answer's chapters "c" has the field statistics.characters_unconverted twice, with different contents`)

	for _, field := range []string{`"project_id":"q"`, `"state":"converting"`, `"chapters":[]`} {
		_, client := startWith(t, mockserver.Fault{Body: `{"project_id":"p","state":"default","chapters":[{"chapter_id":"c"}],` + field + `}`})
		_, err := client.GetProject(t.Context(), "p")
		name, _, _ := strings.Cut(strings.TrimPrefix(field, `"`), `"`)
		wantError(t, err, audioprojects.Ambiguous, getProjectFailed+"200 OK: the answer has "+name+" twice, with different contents")
	}

	chapters, err := listChapters(t, `{"chapters":[{"chapter_id":"c","chapter_id":"c","name":7,"name":"N",
		"statistics":{"characters_unconverted":7},"statistics":{ "characters_unconverted": 7 }}]}`)
	counts := &audioprojects.ChapterStatistics{CharactersUnconverted: new(audioprojects.Integer(7))}
	want := []audioprojects.Chapter{{ChapterID: "c", Name: textOf("N"), Statistics: counts}}
	if err != nil || !reflect.DeepEqual(chapters, want) {
		t.Errorf("got %+v, %v; want %+v", chapters, err, want)
	}
}
