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
	costsGuide    = root + "/docs/guides/bound-the-costs.md"
	pipelineGuide = root + "/docs/guides/in-a-pipeline.md"
	errorsGuide   = root + "/docs/guides/when-something-fails.md"
)

// recipes are the recipes that the provider's page lists, each with the test that runs it.
var recipes = map[string]string{
	"convert-an-audiobook":                                          "TestCLIRecipeBook",
	"convert-an-audiobook#when-the-text-changes":                    "TestCLIRecipeBook",
	"convert-an-audiobook#a-sample-before-the-whole-book":           "TestCLIRecipeSample",
	"convert-an-audiobook#leave-a-chapter-out":                      "TestCLIRecipesOfOneApply",
	"bound-the-costs#the-bill-as-data":                              "TestCLIRecipeEveryNight",
	"bound-the-costs#what-was-spent":                                "TestCLIRecipeMoney",
	"some-chapters-fail#go-on-without-them":                         "TestCLIRecipeGoOn",
	"convert-an-audiobook#stop":                                     "TestCLIRecipeStop",
	"convert-an-audiobook#show-a-line-in-the-plan-for-each-chapter": "TestAccChapterConversionResource_forEach",
	"convert-an-audiobook#convert-all-my-projects":                  "TestCLIRecipesOfOneApply",
	"convert-an-audiobook#convert-one-chapter-again":                "TestCLIRecipeOneChapterAgain",
	"convert-an-audiobook#convert-the-whole-book-again":             "TestCLIRecipesOfOneApply",
	"convert-an-audiobook#see-how-far-it-is":                        "TestCLIRecipeHowFar",
	"convert-an-audiobook#put-the-newest-audio-into-a-bucket":       "TestCLIDocumentedConfigurations",
	"convert-an-audiobook#use-it-as-a-module":                       "TestCLIRecipeModule",
	"convert-an-audiobook#test-it-without-the-service":              "TestCLIExampleTests",
	"bound-the-costs":                                               "TestCLIMaxCharacters",
	"bound-the-costs#bounds":                                        "TestCLICostRecipes",
	"what-is-paid-for#stop-paying-twice":                            "TestCLICutShort",
	"what-is-paid-for":                                              "TestSimulation",
	"what-is-paid-for#what-nobody-can-prevent":                      "TestSimulation",
	"what-is-paid-for#timeouts":                                     "TestCLIConversionOutOfTime",
	"adopt-an-existing-project":                                     "TestCLIExampleQueries",
	"adopt-an-existing-project#one-project":                         "TestCLIExampleImportCommands",
	"adopt-an-existing-project#some-chapters-or-one-line-for-each":  "TestCLIDocumentedConfigurations",
	"adopt-an-existing-project#from-chapter-blocks-to-a-book":       "TestCLIFromChaptersToABookAndBack",
	"adopt-an-existing-project#from-a-book-to-chapter-blocks":       "TestCLIFromChaptersToABookAndBack",
	"some-chapters-fail":                                            "TestCLIThreeOf100ChaptersFail",
	"when-something-fails":                                          "TestCLIMessagesOfTerraformItself",
	"when-something-fails#logs":                                     "TestCLIRecipeHowFar",
	"in-a-pipeline#follow-edits-every-night":                        "TestCLIRecipeEveryNight",
	"in-a-pipeline#many-books":                                      "TestCLIRecipeEveryNight",
	"in-a-pipeline#be-alerted":                                      "TestCLIRecipeGoOn",
	"in-a-pipeline#the-key":                                         "TestCLITheKeyStaysHidden",
	"in-a-pipeline#parallelism":                                     "TestCLIBook",
	"in-a-pipeline#a-run-that-is-cancelled":                         "TestCLIInterruptedAtAnyMoment",
	"in-a-pipeline#on-hcp-terraform":                                "TestCLIDocumentedConfigurations",
	"in-a-pipeline#on-atlantis":                                     "TestCLIRecipeAtlantis",
	"in-a-pipeline#on-gitlab":                                       "TestCLIRecipeGitLab",
	"in-a-pipeline#on-spacelift":                                    "TestCLIRecipeEveryNight",
	"in-a-pipeline#with-pulumi":                                     "TestCLIThreeOf100ChaptersFail",
	"in-a-pipeline#with-tflint-and-conftest":                        "TestCLIRecipeLinters",
	"versions":                                                      "TestCLIDocumentedConfigurations",
	"upgrade":                                                       "TestStatesOfEarlierVersions",
	"try-without-an-account":                                        "TestCLIMockServerInstructions",
	"try-without-an-account#play-the-service":                       "TestTheGuidePlaysTheMockServer",
}

// TestEveryRecipeIsTested: the page lists these recipes and no others, and their tests exist.
func TestEveryRecipeIsTested(t *testing.T) {
	t.Parallel()
	var listed []string
	for _, link := range regexp.MustCompile(`\]\(guides/([a-z0-9-]+)\.md(#[a-z0-9-]+)?\)`).FindAllStringSubmatch(section(t, root+"/docs/index.md", "Recipes"), -1) {
		listed = append(listed, link[1]+link[2])
	}
	if want := slices.Sorted(maps.Keys(recipes)); !slices.Equal(slices.Sorted(slices.Values(listed)), want) {
		t.Errorf("the page lists\n%q\nand tested are\n%q", listed, want)
	}
	files, err := filepath.Glob("../*/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, file := range files {
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
