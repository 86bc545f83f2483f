//go:build unix

package provider_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
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
			clitest.WantScreen(t, []string{screen}, `Unable to convert chapter "The Dark Lantern" (one) of project "book"`,
				"Out of time after 3s (`timeouts`).", `state converting`, `The next apply waits for the conversion and requests none.`)
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

// TestAccManyOutOfTimeAtOnce: Terraform 1.16.3 crashes without saving the state if creations
// fail at the same moment. With equal timeouts, they do.
func TestAccManyOutOfTimeAtOnce(t *testing.T) {
	t.Parallel()
	const chapters = 10
	service, terraform := manyOutOfTime(t, chapters)
	service.endAll(chapters)
	terraform.Run("apply", "-auto-approve")
	terraform.Run("plan", "-detailed-exitcode")
	service.WantCount(mockserver.ConvertChapter, chapters)
}

// manyOutOfTime is a project with so many chapters whose apply has just timed out.
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

// TestAccApplyAfterOneThatHadNoAnswer takes 30 real seconds: so long the provider waits for a sign.
func TestAccApplyAfterOneThatHadNoAnswer(t *testing.T) {
	t.Parallel()
	service := newFaultyService(t, book())
	service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Reset: true})
	terraform := newCLI(t, service)
	terraform.Write(conversionBlock(``))
	screen := terraform.RunFailing("apply", "-auto-approve")
	clitest.WantScreen(t, []string{screen}, `Unable to convert chapter "The Dark Lantern" (one) of project "book"`, `No clear answer`,
		`The next apply looks for the conversion first, and requests one only if there is no sign of it.`)
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

// TestAccReplacementInterrupted: Terraform destroys all objects that it replaces before
// it creates new ones. An interruption in between leaves no object in the state.
func TestAccReplacementInterrupted(t *testing.T) {
	t.Parallel()
	const chapters = 15
	service, terraform := manyOutOfTime(t, chapters)
	terraform.Write(numberedConversions(chapters, "1h"))
	before := service.Count(mockserver.ListChapters)
	waiting := make(chan struct{})
	var once sync.Once
	service.Watch(func(mockserver.Entry) {
		if service.Count(mockserver.ListChapters) >= before+4 {
			once.Do(func() { close(waiting) })
		}
	})
	apply := terraform.Start("apply", "-auto-approve")
	apply.When(waiting, (*clitest.Running).Interrupt)
	screen, err := apply.Wait()
	if err == nil {
		t.Fatalf("the apply succeeded:\n%s", screen)
	}

	service.endAll(chapters)
	terraform.Run("apply", "-auto-approve")
	terraform.Run("plan", "-detailed-exitcode")
	service.WantCount(mockserver.ConvertChapter, chapters)
}

// stateStore stores a state for Terraform's backend http, unless it is full.
type stateStore struct {
	mu    sync.Mutex
	full  bool
	state []byte
}

func (s *stateStore) setFull(full bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.full = full
}

func (s *stateStore) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case r.Method == http.MethodGet && s.state == nil:
		w.WriteHeader(http.StatusNotFound)
	case r.Method == http.MethodGet:
		_, _ = w.Write(s.state)
	case s.full:
		w.WriteHeader(http.StatusInsufficientStorage)
	default:
		s.state, _ = io.ReadAll(r.Body)
	}
}

// TestAccNoRoomForTheState: if the CLI cannot save the state, the file errored.tfstate that it writes instead has the paid
// conversion.
func TestAccNoRoomForTheState(t *testing.T) {
	t.Parallel()
	store := &stateStore{full: true}
	server := httptest.NewServer(store)
	t.Cleanup(server.Close)
	service := newService(t, book())
	terraform := newCLI(t, service)
	terraform.Write(`
terraform {
  backend "http" {
    address   = "`+server.URL+`"
    retry_max = 0
  }
}
`, conversionBlock(``))
	// Some CLIs then fail because they find no release of the provider, although dev_overrides tells them not to use one.
	initialized, _ := terraform.Command("init", "-input=false").CombinedOutput()
	clitest.WantScreen(t, []string{string(initialized)}, `Successfully configured the backend "http"!`)

	screen := terraform.RunFailing("apply", "-auto-approve")
	clitest.WantScreen(t, []string{screen}, `Creation complete`, `Error: Failed to save state`, `errored.tfstate`)
	_, errors, _ := strings.Cut(screen, "Error: ")
	if got := strings.Count(screen, "Error: "); strings.Contains(errors, "audioprojects_chapter_conversion.chapter,") || got > 2 {
		t.Errorf("got %d errors, want only the CLI's own error:\n%s", got, screen)
	}
	service.WantPaid("book", "one", 1)

	store.setFull(false)
	terraform.Run("state", "push", "errored.tfstate")
	terraform.wantSettled()
	service.WantCount(mockserver.ConvertChapter, 1)
}
