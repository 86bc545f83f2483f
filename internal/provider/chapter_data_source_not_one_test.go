package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

const oneChapter = "audioprojects_chapter"

func TestAChapterThatIsNotOne(t *testing.T) {
	t.Parallel()
	many := []mockserver.Chapter{}
	for i := range 23 {
		many = append(many, mockserver.Chapter{ID: fmt.Sprint("chapter-", i+1), Name: strings.Repeat("Long", 100)})
	}
	for name, test := range map[string]struct {
		chapters []mockserver.Chapter
		name     string
		want     string
	}{
		"no chapters": {nil, "Crossing", `Unable to read the chapter named "Crossing" of project "book"
Project "book" has no chapters. Check ` + "`project_id`."},
		"many": {many, "", `Unable to read the chapter named "" of project "book"
Project "book" has no chapter with this name. It has these:` + listOf(20) + "\n  - 3 more chapters"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
				c.service.AddProject(mockserver.Project{ID: "book", Chapters: test.chapters})
				_, shown := c.readData(p, oneChapter, map[string]any{"project_id": "book", "name": test.name})
				got := strings.Join(shown.Errors, "\n")
				if got != test.want {
					t.Errorf("got\n%s\nwant\n%s", got, test.want)
				}
			})
		})
	}
}

// listOf is what an error lists of chapters with long names.
func listOf(chapters int) string {
	var lines strings.Builder
	for i := range chapters {
		fmt.Fprintf(&lines, "\n  - \"%sL…ng%s\" (chapter-%d)", strings.Repeat("Long", 9), strings.Repeat("Long", 4), i+1)
	}
	return lines.String()
}

// TestAChapterIsReadInAnySpelling: Terraform changes every text to Unicode's composed form, and a service need not.
func TestAChapterIsReadInAnySpelling(t *testing.T) {
	t.Parallel()
	const composed, decomposed, snapshots = "caf\u00e9", "cafe\u0301", "audioprojects_chapter_snapshots"
	for _, test := range []struct {
		id, name, argument string
		requests           int
	}{{decomposed, oneChapter, "chapter_id", 2}, {decomposed, oneChapter, "name", 2}, {composed, snapshots, "chapter_id", 1}, {decomposed, snapshots, "chapter_id", 3}} {
		withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
			c.service.AddProject(mockserver.Project{ID: "book", Chapters: []mockserver.Chapter{
				{ID: "other"}, {ID: test.id, Name: test.id, Snapshots: []mockserver.ChapterSnapshot{{ID: "first"}}},
			}})
			read, shown := c.readData(p, test.name, map[string]any{"project_id": "book", test.argument: composed})
			shown.Want(c, "", nil, nil)
			if read != nil && test.name == snapshots && written(read["chapter_id"]) != "'"+composed+"'" {
				c.Errorf("got chapter_id %s", read["chapter_id"])
			}
			got := len(c.service.Journal())
			if got != test.requests {
				c.Errorf("%q: got %d requests, want %d", test.id, got, test.requests)
			}
		})
	}
	withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
		_, shown := c.readData(p, snapshots, map[string]any{"project_id": "book", "chapter_id": composed})
		shown.Want(c, "", nil, []string{"404 Not Found: chapter_not_found: Chapter café was not found."})
	})
}

func TestNoLineOfAListOfChaptersBeginsWithAStrangersText(t *testing.T) {
	t.Parallel()
	withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
		c.service.AddProject(mockserver.Project{ID: "book", Chapters: []mockserver.Chapter{{ID: mark + " " + mark, Name: strangersWords[:10000]}}})
		_, shown := c.readData(p, oneChapter, map[string]any{"project_id": "book", "name": "Crossing"})
		c.wantNoStrangerInBoxes(shown)
	})
}
