package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

var applyTable = &table{title: "Apply", rows: [][]string{{
	"conversions", "each takes", "at a time", "ideal", "apply", "of the ideal", "requests", "memory",
}}}

// unconverted is a project of chapters whose conversions take as long as given.
func unconverted(chapters int, takes time.Duration) mockserver.Project {
	project := mockserver.Project{ID: "project-0"}
	for i := range chapters {
		project.Chapters = append(project.Chapters, mockserver.Chapter{
			ID: fmt.Sprint("chapter-", i), Conversions: []mockserver.Conversion{{Takes: takes}},
		})
	}
	return project
}

// BenchmarkApply converts the chapters of a project. Ideally that takes as long as the service's conversions,
// ten at a time, plus an apply with the floor provider, which creates its objects at once.
func BenchmarkApply(b *testing.B) {
	const (
		count, atATime = 200, 50
		takes          = 5 * time.Second
	)
	apply := []string{"apply", "-auto-approve", fmt.Sprint("-parallelism=", atATime)}
	configuration := fmt.Sprintf(`
resource "audioprojects_chapter_conversion" "all" {
  count      = %d
  project_id = "project-0"
  chapter_id = "chapter-${count.index}"
}
`, count)
	var idealTook, took []time.Duration
	var used usage
	var requests int
	for b.Loop() {
		service := mockserver.New()
		service.AddProject(unconverted(count, takes))
		s := serve(b, service, service)
		framework, provider := newCLI(b, floor, s), newCLI(b, ours, s)
		framework.WriteFile("main.tf", configuration)
		idealTook = append(idealTook, framework.run(apply...)+count/atATime*takes)
		provider.WriteFile("main.tf", configuration)
		now := provider.runWatched(apply...)
		took, used = append(took, now.took), used.most(now)
		requests = len(service.Journal())
	}
	ofIdeal := share(took, idealTook)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ofIdeal, "of-ideal")
	applyTable.add(count, takes, atATime, seconds(median(idealTook)), seconds(median(took)), ratio(ofIdeal), requests, mebibytes(used.peak))
}
