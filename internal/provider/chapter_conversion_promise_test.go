package provider_test

import (
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const (
	willWait  = "A conversion requested earlier is still running. Applying waits for it and requests none."
	willLook  = "Applying looks for the conversion first, and requests one only if there is no sign of it."
	willJoin  = "A conversion is under way that was not requested for this object: by somebody else, or by a run that was interrupted. Applying waits for it"
	willAgain = "A conversion requested earlier failed. Applying requests another. The service says: " + conversionError
)

// wantSaid checks a plan without errors, and that it says a text in its bill or elsewhere.
func (c *core) wantSaid(shown *fakecore.Screen, action, text string) {
	c.Helper()
	if shown.Action != action || len(shown.Errors) > 0 || !shown.Says(text) {
		c.Errorf("got %s, want %s, and that it says %q", shown, action, text)
	}
}

func TestInterruptedIsNotLost(t *testing.T) {
	t.Parallel()
	interrupt := func(c *core) {
		c.Helper()
		c.Apply(fakecore.InterruptedAfter(20*time.Second)).Want(c, "create",
			[]string{"The next apply waits for the conversion and requests none."}, nil)
		if c.SlowestReturn > time.Second {
			c.Errorf("returned after %s", c.SlowestReturn)
		}
		if c.Object == nil || c.Object.Tainted || c.pending() == "" {
			c.Fatalf("got object %+v, want one with a pending conversion, not tainted", c.Object)
		}
	}
	t.Run("still running", func(t *testing.T) {
		t.Parallel()
		inFakeTime(t, chapterWithConversions(oneMinute), nil, func(c *core) {
			interrupt(c)
			c.Plan().Want(c, "update", []string{willWait}, nil)
			c.Apply().Want(c, "update", []string{willWait}, nil)
			c.Plan().Want(c, "no-op", nil, nil)
			c.wantPaid(1)
		})
	})
	t.Run("ended meanwhile", func(t *testing.T) {
		t.Parallel()
		inFakeTime(t, chapterWithConversions(oneMinute), nil, func(c *core) {
			interrupt(c)
			time.Sleep(time.Minute)
			c.Plan().Want(c, "no-op", nil, nil)
			c.wantPaid(1)
		})
	})
	t.Run("failed meanwhile", func(t *testing.T) {
		t.Parallel()
		inFakeTime(t, chapterWithConversions(failing, oneMinute), nil, func(c *core) {
			interrupt(c)
			time.Sleep(time.Minute)
			c.wantSaid(c.Plan().Screen, "update", willAgain)
			c.wantPaid(1)
			c.Apply().Want(c, "update", []string{"had failed, so another was requested. The service said: " + conversionError}, nil)
			c.Plan().Want(c, "no-op", nil, nil)
			c.wantPaid(2)
		})
	})
	t.Run("failed, and converted since by somebody else", func(t *testing.T) {
		t.Parallel()
		inFakeTime(t, chapterWithConversions(failing, oneMinute), nil, func(c *core) {
			interrupt(c)
			time.Sleep(time.Minute)
			c.wantSaid(c.Plan().Screen, "update", willAgain)
			c.service.Convert("book", "one")
			time.Sleep(2 * time.Minute)
			c.Plan().Want(c, "no-op", nil, nil)
		})
	})
}

func TestTimedOutIsNotLost(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		pause time.Duration
		first mockserver.Conversion
		plan  string
		paid  int
	}{
		{"still running", 0, oneMinute, willWait, 1},
		{"ended meanwhile", time.Hour, oneMinute, "Adopted at no cost", 1},
		{"failed meanwhile", time.Hour, failing, willAgain, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, chapterWithConversions(test.first, oneMinute), map[string]any{"timeouts": map[string]any{"create": "30s"}}, func(c *core) {
				shown := c.Apply()
				shown.Want(c, "create", nil, []string{"Unable to convert chapter"})
				for _, words := range []string{
					`chapter "` + chapterName + `" (one) of project "book"`, "state converting, 44 %", "Out of time after 30s (`timeouts`).",
					"The next apply waits for the conversion and requests none.",
				} {
					if !shown.Says(words) {
						t.Errorf("got %q, want it to say %q", shown.Errors, words)
					}
				}
				time.Sleep(test.pause)
				c.wantSaid(c.Plan().Screen, "replace", test.plan)
				delete(c.Arguments, "timeouts")
				c.Apply()
				c.Plan().Want(c, "no-op", nil, nil)
				c.wantPaid(test.paid)
			})
		})
	}
}

