package provider_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// TestPlan_countsWhatItWaitsFor: a conversion runs when a plan is made and saved, and fails before that is applied. The plan has said
// what another costs at most, and counted it for max_characters. The apply ends in the error, and the next one requests another.
func TestPlan_countsWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	cutAfter := func(wait time.Duration) func(*core) {
		return func(c *core) { c.Apply(fakecore.InterruptedAfter(wait)) }
	}
	triggered := map[string]any{"triggers": map[string]any{"voice": "Ottilie"}}
	for name, test := range map[string]struct {
		kind      resourceType
		arguments map[string]any
		cut       func(*core)
		action    string
		next      string // of the plan after the failure
	}{
		"a book":                  {projectConversion, map[string]any{}, cutAfter(20 * time.Second), "update", "update"},
		"kept up to date":         {chapterConversion, kept(), cutAfter(20 * time.Second), "update", "update"},
		"with triggers":           {chapterConversion, triggered, cutAfter(20 * time.Second), "update", "update"},
		"created once more":       {chapterConversion, kept(), timedOut, "replace", "create"},
		"of an apply without end": {chapterConversion, map[string]any{}, timedOut, "replace", "create"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service := mockserver.New()
				service.AddProject(acctest.BookWith(mockserver.Chapter{Text: acctest.ChapterText, Conversions: []mockserver.Conversion{failing, oneMinute}}))
				c := newCore(t, test.kind, service, test.arguments)
				test.cut(c)
				plan := c.Plan()
				const counted = "at most: 35 "
				if plan.Action != test.action || !plan.Says(counted) || !plan.Says("Conversions under way in project \"book\"") {
					c.Errorf("got %s, want %s, and that it says %q", plan.Screen, test.action, counted)
				}
				time.Sleep(time.Hour)
				shown := c.ApplyPlan(plan)
				if len(shown.Errors) != 1 || !shown.Says("The conversion failed. The service's error message: "+conversionError) {
					c.Errorf("got %s", shown)
				}
				c.wantPaid(1)
				c.wantSaid(c.Apply(), test.next, "35 \"The Dark Lantern\" (one)")
				c.wantPaid(2)
			})
		})
	}
}

// TestEstimate_countsWhatIsRequested: after Ctrl-C at two of four chapters, the headline has the other two. Those that are only waited for
// have a paragraph of their own. With a second resource, both totals are told until here.
func TestEstimate_countsWhatIsRequested(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(4, mockserver.Conversion{Takes: time.Hour}), func(c *core) {
		c.service.AddProject(mockserver.Project{ID: "short", Chapters: manyChapters(1, mockserver.Conversion{Takes: time.Hour})})
		unlimited := c.Start
		c.Start = func() *fakecore.Process {
			settings := atTheService()
			settings["parallel_conversions"] = 2
			return c.beginWith(settings, nil)
		}
		c.Apply(fakecore.InterruptedAfter(time.Minute))
		c.wantNumbers(map[string]int{"pending": 2})
		c.Start = unlimited
		const requests = "Characters at most: 38 \"chapter-3\" 38 \"chapter-4\" 76 in total"
		const waits = willWaitFor + "38 \"chapter-1\" 38 \"chapter-2\" 76 in total"
		const together = "Only waited for: 2 chapters, at most 76 characters more if their conversions fail."
		plan := c.Plan()
		plan.WantEstimate(c, costs("2 chapters", 76)+"\n"+requests+"\n\n"+waits+"\n\n"+together)
		if plan.Says("until here") || plan.Says("No conversion needed") {
			c.Errorf("got %s, want nothing twice", plan.Screen)
		}
		c.limitTo(75)
		shown := c.Plan().Screen
		if !shown.Says(`The plan has 76 characters until here: - project "book", 2 chapters, 76 characters at most`) {
			c.Errorf("got %s, want that the limit counts what is requested", shown)
		}
		c.limitTo(76)
		c.wantBook(c.Plan().Screen, "update", []string{costs("2 chapters", 76)}, nil)

		p := unlimited()
		defer p.End()
		c.Refresh(p, &fakecore.Screen{})
		c.PlanChange(p, &fakecore.Screen{})
		c.Object, c.Arguments["project_id"] = nil, "short"
		second := &fakecore.Screen{}
		c.PlanChange(p, second)
		second.WantEstimate(c, `Conversions that cost credits in project "short": 1 chapter, 38 characters at most`+"\nCharacters at most: 38 \"chapter-1\"\n\n"+
			"In this plan until here: 3 chapters, 114 characters at most. "+together)
	})
}

