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

// TestAccInterruptedAtAnyMoment: Ctrl-C comes before anything is requested, before the answer
// arrives, before the chapter shows the conversion, while it runs, or after its end.
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
				t.Errorf("after:\n%s\nthe plan does not know the conversion that was begun:\n%s", screen, plan)
			}
			terraform.Run("apply", "-auto-approve")
			terraform.wantSettled()
			service.WantPaid("book", "one", 1)
		})
	}
}

// TestAccTerminated: a supervisor, or timeout(1), sends SIGTERM to the provider, too. The
// CLI handles SIGTERM like Ctrl-C.
func TestAccTerminated(t *testing.T) {
	t.Parallel()
	service := newService(t, book(long))
	terraform := newCLI(t, service)
	terraform.Write(conversionBlock(``))
	screen := terraform.whileApplyWaits(service, (*clitest.Running).Terminate)
	clitest.WantScreen(t, []string{screen}, `Interrupted while waiting`, `The next apply waits for the conversion and requests none.`)

	service.end()
	terraform.Run("apply", "-auto-approve")
	terraform.wantSettled()
	service.WantPaid("book", "one", 1)
}

// kills are kinds of kill during the wait, and how far the conversion is when the
// next apply begins. The state was not saved, so only keep_up_to_date prevents a second conversion.
var kills = map[string]struct {
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
	for name, kill := range kills {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := newService(t, book(long))
			terraform := newCLI(t, service)
			terraform.Write(conversionBlock(`keep_up_to_date = true`))
			screen := terraform.whileApplyWaits(service, kill.kill)
			clitest.WantScreen(t, []string{screen}, kill.screen)
			service.WantPaid("book", "one", 1)

			kill.meanwhile(service)
			terraform.Run("apply", "-auto-approve")
			terraform.wantSettled()
			service.WantPaid("book", "one", 1)
		})
	}
}

func TestAccKilledWhileUpdating(t *testing.T) {
	t.Parallel()
	for name, kill := range kills {
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
			screen := terraform.whileApplyWaits(service, kill.kill)
			clitest.WantScreen(t, []string{screen}, kill.screen)
			service.WantPaid("book", "one", 1)

			kill.meanwhile(service)
			terraform.Run("apply", "-auto-approve")
			terraform.wantSettled()
			service.WantPaid("book", "one", 1)
		})
	}
}

// TestAccKilledBetweenReadAndPlan: the result of the refresh is not saved, but the state still has all that is needed.
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
			terraform.defect("is killed between Read and Plan")
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

// interruptAgainAndAgain does what a person does who does not wait for Terraform to shut down. The second
// Ctrl-C ends Terraform at once, even if it has not saved the provider's answer to the first one.
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

// TestAccOutputPipeClosed is an apply whose output goes to a pipe, such as head, that is closed during the wait.
// If a CLI then prints a line, SIGPIPE ends it, and it saves nothing.
func TestAccOutputPipeClosed(t *testing.T) {
	t.Parallel()
	stdout := func(command *exec.Cmd, pipe *os.File) { command.Stdout = pipe }
	stderr := func(command *exec.Cmd, pipe *os.File) { command.Stderr = pipe }
	both := func(command *exec.Cmd, pipe *os.File) { command.Stdout, command.Stderr = pipe, pipe }
	goOn := func(*service) {}
	for name, test := range map[string]struct {
		attach    func(*exec.Cmd, *os.File)
		arguments string
		then      func(*service) // after the pipe is closed
		dies      bool
		meanwhile func(*service) // after the CLI has ended
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

// interrupted applies a conversion and a resource that depends on it, and interrupts that.
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
		`The next apply waits for the conversion and requests none.`)
	if clitest.Says("downstream: Creating").MatchString(screen) {
		t.Errorf("the resource that depends on the conversion was begun:\n%s", screen)
	}
	clitest.WantScreen(t, []string{terraform.Run("plan")}, `will be updated in-place`,
		`A conversion requested earlier is still running. Applying waits for it and requests none.`)

	service.endWhenWaitedFor()
	terraform.Run("apply", "-auto-approve")
	clitest.WantScreen(t, []string{terraform.Run("plan")}, `No changes.`)
	service.WantCount(mockserver.ConvertChapter, 1)
	service.WantPaid("book", "one", 1)
}

// TestAccConversionInterruptedAndEndedBeforeASavedPlanIsApplied: the saved plan still says that the apply waits.
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

// pluginCrash is part of the CLI's message if a provider ends during an apply.
const pluginCrash = `plugin6.(*GRPCProvider).ApplyResourceChange`

// whileApplyWaits calls do during an apply, after the second look at the chapter that follows
// the request for its conversion, and returns the CLI's output. The apply must fail.
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
		c.t.Fatalf("the apply succeeded:\n%s", screen)
	}
	return screen
}
