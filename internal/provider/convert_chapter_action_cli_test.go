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

func TestAccActionInvoked(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.Actions)
	service := newService(t, book(mockserver.Conversion{Takes: 2 * time.Second}, long))
	terraform := newCLI(t, service)
	terraform.Write(actionBlock)
	clitest.WantScreen(t, []string{terraform.Run("plan", invokeOne)}, "Actions: 1 to invoke.")
	service.WantCount(mockserver.ConvertChapter, 0)

	screen := terraform.Run("apply", "-auto-approve", invokeOne)
	clitest.WantScreen(t, []string{screen}, requestedLine, subject+"converting, ", convertedLine, "Actions: 1 invoked.")
	service.WantCount(mockserver.ConvertChapter, 1)

	service.Convert("book", "one")
	service.endWhenWaitedFor()
	screen = terraform.Run("apply", "-auto-approve", invokeOne)
	clitest.WantScreen(t, []string{screen}, joinedLine, subject+"converted, ")
	service.WantCount(mockserver.ConvertChapter, 1)
}

func TestAccActionTriggered(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.Actions)
	service := newService(t, book())
	terraform := newCLI(t, service)
	terraform.Write(actionBlock, triggers(`"first"`))
	terraform.Run("apply", "-auto-approve")
	service.WantCount(mockserver.ConvertChapter, 1)
	terraform.Run("plan", "-detailed-exitcode")
	terraform.Run("apply", "-auto-approve")
	service.WantCount(mockserver.ConvertChapter, 1)

	terraform.Write(actionBlock, triggers(`"second"`))
	var told []string
	for _, line := range strings.Split(terraform.Run("apply", "-auto-approve", "-json"), "\n") {
		var message struct {
			Type string
			Hook struct{ Message string }
		}
		if json.Unmarshal([]byte(line), &message) == nil && message.Type == "action_progress" {
			told = append(told, message.Hook.Message)
		}
	}
	if len(told) < 2 || told[0] != requestedLine || !strings.HasPrefix(told[len(told)-1], convertedLine) {
		t.Errorf("got progress messages %q, want from %q to %q", told, requestedLine, convertedLine)
	}
	service.WantCount(mockserver.ConvertChapter, 2)
}

// TestAccActionThatTerraformRunsAgain: the second action fails, so Terraform taints the resource and runs both again.
func TestAccActionThatTerraformRunsAgain(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.FailureModes)
	for keep, conversions := range map[string]int{"false": 2, "true": 1} {
		t.Run("keep_up_to_date "+keep, func(t *testing.T) {
			t.Parallel()
			service := newService(t, book())
			terraform := newCLI(t, service)
			const missing = `
action "audioprojects_convert_chapter" "two" {
  config {
    project_id = "book"
    chapter_id = terraform_data.edition.id
  }
}
`
			terraform.Write(strings.Replace(actionBlock, `chapter_id = "one"`, `chapter_id = "one"`+"\nkeep_up_to_date = "+keep, 1), missing, strings.Replace(
				triggers(`"first"`), "[action.audioprojects_convert_chapter.one]", `[action.audioprojects_convert_chapter.one, action.audioprojects_convert_chapter.two]
      on_failure = taint`, 1))
			for range 2 {
				clitest.WantScreen(t, []string{terraform.RunFailing("apply", "-auto-approve")}, "Unable to convert chapter")
			}
			service.WantCount(mockserver.ConvertChapter, conversions)
		})
	}
}

func TestAccActionInterrupted(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.Actions)
	service := newService(t, book(long))
	terraform := newCLI(t, service)
	terraform.Write(actionBlock)
	screen := terraform.whileApplyWaits(service, (*clitest.Running).Interrupt, invokeOne)
	clitest.WantScreen(t, []string{screen}, `Unable to convert chapter "The Dark Lantern" (one) of project "book"`,
		`The conversion goes on at the service.`, `Invoking the action again joins the conversion while it runs, and may request another when it has ended.`)

	service.endWhenWaitedFor()
	screen = terraform.Run("apply", "-auto-approve", invokeOne)
	clitest.WantScreen(t, []string{screen}, joinedLine, subject+"converted, ")
	service.WantCount(mockserver.ConvertChapter, 1)
}

func TestAccActionErrors(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.Actions)
	replace := func(old, new string) string { return strings.Replace(actionBlock, old, new, 1) }
	tests := map[string]struct {
		block  string
		says   []string
		lists  int
		action string
	}{
		"no duration": {
			replace(`chapter_id = "one"`, `chapter_id = "one"`+"\n"+`timeout = "an hour"`),
			[]string{"Invalid duration", `timeout = "an hour"`, `such as ` + "`30s`, `5m` or `1h30m`" + `. It is "an hour".`}, 0, "validate",
		},
		"no identifier": {replace(`"one"`+"\n", `".."`+"\n"), []string{"Invalid identifier", `chapter_id = ".."`}, 0, "validate"},
		"no such chapter": {
			replace(`chapter_id = "one"`, `chapter_id = "nine"`),
			[]string{`Unable to convert chapter "nine" of project "book"`, `chapter_id = "nine"`, `Project "book" has no chapter "nine".`}, 2, "plan",
		},
		"no such project": {
			replace(`"book"`, `"nook"`),
			[]string{`Unable to read project "nook"`, `project_id = "nook"`, `404 Not Found`, "Check the id"}, 1, "plan",
		},
		"no such chapter, as the apply finds out": {
			replace(`chapter_id = "one"`, `chapter_id = terraform_data.id.output`) + `resource "terraform_data" "id" { input = "nine" }`,
			[]string{`Unable to convert chapter "nine" of project "book"`, `Project "book" has no chapter "nine".`}, 2, "apply",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := newService(t, book())
			terraform := newCLI(t, service)
			terraform.Write(test.block, triggers(`"first"`))
			command := []string{test.action}
			if test.action == "apply" {
				terraform.Run("plan")
				command = append(command, "-auto-approve")
			}
			clitest.WantScreen(t, []string{terraform.RunFailing(command...)}, test.says...)
			service.WantCount(mockserver.ListChapters, test.lists)
			service.WantCount(mockserver.ConvertChapter, 0)
		})
	}
}

// TestAccActionOfAProviderKnownAfterApply: no request is sent before the apply, and the apply succeeds.
func TestAccActionOfAProviderKnownAfterApply(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.Actions)
	service := newService(t, book())
	terraform := newCLI(t, service)
	terraform.Write(addressKnownAfterApply(service.Address), actionBlock, triggers(`terraform_data.address.output`))
	terraform.Run("plan", "-out=saved")
	if got := len(service.Journal()); got > 0 {
		t.Errorf("requests: got %d, want 0", got)
	}
	terraform.Run("apply", "saved")
	service.WantPaid("book", "one", 1)
}
