package provider_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestAcceptanceTests_coverEveryBlock: the file that a block's name leads to has a TestAcc… with a step for the block.
func TestAcceptanceTests_coverEveryBlock(t *testing.T) {
	t.Parallel()
	all := schemas()
	want := map[string]string{"provider_test.go": `provider "audioprojects"`}
	for name := range all.ResourceSchemas {
		want[acceptanceFile(name, "resource")] = `resource "` + name + `"`
	}
	for name := range all.DataSourceSchemas {
		want[acceptanceFile(name, "data_source")] = `data "` + name + `"`
	}
	for name := range all.ActionSchemas {
		want[acceptanceFile(name, "action")] = `action "` + name + `"`
	}
	for name := range all.ListResourceSchemas {
		want[acceptanceFile(name, "list_resource")] = `list "` + name + `"`
	}
	begins := regexp.MustCompile(`(?m)^func TestAcc\w+\(t \*testing\.T\) \{$`)
	comment := regexp.MustCompile(`(?m)^\s*//.*$`)
	for file, step := range want {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
			continue
		}
		code := comment.ReplaceAllString(string(text), "")
		runs := begins.MatchString(code) && strings.Contains(code, "resource.ParallelTest(t, ")
		example := `acctest.Example("data-sources/` + strings.Split(step, `"`)[1] + `/`
		hasStep := strings.Contains(code, step) || strings.Contains(code, example)
		if !runs || !hasStep || strings.Contains(code, "t.Skip") {
			t.Errorf("%s has no acceptance test with a step for %s, or skips it", file, step)
		}
	}
}

// acceptanceFile is the file that the name of a block leads to.
func acceptanceFile(block, kind string) string {
	return strings.TrimPrefix(block, "audioprojects_") + "_" + kind + "_test.go"
}
