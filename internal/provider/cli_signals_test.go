//go:build unix

package provider_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// interruptAgainAndAgain is a person who does not wait for Terraform to shut down: the second
// Ctrl-C makes it end at once, whether or not it has saved what the provider answered to the first.
func interruptAgainAndAgain(pause time.Duration) func(*runningCLI) {
	return func(r *runningCLI) {
		for {
			r.interrupt()
			select {
			case <-r.ended:
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
				terraform.write(conversionBlock(test.arguments))
				var providers []int
				terraform.whileApplyWaits(service, func(r *runningCLI) {
					providers = r.children()
					interruptAgainAndAgain(pause)(r)
				})
				wantProvidersEnded(t, providers)
				kept := strings.Contains(string(terraform.files()["terraform.tfstate"]), "pending_conversion")
				t.Logf("the state has kept the conversion: %t", kept)

				test.meanwhile(service)
				terraform.run("apply", "-auto-approve")
				terraform.wantSettled()
				service.wantPaid("book", "one", 1)
			})
		}
	}
}
