package pages

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// TestCLICosts_maxCharacters: the guide's limit holds in the plan, and in the apply of a plan whose text has grown since.
func TestCLICosts_maxCharacters(t *testing.T) {
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

// TestCLICosts_totalOfAPlan: the guide's commands print what the whole plan costs, with a resource for each chapter, with two provider
// blocks, and where nothing costs. A cost that is not known is no number, and fails.
func TestCLICosts_totalOfAPlan(t *testing.T) {
	t.Parallel()
	short := mockserver.Project{ID: "short", Chapters: []mockserver.Chapter{{ID: "only", Text: "Wren rowed on."}}}
	twoBlocks := code(t, recipesGuide, "Convert all my projects", "terraform")[0] + `
provider "audioprojects" {
  alias = "second"
}

resource "audioprojects_chapter_conversion" "second" {
  provider   = audioprojects.second
  project_id = "short"
  chapter_id = "only"
}
`
	nobodyThere := wholeProject + "provider \"audioprojects\" {\n  base_url    = \"http://127.0.0.1:1\"\n  max_retries = 0\n}\n"
	for name, test := range map[string]struct {
		configuration string
		projects      []mockserver.Project
		habits        mockserver.Habits
		applied       bool   // before the plan
		argument      string // of the plan
		total, number string
	}{
		"chapters":                {configuration: read(t, examplesFolder, conversionFolder, "resource_book.tf"), total: "5 chapters, 2,253 characters at most", number: "2253"},
		"two blocks":              {configuration: twoBlocks, projects: []mockserver.Project{mockserver.Audiobook(0), short}, total: "7 chapters, 2,281 characters at most", number: "2281"},
		"adopted":                 {configuration: wholeProject, projects: []mockserver.Project{convertedAudiobook(0)}, total: "no conversion", number: "0"},
		"not counted":             {configuration: wholeProject, habits: mockserver.Habits{NoStatistics: true}},
		"chapters not counted":    {configuration: read(t, examplesFolder, conversionFolder, "resource_book.tf"), habits: mockserver.Habits{NoStatistics: true}},
		"no such project":         {configuration: wholeProject, projects: []mockserver.Project{short}},
		"nobody there":            {configuration: nobodyThere},
		"error of a condition":    {configuration: strings.Replace(read(t, examplesFolder, limitsExample), "50000", "2000", 1)},
		"hidden by a replacement": {configuration: wholeProject, applied: true, argument: " -replace=audioprojects_project_conversion.book"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := follow(t, test.configuration, test.projects...)
			r.SetHabits(test.habits)
			if test.applied {
				r.apply()
			}
			requested := r.Count(mockserver.ConvertChapter)
			_, _ = shell(t, r.CLI, strings.Replace(code(t, costsGuide, "Review a saved plan", "sh")[0], " -out", test.argument+" -out", 1))
			wantTotal(t, r.CLI, test.total, test.number)
			r.WantCount(mockserver.ConvertChapter, requested)
		})
	}
}

// wantTotal runs the guide's command on plan.jsonl: it prints the total, and its option the number. Without them, the
// cost is not known, which the command says, and with the option only as an error.
func wantTotal(t *testing.T, cli *clitest.CLI, total, number string) {
	t.Helper()
	cli.WriteFile("estimate.jq", read(t, examplesFolder, totalExample))
	command := strings.TrimSpace(code(t, costsGuide, "Review a saved plan", "sh")[2])
	isKnown := total != ""
	if !isKnown {
		total = "cost unknown"
	}
	const onlyNumber = " --arg only number"
	for command, want := range map[string]string{command: total + "\n", command + onlyNumber: strings.TrimPrefix(number+"\n", "\n")} {
		got, err := shell(t, cli, command+" 2>errors")
		errors := read(t, cli.Folder, "errors")
		saysUnknown := strings.Contains(got+errors, "cost unknown")
		if got != want || (err == nil) != isKnown || saysUnknown == isKnown {
			t.Errorf("%s: got %q, %q and %v, want %q", command, got, errors, err, want)
		}
	}
}

// TestCLICosts_totalOfNoPlan: what is no plan, or only a part of one, has no total.
func TestCLICosts_totalOfNoPlan(t *testing.T) {
	t.Parallel()
	r := follow(t, wholeProject)
	runShell(t, r.CLI, code(t, costsGuide, "Review a saved plan", "sh")[0])
	plan := read(t, r.Folder, "plan.jsonl")
	for name, text := range map[string]string{
		"empty": "", "begun": plan[:strings.Index(plan, "\n")+1], "cut off": plan[:len(plan)-20], "two plans": plan + plan,
		"a page": "<html>502 Bad Gateway</html>\n" + plan, "another value": "[1]\n" + plan,
		"another form": r.Run("show", "-json", "tfplan"),
	} {
		t.Run(name, func(t *testing.T) {
			r.WriteFile("plan.jsonl", text)
			wantTotal(t, r.CLI, "", "")
		})
	}
}

