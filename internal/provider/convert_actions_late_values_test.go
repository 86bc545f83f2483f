package provider_test

import (
	"strings"
	"testing"

	"github.com/audioprojects/terraform-provider-audioprojects/internal/tests/fakecore"
)

// TestConvertActions_lateValues: Terraform validates an action before it knows the values of variables and of what is
// created in the apply. So what a validation refuses is refused when the action is planned and invoked, too, before
// anything is requested. Null for a chapter does not mean all of them.
func TestConvertActions_lateValues(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		action    string
		arguments map[string]any
		refusal   string // a part of it
	}{
		"no chapter":               {convertChapter, map[string]any{"project_id": "book"}, "chapter_id"},
		"an empty chapter":         {convertChapter, map[string]any{"project_id": "book", "chapter_id": ""}, "chapter_id"},
		"no project of a chapter":  {convertChapter, map[string]any{"chapter_id": "one"}, "project_id"},
		"a chapter's bad duration": {convertChapter, map[string]any{"project_id": "book", "chapter_id": "one", "timeouts": map[string]any{"invoke": "soon"}}, "Invalid duration"},
		"no project":               {convertProject, map[string]any{}, "project_id"},
		"an empty set":             {convertProject, map[string]any{"project_id": "book", "chapter_ids": []string{}}, "No chapters"},
		"an empty id":              {convertProject, map[string]any{"project_id": "book", "chapter_ids": []string{""}}, "chapter_ids"},
		"both sets":                {convertProject, map[string]any{"project_id": "book", "chapter_ids": []string{"one"}, "exclude_chapter_ids": []string{"two"}}, "Invalid Attribute Combination"},
		"a project's bad duration": {convertProject, map[string]any{"project_id": "book", "timeouts": map[string]any{"invoke": "-1h"}}, "Invalid duration"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withBook(t, manyChapters(4, oneMinute), func(c *core) {
				p := c.begin()
				defer p.End()
				config := c.ActionConfig(test.action, test.arguments)
				for _, shown := range []*fakecore.Screen{c.PlanAction(p, test.action, config), c.Invoke(p, test.action, config).Screen} {
					if len(shown.Errors) != 1 || !strings.Contains(shown.Errors[0], test.refusal) || len(shown.Warnings) > 0 {
						c.Errorf("got %q and %q, want an error about %q", shown.Errors, shown.Warnings, test.refusal)
					}
				}
				c.wantSent(0)
			})
		})
	}
}
