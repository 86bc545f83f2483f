package provider_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// twoBlocks are a data source and a resource.
const twoBlocks = `
data "audioprojects_project" "book" {
  project_id = "audiobook"
}

resource "audioprojects_chapter_conversion" "first" {
  project_id = "audiobook"
  chapter_id = "chapter-1"
}
`

func TestAccProviderNamesItselfAndGivesTheKeyWithEveryRequest(t *testing.T) {
	t.Parallel()
	service := newService(t, mockserver.Audiobook(0))
	run(t, resource.TestStep{
		Config: service.config(twoBlocks),
		// What the project says of its chapters changes with their conversion.
		ExpectNonEmptyPlan: false,
	})
	service.wantCount(mockserver.ConvertChapter, 1)
	userAgent := regexp.MustCompile(`^Terraform/\d+\.\d+\.\d+\S* terraform-provider-audioprojects/test$`)
	for _, entry := range service.Journal() {
		if got := entry.Header.Values("xi-api-key"); len(got) != 1 || got[0] != mockserver.Secret {
			t.Errorf("%s %s: got key %q, want %q", entry.Method, entry.Path, got, mockserver.Secret)
		}
		if got := entry.Header.Get("User-Agent"); !userAgent.MatchString(got) {
			t.Errorf("%s %s: got user agent %q, want %s", entry.Method, entry.Path, got, userAgent)
		}
	}
}
