package provider_test

import (
	"strings"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

const (
	willWait  = "A conversion requested earlier is still running. Applying will wait for it and request none."
	willLook  = "Applying will look for it first, and request one only if there is no sign of it."
	willJoin  = "The chapter is being converted at this moment. Applying will join"
	willTake  = "A conversion requested earlier has ended well meanwhile. Applying will take it up and request none."
	willAgain = "The service says: " + freshError + "\n\nApplying will request another conversion."
)

func TestInterruptedIsNotLost(t *testing.T) {
	t.Parallel()
	interrupt := func(c *core) {
		c.Helper()
		c.apply(disturbance{interrupted: 20 * time.Second}).want(c, "create",
			[]string{"The next apply updates this object in place: it waits for this conversion and requests none."}, nil)
		if c.comeback > time.Second {
			c.Errorf("came back after %s", c.comeback)
		}
		if c.object == nil || c.object.tainted || c.pending() == "" {
			c.Fatalf("got object %+v, want one with a pending conversion, not tainted", c.object)
		}
	}
	t.Run("still running", func(t *testing.T) {
		t.Parallel()
		inFakeTime(t, going(aMinute), nil, func(c *core) {
			interrupt(c)
			c.plan().want(c, "update", []string{willWait}, nil)
			c.apply(disturbance{}).want(c, "update", []string{willWait}, nil)
			c.plan().want(c, "no-op", nil, nil)
			c.wantPaid(1)
		})
	})
	t.Run("ended meanwhile", func(t *testing.T) {
		t.Parallel()
		inFakeTime(t, going(aMinute), nil, func(c *core) {
			interrupt(c)
			time.Sleep(time.Minute)
			c.plan().want(c, "no-op", nil, nil)
			c.wantPaid(1)
		})
	})
	t.Run("failed meanwhile", func(t *testing.T) {
		t.Parallel()
		inFakeTime(t, going(failing, aMinute), nil, func(c *core) {
			interrupt(c)
			time.Sleep(time.Minute)
			c.plan().want(c, "update", []string{willAgain}, nil)
			c.wantPaid(1)
			c.apply(disturbance{}).want(c, "update", []string{willAgain, "had failed. The service said: " + freshError}, nil)
			c.plan().want(c, "no-op", nil, nil)
			c.wantPaid(2)
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
		{"still running", 0, aMinute, willWait, 1},
		{"ended meanwhile", time.Hour, aMinute, willTake, 1},
		{"failed meanwhile", time.Hour, failing, willAgain, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, going(test.first, aMinute), map[string]any{"timeouts": map[string]any{"create": "30s"}}, func(c *core) {
				shown := c.apply(disturbance{})
				shown.want(c, "create", nil, []string{"Unable to convert chapter"})
				for _, words := range []string{
					`chapter "one" of project "book", named "` + chapterName + `"`, "state converting", "progress ", "after 30s", "The limit is 30s",
					"The next apply replaces this object in Terraform's state alone: it waits for this conversion and requests none.",
				} {
					if !shown.says(words) {
						t.Errorf("got %q, want it to say %q", shown.errors, words)
					}
				}
				time.Sleep(test.pause)
				shown = c.plan().screen
				shown.want(c, "replace", []string{test.plan}, nil)
				if hint := "If the object has `create_before_destroy`, run `terraform untaint` on it first"; !shown.says(hint) {
					t.Errorf("got %q, want the hint %q", shown.warnings, hint)
				}
				delete(c.arguments, "timeouts")
				c.apply(disturbance{})
				c.plan().want(c, "no-op", nil, nil)
				c.wantPaid(test.paid)
			})
		})
	}
}

// TestAReplacementThatIsCutShortLosesNothing: Terraform destroys everything that it replaces
// before it creates the first of them again, and an interruption in between would forget it.
func TestAReplacementThatIsCutShortLosesNothing(t *testing.T) {
	t.Parallel()
	const stays = "The object stays in the state as it is, and so does what is pending"
	for name, test := range map[string]struct {
		timeout string
		disturbance
		says string
	}{
		"interrupted": {"1h", disturbance{interrupted: 10 * time.Second}, "Stopped waiting for"},
		"out of time": {"20s", disturbance{}, "The limit is 20s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, going(aMinute), map[string]any{"timeouts": map[string]any{"create": "10s"}}, func(c *core) {
				c.apply(disturbance{})
				c.arguments["timeouts"] = map[string]any{"create": test.timeout}
				shown := c.apply(test.disturbance)
				if !shown.says(stays) || !shown.says(test.says) {
					t.Errorf("got %q, want it to say %q and %q", shown.errors, test.says, stays)
				}
				if c.object == nil || !c.object.tainted || c.pending() == "" {
					t.Fatalf("got object %+v, want it as it was", c.object)
				}
				time.Sleep(time.Hour)
				c.apply(disturbance{})
				c.plan().want(c, "no-op", nil, nil)
				c.wantPaid(1)
			})
		})
	}
}

func TestDestroyDoesNotWait(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(*core){
		"after an interruption": func(c *core) { c.apply(disturbance{interrupted: 10 * time.Second}) },
		"after an interrupted replacement": func(c *core) {
			c.arguments = map[string]any{"timeouts": map[string]any{"create": "10s"}}
			c.apply(disturbance{})
			c.apply(disturbance{interrupted: 5 * time.Second})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, going(aMinute), nil, func(c *core) {
				begin(c)
				w := &walk{process: c.begin(), screen: &screen{}}
				defer w.end()
				began := time.Now()
				if !c.destroy(w, c.object, c.object.private) || time.Since(began) > 0 {
					t.Errorf("got %q after %s, want the object gone at once", w.errors, time.Since(began))
				}
			})
		})
	}
}

