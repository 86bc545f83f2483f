package contract_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver/contract"
)

// differences sends one request to a handler and returns what Check reports.
func differences(handler http.Handler, method, target, body string) []string {
	var reported []string
	checked := contract.Check(handler, func(err error) { reported = append(reported, err.Error()) })
	request := httptest.NewRequest(method, target, strings.NewReader(body))
	request.Header.Set("xi-api-key", mockserver.Secret)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	checked.ServeHTTP(httptest.NewRecorder(), request)
	return reported
}

func TestTheMockKeepsTheContract(t *testing.T) {
	t.Parallel()
	for _, habits := range []mockserver.Habits{
		{},
		{OmitsUnset: true},
		{Progress: mockserver.Fractional, KeepsOldError: true, DatesFailures: true},
		{Progress: mockserver.None, NoDates: true, NoStatistics: true},
	} {
		service := mockserver.New()
		service.SetHabits(habits)
		service.AddProject(mockserver.Audiobook(0))
		service.AddProject(mockserver.Project{ID: "plain", Chapters: []mockserver.Chapter{
			{ID: "c", Conversions: []mockserver.Conversion{{Fails: "no voice"}}},
		}})
		for _, request := range []struct{ method, path, body string }{
			{"GET", "/v1/projects", ""},
			{"POST", "/v1/projects/audiobook/chapters/chapter-1/convert", ""},
			{"POST", "/v1/projects/plain/chapters/c/convert", `{"any":"body"}`},
			{"GET", "/v1/projects/audiobook", ""},
			{"GET", "/v1/projects/plain", ""},
			{"GET", "/v1/projects/plain/chapters", ""},
			{"GET", "/v1/projects/audiobook/chapters/chapter-1/snapshots", ""},
			{"GET", "/v1/projects/audiobook/snapshots", ""},
			{"POST", "/v1/projects/audiobook/snapshots/project-snapshot-1/stream", ""},
			{"POST", "/v1/projects/audiobook/snapshots/project-snapshot-1/stream", `{"convert_to_mpeg":true}`},
			{"GET", "/v1/projects/unknown", ""},
		} {
			if got := differences(service, request.method, request.path, request.body); got != nil {
				t.Errorf("%s %s with %+v: %v", request.method, request.path, habits, got)
			}
		}
	}
}

func TestDifferencesAreReported(t *testing.T) {
	t.Parallel()
	const chapters, stream = "/v1/projects/p/chapters", "/v1/projects/p/snapshots/s/stream"
	for _, test := range []struct {
		name                 string
		method, path, body   string
		answerType, answered string
		want                 string
	}{
		{"missing field", "GET", chapters, "", "application/json", `{}`, `property "chapters" is missing`},
		{"wrong type", "GET", chapters, "", "application/json", `{"chapters":[{"state":7}]}`, "value must be a string"},
		{"fractional date", "GET", chapters, "", "application/json",
			`{"chapters":[{"last_conversion_date_unix":1.5}]}`, "value must be an integer"},
		{"unknown value", "GET", "/v1/projects/p", "", "application/json", `{"state":"asleep"}`, "not one of the allowed values"},
		{"broken JSON", "GET", chapters, "", "application/json", `{"chapters":`, "failed to decode response body"},
		{"HTML", "GET", chapters, "", "text/html", `<html>`, "text/html"},
		{"audio for a list", "GET", chapters, "", "audio/wav", `RIFF`, "audio/wav"},
		{"JSON for audio", "POST", stream, "", "application/json", `{}`, "application/json"},
		{"unnamed field sent", "POST", stream, `{"format":"mp3"}`, "audio/wav", `RIFF`, `property "format" is unsupported`},
		{"wrong type sent", "POST", stream, `{"convert_to_mpeg":1}`, "audio/wav", `RIFF`, "value must be a boolean"},
		{"unknown path", "GET", "/v1/voices", "", "application/json", `{}`, "no such operation"},
		{"unknown method", "DELETE", "/v1/projects/p", "", "application/json", `{}`, "no such operation"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wrong := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", test.answerType)
				fmt.Fprint(w, test.answered)
			})
			got := differences(wrong, test.method, test.path, test.body)
			if len(got) != 1 || !strings.Contains(got[0], test.want) {
				t.Errorf("got %q, want one with %q", got, test.want)
			}
		})
	}
}
