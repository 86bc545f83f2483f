package pages

import (
	"regexp"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const adoptionGuide = root + "/docs/guides/adopt-an-existing-project.md"

// TestAccFromChaptersToABookAndBack plays the section of the guide: with its blocks, and with the commands for older versions.
func TestAccFromChaptersToABookAndBack(t *testing.T) {
	t.Parallel()
	removed := regexp.MustCompile(`(?ms)^removed \{\n  from = (\S+)\n.*?^}\n`)
	var toTheBook, back string
	for _, configuration := range configurations(t, adoptionGuide) {
		if from := removed.FindStringSubmatch(configuration[0]); from == nil {
			continue
		} else if strings.Contains(from[1], "chapter") {
			toTheBook = configuration[0]
		} else {
			back = configuration[0]
		}
	}
	if toTheBook == "" || back == "" {
		t.Fatal("the guide does not have both ways")
	}
	for name, test := range map[string]struct {
		needs []clitest.Feature
		move  func(terraform *clitest.CLI, configuration string)
	}{
		// These blocks are as old as the loops of import blocks.
		"removed blocks": {[]clitest.Feature{clitest.ImportLoops}, func(terraform *clitest.CLI, configuration string) {
			terraform.Write(configuration)
		}},
		"commands": {nil, func(terraform *clitest.CLI, configuration string) {
			terraform.Run("state", "rm", removed.FindStringSubmatch(configuration)[1])
			terraform.Write(removed.ReplaceAllString(configuration, ""))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clitest.Needs(t, test.needs...)
			service := clitest.NewService(t, convertedAudiobook())
			terraform := clitest.New(t, service.Address, configurationFile(t, removed.ReplaceAllString(back, "")))
			terraform.Run("apply", "-auto-approve")

			test.move(terraform, toTheBook)
			clitest.WantScreen(t, []string{terraform.Run("plan")}, "1 to import, 0 to add, 0 to change, 0 to destroy")
			terraform.Run("apply", "-auto-approve")
			clitest.WantScreen(t, []string{terraform.Run("plan")}, "No changes.")

			test.move(terraform, back)
			clitest.WantScreen(t, []string{terraform.Run("apply", "-auto-approve")}, "5 added, 0 changed, 0 destroyed")
			clitest.WantScreen(t, []string{terraform.Run("plan")}, "No changes.")
			service.WantCount(mockserver.ConvertChapter, 0)
		})
	}
}

// TestAccAdoptionWithABound: a project with text left fails the import that must cost nothing.
func TestAccAdoptionWithABound(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.Queries)
	service := clitest.NewService(t, mockserver.Audiobook(0))
	terraform := clitest.New(t, service.Address, inExamples(queryExamples[1:])...)
	terraform.Run("query", "-generate-config-out=generated.tf")
	terraform.Environment = append(terraform.Environment, "AUDIOPROJECTS_MAX_CHARACTERS=0")
	clitest.WantScreen(t, []string{terraform.RunFailing("apply", "-auto-approve")}, `Too many characters`, `project "audiobook"`)
	service.WantCount(mockserver.ConvertChapter, 0)
}
