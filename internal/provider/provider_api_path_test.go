package provider_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver/contract"
)

// TestAccEveryBlockAsksUnderTheAPIPath: what has moved to another path is found there, by all blocks, and messages show it.
func TestAccEveryBlockAsksUnderTheAPIPath(t *testing.T) {
	t.Parallel()
	const apiPath = "/v1/studio"
	mock := mockserver.New()
	mock.SetHabits(mockserver.Habits{APIPath: apiPath})
	book := mockserver.Audiobook(0)
	book.Snapshots = []mockserver.ProjectSnapshot{{ID: "reading"}}
	checked := contract.CheckAt(apiPath, mock, func(err error) { t.Error(err) })
	service := &service{clitest.StartService(t, mock, checked, book), t}
	moved := func(config string) string {
		return strings.Replace(config, "max_retries = 1", "max_retries = 1\n  api_path    = \""+apiPath+"\"", 1)
	}
	run(t, resource.TestStep{Config: moved(everyDataSource(service.Address, mockserver.Secret)) + `
resource "audioprojects_chapter_conversion" "first" {
  project_id = "audiobook"
  chapter_id = "chapter-1"
}

resource "audioprojects_project_snapshot_audio" "book" {
  project_id          = "audiobook"
  project_snapshot_id = "reading"
  filename            = "` + filepath.ToSlash(filepath.Join(t.TempDir(), "book.wav")) + `"
}
`})
	asked := map[mockserver.Operation]bool{}
	for _, entry := range service.Journal() {
		asked[entry.Operation] = true
		if !strings.HasPrefix(entry.Path, apiPath+"/projects") {
			t.Errorf("got a request for %s", entry.Path)
		}
	}
	const operations = 7
	if len(asked) != operations || asked[""] {
		t.Errorf("got requests for %v, want all %d operations", asked, operations)
	}

	printed := screens(t, moved(service.Config(`
data "audioprojects_project" "other" {
  project_id = "other"
}
`)))
	clitest.WantScreen(t, printed, "GET /v1/studio/projects/other: 404 Not Found: Project other was not found.")
}
