// Package pages tests the documentation: the pages with their code and links, and the examples.
package pages

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

// TestMain runs the tests. The pipelines use jq, as the runners of GitHub have it.
func TestMain(m *testing.M) {
	remove, err := provideJQ()
	if err != nil {
		fmt.Fprintln(os.Stderr, "Unable to provide jq:", err)
		os.Exit(1)
	}
	code := clitest.Main(m)
	remove()
	os.Exit(code)
}

// provideJQ builds gojq, which does the same, and puts it on the PATH as jq, where there is none.
func provideJQ() (remove func(), err error) {
	_, missing := exec.LookPath("jq")
	if missing == nil {
		return func() {}, nil
	}
	folder, err := os.MkdirTemp("", "audioprojects-jq-")
	if err != nil {
		return nil, err
	}
	build := exec.Command("go", "build", "-o", filepath.Join(folder, "jq"), "github.com/itchyny/gojq/cmd/gojq")
	build.Dir = filepath.Join(root, "internal", "tools", "gojq")
	said, err := build.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, said)
	}
	os.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	return func() { os.RemoveAll(folder) }, nil
}

const root = "../../.."

// pages are all pages of the documentation.
func pages(t *testing.T) []string {
	t.Helper()
	var pages []string
	for _, folder := range []string{".", ".github", "docs", "internal"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err == nil && entry.IsDir() && folder == "." && path != root:
				return fs.SkipDir
			case err == nil && filepath.Ext(path) == ".md":
				pages = append(pages, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return pages
}

// TestTheGuidesAreShort: together, with code and front matter, somebody reads them in half an hour.
func TestTheGuidesAreShort(t *testing.T) {
	t.Parallel()
	words := 0
	for _, guide := range filesBelow(t, filepath.Join(root, "docs", "guides"), ".md") {
		words += len(strings.Fields(read(t, guide)))
	}
	if words > 5000 || words < 1000 {
		t.Errorf("the guides have %d words", words)
	}
}

// codeBlock is a piece of code on a page.
type codeBlock struct{ language, text string }

func codeBlocks(t *testing.T, page string) []codeBlock {
	t.Helper()
	return codeBlocksIn(t, read(t, page))
}

func codeBlocksIn(t *testing.T, text string) (blocks []codeBlock) {
	t.Helper()
	for _, found := range regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
		blocks = append(blocks, codeBlock{found[1], found[2]})
	}
	fences := strings.Count(text, "```")
	if fences != 2*len(blocks) {
		t.Fatalf("%d fences of code blocks, and %d blocks were found in:\n%s", fences, len(blocks), text)
	}
	return blocks
}

// configurations are the configurations that a page's code blocks form together. One ends where a block defines what it has
// already, where `terraform {` begins another, where the page changes to a folder that uses modules, and where it removes blocks.
func configurations(t *testing.T, page string) [][]string {
	t.Helper()
	var all [][]string
	var defined map[string]bool
	for _, block := range codeBlocks(t, page) {
		if block.language != "terraform" {
			continue
		}
		headings := regexp.MustCompile(`(?m)^\w+(?: "[^"]+")* \{`).FindAllString(block.text, -1)
		begins := all == nil || slices.ContainsFunc(headings, func(heading string) bool {
			return defined[heading] || slices.Contains([]string{"terraform", "module", "removed"}, strings.Fields(heading)[0])
		})
		if begins {
			all, defined = append(all, nil), map[string]bool{}
		}
		for _, heading := range headings {
			defined[heading] = true
		}
		all[len(all)-1] = append(all[len(all)-1], block.text)
	}
	return all
}

// needed are the features that a configuration uses.
func needed(configuration string) (features []clitest.Feature) {
	for pattern, feature := range map[string]clitest.Feature{
		`(?m)^action "`:                clitest.Actions,
		`(?m)^list "`:                  clitest.Queries,
		`(?m)^  identity = \{`:         clitest.Identities,
		`(?m)^  for_each = .*\n  to  `: clitest.ImportLoops,
		`(?m)^removed \{`:              clitest.ImportLoops, // as old as these
		`ephemeral +=`:                 clitest.EphemeralValues,
		`(?m)^mock_provider "`:         clitest.MockedTests,
		`use_lockfile`:                 clitest.StateLockFiles,
	} {
		if regexp.MustCompile(pattern).MatchString(configuration) {
			features = append(features, feature)
		}
	}
	return features
}

// fromHere takes the modules of a configuration from this folder, and not from the release. Another provider's resource is a set of values,
// because that provider is not installed.
func fromHere(t *testing.T, configuration string) string {
	t.Helper()
	folder, err := filepath.Abs(examplesFolder)
	if err != nil {
		t.Fatal(err)
	}
	released := regexp.MustCompile(`"github\.com/audioprojects/terraform-provider-audioprojects//examples/(\w+)\?ref=v[0-9.]+"`)
	configuration = released.ReplaceAllString(configuration, strconv.Quote(folder+"/$1"))
	configuration = strings.Replace(configuration, `ephemeral "aws_secretsmanager_secret_version" "audioprojects" {`, "locals {", 1)
	configuration = strings.Replace(configuration, "ephemeral.aws_secretsmanager_secret_version.audioprojects.secret_string", "local.secret_id", 1)
	return strings.Replace(configuration, `resource "aws_s3_object" "book" {`, "locals {", 1)
}

func TestCLIPages_configurations(t *testing.T) {
	t.Parallel()
	for _, page := range pages(t) {
		for i, blocks := range configurations(t, page) {
			t.Run(fmt.Sprintf("%s#%d", strings.TrimPrefix(page, root+"/"), i+1), func(t *testing.T) {
				t.Parallel()
				clitest.Needs(t, needed(strings.Join(blocks, "\n"))...)
				folder, arguments := t.TempDir(), []string{"validate"}
				var files []string
				for i, block := range blocks {
					name := fmt.Sprintf("block%d.tf", i)
					switch {
					case strings.Contains(block, "\nlist \""):
						name = "block.tfquery.hcl"
						arguments = append(arguments, "-query")
					case regexp.MustCompile(`(?m)^mock_provider "`).MatchString(block):
						name = "block.tftest.hcl"
					}
					file := filepath.Join(folder, name)
					if err := os.WriteFile(file, []byte(fromHere(t, block)), 0o600); err != nil {
						t.Fatal(err)
					}
					files = append(files, file)
				}
				terraform := clitest.New(t, clitest.NewService(t).Address, files...)
				if strings.Contains(strings.Join(blocks, "\n"), "\nmodule \"") || strings.HasPrefix(blocks[0], "module ") {
					terraform.Run("get")
				}
				terraform.Run(arguments...)
			})
		}
	}
}
