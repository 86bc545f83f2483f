package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestAccChaptersDataSource(t *testing.T) {
	t.Parallel()
	service := newService(t, mockserver.Audiobook(0))
	run(t, resource.TestStep{
		Config: service.config(`data "audioprojects_chapters" "book" { project_id = "audiobook" }`),
		Check:  resource.TestCheckResourceAttr("data.audioprojects_chapters.book", "chapters.#", "5"),
	})
}
