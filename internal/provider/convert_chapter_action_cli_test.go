//go:build unix

package provider_test

import (
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// TestCLIConvertChapter_invoked, interrupted, and invoked again.
func TestCLIConvertChapter_invoked(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.Actions)
	service := acctest.NewService(t, acctest.Book(acctest.LongConversion))
	terraform := acctest.NewCLI(t, service)
	terraform.Write(actionBlock)
	clitest.WantScreen(t, []string{terraform.Run("plan", invokeOne)}, "Actions: 1 to invoke.")
	service.WantCount(mockserver.ConvertChapter, 0)
	screen := whileApplyWaits(terraform, service, (*clitest.Running).Interrupt, invokeOne)
	clitest.WantScreen(t, []string{screen}, requestedLine, `Unable to convert chapter "The Dark Lantern" (one) of project "book"`,
		`The conversion continues at the service.`, `Invoking the action again joins the conversion if it is still running, and may request another if it has ended.`)

	service.EndConversionDuringWait()
	screen = terraform.Run("apply", "-auto-approve", invokeOne)
	clitest.WantScreen(t, []string{screen}, joinedLine, subject+"converted, ", "Actions: 1 invoked.")
	service.WantCount(mockserver.ConvertChapter, 1)
}

// TestCLIConvertChapter_planInterrupted: Terraform saves a plan that has an error, but does not apply it. So nothing is paid for that no estimate
// named.
func TestCLIConvertChapter_planInterrupted(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.Actions)
	service, asked := acctest.NewSilentService(t, "/v1/projects/book/chapters", acctest.Book(oneMinute))
	terraform := acctest.NewCLI(t, service)
	terraform.Write(actionBlock)
	plan := terraform.Start("plan", "-out=plan", invokeOne)
	plan.When(asked, (*clitest.Running).Interrupt)
	screen, err := plan.Wait()
	if err == nil {
		t.Errorf("the plan succeeded:\n%s", screen)
	}
	clitest.WantScreen(t, []string{screen}, `Unable to plan the conversion of chapter "one" of project "book"`,
		"Interrupted before the cost was known. Nothing was requested. Plan again.")
	_, saved := terraform.Files()["plan"]
	if saved {
		terraform.RunFailing("apply", "plan")
	}
	service.WantCount(mockserver.ConvertChapter, 0)
}
