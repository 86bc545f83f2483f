package provider_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

func TestAccDataSourcesAskOnceForEveryPlan(t *testing.T) {
	t.Parallel()
	service := newService(t, mockserver.Audiobook(0))
	each := len(dataSources)
	run(t, resource.TestStep{
		Config: everyDataSource(service.Address, mockserver.Secret),
		ConfigPlanChecks: resource.ConfigPlanChecks{
			PreApply:             []plancheck.PlanCheck{sent{service, each}},
			PostApplyPreRefresh:  []plancheck.PlanCheck{sent{service, 2 * each}},
			PostApplyPostRefresh: []plancheck.PlanCheck{sent{service, 3 * each}},
		},
	})
	for _, entry := range service.Journal() {
		if entry.Method != "GET" || len(entry.Body) > 0 {
			t.Errorf("%s %s with %d bytes: want a GET without a body", entry.Method, entry.Path, len(entry.Body))
		}
	}
}

func TestAccDataSourceIdentifiersOfAnyCharacters(t *testing.T) {
	t.Parallel()
	const projectID, chapterID = `Hör/Buch 100% "a"?b#c`, `../..%2F+;é`
	service := newService(t, mockserver.Project{ID: projectID, Chapters: []mockserver.Chapter{{ID: chapterID}}})
	run(t, resource.TestStep{Config: service.Config(fmt.Sprintf(`
data "audioprojects_projects" "odd" {}

data "audioprojects_project" "odd" {
  project_id = data.audioprojects_projects.odd.projects[0].project_id
}

data "audioprojects_project_snapshots" "odd" {
  project_id = %[1]q
}

data "audioprojects_chapters" "odd" {
  project_id = data.audioprojects_project.odd.project_id
}

data "audioprojects_chapter_snapshots" "odd" {
  project_id = data.audioprojects_project.odd.project_id
  chapter_id = data.audioprojects_chapters.odd.chapters[0].chapter_id
}

output "identifiers" {
  value = [data.audioprojects_chapter_snapshots.odd.project_id, data.audioprojects_chapter_snapshots.odd.chapter_id]

  precondition {
    condition     = data.audioprojects_chapter_snapshots.odd.chapter_id == %[2]q
    error_message = "The identifier of the chapter is another."
  }
}
`, projectID, chapterID))})
	for _, source := range dataSources {
		if service.Count(source.operation) == 0 {
			t.Errorf("%s: got no request", source.operation)
		}
	}
	for _, entry := range service.Journal() {
		if entry.Operation != mockserver.ListProjects && entry.ProjectID != projectID || entry.Operation == mockserver.ListChapterSnapshots && entry.ChapterID != chapterID {
			t.Errorf("%s: got project %q and chapter %q, want %q and %q", entry.Path, entry.ProjectID, entry.ChapterID, projectID, chapterID)
		}
	}
}

func TestAccDataSourceRefusesIdentifiersThatChangeThePath(t *testing.T) {
	t.Parallel()
	service := newFaultyService(t)
	printed := screens(t, service.Config(`
data "audioprojects_project" "one" {
  project_id = ".."
}

data "audioprojects_chapters" "one" {
  project_id = ""
}

data "audioprojects_chapter_snapshots" "one" {
  project_id = "audiobook"
  chapter_id = "."
}
`))
	clitest.WantScreen(t, printed, "Invalid identifier", `project_id = ".."`, `".." is not an identifier: it must not be empty, "." or "..".`)
	clitest.WantScreen(t, printed, "Invalid identifier", `project_id = ""`, `"" is not an identifier`)
	clitest.WantScreen(t, printed, "Invalid identifier", `chapter_id = "."`, `"." is not an identifier`)
	if got := len(service.Journal()); got > 0 {
		t.Errorf("requests: got %d, want 0", got)
	}
}
