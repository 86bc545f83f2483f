package pages

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// TestCLICosts_maxCharacters: the guide's limit holds in the plan, and in the apply of a plan whose text has grown since. One of the
// environment says what the guide's picture shows.
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
	other := followExample(t, firstExample)
	other.Environment = append(other.Environment, "AUDIOPROJECTS_MAX_CHARACTERS=2000")
	wantScreen(t, other.RunFailing("plan"), picture(t, "budget")...)
}

// TestCLICosts_savedPlan: with the page's command, the apply of a creation requests no more than its plan has said, and nothing if nobody
// knows that. The limit of the block is larger.
func TestCLICosts_savedPlan(t *testing.T) {
	t.Parallel()
	r := follow(t, code(t, costsGuide, "max_characters", "terraform")[0]+read(t, examplesFolder, bookFolder, "resource.tf"))
	r.WriteFile("estimate.jq", read(t, examplesFolder, totalExample))
	plan, apply := code(t, costsGuide, "Review a saved plan", "sh")[0], code(t, costsGuide, "A saved plan and its price", "sh")[0]
	runShell(t, r.CLI, plan)
	r.EditChapter("audiobook", "chapter-3", strings.Repeat("Wren rowed on, and the bell was silent. ", 20))
	screen, err := shell(t, r.CLI, apply)
	wantScreen(t, screen, "would exceed the limit of 2,253 characters (AUDIOPROJECTS_MAX_CHARACTERS)", "there is more text since: plan again")
	r.WantCount(mockserver.ConvertChapter, 0)
	if err == nil {
		t.Error("the apply did not fail")
	}
	runShell(t, r.CLI, plan)
	r.WriteFile("plan.jsonl", "")
	screen, err = shell(t, r.CLI, apply)
	wantScreen(t, screen, "cost unknown", "AUDIOPROJECTS_MAX_CHARACTERS is set, and empty")
	r.WantCount(mockserver.ConvertChapter, 0)
	if err == nil {
		t.Error("the apply without a number did not fail")
	}
	runShell(t, r.CLI, plan)
	r.EditChapter("audiobook", "chapter-3", "Wren rowed on.")
	runShell(t, r.CLI, apply)
	r.wantSettled(5)
}

