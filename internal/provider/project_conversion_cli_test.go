//go:build unix

package provider_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// wholeBook is a block for the whole book, with a dependent.
func wholeBook(arguments string) string {
	return fmt.Sprintf(`
resource "audioprojects_project_conversion" "book" {
  project_id = "book"
  %s
}

resource "terraform_data" "dependent" {
  input = audioprojects_project_conversion.book.id
}
`, arguments)
}

func bookOf(chapters []mockserver.Chapter) mockserver.Project {
	return mockserver.Project{ID: "book", Chapters: chapters}
}

func TestAccBook(t *testing.T) {
	t.Parallel()
	service := newService(t, bookOf(manyChapters(20, mockserver.Conversion{Takes: time.Second})))
	terraform := newCLI(t, service)
	terraform.Write(wholeBook(``))
	clitest.WantScreen(t, []string{terraform.Run("plan")}, `Warning: Conversions that cost credits in project "book": 20 chapters, 771 characters at most`, `39  "chapter-20", never converted`)
	terraform.Run("apply", "-auto-approve")
	service.WantCount(mockserver.ConvertChapter, 20)
	terraform.Run("plan", "-detailed-exitcode")

	service.EditChapter("book", "chapter-2", "Other words.")
	screen := terraform.Run("plan")
	clitest.WantScreen(t, []string{screen}, `Plan: 0 to add, 1 to change, 0 to destroy.`, `1 chapter, 12 characters at most`, `Nothing left to convert, and nothing to pay: 19 chapters.`)
	terraform.Run("apply", "-auto-approve")
	service.WantCount(mockserver.ConvertChapter, 21)
	terraform.Run("apply", "-auto-approve", "-replace=audioprojects_project_conversion.book")
	terraform.Run("destroy", "-auto-approve")
	service.WantCount(mockserver.ConvertChapter, 21)
}

func TestAccBookOfWhichChaptersFail(t *testing.T) {
	t.Parallel()
	all := manyChapters(20, mockserver.Conversion{})
	all[4].Conversions = []mockserver.Conversion{{Fails: conversionError}, {}}
	service := newService(t, bookOf(all))
	terraform := newCLI(t, service)
	terraform.Write(wholeBook(``))
	clitest.WantScreen(t, []string{terraform.RunFailing("apply", "-auto-approve")},
		`Error: Unable to convert 1 of the 20 chapters of project "book"`, `The conversion failed. The service says: voice not found - "chapter-5"`)
	service.WantCount(mockserver.ConvertChapter, 20)
	screen := terraform.Run("apply", "-auto-approve")
	clitest.WantScreen(t, []string{screen}, `1 chapter, 38 characters at most`, `Apply complete! Resources: 2 added, 0 changed, 0 destroyed.`)
	service.WantCount(mockserver.ConvertChapter, 21)
	terraform.Run("plan", "-detailed-exitcode")
}

// Ctrl-C with ten conversions under way, and the next apply waits for them.
func TestAccBookInterrupted(t *testing.T) {
	t.Parallel()
	service := newService(t, bookOf(manyChapters(10, long)))
	terraform := newCLI(t, service)
	terraform.Write(wholeBook(``))
	screen := terraform.whileApplyWaits(service, (*clitest.Running).Interrupt)
	clitest.WantScreen(t, []string{screen}, `Warning: Interrupted while waiting`, `The conversion goes on at the service.`)
	service.WantCount(mockserver.ConvertChapter, 10)
	clitest.WantScreen(t, []string{terraform.Run("plan")}, `Conversions under way in project "book": 10 chapters`, `1 to change, 0 to destroy`)

	service.endBook(10)
	screen = terraform.Run("apply", "-auto-approve")
	clitest.WantScreen(t, []string{screen}, `Apply complete! Resources: 1 added`)
	service.WantCount(mockserver.ConvertChapter, 10)
	terraform.Run("plan", "-detailed-exitcode")
}

// endBook ends the conversions of so many chapters.
func (s *service) endBook(count int) {
	all := manyChapters(count)
	for i := range all {
		all[i].Converted, all[i].ConvertedAt = true, time.Now()
	}
	s.AddProject(bookOf(all))
}

// A kill leaves no state: what runs is joined, and what has ended is adopted.
func TestAccBookKilled(t *testing.T) {
	t.Parallel()
	for name, kill := range map[string]func(*clitest.Running){"CLI": (*clitest.Running).Kill, "provider": (*clitest.Running).KillProvider} {
		for _, ends := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, ends meanwhile %t", name, ends), func(t *testing.T) {
				t.Parallel()
				service := newService(t, bookOf(manyChapters(10, mockserver.Conversion{Takes: 15 * time.Second})))
				terraform := newCLI(t, service)
				terraform.Write(wholeBook(``))
				terraform.whileApplyWaits(service, kill)
				service.WantCount(mockserver.ConvertChapter, 10)
				if ends {
					service.endBook(10)
				}
				terraform.Run("apply", "-auto-approve")
				service.WantCount(mockserver.ConvertChapter, 10)
				terraform.Run("plan", "-detailed-exitcode")
			})
		}
	}
}

