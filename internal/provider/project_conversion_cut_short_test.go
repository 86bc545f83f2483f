package provider_test

import (
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"golang.org/x/text/unicode/norm"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

func TestProjectConversion_interrupted(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(60, mockserver.Conversion{Takes: 5 * time.Minute}), func(c *core) {
		began := time.Now()
		shown := c.Apply(fakecore.InterruptedAfter(time.Minute))
		c.wantBook(shown, "create", []string{`Conversions that cost credits in project "book": 60 chapters, 2,331 characters at most`, "Interrupted while waiting"}, nil)
		took := time.Since(began)
		if took > 61*time.Second {
			c.Errorf("came back after %s", took)
		}
		c.wantSent(50)
		c.wantNumbers(map[string]int{"chapter_count": 60, "pending": 50})
		// The conversions that run are paid for, and may fail before the next apply.
		shown = c.Apply()
		c.wantBook(shown, "update", []string{`Conversions that cost credits in project "book": 10 chapters, 390 characters at most`}, nil)
		if !shown.Says("Only waited for: 50 chapters, at most 1,941 characters more if their conversions fail.") {
			c.Errorf("got %s, want what is only waited for", shown)
		}
		c.wantSent(60)
		c.wantNumbers(map[string]int{"pending": 0, "characters_unconverted": 0})
		c.wantBook(c.Plan().Screen, "no-op", nil, nil)
	})
}

// TestProjectConversion_seenByThePlan: the plan has seen the conversion run, and somebody cancels it before the apply. So it is known
// to have ended.
func TestProjectConversion_seenByThePlan(t *testing.T) {
	t.Parallel()
	chapters := manyChapters(1, mockserver.Conversion{Lag: 10 * time.Second, Takes: 5 * time.Minute})
	withBook(t, chapters, func(c *core) {
		c.Apply(fakecore.InterruptedAfter(5 * time.Second))
		time.Sleep(time.Minute)
		plan := c.Plan()
		c.service.RemoveChapter("book", "chapter-1")
		c.service.AddChapter("book", chapters[0]) // as after a conversion that was cancelled
		began := time.Now()
		shown := c.ApplyPlan(plan)
		took := time.Since(began)
		if took > time.Minute || !shown.Says("The conversion ended, and converted nothing.") {
			t.Errorf("after %s: %s", took, shown)
		}
		c.wantSent(1)
	})
}

// TestProjectConversion_idInAnotherForm: Terraform writes every text in Unicode's composed form, also the one that has what is pending.
func TestProjectConversion_idInAnotherForm(t *testing.T) {
	t.Parallel()
	const id = "cafe\u0301"
	chapters := []mockserver.Chapter{{ID: id, Conversions: []mockserver.Conversion{{Takes: time.Minute, Lag: 20 * time.Minute}}}}
	withBook(t, chapters, func(c *core) {
		c.Apply(fakecore.InterruptedAfter(time.Minute))
		state := fakecore.AttributesOf(c.Object.Value)
		state["pending_conversions"] = tftypes.NewValue(tftypes.String, norm.NFC.String(c.text("pending_conversions")))
		c.Object.Value = tftypes.NewValue(c.Object.Value.Type(), state)
		shown := c.Apply()
		c.wantSent(1)
		if len(shown.Errors) > 0 {
			c.Errorf("got %s, want that it was waited for", shown)
		}
	})
}
