//go:build unix

package provider_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestAccReplacementInterrupted: Terraform destroys all objects that are to be replaced before
// it creates the first -parallelism of them, and what is interrupted then exists nowhere.
func TestAccReplacementInterrupted(t *testing.T) {
	t.Parallel()
	const chapters = 15
	service := newService(t, mockserver.Project{
		ID:       "book",
		Chapters: numbered(chapters, mockserver.Chapter{Conversions: []mockserver.Conversion{long}}),
	})
	terraform := newCLI(t, service)
	conversions := func(timeout string) string {
		return fmt.Sprintf(`
resource "audioprojects_chapter_conversion" "chapter" {
  count      = %d
  project_id = "book"
  chapter_id = count.index
  timeouts   = { create = %q }
}
`, chapters, timeout)
	}
	terraform.write(conversions("2s"))
	terraform.runFailing("apply", "-auto-approve")
	service.wantCount(mockserver.ConvertChapter, chapters)

	terraform.write(conversions("1h"))
	before := service.Count(mockserver.ListChapters)
	waiting := make(chan struct{})
	var once sync.Once
	service.Watch(func(mockserver.Entry) {
		if service.Count(mockserver.ListChapters) >= before+4 {
			once.Do(func() { close(waiting) })
		}
	})
	apply := terraform.start("apply", "-auto-approve")
	apply.when(waiting, (*runningCLI).interrupt)
	screen, err := apply.wait()
	if err == nil {
		t.Fatalf("the apply went through:\n%s", screen)
	}

	service.AddProject(mockserver.Project{
		ID:       "book",
		Chapters: numbered(chapters, mockserver.Chapter{Converted: true, ConvertedAt: time.Now()}),
	})
	terraform.run("apply", "-auto-approve")
	terraform.run("plan", "-detailed-exitcode")
	service.wantCount(mockserver.ConvertChapter, chapters)
}
