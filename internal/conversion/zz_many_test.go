package conversion_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestZMany(t *testing.T) {
	inBubble(t, func(b *bubble) {
		n := 1000
		chapters := many(n, 0)
		b.service.AddProject(mockserver.Project{ID: "big", Chapters: chapters})
		book := conversion.Project{ProjectID: "big", Others: &conversion.Demand{UpToDate: true, DateSuffices: true}}
		heap := func() uint64 { runtime.GC(); var m runtime.MemStats; runtime.ReadMemStats(&m); return m.HeapAlloc >> 10 }
		h0 := heap()
		began := time.Now()
		b.engine.ConvertProject(b.Context(), book)
		fmt.Println("first: lists", b.lists(), "took", time.Since(began), "heap KiB", h0, heap())
		l := b.lists()
		began = time.Now()
		out := b.engine.ConvertProject(b.Context(), book)
		fmt.Println("second: lists", b.lists()-l, "took", time.Since(began), len(out.Chapters), "heap", heap())
	})
}
