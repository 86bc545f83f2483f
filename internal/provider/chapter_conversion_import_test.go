package provider_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// converted is a project whose chapter was converted without Terraform.
func converted() mockserver.Project {
	return bookWith(mockserver.Chapter{Text: chapterText, Converted: true})
}

func TestAccConversionImport(t *testing.T) {
	t.Parallel()
	imports := map[string]struct {
		argument string
		needs    []clitest.Feature
	}{
		"by id":       {`id = "book/one"`, nil},
		"by identity": {`identity = { project_id = "book", chapter_id = "one" }`, []clitest.Feature{clitest.Identities}},
	}
	for name, test := range imports {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clitest.Needs(t, test.needs...)
			service := newService(t, converted())
			run(t,
				resource.TestStep{
					Config: service.Config(conversionBlock(``), `
import {
  to = `+conversionAddress+`
  `+test.argument+`
}
`),
					// The plan has only the import: nothing is created, changed or destroyed.
					ConfigPlanChecks: plans(plancheck.ResourceActionNoop),
				},
				resource.TestStep{
					Config:           service.Config(conversionBlock(``)),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
				},
			)
			service.WantCount(mockserver.ConvertChapter, 0)
		})
	}
}

func TestAccConversionImportCommand(t *testing.T) {
	t.Parallel()
	service := newService(t, book())
	run(t,
		resource.TestStep{Config: service.Config(conversionBlock(``))},
		resource.TestStep{
			ResourceName:      conversionAddress,
			ImportState:       true,
			ImportStateVerify: true,
		},
	)
	service.WantCount(mockserver.ConvertChapter, 1)
}

func TestAccConversionIdentity(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.Identities)
	service := newService(t, book())
	run(t,
		resource.TestStep{
			Config: service.Config(conversionBlock(``)),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectIdentity(conversionAddress, map[string]knownvalue.Check{
					"project_id": knownvalue.StringExact("book"),
					"chapter_id": knownvalue.StringExact("one"),
				}),
			},
		},
		resource.TestStep{
			ResourceName:    conversionAddress,
			ImportState:     true,
			ImportStateKind: resource.ImportBlockWithResourceIdentity,
		},
	)
	service.WantCount(mockserver.ConvertChapter, 1)
}

func TestAccConversionImportErrors(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		id    string
		error string
	}{
		"one part":           {"one", `(?s)Unable to import chapter conversion.*project_id/chapter_id`},
		"three parts":        {"book/one/two", `(?s)Unable to import chapter conversion.*written %2F`},
		"bad escape":         {"book/%zz", `(?s)Unable to import chapter conversion.*Invalid URL escape`},
		"nothing for a part": {"book/", `(?s)Unable to import chapter conversion.*not an identifier`},
		"walks the path":     {"book/..", `(?s)Unable to import chapter conversion.*not an identifier`},
		"unknown chapter":    {"book/nine", `Cannot import non-existent remote object`},
		"unknown project":    {"nook/one", `(?s)Unable to read chapter "one" of project "nook".*Check the id`},
	}
	service := newService(t, converted())
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, resource.TestStep{
				Config:             service.Config(conversionBlock(``)),
				ResourceName:       conversionAddress,
				ImportState:        true,
				ImportStateIdFunc:  func(*terraform.State) (string, error) { return test.id, nil },
				ImportStatePersist: true,
				ExpectError:        regexp.MustCompile(test.error),
			})
		})
	}
	t.Cleanup(func() { service.WantCount(mockserver.ConvertChapter, 0) })
}
