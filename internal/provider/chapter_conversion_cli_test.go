//go:build unix

package provider_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// TestCLIChapterConversion_outOfTime of many chapters at once, whose replacement is interrupted. Terraform 1.16.3
// crashes without saving the state if creations fail at the same moment; with equal timeouts, they do. Terraform
// destroys all objects that it replaces before it creates new ones, so that an interruption in between leaves some out
// of the state. They follow their text, and are adopted.
func TestCLIChapterConversion_outOfTime(t *testing.T) {
	t.Parallel()
	const chapters = 15
	service := acctest.NewService(t, acctest.BookOf(numbered(chapters, mockserver.Chapter{Conversions: []mockserver.Conversion{acctest.LongConversion}})))
	terraform := acctest.NewCLI(t, service)
	write := func(timeout string) {
		terraform.Write(fmt.Sprintf(`
resource "audioprojects_chapter_conversion" "chapter" {
  count      = %d
  project_id = "book"
  chapter_id = count.index
  timeouts   = { create = %q }

  keep_up_to_date = true
}
`, chapters, timeout))
	}
	write("5s") // so that a busy machine, too, sees the chapters before that
	screen := terraform.RunFailing("apply", "-auto-approve")
	clitest.WantScreen(t, []string{screen}, `Unable to convert chapter`, "Timed out after 5s (`timeouts`).", `The next apply waits for the conversion, and requests another only if it fails or leaves text unconverted.`)
	if strings.Contains(screen, "TERRAFORM CRASH") {
		t.Errorf("Terraform crashed:\n%s", screen)
	}

	write("1h")
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

	service.AddProject(acctest.BookOf(numbered(chapters, mockserver.Chapter{Converted: true, ConvertedAt: time.Now()})))
	terraform.Run("apply", "-auto-approve")
	terraform.Run("plan", "-detailed-exitcode")
	service.WantCount(mockserver.ConvertChapter, chapters)
}

// numbered returns count copies of the chapter, with ids 0, 1, ….
func numbered(count int, chapter mockserver.Chapter) (chapters []mockserver.Chapter) {
	for number := range count {
		chapter.ID = fmt.Sprint(number)
		chapters = append(chapters, chapter)
	}
	return chapters
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

// TestCLIChapterConversion_noRoomForState: if the CLI cannot save the state, the file errored.tfstate that it writes instead has the paid
// conversion.
func TestCLIChapterConversion_noRoomForState(t *testing.T) {
	t.Parallel()
	store := &stateStore{full: true}
	service := acctest.NewService(t, acctest.Book())
	terraform := acctest.NewCLI(t, service)
	terraform.Write(`
terraform {
  backend "http" {
    address   = "`+clitest.Serve(t, store)+`"
    retry_max = 0
  }
}
`, acctest.ConversionBlock(``))
	// Some CLIs then fail because they find no release of the provider, although dev_overrides tells them not to use one.
	initialized, _ := terraform.Command("init", "-input=false").CombinedOutput()
	clitest.WantScreen(t, []string{string(initialized)}, `Successfully configured the backend "http"!`)

	screen := terraform.RunFailing("apply", "-auto-approve")
	clitest.WantScreen(t, []string{screen}, `Creation complete`, `Error: Failed to save state`, `errored.tfstate`)
	_, errors, _ := strings.Cut(screen, "Error: ")
	got := strings.Count(screen, "Error: ")
	if strings.Contains(errors, "audioprojects_chapter_conversion.chapter,") || got > 2 {
		t.Errorf("got %d errors, want only the CLI's own error:\n%s", got, screen)
	}
	service.WantPaid("book", "one", 1)

	store.setFull(false)
	terraform.Run("state", "push", "errored.tfstate")
	terraform.WantSettled()
	service.WantCount(mockserver.ConvertChapter, 1)
}

// TestCLIChapterConversion_fewRequestsForMany: a plan of many blocks asks for the chapters of their project once in 10 s.
func TestCLIChapterConversion_fewRequestsForMany(t *testing.T) {
	t.Parallel()
	const chapters = 200
	service := acctest.NewService(t, acctest.BookOf(numbered(chapters, mockserver.Chapter{Converted: true})))
	terraform := acctest.NewCLI(t, service)
	terraform.Write(fmt.Sprintf(`
resource "audioprojects_chapter_conversion" "chapter" {
  count           = %d
  project_id      = "book"
  chapter_id      = count.index
  keep_up_to_date = true
}
`, chapters))
	terraform.Run("apply", "-auto-approve", "-parallelism=100")
	service.WantCount(mockserver.ConvertChapter, 0)
	service.ResetJournal()
	terraform.Run("plan", "-detailed-exitcode")
	var latest time.Time
	for _, entry := range service.Journal() {
		// The pause between two arrivals can be a little shorter: the first request may have taken longer to arrive.
		if entry.Operation != mockserver.ListChapters || entry.At.Sub(latest) < 9*time.Second {
			t.Errorf("unexpected request: %s %s, %s after the one before", entry.Method, entry.Path, entry.At.Sub(latest))
		}
		latest = entry.At
	}
}

// TestCLIStateSaves_interruptedWhileCreationsFail: Ctrl-C comes while ten failures are answered one after the other. Terraform 1.16.4 crashed, and
// often left an empty state file, when the others were then answered at once.
func TestCLIStateSaves_interruptedWhileCreationsFail(t *testing.T) {
	t.Parallel()
	const chapters = 10
	service := acctest.NewService(t, acctest.BookOf(numbered(chapters, mockserver.Chapter{Conversions: []mockserver.Conversion{acctest.LongConversion}})))
	terraform := acctest.NewCLI(t, service)
	terraform.Write(fmt.Sprintf(`
resource "audioprojects_chapter_conversion" "chapter" {
  count      = %d
  project_id = "book"
  chapter_id = count.index
  timeouts   = { create = "2s" }
}
`, chapters))
	failing := make(chan struct{})
	var once sync.Once
	service.Watch(func(mockserver.Entry) {
		if service.Count(mockserver.ConvertChapter) == chapters {
			once.Do(func() { time.AfterFunc(2150*time.Millisecond, func() { close(failing) }) })
		}
	})
	apply := terraform.Start("apply", "-auto-approve")
	apply.When(failing, (*clitest.Running).Interrupt)
	screen, err := apply.Wait()
	if err == nil || strings.Contains(screen, "TERRAFORM CRASH") {
		t.Fatalf("got %v, want an error that Terraform survives:\n%s", err, screen)
	}
	service.AddProject(acctest.BookOf(numbered(chapters, mockserver.Chapter{Converted: true, ConvertedAt: time.Now()})))
	terraform.Run("apply", "-auto-approve")
	terraform.Run("plan", "-detailed-exitcode")
	service.WantCount(mockserver.ConvertChapter, chapters)
}
