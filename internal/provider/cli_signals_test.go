//go:build unix

package provider_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
)

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
