//go:build unix

package provider_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// audioBlock writes a snapshot's audio to the file book.wav.
func audioBlock(name, snapshotID, arguments string) string {
	return fmt.Sprintf(`
resource "audioprojects_project_snapshot_audio" %q {
  project_id          = "book"
  project_snapshot_id = %s
  filename            = "out/book.wav"
  %s
}
`, name, snapshotID, arguments)
}

// wantAudio checks that there is one of the contents in out/book.wav, and nothing beside it; no file is nil.
func (c *cli) wantAudio(contents ...[]byte) {
	c.t.Helper()
	wantAlone(c.t, filepath.Join(c.Folder, "out", "book.wav"), contents)
}

func (c *cli) alterAudio() {
	c.t.Helper()
	if err := os.WriteFile(filepath.Join(c.Folder, "out", "book.wav"), []byte("mine"), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

func TestAccAudioIsDestroyedIfItIsStillOurs(t *testing.T) {
	t.Parallel()
	service := newService(t, recordings)
	terraform := newCLI(t, service)
	terraform.Write(audioBlock("book", `"new"`, ``))
	for _, test := range []struct {
		name      string
		meanwhile func()
		says      string
		left      []byte
	}{
		{"ours", func() {}, "Destroy complete! Resources: 1 destroyed.", nil},
		{"missing", func() { os.RemoveAll(filepath.Join(terraform.Folder, "out")) }, "No changes. No objects need to be destroyed.", nil},
		{"altered", terraform.alterAudio, `Warning: Audio file left in place The file "out/book.wav" is no longer the audio of snapshot "new" of project "book", and stays.`, []byte("mine")},
	} {
		terraform.Run("apply", "-auto-approve")
		terraform.wantAudio(sound(t, "new", false))
		terraform.Run("plan", "-detailed-exitcode")
		test.meanwhile()
		clitest.WantScreen(t, []string{terraform.Run("destroy", "-auto-approve")}, test.says)
		terraform.wantAudio(test.left)
	}
	service.WantCount(mockserver.StreamSnapshot, 3)
}

func TestAccAudioOfAFreshCheckout(t *testing.T) {
	t.Parallel()
	service := newService(t, recordings)
	terraform := newCLI(t, service)
	terraform.Write(audioBlock("book", `"new"`, ``))
	terraform.Run("apply", "-auto-approve")
	if err := os.RemoveAll(filepath.Join(terraform.Folder, "out")); err != nil {
		t.Fatal(err)
	}
	clitest.WantScreen(t, []string{terraform.Run("plan")}, `# audioprojects_project_snapshot_audio.book will be created`)
	service.WantCount(mockserver.StreamSnapshot, 1)
	terraform.Run("apply", "-auto-approve")
	terraform.wantAudio(sound(t, "new", false))

	terraform.alterAudio()
	screen := terraform.Run("plan")
	clitest.WantScreen(t, []string{screen}, `# audioprojects_project_snapshot_audio.book will be updated in-place`, `-> (known after apply)`,
		`Warning: Audio file altered`, `The file "out/book.wav" is no longer the audio of snapshot "new" of project "book". Applying writes it anew.`)
	terraform.Run("apply", "-auto-approve")
	terraform.wantAudio(sound(t, "new", false))
	terraform.Run("plan", "-detailed-exitcode")
}

func TestAccAudioFileNamedTwice(t *testing.T) {
	t.Parallel()
	const twice = `Error: File named twice`
	service := newService(t, recordings)
	terraform := newCLI(t, service)
	terraform.Write(audioBlock("one", `"old"`, ``), audioBlock("two", `"new"`, ``))
	screen := terraform.RunFailing("plan")
	clitest.WantScreen(t, []string{screen}, twice, `filename = "out/book.wav"`, `Another block writes the audio of snapshot`, `to this file, "out/book.wav". Give each a file of its own.`)

	// An object in the state counts as well.
	terraform.Write(audioBlock("one", `"old"`, ``))
	terraform.Run("apply", "-auto-approve")
	terraform.Write(audioBlock("one", `"old"`, ``), audioBlock("two", `"old"`, `convert_to_mpeg = true`))
	clitest.WantScreen(t, []string{terraform.RunFailing("plan")}, twice)
	service.WantCount(mockserver.StreamSnapshot, 1)

	// What only the apply knows is found then.
	const elsewhere = `
resource "audioprojects_project_snapshot_audio" %q {
  project_id          = "book"
  project_snapshot_id = "new"
  filename            = terraform_data.snapshot.output
  overwrite           = true
}
`
	terraform.Write(`
resource "terraform_data" "snapshot" {
  input = "out/book.wav"
}
`, fmt.Sprintf(elsewhere, "two"), fmt.Sprintf(elsewhere, "three"))
	clitest.WantScreen(t, []string{terraform.RunFailing("apply", "-auto-approve")}, twice)
	terraform.wantAudio(nil, sound(t, "new", false))
}

// The old audio stays until the new is there, even if the plan cannot tell which that will be.
func TestAccAudioOfASnapshotThatOnlyTheApplyKnows(t *testing.T) {
	t.Parallel()
	service := newFaultyService(t, recordings)
	terraform := newCLI(t, service)
	write := func(snapshotID string) {
		terraform.Write(fmt.Sprintf(`
resource "terraform_data" "snapshot" {
  input = %q
}
`, snapshotID), audioBlock("book", `terraform_data.snapshot.output`, ``))
	}
	write("old")
	terraform.Run("apply", "-auto-approve")
	write("new")
	service.Inject(mockserver.Fault{Operation: mockserver.StreamSnapshot, Status: 404})
	screen := terraform.RunFailing("apply", "-auto-approve")
	clitest.WantScreen(t, []string{screen}, `will be updated in-place`, `-> (known after apply)`, `404 Not Found`, `Nothing has been written to "out/book.wav", which is as it was.`)
	terraform.wantAudio(sound(t, "old", false))
	terraform.Run("apply", "-auto-approve")
	terraform.wantAudio(sound(t, "new", false))
}

// Two providers are two processes, which know nothing of each other.
func TestAccAudioFileWrittenByTwoProcesses(t *testing.T) {
	t.Parallel()
	service := newFaultyService(t, recordings)
	service.Inject(mockserver.Fault{Operation: mockserver.StreamSnapshot, Times: -1, SlowBytes: time.Millisecond})
	terraform := newCLI(t, service)
	terraform.Write(`
provider "audioprojects" {
  alias = "other"
}
`, audioBlock("one", `"old"`, `overwrite = true`), audioBlock("two", `"new"`, "overwrite = true\nprovider = audioprojects.other"))
	for range 3 {
		terraform.Run("apply", "-auto-approve")
		terraform.wantAudio(sound(t, "old", false), sound(t, "new", false))
	}
}

// Removing one of the two blocks would take the other's file.
func TestAccAudioOfOneSnapshotWrittenTwice(t *testing.T) {
	t.Parallel()
	service := newService(t, recordings)
	terraform := newCLI(t, service)
	if err := errors.Join(os.Mkdir(filepath.Join(terraform.Folder, "out"), 0o700), os.Symlink("out", filepath.Join(terraform.Folder, "link"))); err != nil {
		t.Fatal(err)
	}
	linked := strings.Replace(audioBlock("two", `"longer"`, ``), "out/", "link/", 1)
	for _, other := range []string{audioBlock("two", `"longer"`, ``), linked} {
		terraform.Write(audioBlock("one", `"longer"`, ``), other)
		clitest.WantScreen(t, []string{terraform.RunFailing("plan")}, `Error: File named twice`)
	}
	service.WantCount(mockserver.StreamSnapshot, 0)
}

// Terraform tells the new object nothing of the old one, which it leaves deposed when its plan fails.
func TestAccAudioReplacedBeforeItIsDestroyed(t *testing.T) {
	t.Parallel()
	service := newService(t, recordings)
	terraform := newCLI(t, service)
	if err := errors.Join(os.Mkdir(filepath.Join(terraform.Folder, "out"), 0o700), os.Symlink("out", filepath.Join(terraform.Folder, "link"))); err != nil {
		t.Fatal(err)
	}
	const first = "lifecycle {\n create_before_destroy = true\n}"
	terraform.Write(audioBlock("book", `"old"`, first))
	terraform.Run("apply", "-auto-approve")
	terraform.Write(strings.Replace(audioBlock("book", `"new"`, first), "out/", "link/", 1))
	clitest.WantScreen(t, []string{terraform.RunFailing("apply", "-auto-approve")}, `Error: File exists already`)
	terraform.wantAudio(sound(t, "old", false))
	for _, snapshot := range []string{"new", "old"} {
		terraform.Write(strings.Replace(audioBlock("book", `"`+snapshot+`"`, "overwrite = true\n"+first), "out/", "link/", 1))
		terraform.Run("apply", "-auto-approve")
		terraform.wantAudio(sound(t, snapshot, false))
		terraform.Run("plan", "-detailed-exitcode")
	}
}

// A block that is renamed without `moved` is destroyed and created in one apply, in any order.
func TestAccAudioOfARenamedBlock(t *testing.T) {
	t.Parallel()
	service := newService(t, recordings)
	terraform := newCLI(t, service)
	terraform.Write(audioBlock("old", `"new"`, `for_each = toset(["one"])`))
	terraform.Run("apply", "-auto-approve")
	for _, overwrite := range []string{"false", "true"} {
		renamed := audioBlock("old", `"new"`, `for_each = toset(["two"])`+"\noverwrite = "+overwrite)
		terraform.Write(renamed)
		if overwrite == "true" {
			terraform.Run("plan")
		} else {
			clitest.WantScreen(t, []string{terraform.RunFailing("plan")}, `Error: File of a block that is to be destroyed`, "say so with a `moved` block")
		}
		terraform.wantAudio(sound(t, "new", false))
		terraform.Write(renamed, `
moved {
  from = audioprojects_project_snapshot_audio.old["one"]
  to   = audioprojects_project_snapshot_audio.old["two"]
}
`)
		terraform.Run("plan")
	}
	terraform.Run("apply", "-auto-approve")
	terraform.wantAudio(sound(t, "new", false))
	service.WantCount(mockserver.StreamSnapshot, 1)
}

// TestAccAudioCutShort ends an apply at any moment from the request for the audio on.
func TestAccAudioCutShort(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		end  func(*clitest.Running)
		says string
		tidy bool // nothing is left behind
		told bool // the state still has whose file it is; Terraform has taken the replaced object out of it
	}{
		"interrupted":        {(*clitest.Running).Interrupt, `Error: Interrupted before the audio was there`, true, true},
		"terminated":         {(*clitest.Running).Terminate, `Error: Interrupted before the audio was there`, true, true},
		"hung up":            {(*clitest.Running).HangUp, ``, true, false},
		"provider is killed": {(*clitest.Running).KillProvider, pluginCrash, false, false},
		"CLI is killed":      {(*clitest.Running).Kill, ``, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := newFaultyService(t, recordings)
			terraform := newCLI(t, service)
			terraform.Write(audioBlock("book", `"old"`, ``))
			terraform.Run("apply", "-auto-approve")

			moment := rand.N(time.Second)
			t.Logf("%s after the request", moment)
			service.Inject(mockserver.Fault{Operation: mockserver.StreamSnapshot, SlowBytes: 2 * time.Millisecond})
			terraform.Write(audioBlock("book", `"new"`, ``))
			apply := terraform.Start("apply", "-auto-approve")
			apply.When(service.after(moment, mockserver.StreamSnapshot, 2), test.end)
			screen, err := apply.Wait()
			if err == nil {
				t.Fatalf("the apply went through:\n%s", screen)
			}
			clitest.WantScreen(t, []string{screen}, test.says)
			if test.tidy {
				terraform.untilTidy()
				terraform.wantAudio(sound(t, "old", false))
			}
			if !test.told {
				terraform.Write(audioBlock("book", `"new"`, `overwrite = true`))
			}
			terraform.Run("apply", "-auto-approve")
			terraform.wantAudio(sound(t, "new", false))
			terraform.Run("plan", "-detailed-exitcode")
		})
	}
}

// after closes its channel some time after the given number of requests.
func (s *service) after(moment time.Duration, operation mockserver.Operation, requests int) <-chan struct{} {
	reached := make(chan struct{})
	go func() {
		for s.Count(operation) < requests {
			select {
			case <-time.After(time.Millisecond):
			case <-s.t.Context().Done():
				return
			}
		}
		time.AfterFunc(moment, func() { close(reached) })
	}()
	return reached
}

// untilTidy waits for a provider that has outlived its CLI.
func (c *cli) untilTidy() {
	c.t.Helper()
	for range 1000 {
		left, err := filepath.Glob(filepath.Join(c.Folder, "out", ".*"))
		if err != nil {
			c.t.Fatal(err)
		}
		if len(left) == 0 {
			return
		}
		<-time.After(10 * time.Millisecond)
	}
	c.t.Error("something is left in the folder")
}
