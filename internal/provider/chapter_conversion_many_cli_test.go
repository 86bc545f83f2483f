//go:build unix

package provider_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// addConverted adds projects book-0, book-1, … with chapters 0, 1, … that are converted already.
func (s *service) addConverted(projects, chapters int) {
	for p := range projects {
		s.AddProject(mockserver.Project{
			ID:       fmt.Sprint("book-", p),
			Chapters: numbered(chapters, mockserver.Chapter{Converted: true}),
		})
	}
}

// numbered returns count copies of the chapter, with ids 0, 1, ….
func numbered(count int, chapter mockserver.Chapter) (chapters []mockserver.Chapter) {
	for number := range count {
		chapter.ID = fmt.Sprint(number)
		chapters = append(chapters, chapter)
	}
	return chapters
}

// wantFewLists checks that only the chapters of each project were requested, and
// not twice within 10 s.
func (s *service) wantFewLists(projects int) {
	s.t.Helper()
	latest := map[string]time.Time{}
	for _, entry := range s.Journal() {
		if entry.Operation != mockserver.ListChapters {
			s.t.Errorf("unexpected request: %s %s", entry.Method, entry.Path)
		}
		before, asked := latest[entry.ProjectID]
		// The pause between two arrivals can be a little shorter: the first request may have taken longer to arrive.
		if apart := entry.At.Sub(before); asked && apart < 9*time.Second {
			s.t.Errorf("the chapters of project %s were listed again after %s", entry.ProjectID, apart)
		}
		latest[entry.ProjectID] = entry.At
	}
	if len(latest) != projects {
		s.t.Errorf("projects whose chapters were listed: got %d, want %d", len(latest), projects)
	}
}

func TestAccFewRequestsForManyChapters(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ projects, chapters int }{
		"1,000 chapters of one project": {1, 1000},
		"20 chapters of 5 projects":     {5, 20},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := newService(t)
			service.addConverted(test.projects, test.chapters)
			terraform := newCLI(t, service)
			terraform.Write(fmt.Sprintf(`
resource "audioprojects_chapter_conversion" "chapter" {
  count           = %d * %d
  project_id      = "book-${floor(count.index / %[2]d)}"
  chapter_id      = count.index %% %[2]d
  keep_up_to_date = true
}
`, test.projects, test.chapters))
			terraform.Run("apply", "-auto-approve", "-parallelism=100")
			service.WantCount(mockserver.ConvertChapter, 0)

			service.ResetJournal()
			terraform.Run("plan", "-detailed-exitcode")
			service.wantFewLists(test.projects)
		})
	}
}

func TestAccImportOfManyChapters(t *testing.T) {
	t.Parallel()
	service := newService(t)
	service.addConverted(1, 50)
	terraform := newCLI(t, service)
	blocks := []string{`
resource "audioprojects_chapter_conversion" "chapter" {
  for_each   = toset([for number in range(50) : tostring(number)])
  project_id = "book-0"
  chapter_id = each.key
}
`}
	for number := range 50 {
		blocks = append(blocks, fmt.Sprintf(`
import {
  to = audioprojects_chapter_conversion.chapter["%[1]d"]
  id = "book-0/%[1]d"
}
`, number))
	}
	terraform.Write(blocks...)
	screen := terraform.Run("apply", "-auto-approve")
	clitest.WantScreen(t, []string{screen}, `Apply complete! Resources: 50 imported, 0 added, 0 changed, 0 destroyed.`)
	service.ResetJournal()
	terraform.Run("plan", "-detailed-exitcode")
	service.wantFewLists(1)
	service.WantCount(mockserver.ConvertChapter, 0)
}

// TestAccServiceThatAllowsLittle interrupts an apply whose requests queue because of the service's rate limit.
func TestAccServiceThatAllowsLittle(t *testing.T) {
	t.Parallel()
	const chapters = 40
	service := newService(t)
	service.AddProject(mockserver.Project{
		ID: "book", Chapters: numbered(chapters, mockserver.Chapter{Text: "The lamp was lit.", Conversions: []mockserver.Conversion{{Takes: time.Second}}}),
	})
	service.Allow(mockserver.Allowance{PerSecond: 20, Burst: 5})
	terraform := newCLI(t, service)
	terraform.Write(fmt.Sprintf(`
resource "audioprojects_chapter_conversion" "chapter" {
  count      = %d
  project_id = "book"
  chapter_id = count.index
}
`, chapters))
	requested := make(chan struct{})
	half := sync.OnceFunc(func() { close(requested) })
	service.Watch(func(entry mockserver.Entry) {
		if entry.ChapterID == "20" || service.Count(mockserver.ConvertChapter) > chapters/2 {
			half()
		}
	})
	apply := terraform.Start("apply", "-auto-approve", "-parallelism=40")
	apply.When(requested, (*clitest.Running).Interrupt)
	screen, _ := apply.Wait()
	if strings.Contains(screen, "429") {
		t.Errorf("a request that only had to wait is shown as a problem:\n%s", screen)
	}
	screen = terraform.Run("apply", "-auto-approve", "-parallelism=40")
	clitest.WantScreen(t, []string{screen}, "Apply complete!")
	for number := range chapters {
		service.WantPaid("book", fmt.Sprint(number), 1)
	}
	refused := 0
	for _, entry := range service.Journal() {
		if entry.Status == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused == 0 || refused > 2*chapters {
		t.Errorf("requests that were refused: got %d, want some and few", refused)
	}
}