// prevent_destroy forbids to replace a tainted book; without its taint it is updated.
func TestAccBookThatMayNotBeDestroyed(t *testing.T) {
	t.Parallel()
	service := newService(t, bookOf(manyChapters(3, mockserver.Conversion{Takes: 6 * time.Second})))
	terraform := newCLI(t, service)
	const forbidden = "lifecycle {\n prevent_destroy = true\n}"
	terraform.Write(wholeBook("timeouts = { create = \"3s\" }\n" + forbidden))
	clitest.WantScreen(t, []string{terraform.RunFailing("apply", "-auto-approve")}, "Out of time after 3s (`timeouts`). The conversion goes on at the service.")
	clitest.WantScreen(t, []string{terraform.RunFailing("plan")}, `cannot be destroyed`)
	terraform.Run("untaint", "audioprojects_project_conversion.book")
	clitest.WantScreen(t, []string{terraform.Run("apply", "-auto-approve")}, `1 changed, 0 destroyed`)
	service.WantCount(mockserver.ConvertChapter, 3)
	terraform.Run("plan", "-detailed-exitcode")
}

func TestAccProjectAction(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.Actions)
	service := newService(t, bookOf(manyChapters(10, mockserver.Conversion{Takes: 3 * time.Second})))
	terraform := newCLI(t, service)
	terraform.Write(`
action "audioprojects_convert_project" "book" {
  config {
    project_id = "book"
  }
}
`)
	const invoke = "-invoke=action.audioprojects_convert_project.book"
	clitest.WantScreen(t, []string{terraform.Run("plan", invoke)}, `Conversions that cost credits in project "book": 10 chapters`, "Actions: 1 to invoke.")
	service.WantCount(mockserver.ConvertChapter, 0)
	var told []string
	for _, line := range strings.Split(terraform.Run("apply", "-auto-approve", "-json", invoke), "\n") {
		var message struct {
			Type string
			Hook struct{ Message string }
		}
		if json.Unmarshal([]byte(line), &message) == nil && message.Type == "action_progress" {
			told = append(told, message.Hook.Message)
		}
	}
	if len(told) < 3 || !strings.HasPrefix(told[0], "0 of 10 chapters converted, ") || !strings.HasPrefix(told[len(told)-1], "10 of 10 chapters converted, 0 converting, 100 %, ") {
		t.Errorf("got progress messages %q", told)
	}
	service.WantCount(mockserver.ConvertChapter, 10)
	clitest.WantScreen(t, []string{terraform.Run("apply", "-auto-approve", invoke)}, "Nothing left to convert in 10 chapters")
	service.WantCount(mockserver.ConvertChapter, 10)
}

// TestAccABookIsNotForgottenWhenItsArgumentsTurnOutWrong: Terraform validates them once more when it has destroyed the object, and
// what they depend on is known.
func TestAccABookIsNotForgottenWhenItsArgumentsTurnOutWrong(t *testing.T) {
	t.Parallel()
	for _, wrong := range []struct{ argument, value, error string }{
		{`chapter_timeout = terraform_data.late.output`, "soon", "Invalid duration"},
		{`timeouts = { create = terraform_data.late.output }`, "soon", "Invalid duration"},
		{`converted_after = terraform_data.late.output`, "2999-01-01T00:00:00Z", "Time in the future"},
		{`converted_after = terraform_data.late.output`, "yesterday", "Invalid time"},
	} {
		t.Run(wrong.argument+" "+wrong.value, func(t *testing.T) {
			t.Parallel()
			service := newService(t)
			service.AddProject(bookOf(manyChapters(2, mockserver.Conversion{Takes: time.Hour})))
			terraform := newCLI(t, service)
			late := func(input string) string {
				return fmt.Sprintf("\nresource \"terraform_data\" \"late\" {\n  input = %q\n}\n", input)
			}
			terraform.Write(wholeBook(`timeouts = { create = "3s" }`), late("early"))
			terraform.RunFailing("apply", "-auto-approve")
			terraform.Write(wholeBook(wrong.argument), late(wrong.value))
			wantSaid(t, terraform.RunFailing("apply", "-auto-approve"), wrong.error, 1)
			wantSaid(t, terraform.Run("state", "show", "-no-color", "audioprojects_project_conversion.book"), "pending_chapters = 2", 1)
		})
	}
}
