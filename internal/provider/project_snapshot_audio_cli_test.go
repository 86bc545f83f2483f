//go:build unix

package provider_test

import (
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// wantAudio checks that there is one of the contents in out/book.wav, and nothing beside it; no file is nil.
func wantAudio(c *acctest.CLI, contents ...[]byte) {
	c.T.Helper()
	wantAlone(c.T, filepath.Join(c.Folder, "out", "book.wav"), contents)
}

// Two providers are two processes, which know nothing of each other.
func TestCLIProjectSnapshotAudio_twoProcesses(t *testing.T) {
	t.Parallel()
	service := acctest.NewFaultyService(t, recordings)
	service.Inject(mockserver.Fault{Operation: mockserver.StreamSnapshot, Times: -1, SlowBytes: time.Millisecond})
	terraform := acctest.NewCLI(t, service)
	terraform.Write(`
provider "audioprojects" {
  alias = "other"
}
`, audioBlock("one", `"old"`, `overwrite = true`), audioBlock("two", `"new"`, "overwrite = true\nprovider = audioprojects.other"))
	terraform.Run("apply", "-auto-approve")
	wantAudio(terraform, sound(t, "old", false), sound(t, "new", false))
}

// TestCLIProjectSnapshotAudio_cutShort ends an apply at any moment from the request for the audio on.
func TestCLIProjectSnapshotAudio_cutShort(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		end  func(*clitest.Running)
		says string
		tidy bool // nothing is left behind
	}{
		"interrupted":        {(*clitest.Running).Interrupt, `Error: Interrupted before the audio arrived`, true},
		"terminated":         {(*clitest.Running).Terminate, `Error: Interrupted before the audio arrived`, true},
		"hung up":            {(*clitest.Running).HangUp, ``, true},
		"provider is killed": {(*clitest.Running).KillProvider, pluginCrash, false},
		"CLI is killed":      {(*clitest.Running).Kill, ``, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.NewFaultyService(t, recordings)
			terraform := acctest.NewCLI(t, service)
			terraform.Write(audioBlock("book", `"old"`, ``))
			terraform.Run("apply", "-auto-approve")

			moment := rand.N(time.Second)
			t.Logf("%s after the request", moment)
			service.Inject(mockserver.Fault{Operation: mockserver.StreamSnapshot, SlowBytes: 2 * time.Millisecond})
			terraform.Write(audioBlock("book", `"new"`, ``))
			apply := terraform.Start("apply", "-auto-approve")
			apply.When(after(service, moment, mockserver.StreamSnapshot, 2), test.end)
			screen, err := apply.Wait()
			if err == nil {
				t.Fatalf("the apply went through:\n%s", screen)
			}
			clitest.WantScreen(t, []string{screen}, test.says)
			whole := terraform.Files()["out/book.wav"]
			if test.tidy {
				untilTidy(terraform)
				wantAudio(terraform, sound(t, "old", false))
			} else if string(whole) != string(sound(t, "old", false)) {
				t.Errorf("the file is torn: %d bytes", len(whole))
			}
			terraform.Run("apply", "-auto-approve")
			whole = terraform.Files()["out/book.wav"]
			if string(whole) != string(sound(t, "new", false)) {
				t.Errorf("the file is not the new one: %d bytes", len(whole))
			}
			terraform.Run("plan", "-detailed-exitcode")
		})
	}
}

// after closes its channel some time after the given number of requests.
func after(s *acctest.Service, moment time.Duration, operation mockserver.Operation, requests int) <-chan struct{} {
	reached := make(chan struct{})
	go func() {
		for s.Count(operation) < requests {
			select {
			case <-time.After(time.Millisecond):
			case <-s.T.Context().Done():
				return
			}
		}
		time.AfterFunc(moment, func() { close(reached) })
	}()
	return reached
}

// untilTidy waits for a provider that has outlived its CLI.
func untilTidy(c *acctest.CLI) {
	c.T.Helper()
	for range 1000 {
		left, err := filepath.Glob(filepath.Join(c.Folder, "out", ".*"))
		if err != nil {
			c.T.Fatal(err)
		}
		if len(left) == 0 {
			return
		}
		<-time.After(10 * time.Millisecond)
	}
	c.T.Error("something is left in the folder")
}
