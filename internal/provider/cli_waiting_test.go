//go:build unix

package provider_test

import (
	"sync/atomic"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

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
