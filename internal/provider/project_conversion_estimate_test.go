package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// costs is the estimate of a book with so many chapters to convert.
func costs(chapters string, characters int) string {
	return fmt.Sprintf(`Conversions that cost credits in project "book": %s, %d characters at most`, chapters, characters)
}

// waitsForTwo is the estimate of a book that only waits for two chapters.
const waitsForTwo = `Conversions under way in project "book": 2 chapters, 0 new characters unless a conversion fails or leaves text`

// adopted is the estimate of a new object of which all chapters are converted.
func adopted(chapters int) []string {
	return []string{fmt.Sprintf(`Adopted at no cost in project "book": %d chapters`, chapters)}
}

func TestProjectConversionEstimate_edit(t *testing.T) {
	t.Parallel()
	withBook(t, converted(manyChapters(12, oneMinute)), func(c *core) {
		c.Apply()
		c.service.EditChapter("book", "chapter-4", "Other words.")
		c.service.EditChapter("book", "chapter-9", "Other words.")
		plan := c.Plan()
		c.wantBook(plan.Screen, "update", []string{costs("2 chapters", 24)}, nil)
		planned := fakecore.AttributesOf(plan.Value)
		for _, attribute := range []string{"id", "service_url", "chapter_count"} {
			if !planned[attribute].Equal(fakecore.AttributesOf(c.Object.Value)[attribute]) {
				c.Errorf("planned %s: got %s, want it unchanged", attribute, planned[attribute])
			}
		}
		if !plan.Says(`at most: 12 "chapter-4" 12 "chapter-9" 24 in total`) || !plan.Says("No conversion needed: 10 chapters.") {
			c.Errorf("got %q", plan.Warnings)
		}
	})
}

// TestProjectConversionEstimate_saysWhy: a reviewer sees which chapters have no unconverted text, and why they are converted again.
func TestProjectConversionEstimate_saysWhy(t *testing.T) {
	t.Parallel()
	withBook(t, converted(manyChapters(3, oneMinute)), func(c *core) {
		c.setVoice("Ottilie")
		c.Apply()
		c.service.EditChapter("book", "chapter-1", "Other words.")
		c.setVoice("Marrow")
		plan := c.Plan()
		if !plan.Says("The `triggers` changed, so applying converts these chapters again, which costs at most: 12 \"chapter-1\" 38 \"chapter-2\" 38 \"chapter-3\" 88 in total") {
			c.Errorf("got %s, want why", plan.Screen)
		}
		c.Arguments = map[string]any{"project_id": "book", "all": true}
		if all := costlyPlan(c, convertProject); !all.Says("`all` converts chapters without unconverted text again, which costs at most:") {
			c.Errorf("got %s, want why", all)
		}
	})
}

func TestMaxCharacters_project(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(3, oneMinute), func(c *core) {
		c.limitTo(100)
		const tooMany = "Too many characters to convert"
		shown := c.Plan().Screen
		c.wantBook(shown, "create", []string{costs("3 chapters", 114)}, []string{tooMany})
		if !shown.Says("The conversions would exceed the limit of 100 characters (`max_characters`). Nothing is requested. The plan has 114 characters until here: - project \"book\", 3 chapters, 114 characters at most\n\nResources that Terraform plans later may add more.") ||
			!shown.Says("or convert fewer chapters at a time.") {
			c.Errorf("got %q", shown.Errors)
		}
		c.wantSent(0)
		c.limitTo(114)
		c.wantBook(c.Apply(), "create", []string{costs("3 chapters", 114)}, nil)
		c.wantSent(3)

		c.service.EditChapter("book", "chapter-1", strings.Repeat("word ", 40))
		c.wantBook(c.Plan().Screen, "", []string{costs("1 chapter", 199)}, []string{tooMany})

		// Terraform may plan before it refreshes, and drop that plan (-minimal-refresh). The other one has the error, too.
		p := c.Start()
		c.Refresh(p, &fakecore.Screen{})
		c.PlanChange(p, &fakecore.Screen{})
		c.Refresh(p, &fakecore.Screen{})
		c.wantBook(c.PlanChange(p, &fakecore.Screen{}).Screen, "", []string{costs("1 chapter", 199)}, []string{tooMany})
		p.End()

		// An update stays within its plan, but Terraform plans new chapters of a resource once more in the apply.
		c.service.EditChapter("book", "chapter-1", "Shorter.")
		c.Arguments["chapter_ids"] = []string{"chapter-1", "chapter-2"}
		c.Apply()
		c.service.EditChapter("book", "chapter-3", "Shorter.")
		delete(c.Arguments, "chapter_ids")
		plan := c.Plan()
		c.service.EditChapter("book", "chapter-3", strings.Repeat("word ", 40))
		shown = c.ApplyPlan(plan)
		c.wantBook(shown, "update", []string{costs("1 chapter", 8)}, []string{tooMany})
		c.wantSent(4)
	})
}

// TestMaxCharacters_textOfACreationGrows: Terraform plans a creation once more in the apply, and hands nothing over.
func TestMaxCharacters_textOfACreationGrows(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(3, oneMinute), func(c *core) {
		c.limitTo(114)
		plan := c.Plan()
		c.service.EditChapter("book", "chapter-2", strings.Repeat("word ", 40))
		shown := c.ApplyPlan(plan)
		if len(shown.Errors) != 1 || !shown.Says("The conversions would exceed the limit of 114 characters (`max_characters`).") {
			c.Errorf("got %s", shown)
		}
		if sent := c.service.Count(mockserver.ConvertChapter); sent > 2 {
			c.Errorf("got %d requests, want no more than those of the other chapters", sent)
		}
	})
}

