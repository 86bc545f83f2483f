package provider_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const (
	actionBlock = `
action "audioprojects_convert_chapter" "one" {
  config {
    project_id = "book"
    chapter_id = "one"
  }
}
`
	invokeOne = "-invoke=action.audioprojects_convert_chapter.one"
)

func TestAccConvertChapterAction(t *testing.T) {
	service := acctest.NewService(t, mockserver.Audiobook(0))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_14_0)},
		Steps: []resource.TestStep{
			{
				ConfigFile: acctest.Example("actions/audioprojects_convert_chapter/action.tf"),
				ConfigPlanChecks: acctest.Plan(
					plancheck.ExpectResourceAction("terraform_data.edition", plancheck.ResourceActionCreate),
				),
				PostApplyFunc: func() {
					service.WantPaid("audiobook", "chapter-3", 1)
					service.WantCount(mockserver.ConvertChapter, 1)
				},
			},
		},
	})
}

// convertWhenChanged has a resource that invokes the action when its input changes.
func convertWhenChanged(input, actionArguments string) string {
	return `
action "audioprojects_convert_chapter" "one" {
  config {
    project_id = "book"
    chapter_id = "one"
    ` + actionArguments + `
  }
}

resource "terraform_data" "edition" {
  input = ` + input + `

  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.audioprojects_convert_chapter.one]
    }
  }
}
`
}

// With only_unconverted, text that is converted is not converted again.
func TestAccConvertChapterAction_onlyUnconverted(t *testing.T) {
	service := acctest.NewService(t, acctest.Book())
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_14_0)},
		Steps: []resource.TestStep{
			{
				Config:        convertWhenChanged(`"first"`, `only_unconverted = true`),
				PostApplyFunc: func() { service.WantPaid("book", "one", 1) },
			},
			{
				Config:        convertWhenChanged(`"second"`, `only_unconverted = true`),
				PostApplyFunc: func() { service.WantPaid("book", "one", 1) },
			},
			{
				PreConfig:     func() { service.EditChapter("book", "one", acctest.LongerText) },
				Config:        convertWhenChanged(`"third"`, `only_unconverted = true`),
				PostApplyFunc: func() { service.WantPaid("book", "one", 2) },
			},
		},
	})
}

// The address of the service is known only in the apply. The plan asks nothing, and the action converts.
func TestAccConvertChapterAction_unknownProvider(t *testing.T) {
	service := acctest.NewService(t, acctest.Book())
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_14_0)},
		Steps: []resource.TestStep{
			{
				Config: `
resource "terraform_data" "address" {
  input = "http://localhost"
}

provider "audioprojects" {
  base_url = terraform_data.address.output
}
` + convertWhenChanged(`terraform_data.address.output`, ``),
				ConfigPlanChecks: acctest.Plan(service.ExpectNoRequests()),
				PostApplyFunc:    func() { service.WantPaid("book", "one", 1) },
			},
		},
	})
}

// A second action fails after the first has converted. Terraform taints the resource and runs both again, and the first pays once.
func TestAccConvertChapterAction_runAgain(t *testing.T) {
	service := acctest.NewService(t, acctest.Book())
	failing := convertWhenChanged(`"first"`, `only_unconverted = true`) + `
action "audioprojects_convert_chapter" "two" {
  config {
    project_id = "book"
    chapter_id = terraform_data.second.input
  }
}

resource "terraform_data" "second" {
  input = "two"

  lifecycle {
    action_trigger {
      events     = [after_create]
      actions    = [action.audioprojects_convert_chapter.one, action.audioprojects_convert_chapter.two]
      on_failure = taint
    }
  }
}
`
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(acctest.Version1_16_0)},
		Steps: []resource.TestStep{
			{Config: failing, ExpectError: regexp.MustCompile(`Chapters that the project does not have`)},
			{
				PreConfig: func() {
					service.AddChapter("book", mockserver.Chapter{
						ID: "two", Text: acctest.ChapterText, Conversions: []mockserver.Conversion{{Fails: "voice not found"}, {}},
					})
				},
				Config:      failing,
				ExpectError: regexp.MustCompile(`voice not found`),
			},
			{
				Config:        failing,
				PostApplyFunc: func() { service.WantPaid("book", "two", 2) },
			},
		},
	})
	service.WantPaid("book", "one", 1)
}

func TestAccConvertChapterAction_errors(t *testing.T) {
	service := acctest.NewService(t, acctest.Book(mockserver.Conversion{Fails: "voice not found"}))
	readOnly := []mockserver.Operation{mockserver.ListChapters, mockserver.GetProject}
	service.AddKey(mockserver.Key{Secret: "reader", Scopes: readOnly})
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_14_0)},
		Steps: []resource.TestStep{
			{
				Config:      convertWhenChanged(`"first"`, `timeouts = { invoke = "soon" }`),
				ExpectError: regexp.MustCompile(`Invalid duration`),
			},
			{
				Config:      `provider "audioprojects" { max_characters = 34 }` + convertWhenChanged(`"first"`, ``),
				ExpectError: regexp.MustCompile(`Too many characters`),
			},
			{
				// The action and a resource of the same chapter cost twice.
				Config: `provider "audioprojects" { max_characters = 69 }` + convertWhenChanged(`"first"`, ``) + `
resource "audioprojects_chapter_conversion" "one" {
  project_id = "book"
  chapter_id = "one"
}
`,
				ExpectError: regexp.MustCompile(`Too many characters`),
			},
			{
				Config:      `provider "audioprojects" { api_key = "other" }` + convertWhenChanged(`"first"`, ``),
				ExpectError: regexp.MustCompile(`does not accept the API key`),
			},
			{
				Config:      `provider "audioprojects" { api_key = "reader" }` + convertWhenChanged(`"first"`, ``),
				ExpectError: regexp.MustCompile(`missing the permission`),
			},
			{
				PreConfig:   func() { service.WantPaid("book", "one", 0) },
				Config:      convertWhenChanged(`"second"`, ``),
				ExpectError: regexp.MustCompile(`voice not found`),
			},
		},
	})
	service.WantPaid("book", "one", 1)
}
