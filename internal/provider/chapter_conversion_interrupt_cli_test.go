//go:build unix

package provider_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// TestCLIChapterConversion_interruptedAtAnyMoment: Ctrl-C comes before anything is requested, before the answer
// arrives, before the chapter shows the conversion, while it runs, or after its end.
func TestCLIChapterConversion_interruptedAtAnyMoment(t *testing.T) {
	t.Parallel()
	for number, slow := range []struct{ answersAfter, lag time.Duration }{{0, 0}, {0, 2 * time.Second}, {2 * time.Second, 0}} {
		t.Run(fmt.Sprint(number+1), func(t *testing.T) {
			t.Parallel()
			moment := rand.N(5 * time.Second)
			t.Logf("interrupted %s after the first request", moment)
			service := acctest.NewFaultyService(t, acctest.Book(mockserver.Conversion{Lag: slow.lag, Takes: 4 * time.Second}))
			service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Process: true, Hang: slow.answersAfter})
			terraform := acctest.NewCLI(t, service)
			terraform.Write(acctest.ConversionBlock(``))

			var first sync.Once
			arrived := make(chan struct{})
			service.Watch(func(mockserver.Entry) {
				first.Do(func() { time.AfterFunc(moment, func() { close(arrived) }) })
			})
			apply := terraform.Start("apply", "-auto-approve")
			apply.When(arrived, (*clitest.Running).Interrupt)
			screen, _ := apply.Wait()

			plan := terraform.Run("plan")
			begun := service.Count(mockserver.ConvertChapter) > 0
			if strings.Contains(plan, "replaced") || begun && strings.Contains(plan, "created") {
				t.Errorf("after:\n%s\nthe plan does not know the conversion that was begun:\n%s", screen, plan)
			}
			terraform.Run("apply", "-auto-approve")
			terraform.WantSettled()
			service.WantPaid("book", "one", 1)
		})
	}
}

const (
	// pluginCrash is part of the CLI's message if a provider ends during an apply.
	pluginCrash = `plugin6.(*GRPCProvider).ApplyResourceChange`
	// upToDate is what prevents a second conversion where the state was not saved.
	upToDate = `keep_up_to_date = true`
)

// TestCLIChapterConversion_cutShort ends an apply while it waits for a conversion. The next one requests none, and what depends on it is not begun.
// The CLI and the provider talk with TLS, which either may see broken off.
func TestCLIChapterConversion_cutShort(t *testing.T) {
	t.Parallel()
	interrupted := []string{`Interrupted while waiting`, `state converting`, `The conversion continues at the service.`, `The next apply waits for the conversion, and requests another only if it fails or leaves text unconverted.`}
	for name, test := range map[string]struct {
		end       func(*clitest.Running)
		arguments string
		says      []string
		meanwhile func(*acctest.Service)
	}{
		"Ctrl-C":             {(*clitest.Running).Interrupt, ``, interrupted, (*acctest.Service).EndConversionDuringWait},
		"SIGTERM":            {(*clitest.Running).Terminate, ``, interrupted, (*acctest.Service).EndConversion},
		"Ctrl-C, many times": {interruptAgainAndAgain, upToDate, nil, (*acctest.Service).EndConversion},
		"CLI killed":         {(*clitest.Running).Kill, upToDate, nil, (*acctest.Service).EndConversionDuringWait},
		"provider killed":    {(*clitest.Running).KillProvider, upToDate, []string{pluginCrash}, (*acctest.Service).EndConversion},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.NewService(t, acctest.Book(acctest.LongConversion))
			terraform := acctest.NewCLI(t, service)
			terraform.WithTLS()
			terraform.Write(acctest.ConversionBlock(test.arguments), `
resource "terraform_data" "downstream" {
  input = audioprojects_chapter_conversion.chapter.state
}
`)
			screen := whileApplyWaits(terraform, service, test.end)
			clitest.WantScreen(t, []string{screen}, test.says...)
			if clitest.MessagePattern("downstream: Creating").MatchString(screen) {
				t.Errorf("the resource that depends on the conversion was begun:\n%s", screen)
			}
			if name == "Ctrl-C" {
				plan := terraform.Run("plan")
				clitest.WantScreen(t, []string{plan}, `will be updated in-place`, `A conversion is under way, or its end is not known. Applying waits for it`)
				if strings.Contains(plan, "requested_at_unix") { // Of a book, that is a line of many kilobytes.
					t.Errorf("the plan shows the resume token, which nobody reads:\n%s", plan)
				}
			}
			test.meanwhile(service)
			terraform.Run("apply", "-auto-approve")
			terraform.WantSettled()
			service.WantPaid("book", "one", 1)
			service.WantCount(mockserver.ConvertChapter, 1)
		})
	}
}

