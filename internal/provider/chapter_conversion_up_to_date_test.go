package provider_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// TestKeepUpToDateNeverLoops: this service always counts some text as unconverted.
func TestKeepUpToDateNeverLoops(t *testing.T) {
	t.Parallel()
	for _, interruptions := range [][]fakecore.Interruption{nil, {fakecore.InterruptedAfter(20 * time.Second)}} {
		t.Run(fmt.Sprintf("interrupted %t", len(interruptions) > 0), func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, chapterWithConversions(oneMinute), map[string]any{keepUpToDate: true}, func(c *core) {
				c.service.SetHabits(mockserver.Habits{LeavesLast: true})
				c.Apply(interruptions...)
				time.Sleep(time.Hour)
				if len(interruptions) > 0 {
					c.Apply() // Text is open, so that an apply looks for a whole window.
				}
				c.Plan().Want(c, "no-op", nil, nil)

				c.service.EditChapter("book", "one", chapterText+" Nobody at all.\n\nNot the keeper.")
				c.Apply().Want(c, "update", []string{"Text left unconverted"}, nil)
				c.wantPaid(2)
				for range 3 {
					time.Sleep(time.Hour)
					c.Apply().Want(c, "no-op", nil, nil)
				}
				c.wantPaid(2)
			})
		})
	}
}

// TestAnUnseenEditIsNotALeftover: the conversion ended after the interruption, and
// the text was edited before the next plan.
func TestAnUnseenEditIsNotALeftover(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(oneMinute), map[string]any{keepUpToDate: true}, func(c *core) {
		c.Apply(fakecore.InterruptedAfter(20 * time.Second))
		time.Sleep(time.Hour)
		c.service.EditChapter("book", "one", chapterText+"\n\nThe keeper was away.")
		c.Apply().Want(c, "update", []string{"Conversions under way"}, nil)
		c.Plan().Want(c, "no-op", nil, nil)
		c.wantPaid(2)
	})
}

// TestALeftoverIsForgottenWhenAllIsConverted: unconverted text after that is new text, even if it is less than the old leftover.
func TestALeftoverIsForgottenWhenAllIsConverted(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(oneMinute), map[string]any{keepUpToDate: true}, func(c *core) {
		c.service.SetHabits(mockserver.Habits{LeavesLast: true})
		c.Apply()
		c.Plan().Want(c, "no-op", nil, nil)

		c.service.SetHabits(mockserver.Habits{})
		c.service.EditChapter("book", "one", chapterText+"\n\nThe keeper was away.")
		c.Apply().Want(c, "update", nil, nil)
		c.Plan().Want(c, "no-op", nil, nil)

		c.service.EditChapter("book", "one", chapterText+"\n\nThe keeper was away.\n\nFar.")
		time.Sleep(time.Minute)
		c.Plan().Want(c, "update", nil, nil)
	})
}

// TestWhatAnEarlierVersionRemembersIsKnown: it had a key for each part.
func TestWhatAnEarlierVersionRemembersIsKnown(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(oneMinute), map[string]any{keepUpToDate: true}, func(c *core) {
		c.service.SetHabits(mockserver.Habits{LeavesLast: true})
		c.Apply()
		c.Plan().Want(c, "no-op", nil, nil)
		c.Object.Private = nil
		c.Plan().Want(c, "update", nil, nil)
		c.Object.Private = []byte(`{"left_unconverted":"MTg="}`) // 18, in the framework's encoding
		c.Plan().Want(c, "no-op", nil, nil)
	})
	inFakeTime(t, chapterWithConversions(oneMinute), map[string]any{"timeouts": map[string]any{"create": "10s"}}, func(c *core) {
		c.Apply()
		c.Object.Private = []byte(`{"tainted":"dHJ1ZQ=="}`) // true
		time.Sleep(time.Hour)
		c.Apply()
		c.wantPaid(1)
	})
}

// TestALeftoverThatIsReplacedByLessTextIsNewText: the count alone looks as if some of the leftover had been converted.
func TestALeftoverThatIsReplacedByLessTextIsNewText(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(oneMinute), map[string]any{keepUpToDate: true}, func(c *core) {
		c.service.SetHabits(mockserver.Habits{LeavesLast: true})
		c.Apply()
		c.Plan().Want(c, "no-op", nil, nil)

		c.service.EditChapter("book", "one", "The lamp was lit.\n\nFar.")
		time.Sleep(time.Minute)
		c.Plan().Want(c, "update", nil, nil)
	})
}

// TestAnEditDuringAConversionIsNotALeftover: the apply warns, and the next one converts the new text.
func TestAnEditDuringAConversionIsNotALeftover(t *testing.T) {
	t.Parallel()
	warned := []string{"Text left unconverted\nThe text was edited while it was converted. - chapter \"The Dark Lantern\" (one) of project \"book\": 20 characters or paragraphs left\n\nThe next apply converts it."}
	for name, test := range map[string]struct {
		interrupt bool
		warnings  []string
	}{
		"the apply waits":      {false, warned},
		"the next apply waits": {true, append([]string{willWait}, warned...)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inFakeTime(t, chapterWithConversions(oneMinute), map[string]any{keepUpToDate: true}, func(c *core) {
				action := "create"
				if test.interrupt {
					c.Apply(fakecore.InterruptedAfter(10 * time.Second))
					action = "update"
				}
				go func() {
					time.Sleep(20 * time.Second)
					c.service.EditChapter("book", "one", chapterText+"\n\nThe keeper was away.")
				}()
				c.Apply().Want(c, action, test.warnings, nil)
				c.wantPaid(1)
				time.Sleep(time.Hour)
				c.Apply().Want(c, "update", nil, nil)
				c.Plan().Want(c, "no-op", nil, nil)
				c.wantPaid(2)
			})
		})
	}
}

// TestAnApplyThatResumesWarnsOfALeftover: the apply that requested the conversion was interrupted, so it could not warn.
func TestAnApplyThatResumesWarnsOfALeftover(t *testing.T) {
	t.Parallel()
	inFakeTime(t, chapterWithConversions(oneMinute), map[string]any{keepUpToDate: true}, func(c *core) {
		c.service.SetHabits(mockserver.Habits{LeavesLast: true})
		c.Apply(fakecore.InterruptedAfter(10 * time.Second))
		c.Apply().Want(c, "update", []string{willWait, "The next apply does not convert it again."}, nil)
		c.Plan().Want(c, "no-op", nil, nil)
		c.wantPaid(1)
	})
}
