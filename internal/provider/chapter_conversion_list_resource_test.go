package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/clitest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// threeChapters adds the project "shelf" with three chapters: one converted, one not, and one without a name that is being
// converted.
func threeChapters(c *core) {
	c.service.AddProject(mockserver.Project{ID: "shelf", Chapters: []mockserver.Chapter{
		{ID: "a/b", Name: "Left", Text: chapterText, Converted: true},
		{ID: "two", Name: "Middle", Text: chapterText},
		{ID: "three", Text: chapterText, Conversions: []mockserver.Conversion{oneMinute}},
	}})
	c.service.Convert("shelf", "three")
}

// list lists the chapters of a project. It stops after taken results, even if there are more.
func (c *core) list(p *fakecore.Process, request tfprotov6.ListResourceRequest, projectID string, taken int) ([]fakecore.Listed, *fakecore.Screen) {
	c.Helper()
	return c.List(p, request, map[string]any{"project_id": projectID}, taken)
}

func TestListNamesEveryChapter(t *testing.T) {
	t.Parallel()
	withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
		threeChapters(c)
		results, shown := c.list(p, tfprotov6.ListResourceRequest{Limit: 100}, "shelf", 100)
		shown.Want(c, "", nil, nil)
		want := []struct{ id, name string }{{"a/b", "Left"}, {"two", "Middle"}, {"three", "three"}}
		if len(results) != len(want) {
			c.Fatalf("results: got %v, want %d", results, len(want))
		}
		for i, result := range results {
			c.wantEqual("identity", result.Identity, fakecore.ValueOf(result.Identity.Type(), map[string]any{"project_id": "shelf", "chapter_id": want[i].id}))
			if result.Name != want[i].name {
				c.Errorf("display name: got %q, want %q", result.Name, want[i].name)
			}
			if !result.Object.IsNull() {
				c.Errorf("got object %s, which was not requested", result.Object)
			}
		}
		c.wantLists(1)
		c.wantSent(0)
	})
}

// TestListedObjectsAreTheImportedOnes: an object in the list is the same as the one that an import
// by its identity puts into the state. So a configuration generated from the list has an empty plan.
func TestListedObjectsAreTheImportedOnes(t *testing.T) {
	t.Parallel()
	withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
		threeChapters(c)
		results, shown := c.list(p, tfprotov6.ListResourceRequest{Limit: 100, IncludeResource: true}, "shelf", 100)
		shown.Want(c, "", nil, nil)
		for i, id := range []string{"shelf/a%2Fb", "shelf/two", "shelf/three"} {
			c.Import(id)
			c.wantEqual(id, results[i].Object, c.Object.Value)
		}
		c.wantSent(0)
	})
}

func TestListStopsAtTheLimit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ limit, taken, want int }{{1, 100, 1}, {2, 100, 2}, {3, 100, 3}, {4, 100, 3}, {100, 1, 1}} {
		t.Run(fmt.Sprintf("limit %d, reader takes %d", test.limit, test.taken), func(t *testing.T) {
			t.Parallel()
			withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
				threeChapters(c)
				results, _ := c.list(p, tfprotov6.ListResourceRequest{Limit: int64(test.limit)}, "shelf", test.taken)
				if len(results) != test.want {
					c.Errorf("results: got %d, want %d", len(results), test.want)
				}
			})
		})
	}
}

func TestListOfAnEmptyProject(t *testing.T) {
	t.Parallel()
	withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
		c.service.AddProject(mockserver.Project{ID: "empty"})
		results, shown := c.list(p, tfprotov6.ListResourceRequest{Limit: 100}, "empty", 100)
		shown.Want(c, "", nil, nil)
		if len(results) > 0 {
			c.Errorf("got %v", results)
		}
	})
}

