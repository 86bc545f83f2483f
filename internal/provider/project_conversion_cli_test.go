//go:build unix

package provider_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// wholeBook is a block for the whole book, with a dependent.
const wholeBook = `
resource "audioprojects_project_conversion" "book" {
  project_id = "book"
}

resource "terraform_data" "dependent" {
  input = audioprojects_project_conversion.book.id
}
`

// endBook ends the conversions of so many chapters.
func endBook(s *acctest.Service, count int) {
	ended := manyChapters(count)
	for i := range ended {
		ended[i].Converted, ended[i].ConvertedAt = true, time.Now()
	}
	s.AddProject(acctest.BookOf(ended))
}

// TestCLIProjectConversion: Ctrl-C with ten conversions under way; the next apply waits for them.
// The CLI and the provider talk with TLS.
func TestCLIProjectConversion(t *testing.T) {
	t.Parallel()
	service := acctest.NewService(t, acctest.BookOf(manyChapters(10, acctest.LongConversion)))
	terraform := acctest.NewCLI(t, service)
	terraform.WithTLS()
	terraform.Write(wholeBook)
	screen := whileApplyWaits(terraform, service, (*clitest.Running).Interrupt)
	clitest.WantScreen(t, []string{screen}, `Warning: Conversions that cost credits in project "book": 10 chapters, 381 characters at most`,
		`39  "chapter-10"`, `Warning: Interrupted while waiting`, `The conversion continues at the service.`)
	service.WantCount(mockserver.ConvertChapter, 10)
	clitest.WantScreen(t, []string{terraform.Run("plan")}, `Conversions under way in project "book": 10 chapters`, `1 to change, 0 to destroy`)

	endBook(service, 10)
	clitest.WantScreen(t, []string{terraform.Run("apply", "-auto-approve")}, `Apply complete! Resources: 1 added`)
	terraform.Run("plan", "-detailed-exitcode")
	service.WantCount(mockserver.ConvertChapter, 10)
}

// TestCLIProjectConversion_killed: a kill leaves no state. What runs is joined, and what has ended is adopted. Of more chapters than Terraform has
// slots, all are under way.
func TestCLIProjectConversion_killed(t *testing.T) {
	t.Parallel()
	const chapters = 20
	for name, test := range map[string]struct {
		kill      func(*clitest.Running)
		meanwhile func(*acctest.Service)
	}{
		"CLI, and the conversions go on":    {(*clitest.Running).Kill, func(*acctest.Service) {}},
		"provider, and the conversions end": {(*clitest.Running).KillProvider, func(s *acctest.Service) { endBook(s, chapters) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.NewService(t, acctest.BookOf(manyChapters(chapters, mockserver.Conversion{Takes: 15 * time.Second})))
			terraform := acctest.NewCLI(t, service)
			terraform.Write(wholeBook)
			whileApplyWaits(terraform, service, test.kill)
			service.WantCount(mockserver.ConvertChapter, chapters)
			test.meanwhile(service)
			terraform.Run("apply", "-auto-approve")
			terraform.Run("plan", "-detailed-exitcode")
			service.WantCount(mockserver.ConvertChapter, chapters)
		})
	}
}

// TestCLIProjectConversion_destroyWithoutPlan: Terraform plans before it destroys, so what that plan refuses stops a destruction. The error says how one
// goes without it. The library's own destroy takes no arguments.
func TestCLIProjectConversion_destroyWithoutPlan(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		chapters string
		happens  func(*acctest.Service)
		refusal  string
	}{
		"too many characters": {"", func(s *acctest.Service) { s.EditChapter("book", "chapter-2", acctest.LongerText) }, "Too many characters to convert"},
		"the key was revoked": {"", func(s *acctest.Service) { s.Inject(mockserver.Fault{Status: 401, Times: -1}) }, "401 Unauthorized"},
		"a chapter is gone": {
			`chapter_ids = ["chapter-1", "chapter-2"]`, func(s *acctest.Service) { s.RemoveChapter("book", "chapter-2") }, "Chapters that the project does not have",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.NewService(t, acctest.BookOf(converted(manyChapters(2))))
			terraform := acctest.NewCLI(t, service)
			terraform.Environment = append(terraform.Environment, "AUDIOPROJECTS_MAX_CHARACTERS=0")
			terraform.Write(fmt.Sprintf(acctest.BookBlock(`%s`), test.chapters))
			terraform.Run("apply", "-auto-approve")
			test.happens(service)
			screen := terraform.RunFailing("destroy", "-auto-approve")
			clitest.WantScreen(t, []string{screen}, test.refusal, "If you are destroying: run `terraform destroy -refresh=false`.")
			terraform.Run("destroy", "-refresh=false", "-auto-approve")
			left := terraform.Run("state", "list")
			if left != "" {
				t.Errorf("still in the state:\n%s", left)
			}
			service.WantCount(mockserver.ConvertChapter, 0)
		})
	}
}

// TestCLIQuery_interrupted while it waits for the projects, or after it has listed one of them.
func TestCLIQuery_interrupted(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.Queries)
	for _, path := range []string{"/v1/projects", "/v1/projects/nook/chapters"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			service, asked := acctest.NewSilentService(t, path, acctest.Book(), mockserver.Project{ID: "nook"})
			terraform := acctest.NewCLI(t, service)
			terraform.WriteFile("all.tfquery.hcl", `
list "audioprojects_project_conversion" "all" {
  provider         = audioprojects
  include_resource = true
}
`)
			query := terraform.Start("query")
			query.When(asked, (*clitest.Running).Interrupt)
			screen, err := query.Wait()
			if err == nil {
				t.Errorf("the query succeeded:\n%s", screen)
			}
			clitest.WantScreen(t, []string{screen}, "Unable to list projects", "Interrupted before all of them were listed. Run again.")
		})
	}
}
