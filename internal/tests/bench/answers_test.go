package bench

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// answer is one that a data source reads.
type answer struct {
	name, source string
	body         string
	// refused is what the error says; empty if the answer is read.
	refused string
	// most is what the answer may make of the provider's process, in MiB.
	most float64
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
		{"5000Chapters", ofChapters, `{"project_id":"p","chapters":` + list(5000, whole) + `}`, "", 512},
		{"20000Chapters", ofChapters, `{"project_id":"p","chapters":` + list(20_000, whole) + `}`, "", 400},
		{"20000ChaptersOfAProject", ofProject, `{"project_id":"p","chapters":` + list(20_000, whole) + `}`, "", 512},
		{"25000ChaptersWithMuchText", ofChapters, `{"project_id":"p","chapters":` + list(25_000, func(i int) string {
			return strings.Replace(whole(i), "ferry", strings.Repeat("ferry ", 40), 1)
		}) + `}`, "", 512},
		{"25000Snapshots", ofSnapshots, list(25_000, func(i int) string {
			return fmt.Sprintf(`{"project_snapshot_id":"%d","of":[%s0]}`, i, strings.Repeat("1,", 30))
		}), "", 512},
		{"15SnapshotsOfAMiB", ofSnapshots, list(15, func(i int) string {
			return fmt.Sprintf(`{"project_snapshot_id":"%d","of":[%s{}]}`, i, strings.Repeat("{},", 30_000))
		}), "", 512},
		{"200000Identifiers", ofChapters, `{"project_id":"p","chapters":` + list(200_000, func(int) string { return `{"chapter_id":"x"}` }) + `}`, "the answer has 200000 records", 200},
		{"800000Identifiers", ofChapters, `{"project_id":"p","chapters":` + list(800_000, func(int) string { return `{"chapter_id":"x"}` }) + `}`, "1 million", 200},
		{"16MiBOfAnError", ofChapters, `{"project_id":"p","chapters":[{"chapter_id":"x","last_conversion_error":"` + strings.Repeat("x", 16<<20-100) + `"}]}`, "", 512},
		{"1000000Genres", ofProject, `{"project_id":"p","genres":` + list(1_000_000, func(int) string { return `"x"` }) + `}`, "values beside its chapters", 512},
		{"Endless", ofChapters, strings.Repeat(" ", 100<<20), "longer than 16", 512},
	}
}

var answersTable = &table{title: "Large answers", rows: [][]string{{"answer", "memory", "plan"}}}

// BenchmarkAnswer has a data source read each answer, and fails if the provider's process gets bigger than it may, or if
// an answer is read that should be refused.
func BenchmarkAnswer(b *testing.B) {
	for _, answer := range answers() {
		b.Run(answer.name, func(b *testing.B) {
			var used usage
			for b.Loop() {
				used = used.most(answer.plan(b))
			}
			if used.peak > answer.most {
				b.Errorf("got a process of %.0f MiB, want at most %.0f", used.peak, answer.most)
			}
			b.ReportMetric(0, "ns/op")
			answersTable.add(answer.name, mebibytes(used.peak), seconds(used.took))
		})
	}
}

// plan has a data source read the answer.
func (a answer) plan(t testing.TB) usage {
	t.Helper()
	service := mockserver.New()
	service.Inject(mockserver.Fault{Times: -1, Body: a.body, Header: http.Header{"Content-Type": {"application/json"}}})
	c := newCLI(t, ours, serve(t, service))
	c.WriteFile("main.tf", fmt.Sprintf("data %q \"all\" {\n  project_id = \"p\"\n}\n", a.source))
	return c.watch(func() time.Duration {
		took, screen, err := c.try("plan")
		said := strings.Join(strings.Fields(strings.ReplaceAll(screen, "│", "")), " ")
		if a.refused == "" && err != nil || a.refused != "" && !strings.Contains(said, a.refused) {
			t.Errorf("got %.1000s, %v; want %q", said, err, a.refused)
		}
		return took
	})
}

func list(count int, element func(i int) string) string {
	elements := make([]string, count)
	for i := range elements {
		elements[i] = element(i)
	}
	return "[" + strings.Join(elements, ",") + "]"
}
