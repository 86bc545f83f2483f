package pages

import (
	"fmt"
	"sync"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

const failuresGuide = root + "/docs/guides/some-chapters-fail.md"

// bookOf100 has three chapters whose first conversion fails.
func bookOf100(converted bool) mockserver.Project {
	book := mockserver.Project{ID: "audiobook"}
	fails := map[int]string{17: "Voice not found.", 58: "Voice not found.", 93: "The text is in two languages."}
	for i := 1; i <= 100; i++ {
		chapter := mockserver.Chapter{ID: fmt.Sprintf("chapter-%d", i), Name: fmt.Sprintf("Chapter %d", i), Converted: converted}
		if fails[i] != "" {
			chapter.Conversions = []mockserver.Conversion{{Fails: fails[i]}, {}}
		}
		book.Chapters = append(book.Chapters, chapter)
	}
	return book
}

// TestCLIThreeOf100ChaptersFail plays the guide, in a creation and in an update. The screens that the guide shows were seen.
func TestCLIThreeOf100ChaptersFail(t *testing.T) {
	t.Parallel()
	blocks := codeBlocks(t, failuresGuide)
	var seen sync.Map
	t.Run("plays", func(t *testing.T) {
		for name, plan := range map[string]string{
			"creation": "Plan: 1 to add, 0 to change, 0 to destroy.",
			"update":   "Plan: 0 to add, 1 to change, 0 to destroy.",
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				r := follow(t, blocks[0].text, bookOf100(name == "update"))
				if name == "update" {
					r.apply()
					for i := range 100 {
						r.EditChapter("audiobook", fmt.Sprintf("chapter-%d", i+1), "This text was edited, all of it.")
					}
				}
				r.WantCount(mockserver.ConvertChapter, 0)
				failing := r.RunFailing("apply", "-auto-approve")
				r.WantCount(mockserver.ConvertChapter, 100)
				next := r.Run("plan")
				wantScreen(t, next, plan)
				seen.Store(name, failing+next)
				r.apply()
				r.wantSettled(103)
			})
		}
	})
	var screens []string
	for _, screen := range seen.Range {
		screens = append(screens, screen.(string))
	}
	for _, block := range blocks {
		if block.language == "text" && len(screens) > 0 {
			clitest.WantScreen(t, screens, block.text)
		}
	}
}
