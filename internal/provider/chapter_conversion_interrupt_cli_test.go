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

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestAccInterruptedAtAnyMoment: Ctrl-C comes when nothing has been requested yet, when the
// answer is on its way, while the conversion cannot be seen yet, while it runs, or too late.
func TestAccInterruptedAtAnyMoment(t *testing.T) {
	t.Parallel()
	services := []struct{ answersAfter, lag time.Duration }{
		{0, 0},
		{0, 2 * time.Second},
		{2 * time.Second, 0},
	}
	for number := range 2 * len(services) {
		t.Run(fmt.Sprint(number+1), func(t *testing.T) {
			t.Parallel()
			slow, moment := services[number%len(services)], rand.N(5*time.Second)
			t.Logf("interrupted %s after the first request", moment)
			service := newFaultyService(t, book(mockserver.Conversion{Lag: slow.lag, Takes: 4 * time.Second}))
			service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Process: true, Hang: slow.answersAfter})
			terraform := newCLI(t, service)
			terraform.Write(conversionBlock(``))

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
				t.Errorf("after:\n%s\nthe plan forgets what has been begun:\n%s", screen, plan)
			}
			terraform.Run("apply", "-auto-approve")
			terraform.wantSettled()
			service.WantPaid("book", "one", 1)
		})
	}
}

// TestAccTerminated: a supervisor, or timeout(1), sends SIGTERM to the provider as well. The
// CLI takes it for Ctrl-C.
func TestAccTerminated(t *testing.T) {
	t.Parallel()
	service := newService(t, book(long))
	terraform := newCLI(t, service)
	terraform.Write(conversionBlock(``))
	screen := terraform.whileApplyWaits(service, (*clitest.Running).Terminate)
	clitest.WantScreen(t, []string{screen}, `Interrupted while waiting`, `it waits for this conversion and requests none.`)

	service.end()
	terraform.Run("apply", "-auto-approve")
	terraform.wantSettled()
	service.WantPaid("book", "one", 1)
}

// deaths are the ways to be killed while waiting, and where the conversion is when the
// next apply comes. Nothing has been saved: only keep_up_to_date can help.
var deaths = map[string]struct {
	kill      func(*clitest.Running)
	screen    string
	meanwhile func(*service)
}{
	"CLI, and the conversion goes on":      {(*clitest.Running).Kill, ``, (*service).endWhenWaitedFor},
	"CLI, and the conversion ends":         {(*clitest.Running).Kill, ``, (*service).end},
	"provider, and the conversion goes on": {(*clitest.Running).KillProvider, pluginCrash, (*service).endWhenWaitedFor},
	"provider, and the conversion ends":    {(*clitest.Running).KillProvider, pluginCrash, (*service).end},
}

func TestAccKilledWhileCreating(t *testing.T) {
	t.Parallel()
	for name, death := range deaths {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := newService(t, book(long))
			terraform := newCLI(t, service)
			terraform.Write(conversionBlock(`keep_up_to_date = true`))
			screen := terraform.whileApplyWaits(service, death.kill)
			clitest.WantScreen(t, []string{screen}, death.screen)
			service.WantPaid("book", "one", 1)

			death.meanwhile(service)
			terraform.Run("apply", "-auto-approve")
			terraform.wantSettled()
			service.WantPaid("book", "one", 1)
		})
	}
}

func TestAccKilledWhileUpdating(t *testing.T) {
	t.Parallel()
	for name, death := range deaths {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := newService(t, bookWith(mockserver.Chapter{
				Text: chapterText, Converted: true, Conversions: []mockserver.Conversion{long},
			}))
			terraform := newCLI(t, service)
			terraform.Write(conversionBlock(`keep_up_to_date = true`))
			terraform.Run("apply", "-auto-approve")
			service.WantPaid("book", "one", 0)
			service.EditChapter("book", "one", longerText)
			screen := terraform.whileApplyWaits(service, death.kill)
			clitest.WantScreen(t, []string{screen}, death.screen)
			service.WantPaid("book", "one", 1)

			death.meanwhile(service)
			terraform.Run("apply", "-auto-approve")
			terraform.wantSettled()
			service.WantPaid("book", "one", 1)
		})
	}
}

