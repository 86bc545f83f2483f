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
	"chapters", "list read in", "per chapter", "allocated", "per chapter", "one looked up by id in", "a settled book planned in", "allocated",
}}}

// BenchmarkGrowth measures lists of chapters, each twice as long as the one before.
func BenchmarkGrowth(b *testing.B) {
	for _, count := range []int{1250, 2500, 5000, 10000} {
		answer := chaptersAnswer(b, count)
		var reading, lookingUp, planning time.Duration
		var memory, planned float64
		b.Run(fmt.Sprint("Read/", count), func(b *testing.B) { reading, memory = read(b, answer, count) })
		b.Run(fmt.Sprint("LookUp/", count), func(b *testing.B) { lookingUp = lookUp(b, answer, count) })
		b.Run(fmt.Sprint("PlanBook/", count), func(b *testing.B) { planning, planned = planBook(b, answer, count) })
		if reading > 0 && lookingUp > 0 && planning > 0 {
			growthTable.add(count, fmt.Sprintf("%.1f ms", 1000*reading.Seconds()), (reading / time.Duration(count)).Round(10*time.Nanosecond),
				mebibytes(memory/(1<<20)), fmt.Sprintf("%.0f bytes", memory/float64(count)), lookingUp/time.Duration(count),
				fmt.Sprintf("%.1f ms", 1000*planning.Seconds()), mebibytes(planned/(1<<20)))
		}
	}
}

// read reads the list from an answer in memory. It returns how long that takes and how many bytes it allocates.
func read(b *testing.B, answer []byte, count int) (took time.Duration, memory float64) {
	client := newClient(b, transportOf(answer))
	b.ReportAllocs()
	b.SetBytes(int64(len(answer)))
	before := allocated()
	for b.Loop() {
		if chapters, err := client.ListChapters(b.Context(), "project-0"); err != nil || len(chapters) != count {
			b.Fatalf("got %d chapters, error %v", len(chapters), err)
		}
	}
	return b.Elapsed() / time.Duration(b.N), float64(allocated()-before) / float64(b.N)
}

// lookUp finds each chapter of a list in memory by its id.
func lookUp(b *testing.B, answer []byte, count int) (took time.Duration) {
	engine := conversion.NewEngine(conversion.Options{Client: newClient(b, transportOf(answer))})
	find := func(number int) {
		if _, err := engine.Predict(b.Context(), conversion.Demand{ProjectID: "project-0", ChapterID: fmt.Sprint("chapter-", number)}); err != nil {
			b.Fatal(err)
		}
	}
	find(0)
	b.ReportAllocs()
	for b.Loop() {
		for number := range count {
			find(number)
		}
	}
	return b.Elapsed() / time.Duration(b.N)
}

// planBook predicts a book from a list in memory, in which all is converted.
func planBook(b *testing.B, answer []byte, count int) (took time.Duration, memory float64) {
	engine := conversion.NewEngine(conversion.Options{Client: newClient(b, transportOf(answer))})
	plan := func() {
		predicted, err := engine.PredictProject(b.Context(), conversion.Project{ProjectID: "project-0", Others: &conversion.Demand{UpToDate: true}})
		if err != nil || len(predicted.Chapters) != count || predicted.Chapters[0].Decision.Step != conversion.Done {
			b.Fatalf("predicted %d chapters, error %v", len(predicted.Chapters), err)
		}
	}
	plan()
	b.ReportAllocs()
	before := allocated()
	for b.Loop() {
		plan()
	}
	return b.Elapsed() / time.Duration(b.N), float64(allocated()-before) / float64(b.N)
}

// chaptersAnswer is the mock server's answer with so many chapters.
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

// transportOf gives the same answer to every request.
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

// allocated is how many bytes this process has allocated so far.
func allocated() uint64 {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return memory.TotalAlloc
}
