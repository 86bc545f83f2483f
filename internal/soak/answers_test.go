package soak

import (
	"fmt"
	"net/http"
	"os"
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

// answer is one that a data source reads.
type answer struct {
	name, source string
	body         string
	// refused is what the error says; empty if the answer is read.
	refused string
}

// What reads the answers.
const ofProject, ofChapters, ofSnapshots = "audioprojects_project", "audioprojects_chapters", "audioprojects_project_snapshots"

// whole is a chapter with all its fields.
func whole(i int) string {
	return fmt.Sprintf(`{"chapter_id":"chapter-%06d","name":"Chapter %[1]d: the ferry leaves","last_conversion_date_unix":1700000000,`+
		`"conversion_progress":100,"can_be_downloaded":true,"state":"default","statistics":{"characters_unconverted":0,"characters_converted":12000,`+
		`"paragraphs_converted":90,"paragraphs_unconverted":0},"last_conversion_error":"The voice of paragraph %[1]d was not found."}`, i)
}

// answers are those of many records, or of much else.
func answers() []answer {
	return []answer{
		{"5000Chapters", ofChapters, `{"chapters":` + list(5000, whole) + `}`, ""},
		{"20000Chapters", ofChapters, `{"chapters":` + list(20_000, whole) + `}`, ""},
		{"20000ChaptersOfAProject", ofProject, `{"project_id":"p","chapters":` + list(20_000, whole) + `}`, ""},
		{"25000ChaptersWithMuchText", ofChapters, `{"chapters":` + list(25_000, func(i int) string {
			return strings.Replace(whole(i), "ferry", strings.Repeat("ferry ", 90), 1)
		}) + `}`, ""},
		{"25000Snapshots", ofSnapshots, list(25_000, func(i int) string {
			return fmt.Sprintf(`{"project_snapshot_id":"%d","of":[%s0]}`, i, strings.Repeat("1,", 30))
		}), ""},
		{"15SnapshotsOfAMiB", ofSnapshots, list(15, func(i int) string {
			return fmt.Sprintf(`{"project_snapshot_id":"%d","of":[%s{}]}`, i, strings.Repeat("{},", 30_000))
		}), ""},
		{"200000Identifiers", ofChapters, `{"chapters":` + list(200_000, func(int) string { return `{"chapter_id":"x"}` }) + `}`, "the answer has 200000 records"},
		{"1500000Identifiers", ofChapters, `{"chapters":` + list(1_500_000, func(int) string { return `{"chapter_id":"x"}` }) + `}`, "1 million"},
		{"32MiBOfAnError", ofChapters, `{"chapters":[{"chapter_id":"x","last_conversion_error":"` + strings.Repeat("x", 32<<20-100) + `"}]}`, ""},
		{"1000000Genres", ofProject, `{"project_id":"p","genres":` + list(1_000_000, func(int) string { return `"x"` }) + `}`, "records"},
		{"Endless", ofChapters, strings.Repeat(" ", 100<<20), "longer than 32"},
	}
}

// BenchmarkAnswer has a data source read each answer, and fails if the provider's process gets bigger than it may, or if
// an answer is read that should be refused.
func BenchmarkAnswer(b *testing.B) {
	for _, answer := range answers() {
		b.Run(answer.name, func(b *testing.B) {
			for b.Loop() {
				took, memory := answer.plan(b)
				b.ReportMetric(took.Seconds(), "s-plan")
				b.ReportMetric(memory, "MiB")
				if memory > mostMemory {
					b.Errorf("got a process of %.0f MiB, want at most %d", memory, mostMemory)
				}
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// TestAccAnswersTakeLittleMemory is for the worst of them, and for the biggest that anybody may have.
func TestAccAnswersTakeLittleMemory(t *testing.T) {
	if os.Getenv("TF_ACC") == "" {
		t.Skip("an acceptance test")
	}
	most := map[string]float64{"20000Chapters": 400, "200000Identifiers": 200, "1500000Identifiers": 200}
	for _, answer := range answers() {
		if most[answer.name] > 0 {
			t.Run(answer.name, func(t *testing.T) {
				if _, memory := answer.plan(t); memory > most[answer.name] {
					t.Errorf("got a process of %.0f MiB, want at most %.0f", memory, most[answer.name])
				}
			})
		}
	}
}

// plan has a data source read the answer. It returns how long the plan took, and the peak of the provider's process, in MiB.
func (a answer) plan(t testing.TB) (took time.Duration, memory float64) {
	t.Helper()
	s := serve(t)
	s.Inject(mockserver.Fault{Times: -1, Body: a.body, Header: http.Header{"Content-Type": {"application/json"}}})
	cli := clitest.Open(t, s.address, filepath.Dir(program(t)))
	cli.Write(clitest.RequiredProviders, fmt.Sprintf("data %q \"all\" {\n  project_id = \"p\"\n}\n", a.source))
	peak, began := watch(t), time.Now()
	screen, err := cli.Command("plan").CombinedOutput()
	took, memory = time.Since(began), peak()
	said := strings.Join(strings.Fields(strings.ReplaceAll(string(screen), "│", "")), " ")
	if a.refused == "" && err != nil || a.refused != "" && !strings.Contains(said, a.refused) {
		t.Errorf("got %.1000s, %v; want %q", said, err, a.refused)
	}
	return took, memory
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
func program(b testing.TB) string {
	building.Do(func() {
		built = filepath.Join(programs, clitest.ProviderName)
		if err := clitest.Build(built, "../.."); err != nil {
			b.Fatal(err)
		}
	})
	return built
}

// watch looks at the provider's processes until the peak of the biggest is asked for, in MiB.
func watch(b testing.TB) (peak func() float64) {
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
