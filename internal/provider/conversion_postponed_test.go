package provider_test

import (
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/fakecore"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
)

// What a tainted book was waiting for is not forgotten when Terraform, after it has destroyed the object, plans the creation
// once more and that fails.
func TestABookIsNotForgottenWhenTheLastPlanOfItsReplacementFails(t *testing.T) {
	t.Parallel()
	chapters := manyChapters(2, mockserver.Conversion{Takes: 5 * time.Minute})
	chapters = append(chapters, mockserver.Chapter{ID: "done", Text: chapterText, Converted: true})
	for name, test := range map[string]struct {
		before func(*core)
		error  string
	}{
		"the key is revoked": {func(c *core) {
			c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Status: 401, Body: `{"detail":"revoked"}`})
		}, `Unable to read project "book"`},
		"too many characters": {func(c *core) {
			c.boundTo(0)
			c.service.EditChapter("book", "done", longerText)
		}, "Too many characters to convert"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withBook(t, chapters, func(c *core) {
				start := c.Start
				c.Arguments["timeouts"] = map[string]any{"create": "1m"}
				c.Apply()
				c.wantNumbers(map[string]int{"pending_chapters": 2})
				plan := c.Plan()
				test.before(c)
				waits := `Conversions under way in project "book": 2 chapters`
				shown := c.ApplyPlan(plan)
				c.wantBook(shown, "replace", []string{waits}, []string{test.error})
				if c.Object == nil {
					c.Fatal("the conversions are forgotten")
				}
				if !shown.Says("What is pending stays in the state.") {
					c.Errorf("got %s", shown)
				}
				c.wantNumbers(map[string]int{"pending_chapters": 2})
				c.service.EditChapter("book", "done", chapterText)
				c.Start, c.Arguments = start, map[string]any{}
				c.wantBook(c.Apply(), "replace", []string{waits}, nil)
				c.wantSent(2)
				c.wantNumbers(map[string]int{"pending_chapters": 0})
			})
		})
	}
}

// What a tainted book was waiting for is not forgotten when the plan of its replacement could not ask the service, because the
// provider block was not known.
func TestABookIsNotForgottenByAPlanWithAnUnknownProvider(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(2, mockserver.Conversion{Lag: 5 * time.Minute, Takes: time.Minute}), func(c *core) {
		start := c.Start
		c.Arguments["timeouts"] = map[string]any{"create": "20s"}
		c.Apply()
		c.wantNumbers(map[string]int{"pending_chapters": 2})
		c.Arguments = map[string]any{}
		c.Start = func() *fakecore.Process {
			return c.beginWith(map[string]any{"base_url": tftypes.UnknownValue, "api_key": mockserver.Secret}, nil)
		}
		plan := c.Plan()
		c.Start = start
		c.wantBook(c.ApplyPlan(plan), "replace", nil, nil)
		c.wantSent(2)
	})
}

// What a tainted book was waiting for is not forgotten when its converted_after, unknown in the plan, turns out to be no time at all.
func TestABookIsNotForgottenWhenItsTimeTurnsOutToBeNone(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(2, mockserver.Conversion{Takes: 5 * time.Minute}), func(c *core) {
		c.Arguments["timeouts"] = map[string]any{"create": "1m"}
		c.Apply()
		c.wantNumbers(map[string]int{"pending_chapters": 2})
		c.Arguments = map[string]any{"converted_after": tftypes.UnknownValue}
		plan := c.Plan()
		c.Arguments = map[string]any{"converted_after": "yesterday"}
		c.wantBook(c.ApplyPlan(plan), "replace", []string{costs("2 chapters", 76)}, []string{"Invalid time"})
		if c.Object == nil {
			c.Fatal("the conversions are forgotten")
		}
		c.wantNumbers(map[string]int{"pending_chapters": 2})
		c.Arguments = map[string]any{}
		c.wantBook(c.Apply(), "replace", []string{`Conversions under way in project "book": 2 chapters`}, nil)
		c.wantSent(2)
	})
}

// A plan without a replacement before it fails as ever, also in an apply that has destroyed something.
func TestAPlanFailsWhereNothingWasHandedOver(t *testing.T) {
	t.Parallel()
	withBook(t, manyChapters(1, oneMinute), func(c *core) {
		c.Apply()
		p := c.begin()
		defer p.End()
		c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Times: -1, Status: 401, Body: `{"detail":"revoked"}`})
		c.Object = nil
		c.wantBook(c.PlanChange(p, &fakecore.Screen{}).Screen, "create", nil, []string{`Unable to read project "book"`})
	})
}
