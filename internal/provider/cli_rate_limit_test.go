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

// TestAccServiceThatAllowsLittle interrupts an apply whose requests queue.
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
		t.Errorf("a request that was only to wait is shown as a problem:\n%s", screen)
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
