package provider_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// stateStore keeps a state for Terraform's backend http, as long as it has room.
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

// TestAccNoRoomForTheState: what has been paid for is in the file that the CLI leaves instead.
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
	// Some then look in vain for a release of the provider, which they are told not to use.
	initialized, _ := terraform.Command("init", "-input=false").CombinedOutput()
	clitest.WantScreen(t, []string{string(initialized)}, `Successfully configured the backend "http"!`)

	screen := terraform.RunFailing("apply", "-auto-approve")
	clitest.WantScreen(t, []string{screen}, `Creation complete`, `Error: Failed to save state`, `errored.tfstate`)
	if got := strings.Count(screen, "Error: "); strings.Contains(screen, "audioprojects_chapter_conversion.chapter,") || got > 2 {
		t.Errorf("got %d errors, want the CLI's own alone:\n%s", got, screen)
	}
	service.WantPaid("book", "one", 1)

	store.setFull(false)
	terraform.Run("state", "push", "errored.tfstate")
	terraform.wantSettled()
	service.WantCount(mockserver.ConvertChapter, 1)
}
