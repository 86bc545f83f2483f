//go:build unix

package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// chapters are conversions of so many chapters of project book-0.
func chapters(count int, arguments string) string {
	return fmt.Sprintf(`
resource "audioprojects_chapter_conversion" "chapter" {
  count      = %d
  project_id = "book-0"
  chapter_id = count.index
  %s
}
`, count, arguments)
}

// wantRequests checks how many requests there were since the last time.
func (s *service) wantRequests(most int) {
	s.t.Helper()
	requests := s.Journal()
	if len(requests) > most {
		s.t.Errorf("requests: got %d, want %d at most", len(requests), most)
	}
	for _, request := range requests {
		s.t.Logf("%s %s %d", request.Method, request.Path, request.Status)
	}
	s.ResetJournal()
}

// wantSaid checks how often the screen has a text.
func wantSaid(t *testing.T, screen, text string, want int) {
	t.Helper()
	if got := strings.Count(strings.Join(strings.Fields(strings.NewReplacer("│", "", "╷", "", "╵", "").Replace(screen)), " "), text); got != want {
		t.Errorf("%q is said %d times, want %d:\n%s", text, got, want, screen)
	}
}

// fromTotals is the part of a plan's screen that begins with its totals.
func fromTotals(screen string) string {
	_, totals, _ := strings.Cut(screen, "Plan: ")
	return totals
}

// TestAccAPlanFailsWhereTheServiceHasDisprovedIt, with few requests and errors that a person can read.
func TestAccAPlanFailsWhereTheServiceHasDisprovedIt(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config string
		change func(*service, *cli)
		error  string
		times  int
		most   int // requests
	}{
		"30 wrong chapters": {chapters(30, ""), nil, "has no chapter", 30, 3},
		"a wrong project": {
			strings.ReplaceAll(chapters(30, ""), "book-0", "bok-0"), nil, `Unable to read project "bok-0"`, 1, 3,
		},
		"a wrong key": {
			chapters(30, ""), func(_ *service, terraform *cli) {
				terraform.Environment = append(terraform.Environment, "AUDIOPROJECTS_API_KEY=wrong")
			}, "401 Unauthorized", 1, 3,
		},
		"more characters than allowed": {
			chapters(30, ""), func(s *service, terraform *cli) {
				s.AddProject(mockserver.Project{ID: "book-0", Chapters: numbered(30, mockserver.Chapter{Name: chapterName, Text: chapterText})})
				terraform.Environment = append(terraform.Environment, "AUDIOPROJECTS_MAX_CHARACTERS=100")
			}, "Together with what else this plan requests, that is 105, and `max_characters` allows 100", 1, 3,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := newService(t, mockserver.Project{ID: "book-0"})
			terraform := newCLI(t, service)
			terraform.Write(test.config)
			if test.change != nil {
				test.change(service, terraform)
			}
			screen := terraform.RunFailing("plan")
			t.Log(screen)
			wantSaid(t, screen, test.error, test.times)
			wantSaid(t, screen, "Error: ", test.times)
			service.WantCount(mockserver.ConvertChapter, 0)
			service.wantRequests(test.most)
		})
	}
}

// TestAccAPlanAgainstADeadService is green, with one warning.
func TestAccAPlanAgainstADeadService(t *testing.T) {
	t.Parallel()
	service := newFaultyService(t)
	service.Inject(mockserver.Fault{Status: 503, Times: -1})
	terraform := newCLI(t, service)
	terraform.Write(chapters(1000, ""))
	screen := terraform.Run("plan")
	t.Log(fromTotals(screen))
	wantSaid(t, screen, "503 Service Unavailable", 1)
	wantSaid(t, screen, "similar warnings", 0)
	service.wantRequests(10)
}