// TestCLICosts_totalOfAPlan: the guide's commands print what the whole plan costs, with a resource for each chapter, with two provider
// blocks, and where nothing costs. What the apply only waits for is told beside that, and is not in the number. A cost that is not known is
// no number, and fails.
func TestCLICosts_totalOfAPlan(t *testing.T) {
	t.Parallel()
	short := mockserver.Project{ID: "short", Chapters: []mockserver.Chapter{{ID: "only", Text: "Wren rowed on."}}}
	twoBlocks := code(t, bookGuide, "Convert all my projects", "terraform")[0] + `
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
	slow, empty := mockserver.Audiobook(time.Hour), mockserver.Audiobook(0)
	empty.Chapters = empty.Chapters[2:3]
	convert := func(chapters ...string) func(*reader) {
		return func(r *reader) {
			for _, chapter := range chapters {
				r.Convert("audiobook", chapter)
			}
		}
	}
	all := convert("chapter-1", "chapter-2", "chapter-3", "chapter-4", "chapter-5")
	const waits = "Only waited for: 5 chapters, at most 2,253 characters more if their conversions fail"
	for name, test := range map[string]struct {
		configuration string
		projects      []mockserver.Project
		habits        mockserver.Habits
		before        func(*reader)
		argument      string // of the plan
		total, number string
	}{
		"chapters":             {configuration: read(t, examplesFolder, conversionFolder, "resource_book.tf"), total: "5 chapters, 2,253 characters at most", number: "2253"},
		"two blocks":           {configuration: twoBlocks, projects: []mockserver.Project{mockserver.Audiobook(0), short}, total: "7 chapters, 2,281 characters at most", number: "2281"},
		"adopted":              {configuration: wholeProject, projects: []mockserver.Project{convertedAudiobook(0)}, total: "no conversion", number: "0"},
		"not counted":          {configuration: wholeProject, habits: mockserver.Habits{NoStatistics: true}},
		"chapters not counted": {configuration: read(t, examplesFolder, conversionFolder, "resource_book.tf"), habits: mockserver.Habits{NoStatistics: true}},
		"no such project":      {configuration: wholeProject, projects: []mockserver.Project{short}},
		"nobody there":         {configuration: nobodyThere},
		"error of a condition": {configuration: strings.Replace(read(t, examplesFolder, limitsExample), "50000", "2000", 1)},
		"requests, and waits": {configuration: wholeProject, projects: []mockserver.Project{slow}, before: convert("chapter-3"), number: "1712",
			total: "4 chapters, 1,712 characters at most. Only waited for: 1 chapter, at most 541 characters more if its conversion fails"},
		"chapters, and waits": {configuration: read(t, examplesFolder, conversionFolder, "resource_book.tf"), projects: []mockserver.Project{slow}, before: convert("chapter-3"), number: "1712",
			total: "4 chapters, 1,712 characters at most. Only waited for: 1 chapter, at most 541 characters more if its conversion fails"},
		"only waits":           {configuration: wholeProject, projects: []mockserver.Project{slow}, before: all, total: "no new conversion. " + waits, number: "0"},
		"chapters, only waits": {configuration: read(t, examplesFolder, conversionFolder, "resource_book.tf"), projects: []mockserver.Project{slow}, before: all, total: "no new conversion. " + waits, number: "0"},
		"waits, not counted": {configuration: wholeProject, projects: []mockserver.Project{slow}, habits: mockserver.Habits{NoStatistics: true}, before: all, number: "0",
			total: "no new conversion. Only waited for: 5 chapters, not all of them counted"},
		"chapters wait, not counted": {configuration: read(t, examplesFolder, conversionFolder, "resource_book.tf"), projects: []mockserver.Project{slow}, habits: mockserver.Habits{NoStatistics: true}, before: all, number: "0",
			total: "no new conversion. Only waited for: 5 chapters, not all of them counted"},
		"without text": {configuration: read(t, examplesFolder, conversionFolder, "resource.tf"), projects: []mockserver.Project{empty}, number: "1",
			before: func(r *reader) { r.EditChapter("audiobook", "chapter-3", "") }, total: "1 chapter, 0 characters at most"},
		"hidden by a replacement": {configuration: wholeProject, before: func(r *reader) { r.apply() }, argument: " -replace=audioprojects_project_conversion.book"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := follow(t, test.configuration, test.projects...)
			r.SetHabits(test.habits)
			if test.before != nil {
				test.before(r)
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
	condition := read(t, examplesFolder, limitsExample)
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

// TestCLISpending: the page's script adds up the logs of two projects and of two months, in both forms that a log
// can have, and those of each chapter on request, under its latest name. A name is no field of a line. The resource
// shows what its last apply has requested.
func TestCLISpending(t *testing.T) {
	t.Parallel()
	book := mockserver.Audiobook(0)
	for i := range book.Chapters {
		book.Chapters[i].Name = `Wren" characters=9 project_id=short "Conversion requested`
	}
	r := follow(t, code(t, bookGuide, "Convert all my projects", "terraform")[0], book,
		mockserver.Project{ID: "short", Chapters: []mockserver.Chapter{{ID: "only", Text: "Wren rowed on."}}})
	commands := code(t, costsGuide, "What was spent", "sh")
	logs, script := commands[0], strings.TrimSpace(commands[1])
	r.WriteFile("spending.jq", read(t, examplesFolder, spendingExample))
	runShell(t, r.CLI, logs, "terraform apply")
	for _, chapter := range []struct{ name, text string }{{"Rowing", "Wren rowed on."}, {"The bell\t", "The bell was silent."}} {
		r.SetField("audiobook", "chapter-3", "name", strconv.Quote(chapter.name))
		r.EditChapter("audiobook", "chapter-3", chapter.text)
		runShell(t, r.CLI, "export TF_LOG=JSON TF_LOG_CORE=off TF_LOG_PROVIDER=INFO TF_LOG_PATH=later.log", "terraform apply")
	}
	wantScreen(t, r.Run("show"), "characters_requested = 20")
	month := regexp.MustCompile(`(timestamp"?[=:]"?)\d{4}-\d\d`)
	for file, other := range map[string]string{"spent.log": "2026-11", "later.log": "2026-12"} {
		r.WriteFile(file, month.ReplaceAllString(read(t, r.Folder, file), "${1}"+other))
	}
	const wren = `Wren' characters=9 project_id=short '…nversion requested` // as messages show it
	for option, want := range map[string]string{
		"": `
project_id	month	requests	characters	not_counted	answer_lost
audiobook	2026-11	5	2253	0	0
audiobook	2026-12	2	34	0	0
short	2026-11	1	14	0	0
`,
		"--arg by chapter": `
project_id	month	chapter_id	chapter	requests	characters	not_counted	answer_lost
audiobook	2026-11	chapter-1	` + wren + `	1	509	0	0
audiobook	2026-11	chapter-2	` + wren + `	1	412	0	0
audiobook	2026-11	chapter-3	` + wren + `	1	541	0	0
audiobook	2026-11	chapter-4	` + wren + `	1	365	0	0
audiobook	2026-11	chapter-5	` + wren + `	1	426	0	0
audiobook	2026-12	chapter-3	The bell	2	34	0	0
short	2026-11	only	only	1	14	0	0
`,
	} {
		got := "\n" + runShell(t, r.CLI, script+" later.log "+option)
		if got != want {
			t.Errorf("with %q, got\n%s\nwant\n%s", option, got, want)
		}
	}
}

// TestPipelines_keepTheLog: both pipelines say for how long they keep the log of what was spent, and the page says
// the same.
func TestPipelines_keepTheLog(t *testing.T) {
	t.Parallel()
	var github workflow
	readYAML(t, read(t, examplesFolder, workflowExample), &github)
	kept := ""
	for _, step := range github.Jobs["book"].Steps {
		if step.With["path"] == "spent.log" {
			kept = step.With["retention-days"] + " days"
		}
	}
	var gitlab struct {
		Apply struct {
			Artifacts struct {
				Paths    []string
				ExpireIn string `yaml:"expire_in"`
			}
		}
	}
	readYAML(t, read(t, examplesFolder, gitlabExample), &gitlab)
	artifacts := gitlab.Apply.Artifacts
	onPage := regexp.MustCompile(`\d+ days`).FindString(section(t, costsGuide, "What was spent"))
	if onPage == "" || kept != onPage || artifacts.ExpireIn != onPage || !slices.Contains(artifacts.Paths, "spent.log") {
		t.Errorf("GitHub keeps the log %s, GitLab %+v, and the page says %q", kept, artifacts, onPage)
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
	if len(lines) != 3 || !regexp.MustCompile(`^audiobook\t\d{4}-\d\d\t1\t0\t1\t1$`).MatchString(lines[1]) {
		t.Errorf("got %q", lines)
	}
}

// TestOneCLICosts_portions: with the page's configuration, three applies convert a book in its order, each within the
// portion, and the output says what is left.
func TestOneCLICosts_portions(t *testing.T) {
	t.Parallel()
	r := follow(t, strings.Replace(code(t, costsGuide, "A book in months", "terraform")[0], "100000", "1000", 1))
	for _, month := range []struct {
		planned, later, left string
		requests             int
	}{
		{"2 chapters, 921 characters at most", "Left to later applies: 3 chapters, 1,332 characters.", "1332", 2},
		{"2 chapters, 906 characters at most", "Left to later applies: 1 chapter, 426 characters.", "426", 4},
		{"1 chapter, 426 characters at most", "", "0", 5},
	} {
		plan := r.Run("plan", "-out=book.tfplan")
		wantScreen(t, plan, month.planned)
		screen := r.Run("apply", "book.tfplan")
		if month.later != "" {
			wantScreen(t, plan, month.later)
			wantScreen(t, screen, month.later)
		}
		wantScreen(t, screen, "characters_left = "+month.left)
		r.WantCount(mockserver.ConvertChapter, month.requests)
	}
	r.wantSettled(5)
}
