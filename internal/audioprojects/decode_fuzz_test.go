package audioprojects

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// fuzzKey is too long for the fuzzer to produce by chance.
const fuzzKey = "sk_0123456789"

func newFuzzed(f *testing.F) *Client {
	client, err := New(Config{BaseURL: &url.URL{Scheme: "https", Host: "audio.example"}, APIKey: fuzzKey})
	if err != nil {
		f.Fatal(err)
	}
	return client
}

// wantSafeToShow checks that a text is short, on one line, and has no control characters and no key.
func wantSafeToShow(t *testing.T, text string) {
	t.Helper()
	if utf8.RuneCountInString(text) > 1500 {
		t.Errorf("shows %d characters: %.100q…", utf8.RuneCountInString(text), text)
	}
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r >= '\x7f' && r < '\xa0' }) {
		t.Errorf("shows what a terminal obeys: %q", text)
	}
	if strings.Contains(text, fuzzKey) {
		t.Errorf("shows the key: %q", text)
	}
}

// fuzzAnswer decodes mutated answers. An accepted one must have its identifiers, and must stay the same when it
// is encoded and decoded again.
func fuzzAnswer[T any, P interface {
	*T
	answer
}](f *testing.F, encode func(T) any, identifiers func(T) []string, answers ...string) {
	for _, answer := range append(answers, `{}`, `[]`, `null`, `7`, `"`+fuzzKey+`"`, `[null]`, `<html>`, "\xff", `{"a":1e400}`,
		strings.Repeat("[", 10_001), `{"experimental":`+strings.Repeat("[", 5000)+strings.Repeat("]", 5000)+`}`) {
		f.Add([]byte(answer))
	}
	client := newFuzzed(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		var first T
		if err := client.config.read(t.Context(), P(&first), text); err != nil {
			wantSafeToShow(t, client.config.describeMismatch(&http.Response{}, text, err).Error())
			return
		}
		for _, identifier := range identifiers(first) {
			if identifier == "" {
				t.Errorf("accepted without an identifier: %+v", first)
			}
		}
		encoded, err := json.Marshal(encode(first))
		if err != nil {
			t.Fatal(err)
		}
		var second T
		if err := client.config.read(t.Context(), P(&second), encoded); err != nil {
			t.Fatalf("%s reads again as %v", encoded, err)
		}
		if again, err := json.Marshal(encode(second)); err != nil || string(again) != string(encoded) {
			t.Errorf("became  %s\nfrom    %s (%v)", again, encoded, err)
		}
	})
}

func FuzzProject(f *testing.F) {
	fuzzAnswer(f, func(project Project) any { return project },
		func(project Project) []string {
			ids := []string{project.ProjectID}
			for _, chapter := range project.Chapters {
				ids = append(ids, chapter.ChapterID)
			}
			return ids
		},
		`{"project_id":"p","chapters":[{"chapter_id":"c"}],"pronunciation_dictionary_versions":[{},null],"genres":["g",null]}`,
		`{"project_id":"p","experimental":{"b":[1.50],"a":null},"creation_meta":{"creation_progress":0.5},"create_date_unix":1e3}`,
		`{"project_id":"p","creation_meta":{"status":"a"},"creation_meta":{"type":"b"},"chapters":[],"chapters":null}`,
		`{"Project_ID":"p"}`, `{"project_id":"p","chapters":[{}]}`, `{"project_id":"p","name":"\ud800\u0000"}`)
}

func FuzzChapterList(f *testing.F) {
	fuzzAnswer(f, func(list chapterList) any { return map[string]any{"chapters": []Chapter(list)} },
		func(list chapterList) (ids []string) {
			for _, chapter := range list {
				ids = append(ids, chapter.ChapterID)
			}
			return ids
		},
		`{"chapters":[{"chapter_id":"c","name":"One","conversion_progress":37.5,"statistics":{"characters_converted":7}}]}`,
		`{"chapters":[{"chapter_id":"a","name":"x"}],"chapters":[{"chapter_id":"b"}]}`,
		`{"chapters":[{"chapter_id":"c","last_conversion_date_unix":9223372036854775808}]}`,
		`{"chapters":[{"chapter_id":"c","conversion_progress":1e400}]}`, `{"chapters":[{}]}`, `{"chapters":[0]}`)
}

