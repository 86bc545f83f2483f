package audioprojects_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// BenchmarkListChapters reads the list of a project's chapters out of an answer that is there.
func BenchmarkListChapters(b *testing.B) {
	for _, count := range []int{1250, 2500, 5000, 10000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			answer := chaptersAnswer(b, count)
			transport := new(http.Transport)
			transport.RegisterProtocol("http", answering(answer))
			client := connect(b, http.NotFoundHandler(), func(config *audioprojects.Config) { config.Transport = transport })
			b.ReportAllocs()
			b.SetBytes(int64(len(answer)))
			for b.Loop() {
				chapters, err := client.ListChapters(b.Context(), "p")
				if err != nil || len(chapters) != count {
					b.Fatalf("got %d chapters, error %v", len(chapters), err)
				}
			}
		})
	}
}

// chaptersAnswer is what the mock server says of so many chapters.
func chaptersAnswer(b *testing.B, count int) []byte {
	b.Helper()
	project := mockserver.Project{ID: "p"}
	for number := range count {
		project.Chapters = append(project.Chapters, mockserver.Chapter{
			ID: fmt.Sprintf("chapter-%016d", number), Name: fmt.Sprint("Chapter ", number), Converted: true,
		})
	}
	service := mockserver.New()
	service.AddProject(project)
	request := httptest.NewRequest(http.MethodGet, "/v1/projects/p/chapters", nil)
	request.Header.Set("xi-api-key", mockserver.Secret)
	response := httptest.NewRecorder()
	service.ServeHTTP(response, request)
	if response.Code != http.StatusOK {
		b.Fatalf("got %d: %s", response.Code, response.Body)
	}
	return response.Body.Bytes()
}

// answering is a service that has its answer ready.
type answering []byte

func (a answering) RoundTrip(request *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Request: request, ContentLength: int64(len(a)),
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(a)),
	}, nil
}