// TestEstimate_onlyWaits: nothing new is paid for, unless a conversion fails or leaves text.
func TestEstimate_onlyWaits(t *testing.T) {
	t.Parallel()
	for counted, together := range map[bool]string{
		true:  "Only waited for: 2 chapters, at most 76 characters more if their conversions fail.",
		false: "Only waited for: 2 chapters, not all of them counted.",
	} {
		withBook(t, manyChapters(2, mockserver.Conversion{Takes: time.Hour}), func(c *core) {
			c.service.SetHabits(mockserver.Habits{NoStatistics: !counted})
			c.Apply(fakecore.InterruptedAfter(time.Minute))
			plan := c.Plan()
			plan.Want(c, "update", []string{waitsForTwo + "\n" + willWaitFor}, nil)
			if !plan.Says("in total\n\n"+together) || plan.Says("until here") {
				c.Errorf("got %s, want %q", plan.Screen, together)
			}
			c.limitTo(0)
			c.wantBook(c.Plan().Screen, "update", []string{waitsForTwo}, nil)
		})
	}
	inFakeTime(t, chapterWithConversions(mockserver.Conversion{Takes: time.Hour}), kept(), func(c *core) {
		c.Apply(fakecore.InterruptedAfter(time.Minute))
		const together = "In this plan until here: no new conversion. Only waited for: 1 chapter, at most 35 characters more if its conversion fails."
		c.Plan().Want(c, "update", []string{"Conversions under way in project \"book\"\n" + willWait + "\"The Dark Lantern\" (one)\n\n" + together}, nil)
	})
}

// TestPlan_withoutRefreshCountsRequests: a conversion is pending, and the next apply requests another one nevertheless. A plan counts that
// for max_characters, also if it does not refresh.
func TestPlan_withoutRefreshCountsRequests(t *testing.T) {
	t.Parallel()
	voice := func(name string) map[string]any { return map[string]any{"triggers": map[string]any{"voice": name}} }
	for name, pends := range map[string]func(*core){
		"no sign of it": func(c *core) {
			c.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, EOF: true})
			c.Apply()
		},
		"for other triggers": func(c *core) {
			c.Apply(fakecore.InterruptedAfter(20 * time.Second))
			c.Arguments = voice("Corvin")
			c.Apply(fakecore.InterruptedAfter(20 * time.Second))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, chapterWithConversions(oneMinute, oneMinute), voice("Ottilie"), func(c *core) {
				c.Apply().Want(c, "create", nil, nil)
				c.Arguments = voice("Marrow")
				pends(c)
				if c.pending() == "" {
					t.Fatal("nothing is pending")
				}
				c.Start = func() *fakecore.Process {
					settings := atTheService()
					settings["max_characters"] = 0
					return c.beginWith(settings, nil)
				}
				c.Unrefreshed = true
				plan := c.Plan()
				if !plan.Says("Too many characters to convert") {
					t.Errorf("got %s, want that it exceeds the limit", plan.Screen)
				}
			})
		})
	}
}

// TestPlan_ofAResourceThatStopsFollowing: keep_up_to_date is switched off while a conversion is pending, and text was added. The plan does not
// name that text, because the apply only waits.
func TestPlan_ofAResourceThatStopsFollowing(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(oneMinute), kept(), func(c *core) {
		c.Apply(fakecore.InterruptedAfter(20 * time.Second))
		time.Sleep(10 * time.Minute)
		c.service.EditChapter("book", "one", acctest.LongerText)
		c.Arguments = map[string]any{keepUpToDate: false}
		plan := c.Plan()
		if plan.Says("cost credits") {
			t.Errorf("got %s, want a plan that only waits", plan.Screen)
		}
		c.ApplyPlan(plan)
		c.wantPaid(1)
		c.Plan().Want(c, "no-op", nil, nil)
	})
}