func FuzzChapterSnapshotList(f *testing.F) {
	fuzzAnswer(f, func(list chapterSnapshotList) any { return map[string]any{"snapshots": []ChapterSnapshot(list)} },
		func(list chapterSnapshotList) (ids []string) {
			for _, snapshot := range list {
				ids = append(ids, snapshot.ChapterSnapshotID)
			}
			return ids
		},
		`{"snapshots":[{"chapter_snapshot_id":"s","created_at_unix":7.0,"name":"N"}]}`,
		`{"snapshots":[{"chapter_snapshot_id":"a","name":"x"}],"snapshots":[{"chapter_snapshot_id":"b"}]}`, `{"snapshots":[{}]}`)
}

func FuzzProjectList(f *testing.F) {
	fuzzAnswer(f, func(list projectList) any {
		records := make([]json.RawMessage, len(list))
		for i, project := range list {
			records[i] = project.Record
		}
		return records
	}, func(list projectList) (ids []string) {
		for _, project := range list {
			ids = append(ids, project.ProjectID)
		}
		return ids
	}, `[{"project_id":"p","name":"N","more":[1.50,1e2]}]`, `{"projects":[{"project_id":"p"}]}`, `{"projects":[],"projects":[{"project_id":7}]}`, `["p"]`)
}

func FuzzProjectSnapshotList(f *testing.F) {
	fuzzAnswer(f, func(list projectSnapshotList) any {
		records := make([]json.RawMessage, len(list))
		for i, snapshot := range list {
			records[i] = snapshot.Record
		}
		return map[string]any{"snapshots": records}
	}, func(list projectSnapshotList) (ids []string) {
		for _, snapshot := range list {
			ids = append(ids, snapshot.ProjectSnapshotID)
		}
		return ids
	}, `[{"project_snapshot_id":"s","more":{"x":[1.50,1e2]}}]`, `{"snapshots":[{"project_snapshot_id":"s"}]}`, `{"snapshots":[{"project_snapshot_id":null}]}`)
}

// FuzzInteger compares with arithmetic that does not round.
func FuzzInteger(f *testing.F) {
	for _, text := range []string{
		"0", "-0", "12.0", "1.2e1", "-1.5", "-0.9", "9007199254740993", "9007199254740993.0", "9007199254740993e0", "9223372036854775807",
		"9223372036854775807.9", "9223372036854775808", "-9223372036854775808", "1e18", "1e400", "1e-400", "1E+2", `"12"`, "null", "true", "NaN",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var number json.Number
		if json.Unmarshal([]byte(text), &number) != nil || strings.ContainsAny(text, " \t\r\n\"nN") {
			return // Not a number, or not in the form in which encoding/json passes it to an Unmarshaler.
		}
		var got Integer
		if err := got.UnmarshalJSON([]byte(text)); err != nil {
			var mismatch *json.UnmarshalTypeError
			if !errors.As(err, &mismatch) {
				t.Errorf("%q: got %v (%T)", text, err, err)
			}
			return
		}
		rounded, err := number.Float64()
		if err != nil || math.Abs(rounded) < 1e-300 { // Exact arithmetic would take too long with such an exponent.
			if got != 0 {
				t.Errorf("%q reads %d, want 0", text, got)
			}
			return
		}
		exact, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatalf("%q is no number to math/big", text)
		}
		whole := new(big.Int).Quo(exact.Num(), exact.Denom())
		if !exact.IsInt() && strings.ContainsAny(text, "eE") && new(big.Int).Sub(whole, big.NewInt(int64(got))).CmpAbs(big.NewInt(1)) <= 0 {
			return // The float64 may have been rounded up to the next whole number.
		}
		if !whole.IsInt64() || whole.Int64() != int64(got) {
			t.Errorf("%q reads %d, want %d", text, got, whole)
		}
	})
}

