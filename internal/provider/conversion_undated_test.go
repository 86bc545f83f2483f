package provider_test

import (
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

const undated = "No newer timestamp of the conversion"

// TestConversion_undated: a service shows no date, so that `not_before`, which reads it, is null, and the data source of the
// snapshot does not wait.
func TestConversion_undated(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(2, oneMinute), func(c *core) {
		c.service.SetHabits(mockserver.Habits{NoDates: true})
		shown := c.Apply()
		c.wantBook(shown, "create", []string{costs("2 chapters", 76), undated}, nil)
		if !shown.Says("no newer `last_conversion_date`. So a data source that takes `not_before` from it does not wait") || !shown.Says(`- "chapter-1"`) {
			c.Errorf("got %s", shown)
		}
		c.wantBook(c.Plan().Screen, "no-op", nil, nil)
	})
	inFakeTime(t, mockserver.Chapter{Conversions: []mockserver.Conversion{oneMinute}}, nil, func(c *core) {
		c.service.SetHabits(mockserver.Habits{NoDates: true})
		c.Apply().Want(c, "create", []string{undated}, nil)
		c.wantSent(1)
	})
}

// TestConversion_undatedEndSeenByRefresh: nobody waits for the conversion any more when it ends.
func TestConversion_undatedEndSeenByRefresh(t *testing.T) {
	t.Parallel()
	inFakeTime(t, mockserver.Chapter{Conversions: []mockserver.Conversion{oneMinute}}, nil, func(c *core) {
		c.service.SetHabits(mockserver.Habits{NoDates: true})
		c.Apply(fakecore.InterruptedAfter(20 * time.Second))
		time.Sleep(5 * time.Minute)
		c.Plan().Want(c, "no-op", []string{undated}, nil)
		c.Plan().Want(c, "no-op", nil, nil)
		c.wantSent(1)
	})
}

// TestConversion_earlierErrorRemains: a newer timestamp shows the end, and an error message stays. It is told once, and
// nothing is paid again.
func TestConversion_earlierErrorRemains(t *testing.T) {
	t.Parallel()
	const remains = "Earlier error message remains"
	chapter := mockserver.Chapter{Converted: true, Error: conversionError, Conversions: []mockserver.Conversion{oneMinute}}
	inFakeTime(t, chapter, nil, func(c *core) {
		c.service.SetHabits(mockserver.Habits{KeepsOldError: true})
		shown := c.Apply()
		shown.Want(c, "create", []string{remains}, nil)
		if !shown.Says(conversionError) {
			c.Errorf("got %s, want the error message", shown)
		}
		c.Plan().Want(c, "no-op", nil, nil)
		c.wantSent(1)
	})
	inFakeTime(t, chapter, nil, func(c *core) {
		c.service.SetHabits(mockserver.Habits{KeepsOldError: true})
		c.Apply(fakecore.InterruptedAfter(20 * time.Second))
		time.Sleep(5 * time.Minute)
		c.Apply().Want(c, "no-op", []string{remains}, nil) // The refresh has seen the end.
		c.Plan().Want(c, "no-op", nil, nil)
		c.wantSent(1)
	})
}

// TestConversion_datedFailureOfSomebodyElse: the error says that the next apply requests another conversion, and so does the next plan.
func TestConversion_datedFailureOfSomebodyElse(t *testing.T) {
	t.Parallel()
	withBook(t, converted(manyChapters(1, failing, oneMinute)), func(c *core) {
		c.service.SetHabits(mockserver.Habits{DatesFailures: true})
		c.setVoice("Ottilie")
		c.Apply()
		time.Sleep(time.Hour)
		c.setVoice("Marrow")
		plan := c.Plan()
		c.service.Convert("book", "chapter-1")
		shown := c.ApplyPlan(plan)
		c.wantBook(shown, "update", []string{costs("1 chapter", 38)}, []string{`Unable to convert 1 of the 1 chapter of project "book"`})
		if !shown.Says("The next apply requests another conversion.") {
			c.Errorf("got %s", shown)
		}
		c.wantSent(0)
		c.wantBook(c.Apply(), "update", []string{costs("1 chapter", 38), "Earlier conversion failed"}, nil)
		c.wantBook(c.Plan().Screen, "no-op", nil, nil)
		c.wantSent(1)
	})
}
