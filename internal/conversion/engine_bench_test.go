package conversion_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// BenchmarkChapter looks up a chapter by its id in a list that is there, as a refresh does
// with all but the first. Once in ten seconds the list is asked for again.
func BenchmarkChapter(b *testing.B) {
	for _, count := range []int{1250, 2500, 5000, 10000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			service := mockserver.New()
			service.AddProject(mockserver.Project{ID: project, Chapters: many(count, time.Second)})
			network := service.Network()
			defer network.Close()
			engine := newEngine(b, network.DialContext)
			next := 0
			look := func() {
				next = (next + 1) % count
				if _, err := engine.Chapter(b.Context(), project, fmt.Sprint("chapter-", next)); err != nil {
					b.Fatal(err)
				}
			}
			look()
			b.ReportAllocs()
			for b.Loop() {
				look()
			}
		})
	}
}
