package pages

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/go-version"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
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

// TestCLIRecipeMoney: the logs that pipelines keep and the one of this folder sum up what was spent, by month. A name of a chapter
// counts for nothing.
func TestCLIRecipeMoney(t *testing.T) {
	t.Parallel()
	name := `Night 7 characters=1000 "and characters=1000 more`
	if !escapesInLogs(t) {
		name = "Night 7 characters=1000 and more"
	}
	book := mockserver.Audiobook(0)
	// The fields of a line come in any order.
	for i := range book.Chapters {
		book.Chapters[i].Name = name
	}
	r := followExample(t, bookFolder+"resource.tf", book)
	commands := code(t, costsGuide, "What was spent", "sh")
	runShell(t, r.CLI, commands[0])
	r.WantCount(mockserver.ConvertChapter, 5)
	log := read(t, r.Folder, "spent.log")
	_, line, _ := strings.Cut(log, "Conversion requested")
	_, line, _ = strings.Cut(line, " timestamp=")
	month := line[:len("2026-11")]
	// What GitHub keeps: a folder for each artifact.
	r.WriteFile("older.log", strings.ReplaceAll(log, month, "2025-03"))
	r.WriteFile("oldest.log", strings.ReplaceAll(log, month, "2025-02"))
	for i, name := range []string{"older", "older", "oldest"} {
		r.WriteFile(fmt.Sprintf("kept%d", i), name)
	}
	github := onlyHere(t, map[string]string{"gh": `test "$*" = "run download --pattern spent-*" &&
for run in 0 1 2; do mkdir spent-audiobook-$run-1 && cp "$(cat kept$run).log" spent-audiobook-$run-1/spent.log; done`})
	got := runShell(t, r.CLI, github+commands[1], commands[2])
	want := "2025-02: 5 requests, 2253 characters\n2025-03: 10 requests, 4506 characters\n" + month + ": 5 requests, 2253 characters\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// escapesInLogs reports whether the CLI's log escapes a quotation mark within a value.
func escapesInLogs(t *testing.T) bool {
	t.Helper()
	product, running := clitest.Version(t)
	return product != "Terraform" || !running.LessThan(version.Must(version.NewVersion("1.11")))
}
