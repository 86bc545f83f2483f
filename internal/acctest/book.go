package acctest

import (
	"fmt"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// The chapter of [Book].
const (
	ChapterText = "The lamp was lit.\n\nNobody had lit it."
	// LongerText is the chapter's text after an edit.
	LongerText  = ChapterText + "\n\nThe keeper was away."
	ChapterName = "The Dark Lantern"
)

// Book is a project with one chapter, whose conversions go as given.
func Book(conversions ...mockserver.Conversion) mockserver.Project {
	return BookWith(mockserver.Chapter{Text: ChapterText, Conversions: conversions})
}

// BookOf is a project with the given chapters.
func BookOf(chapters []mockserver.Chapter) mockserver.Project {
	return mockserver.Project{ID: "book", Chapters: chapters}
}

// BookWith is a project with one chapter, which gets its id and name.
func BookWith(chapter mockserver.Chapter) mockserver.Project {
	chapter.ID, chapter.Name = "one", ChapterName
	return BookOf([]mockserver.Chapter{chapter})
}

// ConversionBlock is the resource for the chapter of book, with further arguments.
func ConversionBlock(arguments string) string {
	return fmt.Sprintf(`
resource "audioprojects_chapter_conversion" "chapter" {
  project_id = "book"
  chapter_id = "one"
  %s
}
`, arguments)
}

// BookBlock is the resource for all of book, with further arguments.
func BookBlock(arguments string) string {
	return fmt.Sprintf(`
resource "audioprojects_project_conversion" "book" {
  project_id = "book"
  %s
}
`, arguments)
}

// LongConversion is a conversion that runs until the test ends it.
var LongConversion = mockserver.Conversion{Takes: 2 * time.Minute}
