package pages

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// TestCLIPages_commands asks the CLI whether it knows the commands and flags that a page shows.
func TestCLIPages_commands(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.Actions, clitest.Queries)
	terraform := clitest.New(t, clitest.NewService(t).Address)
	makefile := read(t, root, "GNUmakefile")
	for _, page := range pages(t) {
		for _, block := range codeBlocks(t, page) {
			if block.language != "sh" && block.language != "shell" {
				continue
			}
			syntax := exec.CommandContext(t.Context(), "bash", "-n")
			syntax.Stdin = strings.NewReader(block.text)
			said, err := syntax.CombinedOutput()
			if err != nil {
				t.Errorf("%s: %v: %s\n%s", page, err, said, block.text)
			}
			for _, command := range regexp.MustCompile(`(?m)(?:^|\s)(?:terraform|make) [^|#\n]*`).FindAllString(block.text, -1) {
				words := strings.Fields(command)
				if words[0] == "make" {
					if !strings.Contains(makefile, "\n"+words[1]+":") {
						t.Errorf("%s: there is no target for %q", page, command)
					}
					continue
				}
				help := terraform.Run(words[1], "-help")
				// The help of apply refers to that of plan. Neither names -json and -invoke, which other tests of this package use.
				switch words[1] {
				case "apply":
					help += terraform.Run("plan", "-help") + "  -invoke"
				case "plan":
					help += "  -json"
				}
				for _, word := range words[2:] {
					flag, _, _ := strings.Cut(word, "=")
					if strings.HasPrefix(flag, "-") && !regexp.MustCompile(`  `+flag+`\b`).MatchString(help) {
						t.Errorf("%s: %q: no flag %s in the help\n%s", page, command, flag, help)
					}
				}
			}
		}
	}
}

// TestReadme_beginsWithItsTwoCommands: before its first heading, the README has what the provider is for, a configuration, and
// two commands: one runs the main job, and one passes the tests. It says what each of them needs, and how long it takes.
func TestReadme_beginsWithItsTwoCommands(t *testing.T) {
	t.Parallel()
	begin, _, _ := strings.Cut(read(t, root, "README.md"), "\n## ")
	lines := strings.Count(begin, "\n")
	if lines > 70 {
		t.Errorf("the README begins with %d lines, which is more than a screen", lines)
	}
	var languages, commands []string
	for _, block := range codeBlocksIn(t, begin) {
		languages = append(languages, block.language)
		if block.language == "sh" {
			commands = append(commands, regexp.MustCompile(`(?m)^\S.*?(?:  |$)`).FindAllString(block.text, -1)...)
		}
	}
	for i := range commands {
		commands[i] = strings.TrimSpace(commands[i])
	}
	if !slices.Equal(languages, []string{"terraform", "terraform", "sh"}) || !slices.Equal(commands, []string{"make demo", "make test"}) {
		t.Errorf("the README begins with %q and the commands %q, and not with a configuration in two steps and the two commands", languages, commands)
	}
	makefile, everyChange := read(t, root, "GNUmakefile"), read(t, root, ".ci", "run")
	for _, command := range []string{"make demo", "make test"} {
		if !regexp.MustCompile("(?m)^\\| `" + command + "` \\| [^|]*Go[^|]* \\| [^|]*minute[^|]* \\| [^|]*minute[^|]* \\|$").MatchString(begin) {
			t.Errorf("the README does not say what %q needs, how long it takes the first time, and how long later", command)
		}
		if !strings.Contains(makefile, "\n"+strings.TrimPrefix(command, "make ")+":") {
			t.Errorf("there is no target for %q", command)
		}
		if !strings.Contains(everyChange, "\n"+command+"\n") {
			t.Errorf(".ci/run does not run %q", command)
		}
	}
}

