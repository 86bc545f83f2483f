package provider_test

import (
	"testing"
	"time"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/mockserver"
	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// A book whose chapters cannot be listed has nothing to report of any chapter. It must not end well for that.
func TestProjectConversion_chaptersCannotBeListed(t *testing.T) {
	t.Parallel()
	hangs := mockserver.Fault{Skip: 1, Times: -1, Hang: time.Hour}
	revoked := mockserver.Fault{Status: 401, Body: `{"detail":"revoked"}`}
	for name, test := range map[string]struct {
		fault         mockserver.Fault
		arguments     map[string]any
		interruptions []fakecore.Interruption
		updated       bool
		says          string
	}{
		"down":                    {mockserver.Fault{Skip: 1, Times: -1, Status: 503, Body: `{"detail":"down"}`}, nil, nil, false, "503 Service Unavailable: down"},
		"not all":                 {mockserver.Fault{Skip: 1, Times: -1, Body: `{"chapters":[{"chapter_id":"chapter-1"}],"has_more":true}`}, nil, nil, false, `it is incomplete ("has_more": true)`},
		"until the time is over":  {hangs, map[string]any{"timeouts": map[string]any{"create": "20s"}}, nil, false, "before the chapters were listed.\nNothing was requested."},
		"and interrupted":         {hangs, nil, []fakecore.Interruption{fakecore.InterruptedAfter(10 * time.Second)}, false, "Interrupted before the chapters were listed. Nothing was requested."},
		"in an update":            {revoked, nil, nil, true, "401 Unauthorized: revoked"},
		"in an update, by its id": {revoked, map[string]any{"chapter_ids": []string{"chapter-1", "chapter-2"}}, nil, true, "401 Unauthorized: revoked"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withBook(t, manyChapters(2, oneMinute), func(c *core) {
				if test.arguments != nil {
					c.Arguments = test.arguments
				}
				action, sent, estimate := "create", 0, []string{costs("2 chapters", 76)}
				if test.updated {
					c.Apply()
					c.service.EditChapter("book", "chapter-1", "Other words.")
					action, sent, estimate = "update", 2, []string{costs("1 chapter", 12)}
				}
				plan := c.Plan()
				test.fault.Operation = mockserver.ListChapters
				c.service.Inject(test.fault)
				shown := c.ApplyPlan(plan, test.interruptions...)
				c.wantBook(shown, action, estimate, []string{`Unable to convert project "book"`})
				if (c.Object != nil) != test.updated || !shown.Says(test.says) {
					c.Errorf("got the object %v and %q", c.Object, shown.Errors)
				}
				c.wantSent(sent)
				if test.updated {
					c.wantNumbers(map[string]int{"chapter_count": 2, "characters_unconverted": 12})
					c.Apply()
					c.wantSent(3)
					c.wantBook(c.Plan().Screen, "no-op", nil, nil)
				}
			})
		})
	}
	t.Run("action", func(t *testing.T) {
		t.Parallel()
		withBook(t, manyChapters(2, oneMinute), func(c *core) {
			c.service.Inject(mockserver.Fault{Operation: mockserver.ListChapters, Times: -1, Status: 503})
			p := c.begin()
			defer p.End()
			c.invokeBook(p, map[string]any{}).Want(c, "", nil, []string{`Unable to convert project "book"`})
			c.wantSent(0)
		})
	})
}
