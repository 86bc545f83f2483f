package conversion

import (
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/audioprojects"
)

func TestAChapterIsFoundByItsIDInAnySpelling(t *testing.T) {
	t.Parallel()
	const composed, decomposed = "caf\u00e9", "cafe\u0301"
	for _, listed := range []string{composed, decomposed} {
		for _, asked := range []string{composed, decomposed} {
			found := newListing(audioprojects.Project{Chapters: []audioprojects.Chapter{{ChapterID: "other"}, {ChapterID: listed}}}, nil)
			chapter, _ := found.find(asked)
			if chapter.ChapterID != listed {
				t.Errorf("%+q in a list with %+q: got %+q", asked, listed, chapter.ChapterID)
			}
		}
	}
}
