package provider_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// convertBookWhenChanged has a resource that invokes the action when its input changes.
func convertBookWhenChanged(input, actionArguments string) string {
	return `
action "audioprojects_convert_project" "book" {
  config {
    project_id = "audiobook"
    ` + actionArguments + `
  }
}

resource "terraform_data" "edition" {
  input = "` + input + `"

  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.audioprojects_convert_project.book]
    }
  }
}
`
}

func TestAccConvertProjectAction(t *testing.T) {
	service := acctest.NewService(t, mockserver.Audiobook(brief.Takes))
	converted := func(want int) func() {
		return func() { service.WantCount(mockserver.ConvertChapter, want) }
	}
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_14_0)},
		Steps: []resource.TestStep{
			{
				// Nothing invokes an action that is only declared.
				ConfigFile:    acctest.Example("actions/audioprojects_convert_project/action.tf"),
				PostApplyFunc: converted(0),
			},
			{
				Config:        convertBookWhenChanged("two chapters", `chapter_ids = ["chapter-1", "chapter-2"]`),
				PostApplyFunc: converted(2),
			},
			{
				Config:        convertBookWhenChanged("the rest", ``),
				PostApplyFunc: converted(5),
			},
			{
				Config:        convertBookWhenChanged("nothing is left", ``),
				PostApplyFunc: converted(5),
			},
			{
				PreConfig:     func() { service.EditChapter("audiobook", "chapter-4", acctest.LongerText) },
				Config:        convertBookWhenChanged("one was edited", ``),
				PostApplyFunc: converted(6),
			},
			{
				Config:        convertBookWhenChanged("everything again", `all = true`),
				PostApplyFunc: converted(11),
			},
		},
	})
}

func TestAccConvertProjectAction_errors(t *testing.T) {
	service := acctest.NewService(t, mockserver.Audiobook(0))
	service.AddKey(mockserver.Key{Secret: "stranger", NoAccess: true})
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_14_0)},
		Steps: []resource.TestStep{
			{
				Config:      convertBookWhenChanged("first", `chapter_ids = []`),
				ExpectError: regexp.MustCompile(`chapter_ids`),
			},
			{
				Config:      convertBookWhenChanged("first", `chapter_ids = ["chapter-9"]`),
				ExpectError: regexp.MustCompile(`Chapters that the project does not have(.|\n)*chapter-9`),
			},
			{
				Config:      `provider "audioprojects" { api_key = "stranger" }` + convertBookWhenChanged("first", ``),
				ExpectError: regexp.MustCompile(`403 Forbidden`),
			},
			{
				Config:      `provider "audioprojects" { api_key = "other" }` + convertBookWhenChanged("first", ``),
				ExpectError: regexp.MustCompile(`does not accept the API key`),
			},
			{
				Config: `
action "audioprojects_convert_project" "book" {
  config {
    project_id = "nowhere"
  }
}

resource "terraform_data" "edition" {
  input = "first"

  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.audioprojects_convert_project.book]
    }
  }
}
`,
				ExpectError: regexp.MustCompile(`404 Not Found`),
			},
			{
				Config:      `provider "audioprojects" { max_characters = 1000 }` + convertBookWhenChanged("first", ``),
				ExpectError: regexp.MustCompile(`Too many characters`),
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 0)
}
