//go:build unix

package provider_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
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
