package provider_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const billOfThree = `Conversions that cost credits in project "book": 3 chapters, 114 characters at most`

func TestABookThatCannotBeListed(t *testing.T) {
	t.Parallel()
	refused := mockserver.Fault{Operation: mockserver.ListChapters, Skip: 2, Status: http.StatusUnauthorized} // after both plans
	unable := []string{`Unable to convert project "book"`}
	withBook(t, manyChapters(3, oneMinute), func(c *core) {
		c.service.Inject(refused)
		c.wantBook(c.Apply(), "create", []string{billOfThree}, unable)
		if c.Object != nil {
			c.Errorf("got an object: %s", c.Object.Value)
		}
		c.wantBook(c.Apply(), "create", []string{billOfThree}, nil)

		c.service.EditChapter("book", "chapter-1", "Other words.")
		refused.Skip = 1 // An update is planned by what the refresh has noted.
		c.service.Inject(refused)
		bill := []string{`Conversions that cost credits in project "book": 1 chapter, 12 characters at most`}
		c.wantBook(c.Apply(), "update", bill, unable)
		c.wantNumbers(map[string]int{"chapter_count": 3, "characters_unconverted": 12})
		c.wantBook(c.Apply(), "update", bill, nil)
		c.wantSent(4)
	})
}

func TestABookInterruptedBeforeItIsListed(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(3, oneMinute), func(c *core) {
		c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Skip: 2, Hang: time.Hour})
		shown := c.Apply(fakecore.InterruptedAfter(time.Second))
		c.wantBook(shown, "create", []string{billOfThree}, []string{`Unable to convert project "book"`})
		if c.Object != nil || !shown.Says("Interrupted before the chapters were listed.") {
			c.Errorf("got an object %t, and %q", c.Object != nil, shown.Errors)
		}
	})
}

// One list that lacks chapters is no proof that the project has none.
func TestABookWantsTwoWitnessesForMissingChapters(t *testing.T) {
	t.Parallel()
	const none = `{"chapters":[]}`
	withBook(t, manyChapters(3, oneMinute), func(c *core) {
		c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Times: 2, Body: none})
		c.wantBook(c.Plan().Screen, "create", []string{billOfThree}, nil)
		c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Skip: 1, Body: none})
		c.wantBook(c.Apply(), "create", []string{billOfThree}, nil)
		c.wantSent(3)
		c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Body: none})
		c.wantBook(c.Plan().Screen, "no-op", nil, nil)
		c.wantNumbers(map[string]int{"chapter_count": 3})
	})
}

// A list that lacks a chapter and has a new one has as many as before. The project's record tells.
func TestABookAsksTheProjectWhenAListHasOtherChapters(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(2, oneMinute), func(c *core) {
		c.wantBook(c.Apply(), "create", []string{costs("2 chapters", 76)}, nil)
		asked := c.service.Count(mockserver.GetProject)
		c.wantBook(c.Plan().Screen, "no-op", nil, nil)
		if got := c.service.Count(mockserver.GetProject); got != asked {
			c.Errorf("a plan of a settled book asked for the project %d times", got-asked)
		}
		c.service.EditChapter("book", "chapter-1", "Other words.")
		c.service.AddChapter("book", mockserver.Chapter{ID: "epilogue", Text: "The end."})
		lacking := `{"chapters":[{"chapter_id":"chapter-2","name":"chapter-2","can_be_downloaded":true,"state":"default","last_conversion_date_unix":946684900,` +
			`"statistics":{"characters_converted":38,"characters_unconverted":0}},{"chapter_id":"epilogue","name":"epilogue","can_be_downloaded":false,"state":"default",` +
			`"statistics":{"characters_converted":0,"characters_unconverted":8}}]}`
		c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Times: 2, Body: lacking})
		c.wantBook(c.Plan().Screen, "update", []string{costs("2 chapters", 20)}, nil)
		if got := c.service.Count(mockserver.GetProject); got != asked+2 { // one to know the chapters, one to read the one that is lacking
			c.Errorf("the plan asked for the project %d times", got-asked)
		}
	})
}

func TestABookThatIsNotCounted(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(3, oneMinute), func(c *core) {
		c.service.SetHabits(mockserver.Habits{NoStatistics: true})
		c.wantBook(c.Apply(), "create", []string{`Conversions that cost credits in project "book": 3 chapters, not all of them counted`}, nil)
		c.wantBook(c.Plan().Screen, "no-op", nil, nil)
		c.wantSent(3)
	})
}

// A conversion for converted_after that has ended while nobody waited is settled by the refresh.
func TestABookSettlesAtRefresh(t *testing.T) {
	t.Parallel()
	chapters := manyChapters(3, oneMinute)
	for i := range chapters {
		chapters[i].Converted = true
	}
	withBook(t, chapters, func(c *core) {
		c.wantBook(c.Apply(), "create", adopted(3), nil)
		for _, ago := range []time.Duration{0, -5 * time.Minute} { // the latter is ahead of the clock
			time.Sleep(time.Minute)
			c.Arguments["converted_after"] = time.Now().Add(-ago).UTC().Format(time.RFC3339)
			c.Apply(fakecore.InterruptedAfter(10 * time.Second))
			c.wantNumbers(map[string]int{"pending_chapters": 3})
			time.Sleep(time.Hour)
			c.wantBook(c.Apply(), "no-op", nil, nil)
			c.wantNumbers(map[string]int{"pending_chapters": 0})
		}
		c.wantSent(6)
	})
}
