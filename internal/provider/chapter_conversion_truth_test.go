package provider_test

import (
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestARepeatedFailureIsNeverASuccess: the conversion fails within a second, with the same error as the last one, so no
// look shows a difference.
func TestARepeatedFailureIsNeverASuccess(t *testing.T) {
	t.Parallel()
	fails := mockserver.Conversion{Fails: conversionError}
	chapter := mockserver.Chapter{Error: conversionError, Conversions: []mockserver.Conversion{fails, fails, oneMinute}}
	inFakeTime(t, chapter, map[string]any{}, func(c *core) {
		c.service.SetHabits(mockserver.Habits{KeepsOldError: true})
		said := []string{"The chapter showed the same error before, so it may be older. The service says: " + conversionError}
		c.Apply().Want(c, "create", nil, said)
		c.wantPaid(1)
		c.Arguments["timeouts"] = map[string]any{"create": "2h"} // other arguments, so that this is another apply and not a repetition
		shown := c.Apply()
		if len(shown.Errors) != 1 || !shown.Says(conversionError) {
			c.Errorf("got %+v, want the second failure reported, too", shown)
		}
		c.wantPaid(2)
		c.Apply()
		c.Plan().Want(c, "no-op", nil, nil)
		c.wantPaid(3)
	})
}

// TestAListThatLacksTheChapterProvesNothing: a list is empty at a refresh, or during a wait.
func TestAListThatLacksTheChapterProvesNothing(t *testing.T) {
	t.Parallel()
	empty := func(skip, times int) mockserver.Fault {
		return mockserver.Fault{Operation: mockserver.ListChapters, Skip: skip, Times: times, Body: `{"chapters":[]}`}
	}
	t.Run("at a refresh", func(t *testing.T) {
		t.Parallel()
		inFakeTime(t, chapterWithConversions(oneMinute), nil, func(c *core) {
			c.Apply().Want(c, "create", nil, nil)
			c.service.Inject(empty(0, 1))
			c.Plan().Want(c, "no-op", nil, nil)
			c.wantPaid(1)
		})
	})
	t.Run("in the middle of a wait", func(t *testing.T) {
		t.Parallel()
		inFakeTime(t, chapterWithConversions(oneMinute), nil, func(c *core) {
			c.service.Inject(empty(4, 1))
			c.Apply().Want(c, "create", nil, nil)
			c.wantPaid(1)
		})
	})
	t.Run("with something pending", func(t *testing.T) {
		t.Parallel()
		inFakeTime(t, chapterWithConversions(oneMinute), nil, func(c *core) {
			c.Apply(fakecore.InterruptedAfter(10 * time.Second))
			c.service.Inject(empty(0, -1))
			c.service.Inject(mockserver.Fault{Operation: mockserver.GetProject, Times: -1, Body: `{"project_id":"book","chapters":[]}`})
			shown := c.Plan()
			if len(shown.Errors) != 1 || !shown.Says("A conversion of it is pending, which stays in the state.") || c.Object == nil {
				c.Errorf("got %+v and object %v, want an error, and the object kept", shown.Screen, c.Object)
			}
		})
	})
}

// TestALeftoverThatSomebodyConvertsIsForgotten: after that, unconverted text counts as new, even if it is not more than the
// leftover was.
func TestALeftoverThatSomebodyConvertsIsForgotten(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(oneMinute), map[string]any{keepUpToDate: true}, func(c *core) {
		c.service.SetHabits(mockserver.Habits{LeavesLast: true})
		c.Apply()
		c.Plan().Want(c, "no-op", nil, nil)

		c.service.SetHabits(mockserver.Habits{})
		c.service.Convert("book", "one")
		time.Sleep(time.Hour)
		c.Plan().Want(c, "no-op", nil, nil)

		c.service.EditChapter("book", "one", chapterText+"\n\nFar.")
		time.Sleep(time.Minute)
		c.Plan().Want(c, "update", nil, nil)
	})
}

// TestAReplacementSurvivesAProjectThatIsUnknownForAMoment: the pending conversion is not lost.
func TestAReplacementSurvivesAProjectThatIsUnknownForAMoment(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(oneMinute), map[string]any{"timeouts": map[string]any{"create": "10s"}}, func(c *core) {
		c.Apply()
		if c.Object == nil || !c.Object.Tainted {
			c.Fatalf("got object %+v, want it tainted", c.Object)
		}
		delete(c.Arguments, "timeouts")
		c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Skip: 2, Status: 404})
		c.Apply().Want(c, "replace", []string{willWait}, []string{"What is pending stays in the state. The next apply takes it up."})
		c.Apply().Want(c, "replace", []string{willWait}, nil)
		c.Plan().Want(c, "no-op", nil, nil)
		c.wantPaid(1)
	})
}

