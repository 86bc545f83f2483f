package provider_test

import (
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestChapterNames_sameNameToldApart: books have several chapters called "Intro". An estimate names their ids where the names do
// not tell them apart, and an error always does, because somebody must find the chapter at the service.
func TestChapterNames_sameNameToldApart(t *testing.T) {
	t.Parallel()
	chapters := append(manyChapters(5, failing), mockserver.Chapter{ID: "well", Text: acctest.ChapterText, Conversions: []mockserver.Conversion{oneMinute}})
	for i, name := range []string{"Intro", "Intro", "The Lamp", "", " Intro"} {
		chapters[i].Name, chapters[i].Text = name, acctest.ChapterText
	}
	withBook(t, chapters, func(c *core) {
		shown := c.Apply()
		for _, text := range []string{
			`35 "Intro" (chapter-2)`, `35 "The Lamp" (chapter-3)`, `35 "chapter-4"`, "210 in total",
			`voice not found - "Intro" (chapter-1) - "Intro" (chapter-2) - "The Lamp" (chapter-3) - "chapter-4" - "Intro" (chapter-5)`,
			"The next apply requests another conversion.", "The next apply requests nothing for chapters that are already converted.",
		} {
			if !shown.Says(text) {
				c.Errorf("got %s, want %s", shown, text)
			}
		}
		if c.Object != nil {
			c.Error("a creation with failures alone has left a state")
		}
		c.Plan().WantEstimate(c, "5 chapters, 175 characters at most")
	})
	inFakeTime(t, chapterWithConversions(failing), map[string]any{keepUpToDate: true}, func(c *core) {
		shown := c.Apply()
		shown.Want(c, "create", nil, []string{`Unable to convert chapter "` + acctest.ChapterName + `" (one) of project "book"`})
		shown.WantEstimate(c, `35 "`+acctest.ChapterName+`" (one)`)
	})
}