// TestAccKilledBetweenReadAndPlan: what the refresh has found is not saved, and nothing is lost with it.
func TestAccKilledBetweenReadAndPlan(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"plan", "apply"} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			service := newService(t, book())
			terraform := newCLI(t, service)
			terraform.Write(conversionBlock(`triggers = { edition = "first" }`))
			terraform.Run("apply", "-auto-approve")
			terraform.Write(conversionBlock(`triggers = { edition = "second" }`))
			before := terraform.Files()["terraform.tfstate"]

			built := clitest.Programs
			terraform.sabotage("is killed between Read and Plan")
			screen := terraform.RunFailing(command, "-input=false")
			clitest.WantScreen(t, []string{screen}, `plugin6.(*GRPCProvider).PlanResourceChange`)
			if after := terraform.Files()["terraform.tfstate"]; string(after) != string(before) {
				t.Errorf("the state was:\n%s\nand is:\n%s", before, after)
			}
			service.WantPaid("book", "one", 1)

			terraform.UseProvider(built)
			clitest.WantScreen(t, []string{terraform.Run("plan")}, "will be updated in-place", "1 to change")
			service.WantPaid("book", "one", 1)
			terraform.Run("apply", "-auto-approve")
			terraform.wantSettled()
			service.WantPaid("book", "one", 2)
		})
	}
}

// interruptAgainAndAgain is a person who does not wait for Terraform to shut down: the second
// Ctrl-C makes it end at once, whether or not it has saved what the provider answered to the first.
func interruptAgainAndAgain(pause time.Duration) func(*clitest.Running) {
	return func(r *clitest.Running) {
		for {
			r.Interrupt()
			select {
			case <-r.Ended:
				return
			case <-time.After(pause):
			}
		}
	}
}

func TestAccInterruptedAgainAndAgain(t *testing.T) {
	t.Parallel()
	for _, pause := range []time.Duration{0, time.Millisecond, 10 * time.Millisecond} {
		for name, test := range map[string]struct {
			arguments string
			meanwhile func(*service)
		}{
			"the conversion goes on": {``, (*service).endWhenWaitedFor},
			"the conversion ends":    {`keep_up_to_date = true`, (*service).end},
		} {
			t.Run(fmt.Sprintf("every %s, and %s", pause, name), func(t *testing.T) {
				t.Parallel()
				service := newService(t, book(long))
				terraform := newCLI(t, service)
				terraform.Write(conversionBlock(test.arguments))
				var providers []int
				terraform.whileApplyWaits(service, func(r *clitest.Running) {
					providers = r.Providers()
					interruptAgainAndAgain(pause)(r)
				})
				clitest.WantEnded(t, providers)
				kept := strings.Contains(string(terraform.Files()["terraform.tfstate"]), "pending_conversion")
				t.Logf("the state has kept the conversion: %t", kept)

				test.meanwhile(service)
				terraform.Run("apply", "-auto-approve")
				terraform.wantSettled()
				service.WantPaid("book", "one", 1)
			})
		}
	}
}

// TestAccNobodyListens is an apply in a pipe to head, whose reader goes away while it waits.
// A CLI that prints its next line then is ended by that, and saves nothing.
func TestAccNobodyListens(t *testing.T) {
	t.Parallel()
	stdout := func(command *exec.Cmd, pipe *os.File) { command.Stdout = pipe }
	stderr := func(command *exec.Cmd, pipe *os.File) { command.Stderr = pipe }
	both := func(command *exec.Cmd, pipe *os.File) { command.Stdout, command.Stderr = pipe, pipe }
	goOn := func(*service) {}
	for name, test := range map[string]struct {
		attach    func(*exec.Cmd, *os.File)
		arguments string
		then      func(*service) // when nobody listens any more
		dies      bool
		meanwhile func(*service) // when the CLI has ended
	}{
		"stdout, and the conversion goes on": {stdout, ``, goOn, true, (*service).endWhenWaitedFor},
		"stdout, and the conversion ends":    {stdout, `keep_up_to_date = true`, (*service).end, true, goOn},
		"both, and the conversion goes on":   {both, ``, goOn, true, (*service).endWhenWaitedFor},
		"both, and the conversion ends":      {both, `keep_up_to_date = true`, (*service).end, true, goOn},
		"stderr, and the conversion ends":    {stderr, ``, (*service).end, false, goOn},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := newService(t, book(long))
			terraform := newCLI(t, service)
			terraform.Write(conversionBlock(test.arguments))
			reader, writer, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			command := terraform.Command("apply", "-auto-approve")
			test.attach(command, writer)
			var apply *clitest.Running
			var providers []int
			launched := make(chan struct{})
			leave := sync.OnceFunc(func() {
				<-launched
				providers = apply.Providers()
				reader.Close()
				test.then(service)
			})
			service.Watch(func(mockserver.Entry) {
				if service.Count(mockserver.ConvertChapter) > 0 && service.Count(mockserver.ListChapters) > 3 {
					leave()
				}
			})
			apply = terraform.Launch(command)
			close(launched)
			writer.Close()
			_, err = apply.Wait()
			ended := command.ProcessState.Sys().(syscall.WaitStatus)
			if died := ended.Signaled() && ended.Signal() == syscall.SIGPIPE; died != test.dies || !died && err != nil {
				t.Errorf("got %v, want death by a broken pipe to be %t", err, test.dies)
			}
			service.WantPaid("book", "one", 1)
			clitest.WantEnded(t, providers)

			test.meanwhile(service)
			terraform.Run("apply", "-auto-approve")
			terraform.wantSettled()
			service.WantPaid("book", "one", 1)
		})
	}
}