// TestAccTheBill: a converted book is adopted at no cost, and an edited one costs what was edited.
func TestAccTheBill(t *testing.T) {
	t.Parallel()
	service := newService(t)
	service.addConverted(1, 5)
	terraform := newCLI(t, service)
	terraform.Write(chapters(5, "keep_up_to_date = true"))
	screen := terraform.Run("plan")
	t.Log(fromTotals(screen))
	wantSaid(t, screen, `Warning: Adopted at no cost in project "book-0"`, 1)
	screen = terraform.Run("apply", "-auto-approve")
	t.Log(screen)
	service.WantCount(mockserver.ConvertChapter, 0)

	for number := range 2 {
		service.EditChapter("book-0", fmt.Sprint(number), longerText)
	}
	screen = terraform.Run("plan")
	t.Log(screen)
	wantSaid(t, screen, "Plan: 0 to add, 2 to change, 0 to destroy.", 1)
	wantSaid(t, screen, "The project has 110 characters left to convert, in 2 of its 5 chapters.", 1)
	terraform.Environment = append(terraform.Environment, "AUDIOPROJECTS_MAX_CHARACTERS=10")
	t.Log(terraform.RunFailing("plan"))
	terraform.Environment = append(terraform.Environment, "AUDIOPROJECTS_MAX_CHARACTERS=1000")
	screen = terraform.Run("apply", "-auto-approve")
	t.Log(screen)
	service.WantCount(mockserver.ConvertChapter, 2)
	wantSaid(t, terraform.Run("plan"), "No changes.", 1)
}

// TestAccAReplacedObjectIsCreatedByItsOwnRule with -replace, replace_triggered_by and a taint.
func TestAccAReplacedObjectIsCreatedByItsOwnRule(t *testing.T) {
	t.Parallel()
	service := newService(t)
	service.addConverted(1, 1)
	terraform := newCLI(t, service)
	block := func(keep bool, input string) string {
		return chapters(1, fmt.Sprintf("keep_up_to_date = %t\n  lifecycle {\n    replace_triggered_by = [terraform_data.lamp]\n  }", keep)) +
			fmt.Sprintf("\nresource \"terraform_data\" \"lamp\" {\n  input = %q\n}\n", input)
	}
	const address = "audioprojects_chapter_conversion.chapter[0]"
	terraform.Write(block(true, "lit"))
	terraform.Run("apply", "-auto-approve")
	wantSaid(t, terraform.Run("apply", "-auto-approve", "-replace="+address), "To convert it again all the same", 1)
	terraform.Write(block(true, "out"))
	terraform.Run("apply", "-auto-approve")
	terraform.Run("taint", address)
	terraform.Run("apply", "-auto-approve")
	service.WantPaid("book-0", "0", 0)

	terraform.Write(block(false, "out"))
	terraform.Run("apply", "-auto-approve")
	service.WantPaid("book-0", "0", 0)
	terraform.Environment = append(terraform.Environment, "AUDIOPROJECTS_MAX_CHARACTERS=0")
	terraform.RunFailing("plan", "-replace="+address)
	terraform.Environment = append(terraform.Environment, "AUDIOPROJECTS_MAX_CHARACTERS=")
	terraform.Run("apply", "-auto-approve", "-replace="+address)
	service.WantPaid("book-0", "0", 1)
}

// TestAccAnEditBetweenPlanAndApply is not called inconsistent by Terraform.
func TestAccAnEditBetweenPlanAndApply(t *testing.T) {
	t.Parallel()
	for name, arguments := range map[string]struct{ before, after string }{
		"an update of something else": {"keep_up_to_date = true", "keep_up_to_date = true\n  timeouts = {\n    create = \"5m\"\n  }"},
		"following from now on":       {"", "keep_up_to_date = true"},
		"a planned conversion":        {"keep_up_to_date = true\n  triggers = { voice = \"a\" }", "keep_up_to_date = true\n  triggers = { voice = \"b\" }"},
		"a condition": {
			"keep_up_to_date = true",
			"keep_up_to_date = true\n  lifecycle {\n    postcondition {\n      condition = self.chapter_id != \"\"\n      error_message = \"no chapter\"\n    }\n  }",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := newService(t)
			service.addConverted(1, 1)
			terraform := newCLI(t, service)
			other := "\nresource \"terraform_data\" \"lamp\" {\n  input = %q\n}\n"
			terraform.Write(chapters(1, arguments.before), fmt.Sprintf(other, "lit"))
			terraform.Run("apply", "-auto-approve")
			terraform.Write(chapters(1, arguments.after), fmt.Sprintf(other, "out"))
			terraform.Run("plan", "-out=saved")
			service.EditChapter("book-0", "0", longerText)
			service.ResetJournal()
			t.Log(terraform.Run("apply", "saved"))
			service.wantRequests(20)
			terraform.Run("apply", "-auto-approve")
			wantSaid(t, terraform.Run("plan"), "No changes.", 1)
		})
	}
}
