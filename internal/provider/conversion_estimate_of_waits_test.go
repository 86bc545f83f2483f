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
