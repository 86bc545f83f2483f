package provider_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/acctest"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// The simulation plays what follows an interruption, a lost answer, a taint or a replacement at services of every kind. Here stands
// what a person is told, once for each.

const (
	willWaitFor = "A conversion is under way, or its end is not known. Applying waits for it. If it fails or leaves unconverted text, applying may request another, " +
		"which costs at most: "
	willWait  = willWaitFor + "35 "
	willAgain = "The last conversion failed, and applying requests another. The service's error message: " + conversionError
)

// wantSaid checks a plan without errors, and that it says a text in its estimate or elsewhere.
func (c *core) wantSaid(shown *fakecore.Screen, action, text string) {
	c.Helper()
	if shown.Action != action || len(shown.Errors) > 0 || text != "" && !shown.Says(text) {
		c.Errorf("got %s, want %s, and that it says %q", shown, action, text)
	}
}

func interrupted(c *core) {
	c.Helper()
	c.Apply(fakecore.InterruptedAfter(20*time.Second)).Want(c, "create", []string{"The next apply waits for the conversion, and requests another only if it fails or leaves text unconverted."}, nil)
	if c.Object == nil || c.Object.Tainted || c.pending() == "" {
		c.Fatalf("got object %+v, want one with a pending conversion, not tainted", c.Object)
	}
}

func timedOut(c *core) {
	c.Helper()
	c.Arguments["timeouts"] = map[string]any{"create": "30s"}
	c.Apply().Want(c, "create", nil, []string{`Unable to convert chapter "` + acctest.ChapterName + `" (one) of project "book"` + "\nTimed out after 30s (`timeouts`). " +
		"The conversion continues at the service. - state converting, 50 %\n\nThe next apply waits for the conversion, and requests another only if it fails or leaves text unconverted."})
	delete(c.Arguments, "timeouts")
}

func answerLost(c *core) {
	c.Helper()
	c.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Reset: true})
	c.Apply().Want(c, "create", nil, []string{"no sign of a conversion within 30s"})
	got := c.pending()
	if !strings.Contains(got, `"phase":"unconfirmed"`) {
		c.Errorf("got pending_conversion %s, want it unconfirmed", got)
	}
}

func refusedWithAnError(c *core) {
	c.Helper()
	c.service.Inject(mockserver.Fault{
		Operation: mockserver.ConvertChapter, Status: 500, Body: `{"detail":{"status":"no_voice","message":"The chapter has no voice."},"request_id":"7f3a"}`,
	})
	began := time.Now()
	c.Apply().Want(c, "create", nil, []string{
		"The service answered the request with an error, and showed no conversion within 30s: POST /v1/projects/book/chapters/…/convert: 500 Internal Server Error: " +
			"no_voice: The chapter has no voice.\nHost: localhost. Request ID: 7f3a. - state default\n\n" +
			"This is the service's own error message. Fix what it names, or plan again later if the problem is on the service's side. " +
			"The next apply looks for the conversion first, and requests one only if there is no sign of it.",
	})
	took := time.Since(began)
	if took > 35*time.Second {
		c.Errorf("took %s, want a window of 30 s", took)
	}
	c.wantSent(1)
}