func TestListErrors(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		projectID string
		fault     mockserver.Fault
		want      string
	}{
		"unknown project": {"nook", mockserver.Fault{}, "Unable to list chapters of project \"nook\"\nGET /v1/projects/nook/chapters: 404 Not Found: Project nook was not found. The host is localhost.\n\nCheck the id"},
		"refused":         {"shelf", mockserver.Fault{Status: 403, Times: -1}, "or the account has not been granted access to projects"},
		"down":            {"shelf", mockserver.Fault{Status: 503, Times: -1}, "The service has a problem of its own. Run again later."},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
				threeChapters(c)
				if test.fault.Status > 0 {
					c.service.Inject(test.fault)
				}
				results, shown := c.list(p, tfprotov6.ListResourceRequest{Limit: 100}, test.projectID, 100)
				shown.Want(c, "", nil, []string{test.want})
				if len(results) > 0 {
					c.Errorf("got results %v beside the error", results)
				}
			})
		})
	}
}

// wantLists checks how many lists of chapters have been requested.
func (c *core) wantLists(want int) {
	c.Helper()
	if got := c.service.Count(mockserver.ListChapters); got != want {
		c.Errorf("lists: got %d, want %d", got, want)
	}
}

// TestAccAdoption adopts a whole project, converted or not, with the published query.
func TestAccAdoption(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.Queries)
	service := newService(t, mockserver.Audiobook(0))
	service.Convert("audiobook", "chapter-2")
	terraform := newCLI(t, service, "../../examples/list-resources/audioprojects_chapter_conversion/list-resource.tfquery.hcl")
	terraform.Write(`provider "audioprojects" {}`)

	screen := terraform.Run("query", "-generate-config-out=chapters.tf")
	for _, line := range []string{
		"chapter_id=chapter-1,project_id=audiobook The Dark Lantern",
		"chapter_id=chapter-5,project_id=audiobook Every Window Lit",
	} {
		clitest.WantScreen(t, []string{screen}, line)
	}
	service.WantCount(mockserver.ListChapters, 1)

	generated, err := os.ReadFile(filepath.Join(terraform.Folder, "chapters.tf"))
	if err != nil {
		t.Fatal(err)
	}
	for _, computed := range []string{"pending_conversion", "statistics", "last_conversion_date_unix"} {
		if strings.Contains(string(generated), computed) {
			t.Errorf("the generated configuration has %s:\n%s", computed, generated)
		}
	}
	clitest.WantScreen(t, []string{terraform.Run("plan")}, "Plan: 5 to import, 0 to add, 0 to change, 0 to destroy.")
	clitest.WantScreen(t, []string{terraform.Run("apply", "-auto-approve")}, "Resources: 5 imported, 0 added, 0 changed, 0 destroyed.")
	terraform.Run("plan", "-detailed-exitcode")
	service.WantCount(mockserver.ConvertChapter, 0)
}

// TestAccQueryTwiceOfOneProject: both queries share one request.
func TestAccQueryTwiceOfOneProject(t *testing.T) {
	t.Parallel()
	clitest.Needs(t, clitest.Queries)
	service := newService(t, mockserver.Audiobook(0))
	terraform := newCLI(t, service)
	terraform.Write(`provider "audioprojects" {}`)
	var query string
	for name, limit := range map[string]int{"few": 2, "more": 4} {
		query += fmt.Sprintf(`
list "audioprojects_chapter_conversion" %q {
  provider         = audioprojects
  limit            = %d
  include_resource = true
  config {
    project_id = "audiobook"
  }
}
`, name, limit)
	}
	if err := os.WriteFile(filepath.Join(terraform.Folder, "both.tfquery.hcl"), []byte(query), 0o600); err != nil {
		t.Fatal(err)
	}
	screen := terraform.Run("query")
	for name, want := range map[string]int{"few": 2, "more": 4} {
		if got := strings.Count(screen, "audioprojects_chapter_conversion."+name+" "); got != want {
			t.Errorf("results of %s: got %d, want %d:\n%s", name, got, want, screen)
		}
	}
	service.WantCount(mockserver.ListChapters, 1)
}
