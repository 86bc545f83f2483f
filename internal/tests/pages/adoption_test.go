package pages

import (
	"regexp"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
)

const importGuide = root + "/docs/guides/import-an-existing-project.md"

// TestCLIPages_fromChaptersToProjectAndBack plays the section of the guide: with its blocks, and with the commands for older versions.
func TestCLIPages_fromChaptersToProjectAndBack(t *testing.T) {
	t.Parallel()
	removed := regexp.MustCompile(`(?ms)^removed \{\n  from = (\S+)\n.*?^}\n`)
	toTheProject := code(t, importGuide, "From chapter conversions to a project conversion", "terraform")[0]
	address := regexp.MustCompile("`from = (\\S+)`").FindStringSubmatch(section(t, importGuide, "From a project conversion to chapter conversions"))
	if address == nil {
		t.Fatal("the guide does not have the way back")
	}
	back := strings.Replace(removed.FindString(toTheProject), "audioprojects_chapter_conversion.chapter", address[1], 1) +
		read(t, examplesFolder, conversionFolder, "resource_book.tf")
	for name, test := range map[string]struct {
		needs []clitest.Feature
		move  func(terraform *clitest.CLI, configuration string)
	}{
		// These blocks are as old as the loops of import blocks.
		"removed blocks": {[]clitest.Feature{clitest.ImportLoops}, func(terraform *clitest.CLI, configuration string) { terraform.Write(configuration) }},
		"commands": {nil, func(terraform *clitest.CLI, configuration string) {
			terraform.Run("state", "rm", removed.FindStringSubmatch(configuration)[1])
			terraform.Write(removed.ReplaceAllString(configuration, ""))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clitest.Needs(t, test.needs...)
			r := follow(t, removed.ReplaceAllString(back, ""), convertedAudiobook(0))
			r.apply()

			test.move(r.CLI, toTheProject)
			wantScreen(t, r.Run("plan"), "1 to import, 0 to add, 0 to change, 0 to destroy")
			r.apply()
			r.wantSettled(0)

			test.move(r.CLI, back)
			r.apply("5 added, 0 changed, 0 destroyed")
			r.wantSettled(0)
		})
	}
}