func TestChapterConversion_afterApplyCutShort(t *testing.T) {
	t.Parallel()
	const adopts, costs = "Adopted at no cost", "Characters at most: 35"
	voice := func(name string, then func(*core)) func(*core) {
		return func(c *core) {
			c.Arguments["triggers"] = map[string]any{"voice": name}
			then(c)
		}
	}
	wait, byHand := func(*core) { time.Sleep(time.Hour) }, func(c *core) { c.service.Convert("book", "one") }
	for _, test := range []struct {
		name         string
		cut          func(*core)
		first        mockserver.Conversion
		meanwhile    func(*core)
		action, says string // of the plan
		paid         int
	}{
		{"interrupted, still running", interrupted, oneMinute, nil, "update", willWait, 1},
		{"interrupted, ended", interrupted, oneMinute, wait, "no-op", "", 1},
		{
			"interrupted, ended, to be kept up to date", func(c *core) { delete(c.Arguments, keepUpToDate); interrupted(c) }, oneMinute,
			func(c *core) { wait(c); c.limitTo(0); c.Arguments[keepUpToDate] = true }, "update", "", 1,
		},
		{"interrupted, failed", interrupted, failing, wait, "update", willAgain, 2},
		{"interrupted, failed, converted by somebody else", interrupted, failing, func(c *core) { wait(c); byHand(c); wait(c) }, "no-op", "", 1},
		{
			"interrupted, ended, edited", interrupted, oneMinute, func(c *core) { wait(c); c.service.EditChapter("book", "one", acctest.LongerText) }, "update",
			"Characters at most: 20", 2,
		},
		{
			"interrupted, other triggers", voice("Ottilie", interrupted), oneMinute, voice("Marrow", func(*core) {}), "update",
			"The `triggers` changed, so applying converts the chapter again, which costs at most: 35", 2,
		},
		{
			"timed out, ended, other triggers", voice("Ottilie", timedOut), oneMinute, voice("Marrow", wait), "replace",
			adopts, 1, // as at creation
		},
		{"timed out, still running", timedOut, oneMinute, nil, "replace", willWait, 1},
		{"timed out, untainted", timedOut, oneMinute, func(c *core) { c.Object.Tainted = false }, "update", willWait, 1},
		{"timed out, ended", timedOut, oneMinute, wait, "replace", adopts, 1},
		// The plan counts a creation, and Create takes what the conversion has ended with.
		{
			"timed out, ended, not to be kept up to date", func(c *core) { delete(c.Arguments, keepUpToDate); timedOut(c) }, oneMinute, wait, "replace",
			"applying converts it again. To avoid the cost, adopt it with `keep_up_to_date = true`, or import it. 35", 1,
		},
		{"timed out, failed", timedOut, failing, wait, "replace", costs, 2},
		{"answer lost, not received", answerLost, oneMinute, nil, "replace", costs, 1},
		{"answer lost, received late", answerLost, oneMinute, func(c *core) { byHand(c); wait(c) }, "replace", adopts, 0},
		{
			"refused with an error", refusedWithAnError, oneMinute, nil, "replace",
			costs, 1,
		},
		{"refused with an error, and begun late", refusedWithAnError, oneMinute, func(c *core) { byHand(c); wait(c) }, "replace", adopts, 0},
		{"somebody else's", func(c *core) { byHand(c); time.Sleep(20 * time.Second) }, oneMinute, nil, "create", willWait, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, chapterWithConversions(test.first, oneMinute), kept(), func(c *core) {
				test.cut(c)
				if test.meanwhile != nil {
					test.meanwhile(c)
				}
				c.wantSaid(c.Plan().Screen, test.action, test.says)
				shown := c.Apply()
				if len(shown.Errors) > 0 {
					c.Errorf("got %s", shown)
				}
				c.Plan().Want(c, "no-op", nil, nil)
				c.wantPaid(test.paid)
			})
		})
	}
}

// TestChapterConversionReplacement_cutShort: a creation that timed out is replaced. What was pending comes to the new
// resource at once, so that an end of its wait loses nothing, either.
func TestChapterConversionReplacement_cutShort(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		conversion       mockserver.Conversion
		timeout          string
		interruptions    []fakecore.Interruption
		warnings, errors []string
		next, says       string // of the next plan
		paid             int
	}{
		"interrupted": {
			oneMinute, "1h", []fakecore.Interruption{fakecore.InterruptedAfter(10 * time.Second)},
			[]string{willWait, "The conversion continues at the service."}, nil, "update", willWait, 1,
		},
		"out of time": {
			oneMinute, "20s", nil,
			[]string{willWait}, []string{"Timed out after 20s (`timeouts`). The conversion continues at the service."}, "replace", willWait, 1,
		},
		// With a failure alone, a creation leaves no state.
		"it fails": {
			failing, "1h", nil,
			[]string{willWait}, []string{"The conversion failed. The service's error message: " + conversionError}, "create", "Characters at most: 35", 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, chapterWithConversions(test.conversion, oneMinute), map[string]any{"timeouts": creates("10s")}, func(c *core) {
				c.Apply()
				c.Arguments["timeouts"] = creates(test.timeout)
				c.Apply(test.interruptions...).Want(c, "replace", test.warnings, test.errors)
				c.Arguments["timeouts"] = creates("1h")
				c.wantSaid(c.Apply(), test.next, test.says)
				c.Plan().Want(c, "no-op", nil, nil)
				c.wantPaid(test.paid)
			})
		})
	}
}

