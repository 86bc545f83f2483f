package provider_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestAccApplyAfterOneThatWasOutOfTime(t *testing.T) {
	t.Parallel()
	const createBeforeDestroy = `
  keep_up_to_date = true
  lifecycle { create_before_destroy = true }
  `
	tests := map[string]struct {
		arguments string
		meanwhile func(*service)
		paid      int
	}{
		"the conversion goes on":                        {``, (*service).endWhenWaitedFor, 1},
		"the conversion ends":                           {``, (*service).end, 1},
		"the conversion fails":                          {``, (*service).fail, 2},
		"the conversion goes on, create_before_destroy": {createBeforeDestroy, (*service).endWhenWaitedFor, 1},
		"the conversion ends, create_before_destroy":    {createBeforeDestroy, (*service).end, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := newService(t, book(long))
			terraform := newCLI(t, service)
			terraform.Write(conversionBlock(test.arguments + `timeouts = { create = "3s" }`))
			screen := terraform.RunFailing("apply", "-auto-approve")
			clitest.WantScreen(t, []string{screen}, `Unable to convert chapter "one" of project "book"`,
				`Out of time: chapter "one" of project "book", named "The Dark Lantern", state converting, progress`,
				`s. The limit is 3s`, `it waits for this conversion and requests none.`)
			service.WantPaid("book", "one", 1)

			test.meanwhile(service)
			terraform.Write(conversionBlock(test.arguments + `timeouts = { create = "1h" }`))
			terraform.Run("apply", "-auto-approve")
			terraform.wantSettled()
			service.WantPaid("book", "one", test.paid)
			service.WantCount(mockserver.ConvertChapter, test.paid)
		})
	}
}

// TestAccManyOutOfTimeAtOnce: Terraform 1.16.3 crashes and forgets everything when creations
// fail at the same moment, and a timeout is the same for all.
func TestAccManyOutOfTimeAtOnce(t *testing.T) {
	t.Parallel()
	const chapters = 10
	service, terraform := manyOutOfTime(t, chapters)
	service.endAll(chapters)
	terraform.Run("apply", "-auto-approve")
	terraform.Run("plan", "-detailed-exitcode")
	service.WantCount(mockserver.ConvertChapter, chapters)
}

// manyOutOfTime is a book of chapters whose apply has just run out of time.
func manyOutOfTime(t *testing.T, chapters int) (*service, *cli) {
	t.Helper()
	service := newService(t, mockserver.Project{
		ID:       "book",
		Chapters: numbered(chapters, mockserver.Chapter{Conversions: []mockserver.Conversion{long}}),
	})
	terraform := newCLI(t, service)
	terraform.Write(numberedConversions(chapters, "2s"))
	terraform.RunFailing("apply", "-auto-approve")
	service.WantCount(mockserver.ConvertChapter, chapters)
	return service, terraform
}

func numberedConversions(chapters int, timeout string) string {
	return fmt.Sprintf(`
resource "audioprojects_chapter_conversion" "chapter" {
  count      = %d
  project_id = "book"
  chapter_id = count.index
  timeouts   = { create = %q }
}
`, chapters, timeout)
}

// endAll ends the conversions of all chapters of the book well.
func (s *service) endAll(chapters int) {
	s.AddProject(mockserver.Project{
		ID:       "book",
		Chapters: numbered(chapters, mockserver.Chapter{Converted: true, ConvertedAt: time.Now()}),
	})
}

// TestAccApplyAfterOneThatHadNoAnswer takes as long as the service is given to show a sign.
func TestAccApplyAfterOneThatHadNoAnswer(t *testing.T) {
	t.Parallel()
	service := newFaultyService(t, book())
	service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Reset: true})
	terraform := newCLI(t, service)
	terraform.Write(conversionBlock(``))
	screen := terraform.RunFailing("apply", "-auto-approve")
	clitest.WantScreen(t, []string{screen}, `Unable to convert chapter "one" of project "book"`, `No clear answer`,
		`it looks for the conversion first, and requests one only if there is no sign of it.`)
	if state := terraform.Run("show", "-json"); !strings.Contains(state, `\"confirmed\":false`) {
		t.Errorf("the state does not say that the request is unconfirmed:\n%s", state)
	}
	service.WantPaid("book", "one", 0)
	service.WantCount(mockserver.ConvertChapter, 1)

	terraform.Run("apply", "-auto-approve")
	terraform.wantSettled()
	service.WantPaid("book", "one", 1)
	service.WantCount(mockserver.ConvertChapter, 2)
}
