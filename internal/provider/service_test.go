package provider_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// service is the mock server of one test.
type service struct {
	*clitest.Service
	t *testing.T
}

func newService(t *testing.T, projects ...mockserver.Project) *service {
	t.Helper()
	return &service{clitest.NewService(t, projects...), t}
}

func newFaultyService(t *testing.T, projects ...mockserver.Project) *service {
	t.Helper()
	return &service{clitest.NewFaultyService(t, projects...), t}
}

// newSilentService never answers requests for the path. The channel is closed when the first of them arrives.
func newSilentService(t *testing.T, path string, projects ...mockserver.Project) (silent *service, asked <-chan struct{}) {
	t.Helper()
	mock, arrived := mockserver.New(), make(chan struct{})
	arrive := sync.OnceFunc(func() { close(arrived) })
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == path {
			arrive()
			<-r.Context().Done()
			return
		}
		mock.ServeHTTP(w, r)
	})
	return &service{clitest.StartService(t, mock, handler, projects...), t}, arrived
}

const (
	chapterText = "The lamp was lit.\n\nNobody had lit it."
	// longerText is the chapter's text after an edit.
	longerText  = chapterText + "\n\nThe keeper was away."
	chapterName = "The Dark Lantern"
)

// book is a project with one chapter, whose conversions go as given.
func book(conversions ...mockserver.Conversion) mockserver.Project {
	return bookWith(mockserver.Chapter{Text: chapterText, Conversions: conversions})
}

func bookOf(chapters []mockserver.Chapter) mockserver.Project {
	return mockserver.Project{ID: "book", Chapters: chapters}
}

func bookWith(chapter mockserver.Chapter) mockserver.Project {
	chapter.ID, chapter.Name = "one", chapterName
	return bookOf([]mockserver.Chapter{chapter})
}

// conversionBlock is the resource for the chapter of book, with further arguments.
func conversionBlock(arguments string) string {
	return fmt.Sprintf(`
resource "audioprojects_chapter_conversion" "chapter" {
  project_id = "book"
  chapter_id = "one"
  %s
}
`, arguments)
}

// long is a conversion that runs until the test ends it.
var long = mockserver.Conversion{Takes: 2 * time.Minute}

// end ends the conversion of the book's chapter with success. It replaces the project;
// the count of paid conversions stays.
func (s *service) end() {
	s.AddProject(bookWith(mockserver.Chapter{Text: longerText, Converted: true, ConvertedAt: time.Now()}))
}

// endWhenWaitedFor ends the conversion while an apply waits for it. The refresh, the plan, the apply's own plan and the
// look that decides may each ask for a list; where the machine is slow, none of them serves another.
func (s *service) endWhenWaitedFor() {
	before := s.Count(mockserver.ListChapters)
	var once sync.Once
	s.Watch(func(mockserver.Entry) {
		if s.Count(mockserver.ListChapters) == before+5 {
			once.Do(s.end)
		}
	})
}