// TestMaxCharacters_saysWhatEachResourceAdds: the last one alone is under the limit. A refresh takes nothing back twice, and a chapter counts once.
func TestMaxCharacters_saysWhatEachResourceAdds(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(3, oneMinute), func(c *core) {
		for i := range 25 {
			c.service.AddProject(mockserver.Project{ID: fmt.Sprintf("short-%d", i), Chapters: manyChapters(1, oneMinute)})
		}
		c.limitTo(1050)
		p := c.Start()
		defer p.End()
		shown := &fakecore.Screen{}
		plan := func(project string) {
			c.Arguments["project_id"] = project
			c.PlanChange(p, shown)
		}
		for range 2 {
			plan("book")
		}
		for i := range 25 {
			plan(fmt.Sprintf("short-%d", i))
		}
		lines := ` - project "book", 3 chapters, 114 characters at most`
		for i := range 19 {
			lines += fmt.Sprintf(` - project "short-%d", 1 chapter, 38 characters at most`, i)
		}
		shown.Want(c, "create", nil, []string{
			"The conversions would exceed the limit of 1,050 characters (`max_characters`). Nothing is requested. The plan has 1,064 characters until here:" +
				lines + " - 6 more resources\n\nResources that Terraform plans later may add more.",
		})
	})
}

// A service may count anything. A sum beyond all limits is not shown as a negative one, which would look free.
func TestProjectConversionEstimate_overflow(t *testing.T) {
	t.Parallel()
	const (
		record = `{"chapter_id":%q,"state":"default","statistics":{"characters_unconverted":9223372036854775807,"characters_converted":0}}`
		most   = "9,223,372,036,854,775,807 characters "
	)
	list := mockserver.Fault{
		Operation: mockserver.ListChapters, Times: -1,
		Body: fmt.Sprintf(`{"chapters":[`+record+`,`+record+`]}`, "one", "two"),
	}
	withBook(t, manyChapters(1, oneMinute), func(c *core) {
		c.service.Inject(list)
		c.Plan().WantEstimate(c, "2 chapters, "+most+"at most")
	})
}

// A chapter without text costs nothing, and is counted.
func TestMaxCharacters_emptyChapter(t *testing.T) {
	t.Parallel()
	withBook(t, converted(manyChapters(2, oneMinute)), func(c *core) {
		c.setVoice("Ottilie")
		c.Apply()
		c.service.EditChapter("book", "chapter-1", "")
		c.limitTo(38)
		c.setVoice("Marrow")
		c.wantBook(c.Plan().Screen, "update", []string{costs("2 chapters", 38)}, nil)
	})
}

// A limit of 0 lets nothing be requested, whatever that costs.
func TestMaxCharacters_zero(t *testing.T) {
	t.Parallel()
	empty := manyChapters(1, oneMinute)
	empty[0].Text = "Words."
	withBook(t, empty, func(c *core) {
		c.setVoice("Ottilie")
		c.Apply()
		c.service.EditChapter("book", "chapter-1", "")
		c.setVoice("Marrow")
		plan := c.Plan()
		c.limitTo(0)
		c.wantBook(c.Plan().Screen, "", []string{costs("1 chapter", 0)}, []string{"Too many characters to convert"})
		c.wantBook(c.ApplyPlan(plan), "update", []string{costs("1 chapter", 0)}, []string{"Too many characters to convert"})
		c.wantSent(1)
	})
}

// TestMaxCharacters_halfCounted: how much is unconverted is not counted in characters, so that nobody knows the cost.
func TestMaxCharacters_halfCounted(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(1, oneMinute), func(c *core) {
		c.service.SetField("book", "chapter-1", "statistics", `{"characters_converted":0,"paragraphs_converted":0,"paragraphs_unconverted":7}`)
		c.limitTo(50)
		shown := c.Apply()
		c.wantBook(shown, "create", []string{`Conversions that cost credits in project "book": 1 chapter, not all of them counted`}, []string{"Too many characters to convert"})
		if !shown.Says("The service does not count the characters of all chapters") {
			c.Errorf("got %s", shown)
		}
		c.wantSent(0)
	})
}

func TestProjectConversion_chaptersComeAndGo(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(3, oneMinute), func(c *core) {
		c.Apply()
		c.service.AddChapter("book", mockserver.Chapter{ID: "epilogue", Text: "The end."})
		c.wantBook(c.Apply(), "update", []string{costs("1 chapter", 8)}, nil)
		c.wantNumbers(map[string]int{"chapter_count": 4})
		c.wantSent(4)
		c.service.RemoveChapter("book", "chapter-2")
		c.wantBook(c.Apply(), "no-op", []string{"Chapters are gone"}, nil)
		c.wantNumbers(map[string]int{"chapter_count": 3})

		c.Arguments["chapter_ids"] = []string{"chapter-1", "chapter-2"}
		shown := c.Plan().Screen
		c.wantBook(shown, "", nil, []string{"Chapters that the project does not have"})
		if !shown.Says(`lack these chapters: - "chapter-2"`) {
			c.Errorf("got %q", shown.Errors)
		}
		c.Arguments["chapter_ids"] = []string{"chapter-1"}
		c.wantBook(c.Apply(), "update", nil, nil)
		c.wantNumbers(map[string]int{"chapter_count": 1})
		c.wantSent(4)
		c.wantBook(c.Plan().Screen, "no-op", nil, nil)
		c.service.RemoveChapter("book", "chapter-1")
		c.wantBook(c.Plan().Screen, "", nil, []string{"Chapters that the project does not have"})
	})
}