// TestAnUntaintedObjectIsLikeAnyOther: if a later apply is interrupted, a refresh settles the conversion.
func TestAnUntaintedObjectIsLikeAnyOther(t *testing.T) {
	t.Parallel()
	voice := func(c *core, name string) { c.Arguments["triggers"] = map[string]any{"voice": name} }
	inFakeTime(t, chapterWithConversions(oneMinute), map[string]any{"timeouts": map[string]any{"create": "10s"}}, func(c *core) {
		voice(c, "Ottilie")
		c.Apply()
		c.Object.Tainted = false
		c.Apply().Want(c, "update", []string{willWait}, nil)

		voice(c, "Marrow")
		c.Apply(fakecore.InterruptedAfter(10 * time.Second))
		time.Sleep(time.Hour)
		c.Plan().Want(c, "no-op", nil, nil)
		c.wantPaid(2)
	})
}

// TestNewTriggersNeedAConversionAfterThePendingOne, whether the pending one has ended or not.
func TestNewTriggersNeedAConversionAfterThePendingOne(t *testing.T) {
	t.Parallel()
	for pause, foretold := range map[time.Duration]string{
		0:         "It is for other `triggers`, so applying waits for it and then requests one for these.",
		time.Hour: "",
	} {
		inFakeTime(t, chapterWithConversions(oneMinute), map[string]any{}, func(c *core) {
			c.Arguments["triggers"] = map[string]any{"voice": "Ottilie"}
			c.Apply(fakecore.InterruptedAfter(10 * time.Second))
			time.Sleep(pause)
			c.Arguments["triggers"] = map[string]any{"voice": "Marrow"}
			shown := c.Apply()
			if shown.Action != "update" || len(shown.Errors) > 0 || foretold != "" && !shown.Says(foretold) {
				c.Errorf("got %+v, want an update that says %q", shown, foretold)
			}
			c.Plan().Want(c, "no-op", nil, nil)
			c.wantPaid(2)
		})
	}
}

// TestNewTriggersOfATaintedObjectAreConverted: the creation timed out, its conversion has ended, and the triggers have changed.
func TestNewTriggersOfATaintedObjectAreConverted(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(oneMinute), map[string]any{"timeouts": map[string]any{"create": "10s"}}, func(c *core) {
		c.Arguments["triggers"] = map[string]any{"voice": "Ottilie"}
		c.Apply()
		delete(c.Arguments, "timeouts")
		time.Sleep(time.Hour)
		c.Arguments["triggers"] = map[string]any{"voice": "Marrow"}
		c.wantSaid(c.Apply(), "replace", "It was for other `triggers`, so applying requests one for these.")
		c.Plan().Want(c, "no-op", nil, nil)
		c.wantPaid(2)
	})
}

// TestAFailureIsKeptIfTheServiceClearsIt: the service clears the error, but has moved the date.
func TestAFailureIsKeptIfTheServiceClearsIt(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(failing, oneMinute), nil, func(c *core) {
		c.service.SetHabits(mockserver.Habits{DatesFailures: true})
		c.Apply(fakecore.InterruptedAfter(10 * time.Second))
		time.Sleep(time.Hour)
		c.wantSaid(c.Plan().Screen, "update", willAgain)
		cleared := mockserver.Fault{
			Operation: mockserver.ListChapters, Times: 2,
			Body: `{"chapters":[{"chapter_id":"one","state":"default","last_conversion_date_unix":946688400}]}`,
		}
		c.service.Inject(cleared)
		shown := c.Plan()
		if !shown.Says(willAgain) {
			c.Errorf("got %+v, want the failure still reported", shown.Screen)
		}
		c.wantPaid(1)
	})
}

// TestNewTriggersConvertAnUpToDateChapter: the text is converted, but with the old voice.
func TestNewTriggersConvertAnUpToDateChapter(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(oneMinute), map[string]any{keepUpToDate: true}, func(c *core) {
		for paid, voice := range []string{"Ottilie", "Marrow"} {
			c.Arguments["triggers"] = map[string]any{"voice": voice}
			c.Apply()
			c.wantPaid(paid + 1)
		}
		c.Plan().Want(c, "no-op", nil, nil)
	})
}