// TestAnInterruptedReplacementLosesNothing: Terraform destroys all objects that it replaces
// before it creates new ones. After an interruption in between, the state would have nothing of them.
func TestAnInterruptedReplacementLosesNothing(t *testing.T) {
	t.Parallel()
	const stays = "The object stays in the state as it is, and so does what is pending"
	for name, test := range map[string]struct {
		timeout       string
		interruptions []fakecore.Interruption
		says          string
	}{
		"interrupted": {"1h", []fakecore.Interruption{fakecore.InterruptedAfter(10 * time.Second)}, "Interrupted. "},
		"out of time": {"20s", nil, "Out of time after 20s (`timeouts`)."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, chapterWithConversions(oneMinute), map[string]any{"timeouts": map[string]any{"create": "10s"}}, func(c *core) {
				c.Apply()
				c.Arguments["timeouts"] = map[string]any{"create": test.timeout}
				shown := c.Apply(test.interruptions...)
				if !shown.Says(stays) || !shown.Says(test.says) {
					t.Errorf("got %q, want it to say %q and %q", shown.Errors, test.says, stays)
				}
				if c.Object == nil || !c.Object.Tainted || c.pending() == "" {
					t.Fatalf("got object %+v, want it as it was", c.Object)
				}
				time.Sleep(time.Hour)
				c.Apply()
				c.Plan().Want(c, "no-op", nil, nil)
				c.wantPaid(1)
			})
		})
	}
}

func TestDestroyDoesNotWait(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(*core){
		"after an interruption": func(c *core) { c.Apply(fakecore.InterruptedAfter(10 * time.Second)) },
		"after an interrupted replacement": func(c *core) {
			c.Arguments = map[string]any{"timeouts": map[string]any{"create": "10s"}}
			c.Apply()
			c.Apply(fakecore.InterruptedAfter(5 * time.Second))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, chapterWithConversions(oneMinute), nil, func(c *core) {
				begin(c)
				began := time.Now()
				if shown, gone := c.Destroy(); !gone || time.Since(began) > 0 {
					t.Errorf("got %q after %s, want the object gone at once", shown.Errors, time.Since(began))
				}
			})
		})
	}
}

func TestAfterALostAnswerTheChapterIsWatched(t *testing.T) {
	t.Parallel()
	lose := func(c *core) {
		c.Helper()
		c.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Reset: true})
		c.Apply().Want(c, "create", nil, []string{"no sign of one within 30s"})
		if got := c.pending(); !strings.Contains(got, `"confirmed":false`) {
			c.Errorf("got pending_conversion %s, want it unconfirmed", got)
		}
		c.wantPaid(0)
	}
	t.Run("and not found", func(t *testing.T) {
		t.Parallel()
		inFakeTime(t, chapterWithConversions(oneMinute), map[string]any{keepUpToDate: true}, func(c *core) {
			lose(c)
			c.Plan().Want(c, "replace", []string{willLook}, nil)
			c.Apply()
			c.Plan().Want(c, "no-op", nil, nil)
			c.wantPaid(1)
		})
	})
	t.Run("and found late", func(t *testing.T) {
		t.Parallel()
		inFakeTime(t, chapterWithConversions(oneMinute), map[string]any{keepUpToDate: true}, func(c *core) {
			lose(c)
			c.service.Convert("book", "one") // the request arrives late
			time.Sleep(time.Hour)
			c.wantSaid(c.Plan().Screen, "replace", "Adopted at no cost")
			c.Apply()
			c.Plan().Want(c, "no-op", nil, nil)
			c.wantPaid(0)
		})
	})
}

