package pages

import (
	"fmt"
	"sync"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
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

// TestAccThreeOf100ChaptersFail plays the guide, in a creation and in an update. The screens that the guide shows were seen.
func TestAccThreeOf100ChaptersFail(t *testing.T) {
	t.Parallel()
	blocks := codeBlocks(t, failuresGuide)
	file := configurationFile(t, blocks[0].text)
	var seen sync.Map
	t.Run("plays", func(t *testing.T) {
		for name, plan := range map[string]string{
			"creation": "Plan: 1 to add, 0 to change, 0 to destroy.",
			"update":   "Plan: 0 to add, 1 to change, 0 to destroy.",
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				service := clitest.NewService(t, bookOf100(name == "update"))
				terraform := clitest.New(t, service.Address, file)
				if name == "update" {
					terraform.Run("apply", "-auto-approve")
					for i := range 100 {
						service.EditChapter("audiobook", fmt.Sprintf("chapter-%d", i+1), "This text was edited, all of it.")
					}
				}
				service.WantCount(mockserver.ConvertChapter, 0)
				failing := terraform.RunFailing("apply", "-auto-approve")
				service.WantCount(mockserver.ConvertChapter, 100)
				next := terraform.Run("plan")
				clitest.WantScreen(t, []string{next}, plan)
				seen.Store(name, failing+next)
				terraform.Run("apply", "-auto-approve")
				service.WantCount(mockserver.ConvertChapter, 103)
				clitest.WantScreen(t, []string{terraform.Run("plan")}, "No changes.")
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

// TestAccRecipeGoOn: with failures alone the apply succeeds, its check says what is missing, and the next plan converts that.
func TestAccRecipeGoOn(t *testing.T) {
	t.Parallel()
	service := clitest.NewService(t, bookOf100(false))
	terraform := clitest.New(t, service.Address, configurationFile(t, code(t, failuresGuide, "Go on without them", "terraform")[0]))
	clitest.WantScreen(t, []string{terraform.Run("apply", "-auto-approve")}, "Check block assertion failed", "Not converted: chapter-17, chapter-58, chapter-93", "1 added")
	next := terraform.Command("plan", "-detailed-exitcode")
	if screen, err := next.CombinedOutput(); next.ProcessState.ExitCode() != 2 {
		t.Errorf("%v\n%s", err, screen)
	}
}
