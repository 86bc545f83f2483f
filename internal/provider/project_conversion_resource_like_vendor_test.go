package provider_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// The habits of one large service, from the first apply to a quota that is told with 401.
func TestAccProjectConversionResource_likeVendor(t *testing.T) {
	config := acctest.BookBlock(``)
	service := acctest.NewService(t, acctest.BookOf([]mockserver.Chapter{{ID: "one"}, {ID: "two"}}))
	service.SetHabits(mockserver.LikeVendor())
	scoped := func(credits *int, scopes ...mockserver.Operation) func() {
		return func() { service.AddKey(mockserver.Key{Secret: mockserver.Secret, Scopes: scopes, Credits: credits}) }
	}
	resource.ParallelTest(t, resource.TestCase{
		ProtoV6ProviderFactories: service.ProviderFactories(),
		Steps: []resource.TestStep{
			{
				PreConfig:   scoped(nil, mockserver.ListChapters, mockserver.GetProject),
				Config:      config,
				ExpectError: regexp.MustCompile(`(?s)401 Unauthorized:\s+.*missing_permissions.*Use\s+a\s+key\s+with\s+the\s+required\s+scope`),
			},
			{
				PreConfig:   scoped(new(int)),
				Config:      config,
				ExpectError: regexp.MustCompile(`(?s)401 Unauthorized:\s+.*quota_exceeded.*Add\s+credits\s+or\s+raise\s+the\s+quota`),
			},
			{
				PreConfig: func() {
					service.WantPaid("book", "one", 0)
					scoped(nil)()
				},
				Config: config,
			},
		},
	})
	service.WantPaid("book", "one", 1)
	service.WantPaid("book", "two", 1)
}
