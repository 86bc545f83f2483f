//go:build unix

package provider_test

import (
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// TestCLIDataSourceWarns of what it does not know for sure, or does not need. The plan goes on.
func TestCLIDataSourceWarns(t *testing.T) {
	t.Parallel()
	service := acctest.NewFaultyService(t, acctest.BookOf([]mockserver.Chapter{{ID: "one", Name: acctest.ChapterName}, {ID: "two"}}))
	service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, ProjectID: "book", Times: -1, Body: `{"chapters":[{"chapter_id":"two"}]}`})
	terraform := acctest.NewCLI(t, service)
	terraform.Write(`
data "audioprojects_chapters" "book" {
  project_id = "book"
}

output "ids" {
  value = data.audioprojects_chapters.book.chapter_ids
}
`)
	screen := terraform.Run("plan")
	clitest.WantScreen(t, []string{screen},
		`Warning: Unclear which chapters project "book" has`, `Only in the project's record: - "The Dark Lantern" (one)`,
		`+ ids = [ + "two", + "one", ]`)
}
