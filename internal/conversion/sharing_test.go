package conversion_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/conversion"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestAdoptionsShareAFreshList: to do nothing needs a list from after the turn of each began, which ten at a time share.
func TestAdoptionsShareAFreshList(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bubble) {
		chapters := many(300, 0)
		for i := range chapters {
			chapters[i].Converted = true
		}
		b.service.AddProject(mockserver.Project{ID: "adopted", Chapters: chapters})
		numbers := make(chan int)
		var hands sync.WaitGroup
		for range 10 {
			hands.Go(func() {
				for i := range numbers {
					wish := conversion.Wish{ProjectID: "adopted", ChapterID: fmt.Sprint("chapter-", i), UpToDate: true}
					if _, err := b.engine.Convert(b.Context(), wish); err != nil {
						b.Error(err)
					}
				}
			})
		}
		for i := range 300 {
			numbers <- i
		}
		close(numbers)
		hands.Wait()
		if got := b.lists(); got > 40 {
			b.Errorf("lists for 300 adoptions at ten at a time: got %d, want 40 at most", got)
		}
		if got := b.service.Count(mockserver.ConvertChapter); got != 0 {
			b.Errorf("convert requests: got %d, want none", got)
		}
	})
}
