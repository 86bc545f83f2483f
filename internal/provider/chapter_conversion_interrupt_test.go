//go:build unix

package provider_test

import (
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

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