// TestChapterConversionReplacement_unknownProject: one 404 for a list that was answered before is an odd answer. If all are, the apply
// ends in an error, and the object remembers what is pending.
func TestChapterConversionReplacement_unknownProject(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		times  int
		errors []string
	}{
		"for a moment": {2, nil},
		"for long":     {30, []string{"404 Not Found."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, chapterWithConversions(oneMinute), map[string]any{"timeouts": map[string]any{"create": "10s"}}, func(c *core) {
				c.Apply()
				c.Arguments["timeouts"] = map[string]any{"create": "1h"}
				c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Skip: 2, Times: test.times, Status: 404})
				c.Apply().Want(c, "replace", []string{willWait}, test.errors)
				isPending := c.pending() != ""
				if isPending != (test.errors != nil) {
					c.Errorf("pending: got %t", isPending)
				}
				for len(c.Plan().Errors) > 0 { // until the project is known again
				}
				c.Apply()
				c.Plan().Want(c, "no-op", nil, nil)
				c.wantSent(1)
			})
		})
	}
}

func TestChapterConversion_destroyDoesNotWait(t *testing.T) {
	t.Parallel()
	for _, replaced := range []bool{false, true} {
		inFakeTime(t, chapterWithConversions(oneMinute), map[string]any{"timeouts": map[string]any{"create": "20s"}}, func(c *core) {
			c.Apply(fakecore.InterruptedAfter(10 * time.Second))
			if replaced {
				c.Object.Tainted = true
				c.Apply(fakecore.InterruptedAfter(5 * time.Second))
			}
			began := time.Now()
			shown, gone := c.Destroy()
			if !gone || time.Since(began) > 0 {
				t.Errorf("got %q after %s, want the object gone at once", shown.Errors, time.Since(began))
			}
		})
	}
}

// TestPendingConversion_stays, even if the next apply cannot look at the chapter at all, and nothing is called pending that is not.
func TestPendingConversion_stays(t *testing.T) {
	t.Parallel()
	const unseen = "Timed out after 40s (`timeouts`), before the chapter could be read."
	hanging := mockserver.Fault{Operation: mockserver.ListChapters, Times: -1, Hang: time.Hour}
	ctrlC := []fakecore.Interruption{fakecore.InterruptedAfter(20 * time.Second)}
	for _, test := range []struct {
		takes         time.Duration
		first, second []fakecore.Interruption
		says          string
	}{{time.Hour, ctrlC, ctrlC, "Interrupted. The chapter could not be read."}, {time.Hour, ctrlC, nil, unseen}, {0, nil, nil, unseen}} {
		t.Run(fmt.Sprint(len(test.first), len(test.second)), func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, chapterWithConversions(mockserver.Conversion{Takes: test.takes}), map[string]any{"timeouts": map[string]any{"update": "40s"}}, func(c *core) {
				c.Arguments["triggers"] = map[string]any{"voice": "Ada"}
				c.Apply(test.first...)
				pending := c.pending()
				if pending == "" {
					c.Arguments["triggers"] = map[string]any{"voice": "Bela"}
				}
				time.Sleep(time.Minute)
				plan := c.Plan()
				time.Sleep(2 * time.Minute) // so that the plan of the apply goes by its notes
				c.service.Inject(hanging)
				shown := c.ApplyPlan(plan, test.second...)
				if len(shown.Errors) != 1 || !shown.Says(test.says) || shown.Says("The pending conversion stays in the state.") != (pending != "") {
					c.Errorf("got %s, want an error that says %q", shown, test.says)
				}
				if c.pending() != pending {
					c.Errorf("got pending %s, want %s", c.pending(), pending)
				}
				c.wantPaid(1)
			})
		})
	}
}

// TestPendingConversion_chapterMissing: the resource stays, because lists may lack a chapter that exists.
// A plan fails as long as the configuration names the chapter, and only then.
func TestPendingConversion_chapterMissing(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(oneMinute), nil, func(c *core) {
		c.Apply(fakecore.InterruptedAfter(10 * time.Second))
		c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Times: -1, Body: `{"chapters":[]}`})
		pending := c.pending()
		const keeps = "Chapter is gone\nProject \"book\" has no chapter \"one\".\nA conversion of it is pending, so Terraform keeps the resource in the state."
		c.Plan().Want(c, "", []string{keeps}, []string{"Chapters that the project does not have"})
		if c.Object == nil || c.pending() != pending {
			c.Fatalf("got the object %+v, want it with what is pending", c.Object)
		}
		p := c.begin()
		defer p.End()
		shown := &fakecore.Screen{}
		failed := c.Refresh(p, shown) // as in a plan without the resource
		_, destroyed := c.Destroy()
		if failed || !shown.Says("A conversion of it is pending, so Terraform keeps the resource in the state.") || !destroyed {
			c.Errorf("failed %t, destroyed %t, got %s", failed, destroyed, shown)
		}
	})
}

