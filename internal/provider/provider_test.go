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
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/clitest"
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

// A base_url that ends in the version, as vendors show it: the error has the path that was requested, and says what is doubled.
func TestAccProvider_doubledPath(t *testing.T) {
	service := acctest.NewFaultyService(t, acctest.Book())
	const localhost = `base_url = "http://localhost/v1"`
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config:      readBook(localhost),
				ExpectError: clitest.MessagePattern("GET /v1/v1/projects/book: 404 Not Found"),
			},
			{
				Config:      `provider "audioprojects" { ` + localhost + ` }` + acctest.ConversionBlock(``),
				ExpectError: clitest.MessagePattern("`base_url` ends in /v1, and `api_path` adds /v1 again. Remove it from one of them."),
			},
			{Config: readBook(localhost + "\n  api_path = \"/\"")},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 0)
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

// max_characters refuses a plan that may cost more, or does not know what it costs, and allows one that costs no more.
func TestAccProvider_maxCharacters(t *testing.T) {
	service := acctest.NewService(t, acctest.Book())
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				// The service cannot be asked.
				PreConfig:   func() { service.Inject(mockserver.Fault{Status: 503}) },
				Config:      "provider \"audioprojects\" {\n  max_characters = 35\n  max_retries = 0\n}\n" + acctest.ConversionBlock(``),
				ExpectError: regexp.MustCompile(`cannot check the\s+limit of 35 characters`),
			},
			{
				Config:      `provider "audioprojects" { max_characters = 34 }` + acctest.ConversionBlock(``),
				ExpectError: regexp.MustCompile(`Too many characters`),
			},
			{
				PreConfig: func() { service.WantCount(mockserver.ConvertChapter, 0) },
				Config:    `provider "audioprojects" { max_characters = 35 }` + acctest.ConversionBlock(``),
			},
			{
				// Nothing is left to convert.
				Config:   `provider "audioprojects" { max_characters = 0 }` + acctest.ConversionBlock(``),
				PlanOnly: true,
			},
		},
	})
	service.WantPaid("book", "one", 1)
}
