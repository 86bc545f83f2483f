//go:build unix

package provider_test

import (
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const (
	actionBlock = `
action "audioprojects_convert_chapter" "one" {
  config {
    project_id = "book"
    chapter_id = "one"
  }
}
`
	invokeOne = "-invoke=action.audioprojects_convert_chapter.one"
)

// TestCLIActionInvoked, interrupted, and invoked again.
func TestCLIActionInvoked(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.Actions)
	service := newService(t, book(long))
	terraform := newCLI(t, service)
	terraform.Write(actionBlock)
	clitest.WantScreen(t, []string{terraform.Run("plan", invokeOne)}, "Actions: 1 to invoke.")
	service.WantCount(mockserver.ConvertChapter, 0)
	screen := terraform.whileApplyWaits(service, (*clitest.Running).Interrupt, invokeOne)
	clitest.WantScreen(t, []string{screen}, requestedLine, `Unable to convert chapter "The Dark Lantern" (one) of project "book"`,
		`The conversion goes on at the service.`, `Invoking the action again joins the conversion while it runs, and may request another when it has ended.`)

	service.endWhenWaitedFor()
	screen = terraform.Run("apply", "-auto-approve", invokeOne)
	clitest.WantScreen(t, []string{screen}, joinedLine, subject+"converted, ", "Actions: 1 invoked.")
	service.WantCount(mockserver.ConvertChapter, 1)
}