// TestCLICosts_numberForConditions: the page's condition refuses a plan for an audiobook that has more. A saved plan has none of its warnings, so
// that the page keeps their text.
func TestCLICosts_numberForConditions(t *testing.T) {
	t.Parallel()
	condition := code(t, costsGuide, "A condition of your own", "terraform")[0]
	r := follow(t, strings.Replace(condition, "50000", "2000", 1))
	wantScreen(t, r.RunFailing("plan"), "The project has 2253 unconverted characters.")
	r.Write(condition)
	wantScreen(t, r.Run("plan", "-out=tfplan"), "cost credits")
	shown := r.Run("show", "-no-color", "tfplan") + r.Run("show", "-json", "tfplan")
	if strings.Contains(shown, "cost credits") {
		t.Errorf("the saved plan shows its warnings:\n%s", shown)
	}
	r.WantCount(mockserver.ConvertChapter, 0)
	r.Run("apply", "tfplan")
	r.wantSettled(5)
}

// TestCLICosts_compactWarnings: the line that the option leaves has the chapters and the characters.
func TestCLICosts_compactWarnings(t *testing.T) {
	t.Parallel()
	r := followExample(t, bookFolder+"resource.tf")
	wantScreen(t, r.Run("plan", "-compact-warnings"), `- Conversions that cost credits in project "audiobook": 5 chapters, 2,253 characters at most`)
}

// TestCLISpending: the page's script adds up the logs of two projects and of two months, in both forms that a log can have. The name of a
// chapter is no field of a line. The resource shows what its last apply has requested.
func TestCLISpending(t *testing.T) {
	t.Parallel()
	book := mockserver.Audiobook(0)
	for i := range book.Chapters {
		book.Chapters[i].Name = `Wren" characters=9 project_id=short "Conversion requested`
	}
	r := follow(t, code(t, recipesGuide, "Convert all my projects", "terraform")[0], book,
		mockserver.Project{ID: "short", Chapters: []mockserver.Chapter{{ID: "only", Text: "Wren rowed on."}}})
	commands := code(t, costsGuide, "What was spent", "sh")
	logs, script := commands[0], strings.TrimSpace(commands[1])
	r.WriteFile("spending.jq", read(t, examplesFolder, spendingExample))
	runShell(t, r.CLI, logs, "terraform apply")
	r.EditChapter("audiobook", "chapter-3", "Wren rowed on.")
	runShell(t, r.CLI, "export TF_LOG=JSON TF_LOG_CORE=off TF_LOG_PROVIDER=INFO TF_LOG_PATH=later.log", "terraform apply")
	wantScreen(t, r.Run("show"), "characters_requested = 14")
	month := regexp.MustCompile(`(timestamp"?[=:]"?)\d{4}-\d\d`)
	for file, other := range map[string]string{"spent.log": "2026-11", "later.log": "2026-12"} {
		r.WriteFile(file, month.ReplaceAllString(read(t, r.Folder, file), "${1}"+other))
	}
	got := runShell(t, r.CLI, script+" later.log")
	const want = "month\tproject_id\trequests\tcharacters\tnot_counted\tanswer_lost\n" +
		"2026-11\taudiobook\t5\t2253\t0\t0\n2026-11\tshort\t1\t14\t0\t0\n2026-12\taudiobook\t1\t14\t0\t0\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestCLISpending_ofWhatIsNotKnown: a request whose answer was lost is counted, and so is one without a number of characters.
func TestCLISpending_ofWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	r := followExample(t, bookFolder+"resource.tf", mockserver.Project{ID: "audiobook", Chapters: []mockserver.Chapter{
		{ID: "only", Text: "Wren rowed on.", Conversions: []mockserver.Conversion{{Takes: 1500 * time.Millisecond}}}, // long enough to be seen
	}})
	r.SetHabits(mockserver.Habits{NoStatistics: true})
	r.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Times: 1, Reset: true, Process: true})
	commands := code(t, costsGuide, "What was spent", "sh")
	r.WriteFile("spending.jq", read(t, examplesFolder, spendingExample))
	runShell(t, r.CLI, commands[0], "terraform apply")
	lines := strings.Split(runShell(t, r.CLI, commands[1]), "\n")
	if len(lines) != 3 || !strings.HasSuffix(lines[1], "\taudiobook\t1\t0\t1\t1") {
		t.Errorf("got %q", lines)
	}
}
