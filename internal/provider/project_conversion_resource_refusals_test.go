package provider_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// A book of three chapters, one after the other.
const refusedBook = `
provider "audioprojects" {
  parallel_conversions = 1
}

resource "audioprojects_project_conversion" "book" {
  project_id = "book"
}
`

// A chapter's name is no account: the words of a refusal decide nothing.
func TestAccProjectConversionResource_aChapterNamedCredits(t *testing.T) {
	service := acctest.NewService(t, acctest.BookOf([]mockserver.Chapter{{ID: "credits", Name: "Opening Credits"}, {ID: "one"}, {ID: "two"}}))
	service.Inject(mockserver.Fault{
		Operation: mockserver.ConvertChapter, ChapterID: "credits", Status: 422,
		Body: `{"detail":{"message":"Chapter \"Opening Credits\" has no voice assigned"}}`,
	})
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config:      refusedBook,
				ExpectError: regexp.MustCompile(`(?s)Unable to convert 1 of the 3 chapters.*no voice assigned.*Check\s+the\s+ids\s+and,\s+if\s+a\s+chapter\s+was\s+to\s+be\s+converted,\s+its\s+text`),
			},
			{
				PreConfig: func() { service.WantCount(mockserver.ConvertChapter, 3) },
				Config:    refusedBook,
			},
		},
	})
	service.WantPaid("book", "credits", 1)
	service.WantCount(mockserver.ConvertChapter, 4)
}

// A quota is one by its code, whatever the status, and stops the rest of the book.
func TestAccProjectConversionResource_quota(t *testing.T) {
	service := acctest.NewService(t, acctest.BookOf([]mockserver.Chapter{{ID: "one"}, {ID: "two"}, {ID: "three"}}))
	quota := func(status int, body string) func() {
		return func() {
			service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Status: status, Body: body})
		}
	}
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				PreConfig:   quota(401, `{"detail":{"status":"quota_exceeded","message":"This request exceeds your quota."}}`),
				Config:      refusedBook,
				ExpectError: regexp.MustCompile(`(?s)Unable to convert 3 of the 3 chapters.*401 Unauthorized:\s+.*quota_exceeded.*Add\s+credits or raise the quota.*Not\s+begun,\s+because\s+the\s+service\s+refused\s+the\s+conversion\s+of\s+another\s+chapter`),
			},
			{
				PreConfig: func() {
					service.WantCount(mockserver.ConvertChapter, 1)
					quota(429, `{"error":{"code":"insufficient_quota","type":"insufficient_quota","message":"You exceeded your current quota."}}`)()
				},
				Config:      refusedBook,
				ExpectError: regexp.MustCompile(`(?s)Unable to convert 3 of the 3 chapters.*insufficient_quota.*Add\s+credits or raise the quota`),
			},
			{
				PreConfig: func() { service.WantCount(mockserver.ConvertChapter, 2) },
				Config:    refusedBook,
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 5)
}

// Large services refuse a key without the scope with 401. The list has accepted the key, so it is the operation's
// scope that lacks.
func TestAccProjectConversionResource_keyWithoutScope(t *testing.T) {
	service := acctest.NewService(t, acctest.BookOf([]mockserver.Chapter{{ID: "one"}, {ID: "two"}, {ID: "three"}}))
	service.Inject(mockserver.Fault{
		Operation: mockserver.ConvertChapter, Times: 2, Status: 401,
		Body: `{"detail":{"status":"missing_permissions","message":"The API key lacks the permission projects_write."}}`,
	})
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				Config:      refusedBook,
				ExpectError: regexp.MustCompile(`(?s)Unable to convert 3 of the 3 chapters.*missing_permissions.*Use\s+a\s+key\s+with\s+the\s+required\s+scope`),
			},
			{
				PreConfig: func() { service.WantCount(mockserver.ConvertChapter, 2) },
				Config:    refusedBook,
			},
		},
	})
	service.WantCount(mockserver.ConvertChapter, 5)
}
