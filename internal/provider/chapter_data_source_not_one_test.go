package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

const oneChapter = "audioprojects_chapter"

func TestChapterDataSource_noneOrSeveral(t *testing.T) {
	t.Parallel()
	many := []mockserver.Chapter{}
	for i := range 23 {
		many = append(many, mockserver.Chapter{ID: fmt.Sprint("chapter-", i+1), Name: strings.Repeat("Long", 100)})
	}
	for name, test := range map[string]struct {
		chapters     []mockserver.Chapter
		by, argument string
		want         string
	}{
		"no such id": {many[:1], "chapter_id", "five", `Unable to read chapter "five" of project "book"
Project "book" has no chapter with this id. It has these:` + listOf(1)},
		"no chapters": {nil, "name", "Crossing", `Unable to read the chapter named "Crossing" of project "book"
Project "book" has no chapters. Check ` + "`project_id`."},
		"many": {many, "name", "", `Unable to read the chapter named "" of project "book"
Project "book" has no chapter with this name. It has these:` + listOf(20) + "\n  - 3 more chapters"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
				c.service.AddProject(mockserver.Project{ID: "book", Chapters: test.chapters})
				_, shown := c.readData(p, oneChapter, map[string]any{"project_id": "book", test.by: test.argument})
				got := strings.Join(shown.Errors, "\n")
				if got != test.want {
					t.Errorf("got\n%s\nwant\n%s", got, test.want)
				}
			})
		})
	}
}

// TestChapterDataSource_arguments: a name is compared as it is.
func TestChapterDataSource_arguments(t *testing.T) {
	t.Parallel()
	const paragraphs = "CHAPTER I.\r\n\nLoomings "
	withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
		c.service.AddProject(mockserver.Project{ID: "book", Chapters: []mockserver.Chapter{
			{ID: "one", Name: "Crossing"}, {ID: "two", Name: "Crossing"}, {ID: "three", Name: paragraphs}, {ID: "four", Name: "CHAPTER I. Loomings"},
		}})
		const unable, lines = "Unable to read ", "\n  - \"Crossing\" (one)\n  - \"Crossing\" (two)"
		for _, test := range []struct {
			arguments map[string]any
			want      string // the beginning of the error, or the chapter
		}{
			{map[string]any{"chapter_id": "five"}, unable + "chapter \"five\" of project \"book\"\nProject \"book\" has no chapter with this id. It has these:" + lines},
			{map[string]any{"name": "crossing"}, unable + "the chapter named \"crossing\" of project \"book\"\nProject \"book\" has no chapter with this name. It has these:" + lines},
			{map[string]any{"name": "Crossing"}, unable + "the chapter named \"Crossing\" of project \"book\"\nProject \"book\" has 2 chapters with this name. Set `chapter_id` to one of these instead:" + lines},
			{map[string]any{"name": paragraphs}, "three"},
		} {
			test.arguments["project_id"] = "book"
			found, shown := c.readData(p, oneChapter, test.arguments)
			got := strings.Join(shown.Errors, "\n")
			if found != nil {
				c.Must(found["chapter_id"].As(&got))
			}
			if !strings.HasPrefix(got, test.want) {
				c.Errorf("%v: got\n%s\nwant\n%s", test.arguments, got, test.want)
			}
		}
	})
}

// TestChapterDataSource_composedName: the service writes é as e and an accent, and Terraform composes all texts. A chapter whose name looks
// the same is another one of that name.
func TestChapterDataSource_composedName(t *testing.T) {
	t.Parallel()
	const composed, decomposed = "Pr\u00e9face", "Pre\u0301face"
	for ids, want := range map[string]string{"a": "a", "a b": "2 chapters with this name"} {
		withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
			var chapters []mockserver.Chapter
			for i, id := range strings.Fields(ids) {
				chapters = append(chapters, mockserver.Chapter{ID: id, Name: []string{decomposed, composed}[i]})
			}
			c.service.AddProject(mockserver.Project{ID: "book", Chapters: chapters})
			found, shown := c.readData(p, oneChapter, map[string]any{"project_id": "book", "name": composed})
			got := strings.Join(shown.Errors, "\n")
			if found != nil {
				c.Must(found["chapter_id"].As(&got))
			}
			if got != want && !strings.Contains(got, " has "+want) {
				t.Errorf("got %s, want %s", got, want)
			}
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

func TestChapterDataSource_noLineBeginsWithServiceText(t *testing.T) {
	t.Parallel()
	withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
		c.service.AddProject(mockserver.Project{ID: "book", Chapters: []mockserver.Chapter{{ID: mark + " " + mark, Name: strangersWords[:10000]}}})
		_, shown := c.readData(p, oneChapter, map[string]any{"project_id": "book", "name": "Crossing"})
		c.wantNoStrangerInBoxes(shown)
	})
}