func TestALostAnswerIsLookedFor(t *testing.T) {
	t.Parallel()
	lose := func(c *core) {
		c.Helper()
		c.service.Inject(mockserver.Fault{Operation: mockserver.ConvertChapter, Reset: true})
		c.apply(disturbance{}).want(c, "create", nil, []string{"no sign of one within 30s"})
		if got := c.pending(); !strings.Contains(got, `"confirmed":false`) {
			c.Errorf("got pending_conversion %s, want it unconfirmed", got)
		}
		c.wantPaid(0)
	}
	t.Run("and not found", func(t *testing.T) {
		t.Parallel()
		inFakeTime(t, going(aMinute), map[string]any{keepUpToDate: true}, func(c *core) {
			lose(c)
			c.plan().want(c, "replace", []string{willLook}, nil)
			c.apply(disturbance{})
			c.plan().want(c, "no-op", nil, nil)
			c.wantPaid(1)
		})
	})
	t.Run("and found late", func(t *testing.T) {
		t.Parallel()
		inFakeTime(t, going(aMinute), map[string]any{keepUpToDate: true}, func(c *core) {
			lose(c)
			c.service.Convert("book", "one") // it arrives after all
			time.Sleep(time.Hour)
			c.plan().want(c, "replace", []string{willTake}, nil)
			c.apply(disturbance{})
			c.plan().want(c, "no-op", nil, nil)
			c.wantPaid(0)
		})
	})
}

func TestARunningConversionIsAnnounced(t *testing.T) {
	t.Parallel()
	inFakeTime(t, going(aMinute), nil, func(c *core) {
		c.service.Convert("book", "one")
		time.Sleep(20 * time.Second)
		c.plan().want(c, "create", []string{willJoin}, nil)
		c.apply(disturbance{}).want(c, "create", []string{willJoin}, nil)
		c.plan().want(c, "no-op", nil, nil)
		c.wantPaid(0)
	})
}

func TestImportAndAdoptionCostNothing(t *testing.T) {
	t.Parallel()
	inFakeTime(t, mockserver.Chapter{Converted: true}, nil, func(c *core) {
		c.restore("book/one")
		c.plan().want(c, "no-op", nil, nil)
		c.object = nil
		c.arguments = map[string]any{keepUpToDate: true}
		c.apply(disturbance{}).want(c, "create", nil, nil)
		c.plan().want(c, "no-op", nil, nil)
		c.wantPaid(0)
	})
}

// TestAnotherAccountLosesNothing: to the key of another account the project does not exist.
// Whoever forgot the object then would convert it again with the right key.
func TestAnotherAccountLosesNothing(t *testing.T) {
	t.Parallel()
	inFakeTime(t, going(aMinute), nil, func(c *core) {
		c.apply(disturbance{})
		c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Status: 404, Body: `{"detail":"no such project"}`})
		c.plan().want(c, "", nil, []string{"What is in the state stays there."})
		c.plan().want(c, "no-op", nil, nil)
		c.wantPaid(1)
	})
}

// TestWhatIsPendingIsNotCalledUnrequested: the next apply cannot look at the chapter at all.
func TestWhatIsPendingIsNotCalledUnrequested(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ends disturbance
		says string
	}{
		// Terraform plans once more, which takes five attempts of half a minute.
		"interrupted": {disturbance{interrupted: 170 * time.Second}, "Interrupted before the chapter could be looked at."},
		"out of time": {disturbance{}, "Out of time before the chapter could be looked at: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, going(mockserver.Conversion{Takes: time.Hour}), map[string]any{"timeouts": map[string]any{"update": "40s"}}, func(c *core) {
				c.apply(disturbance{interrupted: 20 * time.Second})
				pending := c.pending()
				time.Sleep(time.Minute)
				c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Skip: 1, Times: -1, Hang: time.Hour})
				shown := c.apply(test.ends)
				if len(shown.errors) != 1 || !strings.Contains(shown.errors[0], test.says) ||
					!strings.Contains(shown.errors[0], "What is pending stays in the state.") {
					t.Errorf("got errors %q, warnings %q, want an error that says %q", shown.errors, shown.warnings, test.says)
				}
				if c.pending() != pending {
					t.Errorf("got pending %s, want %s", c.pending(), pending)
				}
				c.wantPaid(1)
			})
		})
	}
}

func TestNothingPendingIsNotCalledPending(t *testing.T) {
	t.Parallel()
	inFakeTime(t, going(mockserver.Conversion{}), map[string]any{"timeouts": map[string]any{"update": "40s"}, "triggers": map[string]any{"voice": "Ada"}}, func(c *core) {
		c.apply(disturbance{})
		c.arguments["triggers"] = map[string]any{"voice": "Bela"}
		time.Sleep(time.Minute)
		c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Skip: 1, Times: -1, Hang: time.Hour})
		c.apply(disturbance{}).want(c, "update", nil, []string{"Out of time before anything was requested: "})
		c.wantPaid(1)
	})
}
