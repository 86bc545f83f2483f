//go:build unix

package upgrade

import (
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

var (
	record   = flag.String("record", "", "the `folder` that TestRecord writes states to")
	programs = flag.String("programs", "", "the `folder` of the provider's program that writes them")
)

// recording is a folder in which a CLI writes a state to be recorded.
type recording struct {
	*clitest.CLI
	left
	service *clitest.Service
}

// TestRecord writes the states: see testdata/README.md.
func TestRecord(t *testing.T) {
	if *record == "" {
		t.Skip("it writes states only where -record says to")
	}
	for _, object := range objects {
		t.Run(object.name, func(t *testing.T) {
			service := clitest.NewService(t, object.project(object.conversions...))
			service.SetHabits(object.habits)
			r := &recording{clitest.Open(t, service.Address, *programs), object, service}
			r.WriteFile("versions.tf", clitest.RequiredProviders)
			r.write(t, object.arguments)
			object.make(t, r)
			state, err := os.ReadFile(filepath.Join(r.Folder, "terraform.tfstate"))
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(state), r.Folder) || strings.Contains(string(state), service.Address) {
				t.Errorf("the state contains a path of this machine:\n%s", state)
			}
			if err := os.MkdirAll(*record, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(*record, object.name+".tfstate"), state, 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func (r *recording) write(t *testing.T, arguments map[string]any) {
	t.Helper()
	r.WriteFile("main.tf.json", r.configuration(t, arguments))
}

// interruptWaiting interrupts an apply after its first look at the conversion that it has requested.
func (r *recording) interruptWaiting() {
	var mu sync.Mutex
	var accepted, waiting bool
	seen := make(chan struct{})
	r.service.Watch(func(entry mockserver.Entry) {
		mu.Lock()
		defer mu.Unlock()
		accepted = accepted || entry.Accepted
		if accepted && !waiting && entry.Operation == mockserver.ListChapters {
			waiting = true
			close(seen)
		}
	})
	running := r.Start("apply", "-auto-approve")
	running.When(seen, func(running *clitest.Running) {
		<-time.After(time.Second) // The provider needs time to read the list that it received.
		running.Interrupt()
	})
	<-running.Ended
}

// convert requests a conversion of the chapter.
func convert(t *testing.T, address string) {
	t.Helper()
	convertOver(t, http.DefaultTransport, address)
}

func convertOver(t *testing.T, transport http.RoundTripper, address string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/v1/projects/book/chapters/one/convert", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("xi-api-key", mockserver.Secret)
	response, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatal(response.Status)
	}
}
