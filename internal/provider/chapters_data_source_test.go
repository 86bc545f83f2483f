package provider_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestAccChaptersDataSource(t *testing.T) {
	service := newService(t, mockserver.Audiobook(0))
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.providerFactories(),
		Steps: []resource.TestStep{
			{
				ConfigFile: example("data-sources/audioprojects_chapters/data-source.tf"),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.audioprojects_chapters.book", tfjsonpath.New("chapters"), knownvalue.ListSizeExact(5)),
					statecheck.ExpectKnownValue("data.audioprojects_chapters.book", tfjsonpath.New("chapter_ids"), knownvalue.ListPartial(map[int]knownvalue.Check{
						0: knownvalue.StringExact("chapter-1"),
						4: knownvalue.StringExact("chapter-5"),
					})),
					statecheck.ExpectKnownValue("data.audioprojects_chapters.book", tfjsonpath.New("chapters").AtSliceIndex(0), knownvalue.ObjectPartial(map[string]knownvalue.Check{
						"name":                      knownvalue.StringExact("The Dark Lantern"),
						"state":                     knownvalue.StringExact("default"),
						"last_conversion_date_unix": knownvalue.Null(),
					})),
				},
			},
			{
				Config: `
data "audioprojects_chapters" "book" {
  project_id = "nowhere"
}
`,
				ExpectError: regexp.MustCompile(`Unable to read chapters of project "nowhere"`),
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 0)
}
