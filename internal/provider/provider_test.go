package provider_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// readBook reads the project with a provider block of the given settings.
func readBook(settings string) string {
	return `
provider "audioprojects" {
  ` + settings + `
}

data "audioprojects_project" "book" {
  project_id = "book"
}
`
}

// The environment has the address and a key. A setting of the block is stronger.
func TestAccProvider(t *testing.T) {
	service := acctest.NewService(t, acctest.Book())
	service.AddKey(mockserver.Key{Secret: "key-of-the-block"})
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: readBook(``),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(
						"data.audioprojects_project.book", tfjsonpath.New("name"), knownvalue.StringExact("book"),
					),
				},
			},
			{
				PreConfig: service.ResetJournal,
				Config:    readBook(`api_key = "key-of-the-block"`),
				PostApplyFunc: func() {
					sent := service.Journal()
					if len(sent) == 0 {
						t.Error("nothing was asked")
					}
					for _, entry := range sent {
						key := entry.Header.Get("xi-api-key")
						if key != "key-of-the-block" {
							t.Errorf("%s %s has the key %q", entry.Method, entry.Path, key)
						}
					}
				},
			},
			{
				Config:      readBook(`api_key = "unknown-key"`),
				ExpectError: regexp.MustCompile(`The service does not accept the API key`),
			},
		},
	})
}

// An API key that is known only in the apply: the plan asks nothing and is no error, and the apply converts.
func TestAccProvider_unknown(t *testing.T) {
	service := acctest.NewService(t, acctest.Book())
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config: `
resource "terraform_data" "key" {
  input = "` + mockserver.Secret + `"
}

provider "audioprojects" {
  api_key = terraform_data.key.output
}
` + acctest.ConversionBlock(``),
				ConfigPlanChecks: acctest.Plan(
					plancheck.ExpectResourceAction("audioprojects_chapter_conversion.chapter", plancheck.ResourceActionCreate),
					service.ExpectNoRequests(),
				),
			},
		},
	})
	service.WantPaid("book", "one", 1)
}
