package provider_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// One field of one chapter may have another type than in the service's document. What is about other chapters goes on.

const (
	unreadSummary = `Unreadable chapters of project "book"`
	unreadWarning = unreadSummary + "\n" +
		"The provider cannot tell whether these chapters are being converted, or how much unconverted text they have. Until it can, it requests nothing for them, " +
		"and an apply that needs them fails." + "\n" +
		`  - "The Second" (chapter-2): statistics.characters_unconverted contains a JSON string: "7"` + "\n\n" +
		"The service may have changed. Check for a newer version of this provider."
	unreadError = `Unable to convert 1 of the 3 chapters of project "book"` + "\n" +
		`The chapter's field statistics.characters_unconverted contains a JSON string: "7".` +
		` - "The Second" (chapter-2)` + "\n\n" +
		"The provider cannot tell whether the chapter is being converted, or how much unconverted text it has, so it requests nothing more for it. " +
		"The service may have changed. Check for a newer version of this provider."
)

// withOddBook runs a test with a book of three chapters, whose second is odd from the beginning or not. It is set with odd.
func withOddBook(t *testing.T, chapters []mockserver.Chapter, test func(c *core, odd func(bool))) {
	t.Helper()
	chapters[1].Name = "The Second"
	withBook(t, chapters, func(c *core) {
		test(c, func(is bool) {
			value := ""
			if is {
				value = `{"characters_unconverted":"7","characters_converted":0}`
			}
			c.service.SetField("book", "chapter-2", "statistics", value)
		})
	})
}

func TestANewBookWithAnOddChapter(t *testing.T) {
	t.Parallel()
	withOddBook(t, manyChapters(3, oneMinute), func(c *core, odd func(bool)) {
		odd(true)
		plan := c.Plan()
		plan.WantEstimate(c, costs("2 chapters", 76))
		c.wantOneWarning(plan.Screen, unreadWarning)
		shown := c.ApplyPlan(plan)
		shown.Want(c, "create", []string{unreadSummary}, []string{unreadError})
		c.wantSent(2)
		odd(false)
		c.wantBook(c.Apply(), "create", []string{costs("1 chapter", 38)}, nil)
		c.wantSent(3)
		c.wantNumbers(map[string]int{"chapter_count": 3, "characters_unconverted": 0})
	})
}

// A book of which nothing else is open has an apply that fails, as long as nobody can tell what its chapter has left.
func TestAKnownBookWithAnOddChapter(t *testing.T) {
	t.Parallel()
	withOddBook(t, converted(manyChapters(3, oneMinute)), func(c *core, odd func(bool)) {
		c.wantBook(c.Apply(), "create", adopted(3), nil)
		odd(true)
		for _, sent := range []int{0, 1, 1} {
			plan := c.Plan()
			c.wantOneWarning(plan.Screen, unreadWarning)
			c.ApplyPlan(plan).Want(c, "update", []string{unreadSummary}, []string{unreadError})
			c.wantSent(sent)
			c.wantNumbers(map[string]int{"chapter_count": 3, "characters_converted": -1, "characters_unconverted": -1, "pending": 0})
			if c.Object.Tainted {
				c.Error("tainted")
			}
			if sent == 0 {
				c.service.EditChapter("book", "chapter-3", "Other words.")
			}
		}
		odd(false)
		c.wantBook(c.Plan().Screen, "no-op", nil, nil)
		c.refresh()
		c.wantNumbers(map[string]int{"chapter_count": 3, "characters_unconverted": 0})
		c.wantSent(1)
	})
}

// Without a refresh, the plan goes by what was noted.
func TestAnOddChapterThatWasNoted(t *testing.T) {
	t.Parallel()
	withOddBook(t, converted(manyChapters(3, oneMinute)), func(c *core, odd func(bool)) {
		c.Apply()
		odd(true)
		c.refresh()
		c.limitTo(80)
		for range 2 { // noted by the refresh, and by the apply
			looks := c.service.Count(mockserver.ListChapters)
			p := c.Start()
			plan := c.PlanChange(p, new(fakecore.Screen))
			p.End()
			got := c.service.Count(mockserver.ListChapters)
			if got != looks {
				c.Errorf("got %d lists, want none", got-looks)
			}
			c.wantOneWarning(plan.Screen, unreadWarning)
			c.ApplyPlan(plan).Want(c, "update", []string{unreadSummary}, []string{unreadError})
		}
		c.wantSent(0)
	})
}

// An odd chapter costs nothing, so that it exceeds no limit. When it costs something, the apply limits that.
func TestAnOddChapterExceedsNoLimit(t *testing.T) {
	t.Parallel()
	withOddBook(t, manyChapters(3, oneMinute), func(c *core, odd func(bool)) {
		c.limitTo(80)
		odd(true)
		plan := c.Plan()
		plan.Want(c, "create", []string{unreadSummary}, nil)
		odd(false)
		c.ApplyPlan(plan).Want(c, "create", []string{unreadSummary}, []string{"The conversions would exceed the limit of 80 characters"})
		c.wantSent(0)
	})
}