// TestPages_everyCodeBlockIsTested: mistakes in a language that no test reads would stay unnoticed.
func TestPages_everyCodeBlockIsTested(t *testing.T) {
	t.Parallel()
	shown := map[string][]string{
		"yaml": {read(t, examplesFolder, atlantisExample)},
	}
	for _, page := range pages(t) {
		for _, block := range codeBlocks(t, page) {
			switch block.language {
			case "terraform", "sh", "shell":
			case "mermaid":
				if strings.Contains(page, "/docs/") {
					t.Errorf("%s: the registries show no diagrams", page)
				}
			case "yaml":
				if !slices.Contains(shown[block.language], block.text) {
					t.Errorf("%s: not the example that is checked:\n%s", page, block.text)
				}
			case "text":
				drawing := strings.Contains(block.text, "──>")
				if !drawing {
					t.Errorf("%s: no test compares this screen with a real one:\n%s", page, block.text)
				}
			default:
				t.Errorf("%s: no test reads code blocks in %q:\n%s", page, block.language, block.text)
			}
		}
	}
}

// TestPages_everyLinkHasATarget: pages of the documentation name each other by relative paths, which the registry resolves as well as
// GitHub, and everything else of the repository by its address there, in the version that the page is about.
func TestPages_everyLinkHasATarget(t *testing.T) {
	t.Parallel()
	inRepository := regexp.MustCompile(`^https://(?:github|raw\.githubusercontent)\.com/audioprojects/terraform-provider-audioprojects/(?:(?:tree|blob)/)?v[\d.]+/(.*)$`)
	docs := filepath.Join(root, "docs")
	for _, page := range pages(t) {
		for _, link := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(read(t, page), -1) {
			target, section, _ := strings.Cut(link[1], "#")
			path := filepath.Join(filepath.Dir(page), target)
			switch {
			case target == "":
				path = page // another part of it
			case inRepository.MatchString(target):
				path = filepath.Join(root, inRepository.FindStringSubmatch(target)[1])
			case strings.Contains(target, "/main/"):
				t.Errorf("%s: %s changes with the repository, and the page is about a version", page, target)
				continue
			case strings.HasPrefix(target, "https://"):
				continue
			case strings.HasPrefix(page, docs) && (!strings.HasPrefix(path, docs) || filepath.Ext(path) != ".md"):
				t.Errorf("%s: %s: the registry has no such page", page, target)
			}
			_, err := os.Stat(path)
			if err != nil {
				t.Errorf("%s: %s: %v", page, target, err)
			} else if section != "" && !slices.Contains(sections(t, path), section) {
				t.Errorf("%s: %s has no section %q", page, target, section)
			}
		}
	}
}

// TestPages_everyNamedFileExists: what is for contributors names files of code. They move.
func TestPages_everyNamedFileExists(t *testing.T) {
	t.Parallel()
	var names []string
	for _, file := range filesBelow(t, filepath.Join(root, "internal"), ".go", ".sh", ".yaml") {
		names = append(names, filepath.ToSlash(file))
	}
	count := 0
	for _, page := range append(filesBelow(t, filepath.Join(root, "internal"), ".md"), contributing) {
		for _, name := range regexp.MustCompile("`([\\w/]+\\.(?:go|sh|yaml))`").FindAllStringSubmatch(read(t, page), -1) {
			count++
			exists := slices.ContainsFunc(names, func(file string) bool { return strings.HasSuffix(file, "/"+name[1]) })
			if !exists {
				t.Errorf("%s names %s, which does not exist", page, name[1])
			}
		}
	}
	if count < 10 {
		t.Errorf("only %d names were found", count)
	}
}

// sections are the names by which links find the headings of a page.
func sections(t *testing.T, page string) (names []string) {
	t.Helper()
	text := read(t, page)
	for _, anchor := range regexp.MustCompile(`<a id="([^"]+)">`).FindAllStringSubmatch(text, -1) {
		names = append(names, anchor[1])
	}
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		words := regexp.MustCompile(`[^\w -]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		names = append(names, strings.ReplaceAll(words, " ", "-"))
	}
	return names
}
