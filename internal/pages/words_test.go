package pages

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
)

// TestAccDocumentedCommands asks the CLI whether it knows the commands and flags that a page shows.
func TestAccDocumentedCommands(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.Actions, clitest.Queries)
	terraform := clitest.New(t, clitest.NewService(t).Address)
	makefile, err := os.ReadFile(filepath.Join(root, "GNUmakefile"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages(t) {
		for _, block := range codeBlocks(t, page) {
			if block.language != "sh" && block.language != "shell" {
				continue
			}
			syntax := exec.CommandContext(t.Context(), "bash", "-n")
			syntax.Stdin = strings.NewReader(block.text)
			if said, err := syntax.CombinedOutput(); err != nil {
				t.Errorf("%s: %v: %s\n%s", page, err, said, block.text)
			}
			for _, command := range regexp.MustCompile(`(?m)(?:^|\s)(?:terraform|make) [^|#\n]*`).FindAllString(block.text, -1) {
				words := strings.Fields(command)
				if words[0] == "make" {
					if !strings.Contains(string(makefile), "\n"+words[1]+":") {
						t.Errorf("%s: there is no target for %q", page, command)
					}
					continue
				}
				help := terraform.Run(words[1], "-help")
				if words[1] == "apply" {
					// The help of apply refers to that of plan, and neither names -invoke, which TestAccActionInvoked uses.
					help += terraform.Run("plan", "-help") + "  -invoke"
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

// TestEveryCodeBlockIsTested: mistakes in a language that no test reads would stay unnoticed.
func TestEveryCodeBlockIsTested(t *testing.T) {
	t.Parallel()
	shown := map[string][]string{
		"yaml": {read(t, examplesFolder, workflowExample), read(t, examplesFolder, atlantisExample)},
		"rego": {read(t, examplesFolder, policyExample)},
	}
	for _, page := range pages(t) {
		for _, block := range codeBlocks(t, page) {
			switch block.language {
			case "terraform", "sh", "shell":
			case "mermaid":
				if strings.Contains(page, "/docs/") {
					t.Errorf("%s: the registries show no diagrams", page)
				}
			case "yaml", "rego":
				if !slices.Contains(shown[block.language], block.text) {
					t.Errorf("%s: not the example that is checked:\n%s", page, block.text)
				}
			case "text":
				drawing := strings.Contains(block.text, "──>")
				if filepath.Clean(page) != filepath.Clean(failuresGuide) && !drawing {
					t.Errorf("%s: no test compares this screen with a real one:\n%s", page, block.text)
				}
			default:
				t.Errorf("%s: no test reads code blocks in %q:\n%s", page, block.language, block.text)
			}
		}
	}
}

func TestEveryLinkHasATarget(t *testing.T) {
	t.Parallel()
	const (
		registry = "https://registry.terraform.io/providers/audioprojects/audioprojects/latest/docs"
		home     = "https://github.com/audioprojects/terraform-provider-audioprojects"
	)
	inRepository := regexp.MustCompile(`^` + home + `/(?:tree|blob)/main/(.*)$`)
	for _, page := range pages(t) {
		content, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		links := regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(string(content), -1)
		for _, link := range links {
			target, section, _ := strings.Cut(link[1], "#")
			path := filepath.Join(filepath.Dir(page), target)
			switch {
			case target == "":
				path = page // another part of it
			case strings.HasPrefix(target, registry+"/"):
				path = filepath.Join(root, "docs", strings.TrimPrefix(target, registry)+".md")
			case inRepository.MatchString(target):
				path = filepath.Join(root, inRepository.FindStringSubmatch(target)[1])
			case strings.HasPrefix(target, "https://"):
				continue
			case strings.Contains(page, "/docs/"):
				t.Errorf("%s: %s: a relative link has another target in the registry than here", page, target)
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s: %s: %v", page, target, err)
			} else if section != "" && !slices.Contains(sections(t, path), section) {
				t.Errorf("%s: %s has no section %q", page, target, section)
			}
		}
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

// TestGuideKnowsEveryMessage compares the guide with the summaries in the code.
func TestGuideKnowsEveryMessage(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(filepath.Join(root, "docs/guides/when-something-fails.md"))
	if err != nil {
		t.Fatal(err)
	}
	guide := string(content)
	summaries := summariesInCode(t)
	if len(summaries) < 25 {
		t.Fatalf("only %d summaries were found: %q", len(summaries), summaries)
	}
	for _, summary := range summaries {
		if !strings.Contains(guide, "`"+summary+"`") {
			t.Errorf("the guide does not have %q", summary)
		}
	}
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*?) \\|").FindAllStringSubmatch(guide, -1) {
		for _, message := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			if !slices.Contains(summaries, message[1]) {
				t.Errorf("no code has %q", message[1])
			}
		}
	}
}

// summariesInCode are the summaries of diagnostics in the provider's code. If a summary ends with
// a variable part, that part is "…" here.
func summariesInCode(t *testing.T) (summaries []string) {
	t.Helper()
	// By function: the index of the argument with the summary, or with the verb that the summary is made of.
	place := map[string]int{
		"AddError": 0, "AddWarning": 0, "NewErrorDiagnostic": 0,
		"AddAttributeError": 1, "AddAttributeWarning": 1, "NewAttributeErrorDiagnostic": 1,
		"unable": 0, "unknownProvider": 0,
	}
	add := func(call string, argument ast.Expr) {
		literal, more := argument, ""
		for sum, isSum := literal.(*ast.BinaryExpr); isSum; sum, isSum = literal.(*ast.BinaryExpr) {
			literal, more = sum.X, "…"
		}
		text, isText := literal.(*ast.BasicLit)
		if !isText {
			return
		}
		summary, err := strconv.Unquote(text.Value)
		if err != nil {
			t.Fatal(err)
		}
		if call == "unable" || call == "unknownProvider" {
			summary, more = "Unable to "+summary+" ", "…"
		}
		if summary += more; summary != "" && !slices.Contains(summaries, summary) {
			summaries = append(summaries, summary)
		}
	}
	visit := func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.CallExpr:
			name := ""
			switch function := node.Fun.(type) {
			case *ast.Ident:
				name = function.Name
			case *ast.SelectorExpr:
				name = function.Sel.Name
			}
			if at, known := place[name]; known {
				add(name, node.Args[at])
			}
		case *ast.FuncDecl:
			// These functions return their summaries.
			if node.Name.Name == "predict" || node.Name.Name == "bill" {
				ast.Inspect(node, func(node ast.Node) bool {
					switch node := node.(type) {
					case *ast.ValueSpec:
						for _, value := range node.Values {
							add("", value)
						}
					case *ast.ReturnStmt:
						add("", node.Results[0])
					}
					return true
				})
			}
		}
		return true
	}
	files, err := filepath.Glob(filepath.Join(root, "internal/provider/*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, visit)
	}
	return summaries
}