// interrupted is an apply of a conversion, and of what comes after it, that was interrupted.
func interrupted(t *testing.T, service *service) (terraform *cli, screen string) {
	t.Helper()
	terraform = newCLI(t, service)
	terraform.Write(conversionBlock(``), `
resource "terraform_data" "downstream" {
  input = audioprojects_chapter_conversion.chapter.state
}
`)
	return terraform, terraform.whileApplyWaits(service, (*clitest.Running).Interrupt)
}

func TestAccConversionInterrupted(t *testing.T) {
	t.Parallel()
	service := newService(t, book(long))
	terraform, screen := interrupted(t, service)
	clitest.WantScreen(t, []string{screen}, `Interrupted while waiting`, `state converting`, `The conversion goes on at the service.`,
		`it waits for this conversion and requests none.`)
	if clitest.Says("downstream: Creating").MatchString(screen) {
		t.Errorf("what comes after the conversion was begun:\n%s", screen)
	}
	clitest.WantScreen(t, []string{terraform.Run("plan")}, `will be updated in-place`,
		`A conversion requested earlier is still running. Applying will wait for it and request none.`)

	service.endWhenWaitedFor()
	terraform.Run("apply", "-auto-approve")
	clitest.WantScreen(t, []string{terraform.Run("plan")}, `No changes.`)
	service.WantCount(mockserver.ConvertChapter, 1)
	service.WantPaid("book", "one", 1)
}

// TestAccConversionInterruptedAndEndedBeforeASavedPlanIsApplied: the plan still expects to wait.
func TestAccConversionInterruptedAndEndedBeforeASavedPlanIsApplied(t *testing.T) {
	t.Parallel()
	service := newService(t, book())
	service.SetHabits(mockserver.Habits{StaleLists: time.Hour})
	terraform, _ := interrupted(t, service)
	clitest.WantScreen(t, []string{terraform.Run("plan", "-out=saved")}, `will be updated in-place`)

	service.SetHabits(mockserver.Habits{})
	terraform.Run("apply", "saved")
	clitest.WantScreen(t, []string{terraform.Run("plan")}, `No changes.`)
	service.WantPaid("book", "one", 1)
}

// pluginCrash is in what the CLI says when a provider ends in the middle of an apply.
const pluginCrash = `plugin6.(*GRPCProvider).ApplyResourceChange`

// whileApplyWaits does something to an apply when the chapter has been looked at twice since
// the request for its conversion, and returns what the CLI prints. The apply must not succeed.
func (c *cli) whileApplyWaits(service *service, do func(*clitest.Running), options ...string) string {
	c.t.Helper()
	var looks atomic.Int32
	waiting := make(chan struct{})
	service.Watch(func(entry mockserver.Entry) {
		requested := service.Count(mockserver.ConvertChapter) > 0
		if entry.Operation == mockserver.ListChapters && requested && looks.Add(1) == 2 {
			close(waiting)
		}
	})
	apply := c.Start(append([]string{"apply", "-auto-approve"}, options...)...)
	apply.When(waiting, do)
	screen, err := apply.Wait()
	if err == nil {
		c.t.Fatalf("the apply went through:\n%s", screen)
	}
	return screen
}
