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
	bookGuide           = root + "/docs/guides/convert-an-audiobook.md"
	recipesGuide        = root + "/docs/guides/recipes.md"
	costsGuide          = root + "/docs/guides/limit-the-costs.md"
	pipelineGuide       = root + "/docs/guides/in-a-pipeline.md"
	githubGuide         = root + "/docs/guides/github-actions.md"
	gitlabGuide         = root + "/docs/guides/gitlab-ci.md"
	otherPipelinesGuide = root + "/docs/guides/other-pipelines.md"
	errorsGuide         = root + "/docs/guides/when-something-fails.md"
)

// recipes are the recipes that the provider's page lists, each with the test that runs it.
var recipes = map[string]string{
	"convert-an-audiobook":                                                        "TestCLIRecipeBook",
	"convert-an-audiobook#when-the-text-changes":                                  "TestCLIRecipeBook",
	"recipes#find-the-ids":                                                        "TestCLIRecipeFindTheIDs",
	"recipes#a-sample-before-the-whole-book":                                      "TestCLIRecipeSample",
	"recipes#leave-a-chapter-out":                                                 "TestCLIRecipesOfOneApply",
	"recipes#convert-one-chapter-again":                                           "TestCLIRecipeOneChapterAgain",
	"recipes#convert-the-whole-book-again":                                        "TestCLIRecipesOfOneApply",
	"recipes#several-books":                                                       "TestCLIRecipeSeveralBooks",
	"recipes#convert-all-my-projects":                                             "TestCLIRecipesOfOneApply",
	"recipes#see-the-progress":                                                    "TestCLIRecipeProgress",
	"recipes#put-the-newest-audio-into-a-bucket":                                  "TestCLIDocumentedConfigurations",
	"recipes#show-a-line-in-the-plan-for-each-chapter":                            "TestAccChapterConversionResource_forEach",
	"recipes#test-without-the-service":                                            "TestCLIExampleTests",
	"recipes#stop":                                                                "TestCLIRecipeStop",
	"limit-the-costs":                                                             "TestCLICompactWarnings",
	"limit-the-costs#what-was-spent":                                              "TestCLIRecipeMoney",
	"limit-the-costs#max_characters":                                              "TestCLIMaxCharacters",
	"limit-the-costs#a-number-for-conditions":                                     "TestCLINumberForConditions",
	"what-is-paid-for":                                                            "TestSimulation",
	"what-is-paid-for#stop-paying-twice":                                          "TestCLICutShort",
	"what-is-paid-for#what-nobody-can-prevent":                                    "TestSimulation",
	"what-is-paid-for#timeouts":                                                   "TestCLIConversionOutOfTime",
	"import-an-existing-project":                                                  "TestCLIExampleQueries",
	"import-an-existing-project#one-project":                                      "TestCLIExampleImportCommands",
	"import-an-existing-project#the-audio-file":                                   "TestCLIRecipeTheAudioFile",
	"import-an-existing-project#some-chapters-or-one-line-for-each":               "TestCLIDocumentedConfigurations",
	"import-an-existing-project#from-chapter-conversions-to-a-project-conversion": "TestCLIFromChaptersToAProjectAndBack",
	"import-an-existing-project#from-a-project-conversion-to-chapter-conversions": "TestCLIFromChaptersToAProjectAndBack",
	"some-chapters-fail":                                                          "TestCLIThreeOf100ChaptersFail",
	"when-something-fails":                                                        "TestCLIMessagesOfTerraformItself",
	"when-something-fails#logs":                                                   "TestCLIRecipeProgress",
	"github-actions":                                                              "TestCLIRecipePullRequest",
	"github-actions#the-workflow":                                                 "TestCLIRecipeEveryNight",
	"github-actions#many-books":                                                   "TestCLIRecipeEveryNight",
	"gitlab-ci":                                                                   "TestCLIRecipeGitLab",
	"in-a-pipeline#the-key":                                                       "TestCLITheKeyStaysHidden",
	"in-a-pipeline#rotate-the-key":                                                "TestCLIRecipeRotateTheKey",
	"in-a-pipeline#be-alerted":                                                    "TestCLIRecipeAlert",
	"in-a-pipeline#a-run-that-is-cancelled":                                       "TestCLIInterruptedAtAnyMoment",
	"in-a-pipeline#parallelism":                                                   "TestCLIBook",
	"in-a-pipeline#show-the-warnings-of-a-plan":                                   "TestCLIWarningsOfAPlan",
	"other-pipelines#on-atlantis":                                                 "TestCLIRecipeAtlantis",
	"other-pipelines#on-hcp-terraform":                                            "TestCLIDocumentedConfigurations",
	"other-pipelines#on-spacelift":                                                "TestCLIRecipeEveryNight",
	"other-pipelines#with-pulumi":                                                 "TestCLIThreeOf100ChaptersFail",
	"versions":                                                                    "TestCLIDocumentedConfigurations",
	"versions#with-opentofu":                                                      "TestCLIRecipeOneChapterAgain",
	"upgrade":                                                                     "TestTheSchemaIsTheRecordedOne",
	"try-without-an-account":                                                      "TestCLIMockServerInstructions",
	"try-without-an-account#play-the-service":                                     "TestTheGuidePlaysTheMockServer",
}

// TestEveryRecipeIsTested: the page lists these recipes and no others, and their tests exist.
func TestEveryRecipeIsTested(t *testing.T) {
	t.Parallel()
	var listed []string
	for _, link := range regexp.MustCompile(`\]\(guides/([a-z0-9-]+)\.md(#[a-z0-9_-]+)?\)`).FindAllStringSubmatch(section(t, root+"/docs/index.md", "Recipes"), -1) {
		listed = append(listed, link[1]+link[2])
	}
	want := slices.Sorted(maps.Keys(recipes))
	if !slices.Equal(slices.Sorted(slices.Values(listed)), want) {
		t.Errorf("the page lists\n%q\nand tested are\n%q", listed, want)
	}
	var code strings.Builder
	for _, file := range filesBelow(t, filepath.Join(root, "internal"), ".go") {
		code.WriteString(read(t, file))
	}
	for recipe, test := range recipes {
		if !strings.Contains(code.String(), "\nfunc "+test+"(t *testing.T)") {
			t.Errorf("%s: there is no %s", recipe, test)
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
