//go:build unix

package provider_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

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

// triggers is a resource that invokes an action whenever its input changes.
func triggers(input string) string {
	return `
resource "terraform_data" "edition" {
  input = ` + input + `
  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.audioprojects_convert_chapter.one]
    }
  }
}
`
}

// progress is what Terraform prints of an action in this apply.
func (c *cli) progress(options ...string) (lines []string) {
	c.t.Helper()
	for line := range strings.Lines(c.Run(append([]string{"apply", "-auto-approve", "-json"}, options...)...)) {
		var message struct {
			Type string
			Hook struct{ Message string }
		}
		if json.Unmarshal([]byte(line), &message) == nil && message.Type == "action_progress" {
			lines = append(lines, message.Hook.Message)
		}
	}
	return lines
}

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

// TestCLIActionTriggered by a resource, of a provider that is known only in the apply.
func TestCLIActionTriggered(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.Actions)
	service := newService(t, book())
	terraform := newCLI(t, service)
	block := `
resource "terraform_data" "address" {
  input = "` + service.Address + `"
}

provider "audioprojects" {
  base_url = terraform_data.address.output
}
` + actionBlock
	terraform.Write(block, triggers(`terraform_data.address.output`))
	terraform.Run("plan", "-out=saved")
	if got := len(service.Journal()); got > 0 {
		t.Errorf("requests: got %d, want 0", got)
	}
	terraform.Run("apply", "saved")
	service.WantCount(mockserver.ConvertChapter, 1)
	terraform.Run("plan", "-detailed-exitcode")

	terraform.Write(block, triggers(`"another edition"`))
	if told := terraform.progress(); len(told) < 2 || told[0] != requestedLine || !strings.HasPrefix(told[len(told)-1], convertedLine) {
		t.Errorf("got progress messages %q, want from %q to %q", told, requestedLine, convertedLine)
	}
	service.WantCount(mockserver.ConvertChapter, 2)
}

// TestCLIActionThatTerraformRunsAgain: the second action fails, so Terraform taints the resource and runs both again.
func TestCLIActionThatTerraformRunsAgain(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.FailureModes)
	service := newService(t, book())
	terraform := newCLI(t, service)
	terraform.Write(strings.Replace(actionBlock, `chapter_id = "one"`, `chapter_id = "one"`+"\n"+upToDate, 1), `
action "audioprojects_convert_chapter" "two" {
  config {
    project_id = "book"
    chapter_id = terraform_data.edition.id
  }
}
`, strings.Replace(triggers(`"first"`), "[action.audioprojects_convert_chapter.one]", `[action.audioprojects_convert_chapter.one, action.audioprojects_convert_chapter.two]
      on_failure = taint`, 1))
	for range 2 {
		clitest.WantScreen(t, []string{terraform.RunFailing("apply", "-auto-approve")}, "Unable to convert chapter")
	}
	service.WantCount(mockserver.ConvertChapter, 1)
}

func TestCLIProjectAction(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.Actions)
	service := newService(t, bookOf(manyChapters(10, mockserver.Conversion{Takes: 3 * time.Second})))
	terraform := newCLI(t, service)
	terraform.Write(`
action "audioprojects_convert_project" "book" {
  config {
    project_id = "book"
  }
}
`)
	const invoke = "-invoke=action.audioprojects_convert_project.book"
	clitest.WantScreen(t, []string{terraform.Run("plan", invoke)}, `Conversions that cost credits in project "book": 10 chapters`, "Actions: 1 to invoke.")
	service.WantCount(mockserver.ConvertChapter, 0)
	told := terraform.progress(invoke)
	if len(told) < 3 || !strings.HasPrefix(told[0], "0 of 10 chapters converted, ") || !strings.HasPrefix(told[len(told)-1], "10 of 10 chapters converted, 0 converting, 100 %, ") {
		t.Errorf("got progress messages %q", told)
	}
	clitest.WantScreen(t, []string{terraform.Run("apply", "-auto-approve", invoke)}, "Nothing left to convert in 10 chapters")
	service.WantCount(mockserver.ConvertChapter, 10)
}
