package contract_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
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

func TestContract_reportsDifferences(t *testing.T) {
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

// TestContract_describesMockServer: each of its operations, and each field that it sends.
func TestContract_describesMockServer(t *testing.T) {
	t.Parallel()
	description, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	service := mockserver.New()
	service.AddProject(mockserver.Project{
		ID:        "p",
		Chapters:  []mockserver.Chapter{{ID: "c", Text: "One.", Snapshots: []mockserver.ChapterSnapshot{{ID: "s"}}}},
		Snapshots: []mockserver.ProjectSnapshot{{ID: "s"}},
	})
	requests := map[mockserver.Operation]string{
		mockserver.ListProjects:         "GET /v1/projects",
		mockserver.GetProject:           "GET /v1/projects/p",
		mockserver.ListChapters:         "GET /v1/projects/p/chapters",
		mockserver.ListChapterSnapshots: "GET /v1/projects/p/chapters/c/snapshots",
		mockserver.ConvertChapter:       "POST /v1/projects/p/chapters/c/convert",
		mockserver.ListProjectSnapshots: "GET /v1/projects/p/snapshots",
		mockserver.StreamSnapshot:       "POST /v1/projects/p/snapshots/s/stream",
	}
	for _, operation := range mockserver.Operations() {
		method, path, known := strings.Cut(requests[operation], " ")
		if !known {
			t.Errorf("%s: no request is here", operation)
			continue
		}
		reported := differences(service, method, path, "")
		if len(reported) > 0 {
			t.Errorf("%s: %q", operation, reported)
		}
		if operation == mockserver.ListProjects || operation == mockserver.ListProjectSnapshots {
			continue // The document leaves open what they send.
		}
		request, answer := httptest.NewRequest(method, path, http.NoBody), httptest.NewRecorder()
		request.Header.Set("xi-api-key", mockserver.Secret)
		service.ServeHTTP(answer, request)
		for _, field := range regexp.MustCompile(`"(\w+)":`).FindAllStringSubmatch(answer.Body.String(), -1) {
			if !regexp.MustCompile(`(?m)^ +` + field[1] + `:`).Match(description) {
				t.Errorf("%s: openapi.yaml does not describe %s", operation, field[1])
			}
		}
	}
}
