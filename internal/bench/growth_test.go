package bench

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

var growthTable = &table{title: "Growth with the number of chapters", rows: [][]string{{
	"chapters", "their list is read in", "of each", "allocates", "for each", "each is looked up by id in",
}}}

// BenchmarkList reads lists of chapters, each twice as long as the one before, out of an answer that is there.
func BenchmarkList(b *testing.B) {
	for _, count := range []int{1250, 2500, 5000, 10000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			answer := chaptersAnswer(b, count)
			client := newClient(b, transportOf(answer))
			b.ReportAllocs()
			b.SetBytes(int64(len(answer)))
			before := allocated()
			for b.Loop() {
				if chapters, err := client.ListChapters(b.Context(), "project-0"); err != nil || len(chapters) != count {
					b.Fatalf("got %d chapters, error %v", len(chapters), err)
				}
			}
			took := b.Elapsed() / time.Duration(b.N)
			bytes := float64(allocated()-before) / float64(b.N)
			growthTable.add(count, fmt.Sprintf("%.1f ms", 1000*took.Seconds()), took/time.Duration(count),
				mebibytes(bytes/(1<<20)), fmt.Sprintf("%.0f bytes", bytes/float64(count)), lookUp(b, client, count))
		})
	}
}

// lookUp is how long one of so many chapters takes that a list at hand has, on average over all.
func lookUp(b *testing.B, client *audioprojects.Client, count int) time.Duration {
	engine := conversion.NewEngine(client)
	find := func(number int) {
		if _, err := engine.Chapter(b.Context(), "project-0", fmt.Sprint("chapter-", number)); err != nil {
			b.Fatal(err)
		}
	}
	find(0)
	const rounds = 20
	began := time.Now()
	for range rounds {
		for number := range count {
			find(number)
		}
	}
	return time.Since(began) / time.Duration(rounds*count)
}

// chaptersAnswer is what the mock server says of so many chapters.
func chaptersAnswer(b *testing.B, count int) []byte {
	service := mockserver.New()
	service.AddProject(converted(0, count))
	request := httptest.NewRequest(http.MethodGet, "/v1/projects/project-0/chapters", nil)
	request.Header.Set("xi-api-key", mockserver.Secret)
	response := httptest.NewRecorder()
	service.ServeHTTP(response, request)
	if response.Code != http.StatusOK {
		b.Fatalf("got %d: %s", response.Code, response.Body)
	}
	return response.Body.Bytes()
}

// transportOf has the answer to everything.
func transportOf(answer []byte) *http.Transport {
	transport := new(http.Transport)
	transport.RegisterProtocol("http", answering(answer))
	return transport
}

type answering []byte

func (a answering) RoundTrip(request *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Request: request, ContentLength: int64(len(a)),
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(a)),
	}, nil
}

func newClient(t testing.TB, transport *http.Transport) *audioprojects.Client {
	t.Helper()
	address, err := audioprojects.ParseBaseURL("http://localhost", false)
	if err != nil {
		t.Fatal(err)
	}
	client, err := audioprojects.New(audioprojects.Config{
		BaseURL: address, APIKey: mockserver.Secret, RequestTimeout: 30 * time.Second, Transport: transport,
	})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// allocated is how many bytes this process has ever asked for.
func allocated() uint64 {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return memory.TotalAlloc
}
