package pages

import (
	"regexp"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

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

// TestCLITotalOfAPlan: the guide's commands print what the whole plan costs, with a resource for each chapter, with one for each of two
// projects, and where nothing costs.
func TestCLITotalOfAPlan(t *testing.T) {
	t.Parallel()
	commands := code(t, costsGuide, "The plan has an estimate", "sh")
	short := mockserver.Project{ID: "short", Chapters: []mockserver.Chapter{{ID: "only", Text: "Wren rowed on."}}}
	for name, test := range map[string]struct {
		configuration string
		projects      []mockserver.Project
		total         string
	}{
		"chapters": {read(t, examplesFolder, conversionFolder, "resource_book.tf"), nil, "5 chapters, 2,253 characters at most\n"},
		"projects": {code(t, recipesGuide, "Convert all my projects", "terraform")[0], []mockserver.Project{mockserver.Audiobook(0), short}, "6 chapters, 2,267 characters at most\n"},
		"adopted":  {read(t, examplesFolder, bookFolder, "resource.tf"), []mockserver.Project{convertedAudiobook(0)}, "0 chapters, 0 characters\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := follow(t, test.configuration, test.projects...)
			total := runShell(t, r.CLI, commands...)
			if total != test.total {
				t.Errorf("got %q, want %q", total, test.total)
			}
			r.WantCount(mockserver.ConvertChapter, 0)
		})
	}
}

// TestCLINumberForConditions plans with the page's conditions, for an audiobook that exceeds one of them, or both. A saved plan has
// none of the warnings, and shows the output. After an apply that converts, the output has another number.
func TestCLINumberForConditions(t *testing.T) {
	t.Parallel()
	conditions := code(t, costsGuide, "A number for conditions", "terraform")[0]
	r := follow(t, strings.Replace(conditions, "50000", "2000", 1))
	wantScreen(t, r.RunFailing("plan"), "The project has 2253 unconverted characters.")
	r.Write(strings.Replace(conditions, "10000", "2000", 1))
	wantScreen(t, r.Run("plan", "-out=tfplan"), "Check block assertion failed", "2253 unconverted characters, which is more than usual", "cost credits")
	shown := r.Run("show", "-no-color", "tfplan")
	wantScreen(t, shown, "+ characters_unconverted = 2253")
	if strings.Contains(shown+r.Run("show", "-json", "tfplan"), "cost credits") {
		t.Errorf("the saved plan shows its warnings:\n%s", shown)
	}
	r.WantCount(mockserver.ConvertChapter, 0)
	r.Write(conditions)
	r.apply()
	wantScreen(t, r.Run("plan"), "~ characters_unconverted = 2253 -> 0", "without changing any real infrastructure")
	r.Run("apply", "-refresh-only", "-auto-approve")
	r.wantSettled(5)
}

// TestCLICompactWarnings: the line that the option leaves has the chapters and the characters.
func TestCLICompactWarnings(t *testing.T) {
	t.Parallel()
	r := followExample(t, bookFolder+"resource.tf")
	wantScreen(t, r.Run("plan", "-compact-warnings"), `- Conversions that cost credits in project "audiobook": 5 chapters, 2,253 characters at most`)
}

// TestCLIRecipeMoney: the output has what the last apply has requested, and the log has a line for each request.
func TestCLIRecipeMoney(t *testing.T) {
	t.Parallel()
	r := followExample(t, bookFolder+"resource.tf")
	r.WriteFile("spent.tf", code(t, costsGuide, "What was spent", "terraform")[0])
	logs := regexp.MustCompile("`(TF_LOG_PROVIDER=[^`]+)`").FindStringSubmatch(section(t, costsGuide, "What was spent"))
	runShell(t, r.CLI, logs[1])
	wantScreen(t, r.Run("output", "-json"), `"value": 2253`)
	requested := strings.Count(read(t, r.Folder, "spent.log"), "Conversion requested")
	if requested != 5 {
		t.Errorf("the log has %d requests", requested)
	}
	r.EditChapter("audiobook", "chapter-3", "Wren rowed on.")
	r.apply()
	wantScreen(t, r.Run("output", "-json"), `"value": 14`)
	r.wantSettled(6)
}
