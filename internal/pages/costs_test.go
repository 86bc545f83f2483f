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

// TestCLICostRecipes plans the bounds for an audiobook that exceeds both, and one.
func TestCLICostRecipes(t *testing.T) {
	t.Parallel()
	bounds := code(t, costsGuide, "precondition and check", "terraform")[0]
	r := follow(t, bounds)
	wantScreen(t, r.RunFailing("plan", "-var", "most_characters=2000"), "The plan may convert 2253 characters.")
	r.Write(strings.Replace(bounds, "10000", "2000", 1))
	wantScreen(t, r.Run("plan"), "Check block assertion failed", "2253 characters, which is more than usual")
	r.WantCount(mockserver.ConvertChapter, 0)
}

// TestCLIMaxCharacters: the guide's bound holds in the plan, and in the apply of a plan whose text has grown since.
func TestCLIMaxCharacters(t *testing.T) {
	t.Parallel()
	bound := func(most string) string {
		return strings.Replace(code(t, costsGuide, "max_characters", "terraform")[0], "50000", most, 1) + read(t, examplesFolder, bookFolder, "resource.tf")
	}
	r := follow(t, bound("2252"))
	wantScreen(t, r.RunFailing("plan"), "Too many characters to convert")
	r.Write(bound("2253"))
	r.Run("plan", "-out=book.tfplan")
	r.EditChapter("audiobook", "chapter-3", strings.Repeat("Wren rowed on, and the bell was silent. ", 20))
	wantScreen(t, r.RunFailing("apply", "book.tfplan"), "Too many characters to convert")
	if r.Count(mockserver.ConvertChapter) == 5 {
		t.Error("the apply has converted more than the bound")
	}
}

// TestCLIPolicyReadsThePlan looks in a plan's JSON for what the policy reads there. TestCLIRecipeLinters runs the policy.
func TestCLIPolicyReadsThePlan(t *testing.T) {
	t.Parallel()
	r := followExample(t, costsFolder+"bounds.tf")
	r.Run("plan", "-out=tfplan")
	billed := r.Run("show", "-json", "tfplan")
	for _, part := range []string{
		`"type":"audioprojects_project_conversion"`, `"actions":["create"]`, `"type":"audioprojects_project_bill"`, `"characters":2253`, `"reason":"never converted"`,
	} {
		if !strings.Contains(billed, part) {
			t.Errorf("the plan's JSON has no %s", part)
		}
	}
}
