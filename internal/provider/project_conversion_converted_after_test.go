package provider_test

import (
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

func now() string { return time.Now().UTC().Format(time.RFC3339) }

// A chapter may have failed after the new time: a date stands there beside an error message. The plan names it, and the apply ends before it
// begins. The next plan names it again.
func TestProjectConversion_convertedAfterDoubtStays(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(*core) *fakecore.Screen{
		"Ctrl-C": func(c *core) *fakecore.Screen { return c.Apply(fakecore.InterruptedAfter(20 * time.Second)) },
		"a timeout": func(c *core) *fakecore.Screen {
			c.Arguments["timeouts"] = map[string]any{"update": "90s"}
			return c.Apply()
		},
		"a refused key": func(c *core) *fakecore.Screen {
			c.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Status: 401, Body: `{"detail":{"status":"invalid_api_key","message":"no"}}`})
			return c.Apply()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chapters := converted(manyChapters(3, oneMinute))
			chapters[2].Conversions = []mockserver.Conversion{failing, oneMinute}
			withBook(t, chapters, func(c *core) {
				c.service.SetHabits(mockserver.Habits{DatesFailures: true})
				c.Start = func() *fakecore.Process {
					settings := atTheService()
					settings["parallel_conversions"] = 1
					return c.beginWith(settings, nil)
				}
				c.Apply()
				c.Arguments["converted_after"] = now()
				time.Sleep(5 * time.Minute)
				c.service.Convert("book", "chapter-3")
				time.Sleep(5 * time.Minute)
				cut(c)
				delete(c.Arguments, "timeouts")
				time.Sleep(10 * time.Minute)
				plan := c.Plan()
				if !plan.Says("an error message says, or said, that it may have failed") || !plan.Says(`38 "chapter-3"`) {
					t.Errorf("got %s, want that it names the chapter", plan.Screen)
				}
				c.ApplyPlan(plan)
				c.Apply()
				if paid := c.service.Conversions("book", "chapter-3"); paid != 1 {
					t.Errorf("chapter-3 was paid for %d times", paid)
				}
				c.wantBook(c.Plan().Screen, "no-op", nil, nil)
			})
		})
	}
}

// A chapter fails, with a date and an error message. It is left out, and comes back; or it was never one of the resource. It is new to the
// resource, and its date proves nothing.
func TestProjectConversion_convertedAfterOfNewChapter(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(*core){
		"it failed and was excluded": func(c *core) {
			c.Apply()
			c.Arguments["exclude_chapter_ids"] = []string{"chapter-2"}
		},
		"it failed and was not named": func(c *core) {
			c.Apply()
			c.Arguments["chapter_ids"] = []string{"chapter-1"}
		},
		"it was never named": func(c *core) {
			c.Arguments["chapter_ids"] = []string{"chapter-1"}
			c.service.Convert("book", "chapter-2")
			time.Sleep(5 * time.Minute)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chapters := converted(manyChapters(2, oneMinute))
			chapters[1].Conversions = []mockserver.Conversion{failing, oneMinute}
			withBook(t, chapters, func(c *core) {
				c.service.SetHabits(mockserver.Habits{DatesFailures: true})
				c.Arguments["converted_after"] = now()
				before(c)
				c.Apply()
				time.Sleep(time.Minute)
				delete(c.Arguments, "exclude_chapter_ids")
				delete(c.Arguments, "chapter_ids")
				c.wantBook(c.Apply(), "update", []string{costs("1 chapter", 38)}, nil)
				c.wantBook(c.Plan().Screen, "no-op", nil, nil)
			})
		})
	}
}

// A conversion is interrupted, because the voice is wrong. It began before the voice was changed, so its end is not what the new time asks for.
func TestProjectConversion_convertedAfterARequest(t *testing.T) {
	t.Parallel()
	long := mockserver.Conversion{Takes: 10 * time.Minute}
	for name, chapters := range map[string][]mockserver.Chapter{"new text": manyChapters(2, long), "another voice": converted(manyChapters(2, long))} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withBook(t, chapters, func(c *core) {
				change := func() {
					time.Sleep(time.Minute)
					c.Arguments["converted_after"] = now()
					time.Sleep(time.Minute)
				}
				change()
				c.Apply(fakecore.InterruptedAfter(30 * time.Second))
				c.wantSent(2)
				change()
				shown := c.Apply()
				c.wantBook(shown, shown.Action, []string{costs("2 chapters", 76)}, nil)
				if !shown.Says("A conversion was requested before `converted_after`. Applying waits for it, and converts these chapters again") {
					t.Errorf("the plan does not say why: %s", shown)
				}
				c.wantSent(4)
				c.wantBook(c.Plan().Screen, "no-op", nil, nil)
			})
		})
	}
}

// A service counts nothing, and shows a conversion two minutes late. A chapter that was never converted would show its end by a date, so it is
// waited for, and not paid for again.
func TestConversion_neverConvertedAndNotCounted(t *testing.T) {
	t.Parallel()
	late := mockserver.Conversion{Lag: 2 * time.Minute, Takes: time.Minute}
	withBook(t, manyChapters(1, late), func(c *core) {
		c.service.SetHabits(mockserver.Habits{NoStatistics: true})
		c.Apply()
		c.wantBook(c.Apply(), "no-op", nil, nil)
		c.wantSent(1)
	})
	late.Fails = "voice not found"
	inFakeTime(t, chapterWithConversions(late), kept(), func(c *core) {
		c.service.SetHabits(mockserver.Habits{NoStatistics: true})
		c.Apply().Want(c, "create", nil, []string{"The conversion failed"})
		c.wantPaid(1)
	})
}
