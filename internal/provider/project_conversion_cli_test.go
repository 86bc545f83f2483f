//go:build unix

package provider_test

import (
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestAccBook: Ctrl-C with ten conversions under way; the next apply waits for them. Then chapters are edited.
func TestAccBook(t *testing.T) {
	t.Parallel()
	service := newService(t, bookOf(manyChapters(10, long)))
	terraform := newCLI(t, service)
	terraform.Write(`
resource "audioprojects_project_conversion" "book" {
  project_id = "book"
}

resource "terraform_data" "dependent" {
  input = audioprojects_project_conversion.book.id
}
`)
	screen := terraform.whileApplyWaits(service, (*clitest.Running).Interrupt)
	clitest.WantScreen(t, []string{screen}, `Warning: Conversions that cost credits in project "book": 10 chapters, 381 characters at most`,
		`39  "chapter-10", never converted`, `Warning: Interrupted while waiting`, `The conversion goes on at the service.`)
	service.WantCount(mockserver.ConvertChapter, 10)
	clitest.WantScreen(t, []string{terraform.Run("plan")}, `Conversions under way in project "book": 10 chapters`, `1 to change, 0 to destroy`)

	ended := manyChapters(10)
	for i := range ended {
		ended[i].Converted, ended[i].ConvertedAt = true, time.Now()
	}
	service.AddProject(bookOf(ended))
	clitest.WantScreen(t, []string{terraform.Run("apply", "-auto-approve")}, `Apply complete! Resources: 1 added`)
	terraform.Run("plan", "-detailed-exitcode")
	service.WantCount(mockserver.ConvertChapter, 10)

	service.EditChapter("book", "chapter-2", "Other words.")
	screen = terraform.Run("apply", "-auto-approve")
	clitest.WantScreen(t, []string{screen}, `Plan: 0 to add, 1 to change, 0 to destroy.`, `1 chapter, 12 characters at most`, `Nothing left to convert, and nothing to pay: 9 chapters.`)
	terraform.Run("apply", "-auto-approve", "-replace=audioprojects_project_conversion.book")
	terraform.Run("destroy", "-auto-approve")
	service.WantCount(mockserver.ConvertChapter, 11)
}
