package pages

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	bookGuide     = root + "/docs/guides/convert-an-audiobook.md"
	costsGuide    = root + "/docs/guides/limit-the-costs.md"
	pipelineGuide = root + "/docs/guides/in-a-pipeline.md"
	errorsGuide   = root + "/docs/guides/when-something-fails.md"
)

// recipes are the sections of the guides that tell a reader what to do, each with the test that does it.
var recipes = map[string]map[string]string{
	bookGuide: {
		"Plan and apply":                  "TestCLIRecipeBook",
		"Download the audio":              "TestCLIRecipeBook",
		"When the text changes":           "TestCLIRecipeBook",
		"Find the ids":                    "TestCLIRecipeFindTheIDs",
		"A sample before the whole book":  "TestCLIRecipeSample",
		"Leave a chapter out":             "TestCLIRecipesOfOneApply",
		"Convert one chapter again":       "TestCLIRecipeOneChapterAgain",
		"Convert the whole book again":    "TestCLIRecipeWholeBookAgain",
		"The file in CI, and in a bucket": "TestCLIRecipeWhereTheAudioGoes",
		"Rename, move and split":          "TestOneCLIRecipeMove",
		"Several books":                   "TestCLIRecipeSeveralBooks",
		"Convert all my projects":         "TestCLIRecipesOfOneApply",
		"Test without the service":        "TestCLIExamples_tests",
		"Stop":                            "TestCLIRecipeStop",
		"Uninstall":                       "TestCLIRecipeUninstall",
	},
	costsGuide: {
		"The plan has an estimate":   "TestCLICosts_compactWarnings",
		"max_characters":             "TestCLICosts_maxCharacters",
		"Review a saved plan":        "TestCLIPages_warningsOfAPlan",
		"A saved plan and its price": "TestCLICosts_savedPlan",
		"A book in months":           "TestOneCLICosts_portions",
		"A condition of your own":    "TestCLICosts_numberForConditions",
		"A policy":                   "TestOneCLICosts_policy",
		"What was spent":             "TestCLISpending",
	},
	importGuide: {
		"One project":                                      "TestCLIExamples_apply",
		"All projects, with a query":                       "TestCLIExamples_queries",
		"Some chapters, or one line for each":              "TestCLIPages_configurations",
		"From chapter conversions to a project conversion": "TestCLIPages_fromChaptersToProjectAndBack",
		"From a project conversion to chapter conversions": "TestCLIPages_fromChaptersToProjectAndBack",
	},
	pipelineGuide: {
		"GitHub Actions":          "TestCLIRecipePullRequest",
		"GitLab CI":               "TestCLIRecipeGitLab",
		"Atlantis":                "TestCLIRecipeAtlantis",
		"HCP Terraform":           "TestCLIPages_configurations",
		"Spacelift":               "TestCLIRecipeEveryNight",
		"The key":                 "TestCLIRecipeRotateTheKey",
		"Be alerted":              "TestCLIRecipeAlert",
		"A run that is cancelled": "TestCLIChapterConversion_interruptedAtAnyMoment",
	},
}

// TestRecipes_tested: the guides have these sections and no others, and their tests exist.
func TestRecipes_tested(t *testing.T) {
	t.Parallel()
	var code strings.Builder
	for _, file := range filesBelow(t, filepath.Join(root, "internal"), ".go") {
		code.WriteString(read(t, file))
	}
	for guide, tests := range recipes {
		var titles []string
		for _, heading := range regexp.MustCompile(`(?m)^## (.*)$`).FindAllStringSubmatch(read(t, guide), -1) {
			titles = append(titles, heading[1])
		}
		slices.Sort(titles)
		if !slices.Equal(titles, slices.Sorted(maps.Keys(tests))) {
			t.Errorf("%s has the sections\n%q", guide, titles)
		}
		for recipe, test := range tests {
			if !strings.Contains(code.String(), "\nfunc "+test+"(t *testing.T)") {
				t.Errorf("%s: there is no %s", recipe, test)
			}
		}
	}
}

// section is the part of a page below a heading.
func section(t *testing.T, page, title string) string {
	t.Helper()
	_, text, found := strings.Cut(read(t, page), "\n## "+title+"\n")
	if !found {
		t.Fatalf("%s has no section %q", page, title)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return text + "\n"
}

// code are the code blocks of a section in a language.
func code(t *testing.T, page, title, language string) (texts []string) {
	t.Helper()
	for _, block := range codeBlocksIn(t, section(t, page, title)) {
		if block.language == language {
			texts = append(texts, block.text)
		}
	}
	if texts == nil {
		t.Fatalf("%s: the section %q has no code in %q", page, title, language)
	}
	return texts
}
