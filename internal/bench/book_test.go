package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

var bookPlanTable = &table{title: "Plan of a book in one block", rows: [][]string{{
	"chapters", "one `terraform_data`", "provider", "more", "requests", "memory", "state",
}}}

const wholeBook = `
resource "audioprojects_project_conversion" "book" {
  project_id = "project-0"
}
`

// BenchmarkBookPlan plans a book in which nothing is left to convert, beside a single terraform_data.
func BenchmarkBookPlan(b *testing.B) {
	for _, chapters := range []int{100, 1000, 5000} {
		b.Run(fmt.Sprint(chapters), func(b *testing.B) {
			service := mockserver.New()
			service.AddProject(converted(0, chapters))
			s := serve(b, service, service)
			provider, data := newCLI(b, ours, s), newCLI(b, "", s)
			provider.WriteFile("main.tf", wholeBook)
			provider.run("apply", "-auto-approve")
			data.WriteFile("main.tf", datas(1))
			data.run("apply", "-auto-approve")
			state, err := os.Stat(filepath.Join(provider.Folder, "terraform.tfstate"))
			if err != nil {
				b.Fatal(err)
			}
			var dataTook, took []time.Duration
			var used usage
			for b.Loop() {
				dataTook = append(dataTook, data.run(plan...))
				service.ResetJournal()
				now := provider.runWatched(plan...)
				took, used = append(took, now.took), used.most(now)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(took).Seconds(), "s")
			bookPlanTable.add(chapters, seconds(median(dataTook)), seconds(median(took)), seconds(median(took)-median(dataTook)),
				len(service.Journal()), mebibytes(used.peak), fmt.Sprintf("%.1f KiB", float64(state.Size())/1024))
		})
	}
}

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

var bookApplyTable = &table{title: "Apply of a book in one block", rows: [][]string{{
	"chapters", "each takes", "ideal", "one block", "of the ideal", "requests", "memory", "a block for each", "of the ideal", "requests", "memory",
}}}

// BenchmarkBookApply converts a book without any flag: in one block, fifty at a time, and in a block for each chapter, ten at a
// time, as Terraform does by default. Ideal is fifty at a time, and the apply of one terraform_data.
func BenchmarkBookApply(b *testing.B) {
	const (
		count, atATime = 200, 50
		takes          = 5 * time.Second
	)
	blocks := fmt.Sprintf(`
resource "audioprojects_chapter_conversion" "all" {
  count      = %d
  project_id = "project-0"
  chapter_id = "chapter-${count.index}"
}
`, count)
	convert := func(configuration string) (used usage, requests int) {
		service := mockserver.New()
		service.AddProject(unconverted(count, takes))
		provider := newCLI(b, ours, serve(b, service, service))
		provider.WriteFile("main.tf", configuration)
		used = provider.runWatched("apply", "-auto-approve")
		return used, len(service.Journal())
	}
	var idealTook, bookTook, blocksTook []time.Duration
	var bookUsed, blocksUsed usage
	var bookRequests, blocksRequests int
	for b.Loop() {
		data := newCLI(b, "", serve(b, mockserver.New(), mockserver.New()))
		data.WriteFile("main.tf", datas(1))
		idealTook = append(idealTook, data.run("apply", "-auto-approve")+count/atATime*takes)
		var now usage
		now, bookRequests = convert(wholeBook)
		bookTook, bookUsed = append(bookTook, now.took), bookUsed.most(now)
		now, blocksRequests = convert(blocks)
		blocksTook, blocksUsed = append(blocksTook, now.took), blocksUsed.most(now)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(share(bookTook, idealTook), "of-ideal")
	bookApplyTable.add(count, takes, seconds(median(idealTook)), seconds(median(bookTook)), ratio(share(bookTook, idealTook)), bookRequests, mebibytes(bookUsed.peak),
		seconds(median(blocksTook)), ratio(share(blocksTook, idealTook)), blocksRequests, mebibytes(blocksUsed.peak))
}
