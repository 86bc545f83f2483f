package provider_test

import (
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// The description of the service knows no pages. An answer that says that there is more is not all: nobody is told
// that it is.

const hasMore = `the answer says that it is incomplete ("has_more": true)`

// isAPage makes every list end after its first element, and the project's record, too.
func (c *core) isAPage() {
	c.service.SetHabits(mockserver.Habits{PageSize: 1})
	record := recordThatReads(chaptersOf("a") + `,"has_more":true`)
	record.Times = -1
	c.service.Inject(record)
}

func TestADataSourceThatIsNotAll(t *testing.T) {
	t.Parallel()
	const chapterSnapshots = "audioprojects_chapter_snapshots"
	for name, test := range map[string]struct {
		source    string
		arguments map[string]any
		warning   string // its summary
		error     string // its summary; empty: it is read
	}{
		"projects":                      {"audioprojects_projects", map[string]any{}, "Not all projects", ""},
		"chapters":                      {allChapters, map[string]any{"project_id": "book"}, `Not all chapters of project "book"`, ""},
		"project":                       {wholeProject, map[string]any{"project_id": "book"}, `Not all chapters of project "book"`, ""},
		"snapshots of a project":        {"audioprojects_project_snapshots", map[string]any{"project_id": "book"}, `Not all snapshots of project "book"`, ""},
		"snapshots of a chapter":        {chapterSnapshots, map[string]any{"project_id": "book", "chapter_id": "a"}, `Not all snapshots of chapter "a" of project "book"`, ""},
		"a chapter that is there":       {oneChapter, map[string]any{"project_id": "book", "chapter_id": "a"}, "", ""},
		"a name that another may have":  {oneChapter, map[string]any{"project_id": "book", "name": "a"}, `Not all chapters of project "book"`, ""},
		"a chapter that may be there":   {oneChapter, map[string]any{"project_id": "book", "chapter_id": "b"}, "", `Unable to read chapter "b" of project "book"`},
		"a snapshot that is there":      {oneSnapshot, map[string]any{"project_id": "book", "project_snapshot_id": "first"}, "", `Unable to read snapshot "first" of project "book"`},
		"a snapshot that may be there":  {oneSnapshot, map[string]any{"project_id": "book", "project_snapshot_id": "second"}, "", `Unable to read snapshot "second" of project "book"`},
		"the newest snapshot":           {oneSnapshot, map[string]any{"project_id": "book", "most_recent": true}, "", `Unable to read the newest snapshot of project "book"`},
		"the newest that is waited for": {oneSnapshot, map[string]any{"project_id": "book", "most_recent": true, "not_before_unix": 1}, "", `Unable to read the newest snapshot of project "book"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
				first, second := time.Now().Add(-time.Hour), time.Now()
				c.service.AddProject(mockserver.Project{
					ID: "book",
					Chapters: []mockserver.Chapter{
						{ID: "a", Snapshots: []mockserver.ChapterSnapshot{{ID: "one", CreatedAt: first}, {ID: "two", CreatedAt: second}}}, {ID: "b"},
					},
					Snapshots: []mockserver.ProjectSnapshot{{ID: "first", CreatedAt: first}, {ID: "second", CreatedAt: second}},
				})
				c.service.AddProject(mockserver.Project{ID: "another"})
				c.isAPage()
				read, shown := c.readData(p, test.source, test.arguments)
				var warnings, errors []string
				if test.warning != "" {
					warnings = []string{test.warning + "\n"}
				}
				if test.error != "" {
					errors = []string{test.error + "\n"}
				}
				shown.Want(c, "", warnings, errors)
				if (read == nil) != (test.error != "") || len(warnings)+len(errors) > 0 && !shown.Says(hasMore) {
					c.Errorf("got %v and %s, want the mark", read, shown)
				}
			})
		})
	}
}

func TestAQueryThatIsNotAll(t *testing.T) {
	t.Parallel()
	withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
		threeChapters(c)
		c.service.SetHabits(mockserver.Habits{PageSize: 2})
		found, shown := c.list(p, tfprotov6.ListResourceRequest{Limit: 100}, "shelf", 100)
		shown.Want(c, "", []string{`Not all chapters of project "shelf"` + "\n"}, nil)
		if len(found) != 2 || !shown.Says(hasMore) {
			c.Errorf("got %d results and %s, want two, and the mark", len(found), shown)
		}
	})
}

// TestABookThatIsNotAll is none: an error of the plan and of the apply, and nothing is paid. With the whole record,
// it is one.
func TestABookThatIsNotAll(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(2, oneMinute), func(c *core) {
		plan := c.Plan()
		c.isAPage()
		c.wantBook(c.ApplyPlan(plan), "create", []string{costs("2 chapters", 76)}, []string{`Unable to read project "book"`})
		shown := c.Plan().Screen
		c.wantBook(shown, "create", nil, []string{`Unable to read project "book"`})
		if !shown.Says(hasMore) {
			c.Errorf("got %s, want the mark", shown)
		}
		c.wantSent(0)
	})
	withBook(t, manyChapters(2, oneMinute), func(c *core) {
		c.service.SetHabits(mockserver.Habits{PageSize: 1})
		c.wantBook(c.Apply(), "create", []string{costs("2 chapters", 76)}, nil)
		c.wantBook(c.Plan().Screen, "no-op", nil, nil)
		c.wantSent(2)
	})
}
