package soak

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// mostMemory is what an answer may make of the provider's process, in MiB.
const mostMemory = 512

// BenchmarkAnswer has a data source read an answer of many records, or of much else, and fails if the
// provider's process gets bigger than it may, or if an answer is read that should be refused.
func BenchmarkAnswer(b *testing.B) {
	whole := func(i int) string {
		return fmt.Sprintf(`{"chapter_id":"chapter-%06d","name":"Chapter %[1]d: the ferry leaves","last_conversion_date_unix":1700000000,`+
			`"conversion_progress":100,"can_be_downloaded":true,"state":"default","statistics":{"characters_unconverted":0,"characters_converted":12000,`+
			`"paragraphs_converted":90,"paragraphs_unconverted":0},"last_conversion_error":"The voice of paragraph %[1]d was not found."}`, i)
	}
	const project, chapters, snapshots = "audioprojects_project", "audioprojects_chapters", "audioprojects_project_snapshots"
	for _, answer := range []struct {
		name, source string
		body         string
		// refused is what the error says; empty if the answer is read.
		refused string
	}{
		{"5000Chapters", chapters, `{"chapters":` + list(5000, whole) + `}`, ""},
		{"20000Chapters", chapters, `{"chapters":` + list(20_000, whole) + `}`, ""},
		{"20000ChaptersOfAProject", project, `{"project_id":"p","chapters":` + list(20_000, whole) + `}`, ""},
		{"25000ChaptersWithMuchText", chapters, `{"chapters":` + list(25_000, func(i int) string {
			return strings.Replace(whole(i), "ferry", strings.Repeat("ferry ", 90), 1)
		}) + `}`, ""},
		{"25000Snapshots", snapshots, list(25_000, func(i int) string {
			return fmt.Sprintf(`{"project_snapshot_id":"%d","of":[%s0]}`, i, strings.Repeat("1,", 30))
		}), ""},
		{"15SnapshotsOfAMiB", snapshots, list(15, func(i int) string {
			return fmt.Sprintf(`{"project_snapshot_id":"%d","of":[%s{}]}`, i, strings.Repeat("{},", 30_000))
		}), ""},
		{"200000Identifiers", chapters, `{"chapters":` + list(200_000, func(int) string { return `{"chapter_id":"x"}` }) + `}`, "the answer has 200000 records"},
		{"1500000Identifiers", chapters, `{"chapters":` + list(1_500_000, func(int) string { return `{"chapter_id":"x"}` }) + `}`, "1 million"},
		{"32MiBOfAnError", chapters, `{"chapters":[{"chapter_id":"x","last_conversion_error":"` + strings.Repeat("x", 32<<20-100) + `"}]}`, ""},
		{"1000000Genres", project, `{"project_id":"p","genres":` + list(1_000_000, func(int) string { return `"x"` }) + `}`, "records"},
		{"Endless", chapters, strings.Repeat(" ", 100<<20), "longer than 32"},
	} {
		b.Run(answer.name, func(b *testing.B) {
			for b.Loop() {
				s := serve(b)
				header := http.Header{"Content-Type": {"application/json"}}
				s.Inject(mockserver.Fault{Times: -1, Body: answer.body, Header: header})
				configuration := fmt.Sprintf("data %q \"all\" {\n  project_id = \"p\"\n}\n", answer.source)
				cli := clitest.Open(b, s.address, filepath.Dir(program(b)))
				cli.Write(clitest.RequiredProviders, configuration)
				peak := watch(b)
				began := time.Now()
				screen, err := cli.Command("plan").CombinedOutput()
				b.ReportMetric(time.Since(began).Seconds(), "s-plan")
				memory := peak()
				b.ReportMetric(memory, "MiB")
				switch said := strings.Join(strings.Fields(string(screen)), " "); {
				case memory > mostMemory:
					b.Errorf("got a process of %.0f MiB, want at most %d", memory, mostMemory)
				case answer.refused == "" && err != nil, answer.refused != "" && !strings.Contains(said, answer.refused):
					b.Errorf("got %.1000s, %v; want %q", said, err, answer.refused)
				}
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

func list(count int, element func(i int) string) string {
	elements := make([]string, count)
	for i := range elements {
		elements[i] = element(i)
	}
	return "[" + strings.Join(elements, ",") + "]"
}

var (
	building sync.Once
	built    string
)

// program builds the provider, once.
func program(b *testing.B) string {
	building.Do(func() {
		built = filepath.Join(programs, clitest.ProviderName)
		if err := clitest.Build(built, "../.."); err != nil {
			b.Fatal(err)
		}
	})
	return built
}

// watch looks at the provider's processes until the peak of the biggest is asked for, in MiB.
func watch(b *testing.B) (peak func() float64) {
	file := program(b)
	ended, most := make(chan struct{}), make(chan float64)
	go func() {
		biggest, process := 0.0, ""
		for {
			memory := clitest.PeakOf(process)
			if memory == 0 {
				process = clitest.Find(file)
			}
			biggest = max(biggest, memory)
			select {
			case <-ended:
				most <- biggest
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return func() float64 {
		close(ended)
		return <-most
	}
}
