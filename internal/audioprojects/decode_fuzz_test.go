package audioprojects

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

// fuzzKey is too long for the fuzzer to produce by chance.
const fuzzKey = "sk_0123456789"

func newFuzzed() *Client {
	return New(Config{BaseURL: &url.URL{Scheme: "https", Host: "audio.example"}, APIKey: fuzzKey})
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

// FuzzAnswer reads mutated answers as each operation does. What is accepted stays the same when it is encoded and read again.
func FuzzAnswer(f *testing.F) {
	for _, text := range []string{
		`{}`, `[]`, `null`, `7`, `"` + fuzzKey + `"`, `[null]`, `<html>`, "\xff", `{"a":1e400}`, strings.Repeat("[", 10_001),
		`{"project_id":"p","chapters":[{"chapter_id":"c"}],"pronunciation_dictionary_versions":[{},null],"genres":["g",null]}`,
		`{"project_id":"p","experimental":{"b":[1.50],"a":null},"creation_meta":{"creation_progress":0.5},"create_date_unix":1e3}`,
		`{"project_id":"p","creation_meta":{"status":"a"},"creation_meta":{"type":"b"},"chapters":[],"chapters":null}`,
		`{"project_id":"p","experimental":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`,
		`{"Project_ID":"p"}`, `{"project_id":"p","chapters":[{}]}`, `{"project_id":"p","name":"\ud800\u0000"}`,
		`{"chapters":[{"chapter_id":"c","name":"One","conversion_progress":37.5,"statistics":{"characters_converted":7}}]}`,
		`{"chapters":[{"chapter_id":"c","last_conversion_date_unix":9223372036854775808}]}`, `{"chapters":[0]}`,
		`{"chapters":[{"chapter_id":"c","state":{},"name":7,"last_conversion_error":[{"msg":"m"}]}]}`, `{"project_id":"p","genres":[7],"chapters":[{"Chapters":1}]}`,
		`{"snapshots":[{"chapter_snapshot_id":"s","created_at_unix":7.0,"name":"N"}]}`, `{"snapshots":[{}]}`,
		`[{"project_id":"p","name":"N","more":[1.50,1e2]}]`, `{"projects":[],"projects":[{"project_id":7}]}`, `["p"]`,
		`{"snapshots":[{"project_snapshot_id":"s","more":{"x":[1.50,1e2]}}]}`, `{"snapshots":[{"project_snapshot_id":null}]}`,
	} {
		f.Add([]byte(text))
	}
	client := newFuzzed()
	f.Fuzz(func(t *testing.T, text []byte) {
		readTwice(t, text, client.decodeProject, func(project Project) any {
			type shadow struct {
				Project
				Experimental json.RawMessage `json:"experimental,omitempty"`
			}
			if project.Experimental == nil {
				return shadow{Project: project}
			}
			return shadow{project, json.RawMessage(*project.Experimental)}
		})
		noHeader := new(http.Response)
		readTwice(t, text, func(text []byte) ([]Chapter, error) { return client.decodeChapters(inObject, noHeader, text) },
			func(chapters []Chapter) any { return map[string]any{"chapters": chapters} })
		readTwice(t, text, func(text []byte) ([]ChapterSnapshot, error) {
			return decodeList(client, "snapshots", inObject, noHeader, text, client.decodeChapterSnapshot)
		},
			func(snapshots []ChapterSnapshot) any { return map[string]any{"snapshots": snapshots} })
		readTwice(t, text, func(text []byte) ([]ProjectSnapshotRecord, error) {
			return decodeList(client, "snapshots", anyOfThese, noHeader, text, client.decodeProjectSnapshot)
		},
			func(snapshots []ProjectSnapshotRecord) any {
				whole := []json.RawMessage{}
				for _, record := range snapshots {
					whole = append(whole, json.RawMessage(record.Record))
				}
				return whole
			})
	})
}

func readTwice[T any](t *testing.T, text []byte, read func([]byte) (T, error), encode func(T) any) {
	first, err := read(text)
	if err != nil {
		wantSafeToShow(t, err.Error())
		return
	}
	encoded, err := json.Marshal(encode(first))
	if err != nil {
		t.Fatal(err)
	}
	second, err := read(encoded)
	if err != nil {
		t.Fatalf("%s reads again as %v", encoded, err)
	}
	again, err := json.Marshal(encode(second))
	if err != nil || string(again) != string(encoded) {
		t.Errorf("became  %s\nfrom    %s (%v)", again, encoded, err)
	}
}

// FuzzBody reads mutated errors, and answers in place of audio.
func FuzzBody(f *testing.F) {
	for _, body := range []string{
		`{"detail":"Not today."}`, `{"detail":[{"loc":["body",0],"msg":"Field required"}]}`, `{"error":{"message":"No"}}`, "Not\x1b[2J today.",
		"<!DOCTYPE html>", `{"detail":"` + fuzzKey + `"}`, fuzzKey[:5] + "\x00" + fuzzKey[5:], strings.Repeat("ü", 501), strings.Repeat("[", 10_001), "\xff", "",
	} {
		f.Add("application/json", []byte(body))
		f.Add("audio/wav", []byte(body))
	}
	f.Add("text/html; charset", []byte("Not today."))
	f.Add("\x1b[2J", []byte("RIFF\x00\x00\x00\x00WAVE"))
	client := newFuzzed()
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		wantSafeToShow(t, client.readErrorBody(bytes.NewReader(body)).message)
		_, kind := detectFormat(body)
		wantSafeToShow(t, kind)
		var object map[string]any
		if kind == "" && json.Unmarshal(body, &object) == nil && object != nil {
			t.Errorf("%q, %q passes for audio", contentType, body)
		}
	})
}
