package bench

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

var startTable = &table{title: "Start: a plan that reads one data source", rows: [][]string{{
	"", "smallest provider", "provider", "of the smallest",
}}}

// BenchmarkStart reads a project, and compares with the smallest provider that the framework allows.
func BenchmarkStart(b *testing.B) {
	service := mockserver.New()
	service.AddProject(mockserver.Project{ID: "book"})
	s := serve(b, service, service)
	configuration := `
data "audioprojects_project" "book" {
  project_id = "book"
}
`
	silent, provider := newCLI(b, smallest, s), newCLI(b, ours, s)
	silent.WriteFile("main.tf", configuration)
	provider.WriteFile("main.tf", configuration)
	const times = 20 // many, because one takes only a tenth of a second
	var least, took []time.Duration
	for b.Loop() {
		for range times {
			least = append(least, silent.run("plan"))
			took = append(took, provider.run("plan"))
		}
	}
	ofLeast := share(took, least)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ofLeast, "of-smallest")
	startTable.add("time", milliseconds(median(least)), milliseconds(median(took)), ratio(ofLeast))
	leastSize, size := sizeOf(b, smallest), sizeOf(b, ours)
	startTable.add("program", fmt.Sprintf("%.1f MB", leastSize/1e6), fmt.Sprintf("%.1f MB", size/1e6), ratio(size/leastSize))
}

func milliseconds(took time.Duration) string {
	return fmt.Sprintf("%.0f ms", 1000*took.Seconds())
}

func sizeOf(b *testing.B, source string) float64 {
	file, err := os.Stat(program(b, source))
	if err != nil {
		b.Fatal(err)
	}
	return float64(file.Size())
}
