package pages

import (
	"fmt"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const failuresGuide = root + "/docs/guides/some-chapters-fail.md"

// bookOf100 has three chapters whose first conversion fails.
func bookOf100() mockserver.Project {
	book := mockserver.Project{ID: "audiobook"}
	fails := map[int]string{17: "Voice not found.", 58: "Voice not found.", 93: "The text is in two languages."}
	for i := 1; i <= 100; i++ {
		chapter := mockserver.Chapter{ID: fmt.Sprintf("chapter-%d", i), Name: fmt.Sprintf("Chapter %d", i)}
		if fails[i] != "" {
			chapter.Conversions = []mockserver.Conversion{{Fails: fails[i]}, {}}
		}
		book.Chapters = append(book.Chapters, chapter)
	}
	return book
}

// TestAccThreeOf100ChaptersFail plays the guide, in a creation and in an update. The screens that the guide shows were seen.
func TestAccThreeOf100ChaptersFail(t *testing.T) {
	t.Parallel()
	blocks := codeBlocks(t, failuresGuide)
	file := configurationFile(t, blocks[0].text)
	screens := map[string][]string{}
	for name, play := range map[string]struct {
		book mockserver.Project
		plan string
	}{
		"creation": {bookOf100(), "Plan: 1 to add, 0 to change, 0 to destroy."},
		"update":   {convertedBook(bookOf100()), "Plan: 0 to add, 1 to change, 0 to destroy."},
	} {
		service := clitest.NewService(t, play.book)
		terraform := clitest.New(t, service.Address, file)
		if name == "update" {
			terraform.Run("apply", "-auto-approve")
			for _, chapter := range play.book.Chapters {
				service.EditChapter(play.book.ID, chapter.ID, "This text was edited, all of it.")
			}
		}
		service.WantCount(mockserver.ConvertChapter, 0)
		failing := terraform.RunFailing("apply", "-auto-approve")
		service.WantCount(mockserver.ConvertChapter, 100)
		plan := terraform.Run("plan")
		clitest.WantScreen(t, []string{plan}, play.plan)
		terraform.Run("apply", "-auto-approve")
		service.WantCount(mockserver.ConvertChapter, 103)
		clitest.WantScreen(t, []string{terraform.Run("plan")}, "No changes.")
		screens[name] = []string{failing, plan}
	}
	for _, block := range blocks {
		if block.language == "text" {
			clitest.WantScreen(t, append(screens["creation"], screens["update"]...), block.text)
		}
	}
}