// A conversion that was requested before is not forgotten.
func TestAnOddChapterThatIsPending(t *testing.T) {
	t.Parallel()
	withOddBook(t, converted(manyChapters(3, mockserver.Conversion{Takes: 10 * time.Minute})), func(c *core, odd func(bool)) {
		c.Apply()
		c.service.EditChapter("book", "chapter-2", "Other words.")
		c.Apply(fakecore.InterruptedAfter(time.Minute))
		c.wantNumbers(map[string]int{"pending": 1})
		odd(true)
		shown := c.Apply()
		shown.Want(c, "update", []string{unreadSummary}, []string{"statistics.characters_unconverted contains a JSON string: \"7\".\nThe provider cannot tell yet whether the conversion has ended."})
		c.wantNumbers(map[string]int{"chapter_count": 3, "pending": 1})
		odd(false)
		c.Apply().Want(c, "update", []string{"Conversions under way"}, nil)
		c.wantNumbers(map[string]int{"characters_unconverted": 0, "pending": 0})
		c.wantSent(1)
	})
}

// What is told as under way are the chapters that can be read.
func TestAnOddChapterAmongThoseUnderWay(t *testing.T) {
	t.Parallel()
	withOddBook(t, manyChapters(3, mockserver.Conversion{Takes: 10 * time.Minute}), func(c *core, odd func(bool)) {
		c.Apply(fakecore.InterruptedAfter(time.Minute))
		c.wantNumbers(map[string]int{"pending": 3})
		odd(true)
		shown := c.Plan().Screen
		shown.Want(c, "update", []string{unreadSummary, `Conversions under way in project "book": 2 chapters, 76 characters at most` + "\n"}, nil)
		odd(false)
		c.Apply().Want(c, "update", []string{`Conversions under way in project "book": 3 chapters, 114 characters at most` + "\n"}, nil)
		c.wantSent(3)
	})
}

func TestAnActionOnABookWithAnOddChapter(t *testing.T) {
	t.Parallel()
	withOddBook(t, manyChapters(3, oneMinute), func(c *core, odd func(bool)) {
		odd(true)
		p := c.begin()
		defer p.End()
		config := c.ActionConfig(convertProject, map[string]any{"project_id": "book"})
		c.PlanAction(p, convertProject, config).Want(c, "", []string{unreadSummary}, nil)
		shown := c.invokeBook(p, map[string]any{})
		shown.Want(c, "", nil, []string{unreadError})
		c.wantSent(2)
		last := shown.Lines[len(shown.Lines)-1].Text
		if !strings.HasPrefix(last, "2 of 3 chapters converted, 0 converting, 1 failed, ") {
			c.Errorf("got the last line %q", last)
		}
	})
}

// The block of one chapter fails in the apply alone, so that other blocks go on.
func TestABlockOfAnOddChapter(t *testing.T) {
	t.Parallel()
	const (
		warning = unreadSummary + "\n"
		named   = `- "The Dark Lantern" (one): state contains a JSON number: 1`
		failed  = `Unable to convert chapter "The Dark Lantern" (one) of project "book"` + "\n" + "The chapter's field state contains a JSON number: 1."
	)
	for name, test := range map[string]struct {
		arguments map[string]any
		action    string // of an object that has been converted
		warnings  []string
		errors    []string
	}{
		"kept up to date":  {kept(), "update", []string{warning}, []string{failed}},
		"demands no more":  {nil, "no-op", []string{warning}, nil},
		"has new triggers": {map[string]any{"triggers": map[string]any{"voice": "b"}}, "update", []string{warning, warning}, []string{failed}}, // refreshed, and looked at again
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, chapterWithConversions(oneMinute), nil, func(c *core) {
				c.service.SetField("book", "one", "state", "1")
				if name == "has new triggers" {
					c.Arguments = map[string]any{"triggers": map[string]any{"voice": "a"}}
				} else {
					c.Arguments = test.arguments
				}
				shown := c.Apply()
				shown.Want(c, "create", []string{warning}, []string{failed})
				if !shown.Says(named) || c.Object != nil {
					c.Errorf("got %s, with the object %v", shown, c.Object)
				}
				c.wantSent(0)
				c.service.SetField("book", "one", "state", "")
				c.Apply().Want(c, "create", nil, nil)
				c.service.SetField("book", "one", "state", "1")
				c.Arguments = test.arguments
				before := c.Object.Value
				shown = c.Apply()
				shown.Want(c, test.action, test.warnings, test.errors)
				got := written(fakecore.AttributesOf(c.Object.Value)["statistics"])
				if got != written(fakecore.AttributesOf(before)["statistics"]) {
					c.Errorf("got the statistics %s", got)
				}
				c.wantSent(1)
				c.service.SetField("book", "one", "state", "")
				c.Apply()
				want := 1
				if name == "has new triggers" {
					want = 2
				}
				c.wantPaid(want)
				c.wantBook(c.Plan().Screen, "no-op", nil, nil)
			})
		})
	}
}