func TestARunningConversionIsAnnounced(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(oneMinute), nil, func(c *core) {
		c.service.Convert("book", "one")
		time.Sleep(20 * time.Second)
		c.Plan().Want(c, "create", []string{willJoin}, nil)
		c.Apply().Want(c, "create", []string{willJoin}, nil)
		c.Plan().Want(c, "no-op", nil, nil)
		c.wantPaid(0)
	})
}

func TestImportAndAdoptionCostNothing(t *testing.T) {
	t.Parallel()
	inFakeTime(t, mockserver.Chapter{Converted: true}, nil, func(c *core) {
		c.Import("book/one")
		c.Plan().Want(c, "no-op", nil, nil)
		c.Object = nil
		c.Arguments = map[string]any{keepUpToDate: true}
		c.Apply().Want(c, "create", nil, nil)
		c.Plan().Want(c, "no-op", nil, nil)
		c.wantPaid(0)
	})
}

// TestAnotherAccountLosesNothing: with the key of another account, the project does not seem to exist.
// If the refresh removed the object, the next apply with the right key would pay for it again.
func TestAnotherAccountLosesNothing(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(oneMinute), nil, func(c *core) {
		c.Apply()
		c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Status: 404, Body: `{"detail":"no such project"}`})
		c.Plan().Want(c, "", nil, []string{"What is in the state stays there."})
		c.Plan().Want(c, "no-op", nil, nil)
		c.wantPaid(1)
	})
}

// TestAPendingConversionIsNotReportedAsUnrequested, even if the next apply cannot look at the chapter at all.
func TestAPendingConversionIsNotReportedAsUnrequested(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		interruptions []fakecore.Interruption
		says          string
	}{
		"interrupted": {[]fakecore.Interruption{fakecore.InterruptedAfter(20 * time.Second)}, "Interrupted. The chapter could not be looked at."},
		"out of time": {nil, ", before the chapter could be looked at."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, chapterWithConversions(mockserver.Conversion{Takes: time.Hour}), map[string]any{"timeouts": map[string]any{"update": "40s"}}, func(c *core) {
				c.Apply(fakecore.InterruptedAfter(20 * time.Second))
				pending := c.pending()
				time.Sleep(time.Minute)
				c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Skip: 1, Times: -1, Hang: time.Hour})
				shown := c.Apply(test.interruptions...)
				if len(shown.Errors) != 1 || !strings.Contains(shown.Errors[0], test.says) ||
					!strings.Contains(shown.Errors[0], "What is pending stays in the state.") {
					t.Errorf("got errors %q, warnings %q, want an error that says %q", shown.Errors, shown.Warnings, test.says)
				}
				if c.pending() != pending {
					t.Errorf("got pending %s, want %s", c.pending(), pending)
				}
				c.wantPaid(1)
			})
		})
	}
}

func TestNothingPendingIsNotReportedAsPending(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(mockserver.Conversion{}), map[string]any{"timeouts": map[string]any{"update": "40s"}, "triggers": map[string]any{"voice": "Ada"}}, func(c *core) {
		c.Apply()
		c.Arguments["triggers"] = map[string]any{"voice": "Bela"}
		time.Sleep(time.Minute)
		c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Skip: 1, Times: -1, Hang: time.Hour})
		c.Apply().Want(c, "update", nil, []string{"Out of time after 40s (`timeouts`), before the chapter could be looked at."})
		c.wantPaid(1)
	})
}

// The plan said that the apply waits and requests nothing. So a failure during the wait before a replacement ends the apply,
// and the next plan tells of it.
func TestAFailureBeforeAReplacementIsTold(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(mockserver.Conversion{Takes: 5 * time.Minute, Fails: conversionError}, oneMinute), nil, func(c *core) {
		c.Apply(fakecore.InterruptedAfter(time.Minute)).Want(c, "create", []string{"Interrupted while waiting"}, nil)
		c.Object.Tainted = true
		c.Apply().Want(c, "replace", []string{"Conversions under way"}, []string{"Unable to replace chapter \"The Dark Lantern\" (one) of project \"book\"\nThe conversion failed. The service says: " + conversionError})
		c.wantSent(1)
		c.Apply().Want(c, "replace", []string{"Earlier conversion failed"}, nil)
		c.wantSent(2)
		c.Plan().Want(c, "no-op", nil, nil)
	})
}