// TestKeepUpToDate_neverLoops: this service always counts some text as unconverted.
func TestKeepUpToDate_neverLoops(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(oneMinute), kept(), func(c *core) {
		c.service.SetHabits(mockserver.Habits{LeavesLast: true})
		c.Apply(fakecore.InterruptedAfter(20 * time.Second))
		c.Apply().Want(c, "update", []string{willWait, "The next apply converts it only if that number changes."}, nil)
		c.service.EditChapter("book", "one", acctest.ChapterText+" Nobody at all.\n\nNot the keeper.")
		c.Apply().Want(c, "update", []string{"Unconverted text remains"}, nil)
		for range 3 {
			time.Sleep(time.Hour)
			c.Apply().Want(c, "no-op", nil, nil)
		}
		c.wantPaid(2)

		// Unconverted text counts as new once all has been converted, even if it is not more than was left over.
		c.service.SetHabits(mockserver.Habits{})
		c.service.Convert("book", "one")
		time.Sleep(time.Hour)
		c.Plan().Want(c, "no-op", nil, nil)
		c.service.EditChapter("book", "one", acctest.LongerText+"\n\nFar.")
		time.Sleep(time.Minute)
		c.Plan().Want(c, "update", nil, nil)
	})
}

// TestKeepUpToDate_lessUnconvertedTextIsNewText: the count alone looks as if some of the leftover had been converted.
func TestKeepUpToDate_lessUnconvertedTextIsNewText(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(oneMinute), kept(), func(c *core) {
		c.service.SetHabits(mockserver.Habits{LeavesLast: true})
		c.Apply()
		c.service.EditChapter("book", "one", "The lamp was lit.\n\nFar.")
		time.Sleep(time.Minute)
		c.Plan().Want(c, "update", nil, nil)
	})
}

// TestChapterConversion_interruptedIsNotTainted: a creation that is interrupted ends with a warning, which Terraform saves as a success.
func TestChapterConversion_interruptedIsNotTainted(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(oneMinute), kept(), func(c *core) {
		shown := c.Apply(fakecore.InterruptedAfter(20 * time.Second))
		if len(shown.Errors) > 0 || shown.Says("tainted") || !shown.Says("A saved plan is stale now") {
			t.Errorf("got %s, want a warning that names no taint", shown)
		}
		c.Plan().Want(c, "update", []string{"Conversions under way"}, nil)
	})
}

// TestChapterConversion_shortTimeout: the answer is lost, and the timeout is shorter than the provider must watch the
// chapter. It watches to the end of that, because nobody could tell otherwise how the conversion stands.
func TestChapterConversion_shortTimeout(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(oneMinute), map[string]any{"timeouts": map[string]any{"create": "20s"}}, func(c *core) {
		c.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, EOF: true})
		c.Apply().Want(c, "create", nil, []string{"showed no sign of a conversion within 30s"})
		c.wantSent(1)
	})
}

// TestPendingConversion_untainted: a creation timed out, its conversion ended, and somebody removes the taint. What was
// kept for a replacement is no conversion for later triggers.
func TestPendingConversion_untainted(t *testing.T) {
	t.Parallel()
	for _, kind := range []resourceType{chapterConversion, projectConversion} {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, chapterWithConversions(oneMinute), nil, func(c *core) {
				c = newCore(c.T, kind, c.service, map[string]any{"timeouts": creates("30s")})
				c.Apply()
				time.Sleep(time.Hour)
				c.Object.Tainted = false
				c.Plan().Want(c, "no-op", nil, nil)
				c.setVoice("Ottilie")
				c.Apply()
				c.setVoice("Marrow")
				c.Apply().WantEstimate(c, c.whyAgain()+" 35 ")
				c.wantPaid(2)
			})
		})
	}
}
