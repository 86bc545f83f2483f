package provider_test

import (
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

func TestAccProjectConversionListResource(t *testing.T) {
	service := acctest.NewService(t, mockserver.Audiobook(0), acctest.Book())
	const listed = "audioprojects_project_conversion.all"
	identity := map[string]knownvalue.Check{"project_id": knownvalue.StringExact("audiobook")}
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_14_0)},
		Steps: []resource.TestStep{
			{
				Query:  true,
				Config: acctest.ExampleQuery(t, "audioprojects_project_conversion"),
				QueryResultChecks: []querycheck.QueryResultCheck{
					querycheck.ExpectLength(listed, 2),
					querycheck.ExpectIdentity(listed, identity),
					querycheck.ExpectResourceDisplayName(
						listed, queryfilter.ByResourceIdentity(identity), knownvalue.StringExact("The Lamplighter of Port Esker"),
					),
				},
			},
			{
				Query: true,
				Config: `
provider "audioprojects" {}

list "audioprojects_project_conversion" "all" {
  provider         = audioprojects
  include_resource = true
}
`,
				QueryResultChecks: []querycheck.QueryResultCheck{
					querycheck.ExpectResourceKnownValues(listed, queryfilter.ByResourceIdentity(identity), []querycheck.KnownValueCheck{
						{Path: tfjsonpath.New("chapter_count"), KnownValue: knownvalue.Int64Exact(5)},
						{Path: tfjsonpath.New("characters_converted"), KnownValue: knownvalue.Int64Exact(0)},
					}),
				},
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 0)
}