func FuzzWords(f *testing.F) {
	for _, body := range []string{
		`{"detail":"Not today."}`, `{"detail":[{"loc":["body",0],"msg":"Field required"}]}`, `{"error":{"message":"No"}}`, "Not\x1b[2J today.",
		"<!DOCTYPE html>", `{"detail":"` + fuzzKey + `"}`, fuzzKey[:5] + "\x00" + fuzzKey[5:], strings.Repeat("ü", 501), strings.Repeat("[", 10_001), "\xff", "",
	} {
		f.Add("application/json", []byte(body))
	}
	f.Add("text/html; charset=utf-8", []byte("Not today."))
	client := newFuzzed(f)
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		wantSafeToShow(t, client.words(&http.Response{Header: http.Header{"Content-Type": {contentType}}}, bytes.NewReader(body)))
	})
}

func FuzzOtherThanAudio(f *testing.F) {
	for _, answer := range [][2]string{
		{"audio/mpeg", "\xff\xfb"}, {"audio/wav", "RIFF\x00\x00\x00\x00WAVE"}, {"application/json", "{}"}, {"application/problem+json;x", ""},
		{"", "<html>"}, {"audio/wav", `{"detail":"later"}`}, {"\x1b[2J", "\x00"}, {"text/html; charset", ""},
	} {
		f.Add(answer[0], []byte(answer[1]))
	}
	f.Fuzz(func(t *testing.T, contentType string, beginning []byte) {
		kind := otherThanAudio(contentType, beginning)
		wantSafeToShow(t, kind)
		if kind == "" && isObject(beginning) {
			t.Errorf("%q, %q passes for audio", contentType, beginning)
		}
	})
}

// isObject tells whether the text is a JSON object, or a list that begins with one, as refusals are (section 7). Other JSON,
// such as a text in quotation marks, may be the beginning of audio.
func isObject(text []byte) bool {
	var decoded any
	if err := json.Unmarshal(text, &decoded); err != nil {
		return false
	}
	if list, isList := decoded.([]any); isList && len(list) > 0 {
		decoded = list[0]
	}
	_, object := decoded.(map[string]any)
	return object
}

func FuzzRetryAfter(f *testing.F) {
	for _, header := range []string{
		"7", "-1", "1.5", "soon", "", "86401", "9223372036854775807", "99999999999999999999", "-9223372036854775808", " 7",
		"Fri, 31 Dec 9999 23:59:59 GMT", "Mon, 01 Jan 0001 00:00:00 GMT", "Thu, 01 Jan 1970 00:00:00 GMT",
	} {
		f.Add(header, http.StatusTooManyRequests)
	}
	f.Add("7", http.StatusInternalServerError)
	f.Fuzz(func(t *testing.T, header string, status int) {
		response := &http.Response{StatusCode: status, Header: http.Header{"Retry-After": {header}}}
		if wait := retryAfter(response); wait < 0 || wait > 24*time.Hour {
			t.Errorf("%q: waits %s", header, wait)
		}
	})
}

// TestFuzzedAnswersHaveEveryField fails for a field that the targets above do not encode, and so do not compare.
func TestFuzzedAnswersHaveEveryField(t *testing.T) {
	t.Parallel()
	for _, answer := range []reflect.Type{reflect.TypeFor[Project](), reflect.TypeFor[Chapter](), reflect.TypeFor[ChapterSnapshot]()} {
		for i := range answer.NumField() {
			if answer.Field(i).Tag.Get("json") == "" {
				t.Errorf("%s.%s is not encoded", answer, answer.Field(i).Name)
			}
		}
	}
}
