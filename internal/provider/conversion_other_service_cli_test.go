//go:build unix

package provider_test

import (
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// TestCLIServiceURL_plannedForAnotherService: a saved plan is applied at the service that it was made for, and at no other. Only a real CLI
// compares what was planned with the plan that it makes once more in the apply.
func TestCLIServiceURL_plannedForAnotherService(t *testing.T) {
	t.Parallel()
	for name, blocks := range map[string]string{
		"a book": acctest.BookBlock(``),
		"a chapter": `
resource "audioprojects_chapter_conversion" "one" {
  project_id      = "book"
  chapter_id      = "one"
  keep_up_to_date = true
}
`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			planned, other := acctest.NewService(t, acctest.BookWith(mockserver.Chapter{Text: acctest.ChapterText})), acctest.NewService(t, acctest.BookWith(mockserver.Chapter{Text: acctest.LongerText}))
			terraform := acctest.NewCLI(t, planned)
			terraform.Write(blocks)
			elsewhere := func(address string, arguments ...string) string {
				there := *terraform.CLI
				there.Environment = append(there.Environment, "AUDIOPROJECTS_BASE_URL="+address)
				return there.RunFailing(arguments...)
			}

			terraform.Run("plan", "-out=creation")
			screen := elsewhere(other.Address, "apply", "creation")
			clitest.WantScreen(t, []string{screen}, "inconsistent final plan", ".service_url: was", planned.Address+"/v1", other.Address+"/v1")
			terraform.Run("apply", "-auto-approve")
			planned.WantPaid("book", "one", 1)

			planned.EditChapter("book", "one", acctest.LongerText)
			terraform.Run("plan", "-out=update")
			screen = elsewhere(other.Address, "apply", "update")
			clitest.WantScreen(t, []string{screen}, "Planned for another service", "Nothing is requested for:")
			planned.WantPaid("book", "one", 1)
			terraform.Run("apply", "-auto-approve")
			planned.WantPaid("book", "one", 2)
			other.WantPaid("book", "one", 0)
		})
	}
}
