package provider_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/querycheck"
	"github.com/hashicorp/terraform-plugin-testing/querycheck/queryfilter"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestAccChapterConversionListResource(t *testing.T) {
	service := acctest.NewService(t, mockserver.Audiobook(0))
	crossing := map[string]knownvalue.Check{
		"project_id": knownvalue.StringExact("audiobook"),
		"chapter_id": knownvalue.StringExact("chapter-3"),
	}
	const listed = "audioprojects_chapter_conversion.chapter"
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_14_0)},
		Steps: []resource.TestStep{
			{
				Query:  true,
				Config: acctest.ExampleQuery(t, "audioprojects_chapter_conversion"),
				QueryResultChecks: []querycheck.QueryResultCheck{
					querycheck.ExpectLength(listed, 5),
					querycheck.ExpectIdentity(listed, crossing),
					querycheck.ExpectResourceDisplayName(
						listed, queryfilter.ByResourceIdentity(crossing), knownvalue.StringExact("Crossing"),
					),
				},
			},
			{
				Query: true,
				Config: `
provider "audioprojects" {}

list "audioprojects_chapter_conversion" "chapter" {
  provider         = audioprojects
  include_resource = true

  config {
    project_id = "audiobook"
  }
}
`,
				QueryResultChecks: []querycheck.QueryResultCheck{
					querycheck.ExpectResourceKnownValues(listed, queryfilter.ByResourceIdentity(crossing), []querycheck.KnownValueCheck{
						{Path: tfjsonpath.New("id"), KnownValue: knownvalue.StringExact("audiobook/chapter-3")},
						{Path: tfjsonpath.New("keep_up_to_date"), KnownValue: knownvalue.Bool(false)},
						{Path: tfjsonpath.New("last_conversion_date_unix"), KnownValue: knownvalue.Null()},
					}),
				},
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 0)
}

func TestAccChapterConversionListResource_errors(t *testing.T) {
	service := acctest.NewService(t, mockserver.Audiobook(0))
	service.AddKey(mockserver.Key{Secret: "projects-only", Scopes: []mockserver.Operation{mockserver.ListProjects}})
	chaptersOf := func(project, key string) string {
		return `
provider "audioprojects" {
  api_key = "` + key + `"
}

list "audioprojects_chapter_conversion" "chapter" {
  provider = audioprojects

  config {
    project_id = "` + project + `"
  }
}
`
	}
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_14_0)},
		Steps: []resource.TestStep{
			{
				Query:       true,
				Config:      chaptersOf("nowhere", mockserver.Secret),
				ExpectError: regexp.MustCompile(`Unable to list chapters of project "nowhere"`),
			},
			{
				Query:       true,
				Config:      chaptersOf("audiobook", "other"),
				ExpectError: regexp.MustCompile(`does not accept the API key`),
			},
			{
				Query:       true,
				Config:      chaptersOf("audiobook", "projects-only"),
				ExpectError: regexp.MustCompile(`Unable to list chapters of project "audiobook"(?s:.*)403 Forbidden`),
			},
		},
	})
	service.WantRequests(map[mockserver.Operation]int{mockserver.ListChapters: 3})
}