// What the documents of a list and of a record say of odd fields. All else is read.
func TestADataSourceWithOddFields(t *testing.T) {
	t.Parallel()
	const (
		summary = `Fields of another type in project "book"` + "\n" +
			"The service sends these fields with a type that differs from its documentation. They are null here, so a condition on them may pass or fail wrongly."
		second  = "\n" + `  - chapter "chapter-2": name contains a JSON number: 7; statistics.characters_unconverted contains a JSON string: "7"`
		ofAll   = "\n" + `  - the project: genres contains a JSON string: "Adventure"`
		newer   = "\n\nThe service may have changed. Check for a newer version of this provider."
		missing = `It has these: - "chapter-1" - "chapter-2" - "chapter-3"`
	)
	for name, test := range map[string]struct {
		source, argument, value string
		reads, want             string // an attribute, and its value
		warning, failed         string
	}{
		"chapters":          {allChapters, "", "", "characters_unconverted", "null", summary + second + newer, ""},
		"their sum":         {allChapters, "", "", "chapter_ids", "['chapter-1' 'chapter-2' 'chapter-3']", summary + second + newer, ""},
		"project":           {wholeProject, "", "", "genres", "null", summary + ofAll + second + newer, ""},
		"its title":         {wholeProject, "", "", "author", "'A'", summary + ofAll + second + newer, ""},
		"the odd chapter":   {oneChapter, "chapter_id", "chapter-2", "name", "null", summary + second + newer, ""},
		"and its state":     {oneChapter, "chapter_id", "chapter-2", "state", "'default'", summary + second + newer, ""},
		"another chapter":   {oneChapter, "chapter_id", "chapter-1", "name", "'chapter-1'", "", ""},
		"another by name":   {oneChapter, "name", "chapter-1", "chapter_id", "'chapter-1'", summary + second + newer, ""},
		"the lost name":     {oneChapter, "name", "The Second", "", "", summary + second + newer, missing},
		"and the snapshots": {"audioprojects_chapter_snapshots", "chapter_id", "chapter-2", "snapshots", "[]", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withOddBook(t, manyChapters(3), func(c *core, odd func(bool)) {
				odd(true)
				c.service.SetField("book", "chapter-2", "name", "7")
				c.service.SetField("book", "", "genres", `"Adventure"`)
				c.service.SetField("book", "", "author", `"A"`)
				p := c.begin()
				defer p.End()
				arguments := map[string]any{"project_id": "book"}
				if test.argument != "" {
					arguments[test.argument] = test.value
				}
				read, shown := c.readData(p, test.source, arguments)
				c.wantOneWarning(shown, test.warning)
				if test.failed != "" {
					if len(shown.Errors) != 1 || !shown.Says(test.failed) {
						c.Errorf("got %q, want %q", shown.Errors, test.failed)
					}
					return
				}
				got := written(read[test.reads])
				if len(shown.Errors) > 0 || got != test.want {
					c.Errorf("got %s with %q, want %s", got, shown.Errors, test.want)
				}
			})
		})
	}
}

func TestAQueryShowsAnOddChapter(t *testing.T) {
	t.Parallel()
	withProcess(t, mockserver.Chapter{}, func(c *core, p *fakecore.Process) {
		threeChapters(c)
		c.service.SetField("shelf", "two", "state", "[]")
		found, shown := c.list(p, tfprotov6.ListResourceRequest{Limit: 100, IncludeResource: true}, "shelf", 100)
		shown.Want(c, "", []string{`Fields of another type in project "shelf"`}, nil)
		if len(found) != 3 || !shown.Says(`- chapter "Middle" (two): state contains a JSON array: []`) {
			c.Errorf("got %d chapters and %s", len(found), shown)
		}
		_, shown = c.list(p, tfprotov6.ListResourceRequest{Limit: 100}, "shelf", 100)
		shown.Want(c, "", nil, nil)
	})
}

// A chapter that one list has twice, with different contents, is told as such, in a plan and when the time is over.
func TestAChapterThatAListHasTwice(t *testing.T) {
	t.Parallel()
	const twice = `The list of chapters of project "book" contains chapter "one" twice, with different contents`
	inFakeTime(t, mockserver.Chapter{}, nil, func(c *core) {
		c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Times: -1, Body: `{"chapters":[{"chapter_id":"one","name":"1"},{"chapter_id":"one","name":"2"}]}`})
		c.service.Inject(mockserver.Fault{Operation: mockserver.GetProject, Times: -1, Body: `{"project_id":"book","chapters":[{"chapter_id":"one","name":"1"},{"chapter_id":"one","name":"2"}]}`})
		c.Arguments = map[string]any{"timeouts": map[string]any{"create": "1m"}}
		shown := c.Apply()
		shown.Want(c, "create", []string{twice + "."}, []string{"Timed out after 1m0s (`timeouts`), before the chapter could be read: t" + twice[1:] + ".\n\nRun again later."})
		c.wantSent(0)
	})
}
