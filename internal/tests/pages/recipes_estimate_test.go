package pages

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/go-version"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// TestTheEstimateIsATable runs estimate.sh on plans that a mock service does not give.
func TestTheEstimateIsATable(t *testing.T) {
	t.Parallel()
	const begin, table = "<!-- estimate of the plan -->\n", "| chapter | characters | why |\n|---|--:|---|\n"
	estimate := func(address, values string) string {
		return `{"mode": "data", "type": "audioprojects_project_estimate", "address": "` + address + `", "values": {` + values + `}}`
	}
	plan := func(resources ...string) string {
		return `{"prior_state": {"values": {"root_module": {"child_modules": [{"child_modules": [{"resources": [` + strings.Join(resources, ",") + `]}]}]}}},
			"resource_changes": [{"address": "data.later", "change": {"actions": ["read"]}}]}`
	}
	// A comment on GitHub has room for 65,536 characters.
	const room = 65536
	many := strings.Repeat(`{"chapter_id": "one", "name": "`+strings.Repeat("|", 200)+`", "characters": 100000, "reason": "converted before the time"},`, 1000)
	for name, test := range map[string]struct{ plan, want string }{
		"Markdown in a name": {
			plan(estimate("module.a.module.b.data", `"project_id": "book", "characters": 3, "chapters": [
				{"name": "a|b<i>\n`+"`c`"+` *d* _e_ ~f~ [x](y) \\ @me #1 $z$ & Größe", "characters": 3, "reason": "edited"}]`)),
			begin + "**<code>book</code>: 3 characters at most**\n\n" + table + "| <code>a&#124;b&#60;i&#62; &#96;c&#96; &#42;d&#42; &#95;e&#95; &#126;f&#126; &#91;x&#93;(y) &#92; &#64;me &#35;1 &#36;z&#36; &#38; Größe</code> | 3 | edited |\n\n",
		},
		"not counted, without a name": {
			plan(estimate("data", `"project_id": "book", "characters": null, "chapters": [{"chapter_id": "one", "name": null, "characters": null, "reason": null}]`)),
			begin + "**<code>book</code>: not all characters are counted**\n\n" + table + "| <code>one</code> | not counted |  |\n\n",
		},
		"nothing to convert": {plan(estimate("data", `"project_id": "book", "characters": 0, "chapters": []`)), begin + "**<code>book</code>: 0 characters at most**\n\n\n"},
		"read in the apply":  {plan(estimate("data.later", `"project_id": "book", "characters": 1, "chapters": []`)), begin + "The plan has no estimate.\n"},
		"no chapters":        {plan(estimate("data", `"project_id": "book", "characters": 0, "chapters": null`)), begin + "**<code>book</code>: 0 characters at most**\n\n\n"},
		"no plan":            {"", begin + "**The plan has failed.** The log of the job says why.\n\nThe plan has no estimate.\n"},
		"several": {plan(slices.Repeat([]string{estimate("data", `"project_id": "book", "characters": 1, "chapters": [`+strings.TrimSuffix(many, ",")+`]`)}, 8)...),
			begin + strings.Repeat("**<code>book</code>: 1 characters at most**\n\n"+table+
				strings.Repeat("| <code>"+strings.Repeat("&#124;", 80)+"</code> | 100000 | converted before the time |\n", 100)+"| and 900 more | | |\n\n", 8)},
		"many": {plan(estimate("data", `"project_id": "book", "characters": 100000000, "chapters": [`+strings.TrimSuffix(many, ",")+`]`)),
			begin + "**<code>book</code>: 100000000 characters at most**\n\n" + table +
				strings.Repeat("| <code>"+strings.Repeat("&#124;", 80)+"</code> | 100000 | converted before the time |\n", 100) + "| and 900 more | | |\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			writeFile(t, filepath.Join(folder, "plan.json"), test.plan)
			writeFile(t, filepath.Join(folder, "estimate.sh"), read(t, examplesFolder, estimateExample))
			command := exec.CommandContext(t.Context(), "sh", "-c", onlyHere(t, map[string]string{"terraform": "grep . plan.json", "gh": "true"})+"exec sh estimate.sh")
			command.Dir = folder
			command.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool { return strings.HasPrefix(variable, "GITHUB_") })
			command.Env = append(command.Env, "PULL_REQUEST=12", "GITHUB_REPOSITORY=reader/books")
			said, err := command.CombinedOutput()
			got := read(t, folder, "estimate.md")
			if err != nil || got != test.want {
				t.Errorf("%v %s: got\n%s\nwant\n%s", err, said, got, test.want)
			}
			comment := read(t, folder, "comment.md")
			rest, cut := strings.CutSuffix(comment, "\nThe rest is on the page of the run.\n")
			if cut {
				comment = rest
			}
			if len(comment) > room || len(got) <= 60000 && comment != got || !strings.HasPrefix(got, comment) {
				t.Errorf("got a comment of %d bytes\n%s", len(comment), comment)
			}
		})
	}
}

// TestCLITheEstimateOfAModule: the estimate is found in the module that has it, also when the plan is refused.
func TestCLITheEstimateOfAModule(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.StateLockFiles)
	r := follow(t, "module \"books\" {\n  source = \"./books\"\n}\n")
	for _, file := range []struct{ name, text string }{
		{"books/main.tf", "module \"book\" {\n  source = \"./book\"\n}\n"},
		{"books/book/versions.tf", clitest.RequiredProviders},
		{"books/book/main.tf", read(t, examplesFolder, costsFolder, "limits.tf")},
		{"estimate.sh", read(t, examplesFolder, estimateExample)},
	} {
		err := os.MkdirAll(filepath.Dir(filepath.Join(r.Folder, file.name)), 0o700)
		if err != nil {
			t.Fatal(err)
		}
		r.WriteFile(file.name, file.text)
	}
	r.Run("get")
	for most, refused := range map[string]bool{"2253": false, "2252": true} {
		r.Environment = append(r.Environment, "AUDIOPROJECTS_MAX_CHARACTERS="+most)
		_, err := shell(t, r.CLI, "rm -f tfplan && terraform plan -out=tfplan")
		runShell(t, r.CLI, "sh estimate.sh")
		estimate := read(t, r.Folder, "estimate.md")
		want := "**<code>audiobook</code>: 2253 characters at most**\n\n| chapter | characters | why |\n|---|--:|---|\n| <code>The Dark Lantern</code> | 509 | never converted |\n"
		if (err != nil) != refused || strings.Contains(estimate, "**The plan has failed.**") != refused || !strings.Contains(estimate, want) {
			t.Errorf("at most %s: %v\n%s", most, err, estimate)
		}
	}
	r.WantCount(mockserver.ConvertChapter, 0)
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