// interruptAgainAndAgain does what a person does who does not wait for Terraform to shut down. The second
// Ctrl-C ends Terraform at once, even if it has not saved the provider's answer to the first one.
func interruptAgainAndAgain(r *clitest.Running) {
	for {
		r.Interrupt()
		select {
		case <-r.Ended:
			return
		case <-time.After(time.Millisecond):
		}
	}
}

// TestCLIChapterConversion_outputPipeClosed is an apply whose output goes to a pipe, such as head, that is closed during the wait.
// If a CLI then prints a line, SIGPIPE ends it, and it saves nothing.
func TestCLIChapterConversion_outputPipeClosed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		attach    func(*exec.Cmd, *os.File)
		arguments string
		dies      bool
	}{
		"stdout": {func(command *exec.Cmd, pipe *os.File) { command.Stdout = pipe }, upToDate, true},
		"stderr": {func(command *exec.Cmd, pipe *os.File) { command.Stderr = pipe }, ``, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := acctest.NewService(t, acctest.Book(acctest.LongConversion))
			terraform := acctest.NewCLI(t, service)
			terraform.Write(acctest.ConversionBlock(test.arguments))
			reader, writer, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			command := terraform.Command("apply", "-auto-approve")
			test.attach(command, writer)
			leave := sync.OnceFunc(func() {
				reader.Close()
				service.EndConversion()
			})
			service.Watch(func(mockserver.Entry) {
				if service.Count(mockserver.ConvertChapter) > 0 && service.Count(mockserver.ListChapters) > 3 {
					leave()
				}
			})
			apply := terraform.Launch(command)
			writer.Close()
			_, err = apply.Wait()
			ended := command.ProcessState.Sys().(syscall.WaitStatus)
			died := ended.Signaled() && ended.Signal() == syscall.SIGPIPE
			if died != test.dies || !died && err != nil {
				t.Errorf("got %v, want death by a broken pipe to be %t", err, test.dies)
			}
			terraform.Run("apply", "-auto-approve")
			terraform.WantSettled()
			service.WantPaid("book", "one", 1)
		})
	}
}

// whileApplyWaits calls do during an apply, after the second look at the chapters that follows
// the latest request for a conversion, and returns the CLI's output. The apply must fail.
func whileApplyWaits(c *acctest.CLI, service *acctest.Service, do func(*clitest.Running), options ...string) string {
	c.T.Helper()
	var looks atomic.Int32
	waiting := make(chan struct{})
	waits := sync.OnceFunc(func() { close(waiting) })
	service.Watch(func(entry mockserver.Entry) {
		requested := service.Count(mockserver.ConvertChapter) > 0
		switch {
		case entry.Operation == mockserver.ConvertChapter:
			looks.Store(0) // On a busy machine, a list may come between two requests of a book.
		case entry.Operation == mockserver.ListChapters && requested && looks.Add(1) == 2:
			waits()
		}
	})
	apply := c.Start(append([]string{"apply", "-auto-approve"}, options...)...)
	apply.When(waiting, do)
	screen, err := apply.Wait()
	if err == nil {
		c.T.Fatalf("the apply succeeded:\n%s", screen)
	}
	return screen
}
