package pages

import (
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const (
	costsFolder   = "costs/"
	policyExample = costsFolder + "policy/characters.rego"
)

// TestCLICostRecipes plans with the limits, for an audiobook that exceeds one of them, or both.
func TestCLICostRecipes(t *testing.T) {
	t.Parallel()
	limits := code(t, costsGuide, "precondition and check", "terraform")[0]
	r := follow(t, strings.Replace(limits, "50000", "2000", 1))
	wantScreen(t, r.RunFailing("plan"), "The plan may convert 2253 characters.")
	r.Write(strings.Replace(limits, "10000", "2000", 1))
	wantScreen(t, r.Run("plan"), "Check block assertion failed", "2253 characters, which is more than usual")
	r.WantCount(mockserver.ConvertChapter, 0)
}

// TestCLIMaxCharacters: the guide's limit holds in the plan, and in the apply of a plan whose text has grown since.
func TestCLIMaxCharacters(t *testing.T) {
	t.Parallel()
	limited := func(most string) string {
		return strings.Replace(code(t, costsGuide, "max_characters", "terraform")[0], "50000", most, 1) + read(t, examplesFolder, bookFolder, "resource.tf")
	}
	r := follow(t, limited("2252"))
	wantScreen(t, r.RunFailing("plan"), "Too many characters to convert")
	r.Write(limited("2253"))
	r.Run("plan", "-out=book.tfplan")
	r.EditChapter("audiobook", "chapter-3", strings.Repeat("Wren rowed on, and the bell was silent. ", 20))
	wantScreen(t, r.RunFailing("apply", "book.tfplan"), "Too many characters to convert")
	if r.Count(mockserver.ConvertChapter) == 5 {
		t.Error("the apply has converted more than the limit")
	}
}

// TestCLIPolicyReadsThePlan looks in a plan's JSON for what the policy reads there. TestCLIRecipeLinters runs the policy. What a saved
// plan shows has no warnings, so the estimate is there only as data.
func TestCLIPolicyReadsThePlan(t *testing.T) {
	t.Parallel()
	r := followExample(t, costsFolder+"limits.tf")
	r.Run("plan", "-out=tfplan")
	shown, estimated := r.Run("show", "tfplan"), r.Run("show", "-json", "tfplan")
	for _, part := range []string{
		`"type":"audioprojects_project_conversion"`, `"actions":["create"]`, `"type":"audioprojects_project_estimate"`, `"characters":2253`, `"reason":"never converted"`,
	} {
		if !strings.Contains(estimated, part) {
			t.Errorf("the plan's JSON has no %s", part)
		}
	}
	if strings.Contains(shown+estimated, "cost credits") {
		t.Errorf("the saved plan shows its warnings:\n%s", shown)
	}
}

// TestCLIEstimateAsData runs the command of the page on a plan, and on one that was refused.
func TestCLIEstimateAsData(t *testing.T) {
	t.Parallel()
	show := code(t, costsGuide, "The estimate as data", "sh")[0]
	r := follow(t, `
data "audioprojects_project_estimate" "book" {
  project_id = "audiobook"
}

output "estimate" {
  value = data.audioprojects_project_estimate.book.characters
}

resource "audioprojects_project_conversion" "book" {
  project_id = "audiobook"
}
`)
	r.Run("plan", "-out=tfplan")
	wantScreen(t, runShell(t, r.CLI, show), "2253")
	r.Environment = append(r.Environment, "AUDIOPROJECTS_MAX_CHARACTERS=0")
	r.RunFailing("plan", "-out=tfplan")
	wantScreen(t, runShell(t, r.CLI, show), "2253")
}

// TestCLICompactWarnings: the line that the option leaves has the chapters and the characters.
func TestCLICompactWarnings(t *testing.T) {
	t.Parallel()
	r := followExample(t, bookFolder+"resource.tf")
	wantScreen(t, r.Run("plan", "-compact-warnings"), `- Conversions that cost credits in project "audiobook": 5 chapters, 2,253 characters at most`)
}
