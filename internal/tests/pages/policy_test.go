package pages

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// conftest is a folder with Conftest, or with the tool that does the same.
func conftest(t *testing.T) (folder string) {
	t.Helper()
	found, missing := exec.LookPath("conftest")
	if missing == nil {
		return filepath.Dir(found)
	}
	folder = t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", folder, ".")
	build.Dir = filepath.Join(root, "internal", "tools", "conftest")
	said, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, said)
	}
	return folder
}

// TestOneCLICosts_policy: the page's commands deny a plan that costs more than the policy's budget, or nobody knows how much.
func TestOneCLICosts_policy(t *testing.T) {
	t.Parallel()
	follow(t, "") // skips the test where no CLI is to run
	begin := "PATH=" + conftest(t) + ":$PATH\n"
	chapters := read(t, examplesFolder, conversionFolder, "resource_book.tf")
	nobodyThere := wholeProject + "provider \"audioprojects\" {\n  base_url    = \"http://127.0.0.1:1\"\n  max_retries = 0\n}\n"
	slow, counted, uncounted := mockserver.Audiobook(time.Hour), mockserver.Habits{}, mockserver.Habits{NoStatistics: true}
	requestAll := func(r *reader) {
		for _, chapter := range slow.Chapters {
			r.Convert("audiobook", chapter.ID)
		}
	}
	const budget, tooMuch = "50000", "2253 characters, and the budget is 2252"
	for name, test := range map[string]struct {
		configuration string
		project       mockserver.Project
		habits        mockserver.Habits
		before        func(*reader)
		argument      string // of the plan
		budget        string
		denies        string // empty: nothing
	}{
		"below":                      {wholeProject, mockserver.Audiobook(0), counted, nil, "", budget, ""},
		"as much":                    {wholeProject, mockserver.Audiobook(0), counted, nil, "", "2253", ""},
		"above":                      {wholeProject, mockserver.Audiobook(0), counted, nil, "", "2252", tooMuch},
		"chapters, as much":          {chapters, mockserver.Audiobook(0), counted, nil, "", "2253", ""},
		"chapters, above":            {chapters, mockserver.Audiobook(0), counted, nil, "", "2252", tooMuch},
		"not counted":                {wholeProject, mockserver.Audiobook(0), uncounted, nil, "", budget, "Unknown cost"},
		"chapters, not counted":      {chapters, mockserver.Audiobook(0), uncounted, nil, "", budget, "Unknown cost"},
		"nobody there":               {nobodyThere, mockserver.Audiobook(0), counted, nil, "", budget, "Unknown cost"},
		"adopted":                    {wholeProject, convertedAudiobook(0), counted, nil, "", "0", ""},
		"only waits":                 {wholeProject, slow, counted, requestAll, "", "0", ""},
		"only waits, not counted":    {wholeProject, slow, uncounted, requestAll, "", "0", ""},
		"no change":                  {wholeProject, mockserver.Audiobook(0), counted, func(r *reader) { r.apply() }, "", "0", ""},
		"hidden by a replacement":    {wholeProject, mockserver.Audiobook(0), counted, func(r *reader) { r.apply() }, " -replace=audioprojects_project_conversion.book", budget, "Unknown cost, hidden"},
		"error of a condition":       {strings.Replace(read(t, examplesFolder, limitsExample), "50000", "2000", 1), mockserver.Audiobook(0), counted, nil, "", budget, "Resource precondition failed"},
		"error, and no such project": {wholeProject, mockserver.Project{ID: "other"}, counted, nil, "", budget, `Unable to read project "audiobook"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := follow(t, test.configuration, test.project)
			r.SetHabits(test.habits)
			if test.before != nil {
				test.before(r)
			}
			_, _ = shell(t, r.CLI, strings.Replace(code(t, costsGuide, "Review a saved plan", "sh")[0], " -out", test.argument+" -out", 1))
			r.WriteFile("policy.rego", strings.Replace(read(t, examplesFolder, policyExample), budget, test.budget, 1))
			wantDenied(t, r.CLI, begin+code(t, costsGuide, "A policy", "sh")[0], test.denies)
		})
	}
	t.Run("no plan", func(t *testing.T) { noPlanIsDenied(t, begin) })
}

// noPlanIsDenied: what is no plan, or only a part of one, is denied, and so are the lines of a plan as an array.
func noPlanIsDenied(t *testing.T, begin string) {
	t.Helper()
	t.Parallel()
	r, commands := follow(t, wholeProject), code(t, costsGuide, "A policy", "sh")[0]
	r.WriteFile("policy.rego", read(t, examplesFolder, policyExample))
	runShell(t, r.CLI, code(t, costsGuide, "Review a saved plan", "sh")[0])
	plan := read(t, r.Folder, "plan.jsonl")
	const incomplete, noJSON = "Incomplete plan", "error"
	for name, test := range map[string]struct{ text, command, denies string }{
		"empty":        {"", commands, incomplete},
		"begun":        {plan[:strings.Index(plan, "\n")+1], commands, incomplete},
		"two plans":    {plan + plan, commands, incomplete},
		"cut off":      {plan[:len(plan)-20], commands, noJSON},
		"a page":       {"<html>502 Bad Gateway</html>\n" + plan, commands, noJSON},
		"an array":     {plan, strings.Replace(commands, "{lines: .}", ".", 1), incomplete},
		"another form": {r.Run("show", "-json", "tfplan"), commands, incomplete},
	} {
		t.Run(name, func(t *testing.T) {
			r.WriteFile("plan.jsonl", test.text)
			wantDenied(t, r.CLI, begin+test.command, test.denies)
		})
	}
}

// wantDenied runs commands that print why a plan is denied, if it is.
func wantDenied(t *testing.T, cli *clitest.CLI, commands, why string) {
	t.Helper()
	screen, err := shell(t, cli, commands)
	isDenied := err != nil
	if isDenied != (why != "") || !strings.Contains(screen, why) {
		t.Errorf("want %q, got %v and\n%s", why, err, screen)
	}
}
